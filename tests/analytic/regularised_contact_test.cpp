// Contact and friction as forces against closed forms, by every stepper that takes forces.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/built_steppers.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;

constexpr double kMass = 0.7, kRadius = 0.05;  // [kg], [m]

// A ball that touches the ground at t = 0 with speed v, nothing else acting on it.
Model ball_on_ground(const MaterialSpec& material, double v) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  MaterialSpec named = material;
  named.name = "soft";
  builder.add(named);
  ShapeSpec ground;
  ground.geometry = ShapePlane{};
  ground.contact = "soft";
  builder.add_world_shape(ground);
  BodySpec ball = test::body_with("ball", kMass, {0, 0, 0}, {1e-3, 1e-3, 1e-3});
  ShapeSpec shape;
  shape.geometry = ShapeSphere{kRadius};
  shape.contact = "soft";
  ball.shapes.push_back(shape);
  builder.add(ball);
  JointSpec joint = test::joint_of("free", JointType::kFree, kWorldName, "ball");
  joint.q = {0, 0, kRadius, 1, 0, 0, 0};
  joint.u = {0, 0, -v, 0, 0, 0};
  builder.add(joint);
  return builder.build();
}

class RegularisedContact : public testing::TestWithParam<StepperKind> {
 protected:
  // The speed at which it leaves, well after.
  double rebound(const Model& model, double after) const {
    Simulation simulation(test::scene_of(model, GetParam(), 1e-6));
    simulation.set_tolerances(1e-10, 1e-12);
    simulation.run(after);
    return simulation.state().u[2];
  }
};

// The force jumps where the surfaces meet or part: a step over a jump errs by the jump times the step at most, which
// the tolerances, or the fixed step of 1e-6 s with accelerations of up to 1e5 m/s², keep below these [m/s].
constexpr double kAdaptive = 1e-7, kFixed = 2e-3;

TEST_P(RegularisedContact, SpringGivesBackEverything) {
  MaterialSpec material;
  material.stiffness = 1e6;
  const double v = 1.3;
  EXPECT_NEAR(rebound(ball_on_ground(material, v), 0.01), v, GetParam() == StepperKind::kRk4 ? kFixed : kAdaptive);
}

// m x'' + d x' + k x = 0 from x = 0 until the force ends, x'' = 0.
TEST_P(RegularisedContact, SpringDamperLeavesWhereItsForceEnds) {
  MaterialSpec material;
  material.stiffness = 1e6;
  material.linear_damping = 300;
  const double v = 1.3, beta = material.linear_damping / (2 * kMass), w0 = std::sqrt(material.stiffness / kMass);
  const double w = std::sqrt(w0 * w0 - beta * beta);
  const double end = (M_PI - std::atan2(2 * beta * w, w * w - beta * beta)) / w;
  const double expected = -v * std::exp(-beta * end) * (std::cos(w * end) - beta / w * std::sin(w * end));
  const double got = rebound(ball_on_ground(material, v), 0.01);
  figure("{}: spring-damper, rebound {:.9f}, expected {:.9f} m/s", name_of(GetParam()), got, expected);
  EXPECT_NEAR(got, expected, GetParam() == StepperKind::kRk4 ? kFixed : kAdaptive);
}

// Hunt-Crossley: v dv / (1 + c v) = -k/m x^n dx, whatever k and n, so that speeds before and after are bound by
// v - ln(1 + c v) / c having one value for v and for minus the rebound.
TEST_P(RegularisedContact, HuntCrossley) {
  MaterialSpec material;
  material.stiffness = 1e8;
  material.exponent = 1.5;
  material.damping = 0.4;
  const double v = 1.3, c = material.damping;
  const auto invariant = [c](double speed) { return speed - std::log1p(c * speed) / c; };
  double low = 0, high = v;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (invariant(-middle) < invariant(v) ? low : high) = middle;
  }
  const double got = rebound(ball_on_ground(material, v), 0.01);
  figure("{}: Hunt-Crossley, rebound {:.9f}, expected {:.9f} m/s", name_of(GetParam()), got, low);
  EXPECT_NEAR(got, low, GetParam() == StepperKind::kRk4 ? kFixed : kAdaptive);
}

// m v' = -F v / sqrt(v² + s²): sqrt(v² + s²) - s asinh(s / v) falls at F / m.
TEST_P(RegularisedContact, JointFriction) {
  const double limit = 2, v = 1.5, s = 0.05, t = 0.6;
  BodySpec body = test::body_with("body", kMass, {0, 0, 0}, {1e-3, 1e-3, 1e-3});
  JointSpec joint = test::joint_of("slide", JointType::kPrismatic, kWorldName, "body");
  joint.u = {v};
  joint.friction = {limit};
  Scene scene = test::scene_of(test::single_body(body, joint, {0, 0, 0}), GetParam(), 1e-3);
  scene.experiment.slip_speed = s;
  Simulation simulation(std::move(scene));
  simulation.set_tolerances(1e-10, 1e-12);
  simulation.run(t);
  const auto g = [s](double speed) { return std::hypot(speed, s) - s * std::asinh(s / speed); };
  EXPECT_NEAR(g(simulation.state().u[0]), g(v) - limit / kMass * t, 1e-7);  // tolerances; rk4 of 1 ms: (h / 1 s)^4
}

// A ball that spins on the ground under its weight, pressed flat by k: friction mu m g at the slip of its lowest point.
TEST_P(RegularisedContact, SlidingLosesMuTimesGravity) {
  MaterialSpec material;
  material.stiffness = 1e4;
  material.linear_damping = 50;
  material.friction = 0.3;
  Scene scene = test::scene_of(ball_on_ground(material, 0), GetParam(), 1e-5);
  scene.experiment.slip_speed = 1e-5;
  Simulation simulation(std::move(scene));
  simulation.set_tolerances(1e-9, 1e-11);
  State start = simulation.state();
  const double sunk = kMass * 9.81 / material.stiffness;
  start.q[2] = kRadius - sunk;
  start.u = {1, 0, 0, 0, 0, 0};
  start.applied[2] = -kMass * 9.81;
  simulation.restore(start);
  simulation.run(0.1);
  // v / sqrt(v² + s²) = 1 - 5e-11 at most.
  EXPECT_NEAR(simulation.state().u[0], 1 - 0.3 * 9.81 * 0.1, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Steppers, RegularisedContact,
    testing::ValuesIn(test::built({StepperKind::kRk4, StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf})),
    [](const testing::TestParamInfo<StepperKind>& kind) { return std::string(name_of(kind.param)); });

// `euler` may take contact as a force too, where it is asked to: first order.
TEST(RegularisedContactEuler, SpringOfFirstOrder) {
  MaterialSpec material;
  material.stiffness = 1e6;
  double last = 0;
  for (const double dt : {1e-5, 5e-6, 2.5e-6}) {
    Scene scene = test::scene_of(ball_on_ground(material, 1.3), StepperKind::kEuler, dt);
    scene.experiment.contact = ContactKind::kRegularised;
    Simulation simulation(std::move(scene));
    simulation.run(1e-3);  // within the contact, which lasts pi sqrt(m / k) = 2.6 ms
    const double w = std::sqrt(1e6 / kMass), expected = -1.3 * std::cos(w * 1e-3);
    const double error = std::abs(simulation.state().u[2] - expected);
    if (last > 0) {
      EXPECT_NEAR(last / error, 2, 0.1);
    }
    last = error;
  }
}

TEST(RegularisedContactEnergy, CountsWhatContactsStore) {
  MaterialSpec material;
  material.stiffness = 1e6;
  Simulation simulation(test::scene_of(ball_on_ground(material, 1.3), StepperKind::kDopri5));
  const double whole = 0.5 * kMass * 1.3 * 1.3;
  double worst = 0, stored = 0;
  simulation.run(3e-3, 1e-4, [&](const Simulation& now) {
    worst = std::max(worst, std::abs(now.energy().total() - whole));
    stored = std::max(stored, now.energy().elastic);
    return true;
  });
  EXPECT_LT(worst, 1e-6 * whole);  // tolerance 1e-8 over a hundred steps
  EXPECT_GT(stored, 0.9 * whole);  // sampled near the deepest point
}

}  // namespace
}  // namespace lipkin
