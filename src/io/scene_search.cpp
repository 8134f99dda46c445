#include "io/scene_search.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include "base/nearest_name.hpp"
#include "base/source_folders.hpp"
#include "io/text_file.hpp"
#include "io/yaml_document.hpp"
#include "lipkin/error.hpp"
#include "lipkin/scene.hpp"

namespace lipkin {
namespace {

namespace fs = std::filesystem;

// A folder beside the user that happens to have a scene's name does not hide the scene.
bool names_a_file(const std::string& name_or_path) {
  const std::string extension = fs::path(name_or_path).extension().string();
  std::error_code error;
  return extension == ".yaml" || extension == ".yml" || extension == ".urdf" || extension == ".xml" ||
         name_or_path.find('/') != std::string::npos || fs::is_regular_file(name_or_path, error);
}

std::vector<fs::path> scene_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".yaml" && entry->is_regular_file(error)) files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  return files;
}

// Of the program or the module that this code is part of; empty where it cannot be told.
fs::path own_folder() {
  Dl_info object{};
  if (dladdr(reinterpret_cast<const void*>(&scene_folders), &object) == 0 || !object.dli_fname) return {};
  std::error_code error;
  // The name of a program is what it was called by.
  fs::path file = fs::path(object.dli_fname).extension() == ".so" ? fs::path(object.dli_fname) : "/proc/self/exe";
  file = fs::canonical(file, error);
  return error ? fs::path() : file.parent_path();
}

// Empty where the file has none or cannot be read; opening it will say why.
std::string description_of(const fs::path& file) {
  try {
    DiagnosticList ignored;
    const Node root = parse_yaml(read_text_file(file, file.string()), file.string(), ignored);
    const Node* description = root.is_mapping() ? root.find("description") : nullptr;
    return description ? description->text : std::string();
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

std::vector<fs::path> scene_folders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("LIPKIN_SCENES"); chosen && *chosen) folders.emplace_back(chosen);
  folders.emplace_back(kSourceScenes);
  const fs::path folder = own_folder();
  if (folder.empty()) return folders;
  folders.push_back(folder.parent_path() / "share" / "lipkin" / "scenes");
  folders.push_back(folder / "scenes");  // of a module for Python
  return folders;
}

fs::path find_scene(const std::string& name_or_path) {
  if (name_or_path.empty()) throw InputError({}, "the name of the scene is empty");
  if (names_a_file(name_or_path)) return name_or_path;
  std::vector<std::string> known;
  for (const fs::path& folder : scene_folders()) {
    for (const fs::path& file : scene_files(folder)) {
      if (file.stem() == name_or_path) return file;
      known.push_back(file.stem().string());
    }
  }
  std::string hint = did_you_mean(name_or_path, known);
  if (hint.empty()) hint = "`lipkin scenes` lists them; a file ends in .yaml, .urdf or .xml";
  throw InputError({}, "there is no scene '" + name_or_path + "'", hint);
}

std::vector<SceneInfo> list_scenes() {
  std::vector<SceneInfo> scenes;
  std::set<std::string> seen;
  for (const fs::path& folder : scene_folders())
    for (const fs::path& file : scene_files(folder))
      if (seen.insert(file.stem().string()).second)
        scenes.push_back({file.stem().string(), description_of(file), file});
  std::sort(scenes.begin(), scenes.end(), [](const SceneInfo& a, const SceneInfo& b) { return a.name < b.name; });
  return scenes;
}

}  // namespace lipkin
