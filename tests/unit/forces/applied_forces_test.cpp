// Forces and torques on bodies, actuators, signals, added inertia.
#include <gtest/gtest.h>

#include <cmath>

#include "forces/channel_values.hpp"
#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::Random;
using test::RandomState;

Signal expression(const char* text) { return {ExpressionText{text}, {}}; }

State state_of(const Model& model, const RandomState& s, double t) {
  State state = initial_state(model);
  state.q = s.q, state.u = s.u, state.t = t;
  return state;
}

// ---- tables ----

TEST(TableSignal, LinearBetweenRowsAndConstantOutside) {
  const Table table{{1, 2, 4}, {10, 20, -20}};
  EXPECT_EQ(table_value(table, 0), 10);
  EXPECT_EQ(table_value(table, 1), 10);
  EXPECT_EQ(table_value(table, 1.25), 12.5);
  EXPECT_EQ(table_value(table, 2), 20);
  EXPECT_EQ(table_value(table, 3), 0);
  EXPECT_EQ(table_value(table, 4), -20);
  EXPECT_EQ(table_value(table, 9), -20);
  EXPECT_EQ(table_value({{3}, {7}}, 1), 7);
  EXPECT_EQ(table_value({{3}, {7}}, 5), 7);
}

// ---- forces on bodies ----

// A force at a point of any body of any tree: M a + bias must equal Jᵀ F, whichever axes it was given along.
TEST(BodyForce, ActsThroughTheJacobianInBothFrames) {
  Random random(1);
  for (int n = 0; n < 60; ++n) {
    const test::TreeParts parts = test::random_tree(random, 1 + n % 20);
    ModelBuilder builder = test::builder_of(parts);
    ForceSpec spec;
    spec.name = "force";
    const Eigen::Vector3d point = random.vector(0.5);
    spec.at = {"", parts.bodies.back().name, point};
    const Eigen::Vector3d force = random.vector(3), torque = random.vector(2);
    for (int k = 0; k < 3; ++k) spec.force[k].source = force[k], spec.torque[k].source = torque[k];
    spec.frame = n % 2 ? ForceFrame::kBody : ForceFrame::kWorld;
    if (n % 3 == 0) {  // through a named point
      builder.add(PointSpec{"there", spec.at.body, spec.at.position, {}, Eigen::Quaterniond::Identity(), {}});
      spec.at = {"there", kWorldName, Eigen::Vector3d::Zero()};
    }
    builder.add(spec);
    const Model model = builder.build();
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    const int body = model.body(parts.bodies.back().name);
    const Eigen::Quaterniond R = n % 2 ? dynamics.body_motion(body).pose.orientation : Eigen::Quaterniond::Identity();
    const Eigen::VectorXd expected = dynamics.point_jacobian(body, point).transpose() * (R * force) +
                                     dynamics.body_jacobian(body).topRows(3).transpose() * (R * torque);
    const Eigen::VectorXd a = dynamics.accelerations_full();
    const Eigen::VectorXd Q = dynamics.inverse_dynamics({a.data(), static_cast<std::size_t>(a.size())});
    EXPECT_LT((Q - expected).cwiseAbs().maxCoeff(), 1e-11 * (10 + expected.cwiseAbs().maxCoeff()));
  }
}

// A push is the same thing for a while.
TEST(BodyForce, PushesActAlike) {
  Random random(2);
  const test::TreeParts parts = test::random_tree(random, 20);
  const Model model = test::build(parts);
  const RandomState s = test::random_state(random, model);
  const int body = model.body_count() - 1;
  for (const bool along_body : {false, true}) {
    State state = state_of(model, s, 0);
    ActivePush push{body, random.vector(0.5), random.vector(3), random.vector(2), along_body, 1};
    state.pushes = {push};
    Dynamics dynamics(model);
    dynamics.set(state);
    const Eigen::Quaterniond R =
        along_body ? dynamics.body_motion(body).pose.orientation : Eigen::Quaterniond::Identity();
    const Eigen::VectorXd expected = dynamics.point_jacobian(body, push.point).transpose() * (R * push.force) +
                                     dynamics.body_jacobian(body).topRows(3).transpose() * (R * push.torque);
    const Eigen::VectorXd a = dynamics.accelerations_full();
    const Eigen::VectorXd Q = dynamics.inverse_dynamics({a.data(), static_cast<std::size_t>(a.size())});
    EXPECT_LT((Q - expected).norm(), 1e-11 * (10 + expected.norm()));
  }
}

TEST(BodyForce, FollowsExpressionsOfTimeAndState) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(ParameterSpec{"gain", 3, "", "", {}, {}});
  builder.add(test::body_with("puck", 2, {0, 0, 0}, {1, 1, 1}));
  builder.add(test::joint_of("free", JointType::kFree, kWorldName, "puck"));
  ForceSpec force;
  force.name = "wind";
  force.at.body = "puck";
  force.force = {expression("gain * t"), expression("-gain * body.puck.vy"), {Table{{0, 2}, {0, 8}}, {}}};
  force.torque = {expression("joint.free.q[0]"), {}, expression("sin(pi/2) * 5")};
  builder.add(force);
  const Model model = builder.build();
  State state = initial_state(model);
  state.t = 1.5;
  state.q[0] = 0.25;
  state.u[1] = 4;
  Dynamics dynamics(model);
  dynamics.set(state);
  Eigen::VectorXd expected(6);
  expected << 3 * 1.5 / 2, -3 * 4 / 2.0, 6 / 2.0, 0.25, 0, 5;
  EXPECT_LT((dynamics.accelerations_full() - expected).norm(), 1e-14);
  EXPECT_LT(dynamics.accelerations().norm(), 1e-15);  // not asked for here
}

// ---- actuators ----

Model driven_joint(JointType type, int dof, Signal control, double gear, double min, double max) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("load", 2, {0, 0, 0}, {1, 1, 1}));
  builder.add(test::joint_of("joint", type, kWorldName, "load"));
  ActuatorSpec actuator;
  actuator.name = "motor";
  actuator.joint = "joint";
  actuator.dof = dof;
  actuator.gear = gear;
  actuator.control = std::move(control);
  actuator.min = min;
  actuator.max = max;
  builder.add(actuator);
  return builder.build();
}

TEST(Actuator, GearAfterTheClamp) {
  const double inf = std::numeric_limits<double>::infinity();
  const struct {
    double control, gear, min, max, force;
  } cases[] = {{2, 3, -inf, inf, 6}, {2, 3, -1, 1, 3}, {-2, 3, -1, 1, -3}, {-2, -3, -inf, 0, 6}, {0.5, 2, 1, 5, 2}};
  for (const auto& c : cases) {
    Dynamics dynamics(driven_joint(JointType::kRevolute, 0, {c.control, {}}, c.gear, c.min, c.max));
    EXPECT_DOUBLE_EQ(dynamics.accelerations_full()[0], c.force);
    EXPECT_DOUBLE_EQ(dynamics.variable("actuator.motor.force"), c.force);
    EXPECT_DOUBLE_EQ(dynamics.variable("joint.joint.tau"), c.force);
    EXPECT_DOUBLE_EQ(dynamics.variable("actuator.motor.control"), c.force / c.gear);
  }
}

TEST(Actuator, DrivesTheDegreeOfFreedomItNames) {
  const struct {
    JointType type;
    int dof;
    double inertia;
  } cases[] = {{JointType::kFree, 1, 2},   {JointType::kFree, 5, 1},        {JointType::kBall, 2, 1},
               {JointType::kPlanar, 0, 2}, {JointType::kCylindrical, 1, 2}, {JointType::kUniversal, 1, 1}};
  for (const auto& c : cases) {
    Dynamics dynamics(driven_joint(c.type, c.dof, {1.0, {}}, 1, -5, 5));
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(u_count(c.type));
    expected[c.dof] = 1 / c.inertia;
    EXPECT_LT((dynamics.accelerations_full() - expected).norm(), 1e-14) << name_of(c.type);
  }
}

TEST(Actuator, ObeysACommandUntilItIsTakenBack) {
  const Model model = driven_joint(JointType::kRevolute, 0, expression("2 * t"), 1, -10, 10);
  Simulation simulation(test::scene_of(model, StepperKind::kRk4));
  simulation.run(0.5);
  EXPECT_NEAR(simulation.state().u[0], 0.25, 1e-12);
  simulation.set_control(0, -3);
  simulation.run(0.5);
  EXPECT_NEAR(simulation.state().u[0], 0.25 - 1.5, 1e-12);
  simulation.set_control(0, std::numeric_limits<double>::quiet_NaN());  // its own signal again
  simulation.run(0.5);
  EXPECT_NEAR(simulation.state().u[0], -1.25 + (1.5 * 1.5 - 1), 1e-12);
  EXPECT_THROW(simulation.set_control(1, 0), InvalidArgument);
  EXPECT_THROW(simulation.set_control(-1, 0), InvalidArgument);
}

TEST(Actuator, SeveralOnOneJointAddUpWithAppliedForces) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("load", 1, {0, 0, 0}, {1, 1, 1}));
  JointSpec joint = test::joint_of("joint", JointType::kRevolute, kWorldName, "load");
  joint.u = {2};
  joint.damping = {0.5};
  joint.stiffness = {4};
  joint.rest = {-0.25};
  joint.armature = {1};
  builder.add(joint);
  for (const char* name : {"a", "b"}) {
    ActuatorSpec actuator;
    actuator.name = name;
    actuator.joint = "joint";
    actuator.control.source = 1.5;
    builder.add(actuator);
  }
  Simulation simulation(test::scene_of(builder.build(), StepperKind::kRk4));
  simulation.applied_forces()[0] = 7;
  Dynamics dynamics(simulation.model());
  dynamics.set(simulation.state());
  // 2 motors, damper -1, spring -4 * 0.25, applied 7, on inertia 1 + armature 1
  EXPECT_DOUBLE_EQ(dynamics.variable("joint.joint.tau"), 3 - 1 - 1 + 7);
  EXPECT_DOUBLE_EQ(dynamics.variable("joint.joint.a"), 4);
}

// ---- added inertia ----

TEST(AddedInertia, DoesNotWeigh) {
  const double m = 2, added = 3;
  BodySpec body = test::body_with("body", m, {0, 0, 0}, {1, 1, 1});
  body.added_inertia = Eigen::Matrix<double, 6, 6>::Zero();
  body.added_inertia->bottomRightCorner<3, 3>() = added * Eigen::Matrix3d::Identity();
  JointSpec joint = test::joint_of("joint", JointType::kFree, kWorldName, "body");
  joint.q = {1, 2, 3, 0.5, 0.5, 0.5, 0.5};
  const Model model = test::single_body(body, joint);
  Dynamics dynamics(model);
  EXPECT_NEAR(dynamics.accelerations()[2], -9.81 * m / (m + added), 1e-14);
  EXPECT_NEAR(dynamics.accelerations_full()[2], -9.81 * m / (m + added), 1e-14);
  EXPECT_NEAR(dynamics.energy().gravitational, m * 9.81 * 3, 1e-12);
  EXPECT_DOUBLE_EQ(model.total_mass(), m);
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kRk4, StepperKind::kDopri5}) {
    Simulation simulation(test::scene_of(model, stepper));
    simulation.run(1);
    EXPECT_NEAR(simulation.state().u[2], -9.81 * m / (m + added), 1e-12) << name_of(stepper);
  }
}

// Different along each axis: the body falls aslant.
TEST(AddedInertia, IsATensorInTheBody) {
  BodySpec body = test::body_with("body", 1, {0, 0, 0}, {1, 1, 1});
  body.added_inertia = Eigen::Matrix<double, 6, 6>::Zero();
  body.added_inertia->bottomRightCorner<3, 3>() = Eigen::Vector3d(0, 0, 4).asDiagonal();
  const double c = std::cos(0.3), s = std::sin(0.3);
  JointSpec joint = test::joint_of("joint", JointType::kFree, kWorldName, "body");
  joint.q = {0, 0, 0, std::cos(0.15), std::sin(0.15), 0, 0};  // turned about x by 0.3
  Dynamics dynamics(test::single_body(body, joint, {0, 0, -10}));
  const Eigen::VectorXd a = dynamics.accelerations();
  // Along the body's z axis (0, -s, c) the inertia is 5, across it along (0, c, s) it is 1.
  const Eigen::Vector3d expected = -10 * c / 5 * Eigen::Vector3d(0, -s, c) + -10 * s * Eigen::Vector3d(0, c, s);
  EXPECT_LT((a.head<3>() - expected).norm(), 1e-14);
}

}  // namespace
}  // namespace lipkin
