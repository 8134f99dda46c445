// The meshes of one model: each file is read once, however many shapes use it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lipkin/model_builder.hpp"

namespace lipkin {

// Corners of a convex hull.
struct HullPoints {
  std::vector<Eigen::Vector3d> points;
  bool is_sampled = false;  // not every corner: a large mesh, seen from many directions
};

class MeshLibrary {
 public:
  static constexpr std::size_t kMaxTriangles = 2'000'000;  // of all meshes together

  // By canonical path. Throws InputError, each time the same, when the file is no mesh or the model has too many.
  const ShapeMesh& mesh(const std::filesystem::path& path, const std::string& shown_name);
  const HullPoints& hull(const std::filesystem::path& path, const std::string& shown_name);

 private:
  struct Entry {
    ShapeMesh mesh;
    std::optional<HullPoints> hull;
    std::vector<Diagnostic> mistakes;
  };
  Entry& entry(const std::filesystem::path& path, const std::string& shown_name);
  void read(const std::filesystem::path& path, const std::string& shown_name, Entry& entry);

  std::map<std::filesystem::path, Entry> entries_;
  std::size_t triangle_count_ = 0;
};

// The corners of the convex hull of a mesh. Above kMaxHullInput vertices, the farthest of them in kHullDirections
// directions: of a ball, 0.2 % of the radius is missing. Throws InputError where the mesh is flat.
inline constexpr std::size_t kMaxHullInput = 2000;
inline constexpr int kHullDirections = 1000;
HullPoints hull_of(const ShapeMesh& mesh, const std::string& shown_name);

// The mesh, scaled along its axes [-]; a mirrored one keeps its outside outside.
ShapeMesh scaled(const ShapeMesh& mesh, const Eigen::Vector3d& scale);

}  // namespace lipkin
