// Lipkin's Batch as a measuring process: lipkin-engine-batch THREADS COPIES. One call takes every copy.
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "engine_server.hpp"
#include "lipkin/batch.hpp"
#include "lipkin/version.hpp"
#include "lipkin_model.hpp"

namespace lipkin::bench {
namespace {

int thread_count = 1;
int copy_count = 1;

class LipkinBatch {
 public:
  explicit LipkinBatch(const TreeTask& task)
      : batch_(make_lipkin_model(task.model, 0.0), copy_count, thread_count),
        stepped_(make_lipkin_model(task.model, kDamping), copy_count, thread_count),
        start_(to_lipkin(batch_.model(), task.model, task.start)),
        revolute_q_(revolute_q(batch_.model(), task.model)),
        revolute_u_(revolute_u(batch_.model(), task.model)) {
    for (int copy = 0; copy < copy_count; ++copy) {
      const TreeState& state = task.states[static_cast<std::size_t>(copy) % task.states.size()];
      const LipkinState values = to_lipkin(batch_.model(), task.model, state);
      batch_.set_q(copy, values.q);
      batch_.set_u(copy, values.u);
      batch_.set_tau(copy, values.tau);
    }
  }

  static std::string name() { return "lipkin batch " + std::string(version()); }

  void forward_dynamics(std::size_t state) {
    asked_copy_ = static_cast<int>(state) % copy_count;
    batch_.forward_dynamics();
  }

  std::vector<double> joint_accelerations() const {
    std::vector<double> accelerations;
    for (const int index : revolute_u_) accelerations.push_back(batch_.acceleration(asked_copy_, index));
    return accelerations;
  }

  void restart(double dt) {
    stepped_.set_dt(dt);
    for (int copy = 0; copy < copy_count; ++copy) {
      stepped_.set_q(copy, start_.q);
      stepped_.set_u(copy, start_.u);
    }
  }

  void step() { stepped_.step(); }

  std::vector<double> joint_angles() const {
    std::vector<double> angles;
    for (const int index : revolute_q_) angles.push_back(stepped_.q(copy_count - 1, index));
    return angles;
  }

  void describe(nlohmann::json& reply) const {
    reply["setting"] = instruction_set();
    reply["states_per_call"] = copy_count;
  }

 private:
  Batch batch_, stepped_;
  LipkinState start_;
  std::vector<int> revolute_q_, revolute_u_;
  int asked_copy_ = 0;
};

}  // namespace
}  // namespace lipkin::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: lipkin-engine-batch THREADS COPIES\n";
    return 2;
  }
  lipkin::bench::thread_count = std::atoi(argv[1]);
  lipkin::bench::copy_count = std::atoi(argv[2]);
  return lipkin::bench::EngineServer<lipkin::bench::LipkinBatch>().run();
}
