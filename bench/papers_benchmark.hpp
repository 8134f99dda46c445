// The tables of the papers Lipkin is built on, measured here.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace lipkin::bench {

// What --cases takes.
std::vector<std::string> paper_case_names();

// Prints the report; the exit code.
int run_papers_benchmark(const Options& options);

}  // namespace lipkin::bench
