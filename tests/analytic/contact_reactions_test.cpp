// What contacts and friction, rigid or as forces, do to the joints and motors beside them: against sums of forces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/ways_to_run.hpp"

namespace lipkin {
namespace {

using test::expect_values;
using test::experiment;
using test::Way;

constexpr double kGravity = 9.81;

const std::vector<Way> kContactWays = {
    {"generalized", "euler", "rigid"},       {"generalized", "moreau", "rigid"},
    {"maximal", "euler", "rigid"},           {"maximal", "moreau", "rigid"},
    {"generalized", "euler", "regularised"}, {"generalized", "moreau", "regularised"},
    {"maximal", "euler", "regularised"},     {"maximal", "moreau", "regularised"}};

class ForcesOfContacts : public testing::TestWithParam<Way> {
 protected:
  // Where two kilograms rest on four corners of 1e5 N/m.
  double sunk() const { return GetParam().contact == std::string("rigid") ? 0 : 2 * kGravity / 4e5; }
};

INSTANTIATE_TEST_SUITE_P(Ways, ForcesOfContacts, testing::ValuesIn(kContactWays),
                         [](const testing::TestParamInfo<Way>& chosen) {
                           const Way& way = chosen.param;
                           return fmt::format("{}_{}_{}", way.coordinates, way.stepper, way.contact);
                         });

const char* kSoft = "materials: {s: {friction: 0.3, stiffness: 1e5, linear_damping: 200}}\n";

// A slide that is driven below a block of 2 kg, which is held from the side: the motor pushes with mu m g.
TEST_P(ForcesOfContacts, DriveAgainstFriction) {
  Simulation simulation(test::scene_from(fmt::format(R"(lipkin: 1
{}bodies:
  - name: slide
    joint: {{type: prismatic, axis: x, u: 0.5}}
    shapes: [{{box: {{size: [2, 0.2, 0.02]}}, at: [0, 0, -0.01], mass: 1, contact: s}}]
  - name: block
    joint: {{type: prismatic, axis: z, at: [0, 0, {}]}}
    shapes: [{{box: {{size: [0.1, 0.1, 0.1]}}, mass: 2, contact: s}}]
motors: [{{name: d, joint: slide, velocity: 0.5}}]
outputs:
  motor: motor.d.force
  slide: body.slide.fx
  joint: joint.slide.fx
  load: body.slide.load_fx
  down: joint.slide.fz
  side: joint.block.fx
  lift: joint.block.fz
  press: contact.block.slide.fz
  all: body.slide.contact_fx
{})",
                                                     kSoft, 0.05 - sunk(), experiment(GetParam(), 1e-4))));
  const double friction = 0.3 * 2 * kGravity;  // less by (slip speed / speed)² / 2 as a force
  const std::map<std::string, double> expected = {
      {"motor", friction}, {"slide", 0}, {"joint", friction},     {"load", friction}, {"down", 3 * kGravity},
      {"side", -friction}, {"lift", 0},  {"press", 2 * kGravity}, {"all", -friction}};
  simulation.run(0.01);
  expect_values(simulation, expected, 1e-3);
}

// What carries 1 kg with 2 kg on it: an end stop, a joint that closes a loop. At any step.
TEST_P(ForcesOfContacts, HoldAPanWithAWeight) {
  for (const double dt : {1e-4, 1e-3}) {
    const auto scene = [&](const char* joint, const char* loops, const char* output) {
      return fmt::format(R"(lipkin: 1
{}bodies:
  - name: pan
    joint: {{type: prismatic, axis: z{}}}
    shapes: [{{box: {{size: [1, 1, 0.02]}}, at: [0, 0, -0.01], mass: 1, contact: s}}]
  - name: weight
    joint: {{type: free, q: [0, 0, {}, 1, 0, 0, 0]}}
    shapes: [{{box: {{size: [0.1, 0.1, 0.1]}}, mass: 2, contact: s}}]
{}
outputs: {{{}, total: body.pan.fz, load: body.pan.load_fz, press: contact.weight.pan.fz}}
{})",
                         kSoft, joint, 0.05 - sunk(), loops, output, experiment(GetParam(), dt));
    };
    Simulation stopped(test::scene_from(scene(", limits: [0, 1]", "", "held: joint.pan.limit")));
    stopped.run(0.01);
    expect_values(stopped, {{"held", 3 * kGravity}, {"total", 0}, {"load", 3 * kGravity}, {"press", 2 * kGravity}},
                  1e-3);
    Simulation looped(test::scene_from(
        scene("", "loops: [{name: lp, type: fixed, from: {body: world}, to: {body: pan}}]", "held: joint.lp.fz")));
    looped.run(0.01);
    expect_values(looped, {{"held", 3 * kGravity}, {"total", 0}, {"load", 0}, {"press", 2 * kGravity}}, 1e-3);
  }
}

// A shaft that a motor turns against the friction of its joint; the laws are met.
TEST_P(ForcesOfContacts, DriveAgainstJointFriction) {
  Simulation simulation(test::scene_from(fmt::format(R"(lipkin: 1
bodies:
  - {{name: shaft, mass: 1, inertia: [1, 1, 0.5], joint: {{type: revolute, axis: z, u: 2, friction: 3}}}}
motors: [{{name: m, joint: shaft, velocity: 2}}]
outputs: {{motor: motor.m.force, joint: joint.shaft.nz, load: body.shaft.load_nz, turns: body.shaft.alphaz}}
{})",
                                                     experiment(GetParam(), 1e-3))));
  simulation.run(0.01);
  // The moment that the joint exerts is the motor's less the friction's.
  expect_values(simulation, {{"motor", 3}, {"joint", 0}, {"load", 0}, {"turns", 0}}, 1e-5);
  EXPECT_LT(simulation.statistics().residual, 1e-6);
}

// Two shafts, the second in a loop: each has the friction of its own, also where that of the first is a force.
TEST_P(ForcesOfContacts, FrictionIsThatOfItsOwnJoint) {
  Simulation simulation(test::scene_from(fmt::format(R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: 1, inertia: [1, 1, 0.5], joint: {{type: revolute, axis: z, u: 2, friction: 3}}}}
  - {{name: b, mass: 1, inertia: [1, 1, 0.5], joint: {{type: free, u: [0, 0, 0, 0, 0, 2]}}}}
loops: [{{name: lb, type: revolute, axis: z, friction: 1, from: {{body: world}}, to: {{body: b}}}}]
outputs: {{a: body.a.alphaz, b: body.b.alphaz}}
{})",
                                                     experiment(GetParam(), 1e-3))));
  simulation.run(0.01);
  expect_values(simulation, {{"a", -6}, {"b", -2}}, 1e-4);
  EXPECT_LT(simulation.statistics().residual, 1e-6);
}

}  // namespace
}  // namespace lipkin
