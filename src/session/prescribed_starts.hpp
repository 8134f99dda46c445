// Edits that would have a motor prescribe a position where its joint is not: closing that way in one step is a jump,
// and no force does it.
#pragma once

#include "lipkin/simulation.hpp"

namespace lipkin {

// Throws InvalidArgument naming the motor, what it drives and how far that is from the position that `next` prescribes
// now, where this is more than the experiment tolerates and was not so before. Nothing is changed.
void refuse_jumps(const Simulation& simulation, const Model& next);

}  // namespace lipkin
