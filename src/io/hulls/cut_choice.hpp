// Where to cut a part of a solid in two so that the hulls of the pieces fit it best.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "io/hulls/solid_cells.hpp"

namespace lipkin {

// Cells from low up to high, which is not among them.
struct CellRange {
  std::array<int, 3> low{}, high{};
};

struct Cut {
  int axis = 0;
  int cell = 0;     // the first one of the upper piece
  double at = 0;    // the plane [m]
  double cost = 0;  // volume of both hulls, and a little for unequal pieces, in cells
};

class CutChoice {
 public:
  // The cells must live as long.
  CutChoice(const ShapeMesh& mesh, const SolidCells& cells);

  // None where the range is a single cell or empty.
  std::optional<Cut> best_cut(const CellRange& range) const;

 private:
  // A face of the mesh across an axis.
  struct Face {
    double at = 0, area = 0;  // [m], [m^2]
  };

  std::vector<int> candidates(const CellRange& range, int axis) const;
  Cut cut_at(const CellRange& range, int axis, int cell) const;
  double hull_volume(const CellRange& range) const;
  void collect_faces(const ShapeMesh& mesh, int axis);

  const SolidCells& cells_;
  std::array<std::vector<Face>, 3> faces_;  // for every bound between cells the largest one near it; area 0: none
};

}  // namespace lipkin
