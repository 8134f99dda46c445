// Gears, rods, ropes, limits, dry friction and motors against what pen and paper say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::joint_of;

constexpr double kGravity = 9.81;

// Every test runs in both kinds of coordinates: there the joint is a loop, and its drives act on rows.
class JointRows : public testing::TestWithParam<CoordinateKind> {
 protected:
  Simulation simulation_of(const ModelBuilder& builder, double dt) const {
    Scene scene = test::scene_of(builder.build(), StepperKind::kEuler, dt);
    scene.experiment.coordinates = GetParam();
    return Simulation(std::move(scene));
  }
};

void watch(ModelBuilder& builder, const std::string& expression) {
  builder.add(OutputSpec{expression, expression, "", {}});
}

// A wheel of the given inertia on a hinge about z, its centre of mass on the axis.
void add_wheel(ModelBuilder& builder, const std::string& name, double inertia, JointSpec hinge) {
  hinge.name = name;
  hinge.type = JointType::kRevolute;
  hinge.child = name + " body";
  builder.add(test::body_with(name + " body", 1, {0, 0, 0}, {inertia, inertia, inertia}));
  builder.add(hinge);
  watch(builder, "joint." + name + ".q");
  watch(builder, "joint." + name + ".u");
}

// A block of 2 kg on a slide along z, up.
constexpr double kMass = 2;
void add_block(ModelBuilder& builder, JointSpec slide) {
  slide.name = "slide";
  slide.type = JointType::kPrismatic;
  slide.child = "block";
  builder.add(test::body_with("block", kMass, {0, 0, 0}, {0.1, 0.1, 0.1}));
  builder.add(slide);
  watch(builder, "joint.slide.q");
  watch(builder, "joint.slide.u");
}

TEST_P(JointRows, GearSharesTheTorque) {
  ModelBuilder builder;
  add_wheel(builder, "small", 0.02, {});
  JointSpec large;
  large.q = {0.5};
  add_wheel(builder, "large", 0.3, large);
  GearSpec gear;
  gear.name = "gear";
  gear.joint = "large";
  gear.of = "small";
  gear.ratio = -0.25;
  gear.offset = 0.5;
  builder.add(gear);
  ActuatorSpec drive;
  drive.name = "drive";
  drive.joint = "small";
  drive.control = {1.5, {}};
  builder.add(drive);
  Simulation simulation = simulation_of(builder, 0.01);
  simulation.run(2);
  const double acceleration = 1.5 / (0.02 + 0.25 * 0.25 * 0.3);  // constant: exact at any step
  EXPECT_NEAR(simulation.output("joint.small.u"), 2 * acceleration, 1e-9 * acceleration);
  EXPECT_NEAR(simulation.output("joint.large.u"), -0.5 * acceleration, 1e-9 * acceleration);
  EXPECT_NEAR(simulation.output("joint.large.q"), 0.5 - 0.25 * simulation.output("joint.small.q"), 1e-10);
}

TEST_P(JointRows, RodHoldsItsLengthAndSwingsAsAPendulum) {
  // A body held at its centre of mass does not turn: a point on a sphere, started along a circle in the plane.
  const auto end = [&](double dt, double* worst) {
    ModelBuilder builder;
    builder.add(test::body_with("bob", 1, {0, 0, 0}, {0.01, 0.01, 0.01}));
    JointSpec free = joint_of("free", JointType::kFree, kWorldName, "bob");
    free.q = {0.8, 0, 0, 1, 0, 0, 0};
    builder.add(free);
    DistanceSpec rod;
    rod.name = "rod";
    rod.b.body = "bob";
    rod.lower = rod.upper = 0.8;
    builder.add(rod);
    watch(builder, "distance.rod.length");
    watch(builder, "body.bob.z");
    Simulation simulation = simulation_of(builder, dt);
    simulation.run(0.5, 0, [&](const Simulation& now) {
      *worst = std::max(*worst, std::abs(now.output("distance.rod.length") - 0.8));
      return true;
    });
    EXPECT_LE(simulation.body_motion(0).angular_velocity.norm(), 1e-12);
    return simulation.output("body.bob.z");
  };
  // The same by a hinge and an integrator of high order.
  JointSpec hinge = joint_of("hinge", JointType::kRevolute, kWorldName, "bob");
  hinge.axis = {0, 1, 0};
  Scene scene = test::scene_of(test::single_body(test::body_with("bob", 1, {0.8, 0, 0}, {0, 1e-30, 0}), hinge),
                               StepperKind::kDopri5);
  scene.experiment.relative_tolerance = scene.experiment.absolute_tolerance = 1e-12;
  Simulation pendulum(std::move(scene));
  pendulum.run(0.5);
  const double truth = -0.8 * std::sin(pendulum.state().q[0]);
  double worst = 0;
  const double coarse = std::abs(end(1e-3, &worst) - truth), fine = std::abs(end(5e-4, &worst) - truth);
  figure("rod, {}: length off by {:.1e} m; error {:.2e} m at 1 ms, {:.2e} m at 0.5 ms", name_of(GetParam()), worst,
         coarse, fine);
  EXPECT_LE(worst, 1e-10);
  EXPECT_NEAR(coarse / fine, 2, 0.2);
}

TEST_P(JointRows, RopeCatchesAndThrowsBack) {
  for (const double restitution : {0.0, 0.6}) {
    ModelBuilder builder;
    builder.add(test::body_with("bob", 1, {0, 0, 0}, {0.01, 0.01, 0.01}));
    JointSpec free = joint_of("free", JointType::kFree, kWorldName, "bob");
    free.q = {0, 0, -0.5, 1, 0, 0, 0};
    builder.add(free);
    DistanceSpec rope;
    rope.name = "rope";
    rope.b.body = "bob";
    rope.upper = 1;
    rope.restitution = restitution;
    builder.add(rope);
    watch(builder, "distance.rope.length");
    Simulation simulation = simulation_of(builder, 1e-4);
    double longest = 0, top = 2;
    const double fall = std::sqrt(2 * 0.5 / kGravity), rise = restitution * fall;
    simulation.run(fall + 1.5 * rise + 0.02, 0, [&](const Simulation& now) {
      const double length = now.output("distance.rope.length");
      longest = std::max(longest, length);
      if (now.sample_time() > fall + 0.01) top = std::min(top, length);
      return true;
    });
    EXPECT_LE(longest, 1 + 1e-9);
    EXPECT_NEAR(top, 1 - restitution * restitution * 0.5, 1e-3);  // first order: a step of fall at 3 m/s is 3e-4 m
    if (restitution > 0) continue;
    simulation.run(1);  // hangs
    EXPECT_NEAR(simulation.output("distance.rope.length"), 1, 1e-9);
    EXPECT_LE(simulation.body_motion(0).velocity.norm(), 1e-9);
  }
}

TEST_P(JointRows, LimitStopsAndThrowsBack) {
  for (const double restitution : {0.0, 0.5, 1.0}) {
    ModelBuilder builder;
    JointSpec slide;
    slide.q = {0.4};
    slide.lower = {-0.1};
    slide.upper = {2};
    slide.limit_restitution = restitution;
    add_block(builder, slide);
    Simulation simulation = simulation_of(builder, 1e-4);
    double lowest = 1, top = -1;
    const double fall = std::sqrt(2 * 0.5 / kGravity), rise = restitution * fall;
    simulation.run(fall + 1.2 * rise, 0, [&](const Simulation& now) {
      const double q = now.output("joint.slide.q");
      lowest = std::min(lowest, q);
      if (now.sample_time() > fall + 0.01) top = std::max(top, q);
      return true;
    });
    EXPECT_GE(lowest, -0.1 - 1e-9);
    if (restitution > 0) {
      EXPECT_NEAR(top, restitution * restitution * 0.5 - 0.1, 2e-3);  // a step of fall at 3 m/s is 3e-4 m, twice
    } else {
      simulation.run(0.5);
      EXPECT_NEAR(simulation.output("joint.slide.q"), -0.1, 1e-9);
      EXPECT_NEAR(simulation.output("joint.slide.u"), 0, 1e-9);
    }
  }
}

// A heavy body at 20 m/s jerks a light one through a rope, from rest towards a limit 15 mm away: 20 mm in one step. All
// three rows act at once, and both bodies end where limit and rope let them.
TEST_P(JointRows, LimitHoldsAgainstAJerkFromFarAway) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  JointSpec slide;
  slide.upper = {0.015};
  slide.lower = {-1};
  add_block(builder, slide);
  builder.add(test::body_with("heavy", 100, {0, 0, 0}, {1, 1, 1}));
  JointSpec pulls = joint_of("pulls", JointType::kPrismatic, kWorldName, "heavy");
  pulls.q = {1};
  pulls.u = {20};
  builder.add(pulls);
  watch(builder, "joint.pulls.q");
  DistanceSpec rope;
  rope.name = "rope";
  rope.a.body = "block";
  rope.b.body = "heavy";
  rope.upper = 1.0001;
  builder.add(rope);
  Simulation simulation = simulation_of(builder, 1e-3);
  double highest = -1, longest = 0;
  simulation.run(0.1, 0, [&](const Simulation& now) {
    highest = std::max(highest, now.output("joint.slide.q"));
    longest = std::max(longest, now.output("joint.pulls.q") - now.output("joint.slide.q"));
    return true;
  });
  EXPECT_LE(highest, 0.015 + 1e-9);  // rounding, and the tolerance of the solver over a step
  EXPECT_LE(longest, 1.0001 + 1e-9);
  EXPECT_NEAR(simulation.output("joint.slide.u"), 0, 1e-9);
}

TEST_P(JointRows, DryFrictionStopsAndHolds) {
  ModelBuilder builder;
  JointSpec hinge;
  hinge.u = {10};
  hinge.friction = {0.8};
  add_wheel(builder, "wheel", 0.05, hinge);
  ActuatorSpec pull;  // below what the friction holds
  pull.name = "pull";
  pull.joint = "wheel";
  pull.control = {-0.79, {}};
  builder.add(pull);
  Simulation simulation = simulation_of(builder, 0.01);
  simulation.run(0.2);
  EXPECT_NEAR(simulation.output("joint.wheel.u"), 10 - (0.8 + 0.79) / 0.05 * 0.2, 1e-9);
  simulation.run(0.3);
  const double stopped = simulation.output("joint.wheel.q");
  double fastest = 0;
  simulation.run(60, 0, [&](const Simulation& now) {
    fastest = std::max(fastest, std::abs(now.output("joint.wheel.u")));
    return true;
  });
  figure("dry friction, {}: at most {:.1e} rad/s in 60 s of standing still", name_of(GetParam()), fastest);
  EXPECT_LE(fastest, 1e-9);
  EXPECT_NEAR(simulation.output("joint.wheel.q"), stopped, 1e-9);
}

TEST_P(JointRows, ChainComesToRest) {
  Scene scene = load_scene("five-link-chain");
  scene.experiment.coordinates = GetParam();
  Simulation simulation(std::move(scene));
  double last_motion = 0, fastest = 0;
  simulation.run(15, 0, [&](const Simulation& now) {
    double speed = 0;
    for (int i = 1; i <= 5; ++i) speed = std::max(speed, std::abs(now.output(fmt::format("u{}", i))));
    if (speed > 1e-9) last_motion = now.sample_time();
    if (now.sample_time() > 12) fastest = std::max(fastest, speed);
    return true;
  });
  figure("five-link-chain, {}: moves until {:.2f} s, then at most {:.1e} rad/s", name_of(GetParam()), last_motion,
         fastest);
  EXPECT_NEAR(last_motion, 9.1, 1);  // the second paper's figure; the step of 10 ms shifts it
  EXPECT_LE(fastest, 1e-9);
}

TEST_P(JointRows, StiffServoIsStableAtLargeSteps) {
  for (const double stiffness : {1e4, 1e6, 1e9}) {
    for (const double damping : {0.0, 1e3}) {
      ModelBuilder builder;
      add_block(builder, {});
      MotorSpec servo;
      servo.name = "servo";
      servo.joint = "slide";
      servo.kind = MotorKind::kPosition;
      servo.target = {0.3, {}};
      servo.stiffness = stiffness;
      servo.damping = damping;
      builder.add(servo);
      watch(builder, "motor.servo.force");
      Simulation simulation = simulation_of(builder, 0.01);
      simulation.run(20);
      // The spring hangs through by the weight.
      EXPECT_NEAR(simulation.output("joint.slide.q"), 0.3 - kMass * kGravity / stiffness, 1e-9)
          << stiffness << " " << damping;
      EXPECT_NEAR(simulation.output("motor.servo.force"), kMass * kGravity, 1e-6) << stiffness << " " << damping;
    }
  }
}

TEST_P(JointRows, ServoDoesNoMoreThanItCan) {
  ModelBuilder builder;
  add_block(builder, {});
  MotorSpec servo;
  servo.name = "servo";
  servo.joint = "slide";
  servo.kind = MotorKind::kPosition;
  servo.target = {100.0, {}};
  servo.stiffness = 1e6;
  servo.max_force = 30;
  builder.add(servo);
  watch(builder, "motor.servo.force");
  Simulation simulation = simulation_of(builder, 0.01);
  simulation.run(1);
  EXPECT_NEAR(simulation.output("joint.slide.u"), 30 / kMass - kGravity, 1e-10);
  EXPECT_NEAR(simulation.output("motor.servo.force"), 30, 1e-9);
}

TEST_P(JointRows, VelocityMotorWithinItsForce) {
  ModelBuilder builder;
  add_block(builder, {});
  MotorSpec motor;
  motor.name = "motor";
  motor.joint = "slide";
  motor.target = {0.5, {}};
  motor.max_force = 25;
  builder.add(motor);
  watch(builder, "motor.motor.force");
  Simulation simulation = simulation_of(builder, 0.01);
  simulation.run(0.1);
  EXPECT_NEAR(simulation.output("joint.slide.u"), 0.1 * (25 / kMass - kGravity), 1e-10);
  simulation.run(1);
  EXPECT_NEAR(simulation.output("joint.slide.u"), 0.5, 1e-10);
  EXPECT_NEAR(simulation.output("motor.motor.force"), kMass * kGravity, 1e-8);
}

TEST_P(JointRows, PrescribedMotionIsExactAtTheEndOfEveryStep) {
  for (const double dt : {0.02, 0.003}) {
    ModelBuilder builder;
    JointSpec hinge;
    hinge.q = {0.2};
    add_wheel(builder, "wheel", 0.05, hinge);
    MotorSpec motor;
    motor.name = "motor";
    motor.joint = "wheel";
    motor.kind = MotorKind::kPosition;
    motor.target = {ExpressionText{"0.2*cos(3*t) + 40*t^2"}, {}};
    builder.add(motor);
    watch(builder, "motor.motor.force");
    Simulation simulation = simulation_of(builder, dt);
    double off = 0, off_rate = 0;
    simulation.run(1, 0, [&](const Simulation& now) {
      const double t = now.sample_time();
      off = std::max(off, std::abs(now.output("joint.wheel.q") - (0.2 * std::cos(3 * t) + 40 * t * t)));
      off_rate = std::max(off_rate, std::abs(now.output("joint.wheel.u") - (-0.6 * std::sin(3 * t) + 80 * t)));
      return true;
    });
    figure("prescribed motion, {}, dt = {} s: off by {:.1e} rad, {:.1e} rad/s", name_of(GetParam()), dt, off, off_rate);
    EXPECT_LE(off, 1e-10);
    EXPECT_LE(off_rate, 1e-7);  // its rate is measured by differences over 2e-5 s
    // Torque: inertia times the mean acceleration of the last step (shorter at 3 ms), which is that of its middle.
    EXPECT_NEAR(simulation.output("motor.motor.force"), 0.05 * (80 - 1.8 * std::cos(3 * (1 - dt / 2))), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, JointRows, testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal),
                         [](const testing::TestParamInfo<CoordinateKind>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

}  // namespace
}  // namespace lipkin
