#include "lipkin/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/model_compiler.hpp"
#include "support/built_steppers.hpp"
#include "support/busy_scene.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A puck of 2 kg that slides along x without friction; output "x".
Scene slider(StepperKind stepper, double dt = 1e-3) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("puck", 2, {0, 0, 0}, {1, 1, 1}));
  JointSpec rail = test::joint_of("rail", JointType::kPrismatic, kWorldName, "puck");
  rail.axis = {1, 0, 0};
  builder.add(rail);
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = "rail";
  builder.add(motor);
  builder.add(OutputSpec{"x", "body.puck.x", "m", {}});
  builder.add(OutputSpec{"a", "joint.rail.a", "m/s^2", {}});
  return test::scene_of(builder.build(), stepper, dt);
}

Command push_at(double at, double force, double duration) {
  CommandPush push;
  push.body = "puck";
  push.force = {force, 0, 0};
  push.duration = duration;
  return {at, push, {}};
}

const std::vector<StepperKind> kSteppers =
    test::built({StepperKind::kEuler, StepperKind::kRk4, StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf});

class SimulationRun : public testing::TestWithParam<StepperKind> {};
class FixedStepRun : public testing::TestWithParam<StepperKind> {};

// ---- time and samples ----

// As many steps, taken one by one and by runs that end at any of them.
TEST_P(FixedStepRun, DoesNotKnowWhereItEnds) {
  for (const double dt : {0.1, 0.01, 0.003}) {
    Simulation stepped(slider(GetParam(), dt)), run(slider(GetParam(), dt));
    for (int i = 1; i <= 3000; ++i) {
      stepped.step();
      EXPECT_EQ(stepped.state().t, i * dt);
      if (i % 7 != 0) continue;
      run.run(i * dt - run.state().t);
      ASSERT_EQ(run.hash(), stepped.hash()) << i << " steps of " << dt;
    }
  }
}

TEST_P(SimulationRun, EndsWhereItShould) {
  Simulation simulation(slider(GetParam()));
  for (const double duration : {0.0123, 1.0, 0.1, 1e-5}) {
    const double end = simulation.state().t + duration;
    simulation.run(duration);
    EXPECT_EQ(simulation.state().t, end);
  }
  simulation.run(0);
  EXPECT_THROW(simulation.run(-1), InvalidArgument);
  EXPECT_THROW(simulation.run(kNan), InvalidArgument);
}

TEST_P(SimulationRun, SamplesAtMultiplesStartAndEndIncluded) {
  Simulation simulation(slider(GetParam()));
  simulation.applied_forces()[0] = 4;
  std::vector<double> times;
  simulation.run(1, 0.05, [&](const Simulation& s) {
    times.push_back(s.sample_time());
    EXPECT_NEAR(s.output("x"), s.sample_time() * s.sample_time(), 2e-3);  // Euler is that far off
    EXPECT_NEAR(s.output("a"), 2, 1e-12);
    return true;
  });
  ASSERT_EQ(times.size(), 21u);
  for (int n = 0; n <= 20; ++n) EXPECT_NEAR(times[n], 0.05 * n, 1e-12);
}

TEST_P(SimulationRun, SamplesAfterEveryStepUnlessToldOtherwise) {
  Simulation simulation(slider(GetParam()));
  std::size_t samples = 0, steps = 0;
  simulation.run(
      0.1, 0, [&](const Simulation&) { return ++samples > 0; }, [&](const Simulation&) { return ++steps > 0; });
  EXPECT_EQ(steps, simulation.statistics().steps);
  EXPECT_EQ(samples, steps + 1);  // the start
}

TEST_P(SimulationRun, StopsWhenAnObserverSaysSo) {
  Simulation simulation(test::scene_of(test::swinging_chain(), GetParam()));
  int samples = 0;
  simulation.run(1, 0.1, [&](const Simulation&) { return ++samples < 4; });
  EXPECT_EQ(samples, 4);
  EXPECT_GE(simulation.state().t, 0.3 - 1e-12);
  const double t = simulation.state().t;
  int steps = 0;
  simulation.run(1, 0, {}, [&](const Simulation&) { return ++steps < 3; });
  EXPECT_EQ(steps, 3);
  EXPECT_GT(simulation.state().t, t);
}

// Fixed steps that do not divide the spacing: the nearest step is taken; never a sample twice.
TEST(SimulationSamples, OfFixedStepsAreTheNearest) {
  Simulation simulation(slider(StepperKind::kRk4, 0.03));
  std::vector<double> times;
  simulation.run(0.3, 0.05, [&](const Simulation& s) {
    times.push_back(s.sample_time());
    return true;
  });
  ASSERT_EQ(times.size(), 7u);
  for (int n = 0; n <= 6; ++n) EXPECT_NEAR(times[n], 0.05 * n, 0.015 + 1e-12);
  times.clear();
  simulation.run(0.3, 0.007, [&](const Simulation& s) {  // finer than the steps: one sample each
    times.push_back(s.sample_time());
    return true;
  });
  EXPECT_EQ(times.size(), 11u);
  for (std::size_t n = 1; n < times.size(); ++n) EXPECT_GT(times[n], times[n - 1]);
}

TEST_P(SimulationRun, EnergyOfTheStatistics) {
  Simulation simulation(test::scene_of(test::swinging_chain(), GetParam()));
  const double start = simulation.energy().total();
  EXPECT_EQ(simulation.statistics().energy_initial, start);
  simulation.run(0.1);
  EXPECT_EQ(simulation.statistics().energy_final, simulation.energy().total());
  EXPECT_GT(simulation.statistics().evaluations, 0u);
}

// ---- commands ----

// The velocity after a push is its impulse over the mass, wherever it falls between steps.
TEST_P(SimulationRun, PushesGiveTheirImpulse) {
  Scene scene = slider(GetParam());
  scene.experiment.commands = {push_at(0.1, 4, 0.05), push_at(0.12, -2, 0.2), push_at(0.5, 10, 0.001)};
  Simulation simulation(scene);
  simulation.run(1);
  EXPECT_NEAR(simulation.state().u[0], (4 * 0.05 - 2 * 0.2 + 10 * 0.001) / 2, 1e-12);
  EXPECT_TRUE(simulation.state().pushes.empty());
  EXPECT_EQ(simulation.state().commands_done, 3u);
}

TEST(SimulationCommands, AdaptiveStepsMeetThemExactly) {
  Scene scene = slider(StepperKind::kDopri5);
  scene.experiment.commands = {push_at(0.1234567, 4, 0.0501234)};
  Simulation simulation(scene);
  simulation.run(1);
  EXPECT_NEAR(simulation.state().u[0], 4 * 0.0501234 / 2, 1e-13);
  EXPECT_NEAR(simulation.state().q[0], 4 * 0.0501234 / 2 * (1 - 0.1234567 - 0.0501234 / 2), 1e-13);
}

TEST(SimulationCommands, FixedStepsTakeThemAtTheNextBoundary) {
  Scene scene = slider(StepperKind::kEuler, 0.1);
  scene.experiment.commands = {{0.25, CommandSet{"actuator.motor.control", 2}, {}}};
  Simulation simulation(scene);
  while (simulation.state().t < 0.35) simulation.step();
  EXPECT_NEAR(simulation.state().t, 0.4, 1e-12);
  EXPECT_NEAR(simulation.state().u[0], 0.1, 1e-12);  // from 0.3 on
}

TEST_P(SimulationRun, CommandsInAnyOrderAndWhileItRuns) {
  Scene scene = slider(GetParam());
  scene.experiment.commands = {{0.6, CommandSet{"actuator.motor.control", 0}, {}},
                               {0.2, CommandSet{"actuator.motor.control", 2}, {}}};
  Simulation simulation(scene);
  simulation.run(0.4);
  simulation.apply({0.5, CommandSet{"actuator.motor.control", -2}, {}});
  simulation.apply({0.0, CommandSet{"joint.rail.armature", 2}, {}});  // late: at once
  simulation.run(0.6);
  EXPECT_NEAR(simulation.state().u[0], 0.2 + 0.1 * 2 / 4 - 0.1 * 2 / 4, 1e-9);
  EXPECT_EQ(simulation.state().commands_done, 4u);
  EXPECT_EQ(simulation.state().edits.size(), 1u);
}

TEST_P(SimulationRun, SettingsChangeTheModelOfThisRunOnly) {
  Scene scene = slider(GetParam());
  Simulation simulation(scene);
  for (const auto& [path, value] : {std::pair{"joint.rail.damping", 1.0},
                                    {"joint.rail.stiffness", 8.0},
                                    {"joint.rail.rest", 0.5},
                                    {"gravity.x", 1.0}})
    simulation.apply({0, CommandSet{path, value}, {}});
  simulation.step();
  EXPECT_NEAR(simulation.output("a"), 1 + (8 * (0.5 - simulation.state().q[0]) - simulation.state().u[0]) / 2, 1e-12);
  simulation.reset();
  simulation.step();
  EXPECT_EQ(simulation.output("a"), 0);
  EXPECT_TRUE(simulation.state().edits.empty());
}

TEST(SimulationCommands, WrongOnesAreRefusedAllAtOnce) {
  const Command wrong[] = {{0, CommandSet{"actuator.moter.control", 1}, {"scene.yaml", 3, 1}},
                           {0, CommandSet{"joint.rail.damping", -1}, {"scene.yaml", 4, 1}},
                           {0, CommandSet{"joint.rail.mass", 1}, {"scene.yaml", 5, 1}},
                           {0, CommandSet{"joint.rial.damping", 1}, {"scene.yaml", 6, 1}},
                           {0, CommandSet{"gravity.w", 1}, {"scene.yaml", 7, 1}},
                           {0, CommandSet{"gravity", 1}, {"scene.yaml", 8, 1}},
                           {0, CommandSet{"", 1}, {"scene.yaml", 9, 1}},
                           {0, CommandSet{"gravity.x", kNan}, {"scene.yaml", 10, 1}},
                           {0, CommandPush{"pock", {}, {}, {}, ForceFrame::kWorld, 1}, {"scene.yaml", 11, 1}},
                           push_at(0, kNan, 1),
                           push_at(0, 1, -1),
                           push_at(0, 1, kNan),
                           push_at(kNan, 1, 1)};
  Simulation simulation(slider(StepperKind::kEuler));
  for (const Command& command : wrong) EXPECT_THROW(simulation.apply(command), InputError);
  simulation.run(0.1);  // none of them left a trace
  EXPECT_EQ(simulation.state().u[0], 0);
  EXPECT_EQ(simulation.state().commands_done, 0u);
  Scene scene = slider(StepperKind::kEuler);
  scene.experiment.commands.assign(std::begin(wrong), std::end(wrong));
  try {
    Simulation all(scene);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().size(), std::size(wrong));
    EXPECT_NE(std::string(e.what()).find("scene.yaml:6:1: error:"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("did you mean 'rail'"), std::string::npos);
  }
}

// A joint that may move from -1 to 1.
Scene limited_slider() {
  Scene scene = slider(StepperKind::kEuler);
  ModelParts parts = *scene.model.data().parts;
  parts.joints[0].lower = {-1};
  parts.joints[0].upper = {1};
  scene.model = compile_model(std::make_shared<const ModelParts>(parts));
  return scene;
}

// Values are judged beside those that hold when they are set, not beside those of the start.
TEST(SimulationCommands, AreJudgedAtTheirTimes) {
  Scene scene = limited_slider();
  scene.experiment.commands = {{0.02, CommandSet{"joint.rail.lower", 2}, {}},
                               {0.01, CommandSet{"joint.rail.upper", 3}, {}}};
  scene.experiment.tolerated.anything = true;  // the slider stands outside of them then
  Simulation simulation(scene);
  simulation.run(0.03);
  EXPECT_EQ(simulation.state().commands_done, 2u);

  scene.experiment.commands = {{0.01, CommandSet{"joint.rail.lower", 2}, {"scene.yaml", 3, 1}}};
  EXPECT_THROW(Simulation{scene}, InputError);  // above the upper one of that time

  scene.experiment.commands = {{0.01, CommandSet{"joint.rail.lower", 0.5}, {"scene.yaml", 3, 1}}};
  Simulation moved(scene);
  moved.set("joint.rail.upper", 0.25);
  try {
    moved.run(0.02);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(
        std::string(e.what()).find("scene.yaml:3:1: error: cannot set 'joint.rail.lower' to 0.5: expected a number "
                                   "<= 0.25, at t = 0.01 s"),
        std::string::npos)
        << e.what();
  }
  EXPECT_NEAR(moved.state().t, 0.01, 1e-12);
}

// ---- settings of the run ----

TEST(SimulationUse, StepperMayChangeOnTheWay) {
  Simulation simulation(test::scene_of(test::swinging_chain(), StepperKind::kDopri5));
  simulation.set_tolerances(1e-12, 1e-12);
  simulation.run(0.3);
  simulation.set_stepper(StepperKind::kRk4);
  simulation.set_dt(1e-4);
  simulation.run(0.3);
  simulation.set_stepper(StepperKind::kDopri5);
  simulation.run(0.4);
  EXPECT_NEAR(simulation.energy().total(), simulation.statistics().energy_initial, 1e-9);
  EXPECT_EQ(simulation.state().t, 1);
}

// Whoever exchanges states would carry out the commands of the one on the other.
TEST(SimulationUse, StatesAreNotExchangedWhereCommandsWait) {
  Simulation simulation(load_scene("double-pendulum"));
  State other = simulation.state();
  simulation.exchange(other);
  simulation.apply({0.05, CommandSet{"gravity.z", -1}, {}});
  const std::uint64_t hash = simulation.hash();
  EXPECT_THROW(simulation.exchange(other), InvalidArgument);
  EXPECT_EQ(simulation.hash(), hash);
  simulation.run(0.1);
  EXPECT_THROW(simulation.exchange(other), InvalidArgument);  // it has done none of them
  State done = simulation.state();
  simulation.exchange(done);
}

// The laws of contacts are looked at now and then, and where outputs will be: a run that was cut short looks no longer.
TEST(SimulationUse, ARunThatThrowsLeavesNoLookBehind) {
  Scene scene = load_scene("dominoes");
  scene.experiment.solver = SolverKind::kImpulses;
  scene.experiment.solver_options.max_iterations = 1;
  scene.experiment.tolerated.anything = true;
  Simulation plain(scene), interrupted(scene), checked(scene);
  checked.check_all(true);
  EXPECT_THROW(interrupted.run(1, 0, {}, {}, []() -> double { throw InvalidArgument("enough"); }), InvalidArgument);
  for (int i = 0; i < 63; ++i) plain.step(), interrupted.step(), checked.step();
  EXPECT_EQ(interrupted.hash(), plain.hash());
  EXPECT_EQ(interrupted.statistics().residual, plain.statistics().residual);
  EXPECT_NE(checked.statistics().residual, plain.statistics().residual);  // or this would show nothing
}

TEST(SimulationUse, WrongValuesAreRefused) {
  Simulation simulation(slider(StepperKind::kEuler));
  for (const double wrong : {0.0, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(simulation.set_dt(wrong), InvalidArgument);
    EXPECT_THROW(simulation.set_tolerances(wrong, 1e-8), InvalidArgument);
    EXPECT_THROW(simulation.set_tolerances(1e-8, wrong), InvalidArgument);
  }
  EXPECT_THROW(simulation.output("y"), InvalidArgument);
  EXPECT_THROW(simulation.body_motion(1), InvalidArgument);
  State other = simulation.state();
  other.q.push_back(0);
  EXPECT_THROW(simulation.restore(other), InvalidArgument);
  other = simulation.state();
  other.commands_done = 1;
  EXPECT_THROW(simulation.restore(other), InvalidArgument);
  other = simulation.state();
  other.pushes.push_back({7, {}, {}, {}, false, 1});
  EXPECT_THROW(simulation.restore(other), InvalidArgument);
  other = simulation.state();
  other.edits.push_back({"joint.rial.damping", 1});
  EXPECT_THROW(simulation.restore(other), InvalidArgument);
  simulation.run(0.01);  // still whole
}

TEST_P(SimulationRun, LimitsInThePastDoNotTurnTimeBack) {
  Simulation simulation(slider(GetParam()));
  simulation.applied_forces()[0] = 1;
  simulation.run(0.5);
  const State before = simulation.state();
  simulation.step(0.2);
  EXPECT_GE(simulation.state().t, before.t);
  EXPECT_EQ(simulation.state().u, before.u);
  simulation.step(before.t);
  EXPECT_EQ(simulation.hash(), state_hash(before));
  EXPECT_THROW(simulation.step(kNan), InvalidArgument);
}

// ---- what cannot go on ----

TEST_P(SimulationRun, StopsWhereTheStateIsNoLongerFinite) {
  ModelBuilder builder;
  builder.add(test::body_with("bomb", 1, {0, 0, 0}, {1, 1, 1}));
  JointSpec fuse = test::joint_of("fuse", JointType::kPrismatic, kWorldName, "bomb");
  fuse.q = {1};
  builder.add(fuse);
  ActuatorSpec charge;
  charge.name = "charge";
  charge.joint = "fuse";
  charge.control = {ExpressionText{"exp(20*joint.fuse.q)^3"}, {}};
  builder.add(charge);
  Simulation simulation(test::scene_of(builder.build(), GetParam()));
  try {
    simulation.run(10);
    FAIL();
  } catch (const SimulationError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("t = "), std::string::npos) << text;
    if (!is_adaptive(GetParam())) {
      EXPECT_NE(text.find("fuse"), std::string::npos) << text;
    }
  }
  EXPECT_TRUE(std::isfinite(simulation.state().q[0]));
  EXPECT_TRUE(std::isfinite(simulation.state().u[0]));
}

std::string name_of_case(const testing::TestParamInfo<StepperKind>& kind) { return std::string(name_of(kind.param)); }

std::vector<StepperKind> fixed_steppers() {
  std::vector<StepperKind> fixed(std::begin(kSteppers), std::end(kSteppers));
  std::erase_if(fixed, is_adaptive);
  return fixed;
}

INSTANTIATE_TEST_SUITE_P(Steppers, SimulationRun, testing::ValuesIn(kSteppers), name_of_case);
INSTANTIATE_TEST_SUITE_P(Steppers, FixedStepRun, testing::ValuesIn(fixed_steppers()), name_of_case);

}  // namespace
}  // namespace lipkin
