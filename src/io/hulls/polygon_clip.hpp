// Clipping convex polygons by planes across an axis (Sutherland and Hodgman 1974).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace lipkin {

using PolygonPoints = std::vector<Eigen::Vector3d>;

// What of `polygon` has side * (x[axis] - bound) >= 0, side being 1 or -1. The two must be different objects.
inline void clip(const PolygonPoints& polygon, int axis, double bound, double side, PolygonPoints& result) {
  result.clear();
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Eigen::Vector3d& from = polygon[k];
    const Eigen::Vector3d& to = polygon[(k + 1) % polygon.size()];
    const double a = side * (from[axis] - bound), b = side * (to[axis] - bound);
    if (a >= 0) result.push_back(from);
    if ((a > 0 && b < 0) || (a < 0 && b > 0)) {
      result.push_back(from + a / (a - b) * (to - from));
      result.back()[axis] = bound;
    }
  }
}

}  // namespace lipkin
