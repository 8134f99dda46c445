#include "io/scene_file.hpp"

#include <fmt/format.h>

#include <system_error>

#include "io/import/asset_folders.hpp"
#include "io/overrides.hpp"
#include "io/text_file.hpp"
#include "io/yaml_document.hpp"

namespace lipkin {
namespace fs = std::filesystem;

const SceneFile& SceneFiles::open_top(const fs::path& path, const std::string& shown_name, const Overrides& overrides) {
  std::error_code error;
  fs::path canonical = fs::canonical(path, error);
  if (error) canonical = path;  // reading it will say what is wrong
  top_folder_ = canonical.parent_path();
  return open(canonical, shown_name, overrides);
}

const SceneFile& SceneFiles::open(const fs::path& canonical, const std::string& shown_name,
                                  const Overrides& overrides) {
  auto file = std::make_unique<SceneFile>();
  file->path = canonical;
  file->shown_name = shown_name;
  const int errors_before = diagnostics_->error_count();
  file->root = parse_yaml(read_text_file(canonical, shown_name), shown_name, *diagnostics_);
  file->is_whole = diagnostics_->error_count() == errors_before;
  if (file->root.is_null()) throw InputError({shown_name}, "the file is empty: expected a scene");
  file->set_in_included = apply_overrides(file->root, overrides, *diagnostics_);
  file->validation.validate(file->root, scene_format().root(), "the file");
  diagnostics_->merge(file->validation.diagnostics());
  return *(files_[canonical] = std::move(file));
}

const SceneFile* SceneFiles::open_included(const std::string& name, const SceneFile& including,
                                           const SourceLocation& where) {
  const auto refuse = [&](const std::string& reason) {
    diagnostics_->error(where, fmt::format("cannot include '{}': {}", name, reason));
    return nullptr;
  };
  if (name.empty() || fs::path(name).is_absolute()) return refuse("expected a path relative to this file");
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(including.path.parent_path() / name, error);
  if (error || !is_inside(canonical, top_folder_)) return refuse("it lies outside the folder of the scene");
  if (!fs::exists(canonical, error)) return refuse("there is no such file");
  const auto known = files_.find(canonical);
  if (known != files_.end()) return known->second.get();
  try {
    return &open(canonical, (fs::path(including.shown_name).parent_path() / name).lexically_normal().string(), {});
  } catch (const InputError& mistakes) {
    diagnostics_->add(mistakes.diagnostics());
    return nullptr;
  }
}

}  // namespace lipkin
