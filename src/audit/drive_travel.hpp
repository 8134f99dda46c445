// Whether coordinates whose speed is prescribed go as far as the speed leads: the rates may be right at the end of
// every step, and the coordinate creep away between them.
//
// Over a step of h that asks for the rate r, a coordinate goes h r. What it goes more or less is summed up, from where
// something other than a step has put it, or the program has begun to look: that sum is not part of a state. Rotations
// of ball and free joints have no coordinate to look at.
#pragma once

#include <limits>

#include "audit/motion_audit.hpp"

namespace lipkin {

class DriveTravel {
 public:
  DriveTravel(const ModelData& model, const MotionAudit& motion);

  void begin_step(const ModelData& model, const State& state);

  // At the end of a step of h; motors: what its solve aimed at. ahead: the positions follow the velocities of that
  // solve, otherwise those of the one before.
  void end_step(const ModelData& model, const State& state, double h, bool ahead, const MotorSignals::View& motors,
                AuditReport& report);

 private:
  struct Travel {
    MotionAudit::Speed speed;
    double from = 0, to = 0;  // coordinate at the begin of the step, and at the end of the last one
    double rate = 0;          // that the last solve aimed at
    double off = 0;
    bool goes_on = false;  // nothing but steps has moved it since the last one
  };
  std::vector<Travel> travels_;
  double t_ = std::numeric_limits<double>::quiet_NaN();  // of the last end [s]
  double h_ = 0;                                         // of the last step [s]
};

}  // namespace lipkin
