// What is booked since the start belongs to the state: whoever goes back to one finds the books of then.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/session.hpp"
#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"
#include "support/ways_to_run.hpp"

namespace lipkin {
namespace {

// A damped pendulum, and a body that falls.
std::string scene(const std::string& experiment) {
  return R"(lipkin: 1
bodies:
  - {name: p, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, damping: 0.5}}
  - {name: f, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: free}}
outputs: {damped: energy.dampers, weight: momentum.gravity.pz, residual: energy.residual}
)" + experiment;
}

void expect_same_books(const Simulation& a, const Simulation& b) {
  ASSERT_EQ(a.hash(), b.hash());
  for (const char* name : {"damped", "weight", "residual"}) EXPECT_EQ(a.output(name), b.output(name)) << name;
  const EnergyBalance &x = a.energy_balance(), &y = b.energy_balance();
  EXPECT_EQ(x.since, y.since);
  EXPECT_EQ(x.initial, y.initial);
  EXPECT_EQ(x.stored.total(), y.stored.total());
  EXPECT_EQ(x.residual(), y.residual());
  EXPECT_EQ(a.momentum_balance().residual().angular, b.momentum_balance().residual().angular);
}

class Books : public testing::TestWithParam<test::Way> {
 protected:
  const Scene scene_ = test::scene_from(scene(test::experiment(GetParam(), 1e-3)));
};
INSTANTIATE_TEST_SUITE_P(Ways, Books, testing::ValuesIn([] {
                           std::vector<test::Way> ways = test::kWays;
                           ways.push_back({"generalized", "rk4"});
                           return ways;
                         }()));

TEST_P(Books, ComeBackWithAState) {
  Simulation straight(scene_), there_and_back(scene_);
  straight.run(0.3);
  there_and_back.run(0.1);
  const State saved = there_and_back.state();
  const Checkpoint checkpoint = there_and_back.checkpoint();
  there_and_back.run(0.2);
  there_and_back.restore(saved);
  there_and_back.run(0.1);
  there_and_back.restore(checkpoint);
  there_and_back.run(0.2);
  expect_same_books(there_and_back, straight);
}

TEST_P(Books, OfCommandsGoWithThem) {
  Simulation changed(scene_), straight(scene_);
  changed.run(0.1), straight.run(0.1);
  const Checkpoint before = changed.checkpoint();
  changed.set("gravity.z", -20);
  changed.run(0.1);
  changed.restore(before);
  expect_same_books(changed, straight);
}

TEST_P(Books, SayWhenTheyBeginWhereAStateHasNone) {
  Simulation unwatched(test::scene_from(R"(lipkin: 1
bodies: [{name: p, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, damping: 0.5}}]
)" + test::experiment(GetParam(), 1e-3)));
  unwatched.run(0.1);
  const State saved = unwatched.state();
  unwatched.run(0.1);
  unwatched.watch_balance();
  EXPECT_NEAR(unwatched.energy_balance().since, 0.2, 1e-12);
  unwatched.restore(saved);
  EXPECT_NEAR(unwatched.energy_balance().since, 0.1, 1e-12);
  EXPECT_EQ(unwatched.energy_balance().dampers, 0);
  unwatched.run(0.1);
  EXPECT_GT(unwatched.energy_balance().dampers, 0);
  unwatched.velocities()[0] += 1;
  unwatched.state_written();
  EXPECT_NEAR(unwatched.energy_balance().since, 0.2, 1e-12);
  EXPECT_EQ(unwatched.energy_balance().residual(), 0);
}

TEST(BooksOfASession, GoBackAndForthWithIt) {
  const auto run_to = [](Session& session, double t) { session.run(t - session.simulation().state().t); };
  const auto command = [](Session& session, const char* line) {
    session.submit(line, [](const CommandAnswer& answer) { EXPECT_TRUE(answer.error.empty()) << answer.error; });
    session.apply_due();
  };
  const Scene of = test::scene_from(scene("experiment: {dt: 0.001}"));
  Session straight(of, {}), edited(of, {});
  run_to(straight, 0.5);
  run_to(edited, 0.3);
  command(edited, R"({"cmd": "set", "args": {"path": "gravity.z", "value": -20}})");
  run_to(edited, 0.4);
  command(edited, R"({"cmd": "undo"})");
  run_to(edited, 0.45);
  command(edited, R"({"cmd": "seek", "args": {"t": 0.2}})");
  command(edited, R"({"cmd": "seek", "args": {"t": 0.45}})");
  run_to(edited, 0.5);
  expect_same_books(edited.simulation(), straight.simulation());
}

}  // namespace
}  // namespace lipkin
