// Twenty mistakes that a first scene invites. What is said must be enough to mend each at the first try: beside every
// wrong scene stands the one that the message alone leads to, and that one runs without another word.
#include <cstdlib>
#include <fstream>

#include "cli/program.hpp"

namespace lipkin::test {
namespace {

// The scene that the mistakes are made in: an arm that swings, a ball that falls onto the ground.
const std::string kScene =
    "lipkin: 1\n"
    "description: An arm and a ball\n"
    "materials: {rubber: {friction: 0.5}}\n"
    "world:\n"
    "  shapes: [{plane: {}, contact: rubber}]\n"
    "bodies:\n"
    "  - name: arm\n"
    "    parent: world\n"
    "    joint: {type: revolute, axis: y, at: [0, 0, 1], q: 0.5}\n"
    "    shapes: [{box: {size: [0.5, 0.05, 0.05]}, at: [0.25, 0, 0], mass: 2}]\n"
    "  - name: ball\n"
    "    joint: {type: free, q: [1, 0, 0.5, 1, 0, 0, 0]}\n"
    "    shapes: [{sphere: {radius: 0.1}, mass: 1, contact: rubber}]\n"
    "motors:\n"
    "  - {name: drive, joint: arm, velocity: 2, max_force: 30}\n"
    "outputs: {angle: joint.arm.q, height: body.ball.z}\n"
    "experiment: {stepper: euler, duration: 0.2, dt: 1e-3}\n";

const std::string kLoop =
    "lipkin: 1\n"
    "bodies:\n"
    "  - name: crank\n"
    "    joint: {type: revolute, axis: y}\n"
    "    shapes: [{box: {size: [0.1, 0.01, 0.01]}, at: [0.05, 0, 0], mass: 0.1}]\n"
    "  - name: rocker\n"
    "    joint: {type: revolute, axis: y, at: [0.15, 0, 0], q: -1}\n"
    "    shapes: [{box: {size: [0.1, 0.01, 0.01]}, at: [-0.05, 0, 0], mass: 0.1}]\n"
    "loops:\n"
    "  - {name: pin, type: revolute, axis: y, from: {body: crank, at: [0.1, 0, 0]}, to: {body: rocker, at: [-0.1, 0, "
    "0]}}\n"
    "experiment: {duration: 0.1}\n";

struct Mistake {
  std::string name;
  std::string right, wrong;  // parts of the scene
  std::string said;          // the message behind its place, whole
  std::string mended;        // the part as the message says
  const std::string* scene = &kScene;
};

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> list = {
      {"a mapping for a name", "parent: world", "parent: {body: world}",
       "8:13: error: 'parent' must be a name (letters, digits, underscores), not a mapping (write parent: world)",
       "parent: world"},
      {"a list without its key", "box: {size: [0.5, 0.05, 0.05]}", "box: [0.5, 0.05, 0.05]",
       "10:20: error: 'box' must be a box, not a list of 3 (write box: {size: [0.5, 0.05, 0.05]})",
       "box: {size: [0.5, 0.05, 0.05]}"},
      {"a negative axis", "axis: y", "axis: -y",
       "9:35: error: 'axis' must be an axis (x, y, z or three numbers), not '-y' (write axis: [0, -1, 0])",
       "axis: [0, -1, 0]"},
      {"degrees", "q: 0.5", "q: 30deg",
       "9:58: error: 'q': unexpected 'deg' behind '30' in '30deg' (angles are in radians: write 30*deg)", "q: 30*deg"},
      {"a unit", "mass: 2", "mass: 2 kg",
       "10:73: error: 'mass': unexpected 'kg' behind '2' in '2 kg' (all numbers are in SI units: write 2 without the "
       "unit; a product is 2*kg)",
       "mass: 2"},
      {"a unit that is not SI", "velocity: 2", "velocity: 60rpm",
       "15:43: error: 'velocity': unexpected 'rpm' behind '60' in '60rpm' (angles are in radians: write 60*2*pi/60)",
       "velocity: 60*2*pi/60"},
      {"the power of another language", "mass: 2", "mass: 2**3",
       "10:73: error: 'mass': unexpected '*' in '2**3' (a power is written 2^3)", "mass: 2^3"},
      {"a comma within braces", "height: body.ball.z", "height: max(body.ball.z, 0)",
       "16:39: error: 'height': within braces or brackets a comma ends a value (put it in quotes: height: "
       "\"max(body.ball.z, 0)\")",
       "height: \"max(body.ball.z, 0)\""},
      {"a bracket left open", "at: [0, 0, 1]", "at: [0, 0, 1",
       "9:42: error: not valid YAML: this '[' is not closed (write ']' behind the last value in it)", "at: [0, 0, 1]"},
      {"a colon in a text", "An arm and a ball", "First scene: an arm and a ball",
       "2:25: error: not valid YAML: a second ': ' in one value (put the value in quotes: description: \"First scene: "
       "an arm and a ball\")",
       "\"First scene: an arm and a ball\""},
      {"no blank behind a colon", "name: arm", "name:arm",
       "7:9: error: not valid YAML: a ':' without a blank behind it (write name: arm)", "name: arm"},
      {"a name as a key", "materials: {rubber: {friction: 0.5}}", "materials: [{name: rubber, friction: 0.5}]",
       "3:12: error: 'materials' must be materials by name, not a list of 1 (write materials: {rubber: {friction: "
       "0.5}})",
       "materials: {rubber: {friction: 0.5}}"},
      {"a type as a value", "{sphere: {radius: 0.1}, mass: 1, contact: rubber}",
       "{type: sphere, radius: 0.1, mass: 1, contact: rubber}",
       "13:14: error: a shape says what it is by its key (write {sphere: {radius: 0.1}, mass: 1, contact: rubber})",
       "{sphere: {radius: 0.1}, mass: 1, contact: rubber}"},
      {"a key as other programs call it", "dt: 1e-3", "timestep: 1e-3",
       "17:45: error: unknown key 'timestep' in an experiment (write dt: 1e-3)", "dt: 1e-3"},
      {"a loop that cannot close", "at: [0.15, 0, 0]", "at: [0.3, 0, 0]",
       "10:5: error: loop 'pin' cannot be closed: 0.1 m are left after the best try; expected frames that can meet "
       "from "
       "the initial coordinates (check the lengths and the places of the joints, or begin nearer to the closed "
       "position)",
       "at: [0.15, 0, 0]", &kLoop},
      {"degrees without a word", "q: 0.5", "q: 90",
       "9:56: warning: 'q' is 90 rad, 14.3 turns (angles are in radians: 90 degrees are 90*deg)", "q: 90*deg"},
      {"millimetres", "size: [0.5, 0.05, 0.05]", "size: [500, 50, 50]",
       "10:14: warning: body 'arm' is 500 m large and has 2 kg (lengths are in metres: 500 mm are 0.5)",
       "size: [0.5, 0.05, 0.05]"},
      {"nothing to touch with", "mass: 1, contact: rubber", "mass: 1",
       "13:14: warning: body 'ball' touches nothing and falls 0.196 m: its shapes have no 'contact' (give it and what "
       "it "
       "should touch contact: NAME, with NAME among the materials)",
       "mass: 1, contact: rubber"},
      {"an output that is no number", "angle: joint.arm.q", "angle: sqrt(-1 - joint.arm.q^2)",
       "16:18: warning: output 'angle' is not a number from t = 0 s (look for roots and logarithms of negative numbers "
       "and for 0/0 in it)",
       "angle: sqrt(1 + joint.arm.q^2)"},
      {"a start within the ground", "q: [1, 0, 0.5, 1, 0, 0, 0]", "q: [1, 0, 0, 1, 0, 0, 0]",
       "13:14: warning: body 'ball' begins 0.1 m deep in the world (place them apart: contact pushes them out of each "
       "other)",
       "q: [1, 0, 0.1, 1, 0, 0, 0]"},
  };
  return list;
}

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
  for (const std::string& scene : {kScene, kLoop}) EXPECT_EQ(said_of(scene), "");
}

TEST_F(FirstScene, TwentyMistakesAreMendedByTheMessageAlone) {
  ASSERT_EQ(mistakes().size(), 20u);
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
  const std::string scene = write("scene.yaml", with(mistakes().back(), mistakes().back().wrong));
  const Outcome run = lipkin({"run", scene, "--json"});
  EXPECT_EQ(run.exit_code, 0);
  ASSERT_EQ(run.json()["warnings"].size(), 1u);
  EXPECT_EQ(run.json()["warnings"][0]["line"], 13);
  const Json check = lipkin({"check", scene, "--json"}).json()["scenes"][0];
  EXPECT_TRUE(check["ok"]);
  EXPECT_EQ(check["diagnostics"].size(), 1u);
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
