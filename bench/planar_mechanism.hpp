// The plane mechanisms every engine is measured on: rods in the plane XY under gravity along -Y, pinned about Z.
// Standard library only: Lipkin and each peer turn the same description into their own form.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lipkin::bench {

using Point = std::array<double, 2>;  // x, y [m]

// A bar with a square section; its own x axis runs along it, from its first end to its second.
struct Rod {
  std::string name;              // of the body in Lipkin's scene
  double length = 0, width = 0;  // [m]
  double mass = 0;               // [kg]
  Point com{};                   // where its centre starts [m]
  double angle = 0;              // of its axis at the start [rad]
  Point velocity{};              // of its centre at the start [m/s]
  double rate = 0;               // at the start [rad/s]

  double axial_inertia() const { return mass * width * width / 6; }                 // [kg m^2]
  double inertia() const { return mass * (length * length + width * width) / 12; }  // about Y and Z [kg m^2]
};

// A hinge about Z between two rods, or between a rod and the ground.
struct Pin {
  int a = -1, b = 0;          // rods; a = -1: the ground
  double at_a = 0, at_b = 0;  // along each rod from its centre [m]
  Point ground{};             // where on the ground [m]
  double friction = 0;        // Coulomb limit [N m]
  bool slides = false;        // not a hinge: rod b slides along X through `ground`
  bool closes_loop = false;   // the others make up a tree
  bool driven = false;        // follows PlanarMechanism::drive_angle
};

struct PlanarMechanism {
  std::string name;
  double duration = 0;  // [s]
  std::vector<Rod> rods;
  std::vector<Pin> pins;
};

inline constexpr double kPlaneGravity = 9.81;  // along -Y [m/s^2]
inline constexpr double kDriveTorque = 100;    // most that the drive of the linkage has [N m]

bool is_planar_mechanism(std::string_view name);

// "five-link-chain", "peaucellier" or "slider-crank" (undriven); throws std::out_of_range for another.
PlanarMechanism planar_mechanism(std::string_view name);

// Angle of the linkage's crank at time t [rad].
double drive_angle(double t);

// What an engine says of a rod at some time.
struct RodState {
  std::array<double, 3> com{};       // [m]
  std::array<double, 3> axis{};      // unit, along the rod
  std::array<double, 3> velocity{};  // of the centre [m/s]
  double rate = 0;                   // about Z [rad/s]

  std::array<double, 3> point(double along) const {
    return {com[0] + along * axis[0], com[1] + along * axis[1], com[2] + along * axis[2]};
  }
};

// The start, exactly.
std::vector<RodState> initial_states(const PlanarMechanism& mechanism);

}  // namespace lipkin::bench
