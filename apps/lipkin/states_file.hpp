// The states that `lipkin eval` is asked about.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lipkin::cli {

struct StateCase {
  std::vector<double> qpos, qvel;
  std::vector<double> tau;  // empty: zero
};

// {"cases": [{"qpos": [...], "qvel": [...], "tau": [...]}, ...], "base": "fixed"}; other keys are ignored.
class StatesFile {
 public:
  // Throws InputError where it is no such JSON.
  explicit StatesFile(const std::string& path);

  // How the root of a URDF model is held, where the file says it.
  std::optional<std::string> base() const;

  // Throws InputError with every mistake: lists of the wrong length, entries that are not finite numbers.
  std::vector<StateCase> cases(int q_count, int u_count) const;

 private:
  std::string path_;
  nlohmann::json document_;
};

}  // namespace lipkin::cli
