// Projection onto the bilateral rows: of positions by Newton steps along a linearisation, in the norm of M, and of the
// velocities. What it does to them is an impulse that belongs to the step (Reactions).
#pragma once

#include "constraints/drive_targets.hpp"
#include "constraints/reactions.hpp"

namespace lipkin {

class Projection {
 public:
  Projection(const ModelData& model, BilateralSystem& bilateral, DriveTargets& targets, Reactions& reactions);

  // Where velocities u lead the coordinates of prescribed speeds in a step of h from the state, at which things are
  // linearised: the next project_positions() leaves them there.
  void lead_speeds(const ModelData& model, double h, const State& state, const double* u, const Workspace& work);

  // Moves state.q, at state.t, onto the rows, along the linearisation of the step's begin; the velocities take what
  // that means for them over the step. polish: one Newton step more than it takes, where what is left would be divided
  // by a short step.
  void project_positions(const ModelData& model, double h, bool polish, State& state, Workspace& work,
                         ConstraintReport& report);

  // The same without the velocities, for what was moved by no velocity.
  void close_positions(const ModelData& model, State& state, Workspace& work, ConstraintReport& report);

  // Takes from state.u what violates the rates of the rows, and from the links' velocities; after a linearisation at
  // the state.
  void project_velocities(const ModelData& model, State& state, Workspace& work);

  // Newton steps with the factors at hand, renewed where they no longer fit. Ends with the poses at state.q. False:
  // gaps are left.
  bool correct(const ModelData& model, int iterations, bool polish, State& state, Workspace& work);

  // state.q by the velocities of z.
  void move(const ModelData& model, const double* z, State& state, Workspace& work);

 private:
  void predict(const State& state);
  void remember(State& state) const;
  void meet_rates(const ModelData& model, State& state, Workspace& work);

  BilateralSystem& bilateral_;
  DriveTargets& targets_;
  Reactions& reactions_;
  std::vector<double> z_, z_total_;  // of a Newton step, and of a projection
  std::vector<double> du_, moved_;   // of such a step, and of all since project_positions() began
  std::vector<double> rates_;
  std::vector<Motion<double>> V_;
};

}  // namespace lipkin
