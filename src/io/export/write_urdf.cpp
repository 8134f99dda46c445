// URDF of a tree. A link's frame is the joint's frame M, so whatever is fixed in a body moves with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/export/losses.hpp"
#include "io/export/xml_writing.hpp"
#include "io/pose_algebra.hpp"
#include "io/xml/xml_document.hpp"
#include "lipkin/export.hpp"
#include "model/model_compiler.hpp"
#include "model/model_data.hpp"

namespace lipkin {
namespace {

// Turns about the fixed axes x, y, z in this order, of R = Rz(yaw) Ry(pitch) Rx(roll). The roll is taken after the yaw
// is undone, so that it makes up for it where the pitch is near 90 degrees and both turn about the same axis.
Eigen::Vector3d roll_pitch_yaw(const Eigen::Quaterniond& orientation) {
  const Eigen::Matrix3d R = orientation.normalized().toRotationMatrix();
  const double yaw = std::atan2(R(1, 0), R(0, 0)), s = std::sin(yaw), c = std::cos(yaw);
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  return {std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)), pitch, yaw};
}

std::string origin(const Pose& pose) {
  return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", numbers(pose.position),
                     numbers(roll_pitch_yaw(pose.orientation)));
}

// The element inside <geometry>; empty where URDF has none.
struct GeometryText {
  std::string operator()(const ShapeSphere& s) const { return fmt::format("<sphere radius=\"{}\"/>", s.radius); }
  std::string operator()(const ShapeBox& s) const { return fmt::format("<box size=\"{}\"/>", numbers(s.size)); }
  std::string operator()(const ShapeCylinder& s) const {
    return fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", s.radius, s.length);
  }
  std::string operator()(const ShapeCapsule& s) const {
    return fmt::format("<capsule radius=\"{}\" length=\"{}\"/>", s.radius, s.length);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

class UrdfWriter {
 public:
  explicit UrdfWriter(const Scene& scene)
      : scene_(scene), data_(scene.model.data()), parts_(*scene.model.data().parts) {}

  ExportedModel write() {
    refuse_others();
    text_ = fmt::format("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", xml_escaped(scene_.name));
    if (!has_single_root()) text_ += fmt::format("  <link name=\"{}\"/>\n", kWorldName);
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b) write_body(b);
    text_ += "</robot>\n";
    warn_of_losses();
    return {std::move(text_), std::move(warnings_)};
  }

 private:
  const JointSpec& joint_of(std::size_t body) const {
    return parts_.joints[static_cast<std::size_t>(data_.bodies[body].joint)];
  }

  void refuse_others() {
    std::vector<Diagnostic> mistakes;
    for (const JointSpec& joint : parts_.joints) {
      const auto refuse = [&](const std::string& what) {
        mistakes.push_back(
            {joint.where, fmt::format("joint '{}' {}, which URDF cannot say", shortened(joint.name), what), {}});
      };
      if (joint.closes_loop) refuse("closes a loop");
      const bool is_known = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
                            joint.type == JointType::kFixed || joint.type == JointType::kFree ||
                            joint.type == JointType::kPlanar;
      if (!is_known) refuse(fmt::format("is a {} joint", name_of(joint.type)));
    }
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
  }

  bool is_root(std::size_t body) const {
    const JointSpec& joint = joint_of(body);
    return joint.parent == kWorldName && (joint.type == JointType::kFixed || joint.type == JointType::kFree);
  }

  // One body on the world, held by a joint that --base says, with its frame in that of the world.
  bool has_single_root() const {
    std::size_t on_world = 0, root = 0;
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b) {
      if (joint_of(b).parent != kWorldName) continue;
      ++on_world;
      root = b;
    }
    if (on_world != 1 || !is_root(root)) return false;
    const Pose placed = joint_of(root).frame_in_parent;
    return placed.position == Eigen::Vector3d::Zero() &&
           placed.orientation.coeffs() == Eigen::Quaterniond::Identity().coeffs();
  }

  void write_body(std::size_t b) {
    const BodySpec& body = parts_.bodies[b];
    const JointSpec& joint = joint_of(b);
    const Pose to_link = inverse(joint.frame_in_child);  // from the body's frame to M, the link's
    text_ += fmt::format("  <link name=\"{}\">\n", xml_escaped(body.name));
    write_inertial(data_.bodies[b].mass_properties, to_link);
    for (const ShapeSpec& shape : body.shapes) write_shape(shape, to_link);
    write_contact(body);
    text_ += "  </link>\n";
    const bool is_only_root = joint.parent == kWorldName && has_single_root();
    if (!is_only_root) write_joint(joint);
    if (is_only_root && joint.type == JointType::kFree)
      warn("the root moves freely: read the file with --base floating");
  }

  void write_inertial(const MassProperties& mass, const Pose& to_link) {
    if (mass.mass == 0 && without_rounding(mass).inertia.isZero(0)) return;
    const Eigen::Matrix3d R = to_link.orientation.toRotationMatrix();
    const Eigen::Matrix3d I =
        without_rounding({mass.mass, Eigen::Vector3d::Zero(), R * mass.inertia * R.transpose()}).inertia;
    text_ += fmt::format(
        "    <inertial><origin xyz=\"{}\"/><mass value=\"{}\"/><inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" "
        "iyz=\"{}\" izz=\"{}\"/></inertial>\n",
        numbers(to_link.position + R * mass.com), mass.mass, I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
  }

  void write_shape(const ShapeSpec& shape, const Pose& to_link) {
    const std::string geometry = std::visit(GeometryText{}, shape.geometry);
    if (geometry.empty()) {
      ++lost_shapes_;
      return;
    }
    const char* tag = shape.contact.empty() ? "visual" : "collision";
    const auto& c = shape.color;
    const bool is_coloured = shape.contact.empty() && c != ShapeSpec().color;  // colours are for what is seen
    const std::string color = is_coloured
                                  ? fmt::format("<material name=\"color_{}\"><color rgba=\"{} {} {} {}\"/></material>",
                                                color_count_++, c[0], c[1], c[2], c[3])
                                  : "";
    text_ += fmt::format("    <{}>{}<geometry>{}</geometry>{}</{}>\n", tag, origin(to_link * shape.pose), geometry,
                         color, tag);
  }

  // The element that Bullet adds, one for the link: of its first shape that touches. What says nothing has a friction
  // of 1.
  void write_contact(const BodySpec& body) {
    const std::string* first = nullptr;
    for (const ShapeSpec& shape : body.shapes) {
      if (shape.contact.empty()) continue;
      if (!first) first = &shape.contact;
      lost_materials_ += shape.contact == *first ? 0 : 1;
    }
    if (!first) return;
    ++touching_bodies_;
    const auto m = std::find_if(parts_.materials.begin(), parts_.materials.end(),
                                [&](const MaterialSpec& each) { return each.name == *first; });
    if (m->friction == 1 && m->rolling_friction == 0 && m->spinning_friction == 0 && m->restitution == 0) return;
    text_ += fmt::format(
        "    <contact><lateral_friction value=\"{}\"/><rolling_friction value=\"{}\"/><spinning_friction "
        "value=\"{}\"/><restitution value=\"{}\"/></contact>\n",
        m->friction, m->rolling_friction, m->spinning_friction, m->restitution);
  }

  Pose link_to_body(const std::string& name) const {
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b)
      if (parts_.bodies[b].name == name) return joint_of(b).frame_in_child;
    return {};  // the world
  }

  void write_joint(const JointSpec& joint) {
    const bool turns = joint.type == JointType::kRevolute, slides = joint.type == JointType::kPrismatic;
    const double lower = joint_value(joint.lower, 0, -kInfinity), upper = joint_value(joint.upper, 0, kInfinity);
    const bool is_limited = lower > -kInfinity || upper < kInfinity;
    const char* type = turns ? (is_limited ? "revolute" : "continuous") : slides ? "prismatic" : type_text(joint.type);
    text_ += fmt::format("  <joint name=\"{}\" type=\"{}\">\n    <parent link=\"{}\"/><child link=\"{}\"/>{}\n",
                         xml_escaped(joint.name), type, xml_escaped(joint.parent), xml_escaped(joint.child),
                         origin(inverse(link_to_body(joint.parent)) * joint.frame_in_parent));
    if (turns || slides) {
      text_ += fmt::format("    <axis xyz=\"{}\"/>\n", numbers(joint.axis));
      write_limit(joint, lower, upper, is_limited);
      const double damping = joint_value(joint.damping, 0), friction = joint_value(joint.friction, 0);
      if (damping > 0 || friction > 0)
        text_ += fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"/>\n", damping, friction);
      write_mimic(joint);
    }
    if (joint.type == JointType::kPlanar) text_ += "    <axis xyz=\"0 0 1\"/>\n";
    text_ += "  </joint>\n";
  }

  static const char* type_text(JointType type) {
    return type == JointType::kFree ? "floating" : type == JointType::kPlanar ? "planar" : "fixed";
  }

  void write_limit(const JointSpec& joint, double lower, double upper, bool is_limited) {
    double effort = kInfinity, speed = kInfinity;
    for (const ActuatorSpec& actuator : parts_.actuators) {
      if (actuator.joint != joint.name) continue;
      effort = std::abs(actuator.gear) * std::min(-actuator.min, actuator.max);
      speed = actuator.max_speed;
    }
    if (!is_limited && joint.type == JointType::kRevolute && std::isinf(effort) && std::isinf(speed)) return;
    std::string range;
    if (is_limited || joint.type == JointType::kPrismatic)
      range = fmt::format(" lower=\"{}\" upper=\"{}\"", lower, upper);
    const auto bound = [](const char* name, double size) {
      return std::isinf(size) ? std::string() : fmt::format(" {}=\"{}\"", name, size);
    };
    text_ += fmt::format("    <limit{}{}{}/>\n", range, bound("effort", effort), bound("velocity", speed));
  }

  void write_mimic(const JointSpec& joint) {
    for (const GearSpec& gear : parts_.gears) {
      if (gear.joint != joint.name || !is_mimic(gear)) continue;
      text_ += fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n", xml_escaped(gear.of),
                           gear.ratio, gear.offset);
    }
  }

  void warn(const std::string& message) { warnings_.push_back({{}, message, {}, Severity::kWarning}); }

  static bool has_one_dof(const JointSpec& joint) {
    return joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
  }

  const JointSpec* joint_named(const std::string& name) const {
    const auto found = std::find_if(parts_.joints.begin(), parts_.joints.end(),
                                    [&](const JointSpec& joint) { return joint.name == name; });
    return found == parts_.joints.end() ? nullptr : &*found;
  }

  // What changes the motion and has no word in URDF.
  void warn_of_losses() {
    LossList losses("URDF", warnings_);
    add_common_losses(scene_, losses);
    losses.add(lost_shapes_, "hulls, meshes without a file, cones and planes");
    losses.add(parts_.world_shapes.size(), "shapes of the world");
    losses.add(parts_.gravity == ModelParts().gravity ? 0 : 1, "another gravity than 9.81 m/s^2 against z");
    losses.add(parts_.springs.size(), "springs");
    losses.add(parts_.motors.size(), "motors");
    losses.add(parts_.points.size(), "points");
    losses.add(parts_.distances.size(), "distances");
    losses.add(parts_.tendons.size(), "tendons");
    losses.add(std::count_if(parts_.controls.begin(), parts_.controls.end(), is_more_than_its_actuator),
               "controls apart from what they drive");
    add_losses_of_contacts(losses);
    add_losses_of_actuators(losses);
    add_losses_of_gears(losses);
    add_losses_of_joints(losses);
  }

  // Reading a URDF gives every actuator a control of its own, as wide as itself.
  static bool is_more_than_its_actuator(const ControlSpec& control) {
    const bool is_bounded = std::isfinite(control.min) || std::isfinite(control.max);
    return control.name != control.actuator || control.scale != 1 || control.offset != 0 || is_bounded;
  }

  // Links of one robot touch each other where --self-contact says so, all of them.
  void add_losses_of_contacts(LossList& losses) {
    const auto is_usual = [this](const ContactFilterSpec& filter) {
      return filter.body_a.empty() && filter.group_a == filter.group_b && is_only_group(filter.group_a);
    };
    const auto filters = std::count_if(parts_.contact_filters.begin(), parts_.contact_filters.end(),
                                       [&](const ContactFilterSpec& filter) { return !is_usual(filter); });
    const bool touch_nothing = static_cast<std::size_t>(filters) < parts_.contact_filters.size();
    losses.add(lost_materials_, "several materials on one link");
    losses.add(parts_.material_pairs.size(), "how two materials go together");
    losses.add(static_cast<std::size_t>(filters), "what does not touch what");
    losses.add(group_names().size() > 1 ? group_names().size() : 0, "groups of shapes");
    if (touching_bodies_ > 1 && !touch_nothing) warn("the links touch each other: read the file with --self-contact");
  }

  std::set<std::string> group_names() const {
    std::set<std::string> groups;
    for (const BodySpec& body : parts_.bodies)
      for (const ShapeSpec& shape : body.shapes)
        if (!shape.contact.empty()) groups.insert(shape.group);
    return groups;
  }

  bool is_only_group(const std::string& group) const {
    const std::set<std::string> groups = group_names();
    return groups.size() == 1 && *groups.begin() == group;
  }

  // One of each joint with one direction, of its name, from minus its effort to its effort.
  void add_losses_of_actuators(LossList& losses) const {
    std::size_t elsewhere = 0, delayed = 0, controls = 0, geared = 0, lopsided = 0, more = 0;
    std::set<std::string> driven;
    for (const ActuatorSpec& actuator : parts_.actuators) {
      const JointSpec* joint = joint_named(actuator.joint);
      if (!actuator.body.empty() || !actuator.gears.empty() || !joint || !has_one_dof(*joint)) {
        ++elsewhere;
        continue;
      }
      more += driven.insert(actuator.joint).second ? 0 : 1;
      delayed += actuator.activation.kind == ActivationKind::kNone ? 0 : 1;
      const double* control = std::get_if<double>(&actuator.control.source);
      controls += control && *control == 0 ? 0 : 1;
      geared += actuator.gear == 1 ? 0 : 1;
      lopsided += actuator.min == -actuator.max ? 0 : 1;
    }
    losses.add(elsewhere, "actuators of bodies, of tendons and of several directions");
    losses.add(more, "several actuators of one joint");
    losses.add(controls, "what controls actuators (they start at 0)");
    losses.add(geared, "gears of actuators (their controls are forces then)");
    losses.add(lopsided, "actuators that pull less one way than the other");
    losses.add(delayed, "activations of actuators");
  }

  bool is_mimic(const GearSpec& gear) const {
    const JointSpec *joint = joint_named(gear.joint), *of = joint_named(gear.of);
    return joint && of && has_one_dof(*joint) && has_one_dof(*of);
  }

  void add_losses_of_gears(LossList& losses) const {
    std::size_t others = 0, curved = 0;
    for (const GearSpec& gear : parts_.gears) {
      others += is_mimic(gear) ? 0 : 1;
      curved += gear.curve.empty() ? 0 : 1;
    }
    losses.add(others, "gears of joints with several directions, and of tendons");
    losses.add(curved, "curves of gears");
  }

  // Where a joint that says nothing of it starts, or the one that leads it.
  double usual_start(const JointSpec& joint) const {
    const JointSpec* leader = &joint;
    double ratio = 1, offset = 0;
    for (std::size_t i = 0; i < parts_.gears.size(); ++i) {
      const auto gear = std::find_if(parts_.gears.begin(), parts_.gears.end(), [&](const GearSpec& each) {
        return each.joint == leader->name && is_mimic(each);
      });
      if (gear == parts_.gears.end()) break;
      offset += ratio * gear->offset;
      ratio *= gear->ratio;
      leader = joint_named(gear->of);
    }
    const double lower = joint_value(leader->lower, 0, -kInfinity), upper = joint_value(leader->upper, 0, kInfinity);
    return offset + ratio * std::clamp(0.0, lower, upper);
  }

  bool starts_elsewhere(const JointSpec& joint) const {
    constexpr double kRounding = 1e-12;
    if (has_one_dof(joint)) return std::abs(joint_value(joint.q, 0) - usual_start(joint)) > kRounding;
    const std::size_t one = joint.type == JointType::kFree ? 3 : joint.q.size();  // w of the quaternion
    for (std::size_t i = 0; i < joint.q.size(); ++i)
      if (std::abs(joint.q[i] - (i == one ? 1 : 0)) > kRounding) return true;
    return false;
  }

  void add_losses_of_joints(LossList& losses) const {
    std::size_t armatures = 0, springs = 0, starts = 0, speeds = 0, dampers = 0, limits = 0;
    for (const JointSpec& joint : parts_.joints) {
      armatures += count_other_than(0, joint.armature);
      springs += count_other_than(0, joint.stiffness) + count_other_than(0, joint.rest);
      speeds += count_other_than(0, joint.u);
      starts += starts_elsewhere(joint) ? 1 : 0;
      if (has_one_dof(joint)) continue;
      dampers += count_other_than(0, joint.damping) + count_other_than(0, joint.friction);
      limits += count_other_than(-kInfinity, joint.lower) + count_other_than(kInfinity, joint.upper);
    }
    losses.add(armatures, "armatures");
    losses.add(springs, "stiffnesses and rest positions of joints");
    losses.add(dampers, "damping and friction of planar and floating joints");
    losses.add(limits, "limits of planar and floating joints");
    losses.add(starts, "positions at the start");
    losses.add(speeds, "velocities at the start");
  }

  const Scene& scene_;
  const ModelData& data_;
  const ModelParts& parts_;
  std::string text_;
  std::vector<Diagnostic> warnings_;
  std::size_t lost_shapes_ = 0, lost_materials_ = 0, touching_bodies_ = 0, color_count_ = 0;
};

}  // namespace

ExportedModel write_urdf(const Scene& scene) { return UrdfWriter(scene).write(); }

}  // namespace lipkin
