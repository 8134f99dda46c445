#include "lipkin/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;
using test::RandomState;

Simulation euler_simulation(const Model& model, const RandomState& s, double dt) {
  Simulation simulation(test::scene_of(model, StepperKind::kEuler, dt));
  State state = simulation.state();
  state.q = s.q;
  state.u = s.u;
  state.applied = s.tau;
  simulation.restore(state);
  return simulation;
}

// Largest difference of a copy from a simulation, relative to 1 and to the largest velocity.
double difference(const Batch& batch, int copy, const State& state) {
  double worst = 0, speed = 1;
  for (const double u : state.u) speed = std::max(speed, std::abs(u));
  for (std::size_t k = 0; k < state.q.size(); ++k)
    worst = std::max(worst, std::abs(batch.q(copy, static_cast<int>(k)) - state.q[k]));
  for (std::size_t k = 0; k < state.u.size(); ++k)
    worst = std::max(worst, std::abs(batch.u(copy, static_cast<int>(k)) - state.u[k]) / speed);
  return worst;
}

double difference_after(Random& random, const Model& model, int copies, int steps) {
  constexpr double kDt = 1e-3;
  Batch batch(model, copies, 2);
  std::vector<Simulation> simulations;
  for (int copy = 0; copy < copies; ++copy) {
    const RandomState s = test::random_state(random, model, 1);
    batch.set_q(copy, s.q);
    batch.set_u(copy, s.u);
    batch.set_tau(copy, s.tau);
    simulations.push_back(euler_simulation(model, s, kDt));
  }
  batch.set_dt(kDt);
  batch.step(steps);
  double worst = 0;
  for (int copy = 0; copy < copies; ++copy) {
    for (int n = 0; n < steps; ++n) simulations[copy].step();
    worst = std::max(worst, difference(batch, copy, simulations[copy].state()));
  }
  return worst;
}

TEST(Batch, IsEulersSimulationWithEveryForce) {
  Random random(1);
  const double worst = difference_after(random, test::busy_model(true), 13, 50);
  figure("batch against simulation, every joint and force, 50 steps: {:.1e}", worst);
  EXPECT_LT(worst, 1e-11);  // rounding of 50 steps, amplified by stiff springs
}

TEST(Batch, IsEulersSimulationForEveryJointType) {
  Random random(2);
  for (const JointType type : test::TreeOptions{}.types) {
    test::TreeOptions options;
    options.types = {type};
    double worst = 0;
    for (int joints = 1; joints <= 3; ++joints) {
      test::TreeParts parts = test::random_tree(random, joints * u_count(type), options);
      for (JointSpec& joint : parts.joints)
        if (joint.type != JointType::kFixed) joint.damping = {0.2};
      worst = std::max(worst, difference_after(random, test::build(parts), 9, 20));
    }
    figure("batch against simulation, {:11}: {:.1e}", name_of(type), worst);
    EXPECT_LT(worst, 1e-12) << name_of(type);
  }
}

TEST(Batch, ForwardDynamicsIsThatOfDynamics) {
  Random random(3);
  double worst = 0;
  for (int n = 0; n < 30; ++n) {
    test::TreeOptions options;
    options.added_inertia = n % 2 == 0;
    const Model model = test::build(test::random_tree(random, 1 + 2 * n, options));
    Batch batch(model, 11, 1);
    std::vector<RandomState> states;
    for (int copy = 0; copy < batch.copy_count(); ++copy) {
      states.push_back(test::random_state(random, model));
      batch.set_q(copy, states.back().q);
      batch.set_u(copy, states.back().u);
      batch.set_tau(copy, states.back().tau);
    }
    batch.forward_dynamics();
    Dynamics dynamics(model);
    for (int copy = 0; copy < batch.copy_count(); ++copy) {
      dynamics.set(states[copy].q, states[copy].u);
      const Eigen::VectorXd a = dynamics.accelerations(states[copy].tau);
      for (int k = 0; k < model.u_count(); ++k)
        worst = std::max(worst, std::abs(batch.acceleration(copy, k) - a[k]) / a.cwiseAbs().maxCoeff());
    }
  }
  figure("batch forward dynamics against Dynamics: {:.1e}", worst);
  EXPECT_LT(worst, 1e-12);
}

// Forces of time must see the batch's clock.
TEST(Batch, TimeGoesOnAndCanBeSet) {
  const Model model = test::busy_model(true);
  Batch once(model, 3, 1), twice(model, 3, 1), late(model, 3, 1);
  once.step(20);
  twice.step(10);
  twice.step(10);
  late.set_time(5);
  late.step(20);
  EXPECT_NEAR(once.time(), 0.02, 1e-15);
  EXPECT_NEAR(late.time(), 5.02, 1e-14);
  double difference_once = 0, difference_late = 0;
  for (int k = 0; k < model.u_count(); ++k) {
    difference_once = std::max(difference_once, std::abs(once.u(1, k) - twice.u(1, k)));
    difference_late = std::max(difference_late, std::abs(once.u(1, k) - late.u(1, k)));
  }
  EXPECT_LT(difference_once, 1e-13);
  EXPECT_GT(difference_late, 1e-3);
}

TEST(Batch, StartsAtTheModelsInitialState) {
  const Model model = test::busy_model(true);
  const State initial = initial_state(model);
  const Batch batch(model, 5, 1);
  EXPECT_EQ(batch.copy_count(), 5);
  EXPECT_GE(batch.lane_count(), 1);
  for (int copy = 0; copy < 5; ++copy)
    for (int k = 0; k < model.q_count(); ++k) EXPECT_EQ(batch.q(copy, k), initial.q[k]);
}

TEST(Batch, RefusesWhatIsWrong) {
  const Model model = test::busy_model(false);
  EXPECT_THROW(Batch(model, 0), InvalidArgument);
  EXPECT_THROW(Batch(model, -3), InvalidArgument);
  Batch batch(model, 4, 1);
  const std::vector<double> q(model.q_count(), 0.0), wrong(model.q_count() + 1, 0.0);
  EXPECT_THROW(batch.set_q(0, wrong), InvalidArgument);
  EXPECT_THROW(batch.set_q(4, q), InvalidArgument);
  EXPECT_THROW(batch.set_q(-1, q), InvalidArgument);
  EXPECT_THROW(batch.q(0, model.q_count()), InvalidArgument);
  EXPECT_THROW(batch.u(0, -1), InvalidArgument);
  EXPECT_THROW(batch.acceleration(9, 0), InvalidArgument);
  EXPECT_THROW(batch.step(-1), InvalidArgument);
  for (const double dt : {0.0, -1e-3, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(batch.set_dt(dt), InvalidArgument) << dt;
}

TEST(Batch, MovesFromPlaceToPlace) {
  Batch first(test::busy_model(false), 6, 2);
  first.step(3);
  const double q = first.q(5, 0);
  Batch second = std::move(first);
  EXPECT_EQ(second.q(5, 0), q);
  second.step(3);
  EXPECT_EQ(second.model().u_count(), second.model().u_count());
}

// What has rows or a memory is stepped as a Simulation does it: the same bits, whatever the threads.
TEST(Batch, WhatLanesCannotTakeMovesAsASimulationDoes) {
  for (const char* name : {"four-bar", "bouncing-ball", "slider-crank-driven", "stick-slip", "minibaja", "peaucellier",
                           "tendon-finger", "torque-free-top"}) {
    Scene scene = load_scene(name);
    scene.experiment.commands.clear();
    scene.experiment.stepper = StepperKind::kEuler;
    scene.experiment.dt = 1e-3;
    Batch batch(scene, 5, 2);
    EXPECT_FALSE(batch.kept_out_of_lanes().empty()) << name;
    Simulation simulation(scene);
    for (int n = 0; n < 20; ++n) simulation.step();
    batch.step(13);
    batch.step(7);
    EXPECT_EQ(batch.time(), simulation.state().t) << name;
    for (int copy = 0; copy < 5; ++copy) {
      for (int k = 0; k < scene.model.q_count(); ++k)
        ASSERT_EQ(batch.q(copy, k), simulation.state().q[k]) << name << " " << copy;
      for (int k = 0; k < scene.model.u_count(); ++k)
        ASSERT_EQ(batch.u(copy, k), simulation.state().u[k]) << name << " " << copy;
    }
  }
}

// Each copy keeps its own contacts, drives and forces.
TEST(Batch, CopiesOfAConstrainedModelAreIndependent) {
  Scene scene = load_scene("bouncing-ball");
  scene.experiment.stepper = StepperKind::kEuler;
  scene.experiment.dt = 1e-3;
  Batch batch(scene, 6, 2);
  std::vector<double> q = initial_state(scene.model).q;
  std::vector<Simulation> simulations;
  for (int copy = 0; copy < 6; ++copy) {
    q[2] += 0.1 * copy;
    batch.set_q(copy, q);
    simulations.emplace_back(scene);
    std::copy(q.begin(), q.end(), simulations.back().coordinates().begin());
    simulations.back().state_written();
  }
  batch.step(700);
  for (int copy = 0; copy < 6; ++copy) {
    for (int n = 0; n < 700; ++n) simulations[copy].step();
    for (int k = 0; k < scene.model.q_count(); ++k) ASSERT_EQ(batch.q(copy, k), simulations[copy].state().q[k]) << copy;
  }
}

TEST(Batch, SaysWhatKeepsCopiesOutOfLanes) {
  using Reasons = std::vector<std::string>;
  EXPECT_EQ(Batch(load_scene("chain").model, 2).kept_out_of_lanes(), Reasons{});
  EXPECT_EQ(Batch(load_scene("four-bar").model, 2).kept_out_of_lanes()[0], "2 loops");
  const Reasons car = Batch(load_scene("minibaja").model, 2).kept_out_of_lanes();
  EXPECT_NE(std::find(car.begin(), car.end(), "4 tyres"), car.end());
}

std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return std::string("invalid: ") + error.what();
  } catch (const SimulationError& error) {
    return std::string("failed: ") + error.what();
  }
  return "none";
}

// In lanes and copy by copy: the copy is named, and nothing has moved.
TEST(Batch, WhatIsNotFiniteStopsWithTheCopyNamed) {
  for (const char* name : {"chain", "four-bar"}) {
    const Model model = load_scene(name).model;
    Batch batch(model, 11, 2);
    batch.step(3);
    const std::vector<double> q(batch.q_lanes().begin(), batch.q_lanes().end());
    const auto untouched = [&] { return std::equal(q.begin(), q.end(), batch.q_lanes().begin()); };
    std::vector<double> tau(static_cast<std::size_t>(model.u_count()), 0.0);
    tau[1] = std::nan("");
    batch.set_tau(9, tau);
    EXPECT_EQ(failure_of([&] { batch.step(5); }), "invalid: copy 9: tau[1] is not a finite number") << name;
    EXPECT_TRUE(untouched()) << name;
    tau[1] = 1e308;
    batch.set_tau(9, tau);
    const std::string failure = failure_of([&] { batch.step(5); });
    EXPECT_EQ(failure.rfind("failed: copy 9: at t = 0.00", 0), 0U) << name << failure;
    EXPECT_TRUE(untouched()) << name;
    EXPECT_NEAR(batch.time(), 0.003, 1e-15);
    tau[1] = 0;
    batch.set_tau(9, tau);
    EXPECT_EQ(failure_of([&] { batch.step(5); }), "none") << name;
    std::vector<double> u(tau.size(), 0.0);
    u[0] = std::numeric_limits<double>::infinity();
    batch.set_u(4, u);
    EXPECT_EQ(failure_of([&] { batch.step(); }), "invalid: copy 4: u[0] is not a finite number") << name;
  }
  Batch chain(load_scene("chain").model, 11, 2);
  chain.set_u(7, std::vector<double>(static_cast<std::size_t>(chain.model().u_count()), std::nan("")));
  EXPECT_EQ(failure_of([&] { chain.forward_dynamics(); }), "invalid: copy 7: u[0] is not a finite number");
}

TEST(Batch, RefusesWhatItCannotStepWithTheReason) {
  Scene scene = load_scene("chain");
  scene.experiment.commands.push_back({1.0, CommandSet{"gravity.z", 0}, {}});
  EXPECT_NE(failure_of([&] { Batch(scene, 2); }).find("1 timed commands"), std::string::npos);
  EXPECT_NE(failure_of([&] { Batch(load_scene("four-bar"), 2).forward_dynamics(); }).find("closed loops"),
            std::string::npos);
}

}  // namespace
}  // namespace lipkin
