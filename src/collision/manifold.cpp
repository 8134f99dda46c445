#include "collision/manifold.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace lipkin {

namespace {

using Kept = std::array<ManifoldPoint, 4>;
using Score = double (*)(const ManifoldPoint& candidate, const Kept& kept);

double distance_to_first(const ManifoldPoint& p, const Kept& kept) { return norm(p.p_first - kept[0].p_first); }

// Twice the signed area seen along the normal.
double area(const ManifoldPoint& a, const ManifoldPoint& b, const ManifoldPoint& c) {
  return dot(a.normal, cross(b.p_first - a.p_first, c.p_first - a.p_first));
}

double area_with_two(const ManifoldPoint& p, const Kept& kept) { return std::abs(area(kept[0], kept[1], p)); }

// The largest area outside the triangle beyond one of its sides.
double area_beyond_three(const ManifoldPoint& p, const Kept& kept) {
  const double turn = area(kept[0], kept[1], kept[2]) < 0 ? -1 : 1;
  double beyond = 0;
  for (std::size_t k = 0; k < 3; ++k) beyond = std::max(beyond, -turn * area(kept[k], kept[(k + 1) % 3], p));
  return beyond;
}

// The best-scoring point; among those that differ by rounding only, the one with the smallest feature.
std::size_t best(std::span<const ManifoldPoint> points, const Kept& kept, Score score, double noise) {
  double top = -1e300;
  for (const ManifoldPoint& p : points) top = std::max(top, score(p, kept));
  std::size_t chosen = points.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (score(points[i], kept) < top - noise) continue;
    if (chosen == points.size() || points[i].feature < points[chosen].feature) chosen = i;
  }
  return chosen;
}

// The deepest; of points that are equally deep one that is far out.
std::size_t deepest(std::span<const ManifoldPoint> points, double noise) {
  double least = 1e300;
  Vec3d middle = Vec3d::zero();
  for (const ManifoldPoint& p : points) {
    least = std::min(least, p.gap);
    middle += (1.0 / static_cast<double>(points.size())) * p.p_first;
  }
  std::size_t chosen = points.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].gap > least + noise) continue;
    if (chosen == points.size() || norm(points[i].p_first - middle) > norm(points[chosen].p_first - middle) + noise)
      chosen = i;
  }
  return chosen;
}

}  // namespace

std::size_t reduce_to_four(Manifold& manifold, std::size_t begin, std::size_t end) {
  if (end - begin <= 4) return end;
  const std::span<const ManifoldPoint> points = std::span(manifold).subspan(begin, end - begin);
  double size = 0;
  for (const ManifoldPoint& p : points) size = std::max(size, norm(p.p_first - points[0].p_first));
  constexpr double kTie = 1e-7;  // relative: above what bodies at rest move by, below anything that matters
  Kept kept;
  kept[0] = points[deepest(points, kTie * size)];
  kept[1] = points[best(points, kept, distance_to_first, kTie * size)];
  kept[2] = points[best(points, kept, area_with_two, kTie * size * size)];
  kept[3] = points[best(points, kept, area_beyond_three, kTie * size * size)];
  std::size_t count = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const auto same = [&](const ManifoldPoint& p) { return p.feature == kept[k].feature; };
    if (std::none_of(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k), same))
      manifold[begin + count++] = kept[k];
  }
  const auto at = [&](std::size_t i) { return manifold.begin() + static_cast<std::ptrdiff_t>(i); };
  manifold.erase(at(begin + count), at(end));
  return begin + count;
}

}  // namespace lipkin
