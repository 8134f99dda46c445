// The contact points of one pair of shapes while they are found.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/geometry.hpp"

namespace lipkin {

struct ManifoldPoint {
  std::uint64_t feature = 0;
  double gap = 0;           // [m]
  Vec3d normal;             // unit, from the first shape to the second
  Vec3d p_first, p_second;  // on the surfaces [m]
};

using Manifold = std::vector<ManifoldPoint>;

// Names a feature by up to four numbers. Different numbers give different names but for a chance of 2^-64.
inline std::uint64_t feature_id(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0) {
  std::uint64_t h = 0;
  for (const std::uint64_t x : {a, b, c, d}) {  // the mixing step of SplitMix64 (Steele, Lea, Flood 2014)
    h += x + 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    h ^= h >> 31;
  }
  return h;
}

// Of the points in [begin, end), which share one normal, keeps four: the deepest and those that span the largest area
// with it. Ties within rounding go to the smaller feature, so that a flat contact keeps its points. Returns the new
// end.
std::size_t reduce_to_four(Manifold& manifold, std::size_t begin, std::size_t end);

inline void reduce_to_four(Manifold& manifold, std::size_t begin) { reduce_to_four(manifold, begin, manifold.size()); }

}  // namespace lipkin
