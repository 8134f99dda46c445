// Step time and errors of scenes with constraints and contacts, beside the peers, measured in turn in one run.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace lipkin::bench {

// What --cases takes.
std::vector<std::string> scene_names();

// Prints the report; the exit code.
int run_scene_benchmark(const Options& options);

}  // namespace lipkin::bench
