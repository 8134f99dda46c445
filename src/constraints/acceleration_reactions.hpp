// Reactions of an instant: what bilateral rows exert on a mechanism that is at a state, by the accelerations that they
// ask for. With the rates W u - r of the rows they are those of
//   M a = f + W^T lambda,   W a = dr/dt - dW/dt u
// (acceleration level; E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, 1996, section VII.1). dr/dt
// is the difference quotient over the coming step, so that a speed which jumps shows as in the steps.
#pragma once

#include "constraints/drive_targets.hpp"
#include "constraints/reactions.hpp"

namespace lipkin {

class AccelerationReactions {
 public:
  AccelerationReactions(const ModelData& model, BilateralSystem& bilateral, DriveTargets& targets,
                        Reactions& reactions);

  // How the rates of the bilateral rows change at constant u, as these turn along it: dW/dt u, for complete(). Leaves
  // the kinematics and the rows beside the state.
  void measure_turning(const ModelData& model, State& state, Workspace& work);

  // After a solve over h from a linearisation at the state: adds to State::reactions what is missing for the rows to
  // keep pace with the accelerations du, which those found so far and all else bring about. turned: the velocities fit
  // the rows of the step before, and the solve has turned them already; feedback: the part of the gaps, which were
  // measured last, that it asked them to close.
  void complete(const ModelData& model, double h, bool turned, double feedback, const double* du, State& state,
                Workspace& work);

  // After a linearisation at the state, with the reactions of the step over h that led there from velocities u_before:
  // the same so that the accelerations du, with the forces there are now, are those of that step along the rows.
  void keep_pace_with_step(const ModelData& model, double h, const double* u_before, const double* du, State& state,
                           Workspace& work);

 private:
  void turned_rates(const ModelData& model, double time, State& state, Workspace& work, double* rates);
  void rates_after(const ModelData& model, const double* u, double h, const double* du, const Workspace& work,
                   double* rates);
  void add_missing(State& state);

  BilateralSystem& bilateral_;
  DriveTargets& targets_;
  Reactions& reactions_;
  std::vector<double> turning_, turned_q_;  // per row [m/s^2] or [rad/s^2]; scratch
  std::vector<double> rates_, rates_now_, z_, u_;
  std::vector<Motion<double>> V_;
};

}  // namespace lipkin
