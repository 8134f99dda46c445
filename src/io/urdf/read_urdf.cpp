// URDF (wiki.ros.org/urdf/XML): a tree of links, taken literally. Fixed joints merge, mimic joints are gears, effort
// limits bound an actuator per joint.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/infinity.hpp"
#include "io/import/model_import.hpp"
#include "io/urdf/urdf_geometry.hpp"
#include "io/urdf/urdf_robot.hpp"

namespace lipkin {
namespace {

constexpr const char* kMaterial = "robot";  // of all links that say nothing else
constexpr double kFriction = 1;             // URDF has none; MuJoCo's default, too
constexpr const char* kGroup = "robot";

// Macros that xacro has not expanded.
void refuse_xacro(const XmlElement& element, DiagnosticList& diagnostics) {
  if (element.tag.starts_with("xacro:"))
    diagnostics.error(element.where(),
                      fmt::format("line {} still holds xacro, <{}>", element.line, shortened(element.tag)),
                      "run `xacro in.xacro > out.urdf` first");
  for (const auto& child : element.children) refuse_xacro(*child, diagnostics);
}

class UrdfModel {
 public:
  explicit UrdfModel(ModelImport& import)
      : import_(import),
        log_(import.log()),
        reader_(*import.root, log_),
        geometry_(import.path, import.options),
        is_floating_(import.options.base == BaseKind::kFloating) {}

  void read() {
    robot_ = read_urdf_robot(reader_);
    if (!robot_.name.empty()) import_.name = robot_.name;
    note_other_programs();
    if (import_.diagnostics.error_count() > 0) return;
    geometry_.read_materials(reader_);
    share_limits();
    add_material(kMaterial);
    add_root();
    for (const int j : robot_.joints_depth_first()) add_link(at(robot_.joints, j).child, j);
    add_mimics();
    if (!import_.options.self_contact && shape_count_ > 0)
      import_.builder.add(ContactFilterSpec{{}, {}, kGroup, kGroup, {}});
  }

 private:
  void add_material(const std::string& name) {
    MaterialSpec material;
    material.name = name;
    material.friction = kFriction;
    import_.builder.add(std::move(material));
  }

  // Elements of other programs that are found in URDF files; whatever else nobody reads is ignored as well.
  void note_other_programs() {
    const auto note = [this](const char* tag, const char* reason) {
      for (const ElementReader& element : reader_.children(tag)) element.note(Treatment::kIgnored, reason);
    };
    note("transmission", "of ros_control; each joint has an actuator of its own");
    note("gazebo", "of Gazebo");
    note("mujoco", "of MuJoCo");
    note("drake:collision_filter_group", "of Drake; links of one robot touch only with --self-contact");
    note("sensor", "sensors are not simulated");
    note("frame", "of Drake");
  }

  // A joint that mimics another has its range: what that leaves of the other's range says all there is to say.
  void share_limits() {
    for (UrdfJoint& joint : robot_.joints) {
      if (!joint.mimic || (joint.lower == -kInfinity && joint.upper == kInfinity)) continue;
      double ratio = 1, offset = 0;
      UrdfJoint& leader = at(robot_.joints, leader_of(joint, ratio, offset));
      if (ratio == 0) continue;
      double low = (joint.lower - offset) / ratio, high = (joint.upper - offset) / ratio;
      if (ratio < 0) std::swap(low, high);
      const double lower = std::max(leader.lower, low), upper = std::min(leader.upper, high);
      if (lower > upper) {
        import_.diagnostics.warning(
            joint.where, fmt::format("joint '{}': its limits contradict those of '{}', which it mimics; left out",
                                     shortened(joint.name), shortened(leader.name)));
      } else {
        leader.lower = lower;
        leader.upper = upper;
      }
      joint.lower = -kInfinity;
      joint.upper = kInfinity;
    }
  }

  // The joint at the end of a chain of mimics, and q = ratio q_leader + offset.
  int leader_of(const UrdfJoint& joint, double& ratio, double& offset) const {
    const UrdfJoint* leader = &joint;
    while (leader->mimic) {
      offset += ratio * leader->mimic->offset;
      ratio *= leader->mimic->multiplier;
      leader = &at(robot_.joints, leader->mimic->of);
    }
    return static_cast<int>(leader - robot_.joints.data());
  }

  // Within its limits and as near to zero as they allow.
  double initial_q(const UrdfJoint& joint) const {
    double ratio = 1, offset = 0;
    const UrdfJoint& leader = at(robot_.joints, leader_of(joint, ratio, offset));
    return ratio * std::clamp(0.0, leader.lower, leader.upper) + offset;
  }

  void add_root() {
    if (robot_.root < 0) {
      if (is_floating_) warn_of_world();
      return;
    }
    const UrdfLink& root = at(robot_.links, robot_.root);
    if (root.name == kWorldName && !is_floating_) {  // the world itself
      for (ShapeSpec& shape : read_shapes(root)) import_.builder.add_world_shape(std::move(shape));
      return;
    }
    JointSpec joint;
    joint.name = free_name("base");
    joint.type = is_floating_ ? JointType::kFree : JointType::kFixed;
    joint.child = body_name(root);
    joint.where = root.element->where();
    import_.builder.add(std::move(joint));
    add_body(root);
  }

  void warn_of_world() {
    import_.diagnostics.warning({import_.shown_name}, "the root is the world: --base floating changes nothing");
  }

  // Bodies may have any name but that of the world.
  std::string body_name(const UrdfLink& link) const { return link.name == kWorldName ? "world_link" : link.name; }

  // A name that no joint has.
  std::string free_name(std::string name) const {
    const auto is_taken = [&] {
      return std::any_of(robot_.joints.begin(), robot_.joints.end(),
                         [&](const UrdfJoint& joint) { return joint.name == name; });
    };
    while (is_taken()) name += '_';
    return name;
  }

  std::string parent_name(const UrdfJoint& joint) const {
    if (joint.parent < 0) return kWorldName;
    const UrdfLink& link = at(robot_.links, joint.parent);
    return joint.parent == robot_.root && link.name == kWorldName && !is_floating_ ? kWorldName : body_name(link);
  }

  void add_link(int link, int joint) {
    add_joint(at(robot_.joints, joint));
    add_body(at(robot_.links, link));
  }

  void add_joint(const UrdfJoint& joint) {
    JointSpec spec;
    spec.name = joint.name;
    spec.where = joint.where;
    spec.parent = parent_name(joint);
    spec.child = body_name(at(robot_.links, joint.child));
    spec.frame_in_parent = joint.origin;
    spec.type = type_of(joint.type);
    if (joint.has_one_dof()) add_settings(joint, spec);
    if (joint.type == UrdfJointType::kPlanar) turn_plane(joint, spec);
    import_.builder.add(std::move(spec));
  }

  static JointType type_of(UrdfJointType type) {
    switch (type) {
      case UrdfJointType::kRevolute:
      case UrdfJointType::kContinuous:
        return JointType::kRevolute;
      case UrdfJointType::kPrismatic:
        return JointType::kPrismatic;
      case UrdfJointType::kFloating:
        return JointType::kFree;
      case UrdfJointType::kPlanar:
        return JointType::kPlanar;
      case UrdfJointType::kFixed:
        break;
    }
    return JointType::kFixed;
  }

  // The plane is across the axis; ours is across z.
  static void turn_plane(const UrdfJoint& joint, JointSpec& spec) {
    const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), joint.axis);
    spec.frame_in_parent.orientation = joint.origin.orientation * turn;
    spec.frame_in_child.orientation = turn;
  }

  void add_settings(const UrdfJoint& joint, JointSpec& spec) {
    spec.axis = joint.axis;
    spec.q = {initial_q(joint)};
    if (joint.lower > -kInfinity) spec.lower = {joint.lower};
    if (joint.upper < kInfinity) spec.upper = {joint.upper};
    if (joint.damping > 0) spec.damping = {joint.damping};
    if (joint.friction > 0) spec.friction = {joint.friction};
    if (joint.mimic || joint.effort == 0.0) return;
    ActuatorSpec actuator;
    actuator.name = joint.name;
    actuator.joint = joint.name;
    actuator.max = joint.effort.value_or(kInfinity);
    actuator.min = -actuator.max;
    actuator.max_speed = joint.speed.value_or(kInfinity);
    actuator.where = joint.where;
    ControlSpec outside;  // who drives it is no part of a URDF
    outside.name = outside.actuator = actuator.name;
    outside.where = joint.where;
    import_.builder.add(std::move(actuator));
    import_.builder.add(std::move(outside));
  }

  void add_mimics() {
    for (const UrdfJoint& joint : robot_.joints) {
      if (!joint.mimic) continue;
      GearSpec gear;
      gear.name = joint.name;
      gear.joint = joint.name;
      gear.of = at(robot_.joints, joint.mimic->of).name;
      gear.ratio = joint.mimic->multiplier;
      gear.offset = joint.mimic->offset;
      gear.where = joint.where;
      import_.builder.add(std::move(gear));
    }
  }

  void add_body(const UrdfLink& link) {
    const ElementReader element(*link.element, log_);
    BodySpec body;
    body.name = body_name(link);
    body.where = element.where();
    body.mass_properties = read_inertial(element, link);
    body.shapes = read_shapes(link);
    import_.builder.add(std::move(body));
  }

  bool is_moved(const UrdfLink& link) const {
    return link.joint < 0 ? is_floating_ : at(robot_.joints, link.joint).type != UrdfJointType::kFixed;
  }

  MassProperties read_inertial(const ElementReader& element, const UrdfLink& link) {
    MassProperties mass;
    const std::optional<ElementReader> inertial = element.child("inertial");
    if (!inertial) {
      if (is_moved(link)) element.warning("it moves and has no <inertial>: taken as massless");
      return mass;
    }
    const Pose origin = read_urdf_origin(*inertial);
    mass.com = origin.position;
    if (const std::optional<ElementReader> value = inertial->child("mass")) {
      mass.mass = value->required_number("value");
      if (mass.mass < 0) value->error(fmt::format("the mass is {} kg: expected a number >= 0", mass.mass));
    } else {
      inertial->warning("<inertial> has no <mass>: taken as 0");
    }
    const Eigen::Matrix3d R = origin.orientation.toRotationMatrix();
    mass.inertia = R * read_inertia(*inertial) * R.transpose();
    return mass;
  }

  static Eigen::Matrix3d read_inertia(const ElementReader& inertial) {
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
    const std::optional<ElementReader> written = inertial.child("inertia");
    if (!written) {
      inertial.warning("<inertial> has no <inertia>: taken as a point mass");
      return inertia;
    }
    const char* const names[3][3] = {{"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
    for (int i = 0; i < 3; ++i) {
      for (int k = i; k < 3; ++k) {
        if (!written->has(names[i][k])) written->warning(fmt::format("<inertia> has no '{}': taken as 0", names[i][k]));
        inertia(i, k) = inertia(k, i) = written->number(names[i][k], 0);
      }
    }
    return inertia;
  }

  std::vector<ShapeSpec> read_shapes(const UrdfLink& link) {
    const ElementReader element(*link.element, log_);
    std::vector<ShapeSpec> shapes = geometry_.read_shapes(element, read_contact(element), kGroup);
    for (const ShapeSpec& shape : shapes) shape_count_ += shape.contact.empty() ? 0 : 1;
    return shapes;
  }

  // The <contact> that Bullet adds to links. Returns the name of the material.
  std::string read_contact(const ElementReader& link) {
    const std::optional<ElementReader> contact = link.child("contact");
    if (!contact) return kMaterial;
    const auto value = [&](const char* tag, double otherwise) {
      const std::optional<ElementReader> element = contact->child(tag);
      return element ? std::max(0.0, element->number("value", otherwise)) : otherwise;
    };
    MaterialSpec material;
    material.name = fmt::format("{}_{}", kMaterial, material_count_++);
    material.friction = value("lateral_friction", kFriction);
    material.rolling_friction = value("rolling_friction", 0);
    material.spinning_friction = value("spinning_friction", 0);
    material.restitution = std::min(1.0, value("restitution", 0));
    material.where = contact->where();
    import_.builder.add(material);
    return material.name;
  }

  ModelImport& import_;
  ImportLog log_;
  ElementReader reader_;
  UrdfGeometryReader geometry_;
  bool is_floating_;
  UrdfRobot robot_;
  int material_count_ = 0;
  int shape_count_ = 0;
};

}  // namespace

void read_urdf(ModelImport& import) {
  import.report = ImportReport("URDF");
  refuse_xacro(*import.root, import.diagnostics);
  if (import.diagnostics.error_count() > 0) return;
  UrdfModel(import).read();
}

}  // namespace lipkin
