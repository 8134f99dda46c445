#include "session/instances.hpp"

namespace lipkin {

Json Instances::instance(Json own, Json rest, std::string like) {
  const auto [first, is_new] = first_.try_emplace(std::move(like), count_++);
  if (is_new) {
    own.update(rest);
  } else {
    own["as"] = first->second;
  }
  return own;
}

Json SharedGeometries::shared(Json shape, int body, int index) {
  constexpr const char* kOwn[] = {"pose", "color", "contact"};
  if (!shape.contains("vertices") && !shape.contains("heights")) return shape;
  Json own;
  for (const char* key : kOwn) {
    own[key] = shape[key];
    shape.erase(key);
  }
  const auto [first, is_new] = first_.try_emplace(shape.dump(), body, index);
  if (is_new) {
    shape.update(own);
    return shape;
  }
  own["as"] = {first->second.first, first->second.second};
  return own;
}

namespace {

// "joint.crank." for the group "joint crank"; empty where its parameters have no name in common.
std::string prefix_of(std::string group) {
  const std::size_t space = group.find(' ');
  if (space == std::string::npos) return {};
  group[space] = '.';
  return group + '.';
}

}  // namespace

void ParameterGroups::add(Parameter parameter, double value, double initial) {
  if (groups_.empty() || groups_.back().name != parameter.group) {
    const auto [place, is_new] = place_.try_emplace(parameter.group, groups_.size());
    if (is_new) groups_.push_back({parameter.group, {}});
    groups_[place->second].list.push_back({std::move(parameter), value, initial});
  } else {
    groups_.back().list.push_back({std::move(parameter), value, initial});
  }
}

// The same for two groups that differ in their names alone; one that is like no other has its name in it.
std::string ParameterGroups::likeness(const Group& group) {
  const std::string prefix = prefix_of(group.name);
  std::string text;
  for (const auto& [parameter, value, initial] : group.list) {
    if (prefix.empty() || !parameter.path.starts_with(prefix)) return group.name;
    text.append(parameter.path, prefix.size()).append("\n").append(parameter.unit).append("\n");
    for (const double number : {value, initial, parameter.minimum, parameter.maximum})
      text.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return text;
}

Json ParameterGroups::json() const {
  Json list = Json::array();
  std::unordered_map<std::string, std::string> first;
  for (const Group& group : groups_) {
    const auto [like, is_new] = first.try_emplace(likeness(group), group.name);
    if (!is_new) {
      list.push_back({{"group", group.name}, {"as", like->second}});
      continue;
    }
    for (const auto& [parameter, value, initial] : group.list) {
      list.push_back({{"path", parameter.path},
                      {"value", number_json(value)},
                      {"initial", number_json(initial)},
                      {"unit", parameter.unit},
                      {"min", number_json(parameter.minimum)},
                      {"max", number_json(parameter.maximum)},
                      {"group", parameter.group}});
      if (!parameter.derived_from.empty()) list.back()["derived_from"] = parameter.derived_from;
    }
  }
  return list;
}

}  // namespace lipkin
