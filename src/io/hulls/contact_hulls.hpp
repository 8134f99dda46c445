// The hulls that a mesh touches as, and what a user is told of them.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "lipkin/import.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

struct ContactHulls {
  std::vector<std::vector<Eigen::Vector3d>> hulls;  // corners of each
  std::string note;                                 // "touches as 3 convex hulls, ..."
};

// For kHull and kDecompose; the mesh must be sound. Throws InputError where it is flat.
ContactHulls contact_hulls(const ShapeMesh& mesh, MeshContact how, const DecompositionOptions& options,
                           const std::string& shown_name);

// The same, remembering: copies of one mesh are decomposed once.
class HullLibrary {
 public:
  const ContactHulls& hulls(const ShapeMesh& mesh, MeshContact how, const DecompositionOptions& options,
                            const std::string& shown_name);

 private:
  struct Known {
    ShapeMesh mesh;
    MeshContact how;
    DecompositionOptions options;
    ContactHulls hulls;
  };
  std::deque<Known> known_;
};

// Whether vertices are finite and triangles name them.
bool is_sound(const ShapeMesh& mesh);

// "hull", "decompose" or "mesh".
MeshContact mesh_contact_named(std::string_view name);

}  // namespace lipkin
