// Bodies and what they are made of.
#include <fmt/format.h>

#include <algorithm>

#include "io/instead.hpp"
#include "io/part_reader.hpp"

namespace lipkin {
namespace {

JointSpec read_joint(const MappingReader& body) {
  JointSpec joint;
  joint.where = body.where("joint");
  joint.child = body.scope().global_name(body.name("name"));
  joint.name = joint.child;
  const Node& written = body.at("joint");
  if (written.is_scalar()) {
    joint.type = joint_type(written.text);
  } else {
    read_joint_settings(body.below("joint"), joint);
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

// A mass of its own beside shapes that weigh, where it is written; the builder refuses it too, without that place.
void refuse_two_masses(const MappingReader& body, const BodySpec& spec) {
  const bool weighs = std::any_of(spec.shapes.begin(), spec.shapes.end(),
                                  [](const ShapeSpec& shape) { return shape.density || shape.mass; });
  if (!spec.mass_properties || !weighs) return;
  std::string keys = "mass: " + written(body.at("mass"));
  for (const char* key : {"com", "inertia"})
    if (body.has(key)) keys += fmt::format(", {}: {}", key, written(body.at(key)));
  body.values().diagnostics().error(
      body.where("mass"), fmt::format("body '{}' has a mass of its own and shapes with mass or density", spec.name),
      fmt::format("delete {} here: the shapes give mass, centre of mass and inertia", keys));
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

}  // namespace

BodyAndJoint read_body(const MappingReader& body) {
  BodyAndJoint result;
  BodySpec& spec = result.body;
  spec.where = body.where();
  spec.name = body.scope().global_name(body.name("name"));
  if (body.has("mass")) spec.mass_properties = {body.number("mass"), body.vector("com"), read_inertia(body)};
  if (body.has("added_inertia")) spec.added_inertia = read_added_inertia(body);
  spec.shapes = read_shapes(body);
  if (body.has("mass") && !body.has("inertia") && !spec.shapes.empty())
    body.values().diagnostics().warning(
        body.where("mass"), fmt::format("'{}' has extent but no 'inertia': it moves as a point mass", spec.name),
        "give the mass to its shapes instead");
  refuse_two_masses(body, spec);
  result.joint = read_joint(body);
  result.parent_where = body.where("parent");
  result.inertia_where = body.where("inertia");
  result.name_written = body.at("name").text;
  if (body.has("parent")) result.parent_written = body.at("parent").text;
  if (!body.at("joint").is_mapping()) return result;
  const MappingReader joint = body.below("joint");
  result.has_axis = joint.has("axis");
  result.has_at = joint.has("at");
  result.at_where = joint.where("at");
  return result;
}

}  // namespace lipkin
