// What is changed between two steps is seen at once by everything that depends on it.
#include <gtest/gtest.h>

#include <functional>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// A horizontal arm that a motor holds: its torque is that of the weight, m g l.
constexpr const char* kHeldArm = R"(
lipkin: 1
gravity: [0, 0, -10]
bodies: [{name: arm, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y}}]
inputs: [{name: lift, value: 0, min: -100, max: 100}]
forces: [{name: lift, body: arm, at: [0.5, 0, 0], force: [0, 0, input.lift]}]
motors: [{name: hold, joint: arm, position: 0}]
outputs: {torque: {expr: motor.hold.force, unit: N m}}
experiment: {stepper: euler, duration: 1, dt: 0.001}
)";

double first_torque(const std::function<void(Simulation&)>& change) {
  Simulation simulation(test::scene_from(kHeldArm));
  EXPECT_NEAR(simulation.output("torque"), -10, 1e-9);
  change(simulation);
  return simulation.output("torque");
}

TEST(Changed, OutputsBeforeTheFirstStepAreThoseOfNow) {
  EXPECT_NEAR(first_torque([](Simulation& s) { s.set("gravity.z", -20); }), -20, 1e-9);
  EXPECT_NEAR(first_torque([](Simulation& s) { s.set_input("lift", 5); }), -7.5, 1e-9);
  EXPECT_NEAR(first_torque([](Simulation& s) {
                s.applied_forces()[0] = 3;
                s.forces_written();
              }),
              -13, 1e-9);
  EXPECT_NEAR(first_torque([](Simulation& s) {
                ActiveDrag drag;
                drag.id = 1;
                drag.point = {0.5, 0, 0};
                drag.target = {0.5, 0, 1};
                drag.stiffness = 4 * Eigen::Matrix3d::Identity();
                s.set_drags({drag});
              }),
              -8, 1e-9);
  EXPECT_NEAR(first_torque([](Simulation& s) { s.set_stepper(StepperKind::kMoreau); }), -10, 1e-9);
  EXPECT_NEAR(first_torque([](Simulation& s) { s.set_coordinates(CoordinateKind::kMaximal); }), -10, 1e-9);
  EXPECT_NEAR(first_torque([](Simulation& s) { s.restore(s.checkpoint()); }), -10, 1e-9);
  EXPECT_NEAR(first_torque([](Simulation& s) {
                s.set("gravity.z", -20);
                s.reset();
              }),
              -10, 1e-9);
}

TEST(Changed, WhatIsSeenBeforeTheFirstStepDoesNotActOnTheRun) {
  Simulation seen(test::scene_from(kHeldArm)), unseen(test::scene_from(kHeldArm));
  for (Simulation* s : {&seen, &unseen}) s->set("gravity.z", -20);
  seen.output("torque");
  for (int i = 0; i < 20; ++i) seen.step(), unseen.step();
  EXPECT_EQ(seen.hash(), unseen.hash());
}

Scene jumping_arm(double tolerated_angle) {
  Scene scene = test::scene_from(R"(
lipkin: 1
bodies: [{name: arm, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y}}]
motors: [{name: turn, joint: arm, position: "t > 0.05 ? 0.01 : 0"}]
experiment: {stepper: euler, duration: 1, dt: 0.001}
)");
  scene.experiment.tolerated.angle = tolerated_angle;
  scene.experiment.tolerated.rate = 1e3;
  return scene;
}

TEST(Changed, ToleratedViolationsActFromTheNextStepOn) {
  Simulation strict(jumping_arm(1e-3)), generous(jumping_arm(0.1));
  EXPECT_THROW(strict.run(0.1), SimulationError);
  generous.run(0.1);
  Experiment e = strict.experiment();
  e.tolerated.angle = 0.1;
  strict.reset();
  strict.set_experiment(e);
  strict.run(0.1);
  e.tolerated.angle = 1e-3;
  generous.reset();
  generous.set_experiment(e);
  EXPECT_THROW(generous.run(0.1), SimulationError);
}

TEST(Changed, NoToleranceAtAllIsRefusedWhereverItComesFrom) {
  for (const bool angle : {true, false}) {
    Scene scene = jumping_arm(1e-3);
    (angle ? scene.experiment.tolerated.angle : scene.experiment.tolerated.rate) = 0;
    const Experiment wrong = scene.experiment;
    EXPECT_THROW(Simulation{scene}, InvalidArgument);
    Simulation simulation(jumping_arm(1e-3));
    Simulation untouched(jumping_arm(1e-3));
    EXPECT_THROW(simulation.set_experiment(wrong), InvalidArgument);
    Checkpoint checkpoint = simulation.checkpoint();
    checkpoint.experiment.tolerated = wrong.tolerated;
    EXPECT_THROW(simulation.restore(checkpoint), InvalidArgument);
    simulation.run(0.02), untouched.run(0.02);
    EXPECT_EQ(simulation.hash(), untouched.hash());
  }
}

}  // namespace
}  // namespace lipkin
