#include "collision/separation.hpp"

#include <algorithm>

#include "collision/convex_hull.hpp"
#include "collision/sharpen.hpp"

namespace lipkin {

namespace {

// How far apart the cores are moved before their distance is taken: far enough for the direction to be exact, near
// enough for the proximal steps to be large [m].
double working_distance(const CorePair& pair) {
  const double a = pair.first.extent, b = pair.second.extent;
  const double smaller = std::min(a, b);
  return 0.01 * (smaller > 0 ? smaller : std::max(a, b));
}

class BestDirection {
 public:
  explicit BestDirection(const CorePair& pair) : pair_(pair) {}
  void offer(const Vec3d& n) {
    const double gap = gap_along(pair_, n);
    if (found_ && !(gap > gap_)) return;
    gap_ = gap, normal_ = n, found_ = true;
  }
  const Vec3d& normal() const { return normal_; }

 private:
  const CorePair& pair_;
  bool found_ = false;
  double gap_ = 0;
  Vec3d normal_ = Vec3d::unit(2);
};

// Directions that often are the answer: the normals of flat sides. `sign` and R turn them to the frame of the pair.
void offer_flat_sides(const ConvexCore& core, const Mat3<double>& R, double sign, BestDirection& best) {
  if (core.kind == CoreKind::kBox)
    for (int k = 0; k < 3; ++k) best.offer(R.column(k)), best.offer(-R.column(k));
  if (core.kind == CoreKind::kRound) best.offer(R.column(2)), best.offer(-R.column(2));
  if (core.kind == CoreKind::kTriangle) {
    const auto& t = core.triangle;
    const Vec3d n = R * unit_or(cross(t[1] - t[0], t[2] - t[0]), Vec3d::unit(2));
    best.offer(n), best.offer(-n);
  }
  constexpr std::size_t kMaxFaces = 32;
  if (core.kind == CoreKind::kHull && core.hull->faces().size() <= kMaxFaces)
    for (const ConvexHull::Face& face : core.hull->faces()) best.offer(sign * (R * face.normal));
}

Vec3d starting_direction(const CorePair& pair, const ClosestPoints& closest, ExpandingPolytope& polytope) {
  BestDirection best(pair);
  Vec3d n;
  if (polytope.find_normal(pair, closest.simplex, n)) best.offer(n);
  const Vec3d between = pair.X_FS * pair.second.centre - pair.first.centre;
  best.offer(unit_or(between, Vec3d::unit(2)));
  if (closest.distance > 0) best.offer((1 / closest.distance) * closest.v);
  offer_flat_sides(pair.first, Mat3<double>::identity(), 1, best);
  offer_flat_sides(pair.second, pair.X_FS.R, -1, best);
  return best.normal();
}

// Points that span the gap exactly, around the middle of those given.
Separation spanned(double gap, const Vec3d& normal, const Vec3d& p_first, const Vec3d& p_second) {
  const Vec3d middle = 0.5 * (p_first + p_second);
  return {false, gap, normal, middle - 0.5 * gap * normal, middle + 0.5 * gap * normal};
}

}  // namespace

namespace {

Separation climb(CorePair pair, const Vec3d& normal, double tolerance) {
  constexpr int kMaxSteps = 60;
  const double still = tolerance > kToRounding ? 1e-3
                       : pair.is_curved()      ? 1e-5
                                               : 1e-9;  // what GJK's directions are worth
  double distance = working_distance(pair);
  const double least_distance = 0.01 * distance;
  Vec3d n = normal;
  pair.shift = Vec3d::zero();
  double gap = gap_along(pair, n);
  Separation s;
  for (int step = 0; step < kMaxSteps; ++step) {
    pair.shift = (distance - gap) * n;
    const ClosestPoints moved = closest_points(pair, 1e300, tolerance);
    const Vec3d better = unit_or(moved.v, n);
    gap = moved.distance - dot(pair.shift, better);
    s = spanned(gap, better, moved.p_first, moved.p_second - pair.shift);
    const double turn = norm(better - n);
    n = better;
    distance = std::max(0.3 * distance, least_distance);  // larger steps as the direction gets better
    if (turn < still) break;
  }
  return s;
}

}  // namespace

Separation separate_from(const CorePair& pair, const Vec3d& normal) {
  if (!pair.is_curved()) return climb(pair, normal, kToRounding);
  Separation s = climb(pair, normal, kRoughly);
  if (sharpen(pair, s)) return s;
  s = climb(pair, s.normal, kToRounding);
  sharpen(pair, s);
  return s;
}

Separation separate(const CorePair& pair, double limit, ExpandingPolytope& polytope) {
  const ClosestPoints closest = closest_points(pair, limit, pair.is_curved() ? kRoughly : kToRounding);
  if (closest.beyond) return {true, 0, Vec3d::unit(2), Vec3d::zero(), Vec3d::zero()};
  const bool direction_known = !closest.overlap && closest.distance > 1e-9 * pair.size();
  if (!direction_known) return separate_from(pair, starting_direction(pair, closest, polytope));
  Separation s{false, closest.distance, (1 / closest.distance) * closest.v, closest.p_first, closest.p_second};
  const bool good = pair.is_curved() ? sharpen(pair, s) : closest.distance >= working_distance(pair);
  return good ? s : separate_from(pair, s.normal);
}

}  // namespace lipkin
