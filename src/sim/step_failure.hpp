// What to say where a step could not be taken.
#pragma once

#include "model/signals.hpp"
#include "steppers/stepper.hpp"

namespace lipkin {

// Throws SimulationError naming time and the expression that is not finite, or joint and body. The state is that before
// the step, which was to take dt.
[[noreturn]] void throw_failure(const ModelData& model, const StepReport& report, double dt, const State& state,
                                Workspace& work);

// Throws SimulationError naming an expression that is not a number at the state, and whose it is; returns where there
// is none.
void check_signals(const ModelData& model, const State& state, Workspace& work);

// Throws SimulationError naming what is violated, by how much, the drives that prescribe the motion, and what to
// change. The state is that before the step.
[[noreturn]] void throw_cannot_follow(const ModelData& model, const ConstraintSystem& constraints,
                                      const StepReport& report, const StepOptions& options, const State& state);

// Whose signal it is, as an error names it, and its text.
std::string described(const ModelData& model, const SignalPlace& place);

}  // namespace lipkin
