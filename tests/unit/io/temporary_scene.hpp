// Scene files for one test, in a folder that goes away with it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_folder.hpp"
#include "lipkin/scene.hpp"

namespace lipkin::test {

class TemporaryScenes {
 public:
  const std::filesystem::path& folder() const { return folder_.path(); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  // Loads a file of the folder; the lines of its mistakes without the folder, empty when it is fine.
  std::vector<std::string> mistakes(const std::string& name,
                                    const std::vector<std::pair<std::string, std::string>>& overrides = {}) const {
    std::vector<std::string> lines;
    try {
      load_scene((folder() / name).string(), overrides);
    } catch (const InputError& error) {
      for (const Diagnostic& d : error.diagnostics()) lines.push_back(without_folder(d.text()));
    }
    return lines;
  }

  std::string without_folder(std::string text) const {
    const std::string prefix = folder().string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

 private:
  TemporaryFolder folder_;
};

using Lines = std::vector<std::string>;

// The mistakes of a scene with this text, as "s.yaml:LINE:COLUMN: error: ...".
inline Lines mistakes_in(const std::string& text,
                         const std::vector<std::pair<std::string, std::string>>& overrides = {}) {
  const TemporaryScenes scenes;
  scenes.write("s.yaml", text);
  return scenes.mistakes("s.yaml", overrides);
}

inline Scene scene_of(const std::string& text, const std::vector<std::pair<std::string, std::string>>& overrides = {}) {
  const TemporaryScenes scenes;
  return load_scene(scenes.write("s.yaml", text), overrides);
}

// The warnings of a scene with this text, without the folder.
inline Lines warnings_in(const std::string& text) {
  const TemporaryScenes scenes;
  Lines lines;
  for (const Diagnostic& d : load_scene(scenes.write("s.yaml", text)).warnings)
    lines.push_back(scenes.without_folder(d.text()));
  return lines;
}

}  // namespace lipkin::test
