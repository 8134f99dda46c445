#include "io/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lipkin {
namespace {

constexpr std::array<std::string_view, 15> kNamedKinds = {"joint",    "body",  "point",      "spring",   "bushing",
                                                          "actuator", "motor", "gear",       "distance", "material",
                                                          "tyre",     "input", "controller", "control",  "tendon"};

}  // namespace

bool Scope::is_index(std::string_view name) const {
  return std::any_of(indices.begin(), indices.end(), [&](const RepeatIndex& index) { return index.name == name; });
}

std::optional<double> Scope::value_of(std::string_view name) const {
  for (auto index = indices.rbegin(); index != indices.rend(); ++index)
    if (index->name == name) return index->value;
  const auto parameter = instance->parameters.find(std::string(name));
  if (parameter == instance->parameters.end()) return std::nullopt;
  parameter->second.used = true;
  return parameter->second.value;
}

std::vector<std::string> Scope::known_names() const {
  std::vector<std::string> names;
  for (const RepeatIndex& index : indices) names.push_back(index.name);
  for (const auto& [name, parameter] : instance->parameters) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

bool SceneInstance::is_mounted_elsewhere() const {
  return !mount.position.isZero(0) || !mount.orientation.isApprox(Eigen::Quaterniond::Identity(), 0);
}

// What the file calls world: a body where it is mounted on one, and a place there where it is looked from.
std::string Scope::global_world(bool as_frame) const {
  if (!as_frame || !instance->is_mounted_elsewhere()) return instance->mount_body;
  instance->has_world_point = true;
  return instance->world_point();
}

// contact.BODY.OTHER.fx, relative.A.B.x, subtree.BODY.x: all are names but the last.
std::string Scope::global_names(std::string_view variable) const {
  std::string result;
  const bool as_frames = variable.starts_with("relative.");
  for (std::size_t begin = variable.find('.') + 1; begin != 0;) {
    const std::size_t end = variable.find('.', begin);
    const std::string part(variable.substr(begin, end - begin));
    const bool is_name = end != std::string_view::npos;
    result += "." + (!is_name ? part : part == kWorldName ? global_world(as_frames) : global_name(part));
    begin = is_name ? end + 1 : 0;
  }
  return std::string(variable.substr(0, variable.find('.'))) + result;
}

std::string Scope::global_variable(std::string_view variable) const {
  const std::size_t dot = variable.find('.');
  const std::string_view kind = variable.substr(0, dot);
  if (dot == std::string_view::npos) {
    const std::optional<double> value = value_of(variable);
    if (is_index(variable)) return fmt::format("({})", *value);
    return value ? global_name(std::string(variable)) : std::string(variable);
  }
  if (kind == "contact" || kind == "relative" || kind == "subtree") return global_names(variable);
  const bool named = std::find(kNamedKinds.begin(), kNamedKinds.end(), kind) != kNamedKinds.end();
  if (!named) return std::string(variable);
  return fmt::format("{}.{}{}", kind, instance->prefix, variable.substr(dot + 1));
}

Pose compose(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.position + X_AB.orientation * X_BC.position, X_AB.orientation * X_BC.orientation};
}

}  // namespace lipkin
