// The MiniBaja: ride height by virtual work, symmetry, the radius of a slow bend, loops that stay closed, brakes.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

constexpr double kMass = 267, kGravity = 9.81, kWheelbase = 1.778;

Scene car(const std::map<std::string, double>& start = {}) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const auto& [name, value] : start)
    overrides.emplace_back("include.0.parameters", "{" + name + ": " + std::to_string(value) + "}");
  Scene scene = load_scene("minibaja", overrides);
  scene.experiment.commands.clear();
  return scene;
}

Eigen::Vector3d position(const Simulation& s, const std::string& body = "chassis") {
  return s.body_motion(s.model().body(body)).pose.position;
}

// The heading of a body's x axis in the chassis [rad].
double steered(const Simulation& s, const std::string& upright) {
  const Eigen::Quaterniond chassis = s.body_motion(s.model().body("chassis")).pose.orientation;
  const Eigen::Quaterniond wheel = s.body_motion(s.model().body(upright)).pose.orientation;
  const Eigen::Vector3d x = chassis.conjugate() * (wheel * Eigen::Vector3d::UnitX());
  return std::atan2(x.y(), x.x());
}

// The scene's springs are as long as virtual work asks for: then the design height, z = 0, is where it rests, and the
// tyres carry what the lever says: 53 % in front.
TEST(MiniBaja, RestsAtTheHeightOfVirtualWork) {
  Simulation s(car());
  EXPECT_LT(s.statistics().assembly_gap, 1e-12);
  double most = 0;
  for (int i = 0; i < 2500; ++i) {
    s.step();
    most = std::max(most, position(s).norm());
  }
  EXPECT_LT(most, 1e-9);  // an equilibrium but for rounding of 1e-16 in lengths, over 1e-4 of compliance a newton
  EXPECT_NEAR(s.output("front_left_load"), 0.53 / 2 * kMass * kGravity, 1e-4);
  EXPECT_NEAR(s.output("front_right_load"), 0.53 / 2 * kMass * kGravity, 1e-4);
  EXPECT_NEAR(s.output("rear_left_load"), 0.47 / 2 * kMass * kGravity, 1e-4);
  EXPECT_NEAR(s.output("rear_right_load"), 0.47 / 2 * kMass * kGravity, 1e-4);
}

// Dropped from 5 cm while it rolls, it comes back to the same height; rolling resistance of 80 N at the ground and air
// pitch it by some 1e-3 rad.
TEST(MiniBaja, ComesBackToThatHeight) {
  Simulation s(car({{"lift", 0.05}}));
  s.set_input("throttle", 0.05);
  s.run(10);
  EXPECT_NEAR(position(s).z(), 0, 2e-3);
  EXPECT_GT(position(s).x(), 1);
}

TEST(MiniBaja, DrivesStraightAhead) {
  Simulation s(car());
  s.set_input("throttle", 0.7);
  s.run(6);
  EXPECT_GT(position(s).x(), 20);
  // Mirror images of each other but for rounding, which a car that is stable does not amplify.
  EXPECT_LT(std::abs(position(s).y()), 1e-6);
  EXPECT_LT(std::abs(s.output("yaw_rate")), 1e-6);
  EXPECT_NEAR(s.output("front_left_load"), s.output("front_right_load"), 1e-4);
  EXPECT_NEAR(position(s, "front_left_wheel").z(), position(s, "front_right_wheel").z(), 1e-8);
  EXPECT_LT(s.statistics().position_violation, 1e-9);
}

// At walking pace the rear axle runs on a circle of L / tan(delta), delta between those of the two wheels.
TEST(MiniBaja, TurnsLikeABicycleAtLowSpeed) {
  for (const double steer : {0.3, -0.7}) {
    Simulation s(car());
    s.set_input("steer", steer);
    s.set_input("throttle", 0.06);
    s.run(12);
    const double left = steered(s, "front_left_upright"), right = steered(s, "front_right_upright");
    const double delta = std::atan(2 / (1 / std::tan(left) + 1 / std::tan(right)));
    const BodyMotion chassis = s.body_motion(s.model().body("chassis"));
    const Eigen::Vector3d rear = chassis.pose.orientation * Eigen::Vector3d(-0.53 * kWheelbase, 0, 0.28);
    const Eigen::Vector3d v = chassis.velocity + chassis.angular_velocity.cross(rear);
    const double speed = std::hypot(v.x(), v.y()), radius = speed / s.output("yaw_rate");
    EXPECT_GT(speed, 0.4);
    EXPECT_LT(speed, 3);
    EXPECT_GT(std::abs(left) * std::abs(right), 0.005);
    EXPECT_GT(steer * left, 0);
    // What the lateral forces m v²/R, a tenth of the weight at most, need of slip angles: 1 % to 3 % of delta.
    EXPECT_NEAR(radius, kWheelbase / std::tan(delta), 0.04 * std::abs(radius)) << steer;
    // The inner wheel turns further: the steering arms point to the rear axle (Ackermann).
    EXPECT_GT(std::abs(steer > 0 ? left : right), std::abs(steer > 0 ? right : left));
    EXPECT_LT(s.statistics().position_violation, 1e-9);
  }
}

// Full brakes from speed: nearly mu g, and then it stands for good.
TEST(MiniBaja, BrakesAndStands) {
  Simulation s(car());
  s.set_input("throttle", 1);
  s.run(5);
  const double v = s.output("speed"), from = position(s).x();
  EXPECT_GT(v, 8);
  s.set_input("throttle", 0);
  s.set_input("brake", 1);
  s.run(4);
  const double way = position(s).x() - from, best = v * v / (2 * 0.9 * kGravity);
  EXPECT_GT(way, best);
  EXPECT_LT(way, 1.35 * best);  // rear brakes lock late, air helps, the car pitches
  const double stopped = position(s).x();
  s.run(10);
  EXPECT_NEAR(position(s).x(), stopped, 1e-5);
  EXPECT_LT(s.output("speed"), 1e-6);
}

TEST(MiniBaja, JumpsAndGoesOn) {
  Simulation s(load_scene("minibaja-terrain"));
  double highest = 0;
  for (int i = 0; i < 5000; ++i) {
    s.step();
    highest = std::max(highest, position(s).z());
  }
  const BodyMotion chassis = s.body_motion(s.model().body("chassis"));
  EXPECT_GT(highest, 0.3);
  EXPECT_GT((chassis.pose.orientation * Eigen::Vector3d::UnitZ()).z(), 0.9);  // on its wheels
  EXPECT_LT(s.statistics().position_violation, 1e-6);
}

TEST(MiniBaja, HoldsRealTimeAt500Hz) {
  Scene scene = load_scene("minibaja");
  const double duration = scene.experiment.duration;
  Simulation s(std::move(scene));
  const auto start = std::chrono::steady_clock::now();
  while (s.state().t < duration - 1e-9) s.step();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  test::figure("minibaja: {:.1f} us a step", 1e6 * wall / static_cast<double>(s.statistics().steps));
  EXPECT_LT(wall, duration / 5);
}

}  // namespace
}  // namespace lipkin
