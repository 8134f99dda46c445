#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "failure.hpp"
#include "geared_states.hpp"
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
  std::vector<int> quaternions;    // first index into the model's q of each quaternion
  std::vector<std::string> names;  // of the joint, per value of qvel
};

StateOrder order_of(const Model& model) {
  StateOrder order;
  for (const JointNode& node : joints_depth_first(model)) {
    const JointType type = model.joint_type(node.joint);
    const int first_q = model.joint_q(node.joint);
    for (int i = 0; i < q_count(type); ++i) order.q.push_back(first_q + i);
    for (int i = 0; i < u_count(type); ++i) {
      order.u.push_back(model.joint_u(node.joint) + i);
      order.names.push_back(model.joint_name(node.joint));
    }
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

// The centre of mass of all bodies, those that are fixed included.
Eigen::Vector3d center_of_all(Dynamics& dynamics) {
  const Model& model = dynamics.model();
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int body = 0; body < model.body_count(); ++body) {
    const Pose pose = dynamics.body_motion(body).pose;
    sum += model.body_mass(body) * (pose.position + pose.orientation * model.body_com(body));
  }
  return model.total_mass() > 0 ? Eigen::Vector3d(sum / model.total_mass()) : sum;
}

// Null where a joint moves nothing: then there is no answer.
Json accelerations_json(const Eigen::VectorXd& accelerations, const std::vector<int>& order) {
  if (!accelerations.allFinite()) return nullptr;
  return to_file_order(accelerations, order);
}

// Inertia, bias and accelerations of what the gears leave, as the reference files give them.
Json geared_json(Dynamics& dynamics, std::vector<double> q, std::vector<double> u, const GearedStates& gears,
                 const StateOrder& order) {
  gears.apply(q, u);
  dynamics.set(q, u);
  const std::vector<int> leaders = gears.leaders(order.u);
  const Eigen::MatrixXd R = gears.following(leaders, q, dynamics.model().u_count());
  const Eigen::MatrixXd whole = dynamics.mass_matrix(), M = R.transpose() * whole * R;
  const Eigen::VectorXd bias = R.transpose() * (dynamics.bias() + whole * gears.bending(q, u));
  const Eigen::VectorXd accelerations = -M.ldlt().solve(bias);
  std::vector<int> all(leaders.size());
  Json json = {{"joints", Json::array()}, {"v", Json::array()}};
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    all[i] = static_cast<int>(i);
    const auto place = std::find(order.u.begin(), order.u.end(), leaders[i]) - order.u.begin();
    json["joints"].push_back(order.names[static_cast<std::size_t>(place)]);
    json["v"].push_back(u[static_cast<std::size_t>(leaders[i])]);
  }
  json["M_lower"] = lower_triangle(M, all);
  json["bias"] = to_file_order(bias, all);
  json["qacc"] = accelerations_json(accelerations, all);
  return json;
}

Json evaluate(Dynamics& dynamics, const StateCase& state, const StateOrder& order, const GearedStates& gears,
              bool full) {
  std::vector<double> q = to_model_order(state.qpos, order.q);
  normalize_quaternions(q, order);
  const std::vector<double> u = to_model_order(state.qvel, order.u);
  dynamics.set(q, u);
  const std::vector<double> tau = to_model_order(state.tau, order.u);
  const Energy energy = dynamics.energy();
  const Eigen::Vector3d com = center_of_all(dynamics);
  Json json = {{"qpos", state.qpos}, {"qvel", state.qvel}};
  if (!state.tau.empty()) json["tau"] = state.tau;
  json["M_lower"] = lower_triangle(dynamics.mass_matrix(), order.u);
  json["bias"] = to_file_order(dynamics.bias(), order.u);
  json["qacc"] = accelerations_json(full ? dynamics.accelerations_full(tau) : dynamics.accelerations(tau), order.u);
  json["kinetic"] = energy.kinetic;
  json["potential"] =
      -dynamics.model().total_mass() * dynamics.model().gravity().dot(com) + (full ? energy.elastic : 0);
  json["com"] = {com.x(), com.y(), com.z()};
  if (full) json["left_out"] = dynamics.left_out();
  json["poses"] = poses_json(dynamics);
  if (!gears.empty()) json["mimic"] = geared_json(dynamics, q, u, gears, order);
  return json;
}

// The conventions of MJCF know equality constraints only as something that acts on a tree; scenes mean their loops.
LoopTreatment treatment_of_loops(const Scene& scene, const EvalOptions& options) {
  const bool is_mjcf = scene.report.format() == "MJCF";
  if (!options.open_loops && !is_mjcf) return LoopTreatment::kRefused;
  if (scene.model.closure_count() > 0)
    print_diagnostics({{{options.model},
                        fmt::format("the {} loops are left open: M, bias and qacc are those of the tree alone",
                                    scene.model.closure_count()),
                        {},
                        Severity::kWarning}});
  return LoopTreatment::kOpen;
}

}  // namespace

int evaluate_states(const EvalOptions& options) {
  const StatesFile file(options.states);
  ModelOptions model_options = options.model_options;
  model_options.usual_base = file.base();
  const Scene scene = open_scene(options.model, options.overrides, model_options);
  const std::vector<StateCase> states = file.cases(scene.model.q_count(), scene.model.u_count());
  const StateOrder order = order_of(scene.model);
  const GearedStates gears(scene.model);
  Dynamics dynamics(scene.model, treatment_of_loops(scene, options));
  Json cases = Json::array();
  for (const StateCase& state : states) {
    try {
      cases.push_back(evaluate(dynamics, state, order, gears, options.full));
    } catch (const InvalidArgument& error) {
      throw InputError({options.states}, fmt::format("case {}: {}", cases.size() + 1, error.what()));
    }
  }
  print_json(Json{{"model", scene.name}, {"cases", cases}}, -1);
  return kSuccess;
}

}  // namespace lipkin::cli
