// Scenes written in a test.
#pragma once

#include <fstream>
#include <string>

#include "base/temporary_folder.hpp"
#include "lipkin/scene.hpp"

namespace lipkin::test {

inline Scene scene_from(const std::string& yaml) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "scene.yaml").string();
  std::ofstream(path) << yaml;
  return load_scene(path);
}

}  // namespace lipkin::test
