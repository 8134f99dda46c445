#include "model/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"

namespace lipkin {

namespace {

[[noreturn]] void unknown(std::string_view path, std::string_view wanted, const std::vector<std::string>& known) {
  const std::string hint = did_you_mean(wanted, known);
  throw InvalidArgument(fmt::format("there is nothing to set at '{}': expected one of {}{}", path,
                                    fmt::join(known, ", "), hint.empty() ? "" : " (" + hint + ")"));
}

template <class Items>
int named(const Items& items, std::string_view name, std::string_view path, const char* what) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
    known.push_back(items[i].name);
  }
  const std::string hint = did_you_mean(name, known);
  throw InvalidArgument(
      fmt::format("cannot set '{}': there is no {} '{}'{}", path, what, name, hint.empty() ? "" : " (" + hint + ")"));
}

Setting joint_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  const JointData& joint = model.joints[named(model.joints, name, path, "joint")];
  std::vector<double>* values = nullptr;
  if (what == "damping") values = &model.damping;
  if (what == "stiffness") values = &model.stiffness;
  if (what == "rest") values = &model.rest;
  if (what == "armature") values = &model.armature;
  if (!values) unknown(path, what, {"damping", "stiffness", "rest", "armature"});
  if (joint.link < 0) throw InvalidArgument(fmt::format("cannot set '{}': joint '{}' is fixed", path, name));
  Setting setting;
  if (what != "rest") setting.minimum = 0;
  for (int k = 0; k < u_count(joint.type); ++k) setting.places.push_back(&(*values)[joint.u_index + k]);
  return setting;
}

}  // namespace

Setting find_setting(ModelData& model, std::string_view path) {
  const auto first = path.find('.'), last = path.rfind('.');
  const std::string_view family = path.substr(0, first);
  const std::string_view what = last == path.npos ? std::string_view() : path.substr(last + 1);
  Setting setting;
  if (family == "gravity") {
    if (what != "x" && what != "y" && what != "z") unknown(path, path, {"gravity.x", "gravity.y", "gravity.z"});
    setting.places = {&model.gravity[what[0] - 'x']};
    return setting;
  }
  const std::string_view name = last > first ? path.substr(first + 1, last - first - 1) : std::string_view();
  if (family == "joint") return joint_setting(model, path, name, what);
  if (family == "actuator") {
    if (what != "control") unknown(path, what, {"control"});
    setting.actuator = named(model.actuators, name, path, "actuator");
    return setting;
  }
  unknown(path, family, {"gravity", "joint", "actuator"});
}

void check_setting(const Setting& setting, std::string_view path, double value) {
  if (!std::isfinite(value) || value < setting.minimum)
    throw InvalidArgument(fmt::format("cannot set '{}' to {}: expected a finite number{}", path, value,
                                      setting.minimum == 0 ? " >= 0" : ""));
}

void put_setting(ModelData& model, const Setting& setting, double value) {
  for (double* place : setting.places) *place = value;
  model.has_joint_springs = std::any_of(model.stiffness.begin(), model.stiffness.end(), [](double k) { return k > 0; });
}

void apply_setting(ModelData& model, std::string_view path, double value) {
  const Setting setting = find_setting(model, path);
  check_setting(setting, path, value);
  put_setting(model, setting, value);
}

}  // namespace lipkin
