// Signals that a run looks at too rarely to follow them.
#pragma once

#include <vector>

#include "lipkin/simulation.hpp"

namespace lipkin {

// Rows of tables that lie between two steps, and controls that are held over `dt` by steppers that choose their steps.
void warn_of_unseen_signals(const Simulation& simulation, std::vector<Diagnostic>& warnings);

}  // namespace lipkin
