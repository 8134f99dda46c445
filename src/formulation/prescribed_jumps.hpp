// Jumps of positions that motors and gears prescribe: motions that no force can bring about. By what they follow in the
// course of a step, or by what has changed between two steps: commands, controls from outside, parameters.
#pragma once

#include <limits>
#include <vector>

#include "audit/step_audit.hpp"
#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

class PrescribedJumps {
 public:
  explicit PrescribedJumps(const ModelData& model);

  bool empty() const { return motions_.empty() && gears_.empty(); }  // nothing is prescribed

  // Before and after a step; throw SimulationError naming motor or gear, time and size of a jump since the last step,
  // or on the way. Smaller jumps than what is tolerable are motions. forgive: nothing is thrown. drifts: nothing makes
  // coordinates meet what is prescribed at the ends of steps.
  void begin(const ModelData& model, const State& state, Workspace& work, const TolerableViolation& tolerable,
             bool forgive, bool drifts);
  void check(const ModelData& model, const State& state, Workspace& work);

  // Something else than steps has changed what motors follow, or where coordinates are.
  void forget() { t_end_ = std::numeric_limits<double>::quiet_NaN(); }

 private:
  struct Motion {
    int motor;
    bool is_length;
    enum class Follows { kNothing, kTable, kExpression } follows;  // what may jump in the course of a step
    bool looks_outside;                                            // its expression reads inputs
    std::vector<double> before, change, there;                     // the variables of its expression
    // Where it drifts: its coordinate at the end of the last step, and how far off that was.
    double at = std::numeric_limits<double>::quiet_NaN(), off = 0;
    double given = 0;  // what was set from outside or is constant, at the end of the last step; NaN: neither
  };
  void read(const ModelData& model, const State& state, Workspace& work, bool after);
  void check_since(const ModelData& model, const State& state, Workspace& work);
  void check_gears(const ModelData& model, const State& state) const;
  void look_at_gears(const ModelData& model);
  double tolerance(const Motion& m) const { return m.is_length ? tolerable_.length : tolerable_.angle; }

  std::vector<Motion> motions_;
  std::vector<GearCurve> gears_;  // as they were at the end of the last step
  TolerableViolation tolerable_;
  double t_ = 0, t_end_ = std::numeric_limits<double>::quiet_NaN();  // of begin(), of the last check() [s]
  bool needs_kinematics_ = false, looks_in_steps_ = false, drifts_ = false;
};

}  // namespace lipkin
