// What loops do that was most likely not meant: leave a driven joint no freedom, or begin far from closed.
#pragma once

#include <vector>

#include "lipkin/error.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin {

// Motors, actuators and joint springs on coordinates without a freedom, loops that were open, and what was given for
// joints that begin otherwise.
void warn_of_loops(const Simulation& simulation, std::vector<Diagnostic>& warnings);

}  // namespace lipkin
