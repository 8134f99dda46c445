// A model edited while it runs: bodies stay, momentum stays where nothing outside holds, checkpoints go back across the
// edit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "model/model_compiler.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

BodySpec block(const std::string& name, double mass) {
  BodySpec body;
  body.name = name;
  MassProperties m;
  m.mass = mass;
  m.com = {0.1, 0.2, -0.05};
  m.inertia = Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal();
  body.mass_properties = m;
  return body;
}

JointSpec joint(const std::string& name, JointType type, const std::string& parent, const std::string& child,
                std::vector<double> q, std::vector<double> u) {
  JointSpec spec;
  spec.name = name;
  spec.type = type;
  spec.parent = parent;
  spec.child = child;
  spec.frame_in_parent.position = {0.3, 0, 0};
  spec.q = std::move(q);
  spec.u = std::move(u);
  return spec;
}

// Two blocks that tumble through space, on a cylindrical joint.
Scene tumbling(StepperKind stepper = StepperKind::kEuler) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(block("a", 2));
  builder.add(block("b", 1));
  builder.add(joint("fly", JointType::kFree, kWorldName, "a", {0, 0, 0, 1, 0, 0, 0}, {0.1, 0.2, 0.3, 1, -2, 0.5}));
  builder.add(joint("slide", JointType::kCylindrical, "a", "b", {7.0, 0.1}, {3, 0.4}));
  Scene scene{"tumbling", "", builder.build(), {}, {}};
  scene.experiment.stepper = stepper;
  return scene;
}

ModelParts parts_of(const Simulation& simulation) { return *simulation.model().data().parts; }

Model compiled(ModelParts parts) { return compile_model(std::make_shared<const ModelParts>(std::move(parts))); }

Momentum momentum_of(const Simulation& simulation) {
  Dynamics dynamics(simulation.running_model());
  dynamics.set(simulation.state().q, simulation.state().u);
  return dynamics.momentum();
}

double distance(const BodyMotion& a, const BodyMotion& b) {
  return (a.pose.position - b.pose.position).norm() +
         (a.pose.orientation.toRotationMatrix() - b.pose.orientation.toRotationMatrix()).norm();
}

// The joint becomes revolute at the displacement it has.
Model made_revolute(const Simulation& simulation, double displacement) {
  ModelParts parts = parts_of(simulation);
  parts.joints[1].type = JointType::kRevolute;
  parts.joints[1].frame_in_parent.position += displacement * Eigen::Vector3d::UnitZ();
  parts.joints[1].q = {0}, parts.joints[1].u = {0};
  return compiled(std::move(parts));
}

TEST(ChangeModel, CylindricalBecomesRevoluteInPlace) {
  Simulation simulation(tumbling());
  for (int i = 0; i < 100; ++i) simulation.step();
  const double angle = simulation.state().q[7], displacement = simulation.state().q[8];
  const BodyMotion a = simulation.body_motion(0), b = simulation.body_motion(1);
  const Momentum before = momentum_of(simulation);
  const double energy = simulation.energy().total();
  simulation.change_model(made_revolute(simulation, displacement));
  ASSERT_EQ(simulation.state().q.size(), 8u);
  // A few roundings of numbers of order ten; the angle keeps its full turn.
  EXPECT_NEAR(simulation.state().q[7], angle, 1e-13);
  EXPECT_GT(angle, 2 * std::numbers::pi);
  EXPECT_LT(distance(simulation.body_motion(0), a), 1e-14);
  EXPECT_LT(distance(simulation.body_motion(1), b), 1e-13);
  // Locking is an inner impulse: no momentum comes or goes, and energy can only be lost.
  const Momentum after = momentum_of(simulation);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-13);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-13);
  EXPECT_LT(simulation.energy().total(), energy - 1e-3);
}

// The plastic impulse along the locked direction, computed by another way: least squares in the norm of M.
TEST(ChangeModel, LockedVelocitiesAreTheNearestInTheNormOfM) {
  Simulation simulation(tumbling());
  for (int i = 0; i < 10; ++i) simulation.step();
  Dynamics dynamics(simulation.model());
  dynamics.set(simulation.state().q, simulation.state().u);
  const Eigen::MatrixXd M = dynamics.mass_matrix();
  const Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(simulation.state().u.data(), 8);
  const Eigen::MatrixXd P = Eigen::MatrixXd::Identity(8, 7);
  const Eigen::VectorXd nearest = (P.transpose() * M * P).ldlt().solve(P.transpose() * M * u);
  simulation.change_model(made_revolute(simulation, simulation.state().q[8]));
  for (int k = 0; k < 7; ++k) EXPECT_NEAR(simulation.state().u[k], nearest[k], 1e-12);  // condition of M times rounding
}

TEST(ChangeModel, SameInMaximalCoordinates) {
  Simulation simulation(tumbling());
  for (int i = 0; i < 10; ++i) simulation.step();
  simulation.set_coordinates(CoordinateKind::kMaximal);
  const BodyMotion b = simulation.body_motion(1);
  const Momentum before = momentum_of(simulation);
  const double displacement = simulation.state().closure_q[1];
  simulation.change_model(made_revolute(simulation, displacement));
  EXPECT_LT(distance(simulation.body_motion(1), b), 1e-12);
  EXPECT_LT((momentum_of(simulation).angular - before.angular).norm(), 1e-12);
  EXPECT_LT((momentum_of(simulation).linear - before.linear).norm(), 1e-12);
}

TEST(ChangeModel, BodyThatLosesItsJointFliesOn) {
  ModelBuilder builder;
  builder.add(block("bob", 1));
  builder.add(joint("hinge", JointType::kRevolute, kWorldName, "bob", {0.4}, {2}));
  Simulation simulation(Scene{"pendulum", "", builder.build(), {}, {}});
  for (int i = 0; i < 50; ++i) simulation.step();
  const BodyMotion before = simulation.body_motion(0);
  ModelParts parts = parts_of(simulation);
  parts.joints[0] = JointSpec{};
  parts.joints[0].name = "free bob";
  parts.joints[0].type = JointType::kFree;
  parts.joints[0].child = "bob";
  simulation.change_model(compiled(std::move(parts)));
  const BodyMotion after = simulation.body_motion(0);
  EXPECT_LT(distance(after, before), 1e-14);
  EXPECT_LT((after.velocity - before.velocity).norm(), 1e-13);
  EXPECT_LT((after.angular_velocity - before.angular_velocity).norm(), 1e-13);
}

TEST(ChangeModel, CheckpointGoesBackAcrossTheEdit) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kDopri5}) {
    Simulation simulation(tumbling(stepper));
    for (int i = 0; i < 20; ++i) simulation.step();
    const Checkpoint checkpoint = simulation.checkpoint();
    const auto go_on = [&] {
      simulation.change_model(made_revolute(simulation, simulation.state().q[8]));
      for (int i = 0; i < 20; ++i) simulation.step();
      return simulation.hash();
    };
    const std::uint64_t first = go_on();
    simulation.restore(checkpoint);
    EXPECT_EQ(simulation.hash(), state_hash(checkpoint.state));
    EXPECT_EQ(go_on(), first);
  }
}

TEST(ChangeModel, WatchesDoNotChangeTheMotion) {
  const auto hash = [](bool watched) {
    Simulation simulation(load_scene("peaucellier-driven"));
    for (int i = 0; i < 50; ++i) {
      if (watched && i == 10) {
        const auto mistakes = simulation.set_watches({"joint.crank.fx", "body.crank.ay + 1", "body.nobody.x", "1 +"});
        EXPECT_EQ(mistakes[0] + mistakes[1], "");
        EXPECT_NE(mistakes[2].find("nobody"), std::string::npos);
        EXPECT_NE(mistakes[3], "");
      }
      simulation.step();
      if (watched && i > 10) {
        EXPECT_TRUE(std::isfinite(simulation.watched()[1]));
        EXPECT_TRUE(std::isnan(simulation.watched()[2]));
      }
    }
    return simulation.hash();
  };
  EXPECT_EQ(hash(true), hash(false));
}

// m a = -k x - c v with k = m w^2, c = 2 m w: the point comes to its target as (1 + w t) e^(-w t).
TEST(ChangeModel, DragIsCriticallyDamped) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  BodySpec ball = block("ball", 2);
  ball.mass_properties->com.setZero();
  builder.add(ball);
  builder.add(joint("fly", JointType::kFree, kWorldName, "ball", {0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0}));
  Scene scene{"ball", "", builder.build(), {}, {}};
  scene.experiment.stepper = StepperKind::kRk4;
  Simulation simulation(std::move(scene));
  const double w = 10, m = 2;
  ActiveDrag drag;
  drag.target = {1.3, 0, 0};
  drag.stiffness = m * w * w * Eigen::Matrix3d::Identity();
  drag.damping = 2 * m * w * Eigen::Matrix3d::Identity();
  simulation.set_drags({drag});
  for (int i = 0; i < 200; ++i) simulation.step();
  const double expected = 1.3 - (1 + w * 0.2) * std::exp(-w * 0.2);
  EXPECT_NEAR(simulation.body_motion(0).pose.position.x(), expected, 1e-9);  // order 4, step 1 ms
}

// A state keeps what positions were corrected by, per row of its model: of another one with fewer it is of no use.
TEST(ChangeModel, TakesAStateOfMoreGears) {
  const auto geared = [](const char* gears) {
    std::string text = "lipkin: 1\nbodies:\n";
    for (int i = 0; i < 4; ++i)
      text += fmt::format(
          "  - {{name: b{0}, joint: {{type: revolute, axis: y, at: [{0}, 0, 0], u: {0}}}, mass: 1, com: "
          "[0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n",
          i);
    return test::scene_from(text + gears + "experiment: {dt: 0.001, duration: 1}\n");
  };
  Simulation simulation(
      geared("gears: [{name: g, joint: b1, of: b0, ratio: 2}, {name: k, joint: b3, of: b2, ratio: 3}]\n"));
  for (int i = 0; i < 10; ++i) simulation.step();
  const State before = simulation.state();
  simulation.change_model(geared("gears: [{name: g, joint: b1, of: b0, ratio: 2}]\n").model);
  simulation.restore(before);
  for (int i = 0; i < 10; ++i) simulation.step();
  EXPECT_NEAR(simulation.state().u[1], 2 * simulation.state().u[0], 1e-9);
  EXPECT_LE(simulation.state().projection.size(), 3u * 8u);
}

}  // namespace
}  // namespace lipkin
