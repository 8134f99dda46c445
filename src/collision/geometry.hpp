// Small helpers of the gap functions.
#pragma once

#include <cmath>

#include "spatial/transform.hpp"

namespace lipkin {

using Vec3d = Vec3<double>;

// v scaled to length 1; `fallback` where v has no direction.
inline Vec3d unit_or(const Vec3d& v, const Vec3d& fallback) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : fallback;
}

// A unit vector perpendicular to the unit vector n, always the same for the same n.
inline Vec3d any_perpendicular(const Vec3d& n) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(n[k]) < std::abs(n[least])) least = k;
  return unit_or(cross(n, Vec3d::unit(least)), Vec3d::unit(least));
}

// The pose of B in A, from the poses of both in the world.
inline Transform<double> relative_pose(const Transform<double>& X_WA, const Transform<double>& X_WB) {
  return {transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, X_WB.p - X_WA.p)};
}

}  // namespace lipkin
