// What is legal in a run and most often a mistake.
#pragma once

#include <vector>

#include "lipkin/error.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin {

// Bodies that overlap where they should touch: one warning a pair; drives that loops leave no freedom, and loops that
// were far from closed. For a simulation that has not stepped yet.
std::vector<Diagnostic> start_warnings(const Simulation& simulation);

// Where the scene defines an output.
SourceLocation place_of_output(const Model& model, int output);

}  // namespace lipkin
