// Actuators on bodies and on several directions of a joint, activations, controls, and the limits of servos and balls.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::joint_of;

constexpr double kGravity = 9.81, kMass = 0.8;

void watch(ModelBuilder& builder, const std::string& expression) {
  builder.add(OutputSpec{expression, expression, "", {}});
}

ActuatorSpec rotor(const std::string& name, const Eigen::Vector3d& at, double torque) {
  ActuatorSpec spec;
  spec.name = name;
  spec.body = "drone";
  spec.frame.position = at;
  spec.force = {0, 0, 1};
  spec.torque = {0, 0, torque};
  return spec;
}

ModelBuilder drone() {
  ModelBuilder builder;
  builder.add(test::body_with("drone", kMass, {0, 0, 0}, {0.01, 0.02, 0.03}));
  builder.add(joint_of("free", JointType::kFree, kWorldName, "drone"));
  builder.add(rotor("left", {0, 0.1, 0}, 0.02));
  builder.add(rotor("right", {0, -0.1, 0}, -0.02));
  for (const char* name : {"body.drone.z", "body.drone.vz", "body.drone.wz", "actuator.left.force"})
    watch(builder, name);
  return builder;
}

class Actuators : public testing::TestWithParam<CoordinateKind> {
 protected:
  Scene scene_of(const ModelBuilder& builder, StepperKind stepper, double dt) const {
    Scene scene = test::scene_of(builder.build(), stepper, dt);
    scene.experiment.coordinates = GetParam();
    return scene;
  }
  Simulation simulation_of(const ModelBuilder& builder, double dt) const {
    return Simulation(scene_of(builder, StepperKind::kEuler, dt));
  }
};

INSTANTIATE_TEST_SUITE_P(Coordinates, Actuators,
                         testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(Actuators, DroneHoversClimbsAndTurnsByItsControls) {
  Simulation simulation = simulation_of(drone(), 1e-3);
  simulation.watch_balance();
  for (double& control : simulation.controls()) control = kMass * kGravity / 2;
  simulation.run(1);
  EXPECT_NEAR(simulation.output("body.drone.z"), 0, 1e-12);
  EXPECT_NEAR(simulation.output("actuator.left.force"), kMass * kGravity / 2, 1e-12);
  simulation.set("control.left", 5);
  simulation.set("actuator.right.control", 5);
  simulation.run(1);
  const double climb = 10 / kMass - kGravity;
  EXPECT_NEAR(simulation.output("body.drone.vz"), climb, 1e-10);
  EXPECT_NEAR(simulation.output("body.drone.z"), climb / 2, 1e-3 * climb);  // first order in the step of 1 ms
  const EnergyBalance& balance = simulation.energy_balance();
  const double stored = balance.stored.total() - balance.initial;
  EXPECT_NEAR(balance.motors, stored, 1e-2 * stored);  // likewise
}

TEST_P(Actuators, RotorsTurnTheBodyTheyAreOn) {
  ModelBuilder builder = drone();
  builder.set_gravity({0, 0, 0});
  Simulation simulation = simulation_of(builder, 1e-3);
  simulation.set("control.left", 2);
  simulation.set("control.right", 2);
  simulation.run(0.5);
  EXPECT_NEAR(simulation.output("body.drone.wz"), 0, 1e-12);  // the torques cancel
  simulation.set("control.left", 0);
  simulation.set("control.right", 0);
  simulation.run(0.1);
  simulation.set("control.left", 1e-4);
  simulation.step();
  const BodyMotion motion = simulation.body_motion(0);
  EXPECT_NEAR(motion.angular_velocity.x(), 1e-3 * 1e-4 * 0.1 / 0.01, 1e-14);
  EXPECT_NEAR(motion.angular_velocity.z(), 1e-3 * 1e-4 * 0.02 / 0.03, 1e-14);
}

// Two free bodies that push each other keep their momentum; the work goes into their motion.
TEST_P(Actuators, ActionIsReaction) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  for (const char* name : {"a", "b"}) {
    builder.add(test::body_with(name, name[0] == 'a' ? 1 : 3, {0.1, 0, 0}, {0.1, 0.2, 0.25}));
    JointSpec free = joint_of(std::string("free ") + name, JointType::kFree, kWorldName, name);
    free.q = {name[0] == 'a' ? 0.0 : 1.0, 0.2, 0, 0.8, 0.6, 0, 0};
    builder.add(free);
  }
  ActuatorSpec spec;
  spec.name = "push";
  spec.body = "a";
  spec.frame.position = {0.2, 0.1, -0.3};
  spec.force = {1, 2, -0.5};
  spec.torque = {0.3, -0.2, 0.1};
  spec.against = "b";
  spec.against_axes = Eigen::Quaterniond(0.5, 0.5, -0.5, 0.5);
  spec.control.source = 1.5;
  builder.add(spec);
  for (const char* name : {"momentum.px", "momentum.lz", "momentum.ly", "energy.kinetic"}) watch(builder, name);
  Simulation simulation = simulation_of(builder, 1e-4);
  simulation.watch_balance();
  simulation.run(1);
  for (const char* name : {"momentum.px", "momentum.ly", "momentum.lz"}) {
    // Positions move a step after the velocities: the lever arms are off by less than a step's way.
    EXPECT_NEAR(simulation.output(name), 0, 1e-3) << name;
  }
  EXPECT_NEAR(simulation.energy_balance().motors, simulation.output("energy.kinetic"),
              1e-3 * simulation.output("energy.kinetic"));
}

// One control with a gear for each direction pulls as one actuator for each.
TEST_P(Actuators, GearsOfABallJointActTogether) {
  const auto end = [&](bool together) {
    ModelBuilder builder;
    builder.add(test::body_with("bob", 2, {0, 0, -0.5}, {0.1, 0.2, 0.25}));
    builder.add(joint_of("ball", JointType::kBall, kWorldName, "bob"));
    const double gears[] = {0.7, -1.1, 0.4};
    ActuatorSpec spec;
    spec.name = "all";
    spec.joint = "ball";
    spec.control.source = ExpressionText{"3*cos(5*t)"};
    if (together) {
      spec.gears.assign(std::begin(gears), std::end(gears));
      builder.add(spec);
    }
    for (int k = 0; k < 3 && !together; ++k) {
      spec.name = fmt::format("one{}", k);
      spec.dof = k;
      spec.gear = gears[k];
      builder.add(spec);
    }
    Simulation simulation = simulation_of(builder, 1e-3);
    simulation.run(1);
    return simulation.body_motion(0).pose.orientation;
  };
  EXPECT_LE(end(true).angularDistance(end(false)), 1e-12);
}

ModelBuilder sliding_block(ActuatorSpec drive) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("block", 2, {0, 0, 0}, {1, 1, 1}));
  builder.add(joint_of("slide", JointType::kPrismatic, kWorldName, "block"));
  drive.name = "drive";
  drive.joint = "slide";
  builder.add(drive);
  for (const char* name : {"joint.slide.q", "joint.slide.u", "actuator.drive.force"}) watch(builder, name);
  return builder;
}

// v = F/m (t - T (1 - exp(-t/T))) for a force that follows its control with time constant T.
TEST(Activation, FilterFollowsTheControl) {
  constexpr double kForce = 3, kTime = 0.2;
  ActuatorSpec drive;
  drive.control.source = kForce;
  drive.activation = {ActivationKind::kFilter, kTime, 0};
  Simulation simulation(test::scene_of(sliding_block(drive).build(), StepperKind::kRk4, 0.01));
  simulation.watch_balance();
  simulation.run(0.7);
  const auto speed = [&](double t) { return kForce / 2 * (t + kTime * std::expm1(-t / kTime)); };
  // Simpson's rule over steps of a twentieth of T: (h/T)^4 / 2880 of 1.5 m/s.
  EXPECT_NEAR(simulation.output("joint.slide.u"), speed(0.7), 5e-9);
  EXPECT_NEAR(simulation.output("actuator.drive.force"), -kForce * std::expm1(-0.7 / kTime), 1e-12);
  EXPECT_NEAR(simulation.energy_balance().motors, simulation.energy().kinetic, 1e-7);
  // From there to another control.
  const double before = simulation.output("joint.slide.u"), there = simulation.output("actuator.drive.force");
  simulation.set("control.drive", -1);
  simulation.run(0.5);
  EXPECT_NEAR(simulation.output("actuator.drive.force"), -1 + (there + 1) * std::exp(-0.5 / kTime), 1e-12);
  EXPECT_NEAR(simulation.output("joint.slide.u"), before + (-0.5 - (there + 1) * kTime * std::expm1(-0.5 / kTime)) / 2,
              5e-9);
}

TEST(Activation, IntegratorAddsUpWithinItsRange) {
  ActuatorSpec drive;
  drive.control.source = 2.0;
  drive.activation = {ActivationKind::kIntegrator, 0, 0.5, -1, 1.5};
  Simulation simulation(test::scene_of(sliding_block(drive).build(), StepperKind::kRk4, 0.01));
  simulation.run(0.5);
  EXPECT_NEAR(simulation.output("actuator.drive.force"), 1.5, 1e-12);
  EXPECT_NEAR(simulation.output("joint.slide.u"), (0.5 * 0.5 + 0.25) / 2, 1e-12);
  simulation.run(0.5);
  EXPECT_NEAR(simulation.output("actuator.drive.force"), 1.5, 1e-12);
  simulation.set("actuator.drive.control", -1);
  simulation.run(0.4);
  EXPECT_NEAR(simulation.output("actuator.drive.force"), 1.1, 1e-12);
}

TEST(Activation, IsPartOfTheStateAndOfEditedModels) {
  ActuatorSpec drive;
  drive.control.source = 3.0;
  drive.activation = {ActivationKind::kFilter, 0.2, 0.1};
  Simulation whole(test::scene_of(sliding_block(drive).build(), StepperKind::kEuler, 0.01));
  whole.run(0.3);
  const State middle = whole.state();
  const Checkpoint checkpoint = whole.checkpoint();
  whole.run(0.3);
  Simulation again(test::scene_of(sliding_block(drive).build(), StepperKind::kEuler, 0.01));
  EXPECT_NE(again.hash(), whole.hash());
  again.restore(middle);
  again.run(0.3);
  EXPECT_EQ(again.hash(), whole.hash());
  again.restore(checkpoint);
  again.change_model(again.model());
  again.run(0.3);
  EXPECT_EQ(again.output("actuator.drive.force"), whole.output("actuator.drive.force"));
  again.set_coordinates(CoordinateKind::kMaximal);
  EXPECT_NEAR(again.output("actuator.drive.force"), whole.output("actuator.drive.force"), 1e-15);
}

// A servo whose target is a filtered control: m q'' = k (a - q) - d q', a = c (1 - exp(-t/T)). With k = 200 N/m,
// d = 40 N s/m and m = 2 kg both of its own rates are 10/s.
TEST_P(Actuators, ServoFollowsAFilteredControl) {
  constexpr double kTime = 0.25, kRate = 10, kTarget = 0.3;
  const auto run = [&](double dt) {
    ModelBuilder builder;
    builder.set_gravity({0, 0, 0});
    builder.add(test::body_with("block", 2, {0, 0, 0}, {1, 1, 1}));
    builder.add(joint_of("slide", JointType::kPrismatic, kWorldName, "block"));
    MotorSpec servo;
    servo.name = "servo";
    servo.joint = "slide";
    servo.kind = MotorKind::kPosition;
    servo.stiffness = 200;
    servo.damping = 40;
    servo.activation = {ActivationKind::kFilter, kTime, 0};
    builder.add(servo);
    builder.add(ControlSpec{"lever", "", "servo", 2, 0.1, -1, 0.1, {}});
    watch(builder, "joint.slide.q");
    Simulation simulation = simulation_of(builder, dt);
    simulation.controls()[0] = 7;  // no more than 0.1 counts: a target of 0.3 m
    simulation.run(0.5);
    return simulation.output("joint.slide.q");
  };
  // q = c (1 - A exp(-t/T) + (A - 1 + B t) exp(-w t)), A = w^2 / (w - 1/T)^2, B by q'(0) = 0.
  const double s = 1 / kTime, A = kRate * kRate / ((kRate - s) * (kRate - s)), B = kRate * (A - 1) - A * s;
  const double t = 0.5, truth = kTarget * (1 - A * std::exp(-s * t) + (A - 1 + B * t) * std::exp(-kRate * t));
  const double coarse = std::abs(run(1e-3) - truth), fine = std::abs(run(5e-4) - truth);
  figure("servo with a filter, {}: error {:.2e} m at 1 ms, {:.2e} m at 0.5 ms", name_of(GetParam()), coarse, fine);
  EXPECT_LE(fine, 1e-3);
  EXPECT_NEAR(coarse / fine, 2, 0.2);
}

TEST_P(Actuators, ControlOfAMotorHoldsUntilItsTargetIsSet) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("block", 2, {0, 0, 0}, {1, 1, 1}));
  builder.add(joint_of("slide", JointType::kPrismatic, kWorldName, "block"));
  MotorSpec motor;
  motor.name = "motor";
  motor.joint = "slide";
  motor.target.source = 0.5;
  motor.max_force = 1000;
  builder.add(motor);
  builder.add(ControlSpec{"throttle", "", "motor", 1, 0, -3, 3, {}});
  watch(builder, "joint.slide.u");
  Simulation simulation = simulation_of(builder, 0.01);
  simulation.run(0.1);
  EXPECT_NEAR(simulation.output("joint.slide.u"), 0.5, 1e-10);
  simulation.set("control.throttle", 2);
  simulation.run(0.1);
  EXPECT_NEAR(simulation.output("joint.slide.u"), 2, 1e-10);
  simulation.set("control.throttle", -7);
  simulation.run(0.1);
  EXPECT_NEAR(simulation.output("joint.slide.u"), -3, 1e-10);
  simulation.set("motor.motor.target", 1);
  simulation.run(0.1);
  EXPECT_NEAR(simulation.output("joint.slide.u"), 1, 1e-10);
}

TEST_P(Actuators, MotorPullsLessThanItPushes) {
  for (const auto& [target, force] : {std::pair{100.0, 6.0}, std::pair{-100.0, -2.5}}) {
    ModelBuilder builder;
    builder.set_gravity({0, 0, 0});
    builder.add(test::body_with("block", 2, {0, 0, 0}, {1, 1, 1}));
    builder.add(joint_of("slide", JointType::kPrismatic, kWorldName, "block"));
    MotorSpec servo;
    servo.name = "servo";
    servo.joint = "slide";
    servo.kind = MotorKind::kPosition;
    servo.target.source = target;
    servo.stiffness = 1e5;
    servo.max_force = 6;
    servo.min_force = -2.5;
    builder.add(servo);
    watch(builder, "joint.slide.u");
    watch(builder, "motor.servo.force");
    Simulation simulation = simulation_of(builder, 0.01);
    simulation.run(1);
    EXPECT_NEAR(simulation.output("joint.slide.u"), force / 2, 1e-10);
    EXPECT_NEAR(simulation.output("motor.servo.force"), force, 1e-9);
  }
}

// A pendulum on a ball joint falls from upright onto its cone and slides down along it. There it swings with gravity's
// part along the cone, and comes to rest at the lowest place.
TEST_P(Actuators, BallJointStopsAtItsAngle) {
  constexpr double kAngle = 0.6;
  ModelBuilder builder;
  builder.set_gravity({kGravity, 0, 0});
  builder.add(test::body_with("bob", 2, {0, 0, 0.5}, {0.1, 0.1, 0.05}));
  JointSpec ball = joint_of("ball", JointType::kBall, kWorldName, "bob");
  ball.max_angle = kAngle;
  ball.damping = {2};
  ball.u = {0.4, 0, 0};
  builder.add(ball);
  Simulation simulation = simulation_of(builder, 1e-3);
  double widest = 0;
  simulation.run(20, 0, [&](const Simulation& now) {
    const Eigen::Quaterniond r = now.body_motion(0).pose.orientation;
    widest = std::max(widest, 2 * std::atan2(r.vec().norm(), std::abs(r.w())));
    return true;
  });
  const BodyMotion motion = simulation.body_motion(0);
  const Eigen::Vector3d up = motion.pose.orientation * Eigen::Vector3d::UnitZ();
  figure("ball limit, {}: widest {:.2e} rad beyond it, at rest {:.1e} rad/s", name_of(GetParam()), widest - kAngle,
         motion.angular_velocity.norm());
  // 1e-5 are left alone, and in a step of 1 ms at 2 rad/s the angle's bend adds 2e-6.
  EXPECT_LE(widest, kAngle + 1.2e-5);
  EXPECT_NEAR(std::atan2(up.x(), up.z()), kAngle, 1.2e-5);
  EXPECT_NEAR(up.y(), 0, 1e-5);
  EXPECT_LE(motion.angular_velocity.norm(), 1e-4);
}

TEST_P(Actuators, BallJointThrowsBack) {
  constexpr double kAngle = 0.6, kSpin = 2;
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("bob", 2, {0, 0, 0}, {0.1, 0.1, 0.1}));
  JointSpec ball = joint_of("ball", JointType::kBall, kWorldName, "bob");
  ball.max_angle = kAngle;
  ball.limit_restitution = 0.5;
  ball.u = {kSpin * 0.6, 0, kSpin * 0.8};
  builder.add(ball);
  Simulation simulation = simulation_of(builder, 1e-3);
  simulation.watch_balance();
  simulation.run(0.4);
  EXPECT_NEAR(simulation.body_motion(0).angular_velocity.norm(), 0.5 * kSpin, 1e-9);
  EXPECT_NEAR(simulation.energy_balance().impacts, 0.5 * 0.1 * kSpin * kSpin * (1 - 0.25), 1e-9);
}

}  // namespace
}  // namespace lipkin
