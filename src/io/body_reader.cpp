// Bodies, their joints and shapes.
#include <fmt/format.h>

#include <array>

#include "io/part_reader.hpp"
#include "io/repetition.hpp"

namespace lipkin {
namespace {

constexpr std::array kJointTypes = {JointType::kRevolute,    JointType::kPrismatic, JointType::kScrew,
                                    JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar,
                                    JointType::kBall,        JointType::kFree,      JointType::kFixed};

JointType joint_type(const std::string& name) {
  for (const JointType type : kJointTypes)
    if (name_of(type) == name) return type;
  throw InternalError("scene reader: the schema has a joint type '" + name + "' that the model has not");
}

bool has_axis(JointType type) {
  return type == JointType::kRevolute || type == JointType::kPrismatic || type == JointType::kScrew ||
         type == JointType::kCylindrical;
}

void warn_of_idle_settings(const MappingReader& settings, JointType type) {
  const auto warn = [&](const std::string& key, const std::string& reason) {
    settings.values().diagnostics().warning(settings.where(key), fmt::format("'{}' {}", key, reason));
  };
  const std::string without_effect = fmt::format("has no effect on a {} joint", name_of(type));
  if (settings.has("axis") && !has_axis(type)) warn("axis", without_effect);
  if (settings.has("pitch") && type != JointType::kScrew) warn("pitch", without_effect);
  if (settings.has("rest") && !settings.has("stiffness")) warn("rest", "has no effect without 'stiffness'");
  if (type == JointType::kScrew && !settings.has("pitch"))
    warn("type", "screw without 'pitch' only turns, like a revolute joint");
}

void read_settings(const MappingReader& settings, JointSpec& joint) {
  joint.type = joint_type(settings.text("type"));
  if (settings.has("name")) joint.name = settings.scope().global_name(settings.name("name"));
  joint.frame_in_parent = settings.pose("at", "orientation");
  joint.frame_in_child = settings.pose("child_at", "child_orientation");
  if (has_axis(joint.type)) joint.axis = settings.axis("axis");
  joint.pitch = settings.number("pitch");
  joint.q = settings.numbers("q");
  joint.u = settings.numbers("u");
  joint.stiffness = settings.numbers("stiffness");
  joint.rest = settings.numbers("rest");
  joint.damping = settings.numbers("damping");
  joint.armature = settings.numbers("armature");
  warn_of_idle_settings(settings, joint.type);
}

JointSpec read_joint(const MappingReader& body) {
  JointSpec joint;
  joint.where = body.where("joint");
  joint.child = body.scope().global_name(body.name("name"));
  joint.name = joint.child;
  const Node& written = body.at("joint");
  if (written.is_scalar()) {
    joint.type = joint_type(written.text);
  } else {
    read_settings(body.below("joint"), joint);
  }
  const BodyFrame frame = frame_on(body, "parent", joint.frame_in_parent);
  joint.parent = frame.body;
  joint.frame_in_parent = frame.pose;
  return joint;
}

Eigen::Matrix3d read_inertia(const MappingReader& body) {
  if (!body.has("inertia")) return Eigen::Matrix3d::Zero();
  const Node& written = body.at("inertia");
  if (written.is_mapping()) {
    const MappingReader inertia = body.below("inertia");
    const Eigen::Matrix3d R = inertia.orientation("orientation").toRotationMatrix();
    return R * inertia.vector("principal").asDiagonal() * R.transpose();
  }
  const std::vector<double> I = body.flat_numbers(written, "inertia");
  Eigen::Matrix3d matrix = Eigen::Vector3d(I.at(0), I.at(1), I.at(2)).asDiagonal();
  if (I.size() == 6) {
    matrix(0, 1) = matrix(1, 0) = I[3];
    matrix(0, 2) = matrix(2, 0) = I[4];
    matrix(1, 2) = matrix(2, 1) = I[5];
  }
  return matrix;
}

// The upper triangle row by row, or all rows.
Eigen::Matrix<double, 6, 6> read_added_inertia(const MappingReader& body) {
  const std::vector<double> numbers = body.flat_numbers(body.at("added_inertia"), "added_inertia");
  Eigen::Matrix<double, 6, 6> matrix;
  std::size_t next = 0;
  for (int row = 0; row < 6; ++row) {
    for (int column = numbers.size() == 36 ? 0 : row; column < 6; ++column) {
      matrix(row, column) = numbers.at(next++);
      if (numbers.size() == 21) matrix(column, row) = matrix(row, column);
    }
  }
  return matrix;
}

void read_geometry(const MappingReader& shape, ShapeSpec& spec) {
  if (shape.has("box")) {
    spec.geometry = ShapeBox{shape.below("box").vector("size")};
  } else if (shape.has("sphere")) {
    spec.geometry = ShapeSphere{shape.below("sphere").number("radius")};
  } else if (shape.has("cylinder")) {
    const MappingReader cylinder = shape.below("cylinder");
    spec.geometry = ShapeCylinder{cylinder.number("radius"), cylinder.number("length")};
  } else if (shape.has("capsule")) {
    const MappingReader capsule = shape.below("capsule");
    spec.geometry = ShapeCapsule{capsule.number("radius"), capsule.number("length")};
  } else {
    const MappingReader frustum = shape.below("frustum");
    spec.geometry =
        ShapeFrustum{frustum.number("bottom_radius"), frustum.number("top_radius"), frustum.number("height")};
  }
}

ShapeSpec read_shape(const MappingReader& shape) {
  ShapeSpec spec;
  spec.where = shape.where();
  read_geometry(shape, spec);
  spec.pose = shape.pose("at", "orientation");
  spec.density = shape.optional_number("density");
  spec.mass = shape.optional_number("mass");
  const std::vector<double> color = shape.numbers("color");
  for (std::size_t i = 0; i < color.size(); ++i) spec.color[i] = color[i];
  return spec;
}

}  // namespace

BodyAndJoint read_body(const MappingReader& body) {
  BodyAndJoint result;
  BodySpec& spec = result.body;
  spec.where = body.where();
  spec.name = body.scope().global_name(body.name("name"));
  if (body.has("mass")) spec.mass_properties = {body.number("mass"), body.vector("com"), read_inertia(body)};
  if (body.has("added_inertia")) spec.added_inertia = read_added_inertia(body);
  if (body.has("shapes")) {
    for (const Node& item : body.at("shapes").items)
      for_each_copy(item, body.scope(), body.values(), [&](const Scope& scope) {
        spec.shapes.push_back(read_shape(MappingReader(item, "shape", scope, body.values())));
      });
  }
  if (body.has("mass") && !body.has("inertia") && !spec.shapes.empty())
    body.values().diagnostics().warning(
        body.where("mass"), fmt::format("'{}' has extent but no 'inertia': it moves as a point mass", spec.name),
        "give the mass to its shapes instead");
  result.joint = read_joint(body);
  return result;
}

}  // namespace lipkin
