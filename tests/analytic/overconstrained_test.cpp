// More rows than the mechanism can take: the motion is not disturbed, and loads that rows share are shared evenly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::joint_of;

constexpr double kWeight = 20 * 9.81;  // of the tables [N]

class Overconstrained : public testing::TestWithParam<StepperKind> {};

// Six rows too many; the legs carry a quarter each from the first instant on.
TEST_P(Overconstrained, TableOnFourBallJoints) {
  Simulation simulation(load_scene("table"));
  simulation.set_stepper(GetParam());
  double off = 0, change = 0, last[4] = {0, 0, 0, 0};
  simulation.run(1, 0, [&](const Simulation& now) {
    for (int leg = 0; leg < 4; ++leg) {
      const double force = now.output(fmt::format("leg{}", leg + 1));
      off = std::max(off, std::abs(force - kWeight / 4));
      if (now.sample_time() > 0) change = std::max(change, std::abs(force - last[leg]));
      last[leg] = force;
    }
    return true;
  });
  figure("table, {}: legs off mg/4 by {:.1e} mg, from step to step by {:.1e} mg", name_of(GetParam()), off / kWeight,
         change / kWeight);
  EXPECT_LE(off, 1e-9 * kWeight);
  EXPECT_LE(change, 1e-9 * kWeight);
  EXPECT_LE(simulation.output("kinetic"), 1e-24);
  EXPECT_NEAR(simulation.output("z"), 0.75, 1e-12);
}

TEST(OverconstrainedTable, StandsOnTheFloor) {
  Simulation simulation(load_scene("table-on-floor"));
  double off = 0, change = 0, sum_off = 0, last[4] = {0, 0, 0, 0};
  simulation.run(1, 0, [&](const Simulation& now) {
    if (now.state().step_count == 0) return true;
    const State& state = now.state();
    EXPECT_EQ(state.contacts.size(), 4u);
    for (std::size_t leg = 0; leg < state.contacts.size(); ++leg) {
      const double force = state.contacts[leg].normal / state.impulse_step;
      off = std::max(off, std::abs(force - kWeight / 4));
      if (state.step_count > 1) change = std::max(change, std::abs(force - last[leg]));
      last[leg] = force;
    }
    sum_off = std::max(sum_off, std::abs(now.output("floor_force") - kWeight));
    return true;
  });
  figure("table-on-floor: feet off mg/4 by {:.1e} mg, from step to step by {:.1e} mg; together off mg by {:.1e} mg",
         off / kWeight, change / kWeight, sum_off / kWeight);
  EXPECT_LE(off, 1e-9 * kWeight);
  EXPECT_LE(change, 1e-9 * kWeight);
  EXPECT_LE(sum_off, 1e-9 * kWeight);
}

// A load off the middle: forces and moments still balance, and the share of least squares is the plane through them.
TEST_P(Overconstrained, TableWithALoadOffTheMiddle) {
  ModelBuilder builder;
  builder.add(test::body_with("table", 20, {0.3, -0.2, 0}, {1, 1, 1}));
  JointSpec free = joint_of("free", JointType::kFree, kWorldName, "table");
  free.q = {0, 0, 0.75, 1, 0, 0, 0};
  builder.add(free);
  for (int leg = 0; leg < 4; ++leg) {
    JointSpec foot = joint_of(fmt::format("foot{}", leg), JointType::kBall, kWorldName, "table");
    const double x = leg < 2 ? -0.6 : 0.6, y = leg % 2 == 0 ? -0.4 : 0.4;
    foot.frame_in_parent.position = {x, y, 0};
    foot.frame_in_child.position = {x, y, -0.75};
    foot.closes_loop = true;
    builder.add(foot);
    builder.add(OutputSpec{foot.name, "joint." + foot.name + ".fz", "N", {}});
  }
  Simulation simulation(test::scene_of(builder.build(), GetParam(), 0.01));
  simulation.run(0.5);
  double force[4], sum = 0, moment_x = 0, moment_y = 0;
  for (int leg = 0; leg < 4; ++leg) {
    force[leg] = simulation.output(fmt::format("foot{}", leg));
    sum += force[leg];
    moment_x += (leg < 2 ? -0.6 : 0.6) * force[leg];
    moment_y += (leg % 2 == 0 ? -0.4 : 0.4) * force[leg];
  }
  EXPECT_NEAR(sum, kWeight, 1e-9 * kWeight);
  // Horizontal forces of the feet, at the height of the floor, make no moment about it.
  EXPECT_NEAR(moment_x, 0.3 * kWeight, 1e-9 * kWeight);
  EXPECT_NEAR(moment_y, -0.2 * kWeight, 1e-9 * kWeight);
  EXPECT_NEAR(force[0] + force[3], force[1] + force[2], 1e-9 * kWeight);  // no part that only twists the table
}

// Bricard's mechanism moves though counting its rows says it cannot; its energy is off at the order of the stepper.
TEST_P(Overconstrained, BricardMovesOnItsWay) {
  double off[3];
  for (int k = 0; k < 3; ++k) {
    Simulation simulation(load_scene("bricard"));
    simulation.set_stepper(GetParam());
    simulation.set_dt(2e-3 / (1 << k));
    const double start = simulation.energy().total();
    double moved = 0, gap = 0;
    off[k] = 0;
    simulation.run(1.5, 0, [&](const Simulation& now) {
      off[k] = std::max(off[k], std::abs(now.output("energy") - start));
      moved = std::max(moved, std::abs(now.output("P3_y") + 1));
      gap = std::max(gap, now.output("gap"));
      return true;
    });
    EXPECT_GT(moved, 0.3);
    EXPECT_LE(gap, 1e-10);
    EXPECT_EQ(simulation.statistics().unconverged_steps, 0u);
  }
  figure("bricard, {}: energy off by {:.2e} {:.2e} {:.2e} J at 2, 1, 0.5 ms", name_of(GetParam()), off[0], off[1],
         off[2]);
  EXPECT_NEAR(off[0] / off[1], 2, 0.4);
  EXPECT_NEAR(off[1] / off[2], 2, 0.2);
}

// Hinges in space hold a plane linkage out of the plane thrice over: nothing may come of it.
class PlaneLinkage : public testing::TestWithParam<const char*> {};

TEST_P(PlaneLinkage, StaysInItsPlane) {
  for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    Simulation simulation(load_scene(GetParam()));
    simulation.set_stepper(StepperKind::kEuler);
    simulation.set_coordinates(coordinates);
    simulation.set_dt(1e-3);
    double out = 0;
    simulation.run(2, 0, [&](const Simulation& now) {
      for (int i = 0; i < now.model().body_count(); ++i) {
        const BodyMotion motion = now.body_motion(i);
        out = std::max({out, std::abs(motion.pose.position.z()), std::abs(motion.velocity.z()),
                        std::abs(motion.angular_velocity.x()), std::abs(motion.angular_velocity.y())});
      }
      return true;
    });
    figure("{}, {}: out of its plane by {:.1e} in 2 s", GetParam(), name_of(coordinates), out);
    EXPECT_LE(out, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, PlaneLinkage, testing::Values("slider-crank", "four-bar", "peaucellier"),
                         [](const testing::TestParamInfo<const char*>& chosen) {
                           std::string name = chosen.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

INSTANTIATE_TEST_SUITE_P(Steppers, Overconstrained, testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                         [](const testing::TestParamInfo<StepperKind>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

// The last link of a cable ends in the middle of a ball, and the tip of the link before is in the ball's surface if
// that is large enough: the last link holds the two apart, and nothing is left of the contact but rounding.
Model cable_with_ball(double ball_radius) {
  constexpr int kLinks = 10;
  constexpr double kLength = 0.1;  // [m]
  ModelBuilder builder;
  MaterialSpec rough;
  rough.name = "rough";
  rough.friction = 1;
  builder.add(rough);
  const auto link_name = [](int i) { return "link" + std::to_string(i); };
  for (int i = 0; i < kLinks; ++i) {
    BodySpec link = test::body_with(link_name(i), 0.008, {kLength / 2, 0, 0}, {1e-7, 8e-6, 8e-6});
    ShapeSpec tip;
    tip.geometry = ShapeSphere{0.005};
    tip.pose.position.x() = kLength;
    tip.contact = "rough";
    if (i == kLinks - 2) link.shapes.push_back(tip);
    builder.add(link);
    JointSpec joint =
        joint_of("joint" + std::to_string(i), JointType::kBall, i == 0 ? kWorldName : link_name(i - 1), link_name(i));
    joint.frame_in_parent.position.x() = i == 0 ? 0 : kLength;
    joint.damping = {1e-3, 1e-3, 1e-3};
    joint.armature = {1e-4, 1e-4, 1e-4};
    builder.add(joint);
  }
  BodySpec ball = test::body_with("ball", 4, {0, 0, 0}, {0.017, 0.017, 0.017});
  ShapeSpec shape;
  shape.geometry = ShapeSphere{ball_radius};
  shape.contact = "rough";
  ball.shapes.push_back(shape);
  builder.add(ball);
  JointSpec free = joint_of("free", JointType::kFree, kWorldName, "ball");
  free.q = {kLinks * kLength, 0, 0, 1, 0, 0, 0};
  builder.add(free);
  JointSpec held = joint_of("held", JointType::kBall, link_name(kLinks - 1), "ball");
  held.frame_in_parent.position.x() = kLength;
  held.closes_loop = true;
  builder.add(held);
  return builder.build();
}

TEST(ContactThatALoopHolds, ChangesNothing) {
  Simulation with(test::scene_of(cable_with_ball(0.1), StepperKind::kEuler, 2e-3));
  Simulation without(test::scene_of(cable_with_ball(0.05), StepperKind::kEuler, 2e-3));
  for (Simulation* simulation : {&with, &without}) simulation->run(0.5);
  const int ball = with.model().body_count() - 1;
  const double off = (with.body_motion(ball).pose.position - without.body_motion(ball).pose.position).norm();
  figure("cable through a ball's surface: {:.1e} m beside where it swings without contact", off);
  EXPECT_EQ(with.statistics().contacts, 1);
  EXPECT_EQ(without.statistics().contacts, 0);
  EXPECT_LE(off, 1e-9);
}

// A second joint like the first, in the same place or further along the axis (a door on two hinges): every row that it
// adds is held already, and what is left of it is rounding.
class SecondJoint : public testing::TestWithParam<JointType> {};

TEST_P(SecondJoint, HoldsNothingBack) {
  test::Random random(3);
  int stopped = 0;
  double worst = 0;
  for (int n = 0; n < 50; ++n) {
    ModelBuilder builder;
    builder.set_gravity({0, 0, 0});
    const Pose in_world = test::random_pose(random, 0.5), in_body = test::random_pose(random, 0.5);
    const Eigen::Vector3d along(0, 0, n % 2 == 0 ? 0 : 0.7);
    for (const bool closes : {false, true}) {
      JointSpec joint = joint_of(closes ? "second" : "first", GetParam(), kWorldName, "door");
      joint.frame_in_parent = in_world;
      joint.frame_in_child = in_body;
      joint.pitch = GetParam() == JointType::kScrew ? 0.02 : 0;
      if (closes) joint.frame_in_parent.position += in_world.orientation * along;
      if (closes) joint.frame_in_child.position += in_body.orientation * along;
      joint.closes_loop = closes;
      if (!closes) joint.u.assign(u_count(GetParam()), 0), joint.u[0] = 3;
      builder.add(joint);
    }
    builder.add(test::body_with("door", 1, {0.01, 0.02, -0.05}, {0.02, 0.02, 0.03}));
    builder.add(OutputSpec{"u", "joint.first.u[0]", "", {}});
    Simulation simulation(test::scene_of(builder.build(), StepperKind::kEuler, 1e-3));
    simulation.run(0.5);
    const double off = std::abs(simulation.output("u") - 3);
    worst = std::max(worst, off);
    stopped += off > 1e-9 ? 1 : 0;
  }
  figure("second {} joint: {} of 50 held back, by up to {:.1e}", name_of(GetParam()), stopped, worst);
  EXPECT_EQ(stopped, 0);
}

INSTANTIATE_TEST_SUITE_P(Types, SecondJoint,
                         testing::Values(JointType::kRevolute, JointType::kPrismatic, JointType::kScrew,
                                         JointType::kCylindrical),
                         [](const testing::TestParamInfo<JointType>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

}  // namespace
}  // namespace lipkin
