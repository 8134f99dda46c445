#include "collision/convex.hpp"

#include <algorithm>
#include <numbers>

#include "collision/convex_hull.hpp"

namespace lipkin {

namespace {

// The unit vector along the part of d across z; x where there is none.
Vec3d radial_direction(const Vec3d& d) { return unit_or({{d[0], d[1], 0}}, Vec3d::unit(0)); }

Vec3d rim_point(const ConvexCore& core, std::size_t rim, const Vec3d& radial) {
  return {{core.rim_radius[rim] * radial[0], core.rim_radius[rim] * radial[1], core.rim_z[rim]}};
}

Vec3d support_of_round(const ConvexCore& core, const Vec3d& d) {
  const double across = std::sqrt(d[0] * d[0] + d[1] * d[1]);
  const double bottom = core.rim_radius[0] * across + core.rim_z[0] * d[2];
  const double top = core.rim_radius[1] * across + core.rim_z[1] * d[2];
  return rim_point(core, top > bottom ? 1 : 0, radial_direction(d));
}

Vec3d support_of_triangle(const ConvexCore& core, const Vec3d& d) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (dot(core.triangle[k], d) > dot(core.triangle[best], d)) best = k;
  return core.triangle[best];
}

// Bit k of a box corner's number: the sign along axis k.
Vec3d box_corner(const ConvexCore& core, std::uint32_t corner) {
  Vec3d p;
  for (int k = 0; k < 3; ++k) p[k] = (corner >> k & 1) != 0 ? core.half[k] : -core.half[k];
  return p;
}

void feature_of_box(const ConvexCore& core, const Vec3d& d, double sine, FlatFeature& feature) {
  std::uint32_t corner = 0;
  std::array<int, 3> flat{};
  int flat_count = 0;
  for (int k = 0; k < 3; ++k) {
    if (d[k] > 0) corner |= 1u << k;
    if (std::abs(d[k]) < sine) flat[static_cast<std::size_t>(flat_count++)] = k;
  }
  const std::uint32_t first = flat_count > 0 ? 1u << flat[0] : 0, second = flat_count > 1 ? 1u << flat[1] : 0;
  const std::uint32_t base = corner & ~(first | second);
  const auto add = [&](std::uint32_t c) { feature.add(box_corner(core, c), c); };
  add(base);
  if (flat_count > 0) add(base | first);
  if (flat_count > 1) add(base | first | second), add(base | second);
}

void feature_of_triangle(const ConvexCore& core, const Vec3d& d, double sine, FlatFeature& feature) {
  const auto& t = core.triangle;
  const Vec3d n = unit_or(cross(t[1] - t[0], t[2] - t[0]), Vec3d::unit(2));
  if (dot(n, n) - dot(n, d) * dot(n, d) < sine * sine) {
    for (std::size_t k = 0; k < 3; ++k) feature.add(t[k], core.triangle_ids[k]);
    return;
  }
  std::uint32_t top = 0;
  for (std::uint32_t k = 1; k < 3; ++k)
    if (dot(t[k], d) > dot(t[top], d)) top = k;
  feature.add(t[top], core.triangle_ids[top]);
  double least = sine;
  for (std::uint32_t k = 0; k < 3; ++k) {
    if (k == top) continue;
    const Vec3d edge = t[k] - t[top];
    const double rise = std::abs(dot(edge, d)) / norm(edge);
    if (!(rise < least)) continue;
    least = rise;
    feature.count = 1;
    feature.add(t[k], core.triangle_ids[k]);
  }
}

// A cap as an octagon whose corners lie on the rim; the corner next to d's lean is moved to where the rim is highest.
void feature_of_cap(const ConvexCore& core, std::size_t rim, const Vec3d& d, FlatFeature& feature) {
  constexpr int kCorners = 8;
  constexpr double kStep = 2 * std::numbers::pi / kCorners;
  const double lean = std::hypot(d[0], d[1]);
  const double angle = std::atan2(d[1], d[0]);
  const int nearest = lean > kRimNoise ? (static_cast<int>(std::lround(angle / kStep)) + kCorners) % kCorners : -1;
  for (int k = 0; k < kCorners; ++k) {
    const double at = k * kStep;
    const Vec3d radial = k == nearest ? radial_direction(d) : Vec3d{{std::cos(at), std::sin(at), 0}};
    feature.add(rim_point(core, rim, radial), static_cast<std::uint32_t>(kCorners * static_cast<int>(rim) + k));
  }
}

void feature_of_round(const ConvexCore& core, const Vec3d& d, double sine, FlatFeature& feature) {
  const double across = std::hypot(d[0], d[1]);
  const std::size_t cap = d[2] > 0 ? 1 : 0;
  if (across < sine && core.rim_radius[cap] > 0) return feature_of_cap(core, cap, d, feature);
  const Vec3d radial = radial_direction(d);
  const Vec3d bottom = rim_point(core, 0, radial), top = rim_point(core, 1, radial);
  constexpr std::uint32_t kGenerator = 16;  // after the corners of both caps
  const double rise = dot(top - bottom, d);
  const bool along_wall = std::abs(rise) < sine * norm(top - bottom);
  if (along_wall || rise <= 0) feature.add(bottom, kGenerator);
  if (along_wall || rise > 0) feature.add(top, kGenerator + 1);
}

void find_feature(const ConvexCore& core, const Vec3d& d, double sine, FlatFeature& feature) {
  switch (core.kind) {
    case CoreKind::kPoint:
      return feature.add(Vec3d::zero(), 0);
    case CoreKind::kSegment: {
      const bool lies = std::abs(d[2]) < sine;
      if (lies || d[2] < 0) feature.add({{0, 0, -core.half[2]}}, 0);
      if (lies || d[2] >= 0) feature.add({{0, 0, core.half[2]}}, 1);
      return;
    }
    case CoreKind::kTriangle:
      return feature_of_triangle(core, d, sine, feature);
    case CoreKind::kBox:
      return feature_of_box(core, d, sine, feature);
    case CoreKind::kRound:
      return feature_of_round(core, d, sine, feature);
    case CoreKind::kHull:
      return core.hull->flat_feature(d, sine, feature);
  }
}

// The ends of an edge in the order of their names, whichever of them rounding put ahead.
void sort_edge(FlatFeature& feature) {
  if (feature.count != 2 || feature.ids[0] < feature.ids[1]) return;
  std::swap(feature.points[0], feature.points[1]);
  std::swap(feature.ids[0], feature.ids[1]);
}

}  // namespace

Vec3d support(const ConvexCore& core, const Vec3d& d) {
  switch (core.kind) {
    case CoreKind::kPoint:
      return Vec3d::zero();
    case CoreKind::kSegment:
      return {{0, 0, std::copysign(core.half[2], d[2])}};
    case CoreKind::kTriangle:
      return support_of_triangle(core, d);
    case CoreKind::kBox:
      return {
          {std::copysign(core.half[0], d[0]), std::copysign(core.half[1], d[1]), std::copysign(core.half[2], d[2])}};
    case CoreKind::kRound:
      return support_of_round(core, d);
    case CoreKind::kHull:
      return core.hull->support(d);
  }
  return Vec3d::zero();
}

void find_flat_feature(const ConvexCore& core, const Vec3d& d, FlatFeature& feature, double sine) {
  feature.count = 0;
  find_feature(core, d, sine, feature);
  sort_edge(feature);
}

std::array<Vec3d, 4> rim_points(double r, double z, const Vec3d& d) {
  std::array<Vec3d, 4> points{{{{r, 0, z}}, {{0, r, z}}, {{-r, 0, z}}, {{0, -r, z}}}};
  if (std::hypot(d[0], d[1]) <= kRimNoise * norm(d)) return points;
  const std::size_t axis = std::abs(d[1]) > std::abs(d[0]) ? 1 : 0;
  const std::size_t nearest = axis + (d[static_cast<int>(axis)] < 0 ? 2 : 0);
  const Vec3d radial = radial_direction(d);
  points[nearest] = {{r * radial[0], r * radial[1], z}};
  return points;
}

}  // namespace lipkin
