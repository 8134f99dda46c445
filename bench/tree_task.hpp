// What an engine is asked to do, and its JSON form for the way between two processes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tree_models.hpp"

namespace lipkin::bench {

inline constexpr double kGravity = 9.81;   // along -z [m/s^2]
inline constexpr double kDamping = 0.1;    // of every revolute joint while stepping [N m s/rad]
inline constexpr double kTimeStep = 1e-3;  // [s]
inline constexpr int kStepsPerRun = 1000;  // measured steps go back to the start after so many

struct TreeTask {
  TreeModel model;
  std::vector<TreeState> states;  // for forward dynamics; without damping
  TreeState start;                // for steps; with damping
};

TreeTask make_tree_task(std::string_view case_name);

void to_json(nlohmann::json& json, const TreeTask& task);
void from_json(const nlohmann::json& json, TreeTask& task);

}  // namespace lipkin::bench
