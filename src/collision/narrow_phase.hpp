// Picks the gap function of a pair by the kinds of its shapes.
#pragma once

#include "collision/gap_functions.hpp"

namespace lipkin {

// Is there a gap function for shapes of these kinds, in either order?
bool has_gap_function(ShapeKind a, ShapeKind b);

class NarrowPhase {
 public:
  // Replaces the manifold by the points of the pair with a gap below `margin`, sorted by feature; normals from a to b.
  void find_contacts(const PosedShape& a, const PosedShape& b, double margin, Manifold& manifold);

 private:
  void find_ordered(const PosedShape& first, const PosedShape& second, double margin, Manifold& manifold);

  GapScratch scratch_;
};

}  // namespace lipkin
