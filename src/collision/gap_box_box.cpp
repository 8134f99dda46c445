// Two boxes by their fifteen separating axes (Gottschalk, Lin, Manocha 1996). Overlapping boxes come apart soonest
// along one of them. Boxes that are apart may be nearest at corners, along none of them: then the general way decides.
#include <algorithm>

#include "collision/gap_functions.hpp"

namespace lipkin {

namespace {

struct BestAxis {
  double gap = -1e300;
  Vec3d normal = Vec3d::unit(2);
  bool is_face = true;

  // `n`: unit. `noise`: how much larger the gap has to be to count as better.
  void offer(const Vec3d& n, double projected_gap, bool face, double noise) {
    if (projected_gap > gap + noise) gap = projected_gap, normal = n, is_face = face;
  }
};

// In the frame of the first box. Stops at an axis along which the boxes are `margin` apart.
BestAxis best_axis(const CorePair& pair, double margin) {
  const Vec3d &a = pair.first.half, &b = pair.second.half;
  const Mat3<double>& R = pair.X_FS.R;
  const Vec3d& t = pair.X_FS.p;
  const double noise = 1e-10 * pair.size();  // faces and the smaller number win ties, so that the choice is stable
  BestAxis best;
  const auto reach = [&](const Vec3d& n) {
    double r = 0;
    for (int k = 0; k < 3; ++k) r += a[k] * std::abs(n[k]) + b[k] * std::abs(dot(R.column(k), n));
    return r;
  };
  const auto offer = [&](const Vec3d& n, bool face) {
    const double along = dot(n, t);
    best.offer(along < 0 ? -n : n, std::abs(along) - reach(n), face, noise);
  };
  for (int k = 0; k < 3; ++k) offer(Vec3d::unit(k), true);
  for (int k = 0; k < 3; ++k) offer(R.column(k), true);
  if (best.gap >= margin) return best;
  constexpr double kParallel =
      1e-6;  // nearly parallel edges: their cross product is all rounding, and a face is as good
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Vec3d n = cross(Vec3d::unit(i), R.column(j));
      const double length = norm(n);
      if (length > kParallel) offer((1 / length) * n, false);
    }
  }
  return best;
}

}  // namespace

void box_box_contacts(const PosedShape& first, const PosedShape& second, double margin, ExpandingPolytope& polytope,
                      Manifold& manifold) {
  const CorePair pair{first.shape.core, second.shape.core, relative_pose(first.X, second.X)};
  const BestAxis axis = best_axis(pair, margin);
  if (!(axis.gap < margin)) return;
  const std::size_t begin = manifold.size();
  if (!axis.is_face || !add_face_contacts(pair, axis.normal, axis.gap, margin, manifold)) {
    const Separation s = axis.gap > 0 ? separate(pair, margin, polytope) : separate_from(pair, axis.normal);
    if (s.beyond) return;
    add_core_contacts(pair, s, margin, manifold);
  }
  points_to_world(first.X, manifold, begin);
}

}  // namespace lipkin
