// Jumps of positions that motors prescribe: motions that no force can bring about.
#pragma once

#include <vector>

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

class PrescribedJumps {
 public:
  // Smaller jumps than these are motions [m], [rad].
  PrescribedJumps(const ModelData& model, double length, double angle);

  // Before and after a step; the second throws SimulationError naming motor, time and size of a jump on the way.
  void begin(const ModelData& model, const State& state, Workspace& work);
  void check(const ModelData& model, const State& state, Workspace& work);

 private:
  struct Motion {
    int motor;
    std::vector<double> before, change, there;  // the variables of its target
    double tolerance;                           // [rad] or [m]
  };
  void read(const ModelData& model, const State& state, Workspace& work, bool after);

  std::vector<Motion> motions_;
  double t_ = 0;  // of begin() [s]
  bool needs_kinematics_ = false;
};

}  // namespace lipkin
