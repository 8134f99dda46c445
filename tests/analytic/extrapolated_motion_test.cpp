// `moreau` with variable steps: what it hands out lies on the rows of loops and is what is reported, and smooth motion
// takes steps by its tolerances.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/figure.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::scene_from;

Scene variable(const std::string& text, double tolerance) {
  Scene scene = scene_from(text);
  Experiment& e = scene.experiment;
  e.stepper = StepperKind::kMoreau;
  e.step = StepKind::kVariable;
  e.dt = 1e-3;
  e.relative_tolerance = tolerance;
  e.absolute_tolerance = 0.01 * tolerance;
  return scene;
}

// A four-bar linkage that turns by itself; the gap of its pin, measured by two points.
const char* const kFourBar = R"yaml(
lipkin: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: crank, mass: 1, com: [0.05, 0, 0], inertia: [0.001, 0.001, 0.001], joint: {type: revolute, axis: y, q: 1.0, u: 20}}
  - {name: coupler, parent: crank, mass: 1, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01], joint: {type: revolute, axis: y, at: [0.1, 0, 0], q: -0.8}}
  - {name: rocker, mass: 1, com: [0.1, 0, 0], inertia: [0.001, 0.01, 0.01], joint: {type: revolute, axis: y, at: [0.3, 0, 0], q: 1.5}}
loops: [{name: pin, type: revolute, axis: y, from: {body: coupler, at: [0.3, 0, 0]}, to: {body: rocker, at: [0.2, 0, 0]}}]
points:
  - {name: A, body: coupler, at: [0.3, 0, 0]}
  - {name: B, body: rocker, at: [0.2, 0, 0]}
outputs:
  gap: "hypot(point.A.x - point.B.x, point.A.z - point.B.z)"
  rate: "hypot(point.A.vx - point.B.vx, point.A.vz - point.B.vz)"
)yaml";

// However loose the tolerances: what the extrapolation left open was handed out without a word.
TEST(ExtrapolatedMotion, KeepsLoopsClosed) {
  for (const double tolerance : {1e-1, 1e-2, 1e-4, 1e-6})
    for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
      Scene scene = variable(kFourBar, tolerance);
      scene.experiment.coordinates = coordinates;
      Simulation simulation(std::move(scene));
      double gap = 0, rate = 0;
      simulation.run(0.5, 0, [&](const Simulation& now) {
        gap = std::max(gap, now.output("gap")), rate = std::max(rate, now.output("rate"));
        return true;
      });
      figure("tolerance {:.0e}: gap {:.1e} m, rate {:.1e} m/s, {} steps", tolerance, gap, rate,
             simulation.statistics().steps);
      EXPECT_LT(gap, 1e-10) << tolerance;
      EXPECT_LT(rate, 1e-9) << tolerance;
    }
}

// Where nothing is projected the gaps are the extrapolation's, and reported.
TEST(ExtrapolatedMotion, ReportsTheGapsOfWhatItHandsOut) {
  for (const StabilizationKind kind : {StabilizationKind::kNone, StabilizationKind::kBaumgarte}) {
    Scene scene = variable(kFourBar, 1e-2);
    scene.experiment.stabilization = kind;
    Simulation simulation(std::move(scene));
    double gap = 0;
    simulation.run(0.5, 0, [&](const Simulation& now) {
      if (now.state().step_count > 0) gap = std::max(gap, now.output("gap"));
      return true;
    });
    EXPECT_GT(gap, 1e-6);
    EXPECT_GE(simulation.statistics().position_violation, 0.999 * gap);
  }
}

// A motor of limited force that follows a path: its steps fell to dt_min, since what it was off was closed within each
// step of whatever length, and what projection leaves of a gap counts by the step.
TEST(ExtrapolatedMotion, FollowsAPathInStepsOfItsTolerances) {
  const char* const arm = R"yaml(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: z}}]
motors: [{name: m, joint: a, position: "1 - cos(pi*t)", max_force: 100}]
outputs: {off: "joint.a.q - (1 - cos(pi*t))"}
)yaml";
  Simulation simulation(variable(arm, 1e-6));
  double off = 0;
  simulation.run(2, 0.01, [&](const Simulation& now) {
    off = std::max(off, std::abs(now.output("off")));
    return true;
  });
  figure("motor along a path: off {:.1e} rad, {} steps of {:.1e} to {:.1e} s", off, simulation.statistics().steps,
         simulation.statistics().shortest_step, simulation.statistics().longest_step);
  EXPECT_LT(off, 1e-6);
  EXPECT_LT(simulation.statistics().steps, 5000u);

  Scene linkage = load_scene("peaucellier");
  linkage.experiment.stepper = StepperKind::kMoreau;
  linkage.experiment.step = StepKind::kVariable;
  linkage.experiment.relative_tolerance = 1e-6, linkage.experiment.absolute_tolerance = 1e-8;
  Simulation driven(std::move(linkage));
  driven.run(2);
  figure("linkage: {} steps of {:.1e} to {:.1e} s", driven.statistics().steps, driven.statistics().shortest_step,
         driven.statistics().longest_step);
  EXPECT_GT(driven.statistics().shortest_step, 1e-5);
  EXPECT_LT(driven.statistics().steps, 10000u);
}

}  // namespace
}  // namespace lipkin
