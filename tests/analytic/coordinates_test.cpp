// The same mechanism in the coordinates of its joints and with every joint cut: one motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "lipkin/dynamics.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::joint_of;

// Root mean square over all bodies of the differences in place and velocity.
double difference(const Simulation& a, const Simulation& b) {
  double sum = 0;
  const int count = a.model().body_count();
  for (int i = 0; i < count; ++i) {
    const BodyMotion x = a.body_motion(i), y = b.body_motion(i);
    sum += (x.pose.position - y.pose.position).squaredNorm() + (x.velocity - y.velocity).squaredNorm() +
           (x.angular_velocity - y.angular_velocity).squaredNorm();
    sum += std::pow(x.pose.orientation.angularDistance(y.pose.orientation), 2);
  }
  return std::sqrt(sum / count);
}

void add_output(ModelBuilder& builder, const std::string& expression) {
  builder.add(OutputSpec{expression, expression, "", {}});
}

const std::vector<std::string>& watched() {
  static const std::vector<std::string> all = {
      "joint.revolute.q",
      "joint.screw.q",
      "joint.cylindrical.q[0]",
      "joint.cylindrical.q[1]",
      "joint.universal.q[0]",
      "joint.universal.q[1]",
      "joint.planar.q[0]",
      "joint.planar.q[1]",
      "joint.planar.q[2]",
      "joint.prismatic.q",
      "joint.revolute.u",
      "joint.screw.u",
      "joint.cylindrical.u[0]",
      "joint.universal.u[0]",
      "joint.planar.u[2]",
      "joint.loop.q[0]",
      "joint.loop.q[1]",
      "joint.loop.u[0]",
      "joint.ball.q[0] * joint.ball.q[3]",
      "joint.ball.q[1] * joint.ball.q[2]"};  // products: both signs of a quaternion are one orientation
  return all;
}

// One of each joint, turning by several turns within half a second, and one that closes a loop.
Model spinning_joints() {
  ModelBuilder builder;
  builder.set_gravity({0.1, 0.2, -0.3});
  const auto add = [&](JointType type, const std::string& parent, std::vector<double> u) {
    const std::string name(name_of(type));
    JointSpec joint = joint_of(name, type, parent, name + " body");
    joint.frame_in_parent.position = {0.3, -0.1, 0.2};
    joint.frame_in_parent.orientation = Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 3).normalized());
    joint.frame_in_child.position = {0.01, 0.02, -0.05};
    joint.pitch = type == JointType::kScrew ? 0.01 : 0;
    joint.u = std::move(u);
    builder.add(test::body_with(name + " body", 1, {0.01, 0.02, -0.05}, {0.02, 0.02, 0.03}));
    builder.add(joint);
  };
  add(JointType::kRevolute, kWorldName, {40});
  add(JointType::kScrew, "revolute body", {-45});
  add(JointType::kCylindrical, kWorldName, {60, 0.3});
  add(JointType::kUniversal, kWorldName, {35, 1});
  add(JointType::kPlanar, kWorldName, {0.2, -0.1, 50});
  add(JointType::kPrismatic, "planar body", {0.2});
  add(JointType::kBall, kWorldName, {3, 4, 20});
  add(JointType::kFree, kWorldName, {0, 0, 0, 0, 0, 55});
  JointSpec loop = joint_of("loop", JointType::kUniversal, kWorldName, "free body");
  loop.frame_in_parent.position = {0.3, -0.1, 0.2};
  loop.frame_in_parent.orientation = Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 3).normalized()) *
                                     Eigen::AngleAxisd(-std::numbers::pi / 2, Eigen::Vector3d::UnitY());
  loop.frame_in_child.position = {0.01, 0.02, -0.05};
  loop.frame_in_child.orientation = Eigen::AngleAxisd(-std::numbers::pi / 2, Eigen::Vector3d::UnitY());
  loop.closes_loop = true;
  builder.add(loop);
  for (const std::string& name : watched()) add_output(builder, name);
  return builder.build();
}

std::vector<double> values(const Simulation& simulation) {
  return {simulation.outputs().begin(), simulation.outputs().end()};
}

TEST(ChangingCoordinates, KeepsPosesVelocitiesAndTurns) {
  Simulation simulation(test::scene_of(spinning_joints(), StepperKind::kEuler, 1e-3));
  simulation.run(0.5);
  EXPECT_GT(simulation.output("joint.revolute.q"), 12);
  EXPECT_LT(simulation.output("joint.screw.q"), -12);
  EXPECT_GT(simulation.output("joint.planar.q[2]"), 7);
  EXPECT_GT(simulation.output("joint.cylindrical.q[0]"), 12);
  EXPECT_GT(std::abs(simulation.output("joint.loop.q[0]")), 12);
  for (const CoordinateKind kind : {CoordinateKind::kMaximal, CoordinateKind::kGeneralized, CoordinateKind::kMaximal,
                                    CoordinateKind::kMaximal, CoordinateKind::kGeneralized}) {
    std::vector<BodyMotion> before;
    for (int i = 0; i < simulation.model().body_count(); ++i) before.push_back(simulation.body_motion(i));
    const std::vector<double> outputs_before = values(simulation);
    const double t = simulation.state().t;
    simulation.set_coordinates(kind);
    EXPECT_EQ(simulation.experiment().coordinates, kind);
    EXPECT_EQ(simulation.state().t, t);
    simulation.run(0);  // samples
    const std::vector<double> outputs_after = values(simulation);
    // Angles of tens of radians and speeds of tens of radians per second, through sines and quaternions.
    for (std::size_t k = 0; k < outputs_before.size(); ++k)
      EXPECT_NEAR(outputs_after[k], outputs_before[k], 1e-9) << simulation.model().output_name(static_cast<int>(k));
    for (int i = 0; i < simulation.model().body_count(); ++i) {
      const BodyMotion after = simulation.body_motion(i);
      EXPECT_LE((after.pose.position - before[i].pose.position).norm(), 1e-11);
      EXPECT_LE(after.pose.orientation.angularDistance(before[i].pose.orientation), 1e-7);  // an arc cosine near 1
      EXPECT_LE((after.velocity - before[i].velocity).norm(), 1e-9);
      EXPECT_LE((after.angular_velocity - before[i].angular_velocity).norm(), 1e-9);
    }
    simulation.run(0.3);
  }
  EXPECT_GT(simulation.output("joint.revolute.q"), 40);
}

TEST(ChangingCoordinates, WhileRunningCostsNoMoreThanAStep) {
  // A change on the way leaves the motion between those of the two kinds.
  const auto end = [](int changes, double dt) {
    Simulation simulation(test::scene_of(test::swinging_chain(), StepperKind::kEuler, dt));
    for (int k = 0; k <= changes; ++k) {
      simulation.run(1.0 / (changes + 1));
      if (k < changes) simulation.set_coordinates(k % 2 == 0 ? CoordinateKind::kMaximal : CoordinateKind::kGeneralized);
    }
    return simulation.body_motion(2).pose.position;
  };
  const double coarse = (end(4, 1e-3) - end(0, 1e-3)).norm(), fine = (end(4, 5e-4) - end(0, 5e-4)).norm();
  figure("swinging chain, four changes in 1 s: off by {:.1e} m at 1 ms, {:.1e} m at 0.5 ms", coarse, fine);
  EXPECT_NEAR(coarse / fine, 2, 0.4);
}

// The same joint between two bodies, once in the tree, once closing a loop between bodies that hang on the world.
struct Pair {
  Model tree, loop;
};

JointSpec joint_between(JointType type) {
  JointSpec joint = joint_of("joint", type, "first", "second");
  joint.frame_in_parent.position = {0.2, 0.1, -0.3};
  joint.frame_in_parent.orientation = Eigen::AngleAxisd(0.7, Eigen::Vector3d(3, -1, 2).normalized());
  joint.frame_in_child.position = {-0.1, 0.05, 0.15};
  joint.frame_in_child.orientation = Eigen::AngleAxisd(0.5, Eigen::Vector3d(1, 1, -2).normalized());
  if (type == JointType::kRevolute || type == JointType::kPrismatic || type == JointType::kScrew ||
      type == JointType::kCylindrical)
    joint.axis = Eigen::Vector3d(1, 2, -1).normalized();
  if (type == JointType::kScrew) joint.pitch = 0.05;
  if (u_count(type) > 0) joint.damping = {0.05};
  if (u_count(type) == 1) joint.stiffness = {2};
  if (type == JointType::kBall) joint.stiffness = {2, 5, 3};  // that act together, far from their rest
  return joint;
}

void add_base(ModelBuilder& builder) {
  JointSpec base = joint_of("base", JointType::kRevolute, kWorldName, "first");
  base.axis = {1, 0, 0.2};
  base.u = {1.5};
  builder.add(base);
  builder.add(test::body_with("first", 1.5, {0.1, 0, -0.2}, {0.03, 0.02, 0.02}));
  builder.add(test::body_with("second", 0.8, {0.02, -0.05, -0.1}, {0.01, 0.02, 0.015}));
}

Pair pair_of(JointType type) {
  ModelBuilder tree;
  add_base(tree);
  JointSpec joint = joint_between(type);
  if (type == JointType::kBall) joint.q = {0.8, 0, 0.6, 0};
  if (type != JointType::kFixed && type != JointType::kBall && type != JointType::kFree)
    joint.q.assign(q_count(type), 0.3);
  joint.u.assign(u_count(type), -0.7);
  tree.add(joint);
  Model tree_model = tree.build();
  Simulation start(test::scene_of(tree_model, StepperKind::kEuler));
  const BodyMotion second = start.body_motion(tree_model.body("second"));

  ModelBuilder loop;
  add_base(loop);
  JointSpec closing = joint_between(type);
  closing.closes_loop = true;
  loop.add(closing);
  JointSpec free = joint_of("free", JointType::kFree, kWorldName, "second");
  const Eigen::Quaterniond& r = second.pose.orientation;
  const Eigen::Vector3d w = r.conjugate() * second.angular_velocity;
  const Eigen::Vector3d &p = second.pose.position, &v = second.velocity;
  free.q = {p.x(), p.y(), p.z(), r.w(), r.x(), r.y(), r.z()};
  free.u = {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
  loop.add(free);
  return {tree_model, loop.build()};
}

class ClosingJoint : public testing::TestWithParam<JointType> {};

TEST_P(ClosingJoint, DoesWhatItDoesInTheTree) {
  const Pair pair = pair_of(GetParam());
  double error[3];
  for (int k = 0; k < 3; ++k) {
    const double dt = 2e-3 / (1 << k);
    Simulation tree(test::scene_of(pair.tree, StepperKind::kEuler, dt));
    Simulation loop(test::scene_of(pair.loop, StepperKind::kEuler, dt));
    EXPECT_LE((tree.body_motion(1).pose.position - loop.body_motion(1).pose.position).norm(), 1e-12);
    EXPECT_LE((tree.body_motion(1).velocity - loop.body_motion(1).velocity).norm(), 1e-12);
    tree.run(0.6);
    loop.run(0.6);
    error[k] = difference(tree, loop);
    EXPECT_LE(loop.statistics().position_violation, 1e-10);
    EXPECT_LE(loop.statistics().velocity_violation, 1e-9);
  }
  figure("{} as a loop and in the tree: {:.2e} {:.2e} {:.2e}, ratios {:.2f} {:.2f}", name_of(GetParam()), error[0],
         error[1], error[2], error[0] / error[1], error[1] / error[2]);
  EXPECT_NEAR(error[0] / error[1], 2, 0.4);
  EXPECT_NEAR(error[1] / error[2], 2, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Types, ClosingJoint,
                         testing::Values(JointType::kRevolute, JointType::kPrismatic, JointType::kScrew,
                                         JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar,
                                         JointType::kBall, JointType::kFixed),
                         [](const testing::TestParamInfo<JointType>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

}  // namespace
}  // namespace lipkin
