// What is legal in a run and most often a mistake.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lipkin/error.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin {

// Bodies that overlap where they should touch: one warning a pair; drives that loops leave no freedom, and loops that
// were far from closed. For a simulation that has not stepped yet.
std::vector<Diagnostic> start_warnings(const Simulation& simulation);

// Where a scene says a setting of its experiment ("stepper"), `overrides` as of load_scene; the file where it does not.
SourceLocation place_of_setting(const std::string& name_or_path,
                                const std::vector<std::pair<std::string, std::string>>& overrides,
                                const std::string& setting);

// Where the scene defines an output.
SourceLocation place_of_output(const Model& model, int output);

}  // namespace lipkin
