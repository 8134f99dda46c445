#include <fmt/format.h>

#include <cmath>

#include "commands.hpp"
#include "failure.hpp"
#include "joint_tree.hpp"
#include "lipkin/dynamics.hpp"
#include "scene_input.hpp"
#include "states_file.hpp"

namespace lipkin::cli {
namespace {

// Where the values of a states file, joints depth-first, stand in the model.
struct StateOrder {
  std::vector<int> q;  // index into the model's q, per value of qpos
  std::vector<int> u;
  std::vector<int> quaternions;  // first index into the model's q of each quaternion
};

StateOrder order_of(const Model& model) {
  StateOrder order;
  for (const JointNode& node : joints_depth_first(model)) {
    const JointType type = model.joint_type(node.joint);
    const int first_q = model.joint_q(node.joint);
    for (int i = 0; i < q_count(type); ++i) order.q.push_back(first_q + i);
    for (int i = 0; i < u_count(type); ++i) order.u.push_back(model.joint_u(node.joint) + i);
    if (type == JointType::kBall) order.quaternions.push_back(first_q);
    if (type == JointType::kFree) order.quaternions.push_back(first_q + 3);
  }
  return order;
}

std::vector<double> to_model_order(const std::vector<double>& values, const std::vector<int>& order) {
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[static_cast<std::size_t>(order[i])] = values[i];
  return result;
}

Json to_file_order(const Eigen::VectorXd& values, const std::vector<int>& order) {
  Json list = Json::array();
  for (const int index : order) list.push_back(values[index]);
  return list;
}

Json lower_triangle(const Eigen::MatrixXd& matrix, const std::vector<int>& order) {
  Json list = Json::array();
  for (std::size_t row = 0; row < order.size(); ++row) {
    for (std::size_t column = 0; column <= row; ++column) list.push_back(matrix(order[row], order[column]));
  }
  return list;
}

void normalize_quaternions(std::vector<double>& q, const StateOrder& order) {
  for (const int first : order.quaternions) {
    Eigen::Map<Eigen::Vector4d> quaternion(q.data() + first);
    const double norm = quaternion.stableNorm();
    if (!(norm > 0) || !std::isfinite(norm)) throw InvalidArgument("a quaternion has no length, expected w x y z");
    quaternion /= norm;
  }
}

Json poses_json(Dynamics& dynamics) {
  Json poses = Json::object();
  const Model& model = dynamics.model();
  for (int body = 0; body < model.body_count(); ++body) {
    const Pose pose = dynamics.body_motion(body).pose;
    const Eigen::Vector3d& p = pose.position;
    const Eigen::Quaterniond& r = pose.orientation;
    poses[model.body_name(body)] = {p.x(), p.y(), p.z(), r.w(), r.x(), r.y(), r.z()};
  }
  return poses;
}

Json evaluate(Dynamics& dynamics, const StateCase& state, const StateOrder& order, bool full) {
  std::vector<double> q = to_model_order(state.qpos, order.q);
  normalize_quaternions(q, order);
  dynamics.set(q, to_model_order(state.qvel, order.u));
  const std::vector<double> tau = to_model_order(state.tau, order.u);
  const Energy energy = dynamics.energy();
  const Eigen::Vector3d com = dynamics.center_of_mass();
  Json json = {{"qpos", state.qpos}, {"qvel", state.qvel}};
  if (!state.tau.empty()) json["tau"] = state.tau;
  json["M_lower"] = lower_triangle(dynamics.mass_matrix(), order.u);
  json["bias"] = to_file_order(dynamics.bias(), order.u);
  json["qacc"] = to_file_order(full ? dynamics.accelerations_full(tau) : dynamics.accelerations(tau), order.u);
  json["kinetic"] = energy.kinetic;
  json["potential"] = energy.gravitational + (full ? energy.elastic : 0);
  json["com"] = {com.x(), com.y(), com.z()};
  json["poses"] = poses_json(dynamics);
  return json;
}

}  // namespace

int evaluate_states(const EvalOptions& options) {
  if (options.base) {
    throw UsageError("--base is for URDF models, which this version does not read; a scene says how its root is held");
  }
  const Scene scene = open_scene(options.model, options.overrides);
  const std::vector<StateCase> states = read_states(options.states, scene.model.q_count(), scene.model.u_count());
  const StateOrder order = order_of(scene.model);
  Dynamics dynamics(scene.model);
  Json cases = Json::array();
  for (const StateCase& state : states) {
    try {
      cases.push_back(evaluate(dynamics, state, order, options.full));
    } catch (const InvalidArgument& error) {
      throw InputError({options.states}, fmt::format("case {}: {}", cases.size() + 1, error.what()));
    }
  }
  print_json(Json{{"model", scene.name}, {"cases", cases}}, -1);
  return kSuccess;
}

}  // namespace lipkin::cli
