#include "io/import/mesh_builder.hpp"

#include <fmt/format.h>

#include <bit>

#include "io/import/mesh_file.hpp"

namespace lipkin {

std::size_t MeshBuilder::Hash::operator()(const std::array<double, 3>& key) const {
  std::uint64_t hash = 0;
  for (const double x : key) {
    // The multiplier and shift of splitmix64 (Steele, Lea, Flood 2014).
    hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0xbf58476d1ce4e5b9ull;
    hash ^= hash >> 31;
  }
  return static_cast<std::size_t>(hash);
}

int MeshBuilder::index_of(const Eigen::Vector3d& vertex) {
  const std::array<double, 3> key = {vertex.x() + 0.0, vertex.y() + 0.0, vertex.z() + 0.0};  // -0 becomes 0
  const auto [known, is_new] = index_.emplace(key, static_cast<int>(mesh_.vertices.size()));
  if (is_new) mesh_.vertices.emplace_back(key[0], key[1], key[2]);
  return known->second;
}

void MeshBuilder::add_triangle(const std::array<Eigen::Vector3d, 3>& corners) {
  if (++triangle_count_ > kMaxMeshTriangles)
    throw InputError({shown_name_},
                     fmt::format("the mesh has more than {} triangles, which is the limit", kMaxMeshTriangles));
  std::array<int, 3> triangle{};
  for (std::size_t k = 0; k < 3; ++k) {
    if (!corners[k].allFinite()) throw InputError({shown_name_}, "the mesh has a vertex that is not finite");
    triangle[k] = index_of(corners[k]);
  }
  if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0])
    mesh_.triangles.push_back(triangle);
}

ShapeMesh MeshBuilder::take() {
  if (mesh_.triangles.empty()) throw InputError({shown_name_}, "the mesh has no triangles");
  return std::move(mesh_);
}

}  // namespace lipkin
