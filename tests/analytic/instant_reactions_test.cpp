// Every row shows forces and accelerations of one time: what is held does not accelerate, gears and loops hold in the
// accelerations as they do in the rates, from the first row on.
#include <cmath>
#include <numbers>

#include "support/ways_to_run.hpp"

namespace lipkin {
namespace {

using test::experiment;
using test::kWays;
using test::Way;

class Instant : public testing::TestWithParam<Way> {
 protected:
  // Calls look at every row.
  template <class Look>
  void run(const std::string& scene, double dt, double duration, const Look& look) {
    Simulation simulation(test::scene_from("lipkin: 1\n" + scene + experiment(GetParam(), dt)));
    simulation.run(duration, 0, [&](const Simulation& s) {
      look(s.sample_time(), test::looked_at(s));
      return true;
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, Instant, testing::ValuesIn(kWays));

TEST_P(Instant, WhatIsHeldDoesNotAccelerateUnderAForceThatChanges) {
  run(R"(
bodies: [{name: A, mass: 10, joint: {type: prismatic, axis: x}}]
motors: [{name: hold, joint: A, velocity: 0}]
forces: [{name: shaker, body: A, force: ['1000*sin(100*t)', 0, 0]}]
outputs: {a: body.A.ax, imu: body.A.imu_ax, net: body.A.fx, motor: motor.hold.force, force: 1000*sin(100*t)}
)",
      1e-3, 0.05, [](double, auto row) {
        EXPECT_NEAR(row["a"], 0, 1e-9);
        EXPECT_NEAR(row["imu"], 0, 1e-9);
        EXPECT_NEAR(row["net"], 0, 1e-9);
        EXPECT_NEAR(row["motor"], -row["force"], 1e-9);
      });
}

// A stop that a load is lifted off, dry friction that turns round, a weld that is pulled at: before and after, never
// the one with the other.
TEST_P(Instant, ForcesThatSwitchDoSoWithTheirReactions) {
  run(R"(
bodies:
  - {name: A, mass: 10, joint: {type: prismatic, axis: z, limits: {lower: 0}}}
  - {name: B, mass: 10, joint: {type: prismatic, axis: x, friction: 50, at: [5, 0, 0]}}
  - {name: C, mass: 10, joint: {type: prismatic, axis: x, at: [0, 5, 0]}}
loops: [{name: weld, type: fixed, from: {at: [0, 5, 0]}, to: {body: C}}]
actuators:
  - {name: u, joint: A, control: "t < 0.0105 ? 0 : 200"}
  - {name: v, joint: B, control: "t < 0.0105 ? 40 : -40"}
  - {name: w, joint: C, control: "t < 0.0105 ? 0 : 1000"}
outputs: {limit: joint.A.limit, a: joint.A.a, aB: body.B.ax, tauB: joint.B.tau, aC: body.C.ax, weld: joint.weld.fx}
)",
      1e-3, 0.02, [](double t, auto row) {
        const bool before = t < 0.0105;
        EXPECT_NEAR(row["limit"], before ? 98.1 : 0, 1e-7) << t;
        EXPECT_NEAR(row["a"], before ? 0 : 20 - 9.81, 1e-8) << t;
        EXPECT_NEAR(row["aB"], 0, 1e-9) << t;
        EXPECT_NEAR(row["aC"], 0, 1e-9) << t;
        EXPECT_NEAR(row["weld"], before ? 0 : -1000, 1e-6) << t;
      });
}

TEST_P(Instant, GearsAndLoopsHoldInTheFirstAccelerations) {
  const bool by_rows = std::string(GetParam().coordinates) == "maximal";
  run(R"(
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: z, damping: 50}}
  - {name: b, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: z}}
  - {name: c, mass: 1, joint: {type: prismatic, axis: x, stiffness: 1e6, rest: 1e-4}}
  - {name: d, mass: 1, joint: {type: prismatic, axis: x, at: [0, 1, 0]}}
gears: [{name: g, joint: b, of: a, ratio: 1}]
loops: [{name: w, type: prismatic, axis: z, from: {body: c}, to: {body: d, at: [0, -1, 0]}}]
actuators: [{name: m, joint: a, control: 100}, {name: n, joint: c, control: 100}]
outputs: {a: body.a.alphaz, b: body.b.alphaz, c: body.c.ax, d: body.d.ax, fc: body.c.fx, w: joint.w.fx}
)",
      1e-3, 5e-3, [&](double t, auto row) {
        EXPECT_NEAR(row["a"], row["b"], 1e-8) << t;
        EXPECT_NEAR(row["c"], row["d"], 1e-7) << t;
        EXPECT_NEAR(row["c"], row["fc"], 1e-7) << t;
        if (t > 0 || by_rows) return;  // springs and dampers that are rows act with the velocities after the step
        EXPECT_NEAR(row["a"], 50, 1e-8);
        EXPECT_NEAR(row["c"], 100, 1e-7);
        EXPECT_NEAR(row["w"], 100, 1e-7);
      });
}

// x = r cos q + sqrt(l^2 - r^2 sin^2 q) at q' = w: its second derivative, and the force on the slider in its pin.
double slider_acceleration(double q, double w, double r, double l) {
  const double s = r * std::sin(q), c = r * std::cos(q), root = std::sqrt(l * l - s * s);
  return w * w * (-c - (c * c - s * s) / root - s * s * c * c / (root * root * root));
}

TEST_P(Instant, ADrivenSliderCrankAcceleratesAsItsKinematicsSay) {
  const bool exact = std::string(GetParam().stepper) == "euler";
  run(R"(
gravity: [0, 0, 0]
bodies:
  - {name: crank, mass: 1, inertia: [0.01, 0.01, 0.01], joint: {type: revolute, axis: y}}
  - name: rod
    parent: crank
    mass: 1
    com: [0.15, 0, 0]
    inertia: [0.01, 0.01, 0.01]
    joint: {type: revolute, axis: y, at: [0.1, 0, 0]}
  - {name: slider, mass: 2, joint: {type: prismatic, axis: x, q: 0.4}}
loops: [{name: w, type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0.3, 0, 0]}}]
motors: [{name: m, joint: crank, velocity: 10}]
outputs: {q: joint.crank.q, crank: body.crank.alphay, slider: body.slider.ax, pin: joint.w.fx, net: body.slider.fx}
)",
      1e-3, 0.2, [&](double t, auto row) {
        const double a = slider_acceleration(row["q"], 10, 0.1, 0.3);
        EXPECT_NEAR(row["crank"], 0, 1e-6) << t;  // rounding over the step: 1e-16 * 10 / 1e-3 a row, in loops
        EXPECT_NEAR(row["slider"], a, exact || t == 0 ? 1e-6 : 0.2) << t;  // of 13; moreau: first order
        EXPECT_NEAR(row["net"], 2 * row["slider"], 1e-6) << t;
        EXPECT_NEAR(std::abs(row["pin"]), std::abs(row["net"]), 1e-6) << t;
      });
}

// The whole acceleration of a prescribed position in the first row, not the half of it that a step from there begins
// with; without projection too.
TEST_P(Instant, PrescribedPositionsAccelerateFromTheFirstRowOn) {
  for (const std::string stabilization : {"projection", "baumgarte", "none"}) {
    // The feedback, and rows that drift, have accelerations of their own.
    const bool drifts = std::string(GetParam().coordinates) == "maximal" || std::string(GetParam().stepper) == "moreau";
    if (drifts && stabilization != "projection") continue;
    Simulation simulation(test::scene_from(
        "lipkin: 1\n"
        "bodies: [{name: a, mass: 2, inertia: [1, 1, 1], com: [0.5, 0, 0], joint: {type: revolute, axis: y, u: 3}}]\n"
        "motors: [{name: m, joint: a, position: 3*t + 2*t^2}]\n"
        "outputs: {a: body.a.alphay, fx: joint.a.fx}\n" +
        experiment(GetParam(), 1e-4, fmt::format("stabilization: {}", stabilization))));
    simulation.run(5e-4, 0, [&](const Simulation& s) {
      EXPECT_NEAR(s.output("a"), 4, 1e-2) << stabilization << s.sample_time();
      EXPECT_NEAR(s.output("fx"), -2 * 0.5 * 9, 2e-2) << stabilization << s.sample_time();
      return true;
    });
  }
}

}  // namespace
}  // namespace lipkin
