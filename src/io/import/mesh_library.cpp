#include "io/import/mesh_library.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <set>

#include "io/import/mesh_file.hpp"
#include "model/convex_hull.hpp"

namespace lipkin {
namespace {

using Points = std::vector<Eigen::Vector3d>;

// Evenly spread on the sphere along a spiral (Saff and Kuijlaars 1997).
Eigen::Vector3d direction(int i, int count) {
  const double z = 1 - (2 * i + 1.0) / count;
  const double angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
  const double r = std::sqrt(1 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

Points farthest_points(const Points& points) {
  std::set<std::size_t> chosen;
  for (int i = 0; i < kHullDirections; ++i) {
    const Eigen::Vector3d d = direction(i, kHullDirections);
    std::size_t best = 0;
    double highest = d.dot(points[0]);
    for (std::size_t k = 1; k < points.size(); ++k) {
      const double height = d.dot(points[k]);
      if (height > highest) highest = height, best = k;
    }
    chosen.insert(best);
  }
  Points result;
  for (const std::size_t k : chosen) result.push_back(points[k]);
  return result;
}

}  // namespace

HullPoints hull_of(const ShapeMesh& mesh, const std::string& shown_name) {
  HullPoints result;
  result.is_sampled = mesh.vertices.size() > kMaxHullInput;
  const Points candidates = result.is_sampled ? farthest_points(mesh.vertices) : mesh.vertices;
  std::set<int> corners;
  for (const std::array<int, 3>& triangle : convex_hull(candidates)) corners.insert(triangle.begin(), triangle.end());
  if (corners.empty()) throw InputError({shown_name}, "the mesh is flat: it has no convex hull with an inside");
  for (const int k : corners) result.points.push_back(candidates[static_cast<std::size_t>(k)]);
  return result;
}

ShapeMesh scaled(const ShapeMesh& mesh, const Eigen::Vector3d& scale) {
  ShapeMesh result = mesh;
  for (Eigen::Vector3d& v : result.vertices) v = v.cwiseProduct(scale);
  if (scale.prod() < 0)
    for (std::array<int, 3>& t : result.triangles) std::swap(t[1], t[2]);
  return result;
}

void MeshLibrary::read(const std::filesystem::path& path, const std::string& shown_name, Entry& entry) {
  try {
    entry.mesh = read_mesh_file(path, shown_name);
    triangle_count_ += entry.mesh.triangles.size();
    if (triangle_count_ > kMaxTriangles)
      throw InputError({shown_name},
                       fmt::format("the meshes of the model have more than {} triangles together, which is the limit",
                                   kMaxTriangles));
  } catch (const InputError& error) {
    entry.mesh = {};
    entry.mistakes = error.diagnostics();
  }
}

MeshLibrary::Entry& MeshLibrary::entry(const std::filesystem::path& path, const std::string& shown_name) {
  const auto [known, is_new] = entries_.try_emplace(path);
  if (is_new) read(path, shown_name, known->second);
  if (!known->second.mistakes.empty()) throw InputError(known->second.mistakes);
  return known->second;
}

const ShapeMesh& MeshLibrary::mesh(const std::filesystem::path& path, const std::string& shown_name) {
  return entry(path, shown_name).mesh;
}

const HullPoints& MeshLibrary::hull(const std::filesystem::path& path, const std::string& shown_name) {
  Entry& found = entry(path, shown_name);
  if (!found.hull) found.hull = hull_of(found.mesh, shown_name);
  return *found.hull;
}

}  // namespace lipkin
