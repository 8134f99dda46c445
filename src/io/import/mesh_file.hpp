// Triangle meshes from files: STL (binary and text), OBJ, COLLADA, glTF.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "lipkin/model_builder.hpp"

namespace lipkin {

inline constexpr std::size_t kMaxMeshBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxMeshTriangles = 500'000;

// Vertices in the units and axes of the model that names the file: COLLADA in metres by its <unit>, its <up_axis> left
// alone as ROS does; glTF turned from its y to our z upward as Drake does; STL and OBJ as they are. Equal vertices are
// one, triangles with a vertex twice are left out. Throws InputError for everything that is not such a file.
ShapeMesh read_mesh_file(const std::filesystem::path& path, const std::string& shown_name);

// The parsers, for what is in memory. `size` is checked against kMaxMeshTriangles.
ShapeMesh parse_stl(std::string_view bytes, const std::string& shown_name);
ShapeMesh parse_obj(std::string_view bytes, const std::string& shown_name);
ShapeMesh parse_with_assimp(const std::filesystem::path& path, const std::string& shown_name);

}  // namespace lipkin
