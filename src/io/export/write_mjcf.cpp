// MJCF of a model (mujoco.readthedocs.io/en/stable/XMLreference.html): bodies with the joints that move them.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/export/losses.hpp"
#include "io/export/mjcf_parts.hpp"
#include "io/export/xml_writing.hpp"
#include "io/pose_algebra.hpp"
#include "io/xml/xml_document.hpp"
#include "lipkin/export.hpp"
#include "model/model_compiler.hpp"
#include "model/model_data.hpp"
#include "model/shape_mass.hpp"

namespace lipkin {
namespace {

class MjcfWriter {
 public:
  explicit MjcfWriter(const Scene& scene)
      : scene_(scene), data_(scene.model.data()), parts_(*scene.model.data().parts), geoms_(parts_) {
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b) children_[joint_of(b).parent].push_back(b);
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b) index_[parts_.bodies[b].name] = b;
    collect_masses();
  }

  ExportedModel write() {
    refuse_others();
    std::string tree;
    for (const ShapeSpec& shape : parts_.world_shapes) tree += geoms_.text(shape, "    ");
    tree += sites_.text(parts_, kWorldName, "    ") + sites_.wraps(parts_, kWorldName, "    ");
    for (const std::size_t child : children_[kWorldName]) write_body(child, {}, 2, tree);
    const std::string joined = connections() + actuators();
    const Eigen::Vector3d& g = parts_.gravity;
    std::string text = fmt::format(
        "<mujoco model=\"{}\">\n  <compiler angle=\"radian\" autolimits=\"true\" inertiafromgeom=\"false\"/>\n"
        "  <option timestep=\"{}\" gravity=\"{}\"/>\n{}  <worldbody>\n{}  </worldbody>\n{}{}",
        xml_escaped(scene_.name), scene_.experiment.dt, numbers(g), geoms_.assets(), tree, geoms_.contacts(), joined);
    const auto list = [](const char* attribute, const std::vector<double>& values) {
      return values.empty() ? std::string() : fmt::format(" {}=\"{}\"", attribute, fmt::join(values, " "));
    };
    const std::string start =
        list("qpos", qpos_) + list("qvel", qvel_) + list("ctrl", controls_) + list("act", activations_);
    if (!start.empty()) text += fmt::format("  <keyframe>\n    <key name=\"start\"{}/>\n  </keyframe>\n", start);
    text += "</mujoco>\n";
    warn_of_losses();
    return {std::move(text), std::move(warnings_)};
  }

 private:
  const JointSpec& joint_of(std::size_t body) const {
    return parts_.joints[static_cast<std::size_t>(data_.bodies[body].joint)];
  }

  void refuse_others() const {
    std::vector<Diagnostic> mistakes;
    const auto refuse = [&](const JointSpec& joint, const std::string& what) {
      mistakes.push_back(
          {joint.where, fmt::format("joint '{}' {}, which MJCF cannot say", shortened(joint.name), what), {}});
    };
    for (const JointSpec& joint : parts_.joints) {
      const bool closes = joint.type == JointType::kBall || joint.type == JointType::kFixed;
      if (joint.closes_loop && !closes) refuse(joint, fmt::format("closes a loop as a {} joint", name_of(joint.type)));
      if (joint.type == JointType::kScrew) refuse(joint, "is a screw");
      if (joint.type == JointType::kFree && !joint.closes_loop && joint.parent != kWorldName)
        refuse(joint, "moves freely on another body");
    }
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
  }

  bool is_fixed(std::size_t body) const { return joint_of(body).type == JointType::kFixed; }

  // MuJoCo wants a mass on every body that moves, and moments of inertia that a body can have: where one of those that
  // move together has not, the first of them has the mass of all.
  void collect_masses() {
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b)
      masses_.push_back(without_rounding(data_.bodies[b].mass_properties));
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b) {
      if (!is_fixed(b) && (masses_[b].mass == 0 || has_impossible_part(b))) take_fixed_masses(b, b, {});
      if (is_fixed(b) && !is_possible(masses_[b]))
        masses_[b].inertia.setZero();  // fixed to the world: it does not count
    }
  }

  static bool is_possible(const MassProperties& mass) {
    constexpr double kRounding = 1e-9;
    const Eigen::Vector3d m = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(mass.inertia).eigenvalues();
    return m[0] + m[1] >= m[2] * (1 - kRounding);
  }

  bool has_impossible_part(std::size_t body) const {
    if (!is_possible(masses_[body])) return true;
    const auto children = children_.find(parts_.bodies[body].name);
    if (children == children_.end()) return false;
    return std::any_of(children->second.begin(), children->second.end(),
                       [&](std::size_t child) { return is_fixed(child) && has_impossible_part(child); });
  }

  void take_fixed_masses(std::size_t into, std::size_t body, const Pose& place) {
    for (const std::size_t child : children_[parts_.bodies[body].name]) {
      if (!is_fixed(child)) continue;
      const Pose in_body = place * pose_in_parent(child);
      const MassProperties& mass = masses_[child];
      if (mass.mass > 0 || !mass.inertia.isZero(0)) {
        const Eigen::Matrix3d R = in_body.orientation.toRotationMatrix();
        const MassProperties moved{mass.mass, in_body.position + R * mass.com, R * mass.inertia * R.transpose()};
        masses_[into] = sum_of(masses_[into], moved);
        masses_[child] = {};
      }
      take_fixed_masses(into, child, in_body);
    }
  }

  static MassProperties sum_of(const MassProperties& a, const MassProperties& b) {
    if (a.mass > 0 && b.mass > 0) return combined(a, b);
    MassProperties sum = a.mass > 0 ? a : b;
    sum.inertia = a.inertia + b.inertia;
    return sum;
  }

  // At q = 0.
  Pose pose_in_parent(std::size_t body) const {
    const JointSpec& joint = joint_of(body);
    return joint.frame_in_parent * inverse(joint.frame_in_child);
  }

  // A link of a chain of joints in one place: no mass, no shape, one child that moves. Its joint becomes the child's.
  bool is_folded(std::size_t body) const {
    const auto children = children_.find(parts_.bodies[body].name);
    return masses_[body].mass == 0 && masses_[body].inertia.isZero(0) && parts_.bodies[body].shapes.empty() &&
           !is_fixed(body) && joint_of(body).type != JointType::kFree && children != children_.end() &&
           children->second.size() == 1 && !is_fixed(children->second[0]) && used_bodies().count(body) == 0;
  }

  // Bodies that something else names.
  const std::set<std::size_t>& used_bodies() const {
    if (used_) return *used_;
    used_.emplace();
    const auto use = [&](const std::string& name) {
      if (const auto found = index_.find(name); found != index_.end()) used_->insert(found->second);
    };
    for (const JointSpec& joint : parts_.joints) {
      if (!joint.closes_loop) continue;
      use(joint.parent);
      use(joint.child);
    }
    for (const std::string& body : sites_.bodies(parts_)) use(body);
    return *used_;
  }

  // `pose`: of the parent in the body that the XML stands in.
  void write_body(std::size_t b, const Pose& pose, int depth, std::string& text) {
    const JointSpec& joint = joint_of(b);
    const Pose placed = pose * pose_in_parent(b);
    const std::string& name = parts_.bodies[b].name;
    if (is_folded(b)) {
      folded_.emplace_back(joint, pose_in_parent(b));
      return write_body(children_[name][0], placed, depth, text);
    }
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    text += fmt::format("{}<body name=\"{}\"{}>\n", indent, xml_escaped(name), pose_text(free_pose(joint, placed)));
    write_folded(pose_in_parent(b), indent + "  ", text);
    write_joint(joint, joint.frame_in_child, indent + "  ", text);
    write_inertial(masses_[b], indent + "  ", text);
    for (const ShapeSpec& shape : parts_.bodies[b].shapes) {
      const bool is_lost = std::holds_alternative<ShapePlane>(shape.geometry) && data_.bodies[b].link > 0;
      if (is_lost) ++lost_planes_;
      if (!is_lost) text += geoms_.text(shape, indent + "  ");
    }
    text += sites_.text(parts_, name, indent + "  ") + sites_.wraps(parts_, name, indent + "  ");
    for (const std::size_t child : children_[name]) write_body(child, {}, depth + 1, text);
    text += indent + "</body>\n";
  }

  // A free body stands where its joint puts it.
  Pose free_pose(const JointSpec& joint, const Pose& at_zero) const {
    if (joint.type != JointType::kFree) return at_zero;
    return joint.frame_in_parent * free_motion(joint) * inverse(joint.frame_in_child);
  }

  static Pose free_motion(const JointSpec& joint) {
    if (joint.q.size() < 7) return {};
    return {{joint.q[0], joint.q[1], joint.q[2]},
            Eigen::Quaterniond(joint.q[3], joint.q[4], joint.q[5], joint.q[6]).normalized()};
  }

  // Joints of the folded bodies, outermost first, seen from the body that carries them now: `to_last` leads from the
  // last of them to it.
  void write_folded(const Pose& to_last, const std::string& indent, std::string& text) {
    std::vector<Pose> seen(folded_.size());
    Pose back = inverse(to_last);
    for (std::size_t k = folded_.size(); k-- > 0;) {
      seen[k] = back * folded_[k].first.frame_in_child;
      back = back * inverse(folded_[k].second);
    }
    const auto folded = std::move(folded_);
    folded_.clear();
    for (std::size_t k = 0; k < folded.size(); ++k) write_joint(folded[k].first, seen[k], indent, text);
  }

  // `frame`: M in the body.
  void write_joint(const JointSpec& joint, const Pose& frame, const std::string& indent, std::string& text) {
    const auto part = [&](const char* type, const Eigen::Vector3d& axis, int dof, const std::string& name) {
      text += fmt::format("{}<joint name=\"{}\" type=\"{}\" pos=\"{}\" axis=\"{}\"{}/>\n", indent, xml_escaped(name),
                          type, numbers(frame.position), numbers(frame.orientation * axis), joint_settings(joint, dof));
      joint_parts_[joint.name].push_back(name);
      qpos_.push_back(dof < static_cast<int>(joint.q.size()) ? joint.q[static_cast<std::size_t>(dof)] : 0);
      qvel_.push_back(dof < static_cast<int>(joint.u.size()) ? joint.u[static_cast<std::size_t>(dof)] : 0);
    };
    const Eigen::Vector3d x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
    switch (joint.type) {
      case JointType::kRevolute:
        return part("hinge", joint.axis, 0, joint.name);
      case JointType::kPrismatic:
        return part("slide", joint.axis, 0, joint.name);
      case JointType::kCylindrical:
        part("hinge", joint.axis, 0, joint.name + ".angle");
        return part("slide", joint.axis, 1, joint.name + ".shift");
      case JointType::kUniversal:
        part("hinge", x, 0, joint.name + ".x");
        return part("hinge", y, 1, joint.name + ".y");
      case JointType::kPlanar:
        part("slide", x, 0, joint.name + ".x");
        part("slide", y, 1, joint.name + ".y");
        return part("hinge", z, 2, joint.name + ".angle");
      case JointType::kBall:
        return write_ball(joint, frame, indent, text);
      case JointType::kFree:
        return write_free(joint, indent, text);
      default:
        return;
    }
  }

  // The rates of a ball are counted along M, those of MJCF along the body: its frame is M's where the model was MJCF.
  void write_ball(const JointSpec& joint, const Pose& frame, const std::string& indent, std::string& text) {
    text += fmt::format("{}<joint name=\"{}\" type=\"ball\" pos=\"{}\"{}/>\n", indent, xml_escaped(joint.name),
                        numbers(frame.position), joint_settings(joint, 0));
    joint_parts_[joint.name].push_back(joint.name);
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    if (joint.q.size() == 4) turn = Eigen::Quaterniond(joint.q[0], joint.q[1], joint.q[2], joint.q[3]).normalized();
    turn = frame.orientation * turn * frame.orientation.conjugate();
    qpos_.insert(qpos_.end(), {turn.w(), turn.x(), turn.y(), turn.z()});
    Eigen::Vector3d u = Eigen::Vector3d::Zero();
    if (joint.u.size() == 3) u = frame.orientation * Eigen::Vector3d(joint.u[0], joint.u[1], joint.u[2]);
    qvel_.insert(qvel_.end(), {u.x(), u.y(), u.z()});
  }

  void write_free(const JointSpec& joint, const std::string& indent, std::string& text) {
    text += fmt::format("{}<joint name=\"{}\" type=\"free\"{}/>\n", indent, xml_escaped(joint.name),
                        joint_settings(joint, 0));
    joint_parts_[joint.name].push_back(joint.name);
    const Pose pose = free_pose(joint, {});
    const Eigen::Vector3d& p = pose.position;
    const Eigen::Quaterniond& r = pose.orientation;
    qpos_.insert(qpos_.end(), {p.x(), p.y(), p.z(), r.w(), r.x(), r.y(), r.z()});
    const bool is_plain = joint.frame_in_child.position.isZero() &&
                          joint.frame_in_child.orientation.coeffs() == Eigen::Quaterniond::Identity().coeffs() &&
                          joint.frame_in_parent.orientation.coeffs() == Eigen::Quaterniond::Identity().coeffs();
    std::vector<double> u = joint.u.size() == 6 && is_plain ? joint.u : std::vector<double>(6, 0.0);
    if (!is_plain && joint.u.size() == 6) lost_starts_ += 1;
    qvel_.insert(qvel_.end(), u.begin(), u.end());
  }

  void write_inertial(const MassProperties& mass, const std::string& indent, std::string& text) {
    if (mass.mass == 0 && mass.inertia.isZero(0)) return;
    const Eigen::Matrix3d I = without_rounding(mass).inertia;
    const bool is_diagonal = I(0, 1) == 0 && I(0, 2) == 0 && I(1, 2) == 0;
    const std::string inertia = is_diagonal ? fmt::format("diaginertia=\"{} {} {}\"", I(0, 0), I(1, 1), I(2, 2))
                                            : fmt::format("fullinertia=\"{} {} {} {} {} {}\"", I(0, 0), I(1, 1),
                                                          I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    text += fmt::format("{}<inertial pos=\"{}\" mass=\"{}\" {}/>\n", indent, numbers(mass.com), mass.mass, inertia);
  }

  // The joint of MJCF that a degree of freedom is; empty where it has none of its own.
  std::string part_of(const std::string& joint, int dof) const {
    const auto found = joint_parts_.find(joint);
    if (found == joint_parts_.end()) return {};
    return found->second.size() == 1 ? (dof == 0 ? found->second[0] : "")
                                     : found->second[static_cast<std::size_t>(dof)];
  }

  std::string connections() {
    std::string equalities = sites_.loops(parts_);
    for (const GearSpec& gear : parts_.gears) {
      if (!gear.tendon.empty() || !gear.of_tendon.empty()) {
        ++lost_gears_;
        continue;
      }
      const std::string a = part_of(gear.joint, gear.dof), b = part_of(gear.of, gear.of_dof);
      if (a.empty() || b.empty()) {
        ++lost_gears_;
        continue;
      }
      std::vector<double> curve = gear.curve;
      curve.resize(3);
      equalities += fmt::format("    <joint name=\"{}\" joint1=\"{}\" joint2=\"{}\" polycoef=\"{} {} {}\"/>\n",
                                xml_escaped(gear.name), xml_escaped(a), xml_escaped(b), gear.offset, gear.ratio,
                                fmt::join(curve, " "));
    }
    for (const MotorSpec& motor : parts_.motors) equalities += prescribed(motor);
    std::string tendons = sites_.tendons(parts_, data_);
    for (const TendonSpec& spec : parts_.tendons) tendons += tendon(spec);
    return (equalities.empty() ? "" : "  <equality>\n" + equalities + "  </equality>\n") +
           (tendons.empty() ? "" : "  <tendon>\n" + tendons + "  </tendon>\n");
  }

  // Where the spring of a tendon is slack; MJCF takes a negative length for none given.
  std::string spring_length(const TendonSpec& spec) {
    for (const RowSpringData& spring : data_.row_springs) {
      if (spring.dof.tendon < 0 || data_.tendons[spring.dof.tendon].name != spec.name) continue;
      if (spring.rest < 0) ++lost_rests_;
      return spring.play > 0 ? fmt::format(" springlength=\"{} {}\"", spring.rest, spring.rest + spring.play)
                             : fmt::format(" springlength=\"{}\"", spring.rest);
    }
    return {};
  }

  // A string or a sum of joints; MJCF has no tendon that is both.
  std::string tendon(const TendonSpec& spec) {
    std::string inside = MjcfSites::path(spec);
    const bool is_fixed = spec.path.empty();
    for (const TendonSpec::Term& term : spec.joints) {
      const std::string joint = part_of(term.joint, term.dof);
      if (joint.empty() || !is_fixed) {
        ++lost_tendons_;
        break;
      }
      inside += fmt::format("      <joint joint=\"{}\" coef=\"{}\"/>\n", xml_escaped(joint), term.coefficient);
    }
    std::string settings;
    const auto put = [&](const char* attribute, double value) {
      if (value != 0) settings += fmt::format(" {}=\"{}\"", attribute, value);
    };
    if (std::isfinite(spec.lower) || std::isfinite(spec.upper))
      settings += fmt::format(" limited=\"true\" range=\"{} {}\"", std::max(spec.lower, is_fixed ? -kMjcfFar : 0.0),
                              std::min(spec.upper, kMjcfFar));
    put("stiffness", spec.stiffness);
    put("damping", spec.damping);
    put("frictionloss", spec.friction);
    put("armature", spec.armature);
    if (spec.stiffness > 0) settings += spring_length(spec);
    return fmt::format("    <{0} name=\"{1}\"{2}>\n{3}    </{0}>\n", is_fixed ? "fixed" : "spatial",
                       xml_escaped(spec.name), settings, inside);
  }

  static bool is_servo(const MotorSpec& motor) {
    return motor.stiffness || (motor.kind == MotorKind::kVelocity && motor.damping > 0);
  }

  std::string prescribed(const MotorSpec& motor) {
    const std::string joint = part_of(motor.joint, motor.dof);
    const double* target = std::get_if<double>(&motor.target.source);
    if (is_servo(motor)) return {};
    if (motor.kind != MotorKind::kPosition || !target || joint.empty() || std::isfinite(motor.max_force)) {
      ++lost_motors_;
      return {};
    }
    return fmt::format("    <joint name=\"{}\" joint1=\"{}\" polycoef=\"{} 0 0 0 0\"/>\n", xml_escaped(motor.name),
                       xml_escaped(joint), *target);
  }

  // In the order of the controls; servos that none of them drives come last.
  std::string actuators() {
    std::string text;
    for (const ControlData& control : data_.controls)
      text += control.motor < 0 ? driven(parts_.actuators[static_cast<std::size_t>(control.actuator)], control)
                                : servo(parts_.motors[static_cast<std::size_t>(control.motor)], control);
    for (std::size_t i = 0; i < parts_.motors.size(); ++i)
      if (data_.motors[i].control_index < 0) text += servo(parts_.motors[i], {});
    return text.empty() ? "" : "  <actuator>\n" + text + "  </actuator>\n";
  }

  static std::string range_text(const char* attribute, double low, double high) {
    if (low == -kInfinity && high == kInfinity) return {};
    return fmt::format(" {}=\"{} {}\"", attribute, std::max(low, -kMjcfFar), std::min(high, kMjcfFar));
  }

  // What it acts on, and by how much.
  std::string transmission(const ActuatorSpec& actuator) {
    if (!actuator.body.empty()) {
      const std::string name = xml_escaped(actuator.name);
      const bool is_turned_back = !actuator.against.empty() && actuator.against != kWorldName;
      if (is_turned_back && !actuator.force.isZero(0)) ++lost_reactions_;
      return fmt::format("site=\"actuator.{}\"{} gear=\"{} {}\"", name,
                         actuator.against.empty() ? "" : fmt::format(" refsite=\"against.{}\"", name),
                         numbers(actuator.gear * actuator.force), numbers(actuator.gear * actuator.torque));
    }
    if (!actuator.tendon.empty())
      return fmt::format("tendon=\"{}\" gear=\"{}\"", xml_escaped(actuator.tendon), actuator.gear);
    const std::string whole = part_of(actuator.joint, 0), joint = part_of(actuator.joint, actuator.dof);
    std::string gear = fmt::format("{}", actuator.gear);
    for (int k = 0; joint.empty() && k < actuator.dof; ++k) gear.insert(0, "0 ");
    if (!actuator.gears.empty()) gear = along_body(actuator.joint, actuator.gears);
    if (actuator.gears.empty() && is_in_turned_frame(actuator.joint)) {
      std::vector<double> gears(u_count(spec_of(actuator.joint).type), 0.0);
      gears.at(static_cast<std::size_t>(actuator.dof)) = actuator.gear;
      gear = along_body(actuator.joint, gears);
    }
    return fmt::format("joint=\"{}\" gear=\"{}\"", xml_escaped(joint.empty() ? whole : joint), gear);
  }

  // The gears of a ball or free joint, along M and F, as MJCF counts them: along the body and the world.
  std::string along_body(const std::string& name, const std::vector<double>& g) {
    const JointSpec& joint = spec_of(name);
    if (joint.type != JointType::kBall && joint.type != JointType::kFree) {
      ++lost_directions_;
      return fmt::format("{}", g[0]);
    }
    const std::size_t turns = g.size() - 3;
    const std::string torque =
        numbers(joint.frame_in_child.orientation * Eigen::Vector3d(g[turns], g[turns + 1], g[turns + 2]));
    if (turns == 0) return torque;
    if (!joint.frame_in_child.position.isZero()) ++lost_directions_;
    return numbers(joint.frame_in_parent.orientation * Eigen::Vector3d(g[0], g[1], g[2])) + " " + torque;
  }

  const JointSpec& spec_of(const std::string& name) const {
    return *std::find_if(parts_.joints.begin(), parts_.joints.end(),
                         [&](const JointSpec& each) { return each.name == name; });
  }

  // A ball or free joint whose directions are not those of the body and the world.
  bool is_in_turned_frame(const std::string& name) const {
    const auto is_turned = [](const Pose& pose) {
      return !pose.orientation.isApprox(Eigen::Quaterniond::Identity(), 0);
    };
    const JointSpec& joint = spec_of(name);
    return (joint.type == JointType::kBall || joint.type == JointType::kFree) &&
           (is_turned(joint.frame_in_parent) || is_turned(joint.frame_in_child));
  }

  // `scale`, `offset`: from the file's activation to ours.
  std::string activation_text(const ActivationSpec& activation, double scale, double offset) {
    if (activation.kind == ActivationKind::kNone) return {};
    const auto written = [&](double x) { return (x - offset) / scale; };
    activations_.push_back(written(activation.start));
    const auto [low, high] = std::minmax({written(activation.min), written(activation.max)});
    const bool is_filter = activation.kind == ActivationKind::kFilter;
    return (is_filter ? fmt::format(" dyntype=\"filterexact\" dynprm=\"{}\"", activation.time_constant)
                      : std::string(" dyntype=\"integrator\"")) +
           range_text("actrange", low, high);
  }

  std::string driven(const ActuatorSpec& actuator, const ControlData& control) {
    const double scale = control.scale == 0 ? 1 : control.scale;
    const std::string activation = activation_text(actuator.activation, scale, control.offset);
    add_control(actuator.control, scale, control.offset);
    const std::string name = xml_escaped(actuator.name), acts_on = transmission(actuator);
    if (control.scale == 1 && control.offset == 0)
      return fmt::format(
          "    <{} name=\"{}\" {}{}{}/>\n", activation.empty() ? "motor" : "general", name, acts_on, activation,
          range_text("ctrlrange", std::max(actuator.min, control.min), std::min(actuator.max, control.max)));
    return fmt::format("    <general name=\"{}\" {} gainprm=\"{}\" biastype=\"affine\" biasprm=\"{} 0 0\"{}{}{}/>\n",
                       name, acts_on, control.scale, control.offset, activation,
                       range_text("ctrlrange", control.min, control.max),
                       range_text("forcerange", actuator.min, actuator.max));
  }

  std::string servo(const MotorSpec& motor, const ControlData& control) {
    if (!is_servo(motor)) return {};
    const bool is_tendon = !motor.tendon.empty();
    const std::string driven = is_tendon ? motor.tendon : part_of(motor.joint, motor.dof);
    if (driven.empty()) {
      ++lost_motors_;
      return {};
    }
    const double scale = control.scale == 0 ? 1 : control.scale, offset = control.offset;
    const double k = motor.stiffness.value_or(0), slope = motor.stiffness ? k : motor.damping;
    const std::string force =
        std::isfinite(motor.max_force)
            ? fmt::format(" forcerange=\"{} {}\"", motor.min_force.value_or(-motor.max_force), motor.max_force)
            : "";
    const std::string activation = activation_text(motor.activation, scale, offset);
    add_control(motor.target, scale, offset);
    return fmt::format(
        "    <general name=\"{}\" {}=\"{}\" gainprm=\"{}\" biastype=\"affine\" biasprm=\"{} {} {}\"{}{}{}/>\n",
        xml_escaped(motor.name), is_tendon ? "tendon" : "joint", xml_escaped(driven), slope * scale, slope * offset, -k,
        -motor.damping, force, activation, range_text("ctrlrange", control.min, control.max));
  }

  void add_control(const Signal& signal, double scale, double offset) {
    const double* value = std::get_if<double>(&signal.source);
    controls_.push_back(value ? (*value - offset) / scale : 0);
    if (!value) ++lost_signals_;
  }

  void warn_of_losses() {
    LossList losses("MJCF", warnings_);
    add_common_losses(scene_, losses);
    losses.add(geoms_.lost_shapes(), "cups and cones");
    losses.add(lost_planes_, "planes on bodies that move");
    losses.add(one_valued_ranges(), "that MuJoCo takes a range of one value (rods, locked joints and tendons)");
    losses.add(geoms_.lost_pairs(), "values of pairs of surfaces other than the larger friction of both");
    losses.add(geoms_.lost_groups(), "more than 31 contact groups");
    losses.add(geoms_.convex_meshes(), "that meshes are hollow (they touch as their hulls)");
    losses.add(lost_directions_, "actuators of several directions of such a joint");
    losses.add(lost_reactions_, "that a force at a site pushes a moving body back in the same place");
    losses.add(lost_gears_, "gears of joints with several directions, and that tendons follow each other");
    losses.add(lost_rests_, "negative lengths at which tendons are slack");
    losses.add(lost_tendons_, "what joints add to strings through points, or joints of several directions to tendons");
    losses.add(lost_motors_,
               "motors that turn at a speed, motions that change with time, and lengths of tendons that are kept");
    losses.add(lost_signals_, "controls that change with time (they start at 0)");
    losses.add(lost_starts_, "velocities of free bodies in turned frames");
    add_losses_of_joints(losses);
    add_losses_of_drives(losses);
    std::size_t restitutions = 0;
    for (const MaterialSpec& material : parts_.materials) restitutions += material.restitution > 0 ? 1 : 0;
    for (const TendonSpec& tendon : parts_.tendons) restitutions += tendon.restitution > 0 ? 1 : 0;
    for (const DistanceSpec& distance : parts_.distances) restitutions += distance.restitution > 0 ? 1 : 0;
    losses.add(restitutions, "restitutions of materials, tendons and ropes");
  }

  std::size_t one_valued_ranges() const {
    std::size_t count = 0;
    for (const JointSpec& joint : parts_.joints)
      for (int k = 0; k < u_count(joint.type); ++k)
        count += joint_value(joint.lower, k, -kInfinity) == joint_value(joint.upper, k, kInfinity) ? 1 : 0;
    for (const DistanceSpec& distance : parts_.distances) count += distance.lower == distance.upper ? 1 : 0;
    for (const TendonSpec& tendon : parts_.tendons) count += tendon.lower == tendon.upper ? 1 : 0;
    return count;
  }

  static bool differ(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [&](double x) { return x != values[0]; });
  }

  // Balls and free joints have one value for all directions, and those that close loops none.
  void add_losses_of_joints(LossList& losses) const {
    std::size_t directions = 0, rests = 0, limits = 0, of_loops = 0;
    for (const JointSpec& joint : parts_.joints) {
      const bool is_one = joint.type == JointType::kBall || joint.type == JointType::kFree;
      const std::size_t bounds = count_other_than(-kInfinity, joint.lower) + count_other_than(kInfinity, joint.upper);
      if (joint.closes_loop) {
        for (const auto* values : {&joint.stiffness, &joint.rest, &joint.damping, &joint.friction})
          of_loops += count_other_than(0, *values);
        of_loops += bounds + (joint.max_angle < kInfinity ? 1 : 0);
      } else if (is_one) {
        for (const auto* values : {&joint.stiffness, &joint.damping, &joint.armature, &joint.friction})
          directions += differ(*values) ? 1 : 0;
        rests += count_other_than(0, joint.rest);
        limits += bounds;
      }
    }
    losses.add(directions, "values of ball and free joints that are not the same in every direction");
    losses.add(rests, "rest positions of ball and free joints");
    losses.add(limits, "limits of free joints");
    losses.add(of_loops, "springs, dampers, friction and limits of joints that close loops");
  }

  void add_losses_of_drives(LossList& losses) const {
    std::size_t speeds = 0, efforts = 0, names = 0, unheard = 0, delayed = 0;
    for (const ActuatorSpec& actuator : parts_.actuators) speeds += std::isfinite(actuator.max_speed) ? 1 : 0;
    for (const MotorSpec& motor : parts_.motors) {
      const double* effort = std::get_if<double>(&motor.effort.source);
      efforts += effort && *effort == 1 ? 0 : 1;
      delayed += motor.activation.kind == ActivationKind::kNone || is_servo(motor) ? 0 : 1;
    }
    for (const ControlSpec& control : parts_.controls) {
      names += control.name == control.actuator + control.motor ? 0 : 1;
      const auto motor = std::find_if(parts_.motors.begin(), parts_.motors.end(),
                                      [&](const MotorSpec& each) { return each.name == control.motor; });
      unheard += motor == parts_.motors.end() || is_servo(*motor) ? 0 : 1;
    }
    losses.add(speeds, "greatest speeds of actuators");
    losses.add(efforts, "efforts of motors");
    losses.add(names, "names of controls other than of what they drive");
    losses.add(unheard, "controls of motors that are no servos");
    losses.add(delayed, "activations of motors that are no servos");
  }

  const Scene& scene_;
  const ModelData& data_;
  const ModelParts& parts_;
  MjcfGeoms geoms_;
  MjcfSites sites_;
  std::map<std::string, std::vector<std::size_t>> children_;
  std::map<std::string, std::size_t> index_;
  std::vector<MassProperties> masses_;
  std::vector<std::pair<JointSpec, Pose>> folded_;  // joints not written yet, with their bodies' poses in the parents
  mutable std::optional<std::set<std::size_t>> used_;
  std::map<std::string, std::vector<std::string>> joint_parts_;  // by joint of ours
  std::vector<double> qpos_, qvel_, controls_, activations_;
  std::vector<Diagnostic> warnings_;
  std::size_t lost_directions_ = 0, lost_reactions_ = 0;
  std::size_t lost_tendons_ = 0, lost_rests_ = 0, lost_gears_ = 0, lost_motors_ = 0, lost_signals_ = 0,
              lost_starts_ = 0, lost_planes_ = 0;
};

}  // namespace

ExportedModel write_mjcf(const Scene& scene) { return MjcfWriter(scene).write(); }

}  // namespace lipkin
