#include "io/hulls/hull_points.hpp"

#include <cmath>
#include <numbers>
#include <set>

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

HullPoints hull_points(const Points& points) {
  HullPoints result;
  result.is_sampled = points.size() > kMaxHullInput;
  const Points candidates = result.is_sampled ? farthest_points(points) : points;
  std::set<int> corners;
  for (const std::array<int, 3>& triangle : convex_hull(candidates)) corners.insert(triangle.begin(), triangle.end());
  for (const int k : corners) result.points.push_back(candidates[static_cast<std::size_t>(k)]);
  return result;
}

HullPoints hull_of(const ShapeMesh& mesh, const std::string& shown_name) {
  HullPoints result = hull_points(mesh.vertices);
  if (result.points.empty()) throw InputError({shown_name}, "the mesh is flat: it has no convex hull with an inside");
  return result;
}

}  // namespace lipkin
