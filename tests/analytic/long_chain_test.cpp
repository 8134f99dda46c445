// Chains of so many links that maximal coordinates eliminate their joints along a tree (docs/decisions/0015): what a
// free one keeps, what the joints of one that rests carry, and the motion of generalized coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "solvers/bilateral_tree_plan.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::body_with;
using test::figure;
using test::joint_of;

constexpr int kLinks = 14;
static_assert(5 * kLinks >= kTreeRowsLeast);
constexpr double kLength = 0.1, kMass = 0.2, kRadius = 0.01;
const Eigen::Vector3d kMoments(1e-5, 2e-4, 2e-4);

std::string link(int i) { return fmt::format("link{}", i); }

// A joint of `type` for the first link, hinges for the others, the links along x.
ModelBuilder chain(JointType type, bool has_balls, const Eigen::Vector3d& axis, double speed) {
  ModelBuilder builder;
  for (int i = 0; i < kLinks; ++i) {
    BodySpec body = body_with(link(i), kMass, {kLength / 2, 0, 0}, kMoments);
    if (has_balls) {
      ShapeSpec ball;
      ball.geometry = ShapeSphere{kRadius};
      ball.pose.position = {kLength / 2, 0, 0};
      ball.contact = "steel";
      body.shapes.push_back(ball);
    }
    builder.add(body);
    JointSpec joint = joint_of(fmt::format("joint{}", i), i == 0 ? type : JointType::kRevolute,
                               i == 0 ? kWorldName : link(i - 1), link(i));
    joint.frame_in_parent.position = {i == 0 ? 0 : kLength, 0, 0};
    joint.axis = axis;
    joint.u.resize(type == JointType::kFree && i == 0 ? 6 : 1);
    for (std::size_t k = 0; k < joint.u.size(); ++k)
      joint.u[k] = speed * std::sin(static_cast<double>(i + 2 * static_cast<int>(k)));
    builder.add(joint);
  }
  return builder;
}

Simulation maximal(ModelBuilder& builder, double dt) {
  Scene scene = test::scene_of(builder.build(), StepperKind::kEuler, dt);
  scene.experiment.coordinates = CoordinateKind::kMaximal;
  return Simulation(std::move(scene));
}

struct Momenta {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();  // about the world's origin
};

Momenta momenta(const Simulation& simulation) {
  Momenta sum;
  for (int i = 0; i < kLinks; ++i) {
    const BodyMotion m = simulation.body_motion(i);
    const Eigen::Matrix3d R = m.pose.orientation.toRotationMatrix();
    const Eigen::Vector3d arm = R * Eigen::Vector3d(kLength / 2, 0, 0);
    const Eigen::Vector3d p = kMass * (m.velocity + m.angular_velocity.cross(arm));
    sum.linear += p;
    sum.angular += (m.pose.position + arm).cross(p) + R * kMoments.asDiagonal() * R.transpose() * m.angular_velocity;
  }
  return sum;
}

TEST(LongChain, FliesFreelyWithItsMomentum) {
  ModelBuilder builder = chain(JointType::kFree, false, {0, 0.6, 0.8}, 1);
  builder.set_gravity({0, 0, 0});
  Simulation simulation = maximal(builder, 1e-3);
  simulation.step();  // velocities that fit the joints
  const Momenta before = momenta(simulation);
  for (int n = 0; n < 200; ++n) simulation.step();
  const Momenta after = momenta(simulation);
  const double linear = (after.linear - before.linear).norm() / before.linear.norm();
  const double angular = (after.angular - before.angular).norm() / before.angular.norm();
  figure("free chain of {} links, maximal: momentum kept to {:.1e}, angular {:.1e} (relative)", kLinks, linear,
         angular);
  // What projecting the positions leaves, of first order in dt; the dense form leaves the same to 1e-15.
  EXPECT_LE(linear, 1e-6);
  EXPECT_LE(angular, 1e-6);
}

// Each hinge of a chain that hangs carries the links below it.
TEST(LongChain, HangsByItsJoints) {
  ModelBuilder builder = chain(JointType::kRevolute, false, {0, 0, 1}, 0);
  builder.set_gravity({9.81, 0, 0});
  for (int i = 0; i < kLinks; ++i)
    builder.add(OutputSpec{fmt::format("pull{}", i), fmt::format("joint.joint{}.fx", i), "N", {}});
  Simulation simulation = maximal(builder, 1e-3);
  for (int n = 0; n < 20; ++n) simulation.step();
  double off = 0;
  for (int i = 0; i < kLinks; ++i)
    off = std::max(off, std::abs(simulation.output(fmt::format("pull{}", i)) + (kLinks - i) * kMass * 9.81));
  figure("hanging chain of {} links, maximal: joints off the weight below by {:.1e} N", kLinks, off);
  EXPECT_LE(off, 1e-9);
}

// Balls in the middles of the links carry all, without friction: the laws' rows are reduced, and joints are told what
// is left to them.
TEST(LongChain, LiesOnTheFloor) {
  ModelBuilder builder = chain(JointType::kRevolute, true, {0, 0, 1}, 0);
  builder.set_gravity({0, -9.81, 0});
  MaterialSpec steel;
  steel.name = "steel";
  builder.add(steel);
  ShapeSpec floor;
  floor.geometry = ShapePlane{};
  floor.pose.position = {0, -kRadius, 0};
  floor.pose.orientation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitY());
  floor.contact = "steel";
  builder.add_world_shape(floor);
  for (int i = 0; i < kLinks; ++i) {
    builder.add(
        OutputSpec{fmt::format("pull{}", i), fmt::format("hypot(joint.joint{0}.fx, joint.joint{0}.fy)", i), "N", {}});
    builder.add(OutputSpec{fmt::format("press{}", i), fmt::format("body.link{}.contact_fy", i), "N", {}});
  }
  Simulation simulation = maximal(builder, 1e-3);
  for (int n = 0; n < 20; ++n) simulation.step();
  double pull = 0, press = 0;
  for (int i = 0; i < kLinks; ++i) {
    pull = std::max(pull, simulation.output(fmt::format("pull{}", i)));
    press = std::max(press, std::abs(simulation.output(fmt::format("press{}", i)) - kMass * 9.81));
  }
  figure("chain of {} links on the floor, maximal: contacts off mg by {:.1e} N, joints carry {:.1e} N", kLinks, press,
         pull);
  EXPECT_LE(press, 1e-6);
  EXPECT_LE(pull, 1e-6);
}

}  // namespace
}  // namespace lipkin
