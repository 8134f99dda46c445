// Angles that keep their turns where a step leads through more than half of one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::scene_from;

// Screws of 1 mm/rad at 4000 rad/s: 4 rad a step of 1 ms.
const char* const kLoop = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: b, joint: {type: free, u: [0, 0, 4, 0, 0, 4000]}, mass: 1, inertia: [0.1, 0.1, 0.1]}
loops:
  - {name: j, type: screw, axis: z, pitch: 0.001, from: {}, to: {body: b}}
outputs: {q: joint.j.q, z: body.b.z, w: body.b.wz}
)";
const char* const kJoint = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: b, joint: {name: j, type: screw, axis: z, pitch: 0.001, u: 4000}, mass: 1, inertia: [0.1, 0.1, 0.1]}
outputs: {q: joint.j.q, z: body.b.z}
)";

TEST(ManyTurns, OfAScrewInOneStep) {
  for (const std::string text : {kLoop, kJoint})
    for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal})
      for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
        for (const StabilizationKind stabilization : {StabilizationKind::kProjection, StabilizationKind::kBaumgarte})
          for (const double sign : {1.0, -1.0}) {
            Scene scene = scene_from(text);
            scene.experiment.coordinates = coordinates;
            scene.experiment.stepper = stepper;
            scene.experiment.stabilization = stabilization;
            Simulation simulation(scene);
            for (double& u : simulation.velocities()) u *= sign;
            simulation.state_written();
            simulation.run(0.1);
            EXPECT_NEAR(simulation.output("q"), sign * 400, 1e-6);
            EXPECT_NEAR(simulation.output("z"), sign * 0.4, 1e-9);
          }
}

// Also where the step before was a short one, and where steps are extrapolated.
TEST(ManyTurns, WithStepsThatChange) {
  for (const StepKind step : {StepKind::kFixed, StepKind::kVariable}) {
    Scene scene = scene_from(kLoop);
    scene.experiment.stepper = StepperKind::kMoreau;
    scene.experiment.step = step;
    Simulation simulation(scene);
    for (int n = 1; n <= 20; ++n) {
      simulation.run(0.0037);
      EXPECT_NEAR(simulation.output("q"), 4000 * 0.0037 * n, 1e-6) << n;
    }
  }
}

// Between the ends of steps of several milliseconds, in each of which it turns more than once.
TEST(ManyTurns, BetweenTheEndsOfSteps) {
  for (const std::string& text : {std::string(kLoop), std::string(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: b, joint: {type: free, u: [0, 0, 4, 0, 0, 4000]}, mass: 1, inertia: [0.1, 0.1, 0.1]}]
outputs: {q: 4000*t, z: body.b.z, w: body.b.wz}
)")}) {
    Scene scene = scene_from(text);
    scene.experiment.stepper = StepperKind::kMoreau;
    scene.experiment.step = StepKind::kVariable;
    Simulation simulation(scene);
    simulation.run(0.01, 0.0013, [&](const Simulation&) {
      EXPECT_NEAR(simulation.output("q"), 4000 * simulation.sample_time(), 1e-6);
      EXPECT_NEAR(simulation.output("z"), 4 * simulation.sample_time(), 1e-9);
      EXPECT_NEAR(simulation.output("w"), 4000, 1e-6);
      return true;
    });
    EXPECT_LT(simulation.statistics().steps, 8u);
  }
}

// A gear counts turns: between cut joints at 4189 and 418.9 rad/s.
TEST(ManyTurns, OfAGear) {
  Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: revolute, axis: z, u: 4189}, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: b, joint: {type: revolute, axis: z, u: 418.9}, mass: 1, inertia: [0.1, 0.1, 0.1]}
gears: [{name: g, joint: b, of: a, ratio: 0.1}]
outputs: {a: joint.a.q, b: joint.b.q, u: joint.a.u}
)");
  scene.experiment.coordinates = CoordinateKind::kMaximal;
  Simulation simulation(scene);
  simulation.run(0.5);
  EXPECT_NEAR(simulation.output("a"), 4189 * 0.5, 1e-6);
  EXPECT_NEAR(simulation.output("b"), 418.9 * 0.5, 1e-6);
  EXPECT_NEAR(simulation.output("u"), 4189, 1e-6);
}

// What a spring stores over many turns is booked where the step leads, and nothing of it as stabilization.
TEST(ManyTurns, OfASpringAreNoWorkOfAProjection) {
  Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, joint: {type: revolute, axis: z, u: 50, stiffness: 1.0e-3}, mass: 1, inertia: [1, 1, 1]}]
outputs: {s: energy.stabilization, r: energy.residual, E: energy.total}
experiment: {dt: 0.1}
)");
  for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    scene.experiment.coordinates = coordinates;
    Simulation simulation(scene);
    simulation.run(2);
    EXPECT_NEAR(simulation.output("s"), 0, 1e-6) << name_of(coordinates);
    const double kept = 0.5 * 0.1 * 1e-3 * 100 * 50;  // besides it, by semi-implicit Euler: h k q u / 2
    EXPECT_NEAR(simulation.output("E"), 1250 - kept, 1e-3) << name_of(coordinates);
  }
}

// A loop screw that is closed 40 rad on is not open by the turns that its angle alone does not show.
TEST(ManyTurns, OfAScrewThatClosesALoopFollowFromItsAdvance) {
  for (const double angle : {40.0, -40.0, 400.0}) {
    Simulation simulation(scene_from(fmt::format(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {{name: b, joint: {{type: free, q: [0, 0, {:.17g}, {:.17g}, 0, 0, {:.17g}], u: [0, 0, 0.1, 0, 0, 1]}}, mass: 1,
     inertia: [0.1, 0.1, 0.1]}}
loops: [{{name: l, type: screw, axis: z, pitch: 0.1, from: {{}}, to: {{body: b}}}}]
outputs: {{q: joint.l.q, z: body.b.z, w: body.b.wz}}
)",
                                                 0.1 * angle, std::cos(angle / 2), std::sin(angle / 2))));
    EXPECT_LT(simulation.statistics().assembly_gap, 1e-9);
    EXPECT_NEAR(simulation.output("q"), angle, 1e-6);
    simulation.run(0.1);
    EXPECT_NEAR(simulation.output("q"), angle + 0.1, 1e-6);
    EXPECT_NEAR(simulation.output("z"), 0.1 * (angle + 0.1), 1e-6);
    EXPECT_NEAR(simulation.output("w"), 1, 1e-6);
  }
}

}  // namespace
}  // namespace lipkin
