// Mistakes that a first scene invites (first_scene_mistakes.hpp): what is said is enough to mend each at the first try.
#include <cstdlib>
#include <fstream>

#include "cli/first_scene_mistakes.hpp"
#include "cli/program.hpp"

namespace lipkin::test {
namespace {

std::string with(const Mistake& mistake, const std::string& part) {
  std::string text = *mistake.scene;
  return text.replace(text.find(mistake.right), mistake.right.size(), part);
}

class FirstScene : public ProgramTest {
 protected:
  // What a run says, without the name of the file.
  std::string said_of(const std::string& text) {
    const std::string scene = write("scene.yaml", text);
    std::string err = lipkin({"run", scene}).err;
    for (std::size_t at = err.find(scene + ":"); at != std::string::npos; at = err.find(scene + ":"))
      err.erase(at, scene.size() + 1);
    return err;
  }
};

TEST_F(FirstScene, IsRightToBeginWith) {
  for (const std::string& scene : {kScene, kLoop, kPress, kServo}) EXPECT_EQ(said_of(scene), "");
}

// At its dead point a slider has no freedom for a moment only.
TEST_F(FirstScene, IsNotWarnedOfAtADeadPoint) {
  const Mistake driven{"", "joint: crank, velocity: 2", "", "", "", &kPress};
  EXPECT_EQ(said_of(with(driven, "joint: slider, velocity: 0.1")), "");
}

// Numbers that are large and may well be meant.
TEST_F(FirstScene, IsNotWarnedOfForWhatMayBeMeant) {
  const Mistake winch{"", "position: \"swing*sin(2*t)\"", "", "", "", &kServo};
  for (const char* target : {"10*pi", "\"10*pi*sin(2*t)\"", "\"swing + 20*t\""})
    EXPECT_EQ(said_of(with(winch, std::string("position: ") + target)), "") << target;
  const Mistake turned{"", "q: 0.5}", "", "", "", &kScene};
  for (const char* limits : {"q: 0.5, limits: [-4*pi, 4*pi]}", "q: 0.5, orientation: [0, 0, 0, -1]}"})
    EXPECT_EQ(said_of(with(turned, limits)), "") << limits;
}

// Friction that is none on purpose, gravity along a z that points down to the ground.
TEST_F(FirstScene, IsNotWarnedOfForAnotherHabit) {
  const Mistake material{"", "steel: {friction: 0.2}", "", "", "", &kPress};
  EXPECT_EQ(said_of(with(material, "steel: {friction: 0}")), "");
  EXPECT_EQ(said_of(with(material, "steel: {}}\nmaterial_pairs:\n  - {between: [rubber, steel], friction: 0.4")), "");
  const Mistake ground{"", "world:\n  shapes: [{plane: {}", "", "", "", &kScene};
  const std::string ceiling = "world:\n  shapes: [{plane: {}, at: [0, 0, 2], orientation: {axis: x, angle: pi}";
  EXPECT_EQ(said_of(with(ground, "gravity: [0, 0, 9.81]\n" + ceiling)), "");
}

// A body that its joint lies far from: the place is not one that it would have in the world.
TEST_F(FirstScene, JointsMayStandFarFromTheirParents) {
  const Mistake body{"", "  - name: ball\n", "", "", "", &kScene};
  for (const char* at : {"[2, 0, 1]", "[0, 0, -1]", "[0, 0.4, 0]"})
    EXPECT_EQ(said_of(with(
                  body, "  - name: hand\n    parent: arm\n    joint: {type: revolute, axis: y, at: " + std::string(at) +
                            "}\n    shapes: [{sphere: {radius: 0.1}, mass: 0.5}]\n  - name: ball\n")),
              "")
        << at;
}

// MJCF takes angles in degrees where <compiler> does not say otherwise.
TEST_F(FirstScene, RadiansInAModelFile) {
  const auto said = [&](const std::string& compiler, const std::string& range) {
    return lipkin({"check", write("arm.xml", "<mujoco>" + compiler +
                                                 "<worldbody><body>\n<joint name=\"shoulder\" axis=\"0 1 0\" range=\"" +
                                                 range + "\"/><geom size=\"0.1\"/></body></worldbody></mujoco>")})
        .err;
  };
  EXPECT_TRUE(contains(said("", "-1.57 1.57"),
                       "arm.xml:2: warning: range -1.57 1.57 of joint 'shoulder' is in degrees: -0.027 to 0.027 rad "
                       "(for radians write <compiler angle=\"radian\"/> in <mujoco>, else <compiler "
                       "angle=\"degree\"/>)"));
  EXPECT_EQ(said("<compiler angle=\"radian\"/>", "-1.57 1.57"), "");
  EXPECT_EQ(said("<compiler angle=\"degree\"/>", "-1.57 1.57"), "");
  EXPECT_EQ(said("", "-5 5"), "");
  EXPECT_EQ(said("", "-37.5 60"), "");
}

TEST_F(FirstScene, EveryMistakeIsMendedByTheMessageAlone) {
  const char* list = std::getenv("LIPKIN_WRITE_MISTAKES");
  std::ofstream file(list ? list : "/dev/null");
  for (const Mistake& mistake : mistakes()) {
    const std::string said = said_of(with(mistake, mistake.wrong));
    EXPECT_TRUE(is_one_line(said)) << mistake.name << "\n" << said;
    EXPECT_EQ(said, mistake.said + "\n") << mistake.name;
    EXPECT_EQ(said_of(with(mistake, mistake.mended)), "") << mistake.name;
    file << "=== scene ===\n" << with(mistake, mistake.wrong) << "=== message ===\n" << said << "\n";
  }
}

TEST_F(FirstScene, WarningsAreInTheReportToo) {
  const std::string scene =
      write("scene.yaml", with({"", "q: [1, 0, 0.5, 1, 0, 0, 0]", "", "", ""}, "q: [1, 0, 0, 1, 0, 0, 0]"));
  const Outcome run = lipkin({"run", scene, "--json"});
  EXPECT_EQ(run.exit_code, 0);
  ASSERT_EQ(run.json()["warnings"].size(), 1u);
  EXPECT_EQ(run.json()["warnings"][0]["line"], 12);
  const Json check = lipkin({"check", scene, "--json"}).json()["scenes"][0];
  EXPECT_TRUE(check["ok"]);
  EXPECT_EQ(check["diagnostics"].size(), 1u);
}

// The step is said before the run, and after the stop no number of what has grown without bound.
TEST_F(FirstScene, SpringTooStiffForItsSteps) {
  const std::string scene =
      "lipkin: 1\n"
      "bodies:\n"
      "  - name: mass\n"
      "    joint: {type: prismatic, axis: z, at: [0, 0, -0.2]}\n"
      "    shapes: [{sphere: {radius: 0.02}, mass: 0.05}]\n"
      "springs:\n"
      "  - {name: coil, from: {}, to: {body: mass}, stiffness: 2e6, rest_length: 0.199}\n"
      "outputs: {z: body.mass.z}\n"
      "experiment: {duration: 1, dt: ";
  const std::string stiff = write("stiff.yaml", scene + "0.002}\n");
  const Outcome run = lipkin({"run", stiff});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(contains(run.err,
                       "stiff.yaml:7:5: warning: spring 'coil' swings with a period of 0.00099 s: steps above "
                       "0.0003 s let that grow without bound, and they are 0.002 s (write dt: 4e-05)"));
  EXPECT_TRUE(contains(run.err, "stops being finite"));
  EXPECT_TRUE(contains(run.out, "grew without bound"));
  EXPECT_FALSE(contains(run.out, "inf"));
  EXPECT_FALSE(contains(run.out, "e+15"));
  EXPECT_EQ(said_of(scene + "4e-05}\n"), "");
  EXPECT_TRUE(contains(said_of(scene + "0.0003}\n"), "although nothing drives the mechanism"));  // 3 steps a swing
  EXPECT_TRUE(contains(lipkin({"check", stiff}).out, "stiff.yaml: ok, 1 warning\n"));
}

// A pulse between two steps never acts; one that steps see, and a jump, which is only seen a little later, do.
TEST_F(FirstScene, PulseBetweenTwoSteps) {
  const auto scene = [&](const std::string& table, const std::string& dt) {
    return "lipkin: 1\n"
           "gravity: [0, 0, 0]\n"
           "bodies:\n"
           "  - {name: a, joint: {type: prismatic, axis: x}, mass: 1}\n"
           "forces:\n"
           "  - {name: blow, body: a, force: [{table: " +
           table +
           "}, 0, 0]}\n"
           "outputs: {u: joint.a.u}\n"
           "experiment: {duration: 2, dt: " +
           dt + "}\n";
  };
  const std::string pulse = "[[0, 0], [1, 0], [1.0005, 1000], [1.001, 0]]";
  const std::string said = said_of(scene(pulse, "1e-3"));
  EXPECT_TRUE(contains(said,
                       "warning: the table of force 'blow' is 1000 at t = 1.0005 s, 0.0005 s from its next row, and "
                       "steps of 0.001 s see only the 0 and 0 on both sides of it (write dt: 0.0001)"))
      << said;
  EXPECT_EQ(said_of(scene(pulse, "1e-4")), "");
  EXPECT_EQ(said_of(scene("[[0, 0], [1, 0], [1.0001, 1000], [2, 1000]]", "1e-3")), "");
  EXPECT_EQ(said_of(scene("[[0, 0], [1, 0], [1.0005, 1], [1.001, 0], [1.5, 100]]", "1e-3")), "");
  EXPECT_EQ(said_of(scene(pulse, "1e-3, stepper: dopri5")), "");
}

// Behind an activation a control is held over dt, whatever steps the stepper chooses.
TEST_F(FirstScene, ControlThatIsHeldBetweenChosenSteps) {
  const auto scene = [&](const std::string& control, const std::string& dt) {
    return "lipkin: 1\n"
           "gravity: [0, 0, 0]\n"
           "bodies:\n"
           "  - {name: a, joint: {type: prismatic, axis: x}, mass: 1}\n"
           "actuators:\n"
           "  - {name: k, joint: a, control: " +
           control +
           ", activation: {kind: filter, time_constant: 0.3}}\n"
           "outputs: {u: joint.a.u}\n"
           "experiment: {duration: 2, stepper: dopri5, dt: " +
           dt + "}\n";
  };
  const std::string said = said_of(scene("sin(4*t)", "0.01"));
  EXPECT_TRUE(contains(said,
                       "warning: actuator 'k' has an activation, which holds its control for dt = 0.01 s each, however "
                       "small the steps of dopri5 are: it acts 0.005 s late (write dt: 0.003)"))
      << said;
  EXPECT_EQ(said_of(scene("sin(4*t)", "0.003")), "");
  EXPECT_EQ(said_of(scene("2", "0.01")), "");
}

// A string from inside of a drum goes straight through it; from its surface it does not.
TEST_F(FirstScene, TendonFromInsideOfItsDrum) {
  const auto scene = [&](const std::string& x) {
    return "lipkin: 1\n"
           "bodies:\n"
           "  - {name: load, joint: {type: prismatic, axis: z, at: [0.3, 0, -1]}, mass: 1}\n"
           "tendons:\n"
           "  - name: rope\n"
           "    path: [{at: [0, 0, " +
           x +
           "]}, {around: cylinder, radius: 0.3, orientation: {axis: x, angle: 90*deg}}, {body: load}]\n"
           "    upper: 5\n"
           "outputs: {L: tendon.rope.length}\n"
           "experiment: {duration: 0.001}\n";
  };
  const std::string said = said_of(scene("0.25"));
  EXPECT_TRUE(
      contains(said,
               "warning: tendon 'rope': point 1 of its path begins 0.05 m inside of the cylinder that it should "
               "go around, and passes straight through it"))
      << said;
  EXPECT_EQ(said_of(scene("0.3")), "");
}

// The same on the way, where nothing holds its length: then that jumps, and stops the run.
TEST_F(FirstScene, TendonThatGoesIntoItsSheave) {
  const std::string said = said_of(
      "lipkin: 1\n"
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: load, joint: {type: prismatic, axis: x, q: 1, u: -1}, mass: 1}\n"
      "tendons:\n"
      "  - {name: rope, path: [{at: [-1, 0, 0.2]}, {around: sphere, radius: 0.3}, {body: load}]}\n"
      "outputs: {L: tendon.rope.length}\n"
      "experiment: {duration: 0.9}\n");
  EXPECT_TRUE(contains(said,
                       "warning: tendon 'rope': point 2 of its path is at t = 0.704 s 0.004 m inside of the sphere "
                       "that it should go around, and passes straight through it"))
      << said;
}

TEST_F(FirstScene, StepperWithoutConstraintsSaysWhichHaveThem) {
  const std::string said = said_of(with({"", "duration: 0.1", "", "", "", &kLoop}, "stepper: rk4"));
  EXPECT_TRUE(is_one_line(said));
  EXPECT_TRUE(contains(said, "takes forces only"));
  EXPECT_TRUE(contains(said, "expected 'euler' or 'moreau'"));
}

// None of Lipkin's own scenes is suspicious.
TEST_F(FirstScene, ScenesOfOurOwnAreNotWarnedOf) {
  std::vector<std::string> check = {"check"};
  const Json scenes = lipkin({"scenes", "--json"}).json()["scenes"];
  for (const Json& scene : scenes) check.push_back(scene["name"]);
  const Outcome outcome = lipkin(check);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace lipkin::test
