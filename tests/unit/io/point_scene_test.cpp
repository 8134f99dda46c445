// Points of scenes with axes and zones of their own, and what their variables read: closed forms.
#include <gtest/gtest.h>

#include "lipkin/export.hpp"
#include "lipkin/simulation.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

// An arm that turns about y at 2 rad/s, and a point 0.5 m out whose x axis is the arm's y axis.
const std::string kArm =
    "lipkin: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - {name: arm, mass: 3, com: [0.5, 0, 0], inertia: [0.01, 0.02, 0.03], joint: {type: revolute, axis: [0, 1, 0], "
    "u: 2}}\n"
    "  - {name: tool, parent: arm, mass: 1, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01], joint: {type: fixed, at: "
    "[0.5, 0, 0]}}\n"
    "points:\n"
    "  - {name: imu, body: arm, at: [0.5, 0, 0], orientation: {rpy: [0, 0, 1.5707963267948966]}}\n"
    "  - {name: grip, body: tool, zone: {capsule: {radius: 0.1, length: 0.2}}}\n";

TEST(PointScene, ReadsAsSensorsAlongItsOwnAxes) {
  const TemporaryScenes folder;
  const std::string outputs =
      "outputs:\n"
      "  gyro: {expr: point.imu.wbx, unit: rad/s}\n"
      "  velocity: point.imu.vbz\n"
      "  felt: {expr: point.imu.imu_ay, unit: m/s^2, evaluate: on_request}\n"
      "  pull: {expr: point.grip.load_fx, evaluate: on_request}\n"
      "  hold: {expr: body.arm.load_fx, evaluate: on_request}\n"
      "  turn: point.imu.xaxis_y\n"
      "  seen: relative.world.imu.y\n"
      "  carried: subtree.arm.mass\n"
      "  touch: point.grip.touch\n";
  const Scene scene = load_scene(folder.write("arm.yaml", kArm + outputs));
  const Scene again = load_scene(folder.write("again.yaml", write_scene(scene).text));
  EXPECT_EQ(write_scene(again).text, write_scene(scene).text);
  for (const Scene& each : {scene, again}) {
    const Simulation simulation(each);
    EXPECT_TRUE(std::isnan(simulation.outputs_at_hand()[2]));
    EXPECT_NEAR(simulation.output("gyro"), 2, 1e-14);
    EXPECT_NEAR(simulation.output("velocity"), -1, 1e-14);
    EXPECT_NEAR(simulation.output("felt"), 2, 1e-13);   // towards the axis, which its y axis points to
    EXPECT_NEAR(simulation.output("pull"), -2, 1e-13);  // m ω² r
    EXPECT_NEAR(simulation.output("hold"), -8, 1e-13);
    EXPECT_NEAR(simulation.output("turn"), 1, 1e-14);
    EXPECT_NEAR(simulation.output("seen"), 0.5, 1e-14);
    EXPECT_EQ(simulation.output("carried"), 4);
    EXPECT_EQ(simulation.output("touch"), 0);
  }
}

// A file that is included twice: every name of its expressions gets the prefix.
TEST(PointScene, NamesOfIncludedScenesGetThePrefix) {
  const TemporaryScenes folder;
  folder.write("arm.yaml",
               kArm + "outputs: {seen: relative.imu.arm.x, whole: subtree.arm.mass, all: subtree.world.mass}\n");
  const Scene scene = load_scene(folder.write("two.yaml",
                                              "lipkin: 1\n"
                                              "include:\n"
                                              "  - {file: arm.yaml, prefix: a_}\n"
                                              "  - {file: arm.yaml, prefix: b_, at: [0, 0, 1]}\n"));
  const Simulation simulation(scene);
  EXPECT_NEAR(simulation.output("a_seen"), 0.5, 1e-14);
  EXPECT_NEAR(simulation.output("b_seen"), 0.5, 1e-14);
  EXPECT_EQ(simulation.output("b_whole"), 4);
  EXPECT_EQ(simulation.output("b_all"), 8);
}

TEST(PointScene, MistakesSayWhatIsWrong) {
  const auto all = [](const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  };
  EXPECT_NE(all(mistakes_in(kArm + "outputs: {felt: point.imu.touch}\n")).find("has no zone"), std::string::npos);
  EXPECT_NE(all(mistakes_in(kArm + "  - {name: p, zone: {sphere: {radius: -1}}}\n")).find("radius"), std::string::npos);
  EXPECT_NE(all(mistakes_in(kArm + "  - {name: p, zone: {}}\n")).find("zone"), std::string::npos);
}

}  // namespace
}  // namespace lipkin::test
