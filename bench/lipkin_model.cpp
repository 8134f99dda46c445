#include "lipkin_model.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "lipkin/model_builder.hpp"
#include "tree_task.hpp"

namespace lipkin::bench {
namespace {

Eigen::Vector3d to_eigen(const Triple& v) { return {v[0], v[1], v[2]}; }

std::string body_name(int index) { return index < 0 ? kWorldName : "body-" + std::to_string(index); }
std::string joint_name(std::size_t index) { return "joint-" + std::to_string(index); }

JointSpec joint_spec(const TreeBody& body, int index, double damping) {
  JointSpec joint;
  joint.name = joint_name(static_cast<std::size_t>(index));
  joint.parent = body_name(body.parent);
  joint.child = body_name(index);
  joint.frame_in_parent.position = to_eigen(body.position);
  if (body.joint == TreeJoint::kFree) {
    joint.type = JointType::kFree;
    return joint;
  }
  joint.type = JointType::kRevolute;
  joint.axis = to_eigen(axis_of(body.joint));
  if (damping > 0) joint.damping = {damping};
  return joint;
}

template <class IndexOfJoint>
std::vector<int> revolute_indices(const Model& model, const TreeModel& tree, IndexOfJoint index_of_joint) {
  std::vector<int> indices;
  for (std::size_t i = tree.floating() ? 1 : 0; i < tree.bodies.size(); ++i) {
    indices.push_back(index_of_joint(model.joint(joint_name(i))));
  }
  return indices;
}

void scatter(const std::vector<double>& values, const std::vector<int>& indices, std::vector<double>& target) {
  for (std::size_t i = 0; i < values.size(); ++i) target[static_cast<std::size_t>(indices[i])] = values[i];
}

// A free joint has position then quaternion; linear velocity along the world, angular along the body.
void fill_base(const Model& model, const TreeState& state, LipkinState& result) {
  const int joint = model.joint(joint_name(0));
  const auto q = result.q.begin() + model.joint_q(joint);
  const auto u = result.u.begin() + model.joint_u(joint);
  std::ranges::copy(state.base_position, q);
  std::ranges::copy(state.base_orientation, q + 3);
  std::ranges::copy(state.base_velocity, u);
  std::ranges::copy(state.base_angular_velocity, u + 3);
}

}  // namespace

Model make_lipkin_model(const TreeModel& tree, double damping) {
  ModelBuilder builder;
  builder.set_name(tree.name);
  builder.set_gravity({0.0, 0.0, -kGravity});
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const TreeBody& body = tree.bodies[static_cast<std::size_t>(i)];
    BodySpec spec;
    spec.name = body_name(i);
    spec.mass_properties =
        MassProperties{body.mass, to_eigen(body.com), Eigen::Matrix3d(to_eigen(body.inertia).asDiagonal())};
    builder.add(spec);
    builder.add(joint_spec(body, i, damping));
  }
  return builder.build();
}

LipkinState to_lipkin(const Model& model, const TreeModel& tree, const TreeState& state) {
  const auto q_count = static_cast<std::size_t>(model.q_count());
  const auto u_count = static_cast<std::size_t>(model.u_count());
  LipkinState result{std::vector<double>(q_count), std::vector<double>(u_count), std::vector<double>(u_count)};
  if (tree.floating()) fill_base(model, state, result);
  scatter(state.q, revolute_q(model, tree), result.q);
  scatter(state.u, revolute_u(model, tree), result.u);
  scatter(state.tau, revolute_u(model, tree), result.tau);
  return result;
}

std::vector<int> revolute_q(const Model& model, const TreeModel& tree) {
  return revolute_indices(model, tree, [&](int joint) { return model.joint_q(joint); });
}

std::vector<int> revolute_u(const Model& model, const TreeModel& tree) {
  return revolute_indices(model, tree, [&](int joint) { return model.joint_u(joint); });
}

std::vector<double> picked(const std::vector<double>& values, const std::vector<int>& indices) {
  std::vector<double> result;
  for (const int index : indices) result.push_back(values[static_cast<std::size_t>(index)]);
  return result;
}

}  // namespace lipkin::bench
