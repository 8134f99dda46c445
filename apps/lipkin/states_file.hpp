// The states that `lipkin eval` is asked about.
#pragma once

#include <string>
#include <vector>

namespace lipkin::cli {

struct StateCase {
  std::vector<double> qpos, qvel;
  std::vector<double> tau;  // empty: zero
};

// Reads {"cases": [{"qpos": [...], "qvel": [...], "tau": [...]}, ...]}; other keys are ignored. Throws InputError with
// every mistake: not JSON, lists of the wrong length, entries that are not finite numbers.
std::vector<StateCase> read_states(const std::string& path, int q_count, int u_count);

}  // namespace lipkin::cli
