// A mesh as cells of a grid: which are outside of it, and how far. Every mesh will do: an open one is the cells that
// its triangles go through, and cavities that nothing from outside reaches count as filled.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lipkin/model_builder.hpp"

namespace lipkin {

class SolidCells {
 public:
  // Along the longest side of the mesh, unless its area is so large that fewer must do.
  static constexpr int kMostAlong = 96;

  explicit SolidCells(const ShapeMesh& mesh);

  enum class Cell : std::uint8_t { kUnknown, kOutside, kSurface, kInside };

  const std::array<int, 3>& counts() const { return counts_; }
  double size() const { return size_; }  // of a cell [m]
  // The lower bound of the i-th cell along an axis [m].
  double bound(int axis, int i) const { return origin_[axis] + size_ * i; }
  int cell_along(int axis, double x) const;  // the one that holds x, clamped to the grid

  Cell at(int i, int j, int k) const { return cells_[index(i, j, k)]; }
  bool is_solid(int i, int j, int k) const { return at(i, j, k) != Cell::kOutside; }
  // From the middle of a cell to that of the nearest one that is not outside [m].
  double depth_outside(int i, int j, int k) const { return size_ * distance_[index(i, j, k)]; }

 private:
  std::size_t index(int i, int j, int k) const {
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(counts_[0]) *
               (static_cast<std::size_t>(j) + static_cast<std::size_t>(counts_[1]) * static_cast<std::size_t>(k));
  }
  void choose_size(const ShapeMesh& mesh);
  void mark(const std::array<Eigen::Vector3d, 3>& corners);
  void flood();
  void measure();
  void measure_along(int axis);

  Eigen::Vector3d origin_;
  double size_ = 0;
  std::array<int, 3> counts_{};
  std::vector<Cell> cells_;
  std::vector<float> distance_;  // in cells
};

}  // namespace lipkin
