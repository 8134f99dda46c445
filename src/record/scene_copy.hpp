// The files of a scene, kept so that the scene can be read from them alone.
#pragma once

#include <filesystem>
#include <vector>

#include "lipkin/session.hpp"

namespace lipkin {

// Throws InputError where a model finds its files by folders that a copy cannot have.
std::vector<SceneText> files_to_keep(const SceneSource& source);

// Writes them below a folder. Throws InvalidArgument where a name leads out of it; so does the next.
void write_files(const std::vector<SceneText>& files, const std::filesystem::path& folder);

// The scene as it is read from there: the folders of its packages are those below.
SceneSource source_below(const std::filesystem::path& folder, const std::string& name, SceneSource original);

}  // namespace lipkin
