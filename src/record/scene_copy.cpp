#include "record/scene_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/temporary_folder.hpp"
#include "lipkin/error.hpp"

namespace lipkin {

namespace {

// Packages are found by the names of their folders, which may be above the files: as many are tried.
constexpr int kMostParents = 4;

bool leads_out(const std::filesystem::path& name) {
  return name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end();
}

// The last names of the folder that holds all files, for `count` of them. The first file is the scene itself.
std::filesystem::path names_above(const SceneSource& source, const std::vector<SceneText>& files, int count) {
  std::filesystem::path folder = std::filesystem::weakly_canonical(source.scene);
  for ([[maybe_unused]] const auto& part : std::filesystem::path(files.front().name)) folder = folder.parent_path();
  std::filesystem::path names;
  for (int i = 0; i < count; ++i, folder = folder.parent_path()) names = folder.filename() / names;
  return names;
}

// Whether the copy is read as what it was made of, and from nothing else.
bool suffices(const std::vector<SceneText>& files, const SceneSource& source) {
  const TemporaryFolder folder;
  write_files(files, folder.path());
  const SceneSource copy = source_below(folder.path(), files.front().name, source);
  const std::vector<SceneText> again = scene_files(copy.scene, copy.overrides, copy.import_options);
  return std::equal(files.begin(), files.end(), again.begin(), again.end(), [](const SceneText& a, const SceneText& b) {
    return a.name.ends_with(b.name) && a.text == b.text;
  });
}

}  // namespace

std::vector<SceneText> files_to_keep(const SceneSource& source) {
  const std::vector<SceneText> files = scene_files(source.scene, source.overrides, source.import_options);
  for (int parents = 0; parents <= kMostParents; ++parents) {
    std::vector<SceneText> placed = files;
    for (SceneText& file : placed) file.name = (names_above(source, files, parents) / file.name).string();
    if (suffices(placed, source)) return placed;
  }
  throw InputError({source.scene},
                   "this cannot be recorded: a copy of its files does not find them again; lay its packages and meshes "
                   "below the model's folder");
}

void write_files(const std::vector<SceneText>& files, const std::filesystem::path& folder) {
  for (const SceneText& file : files) {
    if (leads_out(file.name)) throw InvalidArgument(fmt::format("the recording holds a file named '{}'", file.name));
    const std::filesystem::path target = folder / file.name;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary) << file.text;
  }
}

SceneSource source_below(const std::filesystem::path& folder, const std::string& name, SceneSource original) {
  if (leads_out(name)) throw InvalidArgument(fmt::format("the recording's scene is named '{}'", name));
  original.scene = (folder / name).string();
  std::vector<std::filesystem::path>& packages = original.import_options.package_folders;
  packages = {folder};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_directory()) packages.push_back(entry.path());
  std::sort(packages.begin(), packages.end());
  return original;
}

}  // namespace lipkin
