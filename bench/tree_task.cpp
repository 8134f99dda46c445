#include "tree_task.hpp"

#include <nlohmann/json.hpp>

namespace lipkin::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TreeBody, parent, joint, position, mass, com, inertia)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TreeModel, name, bodies)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TreeState, q, u, tau, base_position, base_orientation, base_velocity,
                                   base_angular_velocity)

void to_json(nlohmann::json& json, const TreeTask& task) {
  json = {{"model", task.model}, {"states", task.states}, {"start", task.start}};
}

void from_json(const nlohmann::json& json, TreeTask& task) {
  json.at("model").get_to(task.model);
  json.at("states").get_to(task.states);
  json.at("start").get_to(task.start);
}

TreeTask make_tree_task(std::string_view case_name) {
  TreeTask task;
  task.model = tree_case(case_name);
  task.states = random_states(task.model);
  task.start = gently_bent(task.states.front());
  return task;
}

}  // namespace lipkin::bench
