// Prescribed speeds of coordinates that are rows: joints that close loops, and all joints in maximal coordinates. The
// coordinate is the integral of the speed, whatever corrections the loops need.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/figure.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::scene_from;

// A ram of length s = sqrt(0.41) + 0.05 t lifts a heavy arm; its piston closes the loop.
const char* const kRam = R"(
lipkin: 1
bodies:
  - {name: tip, mass: 400, com: [1, 0, 0.2], inertia: [50, 200, 200], joint: {type: revolute, axis: y}}
  - {name: barrel, mass: 5, com: [0.3, 0, 0], inertia: [0.01, 0.2, 0.2], joint: {type: revolute, axis: y, at: [0.6, 0, -0.5], q: -51.34019174590991*deg}}
  - {name: rod, parent: tip, mass: 3, com: [-0.2, 0, 0], inertia: [0.01, 0.1, 0.1], joint: {type: revolute, axis: y, at: [1, 0, 0], q: -51.34019174590991*deg}}
loops: [{name: piston, type: prismatic, axis: x, from: {body: barrel}, to: {body: rod}}]
motors: [{name: ram, joint: piston, velocity: 0.05}]
outputs: {off: "joint.piston.q - sqrt(0.41) - 0.05*t"}
)";

// A slow four-bar, driven at the pin that closes it.
const char* const kValve = R"(
lipkin: 1
bodies:
  - {name: crank, mass: 1, com: [0.05, 0, 0], inertia: [0.001, 0.001, 0.001], joint: {type: revolute, axis: z, q: 1.0}}
  - {name: coupler, parent: crank, mass: 1, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01], joint: {type: revolute, axis: z, at: [0.1, 0, 0], q: -0.8}}
  - {name: rocker, mass: 1, com: [0.1, 0, 0], inertia: [0.001, 0.01, 0.01], joint: {type: revolute, axis: z, at: [0.3, 0, 0], q: 1.5}}
loops: [{name: pin, type: revolute, axis: z, from: {body: coupler, at: [0.3, 0, 0]}, to: {body: rocker, at: [0.2, 0, 0]}}]
motors: [{name: m, joint: pin, velocity: 0.05}]
outputs: {off: "joint.pin.q - 0.05*t"}
)";

struct Driven {
  const char* name;
  const char* scene;
};

class DrivenSpeed : public testing::TestWithParam<Driven> {};

// Steps that were smaller went further astray: 0.13 m in 8 s at 2e-5 s.
TEST_P(DrivenSpeed, IsHowFarItGoes) {
  for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal})
    for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
      for (const double dt : {1e-3, 2e-4, 5e-5}) {
        Scene scene = scene_from(GetParam().scene);
        scene.experiment.coordinates = coordinates;
        scene.experiment.stepper = stepper;
        scene.experiment.dt = dt;
        Simulation simulation(std::move(scene));
        const double start = simulation.output("off");
        double off = 0;
        simulation.run(1.5, 0.01, [&](const Simulation& now) {
          off = std::max(off, std::abs(now.output("off") - start));
          return true;
        });
        test::figure("{} {} {} dt {:g}: off by {:.2g}", GetParam().name, name_of(coordinates), name_of(stepper), dt,
                     off);
        EXPECT_LT(off, 1e-11);  // 3e4 steps, each with the rounding of the coordinate
        EXPECT_LT(simulation.statistics().position_violation, 1e-10);
        EXPECT_EQ(simulation.statistics().unconverged_steps, 0u);
      }
}

INSTANTIATE_TEST_SUITE_P(Loops, DrivenSpeed, testing::Values(Driven{"ram", kRam}, Driven{"valve", kValve}),
                         [](const auto& instance) { return instance.param.name; });

// Drives and gears that contradict each other, wherever their coordinates are: no motion, and a message that says so.
// Whoever keeps the clock rounds it to multiples of the step: sums that began anew at each of those saw nothing. At an
// angle of 1e9 rad each step loses a part of its way to rounding.
TEST(DrivenSpeedFarOut, IsStoppedWhereRoundingEatsIt) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
    for (const double dt : {1e-3, 0.0009765625}) {
      Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: z, q: 1e9}}]
motors: [{name: m, joint: a, velocity: 0.1}]
)");
      scene.experiment.stepper = stepper;
      scene.experiment.dt = dt;
      Simulation simulation(std::move(scene));
      EXPECT_THROW(simulation.run(200), SimulationError) << dt << " s";
      EXPECT_GT(simulation.statistics().position_violation, 0.9e-3) << dt << " s";
    }
}

// Two motors drift apart as t^3 / 10 over a gear: at 0.058 s by 1e-3 rad/s, and a solver that shares it out leaves a
// third of that to each. However gaps are kept small, they are told before they are off by more than 1e-3 rad.
TEST(ContradictingDrives, StopWhateverKeepsGapsSmall) {
  using Z = StabilizationKind;
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
    for (const StepKind steps : {StepKind::kFixed, StepKind::kVariable})
      for (const Z stabilization : {Z::kProjection, Z::kSplit, Z::kBaumgarte, Z::kNone})
        for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
          SCOPED_TRACE(testing::Message() << static_cast<int>(stepper) << " " << static_cast<int>(steps) << " "
                                          << static_cast<int>(stabilization) << " " << static_cast<int>(coordinates));
          Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: revolute, axis: z}, mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, joint: {type: revolute, axis: z, at: [1, 0, 0]}, mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
gears: [{name: g, joint: b, of: a, ratio: 1}]
motors: [{name: ma, joint: a, position: 0}, {name: mb, joint: b, position: "0.1*t^3"}]
)");
          scene.experiment.stepper = stepper;
          scene.experiment.step = steps;
          scene.experiment.stabilization = stabilization;
          scene.experiment.coordinates = coordinates;
          scene.experiment.dt = 1e-3;
          Simulation simulation(std::move(scene));
          EXPECT_THROW(simulation.run(2), SimulationError);
          EXPECT_LT(simulation.state().t, 0.2);
        }
}

TEST(ContradictingDrives, StopWhereverTheirCoordinatesAre) {
  const std::string bodies = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: revolute, axis: z}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, joint: {type: revolute, axis: z}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: d, joint: {type: revolute, axis: z, at: [3, 0, 0]}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
loops: [{name: l, type: revolute, axis: z, from: {body: a}, to: {body: b}}]
tendons: [{name: t, joints: [{joint: a}]}]
experiment: {stepper: euler, dt: 0.001}
)";
  const char* const drives[] = {
      "motors: [{name: m, joint: a, velocity: 1}, {name: n, joint: b, velocity: 1}, {name: o, joint: l, velocity: 1}]",
      "motors: [{name: m, joint: a, velocity: 1}, {name: n, joint: b, velocity: 2}, {name: o, joint: d, velocity: 0}]\n"
      "gears: [{name: g, joint: d, of: l, ratio: 1}]",
      "motors: [{name: m, joint: a, velocity: 1}, {name: n, joint: d, velocity: 1}]\n"
      "gears: [{name: g, joint: d, of: a, ratio: 2}]",
      "motors: [{name: m, tendon: t, velocity: 1}, {name: n, joint: a, velocity: 2}]"};
  for (const char* drive : drives)
    for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal})
      for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
        for (const StabilizationKind stabilization :
             {StabilizationKind::kNone, StabilizationKind::kProjection, StabilizationKind::kSplit}) {
          SCOPED_TRACE(testing::Message() << drive << " " << name_of(coordinates) << " " << name_of(stepper) << " "
                                          << name_of(stabilization));
          Scene scene = scene_from(bodies + drive);
          scene.experiment.coordinates = coordinates;
          scene.experiment.stepper = stepper;
          scene.experiment.stabilization = stabilization;
          try {
            Simulation simulation(std::move(scene));
            simulation.run(0.1);
            ADD_FAILURE() << "it went on";
          } catch (const SimulationError& e) {
            EXPECT_NE(std::string(e.what()).find("cannot be followed"), std::string::npos) << e.what();
          }
        }
}

}  // namespace
}  // namespace lipkin
