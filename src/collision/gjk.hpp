// The closest points of two convex cores: Gilbert, Johnson and Keerthi (1988), with the closest point of the simplex by
// cases instead of their determinants (Ericson, Real-Time Collision Detection, 2005, chapter 5.1).
#pragma once

#include <array>

#include "collision/convex.hpp"

namespace lipkin {

// Two cores in the frame of the first; the second is shifted by `shift` besides its pose.
struct CorePair {
  const ConvexCore& first;
  const ConvexCore& second;
  Transform<double> X_FS;
  Vec3d shift = Vec3d::zero();

  // Furthest point of each against the other: of the first along d, of the second against d.
  Vec3d support_first(const Vec3d& d) const { return support(first, d); }
  Vec3d support_second(const Vec3d& d) const { return X_FS * support(second, -transpose_times(X_FS.R, d)) + shift; }
  double size() const { return first.extent + second.extent; }  // [m]
  bool is_curved() const { return first.kind == CoreKind::kRound || second.kind == CoreKind::kRound; }
};

// Corners of second - first, each with the points that made it.
struct Simplex {
  struct Corner {
    Vec3d w, p_first, p_second;  // w = p_second - p_first
  };
  int count = 0;
  std::array<Corner, 4> corner;
  std::array<double, 4> weight{};  // of the point closest to the origin
};

struct ClosestPoints {
  bool overlap = false;
  bool beyond = false;      // further apart than asked for; nothing else is set then
  double distance = 0;      // [m]
  Vec3d v;                  // p_second - p_first
  Vec3d p_first, p_second;  // [m]
  Simplex simplex;
};

// The corner of second - first furthest against d.
Simplex::Corner support_corner(const CorePair& pair, const Vec3d& d);

// How far above its lower bound a distance may stay, relative to the size of the pair.
inline constexpr double kToRounding = 1e-15;
inline constexpr double kRoughly = 1e-9;  // directions to about 1e-4

// Gives up as soon as the distance is known to exceed `limit`. With kToRounding exact for corners, edges and faces;
// where there are rims and curved walls simplices shrink to points, and many steps gain little (sharpen.hpp).
ClosestPoints closest_points(const CorePair& pair, double limit, double tolerance);

// The width of the slab between the two along the unit vector n: the signed gap in that direction.
double gap_along(const CorePair& pair, const Vec3d& n);

}  // namespace lipkin
