// The signed gap of two convex cores, its direction and the points that span it, before and after touching.
//
// For a unit vector n let f(n) = min over second of n.x - max over first of n.x, the width of the slab between the two.
// The gap is the largest f(n): the distance while the cores are apart, minus the shortest way out when they overlap.
// Where the cores are apart GJK finds it. Where they touch or overlap we climb f by the proximal point method,
//     n <- argmax f(m) + c m.n,
// each step of which is the distance of the cores after the second was moved by c n, far enough to be apart: a convex
// problem that GJK solves to rounding. Every step raises f; the steps contract by about (depth / radius of curvature)
// and end at once where a face or a pair of edges decides. EPA gives the start.
#pragma once

#include "collision/epa.hpp"
#include "collision/gjk.hpp"

namespace lipkin {

struct Separation {
  bool beyond = false;      // gap above the limit; nothing else is set then
  double gap = 0;           // of the cores [m]
  Vec3d normal;             // unit, from the first to the second
  Vec3d p_first, p_second;  // on the cores; p_second - p_first = gap * normal
};

// All in the frame of the first core.
Separation separate(const CorePair& pair, double limit, ExpandingPolytope& polytope);

// The same starting from a direction that is known to be near the best.
Separation separate_from(const CorePair& pair, const Vec3d& normal);

}  // namespace lipkin
