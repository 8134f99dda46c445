#include "collision/point_gap.hpp"

#include <algorithm>
#include <limits>

#include "lipkin/error.hpp"

namespace lipkin {

namespace {

PointGap gap_to_segment(const ConvexCore& core, const Vec3d& p) {
  const Vec3d v = {{p[0], p[1], p[2] - std::clamp(p[2], -core.half[2], core.half[2])}};
  const double distance = norm(v);
  return {distance, distance > 0 ? (1 / distance) * v : Vec3d::unit(0)};
}

PointGap gap_to_box(const ConvexCore& core, const Vec3d& p) {
  Vec3d beyond;
  int shallowest = 0;
  double depth = std::numeric_limits<double>::max();
  for (int k = 0; k < 3; ++k) {
    const double excess = std::abs(p[k]) - core.half[k];
    beyond[k] = std::copysign(std::max(excess, 0.0), p[k]);
    if (-excess < depth) depth = -excess, shallowest = k;
  }
  const double distance = norm(beyond);
  if (distance > 0) return {distance, (1 / distance) * beyond};
  Vec3d n = Vec3d::zero();
  n[shallowest] = std::copysign(1.0, p[shallowest]);
  return {-depth, n};
}

struct Meridian {
  double l, z;
};

// The outline of a solid of revolution in the half-plane through its axis and the point: three sides, bottom, wall and
// top. l is the distance from the axis.
PointGap gap_to_round(const ConvexCore& core, const Vec3d& p) {
  const double bottom = core.rim_radius[0], top = core.rim_radius[1], z0 = core.rim_z[0], z1 = core.rim_z[1];
  const Meridian at{std::hypot(p[0], p[1]), p[2]};
  const Meridian corners[4] = {{0, z0}, {bottom, z0}, {top, z1}, {0, z1}};
  double nearest = std::numeric_limits<double>::max(), inside = std::numeric_limits<double>::max();
  Meridian out{1, 0}, side{1, 0};  // directions: from the nearest point, and outward of the nearest side
  for (int k = 0; k < 3; ++k) {
    const Meridian a = corners[k], d{corners[k + 1].l - a.l, corners[k + 1].z - a.z};
    const double length = std::hypot(d.l, d.z);
    if (!(length > 0)) continue;
    const Meridian normal{d.z / length, -d.l / length};
    const double depth = -((at.l - a.l) * normal.l + (at.z - a.z) * normal.z);
    if (depth < inside) inside = depth, side = normal;
    const double t = std::clamp(((at.l - a.l) * d.l + (at.z - a.z) * d.z) / (length * length), 0.0, 1.0);
    const Meridian v{at.l - a.l - t * d.l, at.z - a.z - t * d.z};
    if (std::hypot(v.l, v.z) < nearest) nearest = std::hypot(v.l, v.z), out = v;
  }
  const Vec3d radial = unit_or({{p[0], p[1], 0}}, Vec3d::unit(0));
  const bool outside = inside < 0 && nearest > 0;
  const Meridian n = outside ? Meridian{out.l / nearest, out.z / nearest} : side;
  return {outside ? nearest : -inside, {{n.l * radial[0], n.l * radial[1], n.z}}};
}

}  // namespace

PointGap point_gap(const ConvexCore& core, const Vec3d& p) {
  PointGap r;
  switch (core.kind) {
    case CoreKind::kSegment:
      r = gap_to_segment(core, p);
      break;
    case CoreKind::kBox:
      r = gap_to_box(core, p);
      break;
    case CoreKind::kRound:
      r = gap_to_round(core, p);
      break;
    case CoreKind::kPoint:
      r = {norm(p), unit_or(p, Vec3d::unit(2))};
      break;
    case CoreKind::kTriangle:
    case CoreKind::kHull:
      throw InternalError("point_gap: no closed form for this core");
  }
  r.distance -= core.rounding;
  return r;
}

}  // namespace lipkin
