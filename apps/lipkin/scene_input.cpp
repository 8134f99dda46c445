#include "scene_input.hpp"

#include <fmt/format.h>

#include "failure.hpp"

namespace lipkin::cli {
namespace {

std::pair<std::string, std::string> split_override(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format("--set {}: expected path=value, such as --set length=0.5", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

Scene open_scene(const std::string& name_or_path, const Overrides& overrides) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : overrides) pairs.push_back(split_override(text));
  Scene scene = load_scene(name_or_path, pairs);
  print_diagnostics(scene.warnings);
  return scene;
}

}  // namespace lipkin::cli
