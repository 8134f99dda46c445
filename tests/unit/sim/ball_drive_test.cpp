// A prescribed speed of a freedom that has no coordinate: a rotation of a ball joint.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// In the tree, in a joint that closes a loop, and with every joint cut.
const char* const kBalls[] = {R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: b, joint: {type: ball, u: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.12, 0.15]}]
motors: [{name: m, joint: b, dof: 2, velocity: 1}]
)",
                              R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: b, joint: {type: free, u: [0, 0, 0, 0, 0, 1]}, mass: 1, inertia: [0.1, 0.12, 0.15]}]
loops: [{name: l, type: ball, from: {}, to: {body: b}}]
motors: [{name: m, joint: l, dof: 2, velocity: 1}]
)"};

// Nothing tells that it does not follow, and nothing pushes it further.
TEST(BallDrive, TurnsAsFastAsItsSpeed) {
  for (const char* text : kBalls)
    for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
      for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal})
        for (const StabilizationKind stabilization :
             {StabilizationKind::kProjection, StabilizationKind::kSplit, StabilizationKind::kBaumgarte}) {
          Scene scene = test::scene_from(text);
          scene.experiment.stepper = stepper;
          scene.experiment.coordinates = coordinates;
          scene.experiment.stabilization = stabilization;
          scene.experiment.dt = 1e-3;
          Simulation simulation(std::move(scene));
          ASSERT_NO_THROW(simulation.run(2)) << text << name_of(stepper) << name_of(coordinates);
          const Eigen::Quaterniond turned = simulation.body_motion(0).pose.orientation;
          EXPECT_NEAR(std::abs(turned.z()), std::sin(1.0), 1e-6) << text << name_of(stepper) << name_of(coordinates);
          EXPECT_NEAR(simulation.statistics().position_violation, 0, 1e-9);
        }
}

}  // namespace
}  // namespace lipkin
