// What constraints exert on a mechanism at one state, for looking: laws (contacts, friction, limits, motors) as a step
// from there finds them, as impulses over that step; bilateral rows so that they and the accelerations belong to the
// state itself (constraints/acceleration_reactions.hpp). The motion knows nothing of it.
#pragma once

#include "constraints/constraint_system.hpp"

namespace lipkin {

// What velocities know of how the rows turn along the motion, dW/dt u, which laws have to hold against.
enum class TurningSeen {
  kInVelocities,  // steps of `euler` leave it in them: laws saw the rows before the step, projection has turned them
                  // since
  kNotYet,        // they fit the rows, as they begin and as `moreau` leaves them: laws look where the velocities lead
};

class InstantReactions {
 public:
  // Writes the impulses over h into the state: impulse_step, row_impulses, contacts, reactions. False, and the state is
  // spoilt, where a force is not a number. turned: see AccelerationReactions::complete. Leaves the constraints
  // linearised elsewhere than the stepper may expect, and ConstraintSystem::wants_reactions().
  bool find(const ModelData& model, const ConstraintOptions& options, double h, bool turned, TurningSeen seen,
            ConstraintSystem& constraints, State& state, Workspace& work);

  // The same where a step of `moreau` from velocities u_before has found them at the state, but with the velocities
  // before it: adapts those of the bilateral rows to the forces of now.
  void adapt(const ModelData& model, const ConstraintOptions& options, const std::vector<double>& u_before,
             ConstraintSystem& constraints, State& state, Workspace& work);

 private:
  static void accelerate_now(const ModelData& model, ConstraintOptions options, ConstraintSystem& constraints,
                             State& state, Workspace& work);
  bool solve(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h,
             ConstraintSystem& constraints, State& state, Workspace& work);
  bool solve_ahead(const ModelData& model, ConstraintOptions options, double h, ConstraintSystem& constraints,
                   State& state, Workspace& work);

  std::vector<double> u_new_, pseudo_, q_, closure_q_, offsets_;
};

// Accelerations work.du with the reactions in the state, from the forces there; work.kinematics are those of the state.
void accelerate_with_reactions(const ModelData& model, State& state, ConstraintSystem& constraints, Workspace& work);

}  // namespace lipkin
