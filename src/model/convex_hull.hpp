// Convex hulls of points, for the mass of hull shapes and to see whether points span a volume at all.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

namespace lipkin {

// The hull's surface as triangles of indices into `points`, counter-clockwise seen from outside; faces with more than
// three corners come as several triangles. Empty where the points are flat: all in a plane, on a line or in one place.
std::vector<std::array<int, 3>> convex_hull(const std::vector<Eigen::Vector3d>& points);

}  // namespace lipkin
