// Rates of channels against differences along the motion.
#include "forces/channel_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "forces/channel_values.hpp"
#include "model/rated_channels.hpp"
#include "support/scene_text.hpp"
#include "tree/coordinates.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {
namespace {

// A tree of several joints and a spring.
const char* const kScene = R"(
lipkin: 1
bodies:
  - {name: a, joint: {name: j, type: revolute, axis: y, q: 0.4, u: 1.1}, mass: 1, inertia: [0.1, 0.2, 0.3]}
  - name: b
    parent: a
    joint: {name: k, type: ball, at: [0.5, 0, 0.1], q: [0.9, 0.1, 0.3, -0.2], u: [0.5, -0.7, 1.3]}
    mass: 2
    com: [0.1, 0, 0]
    inertia: [0.3, 0.2, 0.4]
  - name: c
    parent: b
    joint: {name: l, type: cylindrical, axis: x, q: [0.2, 0.1], u: [0.3, -0.4]}
    mass: 1
    inertia: [1, 1, 1]
points:
  - {name: tip, body: c, at: [0.1, 0.2, 0.3]}
springs: [{name: s, from: tip, to: {at: [1, 1, 1]}, stiffness: 1}]
)";

TEST(ChannelRates, AreTheDerivatives) {
  const Scene scene = test::scene_from(kScene);
  const ModelData& model = scene.model.data();
  Workspace work(model);
  State state = initial_state(scene.model);
  const auto moved = [&](double s, const Channel& channel) {
    State there = state;
    there.t += s;
    kernels().retract(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), s, state.u.data(),
                      there.q.data());
    update_kinematics(model, there.q.data(), there.u.data(), work.kinematics);
    return channel_value(model, there, work, channel);
  };
  const char* names[] = {"t",
                         "joint.j.q",
                         "joint.k.q[0]",
                         "joint.k.q[1]",
                         "joint.k.q[3]",
                         "joint.l.q[0]",
                         "joint.l.q[1]",
                         "body.c.x",
                         "body.c.y",
                         "body.b.z",
                         "body.b.qw",
                         "body.c.qx",
                         "body.c.qz",
                         "relative.tip.a.x",
                         "relative.tip.a.y",
                         "com.x",
                         "com.z",
                         "subtree.b.x",
                         "spring.s.length"};
  for (const std::string name : names) {
    SCOPED_TRACE(name);
    const Channel channel = find_channel(model, name);
    const auto difference = [&](double h) { return (moved(h, channel) - moved(-h, channel)) / (2 * h); };
    const double wanted = (4 * difference(5e-4) - difference(1e-3)) / 3;
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
    EXPECT_NEAR(channel_rate(model, state, work, channel).value(), wanted, 1e-9);  // fourth order of h, rounding over h
    EXPECT_NE(wanted, 0);
  }
}

// Every name that a model knows: what is said to have a rate has one, and nothing else has.
TEST(ChannelRates, AreKnownOrNot) {
  const Scene scene = test::scene_from(kScene);
  const ModelData& model = scene.model.data();
  Workspace work(model);
  const State state = initial_state(scene.model);
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (int kind = 0; kind <= static_cast<int>(ChannelKind::kMomentumBalance); ++kind) {
    const auto of = static_cast<ChannelKind>(kind);
    const bool needs_what_is_not_here = of == ChannelKind::kClosurePosition || of == ChannelKind::kClosureQuaternion ||
                                        of == ChannelKind::kDistanceLength;
    if (needs_what_is_not_here) continue;
    Channel channel;
    channel.kind = of;
    EXPECT_EQ(channel_rate(model, state, work, channel).has_value(), has_rate(of)) << kind;
  }
  EXPECT_FALSE(channel_rate(model, state, work, find_channel(model, "joint.j.u")));
}

}  // namespace
}  // namespace lipkin
