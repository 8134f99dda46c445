// What steppers with constraints share.
#pragma once

#include "constraints/constraint_system.hpp"
#include "steppers/stepper.hpp"

namespace lipkin {

// Sets report.excess where a motion cannot be followed; after the audit of a step. at_solve: by the rates right after
// the solve, since the positions have moved on from there, and not by those at the end of the step.
void judge(const StepOptions& options, bool at_solve, StepReport& report);

// At which a step of h asks gaps to shrink by their rates [1/s].
double feedback(const StepOptions& options, double h);

// work.diag: armature, and what a linear-implicit step of h adds for joint springs and dampers.
void set_implicit_diag(const ModelData& model, double h, Workspace& work);

// u + h du from the forces at the state, with the factors and the kinematics of the constraints' linearisation there.
void velocities_without_impulses(const ModelData& model, double h, const State& state, Workspace& work,
                                 std::vector<double>& u);

}  // namespace lipkin
