#include "io/hulls/boxed_solid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lipkin {

BoxedSolid::BoxedSolid(const ShapeMesh& mesh, const SolidCells& cells)
    : mesh_(mesh), cells_(cells), noise_(1e-7 * cells.size()) {}

// A triangle in a plane of the box belongs to the side its back is turned to, where the solid is. One that only touches
// the plane from beyond does not count.
bool BoxedSolid::reaches_into(const CutBox& box, int triangle) const {
  for (int axis = 0; axis < 3; ++axis) {
    const auto [least, most] =
        std::minmax({corner(triangle, 0)[axis], corner(triangle, 1)[axis], corner(triangle, 2)[axis]});
    const bool touches_low = most <= box.low[axis] + noise_, touches_high = least >= box.high[axis] - noise_;
    if (!touches_low && !touches_high) continue;
    const bool is_flat = most - least <= noise_;
    const double normal =
        (corner(triangle, 1) - corner(triangle, 0)).cross(corner(triangle, 2) - corner(triangle, 0))[axis];
    if (touches_low && !(is_flat && normal < 0 && most >= box.low[axis] - noise_)) return false;
    if (touches_high && !(is_flat && normal > 0 && least <= box.high[axis] + noise_)) return false;
  }
  return true;
}

std::vector<int> BoxedSolid::triangles_in(const CutBox& box, const std::vector<int>& triangles) const {
  std::vector<int> result;
  for (const int t : triangles)
    if (reaches_into(box, t)) result.push_back(t);
  return result;
}

PolygonPoints BoxedSolid::corners_in(const CutBox& box, const std::vector<int>& triangles) const {
  PolygonPoints result, polygon, clipped;
  for (const int t : triangles) {
    polygon = {corner(t, 0), corner(t, 1), corner(t, 2)};
    for (int axis = 0; axis < 3 && !polygon.empty(); ++axis) {
      if (box.low[axis] > -CutBox::kOpen) clip(polygon, axis, box.low[axis], 1, clipped), polygon.swap(clipped);
      if (box.high[axis] < CutBox::kOpen) clip(polygon, axis, box.high[axis], -1, clipped), polygon.swap(clipped);
    }
    result.insert(result.end(), polygon.begin(), polygon.end());
  }
  for (int k = 0; k < 8; ++k) {
    const Eigen::Vector3d p(k & 1 ? box.high.x() : box.low.x(), k & 2 ? box.high.y() : box.low.y(),
                            k & 4 ? box.high.z() : box.low.z());
    if (p.allFinite() && is_inside(p)) result.push_back(p);
  }
  return result;
}

bool BoxedSolid::is_inside(const Eigen::Vector3d& p) const {
  const SolidCells::Cell cell =
      cells_.at(cells_.cell_along(0, p.x()), cells_.cell_along(1, p.y()), cells_.cell_along(2, p.z()));
  return cell == SolidCells::Cell::kSurface ? winding_number(p) > 0.5 : cell == SolidCells::Cell::kInside;
}

// The solid angle of all triangles over that of the sphere: 1 inside, 0 outside, something between near a hole
// (Jacobson, Kavan, Sorkine-Hornung 2013). Of one triangle: van Oosterom and Strackee 1983, equation 8.
double BoxedSolid::winding_number(const Eigen::Vector3d& p) const {
  double sum = 0;
  for (const std::array<int, 3>& t : mesh_.triangles) {
    const Eigen::Vector3d a = mesh_.vertices[static_cast<std::size_t>(t[0])] - p,
                          b = mesh_.vertices[static_cast<std::size_t>(t[1])] - p,
                          c = mesh_.vertices[static_cast<std::size_t>(t[2])] - p;
    const double x = a.norm(), y = b.norm(), z = c.norm();
    sum += std::atan2(a.dot(b.cross(c)), x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y);
  }
  return sum / (2 * std::numbers::pi);
}

}  // namespace lipkin
