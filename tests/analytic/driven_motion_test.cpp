// Targets of motors: their rates, their jumps, and the steps that see them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "lipkin/simulation.hpp"
#include "support/figure.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::scene_from;

// A body of 0.35 kg m² about its joint, and another beside it, without gravity.
std::string driven_text(const std::string& motor) {
  return R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: revolute, axis: y}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, joint: {type: revolute, axis: y, at: [0, 3, 0], u: 1.5}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
motors:
  - {name: s, joint: a, )" +
         motor + "}\n";
}
Scene driven(const std::string& motor, StepperKind stepper = StepperKind::kEuler, double dt = 1e-3) {
  Scene scene = scene_from(driven_text(motor));
  scene.experiment.stepper = stepper;
  scene.experiment.dt = dt;
  return scene;
}

constexpr StepperKind kTimeStepping[] = {StepperKind::kEuler, StepperKind::kMoreau};

// J q'' = k (1 - q) - d q' from rest at 0.1 s: overdamped, roots r and s.
TEST(ServoStep, IsThatOfASpringAndADamper) {
  const double J = 0.35, k = 1000, d = 50, root = std::sqrt(d * d - 4 * J * k);
  const double r = (-d + root) / (2 * J), s = (-d - root) / (2 * J);
  const auto exact = [&](double tau) { return 1 - (r * std::exp(s * tau) - s * std::exp(r * tau)) / (r - s); };
  for (const StepperKind stepper : kTimeStepping) {
    for (const double dt : {4e-4, 2e-4, 1e-4}) {
      Simulation simulation(driven("position: 't>0.1 ? 1 : 0', stiffness: 1000, damping: 50", stepper, dt));
      double error = 0;
      simulation.run(0.5, 0, [&](const Simulation& now) {
        const double t = now.state().t;
        error = std::max(error, std::abs(now.state().q[0] - (t > 0.1 ? exact(t - 0.1) : 0)));
        return true;
      });
      EXPECT_LT(error, 60 * dt);  // first order, and the jump is met to a step; up to 17 rad/s
    }
  }
}

// At coarse steps too the spring's force is that of a jump of 1 rad, and nothing overshoots.
TEST(ServoStep, DoesNotOvershootAtAnyStep) {
  for (const StepperKind stepper : kTimeStepping)
    for (const double dt : {1e-2, 1e-3}) {
      Simulation simulation(driven("position: 't>0.1 ? 1 : 0', stiffness: 1000, damping: 50", stepper, dt));
      double most = 0;
      simulation.run(1.1, 0, [&](const Simulation& now) {
        most = std::max(most, now.state().q[0]);
        return true;
      });
      EXPECT_LE(most, 1 + 1e-9);
      EXPECT_NEAR(simulation.state().q[0], 1, 1e-9);
    }
}

// A ramp is followed without lag, whoever moves the target: time, or another joint. The transient has died out, e^-24.
TEST(ServoRamp, IsFollowedWithoutLag) {
  for (const StepperKind stepper : kTimeStepping)
    for (const std::string target : {"2*t", "2*joint.b.q/1.5", "{table: [[0, 0], [2, 4]]}", "2*body.b.x*0 + 2*t"}) {
      SCOPED_TRACE(target);
      const std::string quoted = target[0] == '{' ? target : "'" + target + "'";
      Simulation simulation(driven("position: " + quoted + ", stiffness: 1000, damping: 50", stepper));
      simulation.run(1);
      EXPECT_NEAR(simulation.state().q[0], 2, 1e-8);
      EXPECT_NEAR(simulation.state().u[0], 2, 1e-8);
    }
}

// A motion prescribed by another joint's: positions and velocities fit at the end of every step; with `moreau` the
// velocities follow those of the begin of the step.
TEST(PrescribedMotion, FollowsOtherVariables) {
  for (const StepperKind stepper : kTimeStepping) {
    Simulation simulation(driven("position: 'sin(joint.b.q)'", stepper));
    double position = 0, velocity = 0;
    simulation.run(2, 0, [&](const Simulation& now) {
      const State& s = now.state();
      position = std::max(position, std::abs(s.q[0] - std::sin(s.q[1])));
      if (s.t > 0) velocity = std::max(velocity, std::abs(s.u[0] - std::cos(s.q[1]) * s.u[1]));
      return true;
    });
    EXPECT_LT(position, 1e-9);
    EXPECT_LT(velocity, 1e-9);  // b turns at a constant speed
  }
}

// With `moreau` a speed that changes was met one step too early, and extrapolation of its steps lost an order.
TEST(PrescribedMotion, SpeedsAreThoseOfTheEndOfTheStep) {
  for (const std::string limit : {"", ", max_force: 1e6"})
    for (const StepperKind stepper : kTimeStepping) {
      Simulation simulation(driven("velocity: '10*t'" + limit, stepper));
      simulation.run(0.5, 0, [&](const Simulation& now) {
        EXPECT_NEAR(now.state().u[0], 10 * now.state().t, 1e-9);
        return true;
      });
    }
}

TEST(PrescribedMotion, JumpsStopTheRun) {
  struct Case {
    const char* target;
    double t;
  };
  for (const Case c : {Case{"t>0.1 ? 1 : 0", 0.1},
                       {"0.01*floor(10*t)", 0.1},
                       {"t % 0.2", 0.2},
                       {"step(joint.b.q-0.3)", 0.2},
                       {"0.01*lcg(3, 1+floor(t*5))", 0.2}})
    for (const StepperKind stepper : kTimeStepping)
      for (const StepKind step : {StepKind::kFixed, StepKind::kVariable}) {
        SCOPED_TRACE(c.target);
        Scene scene = driven("position: '" + std::string(c.target) + "'", stepper);
        scene.experiment.step = step;
        Simulation simulation(std::move(scene));
        try {
          simulation.run(0.5);
          ADD_FAILURE() << "it went on";
        } catch (const SimulationError& e) {
          const std::string text = e.what();
          EXPECT_NE(text.find("motor 's'"), std::string::npos) << text;
          EXPECT_TRUE(text.find("no motion can follow") != text.npos || text.find("cannot be followed") != text.npos)
              << text;
          EXPECT_NEAR(simulation.state().t, c.t, 0.011);
        }
      }
}

// Runs until something jumps, and says when; the message names motor and size.
double time_of_jump(Scene scene, const std::string& size) {
  Simulation simulation(std::move(scene));
  try {
    simulation.run(0.5);
    ADD_FAILURE() << "it went on";
  } catch (const SimulationError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("motor 's' prescribes jumps by " + size), std::string::npos) << text;
  }
  return simulation.state().t;
}

// Steps that end at the rows of a table resolve it, however steep it is.
TEST(PrescribedMotion, JumpsOfTablesStopTheRun) {
  for (const char* rise : {"0.1000000001", "0.10001"})
    for (const double dt : {1e-3, 0.7e-3})
      for (const StepperKind stepper : kTimeStepping) {
        SCOPED_TRACE(testing::Message() << rise << " " << dt << " " << name_of(stepper));
        const std::string table = "{table: [[0, 0], [0.1, 0], [" + std::string(rise) + ", 0.5]]}";
        EXPECT_NEAR(time_of_jump(driven("position: " + table, stepper, dt), ""), 0.1, 1.1 * dt);
      }
}

TEST(PrescribedMotion, JumpsByCommandsStopTheRun) {
  const std::string at = "experiment: {commands: [{at: 0.1, set: {";
  for (const std::string& command :
       {"position: 0}\n" + at + "motor.s.target: 0.5}}]}\n#",
        "position: 'input.i'}\ninputs: [{name: i}]\n" + at + "input.i: 0.5}}]}\n#",
        "position: 0}\ncontrols: [{name: c, motor: s}]\n" + at + "control.c: 0.5}}]}\n#",
        "position: 't-t'}\ncontrols: [{name: c, motor: s}]\n" + at + "control.c: 0.5}}]}\n#"})
    for (const StepperKind stepper : kTimeStepping) {
      SCOPED_TRACE(command);
      const std::string text = driven_text(command);
      Scene scene = scene_from(text);
      scene.experiment.stepper = stepper;
      EXPECT_NEAR(time_of_jump(scene, "0.5 rad by a command"), 0.1, 1e-9);
      Simulation again(scene);
      for (int tries = 0; tries < 3; ++tries) EXPECT_THROW(again.run(0.5), SimulationError);
      scene.experiment.tolerated.anything = true;
      Simulation tolerating(std::move(scene));
      EXPECT_NO_THROW(tolerating.run(0.2));
      EXPECT_NEAR(tolerating.state().q[0], 0.5, 1e-9);
    }
}

// A checkpoint from before a command is no command, and a motor with a bounded force takes any target.
TEST(PrescribedMotion, GoesOnWhereNothingJumps) {
  Simulation simulation(driven("position: 'sin(3*t)'"));
  simulation.run(0.2);
  const State then = simulation.state();
  simulation.run(0.4);
  simulation.restore(then);
  EXPECT_NO_THROW(simulation.run(0.4));
  Simulation limited(driven("position: 0, max_force: 5"));
  limited.run(0.1);
  limited.set("motor.s.target", 0.5);
  EXPECT_NO_THROW(limited.run(0.3));
}

// What has no known rate would be followed from place to place with no velocity.
// Where positions come before velocities and nothing projects them, prescribed ones drift, as they were asked to: that
// is no jump, neither at a command nor where inputs could have changed; one that is still stops the run. What feeds
// gaps back feeds theirs back too.
TEST(PrescribedMotion, DriftIsNoJump) {
  const char* const scene_of = R"yaml(
lipkin: 1
inputs: [{{name: k}}]
gravity: [0, 0, 0]
bodies: [{{name: a, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {{type: revolute, axis: z}}}}]
motors: [{{name: m, joint: a, position: "0.5*t^2 + {}*input.k"}}]
outputs: {{off: "joint.a.q - 0.5*t^2"}}
experiment: {{stepper: moreau, stabilization: {}, dt: 0.01}}
)yaml";
  std::map<std::string, double> off;
  for (const char* kind : {"none", "baumgarte", "split"}) {
    Simulation simulation(scene_from(fmt::format(fmt::runtime(scene_of), 0, kind)));
    simulation.run(1);
    simulation.set("gravity.z", -1);
    EXPECT_NO_THROW(simulation.run(1)) << kind;
    off[kind] = std::abs(simulation.output("off"));
    Simulation jumps(scene_from(fmt::format(fmt::runtime(scene_of), 1, kind)));
    jumps.run(1);
    jumps.set_input("k", 0.5);
    EXPECT_THROW(jumps.run(1), SimulationError) << kind;
  }
  test::figure("t^2/2 prescribed, moreau, 10 ms, off after 2 s: none {:.1e}, baumgarte {:.1e}, split {:.1e} rad",
               off["none"], off["baumgarte"], off["split"]);
  EXPECT_LT(off["baumgarte"], 0.2 * off["none"]);
  EXPECT_LT(off["split"], 0.2 * off["none"]);
}

TEST(PrescribedMotion, FollowsOnlyWhatHasARate) {
  for (const std::string target : {"0.1*joint.b.u", "body.b.vx", "energy.kinetic"}) {
    try {
      driven("position: '" + target + "'");
      ADD_FAILURE() << target << " was taken";
    } catch (const InputError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("a prescribed position cannot follow '" + target.substr(target.find('*') + 1)), text.npos)
          << text;
    }
    for (const std::string how : {"stiffness: 10", "max_force: 10"})
      EXPECT_NO_THROW(driven("position: '" + target + "', " + how)) << target;
    EXPECT_NO_THROW(driven("velocity: '" + target + "'")) << target;
  }
}

// Kinks, steep rises and fast motions are motions.
TEST(PrescribedMotion, WhatDoesNotJumpGoesOn) {
  for (const std::string target : {"abs(t-0.1)", "max(0, t-0.1)", "smoothstep(t, 0.1, 0.11)", "5*sin(40*t)",
                                   "t > 0.1 ? t-0.1 : 0", "clamp(t, 0.1, 0.2)", "0.0005*floor(10*t)"}) {
    Simulation simulation(driven("position: '" + target + "'"));
    EXPECT_NO_THROW(simulation.run(0.5)) << target;
  }
  std::string rows = "[0, 0]";  // finer than the steps
  for (int i = 1; i <= 2000; ++i) rows += fmt::format(", [{:.6f}, {:.9f}]", 2e-4 * i, 5 * std::sin(8e-3 * i));
  for (const std::string& table : {std::string("[0, 0], [0.1, 0], [0.11, 1], [0.3, 0]"), rows}) {
    Simulation simulation(driven("position: {table: [" + table + "]}"));
    EXPECT_NO_THROW(simulation.run(0.5));
  }
}

// 1 kg along x = 0.2 sin(20 pi t): 789.6 N at most, of which the acceleration changes by a hundredth in a step. The
// force of a step of `euler` is that of its begin.
TEST(PrescribedMotion, BoundsTheSteps) {
  for (const StepperKind stepper : kTimeStepping) {
    Scene scene = scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, joint: {type: prismatic, axis: x}, mass: 1}]
motors: [{name: m, joint: a, position: '0.2*sin(20*pi*t)'}]
outputs: {f: motor.m.force}
)");
    scene.experiment.stepper = stepper;
    scene.experiment.step = StepKind::kVariable;
    Simulation simulation(std::move(scene));
    const double w = 20 * std::numbers::pi, most = 0.2 * w * w;
    double error = 0;
    int rows = 0;
    simulation.run(1, 0, [&](const Simulation& now) {
      if (now.state().step_count > 1)
        error = std::max(error, std::abs(now.output("f") + most * std::sin(w * now.state().t)));
      ++rows;
      return true;
    });
    test::figure("{} variable: force off by {:.3g} of {:.3g} N in {} steps", name_of(stepper), error, most, rows);
    EXPECT_LT(error, 0.02 * most);
    EXPECT_LT(rows, 10000);
  }
}

// A slide that follows the length of a string on a pendulum, from the first position to the last: what follows moves
// with the pendulum wherever gaps are closed.
TEST(PrescribedMotion, FollowsALength) {
  const double offset = 0.5 - std::hypot(0.4 * std::cos(0.3) - 1, -0.4 * std::sin(0.3) - 1);
  for (const char* coordinates : {"generalized", "maximal"})
    for (const char* stepper : {"euler", "moreau"}) {
      SCOPED_TRACE(fmt::format("{}, {}", coordinates, stepper));
      Simulation simulation(scene_from(fmt::format(R"(
lipkin: 1
bodies:
  - {{name: a, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.2, 0, 0], joint: {{type: revolute, axis: y, q: 0.3}}}}
  - {{name: b, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {{type: prismatic, axis: x, at: [2, 0, 0], q: 0.5}}}}
tendons: [{{name: T, path: [{{body: a, at: [0.4, 0, 0]}}, {{body: world, at: [1, 0, 1]}}]}}]
motors: [{{name: m, joint: b, position: "tendon.T.length + {:.17g}"}}]
outputs: {{off: "joint.b.q - tendon.T.length - {:.17g}", slip: joint.b.u - tendon.T.rate, q: joint.b.q}}
experiment: {{coordinates: {}, stepper: {}}}
)",
                                                   offset, offset, coordinates, stepper)));
      EXPECT_NEAR(simulation.output("q"), 0.5, 1e-12);
      simulation.run(0.5, 0, [&](const Simulation& now) {
        EXPECT_NEAR(now.output("off"), 0, 1e-10);
        // `moreau` asks for the rate that the pendulum had before the step, which changes by 10 m/s² at most.
        EXPECT_NEAR(now.output("slip"), 0, stepper == std::string("euler") ? 1e-9 : 0.01);
        return true;
      });
      EXPECT_GT(std::abs(simulation.output("q") - 0.5), 0.1);
    }
}

// A slider-crank whose crank turns evenly: nothing that is prescribed changes, and the slider and its pin feel
// m x'' = 2667 N at most all the same. x = r cos(q) + sqrt(l² - r² sin²(q)), q = 100 t.
TEST(PrescribedMotion, BoundsTheStepsOfAllThatItMoves) {
  const double r = 0.1, l = 0.3, mass = 2, speed = 100;
  const auto place = [&](double t) {
    return r * std::cos(speed * t) + std::sqrt(l * l - std::pow(r * std::sin(speed * t), 2));
  };
  for (const char* motor : {"velocity: 100", "position: 100*t"})
    for (const char* coordinates : {"generalized", "maximal"}) {
      SCOPED_TRACE(fmt::format("{}, {}", motor, coordinates));
      Simulation simulation(scene_from(fmt::format(R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {{name: crank, mass: 1, inertia: [0.01, 0.01, 0.01], joint: {{type: revolute, axis: y}}}}
  - {{name: rod, parent: crank, mass: 1, com: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01], joint: {{type: revolute, axis: y, at: [0.1, 0, 0]}}}}
  - {{name: slider, mass: 2, joint: {{type: prismatic, axis: x, q: 0.4}}}}
loops: [{{name: w, type: revolute, axis: y, from: {{body: slider}}, to: {{body: rod, at: [0.3, 0, 0]}}}}]
motors: [{{name: m, joint: crank, {}}}]
outputs: {{x: joint.slider.q, fx: joint.w.fx}}
experiment: {{stepper: moreau, step: variable, coordinates: {}, dt: 0.0001}}
)",
                                                   motor, coordinates)));
      constexpr double kStep = 1e-5;
      double off = 0, force_off = 0, most = 0;
      simulation.run(0.1, 2.5e-3, [&](const Simulation& now) {
        const double t = now.sample_time();
        const double force = -mass * (place(t + kStep) - 2 * place(t) + place(t - kStep)) / (kStep * kStep);
        off = std::max(off, std::abs(now.output("x") - place(t)));
        most = std::max(most, std::abs(force));
        if (t > 0) force_off = std::max(force_off, std::abs(now.output("fx") - force));
        return true;
      });
      test::figure("even crank, moreau variable: slider off by {:.1e} m, pin by {:.3g} of {:.4g} N in {} steps", off,
                   force_off, most, simulation.statistics().steps);
      EXPECT_NEAR(most, 2667, 1);
      EXPECT_LT(off, 1e-6);
      EXPECT_LT(force_off, 0.02 * most);
      EXPECT_LT(simulation.statistics().steps, 2000u);
    }
}

// A body that follows no drive is left to the tolerances, though it hangs on one that is driven.
TEST(PrescribedMotion, LeavesWhatSwingsFreelyToTheTolerances) {
  const auto steps = [](const char* motors) {
    Simulation simulation(scene_from(fmt::format(R"(lipkin: 1
bodies:
  - {{name: trolley, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {{type: prismatic, axis: x, u: 1}}}}
  - {{name: load, parent: trolley, mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1], joint: {{type: revolute, axis: y, q: 0.5}}}}
{}experiment: {{stepper: moreau, step: variable, tolerance: 1e-4}}
)",
                                                 motors)));
    simulation.run(2);
    return simulation.statistics().steps;
  };
  EXPECT_LT(steps("motors: [{name: m, joint: trolley, velocity: 1}]\n"), 2 * steps(""));
}

// What stands still or moves evenly bounds nothing.
TEST(PrescribedMotion, EvenOnesDoNotBoundTheSteps) {
  for (const StepperKind stepper : kTimeStepping) {
    Scene scene = driven("position: '0.1*t'", stepper);
    scene.experiment.step = StepKind::kVariable;
    Simulation simulation(std::move(scene));
    simulation.run(1);
    EXPECT_LT(simulation.statistics().steps, 150u);  // of 1e-2 s at most; b turns at 1.5 rad/s
  }
}

}  // namespace
}  // namespace lipkin
