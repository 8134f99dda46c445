// Steps that are long beside what gravity does in them.
#pragma once

#include <vector>

#include "lipkin/error.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin {

// One warning at most, for fixed steps: of the joint that swings fastest, of a body that falls through itself within a
// step, or of steps that are long for any machine.
void warn_of_gravity(const Simulation& simulation, std::vector<Diagnostic>& warnings);

}  // namespace lipkin
