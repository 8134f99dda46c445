// Convex shapes as a core and a rounding: a sphere is a rounded point, a capsule a rounded segment. Distances of cores
// stay well defined while the rounded shapes overlap.
#pragma once

#include <array>
#include <cstdint>

#include "collision/geometry.hpp"

namespace lipkin {

class ConvexHull;

enum class CoreKind : std::uint8_t { kPoint, kSegment, kTriangle, kBox, kRound, kHull };

// Everything in the frame of the shape.
struct ConvexCore {
  CoreKind kind = CoreKind::kPoint;
  double rounding = 0;                 // the surface lies this far outside the core [m]
  Vec3d half = Vec3d::zero();          // box: half of each edge; segment: half of its length along z [m]
  std::array<double, 2> rim_radius{};  // round (cylinder, cone frustum): bottom and top [m]
  std::array<double, 2> rim_z{};       // and where along z [m]
  std::array<Vec3d, 3> triangle{};     // [m]
  std::array<std::uint32_t, 3> triangle_ids{0, 1, 2};  // names of its corners
  const ConvexHull* hull = nullptr;
  Vec3d centre = Vec3d::zero();  // of a ball around the core [m]
  double extent = 0;             // its radius [m]
};

// The point of the core furthest along d (any length).
Vec3d support(const ConvexCore& core, const Vec3d& d);

// A corner, edge or face of a core, as a polygon in order around it.
struct FlatFeature {
  static constexpr int kMaxCount = 32;
  int count = 0;
  std::array<Vec3d, kMaxCount> points;
  std::array<std::uint32_t, kMaxCount> ids;  // name each corner within the core

  void add(const Vec3d& point, std::uint32_t id) {
    points[static_cast<std::size_t>(count)] = point;
    ids[static_cast<std::size_t>(count)] = id;
    ++count;
  }
};

// Faces and edges that are perpendicular to the contact normal up to this sine take part as a whole.
inline constexpr double kFlatSine = 0.1;

// The feature of the core that faces along the unit vector d. Faces and edges count where they are perpendicular to d
// up to the sine given.
void find_flat_feature(const ConvexCore& core, const Vec3d& d, FlatFeature& feature, double sine = kFlatSine);

// Four points of the rim of radius r in the plane z, 90 degrees apart; the one next to the direction d is moved to
// where the rim reaches furthest along d. A rim that is perpendicular to d keeps its four points, so that they do not
// wander with the rounding of d.
std::array<Vec3d, 4> rim_points(double r, double z, const Vec3d& d);

// Below this sine between a rim's axis and a direction the rim counts as perpendicular to it: what stands never stands
// quite straight. The lowest point of the rim is missed by less than 1e-7 of its radius then.
inline constexpr double kRimNoise = 1e-7;

}  // namespace lipkin
