// URDF of a tree. A link's frame is the joint's frame M, so whatever is fixed in a body moves with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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
    text_ += fmt::format("    <{}>{}<geometry>{}</geometry></{}>\n", tag, origin(to_link * shape.pose), geometry, tag);
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
      if (gear.joint != joint.name) continue;
      text_ += fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n", xml_escaped(gear.of),
                           gear.ratio, gear.offset);
    }
  }

  void warn(const std::string& message) { warnings_.push_back({{}, message, {}, Severity::kWarning}); }

  // What changes the motion and has no word in URDF.
  void warn_of_losses() {
    const auto warn_if = [this](std::size_t count, const char* what) {
      if (count > 0) warn(fmt::format("URDF cannot say {}; {} left out", what, count));
    };
    warn_if(lost_shapes_, "hulls, meshes without a file, cones and planes");
    warn_if(parts_.world_shapes.size(), "shapes of the world");
    warn_if(parts_.springs.size() + parts_.bushings.size(), "springs");
    warn_if(parts_.forces.size(), "forces");
    warn_if(parts_.motors.size(), "motors");
    warn_if(parts_.tyres.size(), "tyres");
    warn_if(parts_.controllers.size(), "controllers");
    warn_if(parts_.points.size(), "points");
    warn_if(parts_.outputs.size(), "outputs");
    warn_if(parts_.distances.size(), "distances");
    warn_if(parts_.tendons.size(), "tendons");
    std::size_t elsewhere = 0, delayed = 0, tilts = 0;
    for (const ActuatorSpec& actuator : parts_.actuators) {
      elsewhere += actuator.body.empty() && actuator.gears.empty() ? 0 : 1;
      delayed += actuator.activation.kind == ActivationKind::kNone ? 0 : 1;
    }
    for (const JointSpec& joint : parts_.joints) tilts += std::isfinite(joint.max_angle) ? 1 : 0;
    warn_if(elsewhere, "actuators of bodies and of several directions");
    warn_if(delayed, "activations of actuators");
    warn_if(tilts, "limits of ball joints");
    const auto is_curved = [](const GearSpec& gear) { return !gear.curve.empty(); };
    const auto curved = std::count_if(parts_.gears.begin(), parts_.gears.end(), is_curved);
    warn_if(static_cast<std::size_t>(curved), "curves of gears");
    std::size_t armatures = 0, stiffnesses = 0, starts = 0;
    for (const JointSpec& joint : parts_.joints) {
      for (const double x : joint.armature) armatures += x > 0 ? 1 : 0;
      for (const double x : joint.stiffness) stiffnesses += x > 0 ? 1 : 0;
      for (const double x : joint.u) starts += x != 0 ? 1 : 0;
    }
    warn_if(armatures, "armatures");
    warn_if(stiffnesses, "springs in joints");
    warn_if(starts, "velocities at the start");
  }

  const Scene& scene_;
  const ModelData& data_;
  const ModelParts& parts_;
  std::string text_;
  std::vector<Diagnostic> warnings_;
  std::size_t lost_shapes_ = 0;
};

}  // namespace

ExportedModel write_urdf(const Scene& scene) { return UrdfWriter(scene).write(); }

}  // namespace lipkin
