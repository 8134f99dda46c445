// What viewers cost the simulation: step times without clients and with sixteen, four of them stalled.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace lipkin::bench {

std::vector<std::string> server_case_names();
int run_server_benchmark(const Options& options);

}  // namespace lipkin::bench
