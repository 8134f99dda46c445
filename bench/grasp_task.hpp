// The gripper of the scene `grasp`, for the peers: Z up, a cube on the ground, a palm that moves up and down, two
// fingers hinged to it about Y of which the second mirrors the first.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace lipkin::bench::grasp {

using Size = std::array<double, 3>;  // half the edges [m]

inline constexpr double kCubeHalf = 0.05;  // [m]
inline constexpr Size kCube{kCubeHalf, kCubeHalf, kCubeHalf}, kPalm{0.08, 0.03, 0.02}, kFinger{0.01, 0.02, 0.08};
inline constexpr double kCubeMass = 1, kPalmMass = 1, kFingerMass = 0.3;  // [kg]
inline constexpr double kPalmHeight = 0.20;                               // of its centre at the start [m]
inline constexpr double kHingeX = 0.06, kHingeZ = -0.02;                  // from the palm's centre; the other at -x [m]
inline constexpr double kOpening = 20 * std::numbers::pi / 180;           // of each finger at the start [rad]
inline constexpr double kClosingRate = 1, kClosingTorque = 4.8;           // of the motor [rad/s], at most [N m]
inline constexpr double kFriction = 0.6;
inline constexpr double kGravity = 9.81;                            // along -Z [m/s^2]
inline constexpr double kDuration = 13;                             // [s]
inline constexpr double kLiftBegin = 1, kLiftEnd = 3, kLift = 0.3;  // [s], [s], [m]

// Height of the palm above its start [m]: a quintic.
inline double lift(double t) {
  const double s = std::clamp((t - kLiftBegin) / (kLiftEnd - kLiftBegin), 0.0, 1.0);
  return kLift * s * s * s * (10 - 15 * s + 6 * s * s);
}

inline constexpr double kMostSlip = 0.01;  // of a cube that is held [m]

// Slip: how the cube's height above the palm changes.
class Meter {
 public:
  void observe(double t, double cube_z, double palm_z) {
    const double height = cube_z - palm_z;
    if (t <= kLiftBegin + kSlack) before_lift_ = height;
    if (t <= kLiftEnd + kSlack) after_lift_ = height;
    if (t > kLiftEnd + kSlack) slip_ = std::max(slip_, std::abs(height - after_lift_));
  }
  void report(nlohmann::json& reply) const {
    reply["slip_m"] = slip_;  // the largest, over the hold
    reply["lift_slip_m"] = std::abs(after_lift_ - before_lift_);
    reply["held"] = std::abs(after_lift_ - before_lift_) + slip_ < kMostSlip;
  }

 private:
  static constexpr double kSlack = 1e-9;  // [s]
  double before_lift_ = 0, after_lift_ = 0, slip_ = 0;
};

}  // namespace lipkin::bench::grasp
