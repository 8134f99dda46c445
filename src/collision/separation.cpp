#include "collision/separation.hpp"

#include <algorithm>
#include <array>

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

// The few best of the directions offered, the best first, none near another.
class BestDirections {
 public:
  explicit BestDirections(const CorePair& pair) : pair_(pair) {}

  void offer(const Vec3d& n) {
    Entry entry{gap_along(pair_, n), n};
    for (std::size_t k = 0; k < count_; ++k) {  // takes the place of the first that is worse, which moves on
      const bool near = dot(entry.n, entries_[k].n) > kNear;
      if (near && entry.gap <= entries_[k].gap) return;
      if (entry.gap > entries_[k].gap) std::swap(entry, entries_[k]);
      if (near) return;
    }
    if (count_ < entries_.size()) entries_[count_++] = entry;
  }
  std::size_t count() const { return count_; }
  const Vec3d& normal(std::size_t k) const { return entries_[k].n; }

 private:
  struct Entry {
    double gap = 0;
    Vec3d n;
  };
  static constexpr double kNear = 0.97;  // cosine

  const CorePair& pair_;
  std::array<Entry, 4> entries_;
  std::size_t count_ = 0;
};

// Directions that often are the answer: the normals of flat sides and walls. `sign` and R turn them to the frame of the
// pair, `other` lies in the middle of the other core.
void offer_sides(const ConvexCore& core, const Transform<double>& X, double sign, const Vec3d& other,
                 BestDirections& best) {
  if (core.kind == CoreKind::kBox)
    for (int k = 0; k < 3; ++k) best.offer(X.R.column(k)), best.offer(-X.R.column(k));
  if (core.kind == CoreKind::kRound) {
    const Vec3d axis = X.R.column(2), between = other - X * core.centre;
    best.offer(axis), best.offer(-axis);
    best.offer(sign * unit_or(between - dot(between, axis) * axis, any_perpendicular(axis)));
  }
  if (core.kind == CoreKind::kTriangle) {
    const auto& t = core.triangle;
    const Vec3d n = X.R * unit_or(cross(t[1] - t[0], t[2] - t[0]), Vec3d::unit(2));
    best.offer(n), best.offer(-n);
  }
  constexpr std::size_t kMaxFaces = 32;
  if (core.kind == CoreKind::kHull && core.hull->faces().size() <= kMaxFaces)
    for (const ConvexHull::Face& face : core.hull->faces()) best.offer(sign * (X.R * face.normal));
}

BestDirections starting_directions(const CorePair& pair, const ClosestPoints& closest, ExpandingPolytope& polytope) {
  BestDirections best(pair);
  Vec3d n;
  if (polytope.find_normal(pair, closest.simplex, n)) best.offer(n);
  const Vec3d first = pair.first.centre, second = pair.X_FS * pair.second.centre;
  best.offer(unit_or(second - first, Vec3d::unit(2)));
  if (closest.distance > 0) best.offer((1 / closest.distance) * closest.v);
  offer_sides(pair.first, Transform<double>::identity(), 1, second, best);
  offer_sides(pair.second, pair.X_FS, -1, first, best);
  return best;
}

// Points that span the gap exactly, around the middle of those given.
Separation spanned(double gap, const Vec3d& normal, const Vec3d& p_first, const Vec3d& p_second) {
  const Vec3d middle = 0.5 * (p_first + p_second);
  return {false, gap, normal, middle - 0.5 * gap * normal, middle + 0.5 * gap * normal};
}

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
    pair.shift = std::max(distance - gap, 0.0) * n;
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

namespace {

// EPA finds the best direction where corners, edges and faces decide. It gives up early on curved walls, and a climb
// may end on a lower summit then: deep overlaps are tried from several sides.
Separation separate_overlapping(const CorePair& pair, const BestDirections& starts) {
  Separation s = separate_from(pair, starts.normal(0));
  if (!pair.is_curved() || -s.gap < 0.1 * working_distance(pair)) return s;
  for (std::size_t k = 1; k < starts.count(); ++k) {
    const Separation other = separate_from(pair, starts.normal(k));
    if (other.gap > s.gap) s = other;
  }
  return s;
}

}  // namespace

Separation separate(const CorePair& pair, double limit, ExpandingPolytope& polytope) {
  const ClosestPoints closest = closest_points(pair, limit, pair.is_curved() ? kRoughly : kToRounding);
  if (closest.beyond) return {true, 0, Vec3d::unit(2), Vec3d::zero(), Vec3d::zero()};
  const bool direction_known = !closest.overlap && closest.distance > 1e-9 * pair.size();
  if (!direction_known) return separate_overlapping(pair, starting_directions(pair, closest, polytope));
  Separation s{false, closest.distance, (1 / closest.distance) * closest.v, closest.p_first, closest.p_second};
  const bool good = pair.is_curved() ? sharpen(pair, s) : closest.distance >= working_distance(pair);
  return good ? s : separate_from(pair, s.normal);
}

}  // namespace lipkin
