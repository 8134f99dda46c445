#include "io/settable_paths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/nearest_name.hpp"

namespace lipkin {
namespace {

using Family = std::pair<std::string, Schema::Keys>;

// What a scene calls the things that a family sets.
struct Meant {
  const char* family;
  const char* written;
  const char* key;
};
constexpr std::array kMeant = {Meant{"motor", "velocity", "target"},     Meant{"motor", "position", "target"},
                               Meant{"motor", "speed", "target"},        Meant{"motor", "angle", "target"},
                               Meant{"motor", "value", "target"},        Meant{"motor", "force", "max_force"},
                               Meant{"motor", "torque", "max_force"},    Meant{"motor", "kp", "stiffness"},
                               Meant{"motor", "kd", "damping"},          Meant{"motor", "kv", "damping"},
                               Meant{"actuator", "force", "control"},    Meant{"actuator", "torque", "control"},
                               Meant{"actuator", "value", "control"},    Meant{"joint", "limits", "upper"},
                               Meant{"material", "mu", "friction"},      Meant{"controller", "kp", "p"},
                               Meant{"controller", "ki", "i"},           Meant{"controller", "kd", "d"},
                               Meant{"controller", "setpoint", "target"}};

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    steps.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

// The section of the scene whose items a family names: motors, for motor.
const Node* section_of(const Node& scene, const std::string& family) {
  if (!scene.is_mapping()) return nullptr;
  return scene.find(family == "joint" || family == "body" ? "bodies" : family + "s");
}

bool is_called(const Node& item, const std::string& name) {
  const Node* own = item.is_mapping() ? item.find("name") : nullptr;
  const Node* joint = item.is_mapping() ? item.find("joint") : nullptr;
  const Node* of_joint = joint && joint->is_mapping() ? joint->find("name") : nullptr;
  return (of_joint ? of_joint : own) && (of_joint ? of_joint : own)->text == name;
}

bool has_part(const Node& scene, const std::string& family, const std::string& name) {
  const Node* section = section_of(scene, family);
  if (!section) return false;
  if (section->is_mapping()) return section->find(name) != nullptr;
  return std::any_of(section->items.begin(), section->items.end(),
                     [&](const Node& item) { return is_called(item, name); });
}

const Family* family_called(const std::string& written, const Schema& paths) {
  std::vector<std::string> names;
  for (const Family& family : paths.paths) {
    if (family.first == written || family.first + "s" == written) return &family;
    names.push_back(family.first);
  }
  const std::string nearest = nearest_name(written, names);
  const auto found =
      std::find_if(paths.paths.begin(), paths.paths.end(), [&](const Family& f) { return f.first == nearest; });
  return found == paths.paths.end() ? nullptr : &*found;
}

// The family that has a part of this name: a motor 'drive', for joint.drive.
const Family* family_of_part(const std::string& name, const Schema& paths, const Node& scene) {
  const auto found = std::find_if(paths.paths.begin(), paths.paths.end(),
                                  [&](const Family& family) { return has_part(scene, family.first, name); });
  return found == paths.paths.end() ? nullptr : &*found;
}

std::string key_meant(const Family& family, const std::string& written) {
  const auto& [name, keys] = family;
  if (std::find(keys.begin(), keys.end(), written) != keys.end()) return written;
  for (const Meant& meant : kMeant)
    if (meant.family == name && meant.written == written) return meant.key;
  const std::string nearest = nearest_name(written, keys);
  return nearest.empty() && keys.size() == 1 ? keys[0] : nearest;
}

bool has_names(const Family& family) { return family.first != "gravity"; }

std::string of_family(const Family& family, const std::string& name) {
  if (family.second.empty()) return family.first + "." + name;
  const std::string first = has_names(family) ? family.first + "." + name : family.first;
  return fmt::format("{}.{}", first, fmt::join(family.second, "|"));
}

std::string all_of_them(const Schema& paths) {
  std::vector<std::string> known;
  for (const Family& family : paths.paths) {
    const bool is_long = family.second.size() > 1 && has_names(family);
    known.push_back(is_long ? fmt::format("{}.NAME.{}", family.first, family.second[0]) : of_family(family, "NAME"));
  }
  return fmt::format("what can be set: {} and the like", fmt::join(known, ", "));
}

}  // namespace

std::string settable_instead(const std::string& path, const Schema& paths, const Node& scene) {
  const std::vector<std::string> steps = steps_of(path);
  const Family* family = family_called(steps[0], paths);
  const std::string name = steps.size() > 1 ? steps[1] : std::string();
  if (const Family* own = family_of_part(name, paths, scene); own && (!family || !has_part(scene, family->first, name)))
    family = own;
  if (!family) return all_of_them(paths);
  const std::string all = of_family(*family, name.empty() ? "NAME" : name);
  if (family->second.empty()) return "write " + all;
  const std::size_t count = has_names(*family) ? 3 : 2;
  const std::string key = steps.size() == count ? key_meant(*family, steps.back()) : std::string();
  if (key.empty()) return fmt::format("what can be set is {}", all);
  return has_names(*family) ? fmt::format("write {}.{}.{}", family->first, name, key)
                            : fmt::format("write {}.{}", family->first, key);
}

}  // namespace lipkin
