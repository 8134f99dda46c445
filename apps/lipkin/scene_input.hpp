// Scenes as the commands open them.
#pragma once

#include <string>

#include "commands.hpp"
#include "lipkin/session.hpp"
#include "lipkin/setting_error.hpp"

namespace lipkin::cli {

// Reads a scene by name or path, changed as by --set, or a model file; prints its warnings. A missing file gets the
// nearest scene name.
Scene open_scene(const std::string& name_or_path, const Overrides& overrides, const ModelOptions& model_options);

// The options of the command line as the library takes them. Throws UsageError for values that do not exist.
ImportOptions import_options(const ModelOptions& options);

// Where such a scene comes from, to be read again.
SceneSource source_of(const std::string& name_or_path, const Overrides& overrides, const ModelOptions& model_options);

// A setting that does not go with the model, at its place in the scene.
InputError at_its_place(const SettingError& error, const SceneSource& source);

// The warnings of a scene, which open_scene() has printed, and those of the state that its simulation begins with.
class SceneWarnings {
 public:
  explicit SceneWarnings(const Scene& scene) : of_scene_(scene.warnings), is_scene_(scene.report.format().empty()) {}

  // All of them; prints those of the start. Model files of others overlap as they please.
  std::vector<Diagnostic> with_start(const Simulation& simulation) const;

 private:
  std::vector<Diagnostic> of_scene_;
  bool is_scene_;
};

}  // namespace lipkin::cli
