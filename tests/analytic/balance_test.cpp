// Where energy and momentum come from and go to: closed forms for each term, residuals at the order of the stepper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::joint_of;

constexpr double kGravity = 9.81;

Simulation watched(Scene scene) {
  Simulation simulation(std::move(scene));
  simulation.watch_balance();
  return simulation;
}

MaterialSpec material(double friction, double restitution) {
  MaterialSpec m;
  m.name = "wood";
  m.friction = friction;
  m.restitution = restitution;
  return m;
}

// A body of one shape on a floor, moving.
Model on_a_floor(const ShapeGeometry& geometry, const MaterialSpec& wood, double height, const Eigen::Vector3d& v,
                 double gravity) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -gravity});
  builder.add(wood);
  ShapeSpec floor;
  floor.geometry = ShapePlane{};
  floor.contact = wood.name;
  builder.add_world_shape(floor);
  BodySpec body;
  body.name = "body";
  ShapeSpec shape;
  shape.geometry = geometry;
  shape.density = 600;
  shape.contact = wood.name;
  body.shapes = {shape};
  builder.add(body);
  JointSpec free = joint_of("free", JointType::kFree, kWorldName, "body");
  free.q = {0, 0, height, 1, 0, 0, 0};
  free.u = {v.x(), v.y(), v.z(), 0, 0, 0};
  builder.add(free);
  return builder.build();
}

class Balance : public testing::TestWithParam<std::tuple<StepperKind, CoordinateKind>> {
 protected:
  StepperKind stepper() const { return std::get<0>(GetParam()); }
  CoordinateKind coordinates() const { return std::get<1>(GetParam()); }
  std::string name() const { return fmt::format("{}, {}", name_of(stepper()), name_of(coordinates())); }

  Simulation simulation_of(Model model, double dt) const {
    Scene scene = test::scene_of(std::move(model), stepper(), dt);
    scene.experiment.coordinates = coordinates();
    return watched(std::move(scene));
  }
};

std::string balance_name(const testing::TestParamInfo<Balance::ParamType>& info) {
  return fmt::format("{}_{}", name_of(std::get<0>(info.param)), name_of(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Balance,
                         testing::Combine(testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                                          testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal)),
                         balance_name);

// Nothing is stored on a level floor but motion: what it loses is what friction takes, mu m g times the way.
TEST_P(Balance, SlidingBlockPaysForItsWay) {
  const double mu = 0.3, v = 2, dt = 1e-3, mass = 600 * 0.3 * 0.3 * 0.1;
  Simulation simulation =
      simulation_of(on_a_floor(ShapeBox{{0.3, 0.3, 0.1}}, material(mu, 0), 0.05, {v, 0, 0}, kGravity), dt);
  simulation.run(1);
  const EnergyBalance& balance = simulation.energy_balance();
  const double way = simulation.body_motion(0).pose.position.x();
  figure("sliding block, {}: friction takes {:.12g} J of {:.12g} J; mu m g d = {:.6g} J; residual {:.1e} J", name(),
         balance.contact_friction, 0.5 * mass * v * v, mu * mass * kGravity * way, balance.residual());
  EXPECT_NEAR(balance.contact_friction, 0.5 * mass * v * v, 1e-10);  // rounding, and the solver's 1e-10 m/s
  EXPECT_NEAR(balance.residual(), 0, 1e-10);
  EXPECT_NEAR(balance.impacts, 0, 1e-10);
  // The way is a sum of speeds at one end of each step, the work a sum of means: half a step at the first speed apart.
  EXPECT_NEAR(balance.contact_friction, mu * mass * kGravity * way, mu * mass * kGravity * v * dt);
}

TEST_P(Balance, BouncingBallLosesItsPart) {
  const double restitution = 0.6, v = 3, mass = 600 * 4.0 / 3 * M_PI * 1e-3;
  Simulation simulation =
      simulation_of(on_a_floor(ShapeSphere{0.1}, material(0, restitution), 0.5, {0.5, 0, -v}, 0), 1e-3);
  simulation.run(0.5);
  const EnergyBalance& balance = simulation.energy_balance();
  figure("ball against a wall, {}: impact takes {:.12g} J, (1 - e^2) m v^2 / 2 = {:.12g} J", name(), balance.impacts,
         (1 - restitution * restitution) * 0.5 * mass * v * v);
  EXPECT_NEAR(balance.impacts, (1 - restitution * restitution) * 0.5 * mass * v * v, 1e-9 * mass);  // solver
  EXPECT_NEAR(balance.contact_friction, 0, 1e-12);
  EXPECT_NEAR(balance.residual(), 0, 1e-9 * mass);
}

TEST_P(Balance, DroppedBallLosesItsPartOfTheFall) {
  const double restitution = 0.5, fall = 0.4, mass = 600 * 4.0 / 3 * M_PI * 1e-3;
  const double expected = (1 - restitution * restitution) * mass * kGravity * fall;
  for (const double dt : {1e-3, 1e-4}) {
    Simulation simulation =
        simulation_of(on_a_floor(ShapeSphere{0.1}, material(0, restitution), 0.1 + fall, {0, 0, 0}, kGravity), dt);
    simulation.run(0.4);  // touches at 0.286 s, again at 0.57 s
    const EnergyBalance& balance = simulation.energy_balance();
    figure("dropped ball, {}, dt = {} s: impact takes {:.6g} J of {:.6g} J, residual {:.1e} J", name(), dt,
           balance.impacts, expected, balance.residual());
    const double step = mass * kGravity * std::sqrt(2 * kGravity * fall) * dt;  // what gravity gives within a step
    EXPECT_NEAR(balance.impacts, expected, 2 * step);
    EXPECT_NEAR(balance.residual(), 0, 3 * step);
  }
}

// A wheel with a rotor and a damper on a motor.
Model driven_wheel(const MotorSpec& motor, double damping) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("wheel", 2, {0, 0, 0}, {0.03, 0.03, 0.05}));
  JointSpec hinge = joint_of("hinge", JointType::kRevolute, kWorldName, "wheel");
  hinge.axis = {0, 0, 1};
  hinge.armature = {0.02};
  hinge.damping = {damping};
  builder.add(hinge);
  builder.add(motor);
  return builder.build();
}

MotorSpec motor_on_hinge() {
  MotorSpec motor;
  motor.name = "motor";
  motor.joint = "hinge";
  return motor;
}

TEST_P(Balance, MotorWorkIsInTheWheelAndItsRotor) {
  MotorSpec motor = motor_on_hinge();
  motor.kind = MotorKind::kVelocity;
  motor.target.source = 5.0;
  motor.max_force = 0.7;
  Simulation simulation = simulation_of(driven_wheel(motor, 0), 1e-3);
  simulation.run(1);
  const EnergyBalance& balance = simulation.energy_balance();
  figure("wheel, {}: motor work {:.12g} J, kinetic energy {:.12g} J, 0.875 J expected", name(), balance.motors,
         balance.stored.kinetic);
  EXPECT_NEAR(balance.motors, 0.5 * 0.07 * 25, 1e-9);  // the solver's 1e-10 rad/s
  EXPECT_NEAR(balance.stored.kinetic, 0.5 * 0.07 * 25, 1e-9);
  EXPECT_NEAR(balance.residual(), 0, 1e-9);
}

TEST_P(Balance, PrescribedMotionPaysTheDamper) {
  MotorSpec motor = motor_on_hinge();
  motor.kind = MotorKind::kPosition;
  motor.target.source = ExpressionText{"3 * t"};
  Simulation simulation = simulation_of(driven_wheel(motor, 0.4), 1e-3);
  simulation.run(2);
  const EnergyBalance& balance = simulation.energy_balance();
  // The initial velocity is made to fit: it turns at 3 rad/s from the start, and all work goes into the damper.
  EXPECT_NEAR(balance.dampers, 0.4 * 9 * 2, 1e-7);  // the target's rate is a difference quotient
  EXPECT_NEAR(balance.motors, 0.4 * 9 * 2, 1e-7);
  EXPECT_NEAR(balance.residual(), 0, 1e-9);
}

TEST_P(Balance, DryJointFrictionTakesTheMotion) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("wheel", 2, {0, 0, 0}, {0.03, 0.03, 0.05}));
  JointSpec hinge = joint_of("hinge", JointType::kRevolute, kWorldName, "wheel");
  hinge.axis = {0, 0, 1};
  hinge.friction = {0.1};
  hinge.u = {3};
  builder.add(hinge);
  Simulation simulation = simulation_of(builder.build(), 1e-3);
  simulation.run(2);
  EXPECT_NEAR(simulation.energy_balance().joint_friction, 0.5 * 0.05 * 9, 1e-9);
  EXPECT_NEAR(simulation.energy_balance().residual(), 0, 1e-9);
}

// A push of 5 N for 0.2 s on 2 kg at rest: 1 kg m/s, 0.25 J.
TEST_P(Balance, PushesGiveWorkAndMomentum) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("block", 2, {0, 0, 0}, {0.03, 0.03, 0.05}));
  builder.add(joint_of("free", JointType::kFree, kWorldName, "block"));
  Scene scene = test::scene_of(builder.build(), stepper(), 1e-3);
  scene.experiment.coordinates = coordinates();
  CommandPush push;
  push.body = "block";
  push.force = {5, 0, 0};
  push.duration = 0.2;
  scene.experiment.commands = {{0.1, push, {}}};
  Simulation simulation = watched(std::move(scene));
  simulation.run(1);
  EXPECT_NEAR(simulation.energy_balance().applied, 0.25, 1e-12);
  EXPECT_NEAR(simulation.energy_balance().residual(), 0, 1e-12);
  EXPECT_NEAR(simulation.momentum_balance().applied.linear.x(), 1, 1e-12);
  EXPECT_LE(simulation.momentum_balance().residual().linear.norm(), 1e-12);
  EXPECT_LE(simulation.momentum_balance().residual().angular.norm(), 1e-12);
}

// ---- the residual at three steps ----

struct Smooth {
  const char* scene;
  double duration, dt;  // [s]
};

std::ostream& operator<<(std::ostream& out, const Smooth& c) { return out << c.scene; }

class Residual : public testing::TestWithParam<std::tuple<Smooth, StepperKind, CoordinateKind>> {};

TEST_P(Residual, FallsAtFirstOrder) {
  const auto& [c, stepper, coordinates] = GetParam();
  double residual[3], stabilization[3];
  EnergyBalance last;
  for (int k = 0; k < 3; ++k) {
    Scene scene = load_scene(c.scene);
    scene.experiment.stepper = stepper;
    scene.experiment.coordinates = coordinates;
    scene.experiment.dt = c.dt / (1 << k);
    Simulation simulation = watched(std::move(scene));
    residual[k] = stabilization[k] = 0;
    simulation.run(c.duration, c.duration, {}, [&](const Simulation& now) {
      residual[k] = std::max(residual[k], std::abs(now.energy_balance().residual()));
      stabilization[k] = std::max(stabilization[k], std::abs(now.energy_balance().stabilization));
      return true;
    });
    last = simulation.energy_balance();
  }
  figure(
      "{}, {}, {}: residual {:.2e} {:.2e} {:.2e} J, ratios {:.2f} {:.2f}; stabilization {:.1e} {:.1e} {:.1e} J; stored "
      "{:+.3g} J, dissipated {:.3g} J, work {:.3g} J",
      c.scene, name_of(stepper), name_of(coordinates), residual[0], residual[1], residual[2], residual[0] / residual[1],
      residual[1] / residual[2], stabilization[0], stabilization[1], stabilization[2],
      last.stored.total() - last.initial, last.dissipated(), last.work());
  if (residual[0] < 1e-10) return;  // rounding alone
  // First order: 2, up to what the second order adds.
  EXPECT_GE(residual[0] / residual[1], 1.7);
  EXPECT_GE(residual[1] / residual[2], 1.8);
  if (stabilization[0] < 1e-10) return;
  EXPECT_GE(stabilization[0] / stabilization[1], 1.7);
  EXPECT_GE(stabilization[1] / stabilization[2], 1.8);
}

std::string residual_name(const testing::TestParamInfo<Residual::ParamType>& info) {
  std::string name = fmt::format("{}_{}_{}", std::get<0>(info.param).scene, name_of(std::get<1>(info.param)),
                                 name_of(std::get<2>(info.param)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Residual,
    testing::Combine(testing::Values(Smooth{"double-pendulum", 0.5, 1e-3}, Smooth{"flywheel-arm", 0.2, 5e-4},
                                     Smooth{"spring-bushing", 0.1, 5e-4}, Smooth{"five-link-chain-viscous", 0.5, 1e-3},
                                     Smooth{"slider-crank", 0.3, 2e-4}, Smooth{"peaucellier-driven", 0.5, 1e-3},
                                     Smooth{"four-bar", 0.5, 1e-3}),
                     testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                     testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal)),
    residual_name);

// Every kind of force, signal and command, smooth steppers: the powers are integrated by Simpson's rule.
TEST(SmoothBalance, ClosesAtThirdOrderAtLeast) {
  double residual[3];
  for (int k = 0; k < 3; ++k) {
    Scene scene = test::busy_scene(StepperKind::kRk4);
    scene.experiment.dt = 2e-3 / (1 << k);
    Simulation simulation = watched(std::move(scene));
    simulation.run(0.5);
    residual[k] = std::abs(simulation.energy_balance().residual());
    if (k == 2) {
      const EnergyBalance& b = simulation.energy_balance();
      figure(
          "busy scene, rk4: stored {:+.4g} J, dampers {:.4g} J, motors {:.4g} J, applied {:.4g} J, commands {:.4g} J",
          b.stored.total() - b.initial, b.dampers, b.motors, b.applied, b.commands);
      EXPECT_GT(b.dampers, 0);
      EXPECT_NE(b.motors, 0);
      EXPECT_NE(b.applied, 0);
      EXPECT_NE(b.commands, 0);
    }
  }
  figure("busy scene, rk4: residual {:.2e} {:.2e} {:.2e} J", residual[0], residual[1], residual[2]);
  EXPECT_GE(residual[0] / residual[1], 6);
  EXPECT_GE(residual[1] / residual[2], 6);
}

TEST(SmoothBalance, ClosesWithinAdaptiveStepsToo) {
  Scene scene = test::busy_scene(StepperKind::kDopri5);
  scene.experiment.relative_tolerance = 1e-9;
  scene.experiment.absolute_tolerance = 1e-11;
  Simulation simulation = watched(std::move(scene));
  double size = 0, worst = 0;
  simulation.run(0.5, 0.013, [&](const Simulation& now) {
    size = std::max(size, now.energy_balance().dissipated() + std::abs(now.energy_balance().work()));
    worst = std::max(worst, std::abs(now.energy_balance().residual()));
    return true;
  });
  figure("busy scene, dopri5 at 1e-9: residual at most {:.1e} J of {:.3g} J", worst, size);
  EXPECT_LE(worst, 1e-5 * size);  // Simpson's rule over steps of some 10 ms
}

// ---- momentum ----

class MomentumOf : public testing::TestWithParam<std::tuple<const char*, StepperKind>> {};

// Every body on its own: each impulse of the ground is booked by itself, and all add up.
TEST_P(MomentumOf, ChangesByTheImpulsesBooked) {
  const auto& [name, stepper] = GetParam();
  Scene scene = load_scene(name);
  scene.experiment.coordinates = CoordinateKind::kMaximal;
  scene.experiment.stepper = stepper;
  Simulation simulation = watched(std::move(scene));
  double worst = 0, size = 0;
  simulation.run(std::min(1.0, 500 * simulation.experiment().dt), 0, {}, [&](const Simulation& now) {
    const MomentumBalance& b = now.momentum_balance();
    EXPECT_FALSE(b.ground_is_remainder);
    worst = std::max(worst, b.residual().linear.norm());
    size = std::max({size, b.gravity.linear.norm(), b.ground.linear.norm()});
    return true;
  });
  figure("{}, {}: momentum residual {:.1e} kg m/s of {:.3g} kg m/s", name, name_of(stepper), worst, size);
  EXPECT_LE(worst, 1e-11 * std::max(size, 1.0));  // rounding of some hundred steps
}

std::string momentum_name(const testing::TestParamInfo<MomentumOf::ParamType>& info) {
  std::string name = fmt::format("{}_{}", std::get<0>(info.param), name_of(std::get<1>(info.param)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Scenes, MomentumOf,
                         testing::Combine(testing::Values("box-stack", "peaucellier", "five-link-chain", "grasp",
                                                          "dominoes", "spheres-in-cup", "sphere-slide-to-roll"),
                                          testing::Values(StepperKind::kEuler, StepperKind::kMoreau)),
                         momentum_name);

// Balls turn about any axis alike: their angular momentum changes by the impulses booked, to rounding.
TEST(AngularMomentum, OfBallsIsBookedToRounding) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    Scene scene = load_scene("sphere-slide-to-roll");
    scene.experiment.stepper = stepper;
    Simulation simulation = watched(std::move(scene));
    simulation.run(1);
    const MomentumBalance& b = simulation.momentum_balance();
    figure("sphere-slide-to-roll, {}: angular momentum residual {:.1e} of {:.3g} kg m^2/s", name_of(stepper),
           b.residual().angular.norm(), b.ground.angular.norm());
    EXPECT_LE(b.residual().angular.norm(), 1e-11 * std::max(1.0, b.ground.angular.norm()));
  }
}

// ---- asking changes nothing ----

class Asked : public testing::TestWithParam<const char*> {};

TEST_P(Asked, TheRunIsTheSameBits) {
  Simulation plain(load_scene(GetParam())), asked = watched(load_scene(GetParam()));
  const double duration = 100 * plain.experiment().dt;
  plain.run(duration);
  asked.run(duration);
  EXPECT_EQ(plain.hash(), asked.hash());
}

INSTANTIATE_TEST_SUITE_P(Scenes, Asked,
                         testing::Values("peaucellier", "grasp", "box-stack", "five-link-chain", "double-pendulum"),
                         [](const testing::TestParamInfo<const char*>& chosen) {
                           std::string name = chosen.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(BalanceUse, ChannelsAskForIt) {
  Scene scene = load_scene("five-link-chain");
  EXPECT_FALSE(Simulation(scene).watches_balance());
  EXPECT_THROW(Simulation(scene).energy_balance(), InvalidArgument);
  ModelBuilder builder;
  builder.add(test::body_with("block", 2, {0, 0, 0}, {0.03, 0.03, 0.05}));
  builder.add(joint_of("free", JointType::kFree, kWorldName, "block"));
  builder.add(OutputSpec{"lost", "energy.dissipated", "J", {}});
  builder.add(OutputSpec{"left", "energy.residual", "J", {}});
  builder.add(OutputSpec{"fell", "momentum.gravity.pz", "kg m/s", {}});
  Simulation simulation(test::scene_of(builder.build(), StepperKind::kEuler));
  EXPECT_TRUE(simulation.watches_balance());
  simulation.run(1);
  EXPECT_EQ(simulation.output("lost"), 0);
  EXPECT_EQ(simulation.output("left"), simulation.energy_balance().residual());
  EXPECT_NEAR(simulation.output("fell"), -2 * kGravity, 1e-11);
  EXPECT_THROW(Dynamics(simulation.model()).variable("energy.residual"), InvalidArgument);
}

// ---- contact and friction as forces ----

const StepperKind kSteppersOfForces[] = {StepperKind::kEuler, StepperKind::kMoreau, StepperKind::kRk4,
                                         StepperKind::kDopri5};

Scene with_forces(Model model, StepperKind stepper, double dt) {
  Scene scene = test::scene_of(std::move(model), stepper, dt);
  scene.experiment.contact = ContactKind::kRegularised;
  return scene;
}

MaterialSpec soft(double friction, double damping) {
  MaterialSpec m = material(friction, 0);
  m.stiffness = 1e5;
  m.linear_damping = damping;
  return m;
}

// A cube that slides at 0.5 m/s on a floor that it has sunk into as far as its weight goes, until it stands.
TEST(ContactForces, SlidingTakesTheEnergyOfTheMotion) {
  const double side = 0.1, mass = 600 * side * side * side, speed = 0.5;
  const double sunk = mass * kGravity / (4 * 1e5);
  for (const StepperKind stepper : kSteppersOfForces) {
    SCOPED_TRACE(name_of(stepper));
    const Model model =
        on_a_floor(ShapeBox{{side, side, side}}, soft(0.3, 200), side / 2 - sunk, {speed, 0, 0}, kGravity);
    Simulation simulation = watched(with_forces(model, stepper, 1e-4));
    simulation.run(0.4);
    const EnergyBalance& energy = simulation.energy_balance();
    const double lost = 0.5 * mass * speed * speed;
    figure("{}: friction {:.9f} of {:.9f} J, impacts {:.2e} J, residual {:.2e} J", name_of(stepper),
           energy.contact_friction, lost, energy.impacts, energy.residual());
    EXPECT_NEAR(energy.contact_friction, lost, 5e-3 * lost);  // it tips a little when it stops
    EXPECT_NEAR(energy.contact_friction + energy.impacts, lost, 1e-3 * lost);
    EXPECT_NEAR(energy.residual(), 0, 1e-3 * lost);
    EXPECT_LT(simulation.momentum_balance().residual().linear.norm(), 1e-4 * mass * speed);
  }
}

// A ball that falls on such a floor: what its damper takes are the energies before and after, without gravity.
TEST(ContactForces, ImpactsTakeWhatTheReboundLacks) {
  const double radius = 0.05, speed = 1.3;
  for (const StepperKind stepper : kSteppersOfForces) {
    SCOPED_TRACE(name_of(stepper));
    const Model model = on_a_floor(ShapeSphere{radius}, soft(0, 100), radius + 1e-3, {0, 0, -speed}, 0);
    Simulation simulation = watched(with_forces(model, stepper, 1e-5));
    const double before = simulation.energy().kinetic;
    simulation.run(0.004);  // it is in the floor
    EXPECT_GT(simulation.energy_balance().stored.elastic, 0);
    EXPECT_NEAR(simulation.energy_balance().stored.total(), simulation.energy().total(), 1e-12);
    simulation.run(0.1);
    const double lost = before - simulation.energy().kinetic;
    const EnergyBalance& energy = simulation.energy_balance();
    figure("{}: impacts {:.9f} of {:.9f} J, residual {:.2e} J", name_of(stepper), energy.impacts, lost,
           energy.residual());
    EXPECT_GT(lost, 0.1 * before);
    EXPECT_NEAR(energy.impacts, lost, 1e-3 * before);
    EXPECT_NEAR(energy.residual(), 0, 1e-3 * before);
  }
}

// A shaft that is kept turning against the friction of its joint.
TEST(ContactForces, JointFrictionTakesTheWorkOfTheMotor) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    BodySpec body = test::body_with("shaft", 1, {0, 0, 0}, {1, 1, 0.5});
    JointSpec joint = joint_of("shaft", JointType::kRevolute, kWorldName, "shaft");
    joint.u = {2};
    joint.friction = {3};
    ModelBuilder builder;
    builder.add(body);
    builder.add(joint);
    MotorSpec motor;
    motor.name = "motor";
    motor.joint = "shaft";
    motor.target = {2.0, {}};
    builder.add(motor);
    Simulation simulation = watched(with_forces(builder.build(), stepper, 1e-3));
    simulation.run(1);
    const EnergyBalance& energy = simulation.energy_balance();
    EXPECT_NEAR(energy.joint_friction, 6, 1e-5);  // less by (slip speed / speed)² / 2
    EXPECT_NEAR(energy.motors, 6, 1e-5);
    EXPECT_NEAR(energy.residual(), 0, 1e-9);
  }
}

// The same friction where nothing drives: half of J u² at the begin.
TEST(ContactForces, JointFrictionTakesTheEnergyOfTheMotion) {
  for (const StepperKind stepper : kSteppersOfForces) {
    BodySpec body = test::body_with("shaft", 1, {0, 0, 0}, {1, 1, 0.5});
    JointSpec joint = joint_of("shaft", JointType::kRevolute, kWorldName, "shaft");
    joint.u = {2};
    joint.friction = {3};
    Simulation simulation = watched(with_forces(test::single_body(body, joint), stepper, 1e-4));
    simulation.run(1);
    EXPECT_NEAR(simulation.energy_balance().joint_friction, 1, 1e-3) << name_of(stepper);
    EXPECT_NEAR(simulation.energy_balance().residual(), 0, 1e-3) << name_of(stepper);
  }
}

// ---- what a projection moves ----

// From 1 m/s to 3 m/s: the projection onto the target's rate is an impulse, which works over the mean of the
// velocities.
TEST(ProjectedMotion, KinkOfAPrescribedPositionIsWorkOfItsMotor) {
  for (const char* dt : {"0.001", "0.0001"})
    for (const char* coordinates : {"generalized", "maximal"}) {
      Simulation simulation(test::scene_from(
          std::string("lipkin: 1\n"
                      "gravity: [0, 0, 0]\n"
                      "bodies: [{name: m, joint: {type: prismatic, axis: x, u: 1}, mass: 2}]\n"
                      "motors: [{name: d, joint: m, position: \"t < 0.05 ? t : 0.05 + 3*(t - 0.05)\"}]\n"
                      "outputs: {work: energy.motors, steps: energy.stabilization}\n"
                      "experiment: {duration: 0.1, dt: ") +
          dt + ", coordinates: " + coordinates + "}\n"));
      simulation.run(0.1);
      EXPECT_NEAR(simulation.outputs()[0], 0.5 * 2 * (9 - 1), 1e-9) << dt << " " << coordinates;
      EXPECT_NEAR(simulation.outputs()[1], 0, 1e-9) << dt << " " << coordinates;
    }
}

// A gear whose ratio is changed while it turns: the projection carries a shaft on by half a turn in one step, which the
// friction of the shaft has no part in.
TEST(ProjectedMotion, IsNoWorkOfFriction) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    SCOPED_TRACE(name_of(stepper));
    ModelBuilder builder;
    JointSpec a = joint_of("a", JointType::kRevolute, kWorldName, "a");
    a.u = {10};
    a.friction = {0.2};
    JointSpec b = joint_of("b", JointType::kRevolute, kWorldName, "b");
    b.u = {20};
    builder.add(test::body_with("a", 1, {0, 0, 0}, {1, 1, 0.5}));
    builder.add(test::body_with("b", 1, {0, 0, 0}, {1, 1, 0.1}));
    builder.add(a);
    builder.add(b);
    GearSpec gear;
    gear.name = "g";
    gear.joint = "b";
    gear.of = "a";
    gear.ratio = 2;
    builder.add(gear);
    Scene scene = test::scene_of(builder.build(), stepper, 1e-3);
    scene.experiment.tolerated.anything = true;  // no motion follows that
    Simulation simulation = watched(std::move(scene));
    double turned = 0;
    while (simulation.state().t < 0.9995) {
      if (std::abs(simulation.state().t - 0.5) < 1e-6) simulation.set("gear.g.ratio", 3);
      const double before = simulation.state().u[0];
      simulation.step();
      turned += 0.5 * 1e-3 * (std::abs(before) + std::abs(simulation.state().u[0]));
    }
    const EnergyBalance& energy = simulation.energy_balance();
    figure("{}: friction {:.6f} J, 0.2 N m times {:.6f} rad", name_of(stepper), energy.joint_friction, turned);
    // The step in which the speed jumps counts by the mean of both: 0.2 N m x 1 ms x 3 rad/s.
    EXPECT_NEAR(energy.joint_friction, 0.2 * turned, 1e-3);
    EXPECT_NEAR(energy.residual(), 0, 1e-8);
  }
}

}  // namespace
}  // namespace lipkin
