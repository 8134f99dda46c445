// What steppers with constraints share.
#pragma once

#include "assembly/constraints.hpp"
#include "steppers/stepper.hpp"

namespace lipkin {

// Sets report.excess where a motion cannot be followed; after the audit of a step of h. at_solve: by the rates right
// after the solve, since the positions have moved on from there, and not by those at the end of the step.
void judge(const StepOptions& options, double h, bool at_solve, StepReport& report);

// work.diag: armature, and what a linear-implicit step of h adds for joint springs and dampers.
void set_implicit_diag(const ModelData& model, double h, Workspace& work);

// u + h du from the forces at the state, with the factors and the kinematics of the constraints' linearisation there.
void velocities_without_impulses(const ModelData& model, double h, const State& state, Workspace& work,
                                 std::vector<double>& u);

}  // namespace lipkin
