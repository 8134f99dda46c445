#include "collision/manifold.hpp"

#include <algorithm>
#include <array>

namespace lipkin {

namespace {

using Score = double (*)(const ManifoldPoint& candidate, const std::array<ManifoldPoint, 4>& kept);

double depth(const ManifoldPoint& p, const std::array<ManifoldPoint, 4>&) { return -p.gap; }

double distance_to_first(const ManifoldPoint& p, const std::array<ManifoldPoint, 4>& kept) {
  return norm(p.p_first - kept[0].p_first);
}

// Twice the signed area seen along the normal.
double area(const ManifoldPoint& a, const ManifoldPoint& b, const ManifoldPoint& c) {
  return dot(a.normal, cross(b.p_first - a.p_first, c.p_first - a.p_first));
}

double area_with_two(const ManifoldPoint& p, const std::array<ManifoldPoint, 4>& kept) {
  return std::abs(area(kept[0], kept[1], p));
}

// The largest area outside the triangle beyond one of its sides.
double area_beyond_three(const ManifoldPoint& p, const std::array<ManifoldPoint, 4>& kept) {
  const double turn = area(kept[0], kept[1], kept[2]) < 0 ? -1 : 1;
  double beyond = 0;
  for (std::size_t k = 0; k < 3; ++k) beyond = std::max(beyond, -turn * area(kept[k], kept[(k + 1) % 3], p));
  return beyond;
}

// The best-scoring point; among those that differ by rounding only, the one with the smallest feature.
std::size_t best(const Manifold& manifold, std::size_t begin, const std::array<ManifoldPoint, 4>& kept, Score score,
                 double noise) {
  double top = -1e300;
  for (std::size_t i = begin; i < manifold.size(); ++i) top = std::max(top, score(manifold[i], kept));
  std::size_t chosen = begin;
  bool found = false;
  for (std::size_t i = begin; i < manifold.size(); ++i) {
    if (score(manifold[i], kept) < top - noise) continue;
    if (!found || manifold[i].feature < manifold[chosen].feature) chosen = i;
    found = true;
  }
  return chosen;
}

}  // namespace

void reduce_to_four(Manifold& manifold, std::size_t begin) {
  if (manifold.size() - begin <= kMaxPointsPerNormal) return;
  constexpr std::array<Score, 4> kScores{depth, distance_to_first, area_with_two, area_beyond_three};
  double size = 0;
  for (std::size_t i = begin; i < manifold.size(); ++i)
    size = std::max(size, norm(manifold[i].p_first - manifold[begin].p_first));
  constexpr double kTie = 1e-9;  // relative: far above the rounding of poses, far below anything that matters
  std::array<ManifoldPoint, 4> kept;
  for (std::size_t k = 0; k < 4; ++k) {
    const double noise = kTie * (k < 2 ? size : size * size);
    kept[k] = manifold[best(manifold, begin, kept, kScores[k], noise)];
  }
  manifold.resize(begin);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto same = [&](const ManifoldPoint& p) { return p.feature == kept[k].feature; };
    if (std::none_of(manifold.begin() + static_cast<std::ptrdiff_t>(begin), manifold.end(), same))
      manifold.push_back(kept[k]);
  }
}

}  // namespace lipkin
