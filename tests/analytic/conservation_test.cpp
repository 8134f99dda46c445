// What a free system keeps: linear and angular momentum, and energy where nothing damps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;
using test::RandomState;

// Springs and bushings between random bodies, springs in the joints but the base.
void add_springs(Random& random, ModelBuilder& builder, const test::TreeParts& parts) {
  const auto any = [&] { return parts.bodies[random.integer(0, static_cast<int>(parts.bodies.size()) - 1)].name; };
  SpringDamperSpec spring;
  spring.name = "spring";
  spring.a = {"", any(), random.vector(0.3)};
  spring.b = {"", any(), random.vector(0.3)};
  spring.stiffness = 30;
  spring.rest_length = 0.4;
  builder.add(spring);
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.body_a = any();
  bushing.body_b = any();
  bushing.frame_in_a = test::random_pose(random, 0.3);
  bushing.frame_in_b = test::random_pose(random, 0.3);
  bushing.stiffness = {20, 10, 30};
  bushing.angular_stiffness = {0.5, 0.2, 0.3};
  builder.add(bushing);
}

struct Free {
  Model model;
  RandomState state;
};

Free random_free_system(Random& random, int dof, bool springs) {
  test::TreeOptions options;
  options.free_base = true;
  test::TreeParts parts = test::random_tree(random, dof, options);
  parts.gravity.setZero();
  parts.joints[0].armature.clear();  // a rotor against the world would be no free system
  if (springs)
    for (std::size_t j = 1; j < parts.joints.size(); ++j)
      if (parts.joints[j].type != JointType::kFixed) parts.joints[j].stiffness = {5};
  ModelBuilder builder = test::builder_of(parts);
  if (springs) add_springs(random, builder, parts);
  Model model = builder.build();
  RandomState state = test::random_state(random, model, 1);
  // Joint springs are slack at zero; start near it, away from the half turn at which rotation springs tear.
  for (int j = 1; springs && j < model.joint_count(); ++j) {
    if (model.joint_type(j) == JointType::kFixed) continue;
    const State initial = initial_state(model);
    for (int k = 0; k < q_count(model.joint_type(j)); ++k)
      state.q[model.joint_q(j) + k] = initial.q[model.joint_q(j) + k];
  }
  return {model, state};
}

struct Kept {
  double linear = 0, angular = 0, energy = 0;  // largest relative changes
};

Kept run_free(const Free& system, double duration) {
  Simulation simulation(test::scene_of(system.model, StepperKind::kDopri5));
  simulation.set_tolerances(1e-13, 1e-13);
  State state = simulation.state();
  state.q = system.state.q, state.u = system.state.u;
  simulation.restore(state);
  Dynamics dynamics(system.model);
  dynamics.set(state);
  const Momentum before = dynamics.momentum();
  const double energy = dynamics.energy().total(), speed = std::sqrt(2 * dynamics.energy().kinetic);
  const double mass = system.model.total_mass();
  Kept kept;
  simulation.run(duration, duration / 20, [&](const Simulation& s) {
    State there = s.state();
    dynamics.set(there);
    // Relative to what parts of the system carry: the sum may be small by chance.
    const double scale = std::sqrt(mass) * speed, reach = 1 + dynamics.center_of_mass().norm();
    kept.linear = std::max(kept.linear, (dynamics.momentum().linear - before.linear).norm() / scale);
    kept.angular = std::max(kept.angular, (dynamics.momentum().angular - before.angular).norm() / (scale * reach));
    kept.energy = std::max(kept.energy, std::abs(dynamics.energy().total() - energy) / std::abs(energy));
    return true;
  });
  return kept;
}

TEST(FreeSystems, KeepMomentumAndEnergy) {
  Random random(1);
  for (const bool springs : {false, true}) {
    Kept worst;
    constexpr int kSystems = 20;
    for (int n = 0; n < kSystems; ++n) {
      const Kept kept = run_free(random_free_system(random, 6 + n, springs), 1);
      worst.linear = std::max(worst.linear, kept.linear);
      worst.angular = std::max(worst.angular, kept.angular);
      worst.energy = std::max(worst.energy, kept.energy);
    }
    figure("{} free trees of 6 to {} dof, {}: momentum kept to {:.1e}, angular {:.1e}, energy {:.1e} (relative)",
           kSystems, 5 + kSystems, springs ? "springs inside" : "no springs", worst.linear, worst.angular,
           worst.energy);
    EXPECT_LT(worst.linear, 1e-10);
    EXPECT_LT(worst.angular, 1e-10);
    EXPECT_LT(worst.energy, 1e-10);
  }
}

// Several bodies with a free joint each, tied by springs and dampers: momentum stays, energy goes.
TEST(FreeSystems, DampersTakeEnergyButNoMomentum) {
  Random random(2);
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  const std::string names[] = {"a", "b", "c"};
  for (const std::string& name : names) {
    BodySpec body;
    body.name = name;
    body.mass_properties = test::random_mass_properties(random);
    builder.add(body);
    JointSpec joint = test::joint_of("free_" + name, JointType::kFree, kWorldName, name);
    const Eigen::Vector3d p = random.vector(1), v = random.vector(1), w = random.vector(2);
    joint.q = {p.x(), p.y(), p.z(), 1, 0, 0, 0};
    joint.u = {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
    builder.add(joint);
  }
  for (int k = 0; k < 3; ++k) {
    SpringDamperSpec spring;
    spring.name = "spring_" + names[k];
    spring.a = {"", names[k], random.vector(0.2)};
    spring.b = {"", names[(k + 1) % 3], random.vector(0.2)};
    spring.stiffness = 20;
    spring.damping = 2;
    builder.add(spring);
  }
  Simulation simulation(test::scene_of(builder.build(), StepperKind::kDopri5));
  simulation.set_tolerances(1e-13, 1e-13);
  Dynamics dynamics(simulation.model());
  const Momentum before = dynamics.momentum();
  simulation.run(3);
  dynamics.set(simulation.state());
  EXPECT_LT((dynamics.momentum().linear - before.linear).norm(), 1e-11);
  EXPECT_LT((dynamics.momentum().angular - before.angular).norm(), 1e-11);
  EXPECT_LT(simulation.energy().total(), 0.95 * simulation.statistics().energy_initial);
  figure("free bodies on dampers: momentum kept to {:.1e}, angular {:.1e}",
         (dynamics.momentum().linear - before.linear).norm(), (dynamics.momentum().angular - before.angular).norm());
}

// In a uniform field the centre of mass of anything flies along a parabola.
TEST(FreeSystems, CentreOfMassFliesAlongAParabola) {
  Random random(3);
  double worst = 0;
  for (int n = 0; n < 10; ++n) {
    test::TreeOptions options;
    options.free_base = true;
    options.added_inertia = false;
    test::TreeParts parts = test::random_tree(random, 6 + 2 * n, options);
    parts.joints[0].armature.clear();
    const Model model = test::build(parts);
    const RandomState s = test::random_state(random, model, 1);
    Simulation simulation(test::scene_of(model, StepperKind::kDopri5));
    simulation.set_tolerances(1e-12, 1e-12);
    State state = simulation.state();
    state.q = s.q, state.u = s.u;
    simulation.restore(state);
    Dynamics dynamics(model);
    dynamics.set(state);
    const Eigen::Vector3d start = dynamics.center_of_mass(), v = dynamics.momentum().linear / model.total_mass();
    simulation.run(1);
    dynamics.set(simulation.state());
    const Eigen::Vector3d expected = start + v + 0.5 * parts.gravity;
    worst = std::max(worst, (dynamics.center_of_mass() - expected).norm());
  }
  EXPECT_LT(worst, 1e-9);
  figure("centre of mass of free trees after 1 s, off the parabola by {:.1e} m", worst);
}

}  // namespace
}  // namespace lipkin
