// Models as files: a Lipkin scene of anything, URDF of a tree, MJCF of what it has words for.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lipkin/scene.hpp"

namespace lipkin {

// The text of a file, and what of the model it could not say.
struct ExportedModel {
  std::string text;
  std::vector<Diagnostic> warnings;
};

// A scene file with the same model and experiment: parameters are numbers by now, copies are written out. Names that a
// scene does not allow are changed, with a warning.
ExportedModel write_scene(const Scene& scene);

// URDF. Throws InputError naming what it has no word for: loops, and joints other than revolute, prismatic, fixed, free
// and planar ones.
ExportedModel write_urdf(const Scene& scene);

// MJCF. Joints of several directions are written as several joints, massless links between joints are joints of the
// next body. Throws InputError naming what it has no word for: screws, free joints within a tree, and loops closed by
// other joints than ball and fixed ones.
ExportedModel write_mjcf(const Scene& scene);

// Writes a file that gets its name when it is complete; path "-" is standard output. Throws InputError where it cannot
// be created.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace lipkin
