// Signed distance of a point from a convex shape in closed form: what spheres need.
#pragma once

#include "collision/shape.hpp"

namespace lipkin {

// The nearest point of the surface is p - distance * normal.
struct PointGap {
  double distance = 0;  // negative inside [m]
  Vec3d normal;         // unit, outward
};

// Everything in the frame of the shape. Convex shapes except hulls.
PointGap point_gap(const ConvexCore& core, const Vec3d& p);

}  // namespace lipkin
