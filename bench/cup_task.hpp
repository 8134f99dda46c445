// cup-N: spheres in a frustum of 32 facets, Z up, for the peers, and how well they lie in it.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace lipkin::bench {

using Triple = std::array<double, 3>;

struct CupPlane {
  Triple point;   // [m]
  Triple normal;  // unit, into the cup
};

struct Cup {
  explicit Cup(int sphere_count);

  static constexpr double kRadius = 0.05;   // [m]
  static constexpr double kDensity = 1000;  // [kg/m^3]
  static constexpr double kFriction = 0.3;
  static constexpr double kGravity = 9.81;   // along -Z [m/s^2]
  static constexpr double kTimeStep = 1e-3;  // [s]
  static constexpr int kFacets = 32;

  double mass() const;  // of a sphere [kg]

  int sphere_count;
  std::vector<CupPlane> planes;  // the floor, then the walls, which never end
};

struct SphereState {
  Triple position;  // [m]
  double speed;     // [m/s]
};

// Adds penetration_m (worst overlap), touching (pairs within 1e-5 m), held_speed (fastest sphere with three or more of
// them [m/s]) and fastest [m/s].
void report_pile(const Cup& cup, std::span<const SphereState> spheres, nlohmann::json& reply);

}  // namespace lipkin::bench
