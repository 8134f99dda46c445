// Pendulums and oscillators against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;

constexpr double kPi = std::numbers::pi, kG = 9.81;

double arithmetic_geometric_mean(double a, double b) {
  for (int n = 0; n < 30; ++n) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return a;
}

// Gauss: the period of a pendulum of any amplitude, T = T0 / agm(1, cos(amplitude / 2)).
double period(double small_swing_period, double amplitude) {
  return small_swing_period / arithmetic_geometric_mean(1, std::cos(amplitude / 2));
}

Simulation tight(Model model) {
  Simulation simulation(test::scene_of(std::move(model), StepperKind::kDopri5));
  simulation.set_tolerances(1e-13, 1e-13);
  return simulation;
}

// A body hinged about y at the world's origin, its centre of mass `c` below.
Model compound_pendulum(double mass, double c, double moment, double armature, double amplitude) {
  JointSpec hinge = test::joint_of("hinge", JointType::kRevolute, kWorldName, "bob");
  hinge.axis = {0, 1, 0};
  hinge.q = {amplitude};
  if (armature > 0) hinge.armature = {armature};
  return test::single_body(test::body_with("bob", mass, {0, 0, -c}, {moment, moment, moment}), hinge);
}

TEST(Pendulum, PeriodIsTheEllipticIntegral) {
  for (const double amplitude : {0.1, 1.0, 2.0, 3.0, 3.1}) {
    const double T = period(2 * kPi * std::sqrt(0.8 / kG), amplitude);
    Simulation simulation = tight(compound_pendulum(2, 0.8, 0, 0, amplitude));
    simulation.run(T / 2);
    EXPECT_NEAR(simulation.state().q[0], -amplitude, 1e-11) << amplitude;
    simulation.run(T / 4);
    EXPECT_NEAR(simulation.state().q[0], 0, 1e-9) << amplitude;  // near the top errors grow before they come down
    EXPECT_NEAR(simulation.state().u[0], std::sqrt(2 * kG / 0.8 * (1 - std::cos(amplitude))), 1e-11) << amplitude;
    simulation.run(T / 4);
    EXPECT_NEAR(simulation.state().q[0], amplitude, 1e-11) << amplitude;
  }
}

// A rotor behind the hinge adds to the inertia and not to the weight.
TEST(Pendulum, CompoundWithArmature) {
  const double mass = 3, c = 0.4, moment = 0.2, armature = 0.7;
  const double T0 = 2 * kPi * std::sqrt((moment + mass * c * c + armature) / (mass * kG * c));
  Simulation simulation = tight(compound_pendulum(mass, c, moment, armature, 1.2));
  simulation.run(period(T0, 1.2));
  EXPECT_NEAR(simulation.state().q[0], 1.2, 1e-11);
  EXPECT_NEAR(simulation.state().u[0], 0, 1e-9);
}

// Over the top: with energy to spare it turns in 2 K(k) k / w0, k² = 4 w0² / u0².
TEST(Pendulum, GoesRoundAndRound) {
  const double length = 0.5, w0 = std::sqrt(kG / length), u0 = 12;
  Simulation simulation = [&] {
    JointSpec hinge = test::joint_of("hinge", JointType::kRevolute, kWorldName, "bob");
    hinge.axis = {1, 0, 0};
    hinge.u = {u0};
    return tight(test::single_body(test::body_with("bob", 1, {0, 0, -length}, {0, 0, 0}), hinge));
  }();
  const double k = 2 * w0 / u0;
  const double quarter = kPi / 2 / arithmetic_geometric_mean(1, std::sqrt(1 - k * k));  // K(k)
  simulation.run(2 * quarter * k / w0);
  EXPECT_NEAR(simulation.state().q[0], 2 * kPi, 1e-10);
  EXPECT_NEAR(simulation.state().u[0], u0, 1e-10);
}

// A conical pendulum on a universal joint: at inclination a it circles with w² = g / (l cos a).
TEST(Pendulum, Conical) {
  const double length = 0.7, a = 0.6, w = std::sqrt(kG / (length * std::cos(a)));
  JointSpec joint = test::joint_of("joint", JointType::kUniversal, kWorldName, "bob");
  joint.q = {a, 0};
  joint.u = {0, w * std::sin(a)};  // along the bob's circle
  Simulation simulation = [&] {
    ModelBuilder builder;
    builder.add(test::body_with("bob", 1, {0, 0, -length}, {0, 0, 0}));
    builder.add(joint);
    builder.add(PointSpec{"bob", "bob", {0, 0, -length}, {}, Eigen::Quaterniond::Identity(), {}});
    builder.add(OutputSpec{"z", "point.bob.z", "m", {}});
    builder.add(OutputSpec{"y", "point.bob.y", "m", {}});
    builder.add(OutputSpec{"speed", "hypot(point.bob.vx, point.bob.vy)", "m/s", {}});
    return tight(builder.build());
  }();
  EXPECT_NEAR(simulation.output("speed"), w * length * std::sin(a), 1e-14);
  double low = 0, high = -1;
  simulation.run(2 * kPi / w, 0.01, [&](const Simulation& s) {
    low = std::min(low, s.output("z"));
    high = std::max(high, s.output("z"));
    return true;
  });
  EXPECT_NEAR(low, -length * std::cos(a), 1e-10);
  EXPECT_NEAR(high, -length * std::cos(a), 1e-10);
  EXPECT_NEAR(simulation.output("y"), length * std::sin(a), 1e-10);
}

// ---- oscillators ----

Model oscillator(double mass, double stiffness, double damping, double x) {
  JointSpec rail = test::joint_of("rail", JointType::kPrismatic, kWorldName, "mass");
  rail.axis = {0, 0, 1};
  rail.stiffness = {stiffness};
  rail.damping = {damping};
  rail.q = {x};
  return test::single_body(test::body_with("mass", mass, {0, 0, 0}, {1, 1, 1}), rail, {0, 0, 0});
}

TEST(Oscillator, DampedMotion) {
  const double m = 2, k = 50, c = 3, x0 = 0.3, decay = c / (2 * m), w = std::sqrt(k / m - decay * decay);
  Simulation simulation = tight(oscillator(m, k, c, x0));
  simulation.run(2);
  const double expected = x0 * std::exp(-decay * 2) * (std::cos(2 * w) + decay / w * std::sin(2 * w));
  EXPECT_NEAR(simulation.state().q[0], expected, 1e-12);
}

TEST(Oscillator, ForcedByASignal) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("mass", 2, {0, 0, 0}, {1, 1, 1}));
  builder.add(test::joint_of("rail", JointType::kPrismatic, kWorldName, "mass"));
  ActuatorSpec drive;
  drive.name = "drive";
  drive.joint = "rail";
  drive.control = {ExpressionText{"3*cos(5*t)"}, {}};
  builder.add(drive);
  Simulation simulation = tight(builder.build());
  simulation.run(3);
  EXPECT_NEAR(simulation.state().q[0], 3.0 / 2 / 25 * (1 - std::cos(15.0)), 1e-12);
}

// Two free masses on a spring: they swing at sqrt(k / m) of the reduced mass about a centre that stays.
TEST(Oscillator, TwoBodies) {
  const double m1 = 1, m2 = 3, k = 20, reduced = m1 * m2 / (m1 + m2), w = std::sqrt(k / reduced);
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("a", m1, {0, 0, 0}, {1, 1, 1}));
  builder.add(test::body_with("b", m2, {0, 0, 0}, {1, 1, 1}));
  builder.add(test::joint_of("free_a", JointType::kFree, kWorldName, "a"));
  JointSpec joint = test::joint_of("free_b", JointType::kFree, kWorldName, "b");
  joint.q = {0, 1.5, 0, 1, 0, 0, 0};
  builder.add(joint);
  SpringDamperSpec spring;
  spring.name = "spring";
  spring.a.body = "a";
  spring.b.body = "b";
  spring.stiffness = k;
  spring.rest_length = 1;
  builder.add(spring);
  builder.add(OutputSpec{"length", "spring.spring.length", "m", {}});
  builder.add(OutputSpec{"centre", "com.y", "m", {}});
  Simulation simulation = tight(builder.build());
  simulation.run(2);
  EXPECT_NEAR(simulation.output("length"), 1 + 0.5 * std::cos(2 * w), 1e-12);
  EXPECT_NEAR(simulation.output("centre"), 1.5 * m2 / (m1 + m2), 1e-13);
}

// Euler takes joint springs and dampers implicitly: a stiffness that would tear an explicit method apart at the first
// step is quiet, at any step.
TEST(Oscillator, EulerIsStableAtHugeStiffness) {
  for (const double stiffness : {1e4, 1e8, 1e12}) {
    for (const double dt : {1e-3, 0.1}) {
      Simulation simulation(test::scene_of(oscillator(1, stiffness, 0, 0.1), StepperKind::kEuler, dt));
      double largest = 0;
      for (int n = 0; n < 200; ++n) {
        simulation.step();
        largest = std::max(largest, std::abs(simulation.state().q[0]));
      }
      EXPECT_LE(largest, 0.1);
      EXPECT_LT(std::abs(simulation.state().q[0]), 0.1);
      EXPECT_LE(simulation.energy().total(), simulation.statistics().energy_initial);
    }
  }
}

// Its step by hand: (m + h c + h² k) du = -h (c u + k (x + h u)).
TEST(Oscillator, EulerTakesTheImplicitStep) {
  const double m = 2, k = 300, c = 7, x0 = 0.1, h = 0.05;
  Simulation simulation(test::scene_of(oscillator(m, k, c, x0), StepperKind::kEuler, h));
  double x = x0, u = 0;
  for (int n = 0; n < 20; ++n) {
    simulation.step();
    u += -h * (c * u + k * (x + h * u)) / (m + h * c + h * h * k);
    x += h * u;
    EXPECT_NEAR(simulation.state().q[0], x, 1e-14);
    EXPECT_NEAR(simulation.state().u[0], u, 1e-14);
  }
}

// A stiff ball joint hangs still where its spring and the weight balance.
TEST(Oscillator, StiffBallJointSettles) {
  JointSpec ball = test::joint_of("ball", JointType::kBall, kWorldName, "arm");
  ball.stiffness = {1e6};
  ball.damping = {1e3};
  Simulation simulation(test::scene_of(test::single_body(test::body_with("arm", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1}), ball),
                                       StepperKind::kEuler, 1e-2));
  simulation.run(1);
  // The moment 0.5 m * m g about y, against the angle times the stiffness.
  const double angle = 2 * std::asin(simulation.state().q[2]);
  EXPECT_NEAR(angle, 0.5 * kG / 1e6, 1e-9);
  EXPECT_LT(std::abs(simulation.state().u[1]), 1e-6);
  figure("ball joint of 1e6 N m/rad under Euler with dt = 0.01 s: settles at {:.4e} rad, statics {:.4e} rad", angle,
         0.5 * kG / 1e6);
}

}  // namespace
}  // namespace lipkin
