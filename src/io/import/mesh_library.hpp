// The meshes of one model: each file is read once, however many shapes use it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/hulls/contact_hulls.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

class MeshLibrary {
 public:
  static constexpr std::size_t kMaxTriangles = 2'000'000;  // of all meshes together

  // By canonical path. Throws InputError, each time the same, when the file is no mesh or the model has too many.
  const ShapeMesh& mesh(const std::filesystem::path& path, const std::string& shown_name);
  // What the scaled mesh touches as, the same way throughout a model; see contact_hulls.
  const ContactHulls& hulls(const std::filesystem::path& path, const std::string& shown_name,
                            const Eigen::Vector3d& scale, MeshContact how, const DecompositionOptions& options);

 private:
  struct Entry {
    ShapeMesh mesh;
    std::map<std::array<double, 3>, ContactHulls> hulls;  // by scale
    std::vector<Diagnostic> mistakes;
  };
  Entry& entry(const std::filesystem::path& path, const std::string& shown_name);
  void read(const std::filesystem::path& path, const std::string& shown_name, Entry& entry);

  std::map<std::filesystem::path, Entry> entries_;
  std::size_t triangle_count_ = 0;
};

// The mesh, scaled along its axes [-]; a mirrored one keeps its outside outside.
ShapeMesh scaled(const ShapeMesh& mesh, const Eigen::Vector3d& scale);

}  // namespace lipkin
