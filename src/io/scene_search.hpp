// Where scenes are: a file that the user names, or one of Lipkin's own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lipkin {

// The file of a scene given by path or name. Throws InputError, with the nearest name, when there is none.
std::filesystem::path find_scene(const std::string& name_or_path);

// The folders with Lipkin's own scenes, in the order they are searched: $LIPKIN_SCENES, the source tree, the
// installation.
std::vector<std::filesystem::path> scene_folders();

}  // namespace lipkin
