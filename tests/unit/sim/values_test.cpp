// Values that are set while a simulation runs: in force whatever else changes, until they are set anew.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::scene_from;

const char* const kPendulum = R"(
lipkin: 1
bodies: [{name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y}}]
outputs: {q: joint.rod.q}
experiment: {dt: 0.001)";

Scene pendulum(const std::string& experiment = "") { return scene_from(std::string(kPendulum) + experiment + "}\n"); }

// A joint that was built without a damper has one in either coordinates, set before the change or after it.
TEST(Values, StayInForceInOtherCoordinates) {
  double end[4];
  for (int way = 0; way < 4; ++way) {
    Simulation simulation(pendulum(way == 3 ? ", commands: [{at: 0, set: {joint.rod.damping: 2}}]" : ""));
    if (way == 2) simulation.set_coordinates(CoordinateKind::kMaximal);
    if (way != 3) simulation.set("joint.rod.damping", 2);
    if (way == 1 || way == 3) simulation.run(0.001);
    if (way == 1 || way == 3) simulation.set_coordinates(CoordinateKind::kMaximal);
    simulation.run(way == 1 || way == 3 ? 0.999 : 1);
    ASSERT_EQ(simulation.state().edits.size(), 1u);
    end[way] = simulation.output("q");
  }
  for (int way = 1; way < 4; ++way) EXPECT_NEAR(end[way], end[0], 2e-3) << way;  // the order of the step
  Simulation undamped(pendulum());
  undamped.run(1);
  EXPECT_GT(std::abs(undamped.output("q") - end[0]), 0.3);
}

// Values without a place in what runs: the model is built anew with them, when their time comes.
TEST(Values, ThatNeedAnotherModelAreSetByCommandsToo) {
  const char* const scene = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x, u: 3}}]
forces: [{name: f, body: a, force: [4, 0, 0]}]
springs: [{name: k, from: {body: world, at: [-1, 0, 0]}, to: {body: a}, stiffness: 0}]
outputs: {a: joint.a.a}
experiment: {commands: [{at: 0.5, set: {body.a.mass: 4}}, {at: 1, set: {spring.k.stiffness: 10}}]}
)";
  for (const CoordinateKind kind : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    Simulation simulation(scene_from(scene));
    simulation.set_coordinates(kind);
    simulation.run(0.4);
    EXPECT_NEAR(simulation.output("a"), 4, 1e-9);
    const double u = simulation.body_motion(0).velocity.x();
    simulation.run(0.3);
    EXPECT_NEAR(simulation.output("a"), 1, 1e-9);
    EXPECT_NEAR(simulation.body_motion(0).velocity.x(), u + 0.1 * 4 + 0.2 * 1, 1e-2);
    simulation.run(0.4);
    EXPECT_LT(simulation.output("a"), -1);
    EXPECT_EQ(simulation.state().edits.size(), 2u);
    simulation.reset();
    simulation.run(0.4);
    EXPECT_NEAR(simulation.output("a"), 4, 1e-9);
  }
}

// A rope whose ends meet is a rod, and a rope again where they part; its states can be restored on the way.
TEST(Values, OfARopeMayMeet) {
  Simulation simulation(scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x, u: 0.1}}]
distances: [{name: rope, from: {body: world, at: [-1, 0, 0]}, to: {body: a}, lower: 0.5, upper: 1.05}]
outputs: {u: joint.a.u}
)"));
  simulation.run(0.1);
  const State free = simulation.state();
  simulation.set("distance.rope.lower", 1.01);
  simulation.set("distance.rope.upper", 1.01);
  simulation.run(0.1);
  EXPECT_NEAR(simulation.output("u"), 0, 1e-9);
  const State held = simulation.state();
  simulation.restore(held);
  simulation.set("distance.rope.upper", 1.5);
  simulation.set_stepper(StepperKind::kMoreau);
  simulation.run(0.01);
  simulation.restore(free);
  simulation.run(0.1);
  EXPECT_NEAR(simulation.output("u"), 0.1, 1e-9);
}

// Edits of the model close it with the values of now, and leave them in force.
TEST(Values, AreThoseWithWhichAnEditedModelIsClosed) {
  const std::string text = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: x, u: 1}}
  - {name: b, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: x}}
  - {name: c, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: x}}
gears: [{name: g, joint: b, of: a, ratio: 1}]
)";
  Simulation simulation(scene_from(text));
  simulation.run(0.1);
  simulation.set("gear.g.ratio", 2);
  simulation.set("gear.g.offset", -simulation.state().q[0]);  // where it stands
  simulation.run(0.1);
  const std::vector<double> q = simulation.state().q, u = simulation.state().u;
  simulation.change_model(scene_from(text + "motors: [{name: m, joint: c, velocity: 0}]\n").model);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(simulation.state().q[k], q[k], 1e-12);
    EXPECT_NEAR(simulation.state().u[k], u[k], 1e-12);
  }
  simulation.change_model(scene_from(text).model, {"gear.g"});
  EXPECT_TRUE(simulation.state().edits.empty());
}

// A checkpoint of a scene that nobody has edited is one: a command without a target is refused after it too.
TEST(Values, CheckpointsKnowWhetherTheModelWasEdited) {
  Simulation simulation(pendulum(", commands: [{at: 0.5, set: {joint.rod.damping: 2}}]"));
  const Checkpoint begin = simulation.checkpoint();
  simulation.run(0.1);
  simulation.restore(begin);
  simulation.set_coordinates(CoordinateKind::kMaximal);
  EXPECT_TRUE(simulation.idle_commands().empty());
  simulation.run(1);
  EXPECT_EQ(simulation.state().edits.size(), 1u);
}

// Whether a limit that was passed from the start stops the run does not depend on what else was stepped before: the
// memory of the check is part of the state.
TEST(Values, OfTheCheckBelongToTheState) {
  const Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: cart, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x, q: 0.3, limits: [-1, 0.2]}}]
outputs: {q: joint.cart.q}
)");
  Simulation straight(scene), again(scene);
  const State begin = again.state();
  for (int i = 0; i < 60; ++i) {
    straight.step();
    again.restore(begin);
    again.step();
  }
  EXPECT_LT(straight.state().q[0], 0.3);
  Simulation copy(scene);
  copy.restore(straight.state());
  for (int i = 0; i < 60; ++i) straight.step(), copy.step();
  EXPECT_EQ(straight.hash(), copy.hash());
}

const char* const kGeared = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: revolute, axis: z, q: 1}, mass: 1, inertia: [1, 1, 1]}
  - {name: b, joint: {type: revolute, axis: z, q: 1}, mass: 1, inertia: [1, 1, 1]}
gears: [{name: g, joint: b, of: a, ratio: 1}]
outputs: {b: joint.b.q, ub: joint.b.u}
experiment: {dt: 0.001)";

// A gear does not put what it drives elsewhere at once, no more than a motor does.
TEST(Values, OfAGearThatJumpIsRefused) {
  for (const CoordinateKind kind : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    Scene scene = scene_from(std::string(kGeared) + ", commands: [{at: 0.1, set: {gear.g.ratio: 2}}]}\n");
    scene.experiment.coordinates = kind;
    Simulation simulation(scene);
    simulation.run(0.1);
    try {
      simulation.run(0.1);
      FAIL() << name_of(kind);
    } catch (const SimulationError& e) {
      for (const char* part : {"t = 0.1 s", "gear 'g'", "jumps by 1 rad", "an offset of -1"})
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
    EXPECT_NEAR(simulation.output("b"), 1, 1e-9);
    simulation.set("gear.g.offset", -1);  // as it says
    simulation.run(0.1);
    EXPECT_NEAR(simulation.output("b"), 1, 1e-9);
    const State geared = simulation.state();
    simulation.reset();
    simulation.restore(geared);  // stands where its own values want it
    simulation.run(0.1);
    EXPECT_NEAR(simulation.output("b"), 1, 1e-9);

    scene.experiment.tolerated.anything = true;
    Simulation tolerant(scene);
    tolerant.run(0.2);
    EXPECT_GT(std::abs(tolerant.output("b") - 1), 0.1);
  }
}

// Limits and ropes that the mechanism is past push it, and that is told.
TEST(Values, OfLimitsThatAreSetPastTheMechanismAreTold) {
  Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: b, joint: {type: revolute, axis: y, q: 0.3, limits: [-1, 1]}, mass: 1, inertia: [1, 1, 1]}
  - {name: a, joint: {type: prismatic, axis: z, q: -1}, mass: 1}
distances: [{name: d, from: {}, to: {body: a}, upper: 1}]
experiment:
  dt: 0.001
  commands: [{at: 0.01, set: {joint.b.lower: 0.2}}, {at: 0.02, set: {joint.b.upper: 0.25, distance.d.upper: 0.5}}]
)");
  scene.experiment.tolerated.anything = true;
  Simulation simulation(scene);
  simulation.run(0.03);
  const std::vector<std::string>& told = simulation.statistics().set_beyond;
  ASSERT_EQ(told.size(), 2u);
  for (const char* part : {"joint.b.upper was set to 0.25", "0.05 rad"})
    EXPECT_NE(told[0].find(part) == std::string::npos ? told[1].find(part) : 0, std::string::npos) << told[0];
  for (const char* part : {"distance.d.upper was set to 0.5", "0.5 m"})
    EXPECT_NE(told[1].find(part) == std::string::npos ? told[0].find(part) : 0, std::string::npos) << told[1];
}

// A mass alone leaves an inertia that is given beside it: about the pin 0.1 + 2 * 0.25.
TEST(Values, OfAMassLeaveTheInertia) {
  for (const CoordinateKind kind : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: e, joint: {type: revolute, axis: z}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}]
actuators: [{name: t, joint: e, control: 1}]
outputs: {a: joint.e.a}
)");
    scene.experiment.coordinates = kind;
    Simulation simulation(scene);
    simulation.set("body.e.mass", 2);
    simulation.step();
    EXPECT_NEAR(simulation.output("a"), 1 / 0.6, 1e-9) << name_of(kind);
  }
}

TEST(Values, ThatAJointDoesNotHaveAreRefused) {
  Simulation simulation(scene_from(R"(
lipkin: 1
bodies: [{name: top, joint: {type: ball}, mass: 1, inertia: [0.1, 0.1, 0.1]}]
)"));
  for (const char* path : {"joint.top.stiffness", "joint.top.rest", "joint.top.lower"})
    EXPECT_THROW(simulation.set(path, 5), InvalidArgument) << path;
  simulation.set("joint.top.damping", 5);
}

// Applied forces stay with the joints that stay; where a joint is cut they have no place, and are not dropped in
// silence.
TEST(Values, OfAppliedForcesOutliveAChangeOfCoordinates) {
  Simulation simulation(scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: rod, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: y}}
  - {name: stone, mass: 2, inertia: [1, 1, 1], joint: {type: free}}
outputs: {vx: body.stone.vx}
)"));
  simulation.applied_forces()[1] = 4;  // on the stone, along x
  simulation.forces_written();
  simulation.set_coordinates(CoordinateKind::kMaximal);
  simulation.run(1);
  EXPECT_NEAR(simulation.output("vx"), 2, 1e-9);
  simulation.set("body.rod.mass", 3);  // is built anew
  simulation.run(1);
  EXPECT_NEAR(simulation.output("vx"), 4, 1e-9);
  simulation.set_coordinates(CoordinateKind::kGeneralized);
  simulation.run(1);
  EXPECT_NEAR(simulation.output("vx"), 6, 1e-9);
  simulation.applied_forces()[0] = 1;  // on the rod
  simulation.forces_written();
  EXPECT_THROW(simulation.set_coordinates(CoordinateKind::kMaximal), InvalidArgument);
  EXPECT_EQ(simulation.experiment().coordinates, CoordinateKind::kGeneralized);
}

}  // namespace
}  // namespace lipkin
