// Jumps of positions that motors prescribe: motions that no force can bring about. By what they follow in the course of
// a step, or by what has changed between two steps: commands, controls from outside, parameters.
#pragma once

#include <limits>
#include <vector>

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

class PrescribedJumps {
 public:
  // Smaller jumps than these are motions [m], [rad].
  PrescribedJumps(const ModelData& model, double length, double angle);

  // Before and after a step; throw SimulationError naming motor, time and size of a jump since the last step, or on the
  // way. forgive: nothing is thrown. drifts: nothing makes coordinates meet what is prescribed at the ends of steps.
  void begin(const ModelData& model, const State& state, Workspace& work, bool forgive, bool drifts);
  void check(const ModelData& model, const State& state, Workspace& work, bool drifts);

  // Values of the model were set: what motors follow may have changed with them.
  void model_changed() { t_end_ = std::numeric_limits<double>::quiet_NaN(); }

 private:
  struct Motion {
    int motor;
    double tolerance;                                              // [rad] or [m]
    enum class Follows { kNothing, kTable, kExpression } follows;  // what may jump in the course of a step
    bool looks_outside;                                            // its expression reads inputs
    std::vector<double> before, change, there;                     // the variables of its expression
    double at = std::numeric_limits<double>::quiet_NaN(), off = 0;  // where it drifts: its coordinate at the end of the
                                                                    // last step, and how far off that was
    double given = 0;  // what was set from outside or is constant, at the end of the last step; NaN: neither
  };
  void read(const ModelData& model, const State& state, Workspace& work, bool after);
  void check_since(const ModelData& model, const State& state, Workspace& work, bool forgive, bool drifts);

  std::vector<Motion> motions_;
  double t_ = 0, t_end_;  // of begin(), of the last check() [s]
  bool needs_kinematics_ = false, looks_in_steps_ = false;
};

}  // namespace lipkin
