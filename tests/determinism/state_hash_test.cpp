// Same input, same bits: over runs, over thread counts, and across a restart from a saved state.
#include <gtest/gtest.h>

#include <set>

#include "lipkin/batch.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/version.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;

constexpr StepperKind kSteppers[] = {StepperKind::kEuler, StepperKind::kRk4, StepperKind::kDopri5};

class Determinism : public testing::TestWithParam<StepperKind> {};

TEST_P(Determinism, TenRunsGiveTheSameHash) {
  std::set<std::uint64_t> hashes;
  for (int n = 0; n < 10; ++n) {
    Simulation simulation(test::busy_scene(GetParam()));
    simulation.run(0.5);
    hashes.insert(simulation.hash());
  }
  EXPECT_EQ(hashes.size(), 1u);
  figure("{}: state hash of ten runs {} ({})", name_of(GetParam()), hash_text(*hashes.begin()), instruction_set());
}

TEST_P(Determinism, LookingDoesNotChangeTheRun) {
  Simulation quiet(test::busy_scene(GetParam())), watched(test::busy_scene(GetParam()));
  quiet.run(0.5);
  int looks = 0;
  watched.run(
      0.5, 0.003,
      [&](const Simulation& s) {
        looks += s.outputs().empty() ? 0 : 1;
        s.energy();
        s.body_motion(2);
        return true;
      },
      [&](const Simulation& s) { return std::isfinite(s.output("energy")); });
  EXPECT_GT(looks, 100);
  EXPECT_EQ(quiet.hash(), watched.hash());
}

TEST_P(Determinism, ResetStartsAgain) {
  Simulation simulation(test::busy_scene(GetParam()));
  const std::uint64_t start = simulation.hash();
  simulation.run(0.5);
  const std::uint64_t end = simulation.hash();
  simulation.reset();
  EXPECT_EQ(simulation.hash(), start);
  simulation.run(0.5);
  EXPECT_EQ(simulation.hash(), end);
}

// Where a run may be interrupted: between commands, within pushes, after edits. Steps are taken one by one, since the
// end of a run() is a step boundary of its own.
void run_steps(Simulation& simulation, double until) {
  while (simulation.state().t < until) simulation.step();
}

TEST_P(Determinism, RestoringAnyStateContinuesBitForBit) {
  Simulation original(test::busy_scene(GetParam()));
  std::vector<State> saved;
  double next = 0;
  while (original.state().t < 0.5) {
    if (original.state().t >= next) {
      saved.push_back(original.state());
      next += 0.02;
    }
    original.step();
  }
  ASSERT_GT(saved.size(), 15u);
  int within_push = 0;
  for (const State& state : saved) {
    within_push += state.pushes.empty() ? 0 : 1;
    Simulation other(test::busy_scene(GetParam()));  // a fresh program
    other.restore(state);
    EXPECT_EQ(other.hash(), state_hash(state));
    run_steps(other, 0.5);
    EXPECT_EQ(other.hash(), original.hash()) << "from t = " << state.t;
  }
  EXPECT_GT(within_push, 2);
  figure("{}: {} restarts, {} of them within a push, all to the same hash", name_of(GetParam()), saved.size(),
         within_push);
}

// Back to a state of its own past, with what the future had changed still in memory.
TEST_P(Determinism, RewindingContinuesBitForBit) {
  Simulation simulation(test::busy_scene(GetParam()));
  run_steps(simulation, 0.12);
  const State middle = simulation.state();
  run_steps(simulation, 0.5);
  const std::uint64_t end = simulation.hash();
  for (int n = 0; n < 3; ++n) {
    simulation.restore(middle);
    run_steps(simulation, 0.5);
    EXPECT_EQ(simulation.hash(), end);
  }
}

TEST_P(Determinism, AppliedForcesAndControlsArePartOfTheState) {
  const auto prepared = [&] {
    Simulation simulation(test::busy_scene(GetParam()));
    run_steps(simulation, 0.05);
    simulation.set_control(0, 0.7);
    simulation.applied_forces()[1] = 0.9;
    run_steps(simulation, 0.08);
    return simulation;
  };
  Simulation original = prepared();
  const State middle = original.state();
  run_steps(original, 0.3);
  Simulation other(test::busy_scene(GetParam()));
  other.restore(middle);
  run_steps(other, 0.3);
  EXPECT_EQ(other.hash(), original.hash());
  Simulation untouched(test::busy_scene(GetParam()));
  run_steps(untouched, 0.3);
  EXPECT_NE(untouched.hash(), original.hash());
}

INSTANTIATE_TEST_SUITE_P(Steppers, Determinism, testing::ValuesIn(kSteppers),
                         [](const testing::TestParamInfo<StepperKind>& kind) {
                           return std::string(name_of(kind.param));
                         });

// Spinning bodies: quaternions of every sign and rounding.
TEST(SpinningTrees, RestoredContinueBitForBit) {
  Random random(8);
  for (int n = 0; n < 20; ++n) {
    test::TreeOptions options;
    options.types = {JointType::kBall, JointType::kFree};
    const Model model = test::build(test::random_tree(random, 9 + 3 * (n % 4), options));
    const test::RandomState s = test::random_state(random, model, 4);
    for (const StepperKind stepper : kSteppers) {
      Simulation original(test::scene_of(model, stepper)), other(test::scene_of(model, stepper));
      State state = original.state();
      state.q = s.q, state.u = s.u;
      original.restore(state);
      for (int k = 0; k < 20; ++k) original.step();
      other.restore(original.state());
      for (int k = 0; k < 20; ++k) original.step(), other.step();
      ASSERT_EQ(original.hash(), other.hash()) << name_of(stepper) << " tree " << n;
    }
  }
}

// ---- batches ----

std::uint64_t batch_hash(const Batch& batch) {
  State all;  // the hash of a state, over all copies
  for (int copy = 0; copy < batch.copy_count(); ++copy) {
    for (int k = 0; k < batch.model().q_count(); ++k) all.q.push_back(batch.q(copy, k));
    for (int k = 0; k < batch.model().u_count(); ++k) {
      all.u.push_back(batch.u(copy, k));
      all.applied.push_back(batch.acceleration(copy, k));
    }
  }
  return state_hash(all);
}

Batch prepared_batch(const Model& model, int copies, int threads) {
  Batch batch(model, copies, threads);
  Random random(1);
  for (int copy = 0; copy < copies; ++copy) {
    const test::RandomState s = test::random_state(random, model);
    batch.set_q(copy, s.q);
    batch.set_u(copy, s.u);
    batch.set_tau(copy, s.tau);
  }
  return batch;
}

TEST(BatchDeterminism, ThreadsDoNotChangeABit) {
  for (const bool forces : {false, true}) {
    const Model model = test::busy_model(forces);
    for (const int copies : {1, 7, 50}) {
      std::set<std::uint64_t> hashes;
      for (const int threads : {1, 2, 3, 4, 8}) {
        for (int n = 0; n < 2; ++n) {
          Batch batch = prepared_batch(model, copies, threads);
          batch.step(50);
          batch.step(50);
          hashes.insert(batch_hash(batch));
        }
      }
      EXPECT_EQ(hashes.size(), 1u) << copies << " copies";
      if (copies == 50)
        figure("batch of 50 {}: hash {} on 1, 2, 3, 4 and 8 threads", forces ? "with forces" : "without forces",
               hash_text(*hashes.begin()));
    }
  }
}

// A copy's motion must not depend on its neighbours in the register or on how many copies there are.
TEST(BatchDeterminism, CopiesDoNotKnowEachOther) {
  const Model model = test::busy_model(true);
  Random random(2);
  const test::RandomState probe = test::random_state(random, model);
  std::set<std::uint64_t> hashes;
  for (const int copies : {1, 5, 19}) {
    for (const int place : {0, copies / 2, copies - 1}) {
      Batch batch = prepared_batch(model, copies, 2);
      batch.set_q(place, probe.q);
      batch.set_u(place, probe.u);
      batch.set_tau(place, probe.tau);
      batch.step(100);
      State one;
      for (int k = 0; k < model.q_count(); ++k) one.q.push_back(batch.q(place, k));
      for (int k = 0; k < model.u_count(); ++k) one.u.push_back(batch.u(place, k));
      hashes.insert(state_hash(one));
    }
  }
  EXPECT_EQ(hashes.size(), 1u);
}

// Two pendulums joined at their ends, one of them on a limit and with friction; `watched`: outputs that ask for forces.
Model four_bar(bool watched) {
  ModelBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.add(test::body_with(name, 1, {0, 0, -0.2}, {0.01, 0.02, 0.03}));
  const auto hinge = [](const std::string& name, const std::string& parent, const std::string& child, double x,
                        double z) {
    JointSpec joint = test::joint_of(name, JointType::kRevolute, parent, child);
    joint.axis = {0, 1, 0};
    joint.frame_in_parent.position = {x, 0, z};
    return joint;
  };
  JointSpec first = hinge("first", kWorldName, "a", 0, 0);
  first.q = {0.4};
  first.friction = {0.05};
  first.lower = {-0.2};
  first.upper = {0.6};
  builder.add(first);
  builder.add(hinge("second", kWorldName, "b", 0.5, 0));
  builder.add(hinge("coupler", "a", "c", 0, -0.4));
  JointSpec loop = hinge("loop", "b", "c", 0, -0.4);
  loop.frame_in_child.position = {0.5, 0, 0};
  loop.closes_loop = true;
  builder.add(loop);
  if (watched)
    for (const char* name : {"joint.loop.fx", "joint.first.fz", "joint.coupler.a", "energy.residual"})
      builder.add(OutputSpec{name, name, "", {}});
  return builder.build();
}

TEST(Watching, DoesNotChangeTheHash) {
  for (const SolverKind solver : {SolverKind::kHybrid, SolverKind::kImpulses, SolverKind::kNewton})
    for (const StabilizationKind stabilization : {StabilizationKind::kProjection, StabilizationKind::kSplit})
      for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
        std::uint64_t hash[2];
        for (const bool watched : {false, true}) {
          Scene scene = test::scene_of(four_bar(watched), stepper, 2e-3);
          scene.experiment.solver = solver;
          scene.experiment.stabilization = stabilization;
          Simulation simulation(std::move(scene));
          simulation.run(0.6);
          simulation.set_solver(SolverKind::kImpulses);  // starts from what it finds in the state
          simulation.run(0.1);
          hash[watched] = simulation.hash();
        }
        EXPECT_EQ(hash[0], hash[1]) << name_of(solver) << ", " << name_of(stabilization) << ", " << name_of(stepper);
      }
}

}  // namespace
}  // namespace lipkin
