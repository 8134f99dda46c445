// What laws exert in the first row of a result, where what carries them turns or accelerates: closed forms, for every
// stepper that has laws and both coordinates. And under `moreau` in every row, whatever else is watched.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// Rope and rod through the lowest point at speed v; a crate on a carousel; a box on a lift that a crank drives, of
// which slider and box have m a.
const std::string kCarried =
    "lipkin: 1\n"
    "materials: {s: {friction: 1}}\n"
    "bodies:\n"
    "  - {name: p, joint: {type: free, q: [0, 0, -2, 1, 0, 0, 0], u: [4, 0, 0, 0, 0, 0]}, mass: 3, inertia: [0.001, "
    "0.001, 0.001]}\n"
    "  - {name: table, joint: {type: revolute, axis: z, at: [9, 0, 0], u: 3}, shapes: [{cylinder: {radius: 3, length: "
    "0.1}, mass: 20, contact: s}]}\n"
    "  - {name: crate, joint: {type: free, at: [9, 0, 0], q: [0.4, 0, 0.1, 1, 0, 0, 0], u: [0, 1.2, 0, 0, 0, 3]}, "
    "shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 2, contact: s}]}\n"
    "distances: [{name: rope, from: {body: world}, to: {body: p}, upper: 2}]\n"
    "motors: [{name: turn, joint: table, velocity: 3}]\n"
    "outputs:\n"
    "  rope: body.p.az\n"
    "  hold: hypot(contact.crate.table.fx, contact.crate.table.fy)\n";

// A crank turns a slider through its dead point; a tool on the slider is held by a motor of limited force.
const std::string kClamped =
    "lipkin: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - {name: crank, joint: {type: revolute, axis: y, u: 50}, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
    "  - {name: rod, parent: crank, joint: {type: revolute, axis: y, at: [0.1, 0, 0], u: -66.66666666666667}, mass: 1, "
    "com: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "  - {name: slider, joint: {type: prismatic, axis: x, q: 0.4}, mass: 2}\n"
    "  - {name: tool, parent: slider, joint: {type: prismatic, axis: x}, mass: 1}\n"
    "loops: [{name: pin, type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0.3, 0, 0]}}]\n"
    "motors:\n"
    "  - {name: run, joint: crank, velocity: 50}\n"
    "  - {name: clamp, joint: tool, velocity: 0, max_force: 1e4}\n";

Scene scene_of(const std::string& text, StepperKind stepper, CoordinateKind coordinates, double dt) {
  Scene scene = test::scene_from(text);
  scene.experiment.stepper = stepper;
  scene.experiment.coordinates = coordinates;
  scene.experiment.dt = dt;
  return scene;
}

// Of a slider at r cos(phi) + sqrt(l² - r² sin²(phi)) [m/s²].
double slider_acceleration(double r, double l, double w, double phi) {
  const double s = std::sin(phi), c = std::cos(phi), root = std::sqrt(l * l - r * r * s * s);
  return -w * w * (r * c + r * r * (c * c - s * s) / root + r * r * r * r * s * s * c * c / (root * root * root));
}

class EveryWay : public testing::TestWithParam<std::tuple<StepperKind, CoordinateKind>> {};

TEST_P(EveryWay, TheFirstRowHasWhatCarriersAskFor) {
  const auto [stepper, coordinates] = GetParam();
  for (const double dt : {1e-3, 1e-4}) {
    Simulation carried(scene_of(kCarried, stepper, coordinates, dt));
    EXPECT_NEAR(carried.output("rope"), 8, 10 * dt) << dt;    // v²/l
    EXPECT_NEAR(carried.output("hold"), 7.2, 10 * dt) << dt;  // m w² r
    const std::string watched = kClamped + "outputs: {clamp: motor.clamp.force}\n";
    Simulation clamped(scene_of(watched, stepper, coordinates, dt));
    const double right = slider_acceleration(0.1, 0.3, 50, 0);
    EXPECT_NEAR(clamped.output("clamp"), right, 1e4 * dt) << dt;
  }
}

// A motor of limited force swings an arm to and fro, which begins at rest.
TEST_P(EveryWay, TheFirstRowHasWhatAMotorAccelerates) {
  const auto [stepper, coordinates] = GetParam();
  const std::string arm =
      "lipkin: 1\n"
      "bodies: [{name: arm, joint: {type: revolute, axis: y, q: -1}, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, "
      "0.1]}]\n"
      "motors: [{name: swing, joint: arm, position: -cos(3*t), max_force: 100}]\n"
      "outputs: {torque: motor.swing.force}\n";
  const double g = 9.81,
               right = (0.1 + 2 * 0.25) * 9 - 2 * g * 0.5 * std::cos(1);  // J q'' - m g l cos(q), y down at +q
  for (const double dt : {1e-3, 1e-4}) {
    Simulation driven(scene_of(arm, stepper, coordinates, dt));
    EXPECT_NEAR(driven.output("torque"), right, 20 * dt) << dt;
  }
}

TEST_P(EveryWay, ForcesDoNotDependOnWhatElseIsWatched) {
  const auto [stepper, coordinates] = GetParam();
  for (const char* outputs : {"outputs: {clamp: motor.clamp.force}\n",
                              "outputs: {clamp: motor.clamp.force, other: joint.pin.fx, a: body.tool.ax}\n"}) {
    Simulation clamped(scene_of(kClamped + outputs, stepper, coordinates, 1e-4));
    for (int row = 1; row <= 4; ++row) {
      clamped.run(0.05, 0.05);
      const double phi = 50 * clamped.state().t;
      EXPECT_NEAR(clamped.output("clamp"), slider_acceleration(0.1, 0.3, 50, phi), 2.0) << outputs << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FirstRow, EveryWay,
                         testing::Combine(testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                                          testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal)));

}  // namespace
}  // namespace lipkin
