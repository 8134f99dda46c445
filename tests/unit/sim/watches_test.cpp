// What is watched later is what an output of the scene says: the same expression, whenever and however it is asked for.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"
#include "support/ways_to_run.hpp"

namespace lipkin {
namespace {

using test::experiment;
using test::Way;

// A pendulum that a loop closes, a motor that drives an arm, a box that rests on the ground.
constexpr const char* kParts = R"(lipkin: 1
bodies:
  - {name: p, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, q: 0.3}}
  - {name: q, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: free, at: [0, 3, 0]}}
  - {name: arm, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, at: [0, 6, 0]}}
  - {name: box, joint: {type: free, at: [0, 9, 0.5]}, shapes: [{box: {size: [1, 1, 1]}, mass: 2, contact: c}]}
loops: [{name: w, type: revolute, axis: y, from: {at: [-0.5, 3, 0]}, to: {body: q, at: [-0.5, 0, 0]}}]
motors: [{name: m, joint: arm, velocity: 2}]
materials: {c: {friction: 0.5}}
world: {shapes: [{plane: {}, contact: c}]}
)";

const std::vector<std::string> kExpressions = {"body.p.az",    "joint.w.fz",          "joint.w.a",     "motor.m.force",
                                               "joint.arm.fx", "body.box.contact_fz", "body.q.imu_ax", "joint.arm.tau"};

std::string scene(const Way& way, bool with_outputs) {
  std::string text = kParts;
  if (with_outputs) text += "outputs:\n";
  for (std::size_t i = 0; with_outputs && i < kExpressions.size(); ++i)
    text += fmt::format("  v{}: {}\n", i, kExpressions[i]);
  return text + experiment(way, 1e-3);
}

void expect_same(Simulation& watching, const Simulation& looking, double tolerance, const char* when) {
  const std::vector<double> shown(looking.outputs().begin(), looking.outputs().end());
  const std::span<const double> watched = watching.watched();
  for (std::size_t i = 0; i < shown.size(); ++i)
    EXPECT_NEAR(watched[i], shown[i], tolerance * (1 + std::abs(shown[i]))) << kExpressions[i] << ", " << when;
}

class Watches : public testing::TestWithParam<Way> {
 protected:
  Simulation watching{test::scene_from(scene(GetParam(), false))}, looking{test::scene_from(scene(GetParam(), true))};

  void both(const std::function<void(Simulation&)>& change) { change(watching), change(looking); }
};

INSTANTIATE_TEST_SUITE_P(Ways, Watches, testing::ValuesIn(test::kWays));

// The reactions of `moreau` are those of its steps where somebody looked by then: otherwise first order apart.
TEST_P(Watches, ShowWhatOutputsDo) {
  const double other = std::string(GetParam().stepper) == "moreau" ? 0.02 : 1e-9;
  watching.set_watches(kExpressions);
  expect_same(watching, looking, 1e-9, "at the start");
  both([](Simulation& s) { s.step(); });
  expect_same(watching, looking, 1e-9, "after a step");
  both([](Simulation& s) { s.reset(); });
  expect_same(watching, looking, 1e-9, "after a reset");
  watching.set_watches({});
  both([](Simulation& s) { s.run(0.05); });
  watching.set_watches(kExpressions);
  expect_same(watching, looking, other, "watched from the middle on");
  both([](Simulation& s) { s.set("gravity.z", 0); });
  expect_same(watching, looking, 1e-9, "without gravity");
  for (const double value : watching.watched().subspan(5, 1)) EXPECT_NEAR(value, 0, 1e-9);
  both([](Simulation& s) { s.restore(s.checkpoint()); });
  expect_same(watching, looking, 1e-9, "restored");
  both([](Simulation& s) { s.set_coordinates(CoordinateKind::kMaximal); });
  expect_same(watching, looking, 1e-9, "in maximal coordinates");
  both([](Simulation& s) { s.step(); });
  EXPECT_EQ(watching.hash(), looking.hash());
}

// Whoever looks does not act on the run: neither the trial nor that the stepper begins anew behind it.
TEST_P(Watches, LeaveTheRunAsItIs) {
  Simulation unseen(test::scene_from(scene(GetParam(), false)));
  watching.set_watches(kExpressions);
  for (int i = 0; i < 50; ++i) {
    unseen.step();
    watching.step();
    watching.watched();
    ASSERT_EQ(watching.hash(), unseen.hash()) << i;
  }
}

TEST_P(Watches, RestingAndHangingIsSeenBeforeTheFirstStep) {
  watching.set_watches(kExpressions);
  const std::span<const double> first = watching.watched();
  const double inertia = 0.1 + 0.25, g = 9.81;
  EXPECT_NEAR(first[5], 2 * g, 1e-6);                   // the box
  EXPECT_NEAR(first[2], g * 0.5 / inertia, 1e-6);       // the arm that the loop holds
  EXPECT_NEAR(first[1], g - 0.25 * g / inertia, 1e-6);  // and what holds it
  EXPECT_NEAR(first[3], -2 * g * 0.5, 1e-6);            // the motor
  EXPECT_NEAR(first[4], -2 * 0.5 * 4, 1e-6);            // what keeps its arm on the circle
}

}  // namespace
}  // namespace lipkin
