// What holds, and slips at the end of a step where the projection turns what it sits on, is counted by name.
#include <gtest/gtest.h>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// A crank turns a slider through its dead points; friction holds a tool on it that moves with up to 130 m/s².
Simulation after(const std::string& experiment) {
  Simulation simulation(test::scene_from(
      "lipkin: 1\n"
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: crank, joint: {type: revolute, axis: y, u: 30}, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "  - {name: rod, parent: crank, joint: {type: revolute, axis: y, at: [0.1, 0, 0], u: -40}, mass: 1, com: [0.15, "
      "0, "
      "0], inertia: [0.01, 0.01, 0.01]}\n"
      "  - {name: slider, joint: {type: prismatic, axis: x, q: 0.4}, mass: 2}\n"
      "  - {name: tool, parent: slider, joint: {type: prismatic, axis: x, friction: 1e4}, mass: 1}\n"
      "loops: [{name: pin, type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0.3, 0, 0]}}]\n"
      "motors: [{name: run, joint: crank, velocity: 30}]\n"
      "experiment: " +
      experiment + "\n"));
  simulation.run(0.5, 0.5);
  return simulation;
}

TEST(HeldSlip, IsCountedUnderEulerAndGoesWithTheStep) {
  const Simulation run = after("{dt: 1e-3}");
  const double coarse = run.statistics().held_slip, fine = after("{dt: 1e-4}").statistics().held_slip;
  EXPECT_EQ(run.held_slip_of(), "the friction of joint 'tool'");
  EXPECT_NEAR(coarse, 120e-3, 10e-3);  // w² (r + r²/l) dt at the outer dead point
  EXPECT_NEAR(fine / coarse, 0.1, 0.01);
}

// Another model counts its laws anew: what slipped keeps its name.
TEST(HeldSlip, KeepsItsNameInAnotherModel) {
  Simulation run = after("{dt: 1e-3}");
  run.set("joint.crank.friction", 0.5);
  run.set_coordinates(CoordinateKind::kMaximal);
  EXPECT_EQ(run.held_slip_of(), "the friction of joint 'tool'");
}

TEST(HeldSlip, IsNoneWhereTheSolveComesLast) {
  for (const char* experiment : {"{stepper: moreau, dt: 1e-3}", "{stabilization: split, dt: 1e-3}"})
    EXPECT_LT(after(experiment).statistics().held_slip, 1e-9) << experiment;
}

}  // namespace
}  // namespace lipkin
