// Every mistake in a scene ends in one line with its place, what is wrong, what was expected.
#include <gtest/gtest.h>

#include <chrono>

#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::Lines;
using test::mistakes_in;
using test::warnings_in;

// A scene whose fourth line is a body with this content, which begins in column 17.
std::string with_body(const std::string& keys) {
  return "lipkin: 1\nparameters: {length: 1}\nbodies:\n  - {name: rod, " + keys + "}\n";
}

// The same with a joint whose settings begin in column 59.
std::string with_joint(const std::string& keys) {
  return with_body("mass: length, inertia: [1, 1, 1], joint: {" + keys + "}");
}

// A scene whose third line is this.
std::string with_line(const std::string& line) {
  return "lipkin: 1\nbodies: [{name: rod, joint: revolute, mass: 1, inertia: [1, 1, 1]}]\n" + line + "\n";
}

TEST(SceneMistakes, UnknownKeysHaveTheNearestName) {
  EXPECT_EQ(mistakes_in("lipkin: 1\nbodis: []\n"),
            Lines{"s.yaml:2:1: error: unknown key 'bodis' in a scene (did you mean 'bodies'?)"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mas: 1")),
            Lines{"s.yaml:4:30: error: unknown key 'mas' in a body (did you mean 'mass'?)"});
  EXPECT_EQ(mistakes_in(with_joint("type: ball, dampnig: 1")),
            Lines{"s.yaml:4:71: error: unknown key 'dampnig' in a joint (did you mean 'damping'?)"});
  EXPECT_EQ(mistakes_in(with_line("points: [{name: p, colour: red}]")),
            Lines{"s.yaml:3:20: error: unknown key 'colour' in a point (known keys: name, body, at, orientation, zone, "
                  "repeat)"});
}

TEST(SceneMistakes, NeededKeys) {
  EXPECT_EQ(mistakes_in("name: x\n"), Lines{"s.yaml:1:1: error: a scene needs the key 'lipkin' (write lipkin: 1)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nbodies:\n  - {mass: 1}\n"),
            (Lines{"s.yaml:3:5: error: a body needs the key 'name' (write name: NAME)",
                   "s.yaml:3:5: error: a body needs the key 'joint' (write joint: revolute)"}));
  EXPECT_EQ(mistakes_in(with_body("joint: free, com: [0, 0, 1]")),
            Lines{"s.yaml:4:35: error: 'com' needs 'mass' beside it (centre of mass in the body frame)"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, shapes: [{at: [0, 0, 1]}]")),
            Lines{"s.yaml:4:39: error: a shape needs exactly one of 'box', 'sphere', 'cylinder', 'capsule', 'frustum', "
                  "'plane', 'cup', 'hull', 'mesh', 'height_field'"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, shapes: [{sphere: {radius: 1}, box: {size: [1, 1, 1]}}]")),
            Lines{"s.yaml:4:39: error: a shape needs exactly one of 'box', 'sphere', 'cylinder', 'capsule', 'frustum', "
                  "'plane', 'cup', 'hull', 'mesh', 'height_field'"});
  EXPECT_EQ(mistakes_in(with_joint("type: ball, orientation: {axis: z}")),
            Lines{"s.yaml:4:84: error: an orientation needs exactly one of 'axis' and 'angle', 'rpy'"});
  EXPECT_EQ(mistakes_in(with_line("forces: [{name: f, force: [1, 0, 0]}]")),
            Lines{"s.yaml:3:10: error: a force needs exactly one of 'body', 'point'"});
}

TEST(SceneMistakes, ValuesOfAnotherKind) {
  EXPECT_EQ(mistakes_in("lipkin: 2\n"), Lines{"s.yaml:1:9: error: 'lipkin' must be 1, not '2'"});
  EXPECT_EQ(mistakes_in("lipkin: one\n"), Lines{"s.yaml:1:9: error: 'lipkin' must be the format version, not 'one'"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nunits: imperial\n"),
            Lines{"s.yaml:2:8: error: 'units' must be SI, not 'imperial'"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nbodies: {name: rod}\n"),
            Lines{"s.yaml:2:9: error: 'bodies' must be a list, not a mapping (it looks like bodies: [{name: NAME, "
                  "joint: revolute}])"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nbodies: [rod]\n"),
            Lines{"s.yaml:2:10: error: item 1 of 'bodies' must be a body, not 'rod' (it looks like {name: NAME, joint: "
                  "revolute})"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: [1, 2]")),
            Lines{"s.yaml:4:36: error: 'mass' must be a number, not a list of 2"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: true")),
            Lines{"s.yaml:4:36: error: 'mass' must be a number, not 'true'"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nbodies:\n  - name: rod\n    joint: free\n    mass:\n"),
            Lines{"s.yaml:5:5: error: 'mass' has no value: expected a number"});
  EXPECT_EQ(
      mistakes_in(with_joint("type: revolut")),
      Lines{"s.yaml:4:65: error: 'type' must be one of revolute, prismatic, screw, cylindrical, universal, planar, "
            "ball, free, fixed, not 'revolut' (did you mean 'revolute'?)"});
  EXPECT_EQ(
      mistakes_in(with_body("joint: feee")),
      Lines{"s.yaml:4:24: error: 'joint' must be one of revolute, prismatic, screw, cylindrical, universal, planar, "
            "ball, free, fixed, not 'feee' (did you mean 'free'?)"});
  EXPECT_EQ(
      mistakes_in("lipkin: 1\nbodies: [{name: 9a, joint: free}]\n"),
      Lines{"s.yaml:2:17: error: 'name' must be a name (letters, digits, underscores), not '9a' (write name: _9a)"});
  EXPECT_EQ(
      mistakes_in("lipkin: 1\nparameters: {a-b: 1}\n"),
      Lines{"s.yaml:2:14: error: the key 'a-b' must be a name (letters, digits, underscores), not 'a-b' (write a_b)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nname: " + std::string(101, 'x') + "\n"),
            Lines{"s.yaml:2:7: error: 'name' is longer than 100 characters"});
}

TEST(SceneMistakes, ListsOfTheWrongLength) {
  EXPECT_EQ(
      mistakes_in("lipkin: 1\ngravity: [0, 0]\n"),
      Lines{
          "s.yaml:2:10: error: 'gravity' must have 3 values, not 2 (it looks like gravity: [NUMBER, NUMBER, NUMBER])"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: 1, inertia: [1, 2, 3, 4]")),
            Lines{"s.yaml:4:48: error: 'inertia' must be an inertia ([Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] "
                  "or {principal, "
                  "orientation}), not a list of 4"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, shapes: [{sphere: {radius: 1}, color: [1, 0]}]")),
            Lines{"s.yaml:4:68: error: 'color' must have 3 to 4 values, not 2"});
  EXPECT_EQ(mistakes_in(with_joint("type: free, q: [0, 0, 0]")),
            Lines{"s.yaml:4:58: error: joint 'rod': q has 3 values; a free joint takes 7 (x, y, z, then a quaternion "
                  "w, x, y, z: q: [0, 0, 0, 1, 0, 0, 0])"});
}

TEST(SceneMistakes, NumbersOutOfRange) {
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: -1")),
            Lines{"s.yaml:4:36: error: 'mass' must be at least 0, not '-1'"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: -length")),
            Lines{"s.yaml:4:36: error: 'mass' must be at least 0, not '-length' = -1"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, shapes: [{sphere: {radius: 0}, density: 1}]")),
            Lines{"s.yaml:4:57: error: 'radius' must be greater than 0, not '0'"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, shapes: [{sphere: {radius: 1}, color: [2, 0, 0]}]")),
            Lines{"s.yaml:4:69: error: item 1 of 'color' must be at most 1, not '2'"});
  for (const std::string bad : {".nan", ".inf", "-.inf", "nan"})
    EXPECT_EQ(mistakes_in(with_body("joint: free, mass: " + bad)),
              Lines{"s.yaml:4:36: error: 'mass' must be a finite number, not '" + bad + "'"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: inf")),
            Lines{"s.yaml:4:36: error: 'mass' must be a finite number, not 'inf' = inf"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: 1e999")),
            Lines{"s.yaml:4:36: error: 'mass': the number '1e999' is out of range in '1e999'"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, com: [0, 0, 1/0], mass: 1")),
            Lines{"s.yaml:4:42: error: 'com' must be a finite number, not '1/0' = inf"});
}

TEST(SceneMistakes, Arithmetic) {
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: 2*lenght")),
            Lines{"s.yaml:4:36: error: unknown parameter 'lenght' (did you mean 'length'?)"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: 2*(length")),
            Lines{"s.yaml:4:45: error: 'mass': expected ')' to close '(' in '2*(length'"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: '2 $ 3'")),
            Lines{"s.yaml:4:39: error: 'mass': unexpected character '$' in '2 $ 3'"});
  EXPECT_EQ(mistakes_in(with_body("joint: free, mass: sin(t)")),
            Lines{"s.yaml:4:36: error: 't' is known only while running; this number is fixed before"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nparameters:\n  a: b\n  b: 1\n"),
            Lines{"s.yaml:3:6: error: unknown parameter 'b' (it is defined below: move it up)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nparameters: {pi: 3}\n"),
            Lines{"s.yaml:2:14: error: 'pi' cannot name a parameter: it has a meaning in expressions"});
}

TEST(SceneMistakes, Directions) {
  EXPECT_EQ(mistakes_in(with_joint("type: revolute, axis: [0, 0, length - 1]")),
            Lines{"s.yaml:4:81: error: 'axis' has length zero: expected a direction"});
  EXPECT_EQ(mistakes_in(with_joint("type: revolute, axis: w")),
            Lines{"s.yaml:4:81: error: 'axis' must be one of x, y, z, not 'w'"});
  EXPECT_EQ(mistakes_in(with_joint("type: ball, orientation: [0, 0, 0, 0]")),
            Lines{"s.yaml:4:84: error: 'orientation' is a zero quaternion: expected a rotation"});
  EXPECT_EQ(mistakes_in(with_joint("type: ball, orientation: {axis: [0, 0, 0], angle: 1}")),
            Lines{"s.yaml:4:91: error: 'axis' has length zero: expected a direction"});
}

TEST(SceneMistakes, ExpressionsAndTables) {
  EXPECT_EQ(mistakes_in(with_line("outputs: {e: energy.kinetic +}")),
            Lines{"s.yaml:3:30: error: 'e': the expression ends too early: expected a number, a name or '(' in "
                  "'energy.kinetic +'"});
  EXPECT_EQ(
      mistakes_in(with_line("actuators: [{name: m, joint: rod, control: {table: [[0, 1], [0, 2]]}}]")),
      Lines{"s.yaml:3:61: error: the times of 'table' must increase, but 0 follows 0 (a row is a time and its value: "
            "write table: [[0, 0], [1, 2]])"});
  EXPECT_EQ(mistakes_in(with_line("actuators: [{name: m, joint: rod, control: {table: [[0, 1, 2]]}}]")),
            Lines{"s.yaml:3:53: error: item 1 of 'table' must have 2 values, not 3"});
  EXPECT_EQ(mistakes_in(with_line("actuators: [{name: m, joint: rod, control: 0/0}]")),
            Lines{"s.yaml:3:44: error: 'control' must be a finite number, not '0/0' = -nan"});
  EXPECT_EQ(mistakes_in(with_line("forces: [{name: f, body: rod, force: [sine(t), 0, 0]}]")),
            Lines{"s.yaml:3:39: error: item 1 of 'force': unknown function 'sine' in 'sine(t)' (did you mean 'sin'?)"});
}

TEST(SceneMistakes, Commands) {
  EXPECT_EQ(mistakes_in(with_line("experiment: {commands: [{at: 1, set: {joint.rood.damping: 1}}]}")),
            Lines{"s.yaml:3:39: error: the scene has no joint 'rood' (did you mean 'rod'?)"});
  EXPECT_EQ(mistakes_in(with_line("experiment: {commands: [{at: 1, set: {actuator.m.control: 1}}]}")),
            Lines{"s.yaml:3:39: error: the scene has no actuator 'm'"});
  EXPECT_EQ(mistakes_in(with_line("experiment: {commands: [{at: 1, push: {body: rdo, duration: 1}}]}")),
            Lines{"s.yaml:3:46: error: the scene has no body 'rdo' (did you mean 'rod'?)"});
  const auto mistakes_of_set = [&](const std::string& path) {
    return mistakes_in(with_line("experiment: {commands: [{at: 1, set: {" + path + ": 1}}]}"));
  };
  const auto not_there = [](const std::string& path, const std::string& hint) {
    return Lines{"s.yaml:3:39: error: there is no '" + path + "' to set (" + hint + ")"};
  };
  EXPECT_EQ(mistakes_of_set("gravity.w"), not_there("gravity.w", "what can be set is gravity.x|y|z"));
  EXPECT_EQ(mistakes_of_set("gravity"), not_there("gravity", "what can be set is gravity.x|y|z"));
  EXPECT_EQ(mistakes_of_set("joint.rod.dampin"), not_there("joint.rod.dampin", "write joint.rod.damping"));
  EXPECT_EQ(mistakes_of_set("joints.rod.damping"), not_there("joints.rod.damping", "write joint.rod.damping"));
  EXPECT_EQ(mistakes_of_set("motor.m.speed"), not_there("motor.m.speed", "write motor.m.target"));
  EXPECT_EQ(mistakes_of_set("body.rod.mas"), not_there("body.rod.mas", "write body.rod.mass"));
  EXPECT_EQ(mistakes_in(with_line("experiment: {commands: [{at: 1, set: {}}]}")),
            Lines{"s.yaml:3:38: error: 'set' is empty"});
  EXPECT_EQ(mistakes_in(with_line("experiment: {commands: [{at: 1}]}")),
            Lines{"s.yaml:3:25: error: a command needs exactly one of 'set', 'push'"});
}

TEST(SceneMistakes, Experiment) {
  EXPECT_EQ(mistakes_in(with_line("experiment: {stepper: rk5}")),
            Lines{"s.yaml:3:23: error: 'stepper' must be one of euler, moreau, rk4, dopri5, adams, bdf, not 'rk5' (did "
                  "you mean 'rk4'?)"});
  EXPECT_EQ(mistakes_in(with_line("experiment: {dt: 0}")),
            Lines{"s.yaml:3:18: error: 'dt' must be greater than 0 for the stepper euler"});
  EXPECT_EQ(mistakes_in(with_line("experiment: {dt: 0, stepper: dopri5}")), Lines{});
  EXPECT_EQ(mistakes_in(with_line("experiment: {tolerance: 1e-6, relative_tolerance: 1e-6}")),
            Lines{"s.yaml:3:51: error: 'relative_tolerance' cannot stand beside 'tolerance'"});
}

TEST(SceneMistakes, TheModelsOwnChecksHaveTheirPlace) {
  EXPECT_EQ(
      mistakes_in("lipkin: 1\nbodies:\n  - {name: a, parent: b, joint: free}\n  - {name: b, parent: a, joint: free}\n")
          .size(),
      1u);
  const Lines lines = mistakes_in(with_line("springs: [{name: s, from: nowhere, to: {body: rod}, stiffness: 1}]"));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].rfind("s.yaml:3:11: error: ", 0), 0u) << lines[0];
}

TEST(SceneMistakes, AllAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(
      mistakes_in("lipkin: 1\n"
                  "gravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: a, joint: fre}\n"
                  "  - {name: b, joint: free, mass: -1, nmae: c}\n"
                  "  - {name: c, joint: free, mass: 2*lenght}\n"
                  "outputs: {x: 1 +}\n"
                  "experiment: {dt: -1}\n"),
      (Lines{
          "s.yaml:2:10: error: 'gravity' must have 3 values, not 2 (it looks like gravity: [NUMBER, NUMBER, NUMBER])",
          "s.yaml:4:22: error: 'joint' must be one of revolute, prismatic, screw, cylindrical, universal, planar, "
          "ball, free, fixed, not 'fre' (did you mean 'free'?)",
          "s.yaml:5:34: error: 'mass' must be at least 0, not '-1'",
          "s.yaml:5:38: error: unknown key 'nmae' in a body (did you mean 'name'?)",
          "s.yaml:6:34: error: unknown parameter 'lenght'",
          "s.yaml:7:17: error: 'x': the expression ends too early: expected a number, a name or '(' in '1 +'",
          "s.yaml:8:18: error: 'dt' must be at least 0, not '-1'"}));
}

// What is proposed is the same values in a form that fits.
TEST(SceneMistakes, SayWhatToWriteInstead) {
  const auto hint = [](const std::string& text) {
    const Lines lines = mistakes_in(text);
    EXPECT_EQ(lines.size(), 1u) << text;
    const std::size_t at = lines.at(0).find("(write ");
    return at == std::string::npos ? lines[0] : lines[0].substr(at + 7, lines[0].size() - at - 8);
  };
  EXPECT_EQ(hint(with_body("joint: [free]")), "joint: free");
  EXPECT_EQ(hint(with_body("joint: {ball: {damping: 1}}")), "joint: {type: ball, damping: 1}");
  EXPECT_EQ(hint(with_body("joint: Free")), "joint: free");
  EXPECT_EQ(hint(with_body("joint: hinge")), "revolute");
  EXPECT_EQ(hint(with_body("joint: free, mass: {length}")), "mass: length");
  EXPECT_EQ(hint(with_body("joint: free, shapes: {sphere: {radius: 1}}")), "shapes: [{sphere: {radius: 1}}]");
  EXPECT_EQ(hint(with_body("joint: free, shapes: [{sphere: 1}]")), "sphere: {radius: 1}");
  EXPECT_EQ(hint(with_body("joint: free, shapes: [{type: box, size: [1, 2, 3], mass: 1}]")),
            "{box: {size: [1, 2, 3]}, mass: 1}");
  EXPECT_EQ(hint(with_joint("type: revolute, axis: -x")), "axis: [-1, 0, 0]");
  EXPECT_EQ(hint(with_joint("type: revolute, axis: 1 0 0")), "axis: [1, 0, 0]");
  EXPECT_EQ(hint(with_joint("type: ball, orientation: [0, 90, 0]")), "orientation: {rpy: [0, 90*deg, 0]}");
  EXPECT_EQ(hint("lipkin: 1\ngravity: {z: -1.62}\n"), "gravity: [0, 0, -1.62]");
  EXPECT_EQ(hint("lipkin: 1\nparameters: [{name: a, value: 2}]\n"), "parameters: {a: {value: 2}}");
  EXPECT_EQ(hint("lipkin: 1\nbodies: {rod: {joint: free}}\n"), "bodies: [{name: rod, joint: free}]");
  EXPECT_EQ(hint(with_line("outputs: [joint.rod.q]")), "outputs: {joint_rod_q: joint.rod.q}");
  EXPECT_EQ(hint(with_line("actuators: [{name: m, joint: rod, control: {table: [0, 0, 1, 5]}}]")),
            "table: [[0, 0], [1, 5]]");
  EXPECT_EQ(hint(with_line("springs: [{name: s, from: {body: rod}, to: [rod, [0, 0, 1]]}]")),
            "to: {body: rod, at: [0, 0, 1]}");
  EXPECT_EQ(hint(with_line("experiment: {timestep: 0.01}")), "dt: 0.01");
  EXPECT_EQ(hint(with_line("outputs: {angle: rod.q}")), "joint.rod.q");
  EXPECT_EQ(hint(with_line("outputs: {angle: joint.rod.angle}")), "joint.rod.q");
}

// A text in braces that needs quotes: named is the character that ends it.
TEST(SceneMistakes, TextsThatNeedQuotes) {
  const auto told = [](const std::string& name) {
    return mistakes_in("lipkin: 1\nbodies: [{name: " + name + "}]\n")[0];
  };
  for (const std::string name : {"gp{i}", "a[1]", "a?b"}) {
    const std::string culprit = name.substr(name.find_first_of("{[?"), 1);
    EXPECT_NE(told(name).find("a '" + culprit + "' within a text in braces"), std::string::npos) << told(name);
    EXPECT_NE(told(name).find("put the text in quotes"), std::string::npos) << told(name);
  }
  EXPECT_NE(told("\"a\"b").find("a text goes on behind its quotes"), std::string::npos) << told("\"a\"b");
}

// What follows from a mistake is not told beside it.
TEST(SceneMistakes, OneMistakeIsToldOnce) {
  for (const std::string& scene :
       {with_body("joint: free, shapes: [{box: {x: 1, y: 1, z: 1}}]"),  // three keys, and no size
        with_body("joint: free, shapes: [{sphere: {diameter: 1}}]"),    // an unknown key, and no radius
        with_body("type: revolute"),                                    // a key that belongs deeper, and no joint
        with_body("joint: free, parent: {body: world}"),                // no pair {first, next}
        with_line("outputs: {a: max(t, 1), b: t}"),                     // a value cut in two
        with_line("outputs: {a: min(t, 1, 2), b: t}"),                  // in three
        with_line("actuators: [{name: m, joint: rod, force: 10}]"),     // a key of another kind of actuator
        with_line("experiment: {dt: 0,01}"),                            // a comma for a point
        std::string("lipkin: 1\nbodies:\n  - {name: a, joint: free}\n  - {name: a, joint: free}\n"),
        std::string("lipkin: 1\nbodies:\n  - name: a\n    joint: free\n    name: b\n    joint: free\n"
                    "outputs: {x: body.b.x}\n")})
    EXPECT_EQ(mistakes_in(scene).size(), 1u) << scene << mistakes_in(scene).back();
}

// Hints are looked for at one place, not at every level of what stands around it.
// What was refused is there all the same for whatever names it: outputs, drives, commands.
TEST(SceneMistakes, WhatNamesARefusedPartIsNoMistake) {
  const auto uses = [&](const std::string& output, const std::string& path) {
    return "outputs: {x: " + output + "}\nexperiment: {duration: 1, commands: [{at: 0.1, set: {" + path + ": 1}}]}\n";
  };
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: m, joint: rod, velocity: 1, kp: 3}]") +
                        uses("motor.m.force", "motor.m.target")),
            Lines{"s.yaml:3:45: error: unknown key 'kp' in a motor (write stiffness: 3)"});
  EXPECT_EQ(mistakes_in(with_line("tendons: [{name: rope, path: [rod]}]") +
                        "motors: [{name: m, tendon: rope, velocity: 1}]\n" +
                        uses("tendon.rope.length", "tendon.rope.stiffness")),
            Lines{"s.yaml:3:31: error: item 1 of 'path' must be a part of a tendon's path, not 'rod' (write "
                  "{point: rod})"});
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: m, joint: rod, velocity: \"step(t, 0, 0, 1, 5)\"}]") +
                        uses("motor.m.force", "motor.m.target")),
            Lines{"s.yaml:3:43: error: 'velocity': the function 'step' takes 1 argument, not 5 in 'step(t, 0, 0, 1, "
                  "5)' (a smooth step from h0 at x0 to h1 at x1 is h0 + (h1 - h0)*smoothstep(x, x0, x1))"});
  EXPECT_EQ(mistakes_in(with_line("springs: [{name: s, from: {body: world}, to: {body: rod}, stifness: 3}]") +
                        uses("spring.s.force", "spring.s.stiffness")),
            Lines{"s.yaml:3:59: error: unknown key 'stifness' in a spring (did you mean 'stiffness'?)"});
}

TEST(SceneMistakes, HabitsOfOtherPrograms) {
  EXPECT_EQ(mistakes_in(with_line("points: [{name: p, body: rod, at: [0, 0, 1,5]}]")),
            Lines{"s.yaml:3:35: error: 'at' must have 3 values, not 4 (write 1.5 with a point for 1,5)"});
  EXPECT_EQ(mistakes_in(with_line("outputs: {speed: joint.rod.w}")),
            Lines{"s.yaml:3:18: error: output 'speed': unknown variable 'joint.rod.w': there is no 'w' here, expected "
                  "one of q, u, a, tau, limit, fx, fy, fz, nx, ny, nz (write joint.rod.u)"});
  EXPECT_EQ(
      mistakes_in(with_joint("type: revolute, limit: {lower: -2, upper: 0, effort: 60, velocity: 5}")),
      Lines{"s.yaml:4:75: error: unknown key 'limit' in a joint (write limits: {lower: -2, upper: 0}; effort: the "
            "motor or actuator that drives the joint has it, as max_force: 60 or as max: 60; velocity: an "
            "actuator that drives the joint has it, as max_speed: 5)"});
  EXPECT_EQ(mistakes_in(with_line("actuators: [{name: a, joint: rod, ctrlrange: [-1, 2]}]")),
            Lines{"s.yaml:3:35: error: unknown key 'ctrlrange' in an actuator (write min: -1, max: 2)"});
  EXPECT_EQ(mistakes_in(with_line("actuators: [{name: a, joint: rod, gear: [10, 0, 0]}]")),
            Lines{"s.yaml:3:13: error: actuator 'a': 3 gears for the 1 direction of joint 'rod' (write gear: 10)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nparameters: {a: 2*b, b: 1}\n"),
            Lines{"s.yaml:2:17: error: unknown parameter 'b' (it is defined below: move it up)"});
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: drive, joint: rod, velocity: 1}]") +
                        "gears: [{name: g, joint: rod, of: drive, ratio: 2}]\n"),
            Lines{"s.yaml:4:9: error: gear 'g': there is no joint 'drive' ('drive' is the motor of joint 'rod': write "
                  "rod)"});
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: m, joint: rod, dof: 1, velocity: 1}]")),
            Lines{"s.yaml:3:10: error: motor 'm': dof 1 of the revolute joint 'rod'; it has 1 (they count from 0: 0 to "
                  "0)"});
  EXPECT_EQ(
      mistakes_in("lipkin: 1\nbodies: [{name: rod, parent: base_link, joint: revolute, mass: 1, inertia: [1, 1, "
                  "1]}]\n"),
      Lines{"s.yaml:2:30: error: joint 'rod': there is no body 'base_link' to be its parent (write parent: world, "
            "or the name of a body of the scene)"});
}

TEST(SceneMistakes, DeepMistakesAreToldAtOnce) {
  std::string value = "{x: [1, 2]}";
  for (int i = 0; i < 24; ++i) value = "{first: " + value + ", next: " + (i % 2 ? "[1]" : "{y: z}") + "}";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(mistakes_in(with_body("mass: 1, joint: free, com: " + value)).empty());
  EXPECT_FALSE(mistakes_in(with_body("mass: 1, joint: " + value)).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(5));  // milliseconds; doubling would take hours
}

TEST(SceneMistakes, ManyMistakesAreCutShort) {
  std::string text = "lipkin: 1\n";
  for (int i = 0; i < 1000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  const Lines lines = mistakes_in(text);
  ASSERT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines.back(), "error: more mistakes follow; these are the first 100");
}

TEST(SceneWarnings, DegreesAndMillimetres) {
  EXPECT_EQ(warnings_in(with_joint("type: revolute, q: 90")),
            Lines{"s.yaml:4:78: warning: 'q' is 90 rad, 14.3 turns (angles are in radians: 90 degrees are 90*deg)"});
  EXPECT_EQ(warnings_in(with_joint("type: universal, q: [90*deg, -45]")).size(), 1u);
  EXPECT_EQ(warnings_in(with_joint("type: prismatic, q: 90")), Lines{});
  EXPECT_EQ(warnings_in(with_joint("type: revolute, q: 20*pi")), Lines{});
  EXPECT_EQ(warnings_in(with_joint("type: ball, orientation: {rpy: [0, 0, 90]}")).size(), 1u);
  const auto body = [](const std::string& shape) {
    return warnings_in("lipkin: 1\nbodies: [{name: b, joint: revolute, shapes: [" + shape + "]}]\n");
  };
  EXPECT_EQ(
      body("{box: {size: [200, 20, 20]}, mass: 0.5}"),
      Lines{"s.yaml:2:46: warning: body 'b' is 200 m large and has 0.5 kg (lengths are in metres: 200 mm are 0.2)"});
  EXPECT_EQ(body("{box: {size: [200, 20, 20]}, density: 7850}").size(), 1u);
  EXPECT_EQ(body("{box: {size: [0.2, 0.02, 0.02]}, mass: 0.5}"), Lines{});
  EXPECT_EQ(body("{box: {size: [100, 20, 20]}, mass: 100000}"), Lines{});  // a hall
  EXPECT_EQ(body("{sphere: {radius: 1}, mass: 0.5}"), Lines{});            // a balloon
}

TEST(SceneWarnings, FallsForEver) {
  const auto count = [](const std::string& world, const std::string& contact, const std::string& more = "") {
    return warnings_in("lipkin: 1\nmaterials: {m: {}}\n" + world +
                       "bodies: [{name: b, joint: free, shapes: [{sphere: {radius: 0.1}, mass: 1" + contact + "}]}]\n" +
                       more)
        .size();
  };
  const std::string ground = "world: {shapes: [{plane: {}}]}\n",
                    touching = "world: {shapes: [{plane: {}, contact: m}]}\n";
  EXPECT_EQ(count(ground, ""), 1u);
  EXPECT_EQ(count(touching, ""), 1u);
  EXPECT_EQ(count(ground, ", contact: m"), 1u);
  EXPECT_EQ(count(touching, ", contact: m"), 0u);
  EXPECT_EQ(count("", ""), 1u);
  EXPECT_EQ(count("", "", "experiment: {duration: 0.5}\n"), 0u);  // a throw
  EXPECT_EQ(count("gravity: [0, 0, 0]\n", ""), 0u);
  EXPECT_EQ(count(ground, "", "springs: [{name: s, from: {body: world}, to: {body: b}, stiffness: 1}]\n"), 0u);
  EXPECT_EQ(count(ground, "", "forces: [{name: f, body: b, force: [0, 0, 9.81]}]\n"), 0u);
}

// A strut in N/mm under 300 kg; a coil under a small mass, and one beside a motor, may be as soft as they like.
TEST(SceneWarnings, SpringsInNewtonsPerMillimetre) {
  const auto car = [](const std::string& stiffness, const std::string& more) {
    return "lipkin: 1\n"
           "bodies: [{name: chassis, mass: 300, joint: {type: prismatic, axis: z, at: [0, 0, 0.5]}}]\n"
           "springs:\n"
           "  - {name: strut, from: {body: world}, to: {body: chassis}, stiffness: " +
           stiffness + ", rest_length: 0.6}\n" + more;
  };
  EXPECT_EQ(warnings_in(car("25", "")),
            Lines{"s.yaml:4:5: warning: spring 'strut' holds what weighs 2.94e+03 N, and over its whole length no more "
                  "than 15 N (stiffness is in N/m: 25 N/mm are 25000)"});
  EXPECT_EQ(warnings_in(car("25000", "")), Lines{});
  EXPECT_EQ(warnings_in(car("200", "")), Lines{});
  EXPECT_EQ(warnings_in(car("25", "motors: [{name: m, joint: chassis, position: 0}]\n")), Lines{});
}

TEST(SceneWarnings, LegalButSuspicious) {
  EXPECT_EQ(
      warnings_in(
          "lipkin: 1\nparameters: {a: 1, b: a}\nbodies: [{name: rod, joint: free, mass: 1, inertia: [1, 1, 1]}]\n"),
      Lines{"s.yaml:2:20: warning: the parameter 'b' is never used"});
  EXPECT_EQ(warnings_in(with_joint("type: ball, axis: x")),
            Lines{"s.yaml:4:77: warning: 'axis' has no effect on a ball joint"});
  EXPECT_EQ(warnings_in(with_joint("type: screw")),
            Lines{"s.yaml:4:65: warning: 'type' screw without 'pitch' only turns, like a revolute joint"});
  EXPECT_EQ(warnings_in(with_joint("type: revolute, rest: 1")),
            Lines{"s.yaml:4:81: warning: 'rest' has no effect without 'stiffness'"});
  EXPECT_EQ(
      warnings_in(
          with_body("mass: length, com: [1, 0, 0], joint: {type: revolute, axis: y}, shapes: [{sphere: {radius: 1}}]")),
      Lines{"s.yaml:4:23: warning: 'rod' has extent but no 'inertia': it moves as a point mass (give the mass to its "
            "shapes instead)"});
  EXPECT_EQ(warnings_in(with_line("springs: [{name: s, from: {}, to: {body: rod, at: [1, 0, 0]}}]")),
            Lines{"s.yaml:3:11: warning: the spring 's' has neither stiffness nor damping: it does nothing"});
  EXPECT_EQ(warnings_in(with_line("experiment: {duration: 1, commands: [{at: 2, set: {gravity.x: 1}}]}")),
            Lines{"s.yaml:3:43: warning: the experiment ends at 1 s, before this command"});
}

}  // namespace
}  // namespace lipkin
