// Forces that switch in time, under steppers that choose their steps; rows of `moreau` with variable steps.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lipkin/simulation.hpp"
#include "support/built_steppers.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::scene_from;

Scene pushed(const std::string& force, StepperKind stepper) {
  Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, joint: {type: prismatic, axis: x}, mass: 1}]
forces: [{name: f, body: a, force: [)" +
                           force + R"(, 0, 0]}]
outputs: {v: joint.a.u}
)");
  scene.experiment.stepper = stepper;
  scene.experiment.dt = 0;
  return scene;
}

// 1000 N for 2 ms in ten seconds, as a table and as expressions; 1 kg.
TEST(Pulses, AreNotSteppedOver) {
  const char* pulses[] = {"{table: [[0, 0], [1.2345, 0], [1.235, 1000], [1.2365, 1000], [1.237, 0]]}",
                          "'t > 1.2345 && t <= 1.2365 ? 1000 : 0'", "'1000*(step(t-1.2345) - step(t-1.2365))'",
                          "'1000*max(0, sign(0.001-abs(t-1.2355)))'"};
  for (const StepperKind stepper : test::built({StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf}))
    for (const char* pulse : pulses) {
      SCOPED_TRACE(pulse);
      Simulation simulation(pushed(pulse, stepper));
      simulation.run(10);
      EXPECT_NEAR(simulation.output("v"), 2, 1e-6);
      EXPECT_EQ(simulation.state().t, 10);
      EXPECT_LT(simulation.statistics().steps, 500u);
    }
}

// What is smooth, but nothing for a second and for eight more.
TEST(Pulses, AreNotSteppedOverWhereTheyAreSmooth) {
  const std::pair<const char*, double> pulses[] = {
      {"'1000*exp(-((t-1.2355)/0.0005)^2)'", 0.5 * std::sqrt(std::numbers::pi)},
      {"'500*(tanh((t-1.2345)/0.0001) - tanh((t-1.2365)/0.0001))'", 2},
      {"'1000/cosh((t-1.2355)/0.0005)^2'", 1}};
  for (const StepperKind stepper : test::built({StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf}))
    for (const auto& [pulse, impulse] : pulses) {
      SCOPED_TRACE(pulse);
      Simulation simulation(pushed(pulse, stepper));
      simulation.run(10);
      EXPECT_NEAR(simulation.output("v"), impulse, 1e-5);
      EXPECT_LT(simulation.statistics().steps, 1000u);
    }
}

// On half of the time, for a hundred periods: each jump is met, and costs a rejected step at most.
TEST(Pulses, SquareWavesAreMetAtEveryJump) {
  for (const StepperKind stepper : test::built({StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf}))
    for (const char* wave : {"'t % 0.1 < 0.05 ? 10 : 0'", "'10*(sin(20*pi*t) > 0)'"}) {
      Simulation simulation(pushed(wave, stepper));
      simulation.run(10);
      EXPECT_NEAR(simulation.output("v"), 50, 1e-6);
      // CVODE guesses its first step behind a jump, and may have to cut it.
      const std::uint64_t jumps = 200;
      EXPECT_LT(simulation.statistics().rejected_steps, stepper == StepperKind::kDopri5 ? 20 : jumps);
    }
}

// `euler` and `moreau` take a force as constant over a step: by stops at the jumps the impulse is exact all the same.
TEST(Pulses, AreNotSteppedOverByVariableSteps) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    Scene scene = pushed("'t > 1.2345 && t <= 1.2365 ? 1000 : 0'", stepper);
    scene.experiment.step = StepKind::kVariable;
    scene.experiment.dt = 1e-3;
    Simulation simulation(std::move(scene));
    simulation.run(2);
    EXPECT_NEAR(simulation.output("v"), 2, 1e-9);
  }
}

// A clamp that is never reached, but might be for all that intervals can see: it takes many looks.
const char* const kHardToSee = "'1e-6*clamp(40*sin(150*t)*cos(150*t), -25, 25) + (t >= 17 && t < 17.002 ? 500 : 0)'";

TEST(Pulses, AreMetBehindWhatIsHardToSee) {
  for (const StepperKind stepper : test::built({StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf})) {
    Simulation simulation(pushed(kHardToSee, stepper));
    simulation.run(18);
    EXPECT_NEAR(simulation.output("v"), 1, 1e-6);
  }
}

// A state saved on the way goes on with the same bits over the jumps to come.
TEST(Pulses, RestoredRunsMeetTheSameJumps) {
  for (const char* force : {"'sin(17*t*t) > 0.3 ? 9 : -2'", kHardToSee}) {
    const auto make = [&] { return Simulation(pushed(force, StepperKind::kDopri5)); };
    Simulation straight = make();
    straight.run(0.73);
    const State middle = straight.state();
    straight.run(1.3);
    Simulation restored = make();
    restored.restore(middle);
    restored.run(1.3);
    EXPECT_EQ(restored.hash(), straight.hash());
  }
}

// ---- rows within the steps of `moreau` ----

const char* const kSwing = R"(
lipkin: 1
bodies:
  - {name: a, joint: {type: revolute, axis: y, q: 0.5}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - name: b
    parent: a
    joint: {type: ball, at: [1, 0, 0], u: [0.5, 1, 2]}
    mass: 0.5
    com: [0.1, 0.05, 0.2]
    inertia: [0.02, 0.03, 0.04]
motors: [{name: s, joint: a, position: 0.3, stiffness: 20, damping: 1}]
)";

Scene swing(StepperKind stepper, double tolerance) {
  Scene scene = scene_from(kSwing);
  scene.experiment.stepper = stepper;
  scene.experiment.step = StepKind::kVariable;
  scene.experiment.relative_tolerance = scene.experiment.absolute_tolerance = tolerance;
  return scene;
}

TEST(RowsWithinSteps, LieOnTheGrid) {
  Simulation coarse(swing(StepperKind::kMoreau, 1e-5)), fine(swing(StepperKind::kMoreau, 1e-8));
  std::vector<std::vector<double>> rows[2];
  std::vector<double> times;
  int which = 0;
  const auto sample = [&](const Simulation& now) {
    if (which == 0) times.push_back(now.sample_time());
    std::vector<double> row;
    for (const double x : const_cast<Simulation&>(now).watched()) row.push_back(x);
    rows[which].push_back(row);
    return true;
  };
  const std::vector<std::string> watches = {"joint.a.q",    "joint.a.u",    "joint.b.q[0]", "joint.b.q[1]",
                                            "joint.b.q[2]", "joint.b.u[0]", "joint.b.u[1]", "joint.b.u[2]"};
  coarse.set_watches(watches);
  fine.set_watches(watches);
  coarse.run(1, 0.003, sample);
  which = 1;
  fine.run(1, 0.003, sample);
  ASSERT_EQ(rows[0].size(), 334u);
  ASSERT_EQ(rows[1].size(), 334u);
  EXPECT_GT(coarse.statistics().longest_step, 0.003);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(times[i], 0.003 * static_cast<double>(i), 1e-15);
    // Errors of the coarse run grow with the time; a wrong row would be off by a step's motion, 1e-2.
    for (std::size_t k = 0; k < watches.size(); ++k) EXPECT_NEAR(rows[0][i][k], rows[1][i][k], 1e-3);
  }
}

// The smallest steps are for impacts.
TEST(RowsWithinSteps, SmoothMotionTakesSmoothSteps) {
  Simulation simulation(swing(StepperKind::kMoreau, 1e-6));
  simulation.run(2);
  EXPECT_GT(simulation.statistics().shortest_step, 1e-4);
}

}  // namespace
}  // namespace lipkin
