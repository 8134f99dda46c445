// Lipkin as a measuring process: the articulated-body kernel on states copied from the pool, and Simulation::step with
// the Euler stepper.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "engine_server.hpp"
#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/version.hpp"
#include "lipkin_model.hpp"
#include "state/workspace.hpp"
#include "tree/kernels.hpp"

namespace lipkin::bench {
namespace {

Simulation make_simulation(const TreeModel& tree) {
  return Simulation(Scene{.name = tree.name,
                          .description = {},
                          .model = make_lipkin_model(tree, kDamping),
                          .experiment = {},
                          .warnings = {}});
}

double largest(const Eigen::VectorXd& values) { return values.lpNorm<Eigen::Infinity>(); }

class LipkinTree {
 public:
  explicit LipkinTree(const TreeTask& task)
      : model_(make_lipkin_model(task.model, 0.0)),
        work_(model_.data()),
        simulation_(make_simulation(task.model)),
        start_(simulation_.state()),
        revolute_q_(revolute_q(model_, task.model)),
        revolute_u_(revolute_u(model_, task.model)) {
    for (const TreeState& state : task.states) states_.push_back(to_lipkin(model_, task.model, state));
    current_ = states_.front();
    const LipkinState start = to_lipkin(model_, task.model, task.start);
    start_.q = start.q;
    start_.u = start.u;
  }

  static std::string name() { return "lipkin " + std::string(version()); }

  void forward_dynamics(std::size_t state) {
    const LipkinState& wanted = states_[state];
    std::ranges::copy(wanted.q, current_.q.begin());
    std::ranges::copy(wanted.u, current_.u.begin());
    std::ranges::copy(wanted.tau, current_.tau.begin());
    const ModelData& data = model_.data();
    kernels().forward_dynamics(data.links.data(), static_cast<int>(data.links.size()), data.gravity, current_.q.data(),
                               current_.u.data(), current_.tau.data(), work_.diag.data(), nullptr, work_.tree(),
                               work_.du.data());
  }

  std::vector<double> joint_accelerations() const { return picked(work_.du, revolute_u_); }

  void restart(double dt) {
    simulation_.restore(start_);
    simulation_.set_dt(dt);
  }

  void step() { simulation_.step(); }

  std::vector<double> joint_angles() const { return picked(simulation_.state().q, revolute_q_); }

  void describe(nlohmann::json& reply) {
    reply["setting"] = instruction_set();
    reply["residual"] = residual();
  }

 private:
  // |M a + h - tau| at state 0 in terms of the largest torque, M a + h by the recursive Newton-Euler algorithm.
  double residual() {
    forward_dynamics(0);
    Dynamics dynamics(model_);
    dynamics.set(current_.q, current_.u);
    const auto tau = Eigen::VectorXd::Map(current_.tau.data(), model_.u_count());
    return largest(dynamics.inverse_dynamics(work_.du) - tau) / std::max(largest(dynamics.bias()), largest(tau));
  }

  Model model_;
  Workspace work_;
  Simulation simulation_;
  State start_;
  LipkinState current_;
  std::vector<LipkinState> states_;
  std::vector<int> revolute_q_, revolute_u_;
};

}  // namespace
}  // namespace lipkin::bench

int main() { return lipkin::bench::EngineServer<lipkin::bench::LipkinTree>().run(); }
