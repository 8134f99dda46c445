// Single bodies in space and on joints against closed forms.
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

Simulation tight(Model model, StepperKind stepper = StepperKind::kDopri5) {
  Simulation simulation(test::scene_of(std::move(model), stepper));
  simulation.set_tolerances(1e-13, 1e-13);
  return simulation;
}

Eigen::Quaterniond orientation(const Simulation& simulation) { return simulation.body_motion(0).pose.orientation; }

// ---- in flight ----

// A spinning projectile: the centre of mass on a parabola, though the body frame is elsewhere.
TEST(Projectile, FliesAlongAParabolaInEveryStepper) {
  JointSpec joint = test::joint_of("joint", JointType::kFree, kWorldName, "body");
  joint.q = {1, 2, 3, 1, 0, 0, 0};
  joint.u = {4, 5, 6, 1, 2, 3};
  const Eigen::Vector3d com(0.3, -0.2, 0.1), w(1, 2, 3);
  const Model model = test::single_body(test::body_with("body", 2, com, {0.1, 0.2, 0.25}), joint);
  const Eigen::Vector3d start = Eigen::Vector3d(1, 2, 3) + com, v = Eigen::Vector3d(4, 5, 6) + w.cross(com);
  for (const StepperKind stepper : {StepperKind::kRk4, StepperKind::kDopri5}) {
    Simulation simulation = tight(model, stepper);
    simulation.run(2);
    const Pose pose = simulation.body_motion(0).pose;
    const Eigen::Vector3d expected = start + 2 * v + 0.5 * 4 * Eigen::Vector3d(0, 0, -kG);
    EXPECT_LT((pose.position + pose.orientation * com - expected).norm(), 1e-9) << name_of(stepper);
  }
}

// About its centre of mass there is no error at all: positions are integrals of velocities.
TEST(Projectile, IsExactAtItsCentreOfMass) {
  JointSpec joint = test::joint_of("joint", JointType::kFree, kWorldName, "body");
  joint.u = {4, 5, 6, 1, 2, 3};
  const Model model = test::single_body(test::body_with("body", 2, {0, 0, 0}, {0.1, 0.2, 0.25}), joint);
  Simulation simulation(test::scene_of(model, StepperKind::kRk4, 0.1));
  simulation.run(2);
  EXPECT_NEAR(simulation.state().q[0], 8, 1e-13);
  EXPECT_NEAR(simulation.state().q[2], 12 - 2 * kG, 1e-13);
}

// Euler, Poinsot: a symmetric body without torque. w3 stays, w1 and w2 circle at (A - C)/A w3; the axis precesses about
// the angular momentum L at |L|/A.
TEST(SymmetricTop, WithoutTorque) {
  const double A = 0.5, C = 0.8, w1 = 1.5, w3 = 4, t = 3;
  JointSpec joint = test::joint_of("joint", JointType::kFree, kWorldName, "body");
  joint.u = {0, 0, 0, w1, 0, w3};
  Simulation simulation = tight(test::single_body(test::body_with("body", 1, {0, 0, 0}, {A, A, C}), joint, {0, 0, 0}));
  simulation.run(t);
  const double slip = (A - C) / A * w3;
  EXPECT_NEAR(simulation.state().u[3], w1 * std::cos(slip * t), 1e-11);
  EXPECT_NEAR(simulation.state().u[4], -w1 * std::sin(slip * t), 1e-11);
  EXPECT_NEAR(simulation.state().u[5], w3, 1e-12);
  // R = turn about L by |L|/A t, then about the body's axis by (1 - C/A) w3 t.
  const Eigen::Vector3d L(A * w1, 0, C * w3);
  const Eigen::Quaterniond expected = Eigen::Quaterniond(Eigen::AngleAxisd(L.norm() / A * t, L.normalized())) *
                                      Eigen::Quaterniond(Eigen::AngleAxisd(slip * t, Eigen::Vector3d::UnitZ()));
  EXPECT_LT((orientation(simulation).toRotationMatrix() - expected.toRotationMatrix()).norm(), 1e-10);
}

// Dzhanibekov: spun about the middle axis, a body turns over again and again, its energy and momentum unmoved. Between
// two flips lie 2 K(k) / sqrt(...) by Jacobi's elliptic functions (Landau, Lifshitz, Mechanics, section 37).
TEST(Dzhanibekov, TurnsOverAtTheEllipticPeriod) {
  const double I1 = 1, I2 = 2, I3 = 3, w1 = 1e-3, w2 = 5, w3 = 2e-3;
  JointSpec joint = test::joint_of("joint", JointType::kBall, kWorldName, "body");
  joint.u = {w1, w2, w3};
  Simulation simulation =
      tight(test::single_body(test::body_with("body", 1, {0, 0, 0}, {I1, I2, I3}), joint, {0, 0, 0}));
  const double E2 = I1 * w1 * w1 + I2 * w2 * w2 + I3 * w3 * w3;
  const double M2 = I1 * I1 * w1 * w1 + I2 * I2 * w2 * w2 + I3 * I3 * w3 * w3;
  // M² > 2 E I2 or not decides which of the outer axes the momentum circles.
  const bool around_third = M2 > E2 * I2;
  const double a = around_third ? I1 : I3, c = around_third ? I3 : I1;
  const double k2 = (I2 - a) * (E2 * c - M2) / ((c - I2) * (M2 - E2 * a));
  double x = 1, y = std::sqrt(1 - k2);
  for (int n = 0; n < 40; ++n) {
    const double mean = (x + y) / 2;
    y = std::sqrt(x * y), x = mean;
  }
  const double T = 4 * (kPi / 2 / x) * std::sqrt(I1 * I2 * I3 / ((c - I2) * (M2 - E2 * a)));
  std::vector<double> flips;
  double last = w2, last_t = 0, energy_error = 0;
  simulation.run(2.2 * T, 0, [&](const Simulation& s) {
    const double now = s.state().u[1];
    if (last * now < 0) flips.push_back(last_t + (s.state().t - last_t) * last / (last - now));
    last = now, last_t = s.state().t;
    energy_error = std::max(energy_error, std::abs(s.energy().total() - s.statistics().energy_initial));
    return true;
  });
  ASSERT_GE(flips.size(), 4u);
  EXPECT_NEAR(flips[2] - flips[0], T, 1e-5);  // crossings are interpolated linearly between steps of some ms
  EXPECT_LT(energy_error, 1e-10 * simulation.statistics().energy_initial);
  figure("Dzhanibekov: {} flips, period {:.6f} s, elliptic {:.6f} s, energy kept to {:.1e} J", flips.size(),
         flips[2] - flips[0], T, energy_error);
}

// ---- tops ----

// Steady precession of a heavy symmetric top: A W² cos(theta) - C w3 W + m g l = 0 keeps the inclination.
TEST(HeavyTop, PrecessesSteadily) {
  const double m = 1.5, l = 0.2, A = 0.09, C = 0.03, theta = 0.7, w3 = 60;
  const double p = C * w3 / (2 * A * std::cos(theta));
  for (const double sign : {-1.0, 1.0}) {  // slow and fast
    const double W = p + sign * std::sqrt(p * p - m * kG * l / (A * std::cos(theta)));
    JointSpec joint = test::joint_of("joint", JointType::kBall, kWorldName, "top");
    joint.q = {std::cos(theta / 2), std::sin(theta / 2), 0, 0};
    joint.u = {0, W * std::sin(theta), w3};
    const double across = A - m * l * l;
    Simulation simulation = tight(test::single_body(test::body_with("top", m, {0, 0, l}, {across, across, C}), joint));
    const double t = 2;
    double worst = 0;
    simulation.run(t, 0, [&](const Simulation& s) {
      const Eigen::Vector3d axis = orientation(s) * Eigen::Vector3d::UnitZ();
      worst = std::max(worst, std::abs(axis.z() - std::cos(theta)));
      return true;
    });
    EXPECT_LT(worst, 1e-11);
    const Eigen::Vector3d axis = orientation(simulation) * Eigen::Vector3d::UnitZ();
    const Eigen::Vector3d expected(std::sin(theta) * std::sin(W * t), -std::sin(theta) * std::cos(W * t),
                                   std::cos(theta));
    EXPECT_LT((axis - expected).norm(), 1e-9);
    figure("heavy top precessing at {:.3f} rad/s: inclination kept to {:.1e}", W, worst);
  }
}

// A sleeping top stands while C² w² > 4 A m g l, and falls below that.
TEST(HeavyTop, SleepsAndWakes) {
  const double m = 1, l = 0.1, A = 0.012, C = 0.002, critical = std::sqrt(4 * A * m * kG * l) / C;
  for (const double factor : {1.1, 0.9}) {
    JointSpec joint = test::joint_of("joint", JointType::kBall, kWorldName, "top");
    joint.q = {1, 1e-7, 0, 0};
    joint.u = {0, 0, factor * critical};
    Simulation simulation =
        tight(test::single_body(test::body_with("top", m, {0, 0, l}, {A - m * l * l, A - m * l * l, C}), joint));
    double lowest = 1;
    simulation.run(8, 0.01, [&](const Simulation& s) {
      lowest = std::min(lowest, (orientation(s) * Eigen::Vector3d::UnitZ()).z());
      return true;
    });
    if (factor > 1) {
      EXPECT_GT(lowest, 1 - 1e-10);
    } else {
      EXPECT_LT(lowest, 0.99);
    }
  }
}

// ---- on joints ----

TEST(ScrewJoint, SlowsAFall) {
  const double m = 2, I = 0.03, pitch = 0.05;
  JointSpec joint = test::joint_of("joint", JointType::kScrew, kWorldName, "nut");
  joint.pitch = pitch;
  Simulation simulation = tight(test::single_body(test::body_with("nut", m, {0, 0, 0}, {1, 1, I}), joint));
  simulation.run(1.5);
  const double a = -m * kG * pitch / (I + m * pitch * pitch);
  EXPECT_NEAR(simulation.state().q[0], a * 1.5 * 1.5 / 2, 1e-10);
  EXPECT_NEAR(simulation.body_motion(0).pose.position.z(), pitch * a * 1.5 * 1.5 / 2, 1e-11);
}

TEST(PlanarJoint, IsAFreeBodyInAPlane) {
  JointSpec joint = test::joint_of("joint", JointType::kPlanar, kWorldName, "puck");
  joint.q = {1, 2, 0.3};
  joint.u = {0.5, -0.4, 3};
  const Eigen::Vector3d com(0.2, 0.1, 0);
  Simulation simulation =
      tight(test::single_body(test::body_with("puck", 2, com, {1, 1, 0.1}), joint, {0.3, -0.5, -9.81}));
  const auto world_com = [&] {
    const Pose pose = simulation.body_motion(0).pose;
    return Eigen::Vector3d(pose.position + pose.orientation * com);
  };
  const Eigen::Vector3d start = world_com();
  const BodyMotion before = simulation.body_motion(0);
  const Eigen::Vector3d v = before.velocity + before.angular_velocity.cross(before.pose.orientation * com);
  simulation.run(2);
  EXPECT_LT((world_com() - (start + 2 * v + 2 * Eigen::Vector3d(0.3, -0.5, 0))).norm(), 1e-10);
  EXPECT_NEAR(simulation.state().q[2], 0.3 + 6, 1e-11);
  EXPECT_NEAR(simulation.state().u[2], 3, 1e-12);
}

TEST(CylindricalJoint, TurnsAndSlidesOnItsOwn) {
  JointSpec joint = test::joint_of("joint", JointType::kCylindrical, kWorldName, "sleeve");
  joint.u = {3, 1};
  Simulation simulation = tight(test::single_body(test::body_with("sleeve", 2, {0, 0, 0}, {1, 1, 0.1}), joint));
  simulation.run(1);
  EXPECT_NEAR(simulation.state().q[0], 3, 1e-12);
  EXPECT_NEAR(simulation.state().q[1], 1 - kG / 2, 1e-12);
}

TEST(PrismaticJoint, OnAnIncline) {
  JointSpec joint = test::joint_of("joint", JointType::kPrismatic, kWorldName, "sledge");
  joint.axis = {1, 0, -0.5};
  Simulation simulation = tight(test::single_body(test::body_with("sledge", 2, {0, 0, 0}, {1, 1, 1}), joint));
  simulation.run(1);
  EXPECT_NEAR(simulation.state().q[0], kG * 0.5 / std::sqrt(1.25) / 2, 1e-12);
}

// A bead on a turning rod: pushed outwards by w² r, while the rod slows so that (I + m r²) w stays.
TEST(PrismaticJoint, BeadOnATurningRod) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  const double I = 0.5, m = 0.2, r0 = 0.3, w0 = 4;
  builder.add(test::body_with("rod", 1, {0, 0, 0}, {I, I, I}));
  builder.add(test::body_with("bead", m, {0, 0, 0}, {0, 0, 0}));
  JointSpec hinge = test::joint_of("hinge", JointType::kRevolute, kWorldName, "rod");
  hinge.u = {w0};
  JointSpec slide = test::joint_of("slide", JointType::kPrismatic, "rod", "bead");
  slide.axis = {1, 0, 0};
  slide.q = {r0};
  builder.add(hinge), builder.add(slide);
  Simulation simulation = tight(builder.build());
  simulation.run(1);
  const State& s = simulation.state();
  const double L = (I + m * r0 * r0) * w0, r = s.q[1];
  EXPECT_NEAR((I + m * r * r) * s.u[0], L, 1e-12);
  EXPECT_NEAR(0.5 * L * L / (I + m * r * r) + 0.5 * m * s.u[1] * s.u[1], 0.5 * L * w0, 1e-12);
  EXPECT_GT(r, 2 * r0);
}

}  // namespace
}  // namespace lipkin
