#include <gtest/gtest.h>

#include <numbers>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::Lines;
using test::TemporaryScenes;

constexpr const char* kArm = R"yaml(lipkin: 1
gravity: [1, 2, 3]
parameters: {length: 1, force: 2}
bodies:
  - {name: upper, joint: {type: revolute, axis: z}, mass: length, inertia: [1, 1, 1], com: [length, 0, 0]}
  - {name: lower, parent: upper, joint: {type: revolute, axis: z, at: [length, 0, 0]}, mass: 1, inertia: [1, 1, 1]}
points:
  - {name: hand, body: lower, at: [length, 0, 0]}
  - {name: anchor, at: [0, 0, 1]}
springs: [{name: s, from: anchor, to: hand, stiffness: 1}]
bushings: [{name: b, from: {}, to: {body: upper}, stiffness: 0}]
forces: [{name: f, body: lower, force: ["force*joint.upper.q", 0, 0]}]
actuators: [{name: m, joint: upper, control: "length*sin(t)"
}]
outputs: {reach: "point.hand.x * length", e: energy.total}
experiment: {duration: 99}
)yaml";

TEST(Include, PutsAPrefixBeforeEveryNameAlsoInExpressions) {
  const TemporaryScenes scenes;
  scenes.write("parts/arm.yaml", kArm);
  const Scene scene = load_scene(scenes.write("s.yaml", R"(lipkin: 1
parameters: {span: 2}
bodies: [{name: torso, joint: free, mass: 1, inertia: [1, 1, 1]}]
include:
  - {file: parts/arm.yaml, prefix: left_, parent: torso, at: [0, span, 0]}
  - {file: parts/arm.yaml, prefix: right_, parent: torso, at: [0, -span, 0], orientation: {axis: x, angle: 180*deg}, parameters: {length: span/4}}
outputs: {angle: joint.left_upper.q}
)"));
  const Model& model = scene.model;
  EXPECT_TRUE(scene.warnings.empty());
  ASSERT_EQ(model.body_count(), 5);
  EXPECT_EQ(model.body_name(1), "left_upper");
  EXPECT_EQ(model.body_name(model.joint_parent(model.joint("left_upper"))), "torso");
  EXPECT_EQ(model.body_name(model.joint_parent(model.joint("right_lower"))), "right_upper");
  EXPECT_EQ(model.body_mass(model.body("right_upper")), 0.5);
  EXPECT_EQ(model.actuator_name(1), "right_m");
  EXPECT_EQ(model.gravity(), Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(scene.experiment.duration, Experiment().duration);
  Simulation simulation(scene);
  simulation.run(0);
  EXPECT_DOUBLE_EQ(simulation.output("left_reach"), 2);
  EXPECT_DOUBLE_EQ(simulation.output("right_reach"), 0.5);
  Dynamics dynamics(model);
  dynamics.set(initial_state(model));
  EXPECT_DOUBLE_EQ(dynamics.variable("body.right_upper.y"), -2);
  // Of the included world, 1 above its origin: turned over on the right.
  EXPECT_DOUBLE_EQ(dynamics.variable("point.left_anchor.z"), 1);
  EXPECT_DOUBLE_EQ(dynamics.variable("point.right_anchor.z"), -1);
}

TEST(Include, ComposesFramesAndPrefixesOfNestedFiles) {
  const TemporaryScenes scenes;
  scenes.write("tip.yaml",
               "lipkin: 1\nbodies: [{name: tip, joint: {type: prismatic, axis: x, at: [1, 0, 0], q: 2}, mass: 1, "
               "inertia: [1, 1, 1]}]\n");
  scenes.write(
      "mid.yaml",
      "lipkin: 1\ninclude: [{file: tip.yaml, prefix: b_, at: [0, 0, 1], orientation: {axis: z, angle: 90*deg}}]\n");
  const Scene scene = load_scene(scenes.write(
      "s.yaml",
      "lipkin: 1\ninclude: [{file: mid.yaml, prefix: a_, at: [10, 0, 0], orientation: {axis: z, angle: 90*deg}}]\n"));
  Dynamics dynamics(scene.model);
  dynamics.set(initial_state(scene.model));
  // (3, 0, 0) turned by 180 deg about z, raised by 1, moved by 10 along x.
  EXPECT_NEAR(dynamics.variable("body.a_b_tip.x"), 7, 1e-14);  // rounding
  EXPECT_NEAR(dynamics.variable("body.a_b_tip.y"), 0, 1e-14);
  EXPECT_NEAR(dynamics.variable("body.a_b_tip.z"), 1, 1e-14);
}

TEST(Include, CanBeRepeated) {
  const TemporaryScenes scenes;
  scenes.write(
      "wheel.yaml",
      "lipkin: 1\nparameters: {r: 1}\nbodies: [{name: wheel, joint: revolute, mass: r, inertia: [1, 1, 1]}]\n");
  const Scene scene = load_scene(scenes.write("s.yaml",
                                              "lipkin: 1\ninclude: [{file: wheel.yaml, prefix: 'w{i}_', at: [i, 0, 0], "
                                              "parameters: {r: i}, repeat: {count: 4}}]\n"));
  ASSERT_EQ(scene.model.body_count(), 4);
  EXPECT_EQ(scene.model.body_name(3), "w4_wheel");
  EXPECT_EQ(scene.model.body_mass(3), 4);
}

// The part's world is the place where it is mounted, also for what is seen from there.
TEST(Include, PlacesSeenFromTheWorldOfAPart) {
  const TemporaryScenes scenes;
  const std::string part = scenes.write("part.yaml", R"(lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x}}]
forces: [{name: f, body: a, frame: body, force: [relative.a.world.x + 1, 0, 0]}]
outputs: {x: relative.a.world.x}
)");
  Simulation alone(load_scene(part));
  alone.run(1);
  EXPECT_GT(alone.output("x"), 0.5);
  for (const char* mount :
       {"at: [5, 0, 0]", "parent: base, at: [5, 1, 0], orientation: {axis: z, angle: 1}", "parent: base"}) {
    Simulation mounted(load_scene(scenes.write("s.yaml", std::string(R"(lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: base, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, at: [0, 3, 0]}}]
include: [{file: part.yaml, prefix: p_, )") + mount + "}]\n")));
    mounted.run(1);
    EXPECT_NEAR(mounted.output("p_x"), alone.output("x"), 1e-12) << mount;
  }
}

TEST(Include, StaysInTheFolderOfTheScene) {
  const TemporaryScenes scenes;
  scenes.write("outside.yaml", "lipkin: 1\n");
  scenes.write("in/deep/part.yaml", "lipkin: 1\ninclude: [{file: ../sibling.yaml}]\n");
  scenes.write("in/sibling.yaml", "lipkin: 1\n");
  scenes.write("in/fine.yaml", "lipkin: 1\ninclude: [{file: deep/part.yaml}]\n");
  EXPECT_EQ(scenes.mistakes("in/fine.yaml"), Lines{});
  const auto including = [&](const std::string& file) {
    scenes.write("in/s.yaml", "lipkin: 1\ninclude: [{file: '" + file + "'}]\n");
    return scenes.mistakes("in/s.yaml");
  };
  const std::string outside = "': it lies outside the folder of the scene";
  const std::string place = "in/s.yaml:2:18: error: cannot include '";
  EXPECT_EQ(including("../outside.yaml"), Lines{place + "../outside.yaml" + outside});
  EXPECT_EQ(including("deep/../../outside.yaml"), Lines{place + "deep/../../outside.yaml" + outside});
  EXPECT_EQ(including("/etc/passwd"), Lines{place + "/etc/passwd': expected a path relative to this file"});
  EXPECT_EQ(including("none.yaml"), Lines{place + "none.yaml': there is no such file"});
  EXPECT_EQ(including(""), Lines{place + "': expected a path relative to this file"});
  std::filesystem::create_symlink(scenes.folder() / "outside.yaml", scenes.folder() / "in" / "link.yaml");
  EXPECT_EQ(including("link.yaml"), Lines{place + "link.yaml" + outside});
}

TEST(Include, RefusesCircles) {
  const TemporaryScenes scenes;
  scenes.write("s.yaml", "lipkin: 1\ninclude: [{file: s.yaml}]\n");
  EXPECT_EQ(scenes.mistakes("s.yaml"), Lines{"s.yaml:2:18: error: cannot include 's.yaml': it includes itself"});
  scenes.write("a.yaml", "lipkin: 1\ninclude: [{file: b.yaml}]\n");
  scenes.write("b.yaml", "lipkin: 1\ninclude: [{file: a.yaml}]\n");
  EXPECT_EQ(scenes.mistakes("a.yaml"), Lines{"b.yaml:2:18: error: cannot include 'a.yaml': it includes itself"});
}

TEST(Include, IsBoundedInDepthAndNumber) {
  const TemporaryScenes scenes;
  for (int i = 0; i < 20; ++i)
    scenes.write("f" + std::to_string(i) + ".yaml",
                 "lipkin: 1\ninclude: [{file: f" + std::to_string(i + 1) + ".yaml}]\n");
  scenes.write("f20.yaml", "lipkin: 1\n");
  EXPECT_EQ(scenes.mistakes("f0.yaml"),
            Lines{"f15.yaml:2:18: error: cannot include 'f16.yaml': more than 16 files within one another"});
  for (int i = 0; i < 10; ++i)
    scenes.write("g" + std::to_string(i) + ".yaml",
                 "lipkin: 1\ninclude: [{file: g" + std::to_string(i + 1) + ".yaml, repeat: {count: 10}}]\n");
  scenes.write("g10.yaml", "lipkin: 1\n");
  const Lines lines = scenes.mistakes("g0.yaml");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("more than 10000 files, repetitions included"), std::string::npos) << lines[0];
}

TEST(Include, MistakesAreReportedWhereTheyStand) {
  const TemporaryScenes scenes;
  scenes.write("part.yaml",
               "lipkin: 1\nparameters: {length: 1}\nbodies: [{name: a, joint: free, mass: -length, nmae: x}]\n");
  scenes.write(
      "s.yaml",
      "lipkin: 1\ninclude: [{file: part.yaml, prefix: a_, parameters: {lenght: 1}}, {file: part.yaml, prefix: b_}]\n");
  EXPECT_EQ(scenes.mistakes("s.yaml"),
            (Lines{"part.yaml:3:48: error: unknown key 'nmae' in a body (did you mean 'name'?)",
                   "s.yaml:2:54: error: 'part.yaml' has no parameter 'lenght' (did you mean 'length'?)"}));
  scenes.write("part.yaml", "lipkin: 1\nbodies: [");
  EXPECT_EQ(scenes.mistakes("s.yaml").front().rfind("part.yaml:2:9: error: not valid YAML: ", 0), 0u);
}

// One line where the second file is named, not one for each name in it.
TEST(Include, TheSameFileTwiceNeedsAPrefix) {
  const TemporaryScenes scenes;
  scenes.write("arm.yaml", kArm);
  scenes.write("s.yaml", "lipkin: 1\ninclude:\n  - {file: arm.yaml}\n  - {file: arm.yaml, at: [1, 0, 0]}\n");
  EXPECT_EQ(scenes.mistakes("s.yaml"),
            (Lines{"s.yaml:4:12: error: 'arm.yaml' is included twice with the same prefix: its names would be there "
                   "twice (write prefix: second_ beside 'file'; what it calls NAME is then second_NAME)"}));
  scenes.write("s.yaml", "lipkin: 1\ninclude: [{file: arm.yaml, repeat: {count: 3, index: k}, at: [k, 0, 0]}]\n");
  EXPECT_EQ(scenes.mistakes("s.yaml"),
            (Lines{"s.yaml:2:18: error: 'arm.yaml' is included twice with the same prefix: its names would be there "
                   "twice (write prefix: \"p{k}_\" beside 'file'; what it calls NAME is then p1_NAME)"}));
  scenes.write("block.yaml", "lipkin: 1\nworld: {shapes: [{box: {size: [1, 1, 1]}}]}\n");
  scenes.write("s.yaml", "lipkin: 1\ninclude: [{file: block.yaml}, {file: block.yaml, at: [2, 0, 0]}]\n");
  EXPECT_EQ(scenes.mistakes("s.yaml"), Lines{});
}

// The nearest name would lead to a change at every use.
TEST(Include, APrefixWithoutItsUnderscoreIsToldWhereItIsMissed) {
  const TemporaryScenes scenes;
  scenes.write("leg.yaml", "lipkin: 1\nbodies: [{name: hip, joint: revolute, mass: 1, inertia: [1, 1, 1]}]\n");
  scenes.write("s.yaml",
               "lipkin: 1\ninclude: [{file: leg.yaml, prefix: left}]\n"
               "motors: [{name: m, joint: left_hip, velocity: 1}]\noutputs: {q: joint.left_hip.q}\n");
  const std::string hint = "(names of an included part are its prefix and the name: write prefix: left_)";
  EXPECT_EQ(
      scenes.mistakes("s.yaml"),
      (Lines{"s.yaml:3:10: error: motor 'm': there is no joint 'left_hip' " + hint,
             "s.yaml:4:14: error: output 'q': unknown variable 'joint.left_hip.q': there is no joint 'left_hip' " +
                 hint}));
}

// What inspect lists, --set changes: also what included files have, by the names that it shows.
TEST(Include, ParametersOfPartsCanBeSet) {
  const TemporaryScenes scenes;
  scenes.write("parts/arm.yaml", kArm);
  const std::string scene = scenes.write("s.yaml", R"(lipkin: 1
parameters: {span: 2}
include:
  - {file: parts/arm.yaml, prefix: left_}
  - {file: parts/arm.yaml, prefix: right_, parameters: {length: span/4}}
)");
  const Model as_written = load_scene(scene).model;
  std::vector<std::string> names;
  for (int i = 0; i < as_written.parameter_count(); ++i) {
    const ParameterSpec& p = as_written.parameter(i);
    names.push_back(p.name);
    EXPECT_EQ(p.derived_from, p.name == "right_length" ? "span/4" : "") << p.name;
    const Model changed = load_scene(scene, {{p.name, "7*0.5"}}).model;
    EXPECT_EQ(changed.parameter(i).value, 3.5) << p.name;
  }
  EXPECT_EQ(names, (Lines{"span", "left_length", "left_force", "right_length", "right_force"}));
  EXPECT_EQ(load_scene(scene, {{"left_length", "3"}}).model.body_mass(0), 3);
  const Model both = load_scene(scene, {{"right_length", "3"}, {"span", "8"}}).model;
  EXPECT_EQ(both.body_mass(both.body("right_upper")), 3);  // no longer derived
  EXPECT_EQ(scenes.mistakes("s.yaml", {{"left_lenght", "3"}}),
            (Lines{"--set left_lenght=3: error: the scene has no parameter 'left_lenght' (did you mean "
                   "'left_length'?)"}));
  EXPECT_EQ(scenes.mistakes("s.yaml", {{"left_length", "[1, 2]"}}),
            (Lines{"--set left_length=[1, 2]: error: 'length' must be a number"}));
}

}  // namespace
}  // namespace lipkin
