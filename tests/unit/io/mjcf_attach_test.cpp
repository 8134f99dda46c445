// <attach> against the same model written out by hand, and mistakes in it.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cstdio>

#include "lipkin/dynamics.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

// In radians, with axes z y x and defaults of its own; a mesh in a folder beside it.
constexpr const char* kGripper = R"(<mujoco model="gripper">
  <compiler angle="radian" eulerseq="zyx" meshdir="meshes"/>
  <default>
    <geom density="700"/><joint axis="0 1 0" armature="0.02"/>
    <default class="block"><geom type="box" size=".02 .03 .04"/></default>
  </default>
  <asset><mesh file="wedge.obj"/></asset>
  <worldbody>
    <body name="palm" pos=".1 .2 .3" euler=".3 .2 .1" childclass="block">
      <joint name="wrist" range="-1 1" ref=".2"/><geom/>
      <body name="finger" pos="0 .1 0" euler="0 .5 0">
        <joint name="bend" axis="1 0 0"/><geom pos=".05 0 0"/><geom class="main" type="mesh" mesh="wedge"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="turn" joint="wrist"/><motor name="close" joint="bend"/></actuator>
</mujoco>)";

constexpr const char* kWedge = "v 0 0 0\nv .1 0 0\nv 0 .2 0\nv 0 0 .3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

constexpr const char* kArm = R"(<mujoco>
  <default><geom density="300"/><joint damping="1"/></default>
  <asset><model name="gripper" file="parts/gripper.xml"/></asset>
  <worldbody>
    <body name="arm">
      <joint name="wrist" axis="0 0 1"/><geom size=".1" pos=".2 0 0"/>
      <frame pos=".3 0 0" euler="0 90 0"><attach model="gripper" body="palm" prefix="left_"/></frame>
      <attach model="gripper" body="finger" prefix="right_"/>
    </body>
  </worldbody>
</mujoco>)";

// Angles in degrees and axes x y z, so the poses of the gripper are quaternions here: (.3, .2, .1) about z, y, x and .5
// about y.
constexpr const char* kWrittenOut = R"(<mujoco>
  <asset><mesh name="wedge" file="parts/meshes/wedge.obj"/></asset>
  <worldbody>
    <body name="arm">
      <joint name="wrist" axis="0 0 1"/><geom size=".1" pos=".2 0 0" density="300"/>
      <frame pos=".3 0 0" quat=".70710678118654752 0 .70710678118654752 0">
        <body name="left_palm" pos=".1 .2 .3" xyaxes="@X @Y">
          <joint name="left_wrist" axis="0 1 0" armature=".02" ref="11.459155902616464"/>
          <geom type="box" size=".02 .03 .04" density="700"/>
          <body name="left_finger" pos="0 .1 0" axisangle="0 1 0 28.647889756541161">
            <joint name="left_bend" axis="1 0 0" armature=".02"/>
            <geom type="box" size=".02 .03 .04" density="700" pos=".05 0 0"/>
            <geom type="mesh" mesh="wedge" density="700"/>
          </body>
        </body>
      </frame>
      <body name="right_finger" pos="0 .1 0" axisangle="0 1 0 28.647889756541161">
        <joint name="right_bend" axis="1 0 0" armature=".02"/>
        <geom type="box" size=".02 .03 .04" density="700" pos=".05 0 0"/>
        <geom type="mesh" mesh="wedge" density="700"/>
      </body>
    </body>
  </worldbody>
</mujoco>)";

// kWrittenOut with the axes of the palm, which is turned by .3 about z, then .2 about y, then .1 about x.
std::string written_out() {
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(.3, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(.2, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(.1, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  std::string text = kWrittenOut;
  for (const int axis : {0, 1}) {
    char numbers[100];
    std::snprintf(numbers, sizeof numbers, "%.17g %.17g %.17g", R(0, axis), R(1, axis), R(2, axis));
    text.replace(text.find(axis == 0 ? "@X" : "@Y"), 2, numbers);
  }
  return text;
}

class MjcfAttach : public ::testing::Test {
 protected:
  MjcfAttach() {
    folder_.write("parts/gripper.xml", kGripper);
    folder_.write("parts/meshes/wedge.obj", kWedge);
  }

  void expect_refused(const std::string& text, const std::string& words) {
    folder_.write("m.xml", text);
    std::string all;
    for (const std::string& line : folder_.mistakes("m.xml")) all += line + "\n";
    EXPECT_NE(all.find(words), std::string::npos) << words << " is not in: " << all;
  }

  TemporaryScenes folder_;
};

TEST_F(MjcfAttach, MovesAsWrittenOut) {
  Dynamics attached(load_scene(folder_.write("m.xml", kArm)).model);
  Dynamics flat(load_scene(folder_.write("flat.xml", written_out())).model);
  const std::vector<double> q{.1, .2, -.3, .4}, u{1, -.5, .2, .7};
  attached.set(q, u);
  flat.set(q, u);
  ASSERT_EQ(attached.model().u_count(), 4);
  const Eigen::MatrixXd M = flat.mass_matrix();
  const double scale = M.cwiseAbs().maxCoeff();
  EXPECT_LT((attached.mass_matrix() - M).cwiseAbs().maxCoeff(), 1e-12 * scale);  // rounding of the poses
  EXPECT_LT((attached.bias() - flat.bias()).cwiseAbs().maxCoeff(), 1e-12 * flat.bias().cwiseAbs().maxCoeff());
}

TEST_F(MjcfAttach, BringsWhatRefersToItAndNothingElse) {
  const Model model = load_scene(folder_.write("m.xml", kArm)).model;
  for (const char* body : {"left_palm", "left_finger", "right_finger"}) EXPECT_GE(model.body(body), 0) << body;
  for (const char* actuator : {"left_turn", "left_close", "right_close"})
    EXPECT_GE(model.actuator(actuator), 0) << actuator;
  EXPECT_EQ(model.actuator_count(), 3);  // the wrist of the right one is not there to be turned
}

TEST_F(MjcfAttach, RefusesWhatIsNotThere) {
  const auto arm = [](const std::string& file, const std::string& attach) {
    return "<mujoco><asset><model name='g' file='" + file + "'/></asset><worldbody>" + attach + "</worldbody></mujoco>";
  };
  const std::string palm = "<attach model='g' body='palm' prefix='a'/>";
  expect_refused(arm("parts/gripper.xml", "<attach model='h' body='palm' prefix='a'/>"), "'h', which is not among");
  expect_refused(arm("parts/gripper.xml", "<attach model='g' body='thumb' prefix='a'/>"), "the body 'thumb', which");
  expect_refused(arm("parts/gripper.xml", palm + palm), "'awedge' is defined twice");
  expect_refused(arm("parts/other.xml", palm), "'parts/other.xml'");
  expect_refused(arm("../other.xml", palm), "outside");
  expect_refused(arm("m.xml", palm), "attaches itself");
}

// Each of nine models attaches the next one ten times.
TEST_F(MjcfAttach, RefusesToGrowWithoutBound) {
  for (int i = 0; i < 9; ++i) {
    std::string inside = "<body name='b'><geom size='1'/>";
    for (int k = 0; k < 10; ++k) inside += "<attach model='n' prefix='" + std::to_string(k) + "'/>";
    const std::string next = i < 8 ? "m" + std::to_string(i + 1) + ".xml" : "parts/gripper.xml";
    folder_.write(i == 0 ? "m.xml" : "m" + std::to_string(i) + ".xml", "<mujoco><asset><model name='n' file='" + next +
                                                                           "'/></asset><worldbody>" + inside +
                                                                           "</body></worldbody></mujoco>");
  }
  std::string all;
  for (const std::string& line : folder_.mistakes("m.xml")) all += line + "\n";
  EXPECT_NE(all.find("which is the limit"), std::string::npos) << all;
}

}  // namespace
}  // namespace lipkin::test
