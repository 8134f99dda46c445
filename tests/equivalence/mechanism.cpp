#include "equivalence/mechanism.hpp"

#include <fmt/format.h>

#include "lipkin/dynamics.hpp"

namespace lipkin::test {

Scene build(const Mechanism& mechanism, const Outputs& outputs) {
  ModelBuilder builder;
  builder.set_name("mechanism");
  builder.set_gravity(mechanism.gravity);
  for_each_list(mechanism, [&](const auto& parts) {
    for (const auto& part : parts) builder.add(part);
  });
  for (const MaterialSpec& material : mechanism.materials) builder.add(material);
  for (const ShapeSpec& shape : mechanism.world_shapes) builder.add_world_shape(shape);
  for (const OutputSpec& output : outputs) builder.add(output);
  return Scene{"mechanism", "", builder.build(), mechanism.experiment, {}};
}

const JointSpec* find_joint(const Mechanism& mechanism, const std::string& name) {
  for (const JointSpec& joint : mechanism.joints)
    if (joint.name == name) return &joint;
  return nullptr;
}

JointSpec* find_joint(Mechanism& mechanism, const std::string& name) {
  return const_cast<JointSpec*>(find_joint(std::as_const(mechanism), name));
}

std::vector<Pose> initial_poses(const Mechanism& mechanism) {
  Mechanism tree;
  tree.bodies = mechanism.bodies;
  for (BodySpec& body : tree.bodies) body.shapes.clear();
  for (const JointSpec& joint : mechanism.joints)
    if (!joint.closes_loop) tree.joints.push_back(joint);
  const Model model = build(tree).model;
  Dynamics dynamics(model);
  dynamics.set(initial_state(model));
  std::vector<Pose> poses;
  for (const BodySpec& body : mechanism.bodies) poses.push_back(dynamics.body_motion(model.body(body.name)).pose);
  return poses;
}

Pose pose_of(const Mechanism& mechanism, const std::vector<Pose>& poses, const std::string& body) {
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
    if (mechanism.bodies[i].name == body) return poses[i];
  return {};
}

bool is_angle(JointType type, int dof) {
  switch (type) {
    case JointType::kPrismatic:
      return false;
    case JointType::kCylindrical:
      return dof == 0;
    case JointType::kPlanar:
      return dof == 2;
    case JointType::kFree:
      return dof >= 3;
    default:
      return true;
  }
}

namespace {

std::string text_of(const Signal& signal) {
  if (const auto* text = std::get_if<ExpressionText>(&signal.source)) return text->text;
  return fmt::format("{}", std::get<double>(signal.source));
}

}  // namespace

Signal scaled(const Signal& signal, double factor) {
  if (factor == 1) return signal;
  if (const auto* value = std::get_if<double>(&signal.source)) return {factor * *value, {}};
  if (const auto* table = std::get_if<Table>(&signal.source)) {
    Table result = *table;
    for (double& value : result.values) value *= factor;
    return {result, {}};
  }
  return sum({{factor, signal}});
}

Signal sum(const std::vector<std::pair<double, Signal>>& terms) {
  std::string text;
  double constant = 0;
  for (const auto& [factor, signal] : terms) {
    if (const auto* value = std::get_if<double>(&signal.source))
      constant += factor * *value;
    else
      text += fmt::format("({}) * ({}) + ", factor, text_of(signal));
  }
  if (text.empty()) return {constant, {}};
  return {ExpressionText{fmt::format("{}({})", text, constant)}, {}};
}

void turn_signals(std::array<Signal, 3>& signals, const Eigen::Matrix3d& axes) {
  const std::array<Signal, 3> old = signals;
  for (int i = 0; i < 3; ++i) signals[i] = sum({{axes(i, 0), old[0]}, {axes(i, 1), old[1]}, {axes(i, 2), old[2]}});
}

}  // namespace lipkin::test
