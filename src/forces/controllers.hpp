// Controllers of the model: they work once before a step and hold their output over it, as a digital controller does.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// In the order given, so that one may follow another's output of the same step. Updates work.kinematics where a
// controller looks at them.
void work_controllers(const ModelData& model, State& state, Workspace& work);

// The same for those that have not worked yet: what they will hold over the first step, for looking.
void begin_controllers(const ModelData& model, State& state, Workspace& work);

}  // namespace lipkin
