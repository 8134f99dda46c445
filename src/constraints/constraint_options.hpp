// What a solve of the constraints is asked for, and what it tells.
#pragma once

#include "constraints/law_rows.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/solver.hpp"

namespace lipkin {

struct ConstraintOptions {
  SolverKind solver = SolverKind::kHybrid;
  SolverOptions solver_options;
  StabilizationKind stabilization = StabilizationKind::kProjection;
  // Above 0 where steps of one length are compared with those of another: limited motors then close what they are off
  // over this time, not over the step [s].
  double settling_time = 0;
  // Where a solve looks for the forces of an instant a step before the state: how far the coordinate of each limited
  // motor of a position was off its target there. It asks for the target's rate besides, as accelerations do.
  const std::vector<double>* off_target = nullptr;
};

struct ConstraintReport {
  int iterations = 0;      // of the solver
  double residual = 0;     // worst violation of a law after the solve [m/s] or [rad/s]
  bool converged = true;   // the solver, and the projection of the positions
  double penetration = 0;  // of contacts, at the begin of the step [m]
  int contacts = 0;
  int undetermined = 0;  // laws with a force that the motion does not determine
  DrivenIn driven_in;    // a contact that prescribed motions close although nothing gives way
};

}  // namespace lipkin
