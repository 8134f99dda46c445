// Variables by name: positions, velocities and accelerations are derivatives of one another, and agree with what
// Dynamics answers.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

// A scene with everything, some way into its motion, at times around a point of time.
class AlongARun : public testing::Test {
 protected:
  static constexpr double kTime = 0.07, kStep = 2e-4;

  AlongARun() {
    ModelBuilder builder;
    for (int n = -2; n <= 2; ++n) {
      Simulation simulation(test::busy_scene(StepperKind::kDopri5, {.forces = true, .commands = false}));
      simulation.set_tolerances(1e-14, 1e-15);
      simulation.run(kTime + n * kStep);
      dynamics_.emplace_back(simulation.model());
      dynamics_.back().set(simulation.state());
    }
  }

  double value(const std::string& name) { return dynamics_[2].variable(name); }

  // Derivative by differences of order 4: error about (w h)^4 / 30 with rates w up to 100/s, and 1e-14 / h.
  double derivative(const std::string& name) {
    return (8 * (dynamics_[3].variable(name) - dynamics_[1].variable(name)) -
            (dynamics_[4].variable(name) - dynamics_[0].variable(name))) /
           (12 * kStep);
  }

  void expect_derivative(const std::string& rate, const std::string& of) {
    EXPECT_NEAR(value(rate), derivative(of), 1e-6 * (1 + std::abs(value(rate)))) << rate;
  }

  std::vector<Dynamics> dynamics_;
};

TEST_F(AlongARun, PointsAndBodies) {
  for (const std::string body : {"body_revolute", "body_fixed", "body_screw", "body_planar", "body_free"}) {
    for (const std::string axis : {"x", "y", "z"}) {
      expect_derivative("body." + body + ".v" + axis, "body." + body + "." + axis);
      expect_derivative("body." + body + ".a" + axis, "body." + body + ".v" + axis);
      expect_derivative("body." + body + ".alpha" + axis, "body." + body + ".w" + axis);
    }
  }
}

TEST_F(AlongARun, JointsSpringsAndTheWhole) {
  for (const std::string name : {"revolute", "prismatic", "screw"}) {
    expect_derivative("joint." + name + ".u", "joint." + name + ".q");
    expect_derivative("joint." + name + ".a", "joint." + name + ".u");
  }
  for (const std::string k : {"[0]", "[1]"}) {
    expect_derivative("joint.universal.u" + k, "joint.universal.q" + k);
    expect_derivative("joint.ball.a" + k, "joint.ball.u" + k);
    expect_derivative("joint.free.a" + k, "joint.free.u" + k);
    expect_derivative("joint.free.u" + k, "joint.free.q" + k);
  }
  expect_derivative("spring.spring.rate", "spring.spring.length");
  for (const std::string axis : {"x", "y", "z"}) expect_derivative("com.v" + axis, "com." + axis);
}

TEST_F(AlongARun, AngularVelocityTurnsTheQuaternion) {
  for (const std::string body : {"body_ball", "body_screw", "body_free"}) {
    const auto component = [&](const char* c) { return value("body." + body + "." + c); };
    const auto rate = [&](const char* c) { return derivative("body." + body + "." + c); };
    const Eigen::Quaterniond q(component("qw"), component("qx"), component("qy"), component("qz"));
    const Eigen::Quaterniond dq(rate("qw"), rate("qx"), rate("qy"), rate("qz"));
    EXPECT_NEAR(q.norm(), 1, 1e-14);
    const Eigen::Vector3d world(component("wx"), component("wy"), component("wz"));
    const Eigen::Vector3d local(component("wbx"), component("wby"), component("wbz"));
    EXPECT_LT((2 * (dq * q.conjugate()).vec() - world).norm(), 1e-7 * (1 + world.norm()));
    EXPECT_LT((q.conjugate() * world - local).norm(), 1e-13 * (1 + world.norm()));
    const int index = dynamics_[2].model().body(body);
    EXPECT_LT((dynamics_[2].body_motion(index).angular_velocity - world).norm(), 1e-14 * (1 + world.norm()));
  }
}

TEST_F(AlongARun, AnotherFrameSeesRatesOfWhatItSees) {
  for (const std::string pair :
       {"body_planar.body_ball", "body_free.body_screw", "body_screw.world", "world.body_ball"})
    for (const std::string axis : {"x", "y", "z"})
      expect_derivative("relative." + pair + ".v" + axis, "relative." + pair + "." + axis);
  for (const std::string axis : {"x", "y", "z"}) {
    EXPECT_NEAR(value("relative.body_ball.world." + axis), value("body.body_ball." + axis), 1e-14);
    EXPECT_NEAR(value("relative.body_ball.body_ball.v" + axis), 0, 1e-13);
    EXPECT_NEAR(value("relative.body_ball.world.w" + axis), value("body.body_ball.w" + axis), 1e-13);
  }
}

TEST_F(AlongARun, AxesTurnWithTheAngularVelocity) {
  const auto vector = [&](const std::string& name, auto&& read) {
    return Eigen::Vector3d(read(name + "x"), read(name + "y"), read(name + "z"));
  };
  const auto now = [&](const std::string& name) { return value(name); };
  const auto rate = [&](const std::string& name) { return derivative(name); };
  const Eigen::Vector3d w = vector("body.body_screw.w", now), a = vector("body.body_screw.a", now);
  const Eigen::Vector3d g = vector("gravity.", now), felt = vector("body.body_screw.imu_a", now);
  for (int k = 0; k < 3; ++k) {
    const std::string axis = std::string("body.body_screw.") + "xyz"[k] + "axis_";
    const Eigen::Vector3d e = vector(axis, now);
    EXPECT_LT((vector(axis, rate) - w.cross(e)).norm(), 1e-6 * (1 + w.norm()));
    EXPECT_NEAR(vector("body.body_screw.wb", now)[k], w.dot(e), 1e-13 * (1 + w.norm()));
    EXPECT_NEAR(vector("body.body_screw.ab", now)[k], a.dot(e), 1e-12 * (1 + a.norm()));
    EXPECT_NEAR(felt[k], (a - g).dot(e), 1e-12 * (1 + a.norm()));
  }
}

// The whole is the subtree of the world; its parts add up.
TEST_F(AlongARun, SubtreesMoveAsTheirCentres) {
  for (const std::string body : {"body_universal", "body_free", "world"})
    for (const std::string axis : {"x", "y", "z"})
      expect_derivative("subtree." + body + ".v" + axis, "subtree." + body + "." + axis);
  for (const std::string axis : {"x", "y", "z"}) {
    EXPECT_NEAR(value("subtree.world." + axis), value("com." + axis), 1e-13);
    const auto moment = [&](const std::string& body) {
      return value("subtree." + body + ".mass") * value("subtree." + body + "." + axis);
    };
    EXPECT_NEAR(moment("body_revolute") + moment("body_free"), moment("world"), 1e-12);
  }
}

TEST_F(AlongARun, EnergyMomentumAndForces) {
  Dynamics& d = dynamics_[2];
  const Energy energy = d.energy();
  EXPECT_EQ(value("energy.kinetic"), energy.kinetic);
  EXPECT_EQ(value("energy.gravitational"), energy.gravitational);
  EXPECT_EQ(value("energy.elastic"), energy.elastic);
  EXPECT_NEAR(value("energy.total"), energy.total(), 1e-12);
  EXPECT_EQ(value("momentum.px"), d.momentum().linear.x());
  EXPECT_EQ(value("momentum.lz"), d.momentum().angular.z());
  EXPECT_EQ(value("com.y"), d.center_of_mass().y());
  EXPECT_EQ(value("t"), kTime);
  EXPECT_DOUBLE_EQ(value("actuator.drive_ball.force"), 1.5 * value("actuator.drive_ball.control"));
  EXPECT_DOUBLE_EQ(value("actuator.drive_prismatic.control"), 2 * kTime / 0.1);
}

TEST(Variables, UnknownOnesNameTheNearest) {
  Dynamics dynamics(test::busy_model());
  const struct {
    const char* name;
    const char* hint;
  } cases[] = {{"joint.revolut.q", "revolute"},
               {"body.body_bal.x", "body_ball"},
               {"body.body_ball.vxx", "vx"},
               {"energy.totl", "total"},
               {"momentum.p", "px"},
               {"bodi.body_ball.x", "body"},
               {"spring.sprung.length", "spring"},
               {"actuator.drive_ball.froce", "force"},
               {"joint.ball.q[4]", "q[3]"},
               {"joint.ball.q", "q[0]"},
               {"joint.fixed.q", "fixed"},
               {"joint.revolute.x", "q, u, a, tau"},
               {"point.nothing.x", "nothing"},
               {"relative.body_ball.x", "two points or bodies"},
               {"relative.body_ball.world.ax", "vx"},
               {"subtree.body_bal.x", "body_ball"},
               {"", "joint"},
               {"joint", "joint"},
               {"joint.", "joint"},
               {"joint.revolute", "q"},
               {"joint.revolute.q[x]", "q[0]"},
               {"joint.revolute.q[0", "q[0]"},
               {"joint.revolute.q[0]]", "q[0]"},
               {"joint.revolute.q[-1]", "q[0]"},
               {"joint.revolute.q[1]", "q[0]"}};
  for (const auto& c : cases) {
    try {
      dynamics.variable(c.name);
      ADD_FAILURE() << "took '" << c.name << "'";
    } catch (const InvalidArgument& e) {
      EXPECT_NE(std::string(e.what()).find(c.hint), std::string::npos) << c.name << ": " << e.what();
    }
  }
}

// ---- Dynamics: wrong use ----

TEST(DynamicsUse, WrongSizesAreRefused) {
  Dynamics dynamics(test::busy_model());
  const std::vector<double> q(dynamics.model().q_count(), 0.5), u(dynamics.model().u_count(), 0.0), one(1, 0.0);
  EXPECT_THROW(dynamics.set(one, u), InvalidArgument);
  EXPECT_THROW(dynamics.set(q, one), InvalidArgument);
  EXPECT_THROW(dynamics.accelerations(one), InvalidArgument);
  EXPECT_THROW(dynamics.accelerations_full(one), InvalidArgument);
  EXPECT_THROW(dynamics.inverse_dynamics(one), InvalidArgument);
  EXPECT_THROW(dynamics.acceleration_derivatives(one), InvalidArgument);
  EXPECT_THROW(dynamics.body_motion(99), InvalidArgument);
  EXPECT_THROW(dynamics.body_jacobian(-1), InvalidArgument);
  EXPECT_THROW(dynamics.point_jacobian(99, {0, 0, 0}), InvalidArgument);
  EXPECT_THROW(dynamics.impulse_response(99, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}), InvalidArgument);
  State wrong = initial_state(dynamics.model());
  wrong.control.clear();
  EXPECT_THROW(dynamics.set(wrong), InvalidArgument);
  wrong = initial_state(dynamics.model());
  wrong.applied.clear();
  EXPECT_THROW(dynamics.set(wrong), InvalidArgument);
}

// Edits made while a simulation runs belong to its state, wherever that is looked at.
TEST(DynamicsUse, StatesBringTheirEdits) {
  const Model model = test::single_body(test::body_with("body", 2, {0, 0, 0}, {1, 1, 1}),
                                        test::joint_of("joint", JointType::kFree, kWorldName, "body"));
  Simulation simulation(test::scene_of(model, StepperKind::kRk4));
  simulation.apply({0, CommandSet{"gravity.z", -1.5}, {}});
  simulation.step();
  Dynamics dynamics(model);
  dynamics.set(simulation.state());
  EXPECT_NEAR(dynamics.accelerations()[2], -1.5, 1e-14);
  dynamics.set(initial_state(model));
  EXPECT_NEAR(dynamics.accelerations()[2], -9.81, 1e-14);
}

}  // namespace
}  // namespace lipkin
