// Scenes as the commands open them.
#pragma once

#include <string>

#include "commands.hpp"
#include "lipkin/session.hpp"

namespace lipkin::cli {

// Reads a scene by name or path, changed as by --set, or a model file; prints its warnings. A missing file gets the
// nearest scene name.
Scene open_scene(const std::string& name_or_path, const Overrides& overrides, const ModelOptions& model_options);

// The options of the command line as the library takes them. Throws UsageError for values that do not exist.
ImportOptions import_options(const ModelOptions& options);

// Where such a scene comes from, to be read again.
SceneSource source_of(const std::string& name_or_path, const Overrides& overrides, const ModelOptions& model_options);

}  // namespace lipkin::cli
