// What a call from Python costs: single steps and batches, beside the same calls from C++ in one run.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace lipkin::bench {

std::vector<std::string> python_case_names();
int run_python_benchmark(const Options& options);

}  // namespace lipkin::bench
