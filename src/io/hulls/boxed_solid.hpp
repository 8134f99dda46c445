// The corners of what lies in a box of the solid that a mesh bounds.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "io/hulls/polygon_clip.hpp"
#include "io/hulls/solid_cells.hpp"

namespace lipkin {

// Bounds along the axes [m]; infinite where nothing was cut off.
struct CutBox {
  static constexpr double kOpen = std::numeric_limits<double>::infinity();
  Eigen::Vector3d low = Eigen::Vector3d::Constant(-kOpen), high = Eigen::Vector3d::Constant(kOpen);
};

class BoxedSolid {
 public:
  // Both must live as long. The mesh's triangles are counter-clockwise seen from outside.
  BoxedSolid(const ShapeMesh& mesh, const SolidCells& cells);

  // Those of `triangles` that reach into the box.
  std::vector<int> triangles_in(const CutBox& box, const std::vector<int>& triangles) const;

  // Every corner of the intersection: the corners of the clipped triangles, and those of the box that lie inside. Of an
  // open surface, its own pieces only.
  PolygonPoints corners_in(const CutBox& box, const std::vector<int>& triangles) const;

 private:
  const Eigen::Vector3d& corner(int triangle, std::size_t k) const {
    return mesh_.vertices[static_cast<std::size_t>(mesh_.triangles[static_cast<std::size_t>(triangle)][k])];
  }
  bool reaches_into(const CutBox& box, int triangle) const;
  bool is_inside(const Eigen::Vector3d& p) const;
  double winding_number(const Eigen::Vector3d& p) const;

  const ShapeMesh& mesh_;
  const SolidCells& cells_;
  double noise_;  // what is this near to a plane lies in it [m]
};

}  // namespace lipkin
