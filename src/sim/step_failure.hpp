// What to say where a step could not be taken.
#pragma once

#include "steppers/stepper.hpp"

namespace lipkin {

// Throws SimulationError naming time, joint and body. The state is that before the step.
[[noreturn]] void throw_failure(const ModelData& model, const StepReport& report, const State& state,
                                const Workspace& work);

}  // namespace lipkin
