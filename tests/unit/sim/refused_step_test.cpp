// A step that fails leaves nothing behind: the state as it was, to the bit, with what the next step starts from.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// A drive that runs into a limit after a while, beside a double pendulum with friction.
const char* kIntoALimit = R"(
lipkin: 1
bodies:
  - {name: p1, joint: {type: revolute, axis: y, q: 1.5}, mass: 1, com: [0.5,0,0], inertia: [0.1,0.1,0.1]}
  - {name: p2, parent: p1, joint: {type: revolute, axis: y, at: [1,0,0], friction: 0.5}, mass: 1, com: [0.5,0,0],
     inertia: [0.1,0.1,0.1]}
  - {name: a, joint: {type: prismatic, axis: x, at: [0,3,0], limits: {upper: 0.05}}, mass: 1}
motors:
  - {name: push, joint: a, position: "0.05 - 0.05*cos(3*t) + 0.002*t"}
experiment: {duration: 3, dt: 0.01}
)";

// A position that jumps at 0.105 s.
const char* kJump = R"(
lipkin: 1
bodies:
  - {name: a, joint: {type: prismatic, axis: x}, mass: 1}
  - {name: b, joint: {type: prismatic, axis: x, at: [0,1,0], friction: 2, u: 3}, mass: 1}
motors:
  - {name: push, joint: a, position: "t > 0.105 ? 0.1 : 0"}
experiment: {duration: 1, dt: 0.01}
)";

// A force that is no number while the input is below zero.
const char* kNotANumber = R"yaml(
lipkin: 1
materials: {m: {friction: 0.5}}
inputs: [{name: i, min: -2, max: 2, value: 1}]
bodies:
  - {name: a, joint: {type: prismatic, axis: x, friction: 1}, mass: 1}
  - {name: box, joint: {type: free, q: [0,3,0.05,1,0,0,0]}, shapes: [{box: {size: [0.1,0.1,0.1]}, mass: 1, contact: m}]}
world: {shapes: [{plane: {}, contact: m}]}
forces:
  - {name: f, body: box, force: ["sqrt(input.i)", 0, 0]}
  - {name: g, body: a, force: ["3*sqrt(input.i)", 0, 0]}
experiment: {duration: 1, dt: 0.001}
)yaml";

struct Way {
  StepperKind stepper;
  StepKind step;
  SolverKind solver;
  CoordinateKind coordinates;
};

std::vector<Way> ways() {
  std::vector<Way> list;
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
    for (const StepKind step : {StepKind::kFixed, StepKind::kVariable})
      for (const SolverKind solver :
           {SolverKind::kHybrid, SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton, SolverKind::kLemke})
        for (const CoordinateKind c : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal})
          list.push_back({stepper, step, solver, c});
  return list;
}

std::string text_of(const Way& w) {
  return std::string(name_of(w.stepper)) + ", " + std::string(name_of(w.step)) + ", " + std::string(name_of(w.solver)) +
         ", " + std::string(name_of(w.coordinates));
}

Simulation simulation_of(const std::string& text, const Way& way) {
  Scene scene = test::scene_from(text);
  scene.experiment.stepper = way.stepper;
  scene.experiment.step = way.step;
  scene.experiment.solver = way.solver;
  scene.experiment.coordinates = way.coordinates;
  return Simulation(std::move(scene));
}

// Steps until one fails; the state before it.
std::optional<State> state_before_failure(Simulation& simulation) {
  for (int k = 0; k < 4000; ++k) {
    State before = simulation.state();
    try {
      simulation.step();
    } catch (const SimulationError&) {
      return before;
    }
  }
  return std::nullopt;
}

// From here both take the same steps.
void expect_alike(Simulation& simulation, Simulation& other) {
  for (int k = 0; k < 5; ++k) {
    simulation.step();
    other.step();
    ASSERT_EQ(simulation.hash(), other.hash()) << "after " << k + 1 << " steps";
  }
}

TEST(RefusedStep, LeavesTheStateOfAMotionThatCannotBeFollowed) {
  int failures = 0;
  for (const char* text : {kIntoALimit, kJump})
    for (const Way& way : ways()) {
      SCOPED_TRACE(text_of(way));
      Simulation simulation = simulation_of(text, way);
      const std::optional<State> before = state_before_failure(simulation);
      if (!before) continue;
      ++failures;
      EXPECT_EQ(simulation.hash(), state_hash(*before));
      EXPECT_EQ(simulation.state().reactions, before->reactions);
      EXPECT_THROW(simulation.step(), SimulationError) << "the same step is refused again";
      EXPECT_EQ(simulation.hash(), state_hash(*before));
      Simulation other = simulation_of(text, way);
      other.restore(*before);
      simulation.tolerate(true);
      other.tolerate(true);
      expect_alike(simulation, other);
    }
  EXPECT_GE(failures, 60);
}

TEST(RefusedStep, LeavesNothingThatIsNotANumber) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(text_of(way));
    Simulation simulation = simulation_of(kNotANumber, way);
    for (int k = 0; k < 20; ++k) simulation.step();
    const State before = simulation.state();
    simulation.set_input("i", -1);
    EXPECT_THROW(simulation.step(), SimulationError);
    simulation.set_input("i", 1);
    EXPECT_EQ(simulation.hash(), state_hash(before));
    Simulation other = simulation_of(kNotANumber, way);
    other.restore(before);
    expect_alike(simulation, other);
  }
}

// Values in place, one that builds the model anew, a push that begins and one that ends, all due with the step.
TEST(RefusedStep, LeavesWhatWasDueWithItForLater) {
  const std::string commands = R"(, commands: [
    {at: 0, set: {joint.b.friction: 1}},
    {at: 0.05, push: {body: b, force: [1, 0, 0], duration: 0.05}},
    {at: 0.1, set: {joint.b.friction: 3}},
    {at: 0.1, set: {body.b.mass: 2}},
    {at: 0.1, push: {body: b, force: [1, 0, 0], duration: 0.05}}])";
  std::string text = kJump;
  text.insert(text.rfind('}'), commands);
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    Scene scene = test::scene_from(text);
    scene.experiment.stepper = stepper;
    Simulation simulation(scene), other(scene);
    const std::optional<State> before = state_before_failure(simulation);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->commands_done, 2u);
    EXPECT_EQ(before->pushes.size(), 1u);
    EXPECT_EQ(simulation.hash(), state_hash(*before));
    EXPECT_EQ(simulation.state().commands_done, 2u);
    EXPECT_THROW(simulation.step(), SimulationError) << "the same step is refused again";
    other.restore(*before);
    simulation.tolerate(true), other.tolerate(true);
    expect_alike(simulation, other);
    EXPECT_EQ(simulation.state().commands_done, 5u);
  }
}

TEST(RefusedStep, SpeaksOfCoordinatesThatAreNotFinite) {
  Simulation simulation(test::scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1e-300, joint: {type: prismatic, axis: x, u: 1e308}}]
experiment: {dt: 10}
)"));
  const std::uint64_t before = simulation.hash();
  EXPECT_THROW(simulation.step(), SimulationError);
  EXPECT_EQ(simulation.hash(), before);
}

// Whatever the tolerance: the error estimate does not see what is held.
TEST(AdaptiveStepper, ControllersAndActivationsActAtFixedTimes) {
  const char* text = R"yaml(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, joint: {type: prismatic, axis: x}}]
actuators:
  - {name: m, joint: a, gear: 3, control: "sin(5*t)", activation: {kind: filter, time_constant: 0.1, start: 0.2}}
experiment: {stepper: dopri5, duration: 1, dt: 1e-4}
)yaml";
  // x' = (sin 5t - x)/0.1, x(0) = 0.2; u' = 3 x: the integral of x is that of its input less 0.1 (x(1) - x(0)).
  const double w = 5, tau = 0.1, gain = 1 / (1 + w * w * tau * tau);
  const double x1 = gain * (std::sin(w) - w * tau * std::cos(w)) + (0.2 + gain * w * tau) * std::exp(-1 / tau);
  const double exact = 3 * ((1 - std::cos(w)) / w - tau * (x1 - 0.2));
  for (const StepperKind kind : {StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf})
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      if (!is_built(kind)) continue;
      Scene scene = test::scene_from(text);
      scene.experiment.stepper = kind;
      scene.experiment.relative_tolerance = tolerance;
      scene.experiment.absolute_tolerance = tolerance / 100;
      Simulation simulation(scene);
      simulation.run(1);
      EXPECT_NEAR(simulation.state().u[0], exact, 5e-4) << name_of(kind) << " " << tolerance;
    }
  Scene scene = test::scene_from(text);
  scene.experiment.dt = 0;
  EXPECT_THROW(Simulation{scene}, InvalidArgument);
}

// A stepper that goes on from its last stage must see that a controller has acted since.
TEST(AdaptiveStepper, SeesWhatControllersRemember) {
  const char* text = R"(
lipkin: 1
inputs: [{name: wanted, value: 1}]
bodies: [{name: cart, mass: 2, joint: {type: prismatic, axis: x}}]
controllers: [{name: c, measured: joint.cart.q, target: input.wanted, p: 30, i: 5, d: 4}]
actuators: [{name: m, joint: cart, control: controller.c.output}]
experiment: {stepper: dopri5, duration: 2, tolerance: 1e-7}
)";
  Simulation plain(test::scene_from(text)), anew(test::scene_from(text));
  for (int k = 0; k < 60; ++k) {
    plain.step(3.0);
    anew.restore(anew.state());
    anew.step(3.0);
    ASSERT_EQ(plain.hash(), anew.hash()) << "after " << k + 1 << " steps";
  }
}

TEST(Restore, RefusesTheStateOfAnotherModel) {
  const std::string two = R"(
lipkin: 1
bodies:
  - {name: a, mass: 1, com: [0, 0, -0.5], inertia: [1, 1, 1], joint: {type: revolute, axis: y}}
  - {name: b, mass: 1, com: [0, 0, -0.5], inertia: [1, 1, 1], joint: {type: revolute, axis: y, at: [1, 0, 0]}}
)";
  const std::string loop =
      "loops: [{name: l, type: ball, from: {body: a, at: [0, 0, -1]}, to: {body: b, at: [-1, 0, -1]}}]\n";
  Simulation simulation(test::scene_from(two)), looped(test::scene_from(two + loop));
  State other = simulation.state();
  EXPECT_THROW(looped.restore(other), InvalidArgument);
  EXPECT_THROW(looped.exchange(other), InvalidArgument);
  other.drags.push_back({.body = 1000000});
  EXPECT_THROW(simulation.restore(other), InvalidArgument);
}

TEST(Run, RefusesSamplesThatCannotBeToldApart) {
  Simulation simulation(test::scene_from(kIntoALimit));
  EXPECT_THROW(simulation.run(0.02, 1e-300), InvalidArgument);
  EXPECT_THROW(simulation.run(0.02, 1e-18), InvalidArgument);
}

TEST(Settings, AreRefusedWhereTheSolverCannotWork) {
  Simulation simulation(test::scene_from(kIntoALimit));
  simulation.run(0.2);
  const std::uint64_t before = simulation.hash();
  EXPECT_THROW(simulation.set_solver(SolverKind::kDirect), InvalidArgument);
  Experiment next = simulation.experiment();
  next.solver = SolverKind::kDirect;
  next.dt = 0.02;
  EXPECT_THROW(simulation.set_experiment(next), InvalidArgument);
  next = simulation.experiment();
  next.dt = 0.02;
  next.solver_options.max_iterations = -5;
  EXPECT_THROW(simulation.set_experiment(next), InvalidArgument);
  EXPECT_EQ(simulation.experiment().dt, 0.01);
  EXPECT_EQ(simulation.experiment().solver, SolverKind::kHybrid);
  simulation.step();
  Simulation other(test::scene_from(kIntoALimit));
  other.run(0.2);
  EXPECT_EQ(other.hash(), before);
  other.step();
  EXPECT_EQ(simulation.hash(), other.hash());
}

TEST(Reset, KeepsWhatIsWatched) {
  Simulation simulation(test::scene_from(kIntoALimit));
  simulation.set_watches({"joint.a.q"});
  simulation.run(0.5);
  ASSERT_EQ(simulation.watched().size(), 1u);
  EXPECT_GT(simulation.watched()[0], 0.01);
  simulation.reset();
  ASSERT_EQ(simulation.watched().size(), 1u);
  EXPECT_EQ(simulation.watched()[0], 0);
}

// Contacts are not copied before each step: a step that has solved for them and fails gives them back.
TEST(RefusedStep, GivesBackTheContactsThatItStartedFrom) {
  const std::string text =
      "lipkin: 1\n"
      "materials: {s: {friction: 0.5}}\n"
      "world: {shapes: [{plane: {}, contact: s}]}\n"
      "bodies:\n"
      "  - {name: box, joint: {type: free, q: [0, 0, 0.05, 1, 0, 0, 0], u: [0.3, 0, 0, 0, 0, 0]}, shapes: [{box: "
      "{size: "
      "[0.1, 0.1, 0.1]}, mass: 1, contact: s}]}\n"
      "  - {name: arm, joint: {type: revolute, axis: y, at: [0, 0, 3], limits: [-1, 0.03]}, mass: 1, com: [0.2, 0, 0], "
      "inertia: [0.1, 0.1, 0.1]}\n"
      "motors: [{name: m, joint: arm, velocity: 1}]\n"
      "experiment: {dt: 1e-3, duration: 1}\n";
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    Scene scene = test::scene_from(text);
    scene.experiment.stepper = stepper;
    Simulation simulation(std::move(scene));
    std::vector<ContactMemory> before;
    std::uint64_t hash = 0;
    const auto run_on = [&] {
      for (int i = 0; i < 100; ++i) before = simulation.state().contacts, hash = simulation.hash(), simulation.step();
    };
    EXPECT_THROW(run_on(), SimulationError);
    EXPECT_EQ(simulation.hash(), hash);
    ASSERT_EQ(before.size(), 4u);
    ASSERT_EQ(simulation.state().contacts.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(simulation.state().contacts[i].normal, before[i].normal);
      EXPECT_EQ(simulation.state().contacts[i].point, before[i].point);
    }
    EXPECT_THROW(simulation.step(), SimulationError);
    EXPECT_EQ(simulation.hash(), hash);
  }
}

}  // namespace
}  // namespace lipkin
