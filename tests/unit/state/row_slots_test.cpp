// Every impulse in the state's memory stands where the table of slots says.
#include "state/row_slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lipkin/simulation.hpp"
#include "model/model_compiler.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

constexpr double kStep = 1e-3, kGravity = 10;

// Blocks of 1, 2, 3 kg ... on vertical slides, each held by one law.
const char* const kHeld = R"(lipkin: 1
gravity: [0, 0, -10]
bodies:
  - {name: b1, mass: 1, joint: {type: prismatic, axis: z, limits: [0, 1]}}
  - {name: b2, mass: 2, joint: {type: prismatic, axis: [0, 0, -1], limits: [-1, 0]}}
  - {name: b3, mass: 3, joint: {type: prismatic, axis: z, friction: 100}}
  - {name: b4, mass: 4, joint: {type: prismatic, axis: z}}
  - {name: b5, mass: 5, joint: {type: prismatic, axis: z}}
  - {name: b6, mass: 6, joint: {type: prismatic, axis: z}}
  - {name: b7, mass: 7, joint: {type: prismatic, axis: z}}
  - {name: b8, mass: 8, joint: {type: prismatic, axis: z}}
  - {name: b9, mass: 9, joint: {type: prismatic, axis: z}}
  - {name: bob, mass: 1, com: [0, 0, -1], inertia: [1, 1, 1], joint: {type: ball, max_angle: 1}}
tendons: [{name: t, joints: [{joint: b6, coefficient: 1}], stiffness: 100}]
motors:
  - {name: fixed, joint: b5, velocity: 0}
  - {name: held, joint: b4, velocity: 0, max_force: 1000}
distances:
  - {name: rod, from: {body: world, at: [0, 0, 1]}, to: {body: b9}, length: 1}
  - {name: rope, from: {body: world, at: [0, 0, 1]}, to: {body: b7}, lower: 0.5, upper: 1}
  - {name: stop, from: {body: world, at: [0, 0, -1]}, to: {body: b8}, lower: 1}
experiment: {stepper: euler, dt: 0.001, duration: 1}
)";

double impulse(const Simulation& simulation, RowKind kind, int index = 0) {
  const std::vector<RowSlot> slots = row_slots(simulation.running_model().data());
  const auto slot = std::find(slots.begin(), slots.end(), RowSlot{kind, index});
  EXPECT_NE(slot, slots.end());
  return simulation.state().row_impulses.at(static_cast<std::size_t>(slot - slots.begin()));
}

TEST(RowSlots, HoldTheImpulsesOfTheirLaws) {
  Simulation simulation(test::scene_from(kHeld));
  simulation.step();
  const auto weight = [](double mass) { return mass * kGravity * kStep; };
  const auto is = [&](RowKind kind, int index, double wanted) {
    EXPECT_NEAR(impulse(simulation, kind, index), wanted, 1e-9) << static_cast<int>(kind) << ' ' << index;
  };
  is(RowKind::kLimitLower, 0, weight(1));
  is(RowKind::kLimitUpper, 0, 0);
  is(RowKind::kLimitLower, 1, 0);
  is(RowKind::kLimitUpper, 1, weight(2));
  is(RowKind::kBallLimit, 0, 0);
  is(RowKind::kFriction, 0, weight(3));
  is(RowKind::kMotor, 1, weight(4));
  is(RowKind::kSpring, 0, 100 * kStep * weight(6) / (6 + 100 * kStep * kStep) * kStep);  // where the step ends
  is(RowKind::kRopeUpper, 1, weight(7));
  is(RowKind::kRopeLower, 1, 0);
  is(RowKind::kRopeUpper, 2, 0);
  is(RowKind::kRopeLower, 2, weight(8));
  EXPECT_EQ(row_slots(simulation.model().data()).size(), 12u);  // none of the rod and the prescribed motion
}

TEST(RowSlots, HaveLimitsFirst) {
  const Scene scene = test::scene_from(kHeld);
  const std::vector<RowSlot> slots = row_slots(scene.model.data());
  for (int limit : {0, 1}) {
    const auto i = static_cast<std::size_t>(limit);
    EXPECT_EQ(slots.at(limit_slot(i, false)), (RowSlot{RowKind::kLimitLower, limit}));
    EXPECT_EQ(slots.at(limit_slot(i, true)), (RowSlot{RowKind::kLimitUpper, limit}));
  }
}

// A rope that becomes a stop too moves the slots behind it: what stood there is not the next one's.
TEST(RowSlots, AreForgottenWhereAnEditMovesThem) {
  Simulation simulation(test::scene_from(kHeld));
  simulation.step();
  ModelParts parts = *simulation.model().data().parts;
  const auto rope =
      std::find_if(parts.distances.begin(), parts.distances.end(), [](const auto& d) { return d.name == "rope"; });
  rope->lower = 0;
  simulation.change_model(compile_model(std::make_shared<const ModelParts>(std::move(parts))));
  EXPECT_TRUE(simulation.state().row_impulses.empty());
}

}  // namespace
}  // namespace lipkin
