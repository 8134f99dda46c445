#include "session/kept_scene.hpp"

#include <fstream>

namespace lipkin {

KeptScene::KeptScene(const SceneSource& source, bool has_parameters) : source_(source) {
  if (!has_parameters || !can_be_read()) return;
  try {
    files_ = scene_files(source.scene, source.overrides, source.import_options);
  } catch (const InputError&) {
    // Whoever sets a parameter is told.
  }
}

Scene KeptScene::read(const std::vector<std::pair<std::string, std::string>>& overrides) {
  auto all = source_.overrides;
  all.insert(all.end(), overrides.begin(), overrides.end());
  if (files_.empty()) return load_scene(source_.scene, all, source_.import_options);
  if (!folder_) {
    folder_.emplace();
    for (const SceneText& file : files_) {
      std::filesystem::create_directories((folder_->path() / file.name).parent_path());
      std::ofstream(folder_->path() / file.name, std::ios::binary) << file.text;
    }
  }
  const std::string scene = (folder_->path() / files_.front().name).string(), below = folder_->path().string() + "/";
  try {
    return load_scene(scene, all, source_.import_options);
  } catch (const InputError& e) {
    std::vector<Diagnostic> mistakes = e.diagnostics();
    for (Diagnostic& mistake : mistakes) {
      std::string& file = mistake.where.file;
      file = file == scene ? source_.scene : file.starts_with(below) ? file.substr(below.size()) : file;
    }
    throw InputError(std::move(mistakes));
  }
}

}  // namespace lipkin
