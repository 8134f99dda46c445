// Forward dynamics and one step of trees, beside the peers, measured in turn in one run.
#pragma once

#include "options.hpp"

namespace lipkin::bench {

// Prints the report; the exit code.
int run_tree_benchmark(const Options& options);

}  // namespace lipkin::bench
