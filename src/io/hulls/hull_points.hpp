// The corners of convex hulls of points and meshes.
#pragma once

#include <string>
#include <vector>

#include "lipkin/model_builder.hpp"

namespace lipkin {

// Corners of a convex hull.
struct HullPoints {
  std::vector<Eigen::Vector3d> points;
  bool is_sampled = false;  // not every corner: a large mesh, seen from many directions
};

// Above kMaxHullInput points, the farthest of them in kHullDirections directions: of a ball, 0.2 % of the radius is
// missing.
inline constexpr std::size_t kMaxHullInput = 2000;
inline constexpr int kHullDirections = 1000;

// Empty where the points are flat.
HullPoints hull_points(const std::vector<Eigen::Vector3d>& points);

// Of a mesh's vertices. Throws InputError where they are flat.
HullPoints hull_of(const ShapeMesh& mesh, const std::string& shown_name);

}  // namespace lipkin
