// A state that is looked at and written in place, as Python's arrays do.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/batch.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

Scene pendulum(StepperKind stepper) {
  ModelBuilder builder;
  builder.set_gravity({0, -10, 0});
  builder.add(test::body_with("bar", 1, {1, 0, 0}, {0.1, 0.1, 0.1}));
  builder.add(test::joint_of("pin", JointType::kRevolute, kWorldName, "bar"));
  builder.add(OutputSpec{"x", "joint.pin.q", "rad", {}});
  return test::scene_of(builder.build(), stepper, 1e-3);
}

TEST(WrittenState, StaysWhereItIs) {
  Simulation simulation(pendulum(StepperKind::kEuler));
  const double* q = simulation.coordinates().data();
  const double* applied = simulation.applied_forces().data();
  const Checkpoint start = simulation.checkpoint();
  simulation.step();
  simulation.reset();
  EXPECT_EQ(simulation.coordinates().data(), q);
  EXPECT_EQ(simulation.applied_forces().data(), applied);
  simulation.step();
  simulation.restore(start);
  EXPECT_EQ(simulation.coordinates().data(), q);
  simulation.restore(start.state);
  EXPECT_EQ(simulation.coordinates().data(), q);
}

TEST(WrittenState, MemoryOfEverySizeIsKept) {
  Simulation simulation(pendulum(StepperKind::kEuler));
  simulation.coordinates()[0] = 0.3;
  simulation.state_written();
  const double* generalized = simulation.coordinates().data();
  simulation.set_coordinates(CoordinateKind::kMaximal);
  const double* maximal = simulation.coordinates().data();
  EXPECT_EQ(simulation.coordinates().size(), 7u);
  EXPECT_EQ(*generalized, 0.3);  // old values, in memory that is still there
  for (int i = 0; i < 3; ++i) {
    simulation.set_coordinates(CoordinateKind::kGeneralized);
    EXPECT_EQ(simulation.coordinates().data(), generalized);
    EXPECT_NEAR(*generalized, 0.3, 1e-14);
    simulation.set_coordinates(CoordinateKind::kMaximal);
    EXPECT_EQ(simulation.coordinates().data(), maximal);
  }
}

// dopri5 keeps the accelerations of the last step's end for the next one.
TEST(WrittenState, IsSteppedFrom) {
  Simulation written(pendulum(StepperKind::kDopri5)), fresh(pendulum(StepperKind::kDopri5));
  written.run(0.1);
  for (Simulation* simulation : {&written, &fresh}) {
    simulation->coordinates()[0] = -1.2;
    simulation->velocities()[0] = 0.4;
    simulation->state_written();
    EXPECT_EQ(simulation->output("x"), -1.2);
    simulation->run(0.1);
  }
  // Other first steps, within the tolerance of 1e-8.
  EXPECT_NEAR(written.state().q[0], fresh.state().q[0], 1e-7);
}

TEST(WrittenState, QuaternionsBecomeUnit) {
  ModelBuilder builder;
  builder.add(test::body_with("stone", 1, {0, 0, 0}, {1, 2, 3}));
  builder.add(test::joint_of("air", JointType::kFree, kWorldName, "stone"));
  Simulation simulation(test::scene_of(builder.build(), StepperKind::kEuler, 1e-3));
  const std::span<double> q = simulation.coordinates();
  q[3] = 0, q[4] = 3, q[5] = 0, q[6] = 4;
  simulation.state_written();
  EXPECT_DOUBLE_EQ(q[4], 0.6);
  EXPECT_DOUBLE_EQ(q[6], 0.8);
  const std::uint64_t hash = simulation.hash();
  simulation.state_written();
  EXPECT_EQ(simulation.hash(), hash);
  q[4] = q[6] = 0;
  EXPECT_THROW(simulation.state_written(), InvalidArgument);
}

TEST(WrittenState, SettingsThatChangeOftenAreOneEdit) {
  Simulation simulation(pendulum(StepperKind::kEuler));
  for (int i = 0; i < 1000; ++i) {
    simulation.set("gravity.y", i % 2 ? -20 : 0);
    simulation.set("joint.pin.damping", 0.001 * i);
    simulation.step();
  }
  EXPECT_EQ(simulation.state().edits.size(), 2u);
  EXPECT_THROW(simulation.set("gravty.y", 1), InvalidArgument);
  EXPECT_THROW(simulation.set("joint.pin.damping", -1), InvalidArgument);
  // What was set is part of the state.
  Simulation other(pendulum(StepperKind::kEuler));
  other.restore(simulation.state());
  simulation.step();
  other.step();
  EXPECT_EQ(simulation.hash(), other.hash());
}

// Samples within a step: what is watched belongs to the time of the sample, as the outputs do.
TEST(WrittenState, WatchedAtTheTimeOfTheSample) {
  Simulation simulation(pendulum(StepperKind::kDopri5));
  simulation.set_watches({"joint.pin.q", "t"});
  simulation.run(0.5, 0.01, [&](const Simulation& now) {
    EXPECT_EQ(simulation.watched()[0], now.output("x"));
    EXPECT_EQ(simulation.watched()[1], now.sample_time());
    return true;
  });
}

TEST(BatchLanes, HoldEveryCopy) {
  Batch batch(pendulum(StepperKind::kEuler).model, 11, 1);
  for (int copy = 0; copy < 11; ++copy) batch.set_q(copy, std::vector{0.1 * copy});
  const int lanes = batch.lane_count();
  EXPECT_EQ(batch.q_lanes().size() % lanes, 0u);
  for (int copy = 0; copy < 11; ++copy) EXPECT_EQ(batch.q_lanes()[(copy / lanes) * lanes + copy % lanes], 0.1 * copy);
  batch.tau_lanes()[3] = 5;
  batch.forward_dynamics();
  // I a = tau - m g l cos q, I = 0.1 + 1.
  EXPECT_NEAR(batch.acceleration_lanes()[3], (5 - 10 * std::cos(0.3)) / 1.1, 1e-13);
}

}  // namespace
}  // namespace lipkin
