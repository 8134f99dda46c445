// How the time of a step grows with the number of bodies in `maximal` coordinates.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace lipkin::bench {

// What --cases takes.
std::vector<std::string> maximal_case_names();

// Prints the report; the exit code.
int run_maximal_benchmark(const Options& options);

}  // namespace lipkin::bench
