// What constraints exert on a mechanism at one state, for looking: laws (contacts, friction, limits, motors) as a step
// of `euler` from there finds them, as impulses over that step; bilateral rows so that they and the accelerations
// belong to the state itself (assembly/constraints_reactions.cpp). The motion knows nothing of it.
#pragma once

#include "assembly/constraints.hpp"

namespace lipkin {

class InstantReactions {
 public:
  // Writes the impulses over h into the state: impulse_step, row_impulses, contacts, reactions. False, and the state is
  // spoilt, where a force is not a number. turned: see Constraints::complete_reactions. Leaves the constraints
  // linearised elsewhere than the stepper may expect, and Constraints::wants_reactions().
  bool find(const ModelData& model, const ConstraintOptions& options, double h, bool turned, Constraints& constraints,
            State& state, Workspace& work);

  // The same where a step of `moreau` from velocities u_before has found them at the state, but with the velocities
  // before it: adapts those of the bilateral rows to the forces of now.
  void adapt(const ModelData& model, const ConstraintOptions& options, const std::vector<double>& u_before,
             Constraints& constraints, State& state, Workspace& work);

 private:
  static void accelerate_now(const ModelData& model, ConstraintOptions options, Constraints& constraints, State& state,
                             Workspace& work);
  bool solve(const ModelData& model, const ConstraintOptions& options, double h, Constraints& constraints, State& state,
             Workspace& work);

  std::vector<double> u_new_, pseudo_;
};

// Accelerations work.du with the reactions in the state, from the forces there; work.kinematics are those of the state.
void accelerate_with_reactions(const ModelData& model, State& state, Constraints& constraints, Workspace& work);

}  // namespace lipkin
