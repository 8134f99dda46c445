// Scenes as the commands open them.
#pragma once

#include <string>

#include "commands.hpp"
#include "lipkin/scene.hpp"

namespace lipkin::cli {

// Reads a scene by name or path, changed as by --set; prints its warnings. A missing file gets the nearest scene name.
Scene open_scene(const std::string& name_or_path, const Overrides& overrides);

}  // namespace lipkin::cli
