#include <algorithm>

#include "io/text_file.hpp"
#include "lipkin/scene.hpp"

namespace lipkin {

namespace {

// The longest folder that all files lie in.
std::filesystem::path common_folder(const std::vector<ReadFile>& files) {
  std::filesystem::path folder = files.front().path.parent_path();
  for (const ReadFile& file : files) {
    const auto differs = std::mismatch(folder.begin(), folder.end(), file.path.begin(), file.path.end()).first;
    std::filesystem::path common;
    for (auto part = folder.begin(); part != differs; ++part) common /= *part;
    folder = common;
  }
  return folder;
}

}  // namespace

std::vector<SceneText> scene_files(const std::string& name_or_path,
                                   const std::vector<std::pair<std::string, std::string>>& overrides,
                                   const ImportOptions& import_options) {
  std::vector<ReadFile> files;
  {
    const FileCollector collector(files);
    load_scene(name_or_path, overrides, import_options);
  }
  for (ReadFile& file : files) file.path = std::filesystem::weakly_canonical(file.path);
  const std::filesystem::path folder = common_folder(files);
  std::vector<SceneText> texts;
  for (ReadFile& file : files) texts.push_back({file.path.lexically_relative(folder).string(), std::move(file.text)});
  return texts;
}

}  // namespace lipkin
