// Motions that cannot be followed stop the run: exit code 1, and one line that names what is violated, when, by how
// much and what prescribes it. What was there before is kept.
#include "cli/program.hpp"

namespace lipkin::test {
namespace {

class ImpossibleMotion : public ProgramTest {
 protected:
  // Stops with all of these words in one line, and goes on where it is told to.
  Json expect_stop(const std::string& scene, const std::vector<std::string>& words,
                   const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"run", scene, "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = lipkin(arguments);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
    for (const std::string& word : words) EXPECT_TRUE(contains(outcome.err, word)) << word << " in " << outcome.err;
    arguments.push_back("--tolerate");
    EXPECT_GT(lipkin(arguments).json()["sim_time"].get<double>(), outcome.json()["sim_time"].get<double>());
    return outcome.json();
  }
};

TEST_F(ImpossibleMotion, MotorAgainstALimit) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
bodies: [{name: arm, joint: {type: revolute, axis: y, limits: [-0.5, 0.5]}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}]
motors: [{name: drive, joint: arm, velocity: 1}]
outputs: {q: joint.arm.q}
experiment: {duration: 1}
)");
  EXPECT_EQ(lipkin({"run", scene, "--duration", "0.4"}).exit_code, 0);
  const Json stopped = expect_stop(scene, {"t = 0.5", "a limit of joint 'arm'", "motor 'drive'", "0.001 rad"});
  EXPECT_NEAR(stopped["outputs"]["q"]["final"].get<double>(), 0.5, 2e-3);
  EXPECT_FALSE(stopped["converged"].get<bool>());
}

TEST_F(ImpossibleMotion, TwoMotorsOnOneFreedom) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
bodies:
  - {name: wheel, joint: {type: revolute, axis: y}, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: pinion, joint: {type: revolute, axis: y, at: [1, 0, 0]}, mass: 1, inertia: [0.1, 0.1, 0.1]}
gears: [{name: mesh, joint: pinion, of: wheel, ratio: 2}]
motors: [{name: one, joint: wheel, velocity: 1}, {name: two, joint: pinion, velocity: 1.5}]
experiment: {duration: 1}
)");
  expect_stop(scene, {"motor 'one' is missed by 0.25 rad/s", "'two'"});
}

// A solver that takes anything for converged does not make it so.
TEST_F(ImpossibleMotion, LawsThatAreMissedFail) {
  const std::string scene = write("s.yaml", R"yaml(lipkin: 1
materials: {m: {friction: 0.8}}
world: {shapes: [{plane: {}, contact: m}]}
bodies:
  - name: b{i}
    repeat: {count: 12}
    joint: {type: free, q: [0, 0, "0.05+0.1*(i-1)", 1, 0, 0, 0]}
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: "i", contact: m}]
experiment: {stepper: euler, duration: 0.3, dt: 0.002, solver: impulses, solver_options: {iterations: 1, tolerance: 10}}
)yaml");
  const Outcome outcome = lipkin({"run", scene, "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.err, "laws are met to")) << outcome.err;
  const Json json = outcome.json();
  EXPECT_EQ(json["unconverged_steps"], 0);
  EXPECT_FALSE(json["converged"].get<bool>());
  EXPECT_TRUE(contains(json["error"]["message"].get<std::string>(), "is tolerated"));
  const Outcome tolerated = lipkin({"run", scene, "--json", "--tolerate"});
  EXPECT_EQ(tolerated.exit_code, 0);
  EXPECT_FALSE(tolerated.json().contains("error"));
}

// What two motors agree on can be followed.
TEST_F(ImpossibleMotion, TwoMotorsThatAgreeAreFine) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
bodies:
  - {name: wheel, joint: {type: revolute, axis: y}, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: pinion, joint: {type: revolute, axis: y, at: [1, 0, 0]}, mass: 1, inertia: [0.1, 0.1, 0.1]}
gears: [{name: mesh, joint: pinion, of: wheel, ratio: 2}]
motors: [{name: one, joint: wheel, velocity: 1}, {name: two, joint: pinion, velocity: 2}]
experiment: {duration: 1}
)");
  EXPECT_EQ(lipkin({"run", scene}).exit_code, 0);
}

// A crank of 0.2 m and a rod of 0.5 m pull a slide 0.5 m beside the axis: beyond some angle the rod is too short.
TEST_F(ImpossibleMotion, ACrankThatJams) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: crank, joint: {type: revolute, axis: y, q: pi/2}, mass: 0.2, com: [0, 0, 0.1], inertia: [0.001, 0.001, 0.001]}
  - {name: rod, parent: crank, joint: {type: revolute, axis: y, at: [0, 0, 0.2], q: -acos(0.6)}, mass: 0.3, com: [0, 0, 0.25], inertia: [0.01, 0.01, 0.001]}
  - {name: slider, joint: {type: prismatic, axis: z, q: 0.4}, mass: 1, inertia: [0.001, 0.001, 0.001]}
loops: [{name: wrist, type: revolute, axis: y, from: {body: slider, at: [0.5, 0, 0]}, to: {body: rod, at: [0, 0, 0.5]}}]
motors: [{name: drive, joint: crank, velocity: 1}]
experiment: {duration: 5}
)");
  for (const char* stabilization : {"projection", "split"})
    for (const char* coordinates : {"generalized", "maximal"}) {
      SCOPED_TRACE(std::string(stabilization) + " " + coordinates);
      expect_stop(scene, {"motor 'drive'"}, {"--stabilization", stabilization, "--coordinates", coordinates});
    }
}

TEST_F(ImpossibleMotion, ARamAgainstAWall) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
gravity: [0, 0, 0]
materials: {steel: {friction: 0.5}}
world: {shapes: [{plane: {}, contact: steel}]}
bodies:
  - name: ram
    joint: {type: prismatic, axis: z, at: [0, 0, 0.1]}
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 1, contact: steel}]
motors: [{name: push, joint: ram, velocity: -1}]
experiment: {duration: 0.2}
)");
  EXPECT_EQ(lipkin({"run", scene, "--duration", "0.04"}).exit_code, 0);
  expect_stop(scene, {"t = 0.05", "the world and 'ram'", "motor 'push'"});
}

TEST_F(ImpossibleMotion, DriftWithoutStabilizationIsReported) {
  for (const char* stabilization : {"none", "baumgarte", "split"})
    for (const char* stepper : {"euler", "moreau"}) {
      SCOPED_TRACE(std::string(stabilization) + " " + stepper);
      const Outcome outcome = lipkin(
          {"run", "peaucellier", "--duration", "1", "--stabilization", stabilization, "--stepper", stepper, "--json"});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      const Json report = outcome.json();
      double worst = 0;
      for (const char* gap : {"gap_C_left", "gap_C_right", "gap_D"})
        worst = std::max(worst, report["outputs"][gap]["max"].get<double>());
      EXPECT_GE(report["violation"]["position"].get<double>(), 0.9 * worst);
      EXPECT_GT(worst, 1e-9);
    }
}

TEST_F(ImpossibleMotion, ToleranceIsTheScenes) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
bodies: [{name: arm, joint: {type: revolute, axis: y, limits: [-0.5, 0.5]}, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}]
motors: [{name: drive, joint: arm, velocity: 1}]
experiment: {duration: 0.55, tolerated: {angle: 0.2, rate: 2}}
)");
  EXPECT_EQ(lipkin({"run", scene}).exit_code, 0);
  EXPECT_EQ(lipkin({"run", scene, "--duration", "0.75"}).exit_code, 1);
}

TEST_F(ImpossibleMotion, StepsThatDoNotConvergeAreAnError) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
materials: {steel: {friction: 0.8}}
world: {shapes: [{plane: {}, contact: steel}]}
bodies:
  - repeat: {count: 6, index: i}
    name: box{i}
    joint: {type: free, q: [0.02*i, 0, 0.05 + 0.1*i, 1, 0, 0, 0], u: [1, 0, -3, 0, 0, 0]}
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 1 + 20*i, contact: steel}]
experiment: {duration: 0.05, solver: impulses, solver_options: {iterations: 1}}
)");
  const Outcome outcome = lipkin({"run", scene, "--json"});
  const Json report = outcome.json();
  EXPECT_GT(report["unconverged_steps"].get<int>(), 0);
  EXPECT_FALSE(report["converged"].get<bool>());
  EXPECT_TRUE(contains(report["error"]["message"].get<std::string>(), "did not converge"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lipkin({"run", scene, "--tolerate"}).exit_code, 0);
}

// Nothing goes further and nothing gives way: what stands where it must not is told as what moves there.
TEST_F(ImpossibleMotion, AMotorThatHoldsALimitPassed) {
  const char* const held = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, inertia: [.1, .1, .1], joint: {type: prismatic, axis: x, limits: [-2, 2]}}]
motors: [{name: m, joint: a, position: 3}]
)";
  const char* const geared = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: [.1, .1, .1], joint: {type: prismatic, axis: x, limits: [0, 1]}}
  - {name: b, mass: 1, inertia: [.1, .1, .1], joint: {type: prismatic, axis: x, q: 3, limits: [3, 4]}}
gears: [{name: g, joint: b, of: a, ratio: 1}]
)";
  const char* const roped = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, inertia: [.1, .1, .1], joint: {type: prismatic, axis: x}}]
motors: [{name: m, joint: a, position: 1}]
distances: [{name: d, from: {body: a}, to: {body: world, at: [-1, 0, 0]}, upper: 1.5}]
)";
  for (const char* text : {held, geared, roped})
    for (const char* stepper : {"euler", "moreau"})
      for (const char* coordinates : {"generalized", "maximal"}) {
        const Outcome run = lipkin(
            {"run", write("s.yaml", text), "--duration", "0.1", "--stepper", stepper, "--coordinates", coordinates});
        EXPECT_EQ(run.exit_code, 1) << text << stepper << coordinates << run.err;
      }
}

// A limit that a command moves to where nothing is any more pushes it back, with every stepper and coordinates.
TEST_F(ImpossibleMotion, AMovedLimitPushesBack) {
  const std::string scene = write("s.yaml", R"(
lipkin: 1
bodies: [{name: c, joint: {type: prismatic, axis: x, u: 1, limits: [-5, 5]}, mass: 3}]
outputs: {c: joint.c.q}
experiment: {dt: 1e-3, duration: 2, commands: [{at: 0.5, set: {joint.c.upper: 0.3}}]}
)");
  for (const char* stepper : {"euler", "moreau"})
    for (const char* coordinates : {"generalized", "maximal"}) {
      const Outcome run = lipkin({"run", scene, "--stepper", stepper, "--coordinates", coordinates, "--json"});
      ASSERT_EQ(run.exit_code, 0) << stepper << coordinates << run.err;
      EXPECT_NEAR(run.json()["outputs"]["c"]["final"].get<double>(), 0.3, 1e-4) << stepper << coordinates;
    }
}

// A follower over a tendon whose leader runs into its stop: its coordinate is that of the pose that was pushed out.
TEST_F(ImpossibleMotion, AGearOverATendonStaysClosedAtAStop) {
  const std::string scene = write("s.yaml", R"(
lipkin: 1
bodies:
  - {name: a, joint: {type: revolute, axis: z, u: -56, limits: [-0.001, 3]}, mass: 1, inertia: [1, 1, 0.01]}
  - {name: b, joint: {type: revolute, axis: z, u: -56}, mass: 1, inertia: [1, 1, 0.002]}
  - {name: c, joint: {type: revolute, axis: z}, mass: 1, inertia: [1, 1, 1e-4]}
tendons: [{name: diff, joints: [{joint: b}, {joint: a, coefficient: -1}]}]
gears: [{name: g, joint: c, of_tendon: diff, ratio: -1.5}]
experiment: {stepper: moreau, dt: 1e-4, duration: 0.01}
)");
  const Outcome run = lipkin({"run", scene});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

// Friction that a solver leaves on a corner without load, and an effort that is rounding, are no missed laws.
TEST_F(ImpossibleMotion, RoundingMissesNoLaw) {
  const std::string box = write("box.yaml", R"(
lipkin: 1
materials: {s: {friction: 0.3}}
world: {shapes: [{plane: {}, contact: s}]}
bodies:
  - name: box
    joint: {type: free, q: [0, 0, 0.05, 1, 0, 0, 0]}
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 2, contact: s}]
experiment: {duration: 5}
)");
  EXPECT_EQ(lipkin({"run", box}).exit_code, 0);
  const std::string brake = write("brake.yaml", R"(
lipkin: 1
bodies:
  - {name: a, joint: {type: revolute, axis: z, u: 30}, mass: 1, inertia: [1, 1, 0.01]}
  - {name: b, joint: {type: revolute, axis: z, u: 20}, mass: 1, inertia: [1, 1, 0.01]}
motors:
  - {name: engine, joint: a, velocity: 30, max_force: 60}
  - {name: brake, joint: b, velocity: 0, max_force: 150, effort: {table: [[0, 0], [0.01, 0], [0.03, 1]]}}
experiment: {stepper: euler, dt: 1e-3, duration: 0.02}
)");
  EXPECT_EQ(lipkin({"run", brake}).exit_code, 0);
}

}  // namespace
}  // namespace lipkin::test
