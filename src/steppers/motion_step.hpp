// How long a step may be so that what it takes as constant stays nearly so: a rule for steps without an error estimate.
//
// A step of `euler` holds its rows and inertias as they are at its begin. A body that turns by theta meanwhile makes
// them wrong by theta in direction and theta²/2 in length; a shape that travels a part of its own size meets others
// elsewhere than seen. So no body turns by more than kTurn in a step, and no shape that can touch travels further than
// kTravel of its size, and prescribed motions keep their acceleration nearly (steppers/prescribed_step.hpp). Speeds
// along straight lines and other forces set no bound: `dt_max` does.
//
// Steps are dt_max over powers of two: the factors of M, which hold the step in joint dampers and springs, serve the
// next step too as long as it is as long.
#pragma once

#include "steppers/stepper.hpp"

namespace lipkin {

class MotionStep {
 public:
  explicit MotionStep(const ModelData& model);

  // Between options.dt_min and options.dt_max [s]; a function of the state alone.
  double choose(const ModelData& model, const StepOptions& options, const State& state, Workspace& work) const;

 private:
  double most_motion(const ModelData& model, const KinematicsWork& kinematics) const;

  std::vector<double> size_;  // of every contact shape: half its smallest extent, infinite for what has no end [m]
};

}  // namespace lipkin
