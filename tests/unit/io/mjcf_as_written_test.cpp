// Files as other programs write them: what they leave blank, round or repeat, and what the motion loses by the import.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

class MjcfAsWritten : public ::testing::Test {
 protected:
  Scene load(const std::string& inside) {
    return load_scene(folder_.write("m.xml", "<mujoco>" + inside + "</mujoco>"));
  }

  static std::string warnings(const Scene& scene) {
    std::string all;
    for (const Diagnostic& warning : scene.warnings) all += warning.text() + "\n";
    return all;
  }

  TemporaryScenes folder_;
};

// I = 12/12 (1 + 0.04) + 0 kg m^2 about the hinge of a box of 1 x 0.2 x 0.2 m.
std::string driven_box(const std::string& actuator, const std::string& key = "") {
  return "<option gravity='0 0 0' timestep='0.001'/><worldbody><body><joint name='j' axis='0 0 1'/><geom type='box' "
         "size='.5 .1 .1' mass='12'/></body></worldbody><actuator>" +
         actuator + "</actuator>" + key;
}

const std::string kSpeedServo = "<velocity name='v' joint='j' kv='20' forcerange='-3 3' ctrlrange='-1 1' gear='2'/>";

// The force is clamp(20 (control - 2 u), -3, 3), twice that on the joint: MuJoCo 2.2.2 settles at u = control / 2 and
// gives -3 N m at 5 rad/s.
TEST_F(MjcfAsWritten, TheForceRangeOfASpeedServoHoldsForItsWholeForce) {
  const Scene scene = load(driven_box(kSpeedServo, "<keyframe><key ctrl='1' qvel='0'/></keyframe>"));
  EXPECT_TRUE(scene.warnings.empty()) << warnings(scene);
  Simulation simulation(scene);
  simulation.set_watches({"motor.v.force"});
  simulation.run(0.01);
  EXPECT_NEAR(simulation.watched()[0], 6, 1e-9);
  EXPECT_NEAR(simulation.velocities()[0], 0.01 * 6 / 1.04, 1e-12);
  simulation.run(1.99);
  EXPECT_NEAR(simulation.velocities()[0], 0.5, 1e-9);
  simulation.set("control.v", 0);
  simulation.velocities()[0] = 5;
  simulation.state_written();
  simulation.step();
  EXPECT_NEAR(simulation.watched()[0], -6, 1e-9);
}

// Without a range it is what it was: an actuator and a damper.
TEST_F(MjcfAsWritten, ASpeedServoWithoutAForceRangeIsADamper) {
  const Scene scene = load(driven_box("<velocity name='v' joint='j' kv='20'/>"));
  EXPECT_EQ(scene.model.motor_count(), 0);
  EXPECT_EQ(scene.model.actuator_count(), 1);
}

TEST_F(MjcfAsWritten, ABlankColourIsNone) {
  const Scene scene = load(
      "<default><geom rgba='.1 .2 .3 1'/></default><worldbody><body><joint/><geom size='.1' "
      "rgba=' '/></body></worldbody>");
  EXPECT_TRUE(scene.warnings.empty()) << warnings(scene);
}

// MuJoCo names the copies by their numbers alone.
TEST_F(MjcfAsWritten, APrefixOfReplicateIsNoMistake) {
  const Scene scene = load(
      "<worldbody><replicate count='2' offset='1 0 0' prefix='p_' childclass='main'><body name='b'>"
      "<joint/><geom size='.1'/></body></replicate></worldbody>");
  EXPECT_EQ(scene.model.body_name(1), "b1");
}

const std::string kFinger =
    "<body name='palm' pos='1 0 0'><body name='finger'><joint name='bend'/><geom size='.1' pos='.1 0 0'/><site "
    "name='tip'/></body></body>";

// As MuJoCo does, with what refers to the copied part alone.
TEST_F(MjcfAsWritten, AttachWithoutAModelRepeatsAPartOfThisOne) {
  const Scene scene = load("<worldbody>" + kFinger +
                           "<body name='other'><frame pos='0 2 0'><attach body='finger' prefix='second_'/></frame>"
                           "</body></worldbody><actuator><motor name='m' joint='bend'/></actuator>"
                           "<sensor><jointpos name='p' joint='bend'/><clock name='now'/></sensor>");
  const Model& model = scene.model;
  EXPECT_EQ(model.body_name(model.joint_parent(model.joint("second_bend"))), "other");
  ASSERT_EQ(model.actuator_count(), 2);
  EXPECT_EQ(model.actuator_name(1), "second_m");
  EXPECT_EQ(model.output_count(), 3);
  Dynamics dynamics(model);
  EXPECT_LT((dynamics.body_motion(model.body("second_finger")).pose.position - Eigen::Vector3d(0, 2, 0)).norm(), 1e-15);
}

TEST_F(MjcfAsWritten, AnAttachedPartOfTheModelMustBeNamedAndCannotHoldItself) {
  const auto mistake = [&](const std::string& attach) {
    folder_.write("m.xml", "<mujoco><worldbody>" + kFinger + attach + "</worldbody></mujoco>");
    const Lines lines = folder_.mistakes("m.xml");
    return lines.empty() ? std::string("accepted") : lines[0];
  };
  EXPECT_NE(mistake("<attach prefix='a_'/>").find("'body' or 'frame'"), std::string::npos);
  EXPECT_NE(mistake("<attach body='finger'/>").find("'prefix'"), std::string::npos);
  EXPECT_NE(mistake("<attach body='fingr' prefix='a_'/>").find("does not have"), std::string::npos);
  EXPECT_NE(mistake("<body name='x'><attach body='x' prefix='a_'/></body>").find("attaches itself"), std::string::npos);
}

// Numbers of MuJoCo 2.2.2: a body without a place has the frame of its inertia.
TEST_F(MjcfAsWritten, InGlobalCoordinatesABodyMayFollowItsInertia) {
  const Scene scene = load(
      "<compiler coordinate='global'/><worldbody><body name='a'><joint name='j' pos='0 0 0' axis='0 1 0'/><inertial "
      "pos='1 2 3' mass='1' diaginertia='1 2 2.5' euler='0 0 30'/><body name='b' quat='1 0 0 1'><joint name='k' "
      "pos='2 0 0' axis='1 0 0'/><geom type='box' size='.1 .2 .3' pos='2 0 1' euler='30 0 "
      "0'/></body></body></worldbody>");
  Dynamics dynamics(scene.model);
  const auto expect_pose = [&](const char* name, const Eigen::Vector3d& p, const Eigen::Quaterniond& r) {
    const Pose pose = dynamics.body_motion(scene.model.body(name)).pose;
    EXPECT_LT((pose.position - p).norm(), 1e-14) << name;
    EXPECT_LT(pose.orientation.angularDistance(r), 1e-7) << name;
  };
  expect_pose("a", {1, 2, 3}, Eigen::Quaterniond(std::cos(kPi / 12), 0, 0, std::sin(kPi / 12)));
  expect_pose("b", {2, 0, 1}, Eigen::Quaterniond(std::cos(kPi / 12), std::sin(kPi / 12), 0, 0));
  // About j, through the world's origin along y: I_yy of a, turned by 30 degrees about z, its mass at a distance of
  // sqrt(10), and the box of 48 kg turned about x.
  const double a = 1 * 0.25 + 2 * 0.75 + 10, yy = 48.0 / 3 * (0.01 + 0.09), zz = 48.0 / 3 * (0.01 + 0.04);
  const double b = yy * 0.75 + zz * 0.25 + 48 * 5;
  dynamics.set(std::vector{0.0, 0.0}, std::vector{0.0, 0.0});
  EXPECT_NEAR(dynamics.mass_matrix()(0, 0), a + b, 1e-11);
}

// The pose of a weld is that of its anchor, a point of the second body, in the first: MuJoCo 2.2.2 settles there.
TEST_F(MjcfAsWritten, AWeldHoldsWhereItsAnchorAndPoseSay) {
  const Scene scene = load(
      "<option gravity='0 0 0'/><worldbody><body name='a'><freejoint/><geom size='.1'/></body><body name='b' "
      "pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody><equality><weld body1='a' body2='b' "
      "anchor='0.5 0 0' relpose='1 0 0 0.70710678118654752 0 0 0.70710678118654752'/></equality>");
  Simulation simulation(scene);
  const BodyMotion a = simulation.body_motion(0), b = simulation.body_motion(1);
  const Eigen::Quaterniond turned = a.pose.orientation.conjugate() * b.pose.orientation;
  EXPECT_LT(turned.angularDistance(Eigen::Quaterniond(std::sqrt(0.5), 0, 0, std::sqrt(0.5))), 1e-7);
  const Eigen::Vector3d anchor = b.pose.position + b.pose.orientation * Eigen::Vector3d(0.5, 0, 0);
  EXPECT_LT((a.pose.orientation.conjugate() * (anchor - a.pose.position) - Eigen::Vector3d(1, 0, 0)).norm(), 1e-9);
}

// A geom whose mesh cannot be had leaves its contact group without a shape; that is a warning about the mesh alone.
TEST_F(MjcfAsWritten, AMeshThatCannotBeReadIsNoMistakeAboutAGroup) {
  const Scene scene = load(
      "<asset><mesh name='m' file='there-is-none.stl'/></asset><worldbody><body><joint/><geom size='.1' "
      "contype='2'/><geom type='mesh' mesh='m' contype='4' conaffinity='8'/></body></worldbody>");
  EXPECT_EQ(scene.model.contact_shape_count(), 1);
  EXPECT_EQ(warnings(scene).find("contype_"), std::string::npos);
}

// Welds that start a quarter and a half turn away, where the rows of their directions vanish.
TEST_F(MjcfAsWritten, AWeldThatIsTurnedFarCloses) {
  const std::string bodies =
      "<option gravity='0 0 0'/><worldbody><body name='a'><joint name='j' axis='0 0 1'/><geom type='capsule' fromto='0 "
      "0 "
      "0 1 0 0' size='.05'/></body><body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>";
  for (const Eigen::Vector3d& turn :
       {Eigen::Vector3d(0, 0, kPi / 2), Eigen::Vector3d(0, 0, kPi), Eigen::Vector3d(-kPi / 2, 0, 0),
        Eigen::Vector3d(1.8, 1.8, 0.3), Eigen::Vector3d(0, kPi, 0)}) {
    const Eigen::Quaterniond r(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
    const auto text = [](double x) { return std::to_string(x) + " "; };
    const Scene scene = load(bodies + "<equality><weld body1='a' body2='b' relpose='1 0 0 " + text(r.w()) +
                             text(r.x()) + text(r.y()) + text(r.z()) + "'/></equality>");
    Simulation simulation(scene);
    EXPECT_LT(simulation.statistics().assembly_moved, 10) << turn.transpose();
    const BodyMotion a = simulation.body_motion(0), b = simulation.body_motion(1);
    const Eigen::Quaterniond turned = a.pose.orientation.conjugate() * b.pose.orientation;
    EXPECT_LT(turned.angularDistance(r), 1e-5) << turn.transpose();  // the six digits of the file
    const Eigen::Vector3d p = a.pose.orientation.conjugate() * (b.pose.position - a.pose.position);
    EXPECT_LT((p - Eigen::Vector3d(1, 0, 0)).norm(), 1e-9) << turn.transpose();
  }
}

// Whoever runs a model is told what it does not do; the report of `inspect` has the rest.
TEST_F(MjcfAsWritten, WhatIsIgnoredAndChangesTheMotionIsAWarning) {
  const auto warned = [&](const std::string& inside) { return warnings(load(inside)); };
  const std::string body = "<worldbody><body name='b'><joint name='j'/><geom size='.1'/></body></worldbody>";
  EXPECT_NE(warned("<option density='1000'/>" + body).find("empty space"), std::string::npos);
  EXPECT_NE(warned("<option viscosity='1e-3'/>" + body).find("option@viscosity"), std::string::npos);
  const std::string muscles = warned(body +
                                     "<actuator><muscle name='m' joint='j' range='1 2' lengthrange='0 1'/><muscle "
                                     "name='n' joint='j' lengthrange='0 1'/></actuator>");
  EXPECT_NE(muscles.find("actuator/muscle is ignored (2 times)"), std::string::npos) << muscles;
  EXPECT_NE(warned("<extension><plugin plugin='mujoco.pid'/></extension>" + body +
                   "<actuator><plugin joint='j' plugin='mujoco.pid'/></actuator>")
                .find("plugins are not supported"),
            std::string::npos);
  EXPECT_NE(warned(body + "<actuator><adhesion body='b' ctrlrange='0 1'/></actuator>").find("adhesion"),
            std::string::npos);
  EXPECT_EQ(warned("<option wind='1 0 0'/>" + body + "<visual/>"), "");
}

}  // namespace
}  // namespace lipkin::test
