// URDF against closed forms, and mistakes in it against what a user should be told.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/dynamics.hpp"
#include "lipkin/export.hpp"
#include "lipkin/simulation.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

const std::string kBase = "<link name='base'/>";
const std::string kArm =
    "<link name='arm'><inertial><origin xyz='0 0 -0.5'/><mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.01' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>";
const std::string kHinge =
    "<joint name='j1' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/><limit lower='-1' "
    "upper='1' effort='10' velocity='5'/></joint>";

std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "\n</robot>"; }

class Urdf : public ::testing::Test {
 protected:
  Scene load(const std::string& text, const ImportOptions& options = {}) {
    return load_scene(folder_.write("r.urdf", text), {}, options);
  }

  void expect_refused(const std::string& text, const std::vector<std::string>& words) {
    folder_.write("r.urdf", text);
    std::string all;
    for (const std::string& line : folder_.mistakes("r.urdf")) all += line + "\n";
    EXPECT_FALSE(all.empty()) << "accepted: " << text;
    for (const std::string& word : words) EXPECT_NE(all.find(word), std::string::npos) << word << " is not in " << all;
  }

  TemporaryScenes folder_;
};

// A rod on a hinge: M = I + m l^2, bias = m g l sin q.
TEST_F(Urdf, APendulumSwingsAsWritten) {
  const Scene scene = load(robot(kBase + kArm + kHinge));
  EXPECT_EQ(scene.name, "r");
  EXPECT_EQ(scene.model.u_count(), 1);
  Dynamics dynamics(scene.model);
  dynamics.set(std::vector{0.3}, std::vector{0.0});
  EXPECT_NEAR(dynamics.mass_matrix()(0, 0), 0.1 + 2 * 0.25, 1e-15);
  EXPECT_NEAR(dynamics.bias()[0], 2 * 9.81 * 0.5 * std::sin(0.3), 1e-14);
}

// Roll, then pitch, then yaw about fixed axes: with roll = pitch = 90 degrees, the arm's z axis points along y.
TEST_F(Urdf, OriginsTurnAboutFixedAxes) {
  const std::string turned =
      "<joint name='j1' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>"
      "<origin xyz='1 2 3' rpy='1.5707963267948966 1.5707963267948966 0'/></joint>";
  Dynamics dynamics(load(robot(kBase + kArm + turned)).model);
  dynamics.set(std::vector{0.0}, std::vector{0.0});
  const Pose pose = dynamics.body_motion(1).pose;
  EXPECT_LT((pose.position - Eigen::Vector3d(1, 2, 3)).norm(), 1e-15);
  EXPECT_LT((pose.orientation * Eigen::Vector3d::UnitZ() - Eigen::Vector3d(0, -1, 0)).norm(), 1e-15);
}

TEST_F(Urdf, TheBaseIsFixedUnlessAskedFor) {
  ImportOptions floating;
  floating.base = BaseKind::kFloating;
  EXPECT_EQ(load(robot(kArm)).model.u_count(), 0);
  const Model model = load(robot(kArm), floating).model;
  EXPECT_EQ(model.u_count(), 6);
  EXPECT_DOUBLE_EQ(model.total_mass(), 2);
}

TEST_F(Urdf, LimitsEffortDampingAndFrictionAreKept) {
  std::string joint = kHinge;
  joint.replace(joint.find("</joint>"), 0, "<dynamics damping='0.5' friction='0.25'/>");
  const Scene scene = load(robot(kBase + kArm + joint));
  EXPECT_EQ(scene.model.actuator_count(), 1);
  const std::string text = write_scene(scene).text;
  for (const char* part : {"damping: [0.5]", "friction: [0.25]", "lower: -1", "upper: 1", "min: -10", "max: 10"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

// Who drives them is no part of a URDF: they are listed as controls, and nobody is warned that they do nothing.
TEST_F(Urdf, ActuatorsAreDrivenFromOutsideAlsoOnceConverted) {
  const Scene scene = load(robot(kBase + kArm + kHinge));
  ASSERT_EQ(scene.model.actuator_count(), 1);
  const TemporaryScenes folder;
  const Scene again = load_scene(folder.write("c.yaml", write_scene(scene).text));
  EXPECT_EQ(again.model.control_count(), 1);
  EXPECT_EQ(again.model.control_name(0), scene.model.actuator_name(0));
  for (const Diagnostic& warning : again.warnings)
    EXPECT_EQ(warning.message.find("does nothing"), std::string::npos) << warning.message;
}

// Followers of followers, and limits of the follower that bind the leader: 0.5 q + 0.25 <= 0.5 means q <= 0.5.
TEST_F(Urdf, MimicJointsFollowAndShareTheirLimits) {
  const auto finger = [](const std::string& n, const std::string& extra) {
    return "<link name='l" + n +
           "'><inertial><origin xyz='0.1 0 0'/><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
           "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='" +
           n +
           "' type='revolute'><parent link='base'/>"
           "<child link='l" +
           n + "'/><axis xyz='0 1 0'/>" + extra + "</joint>";
  };
  const std::string limit = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
  const Scene scene = load(robot(kBase + finger("a", limit) +
                                 finger("b",
                                        "<limit lower='-1' upper='0.5' effort='1' velocity='1'/><mimic joint='a' "
                                        "multiplier='0.5' offset='0.25'/>") +
                                 finger("c", limit + "<mimic joint='b' multiplier='-2'/>")));
  EXPECT_EQ(scene.model.gear_count(), 2);
  EXPECT_EQ(scene.model.actuator_count(), 1);
  EXPECT_NE(write_scene(scene).text.find("upper: 0.5"), std::string::npos);
  Simulation simulation(scene);
  simulation.run(2);
  const std::vector<double>& q = simulation.state().q;
  EXPECT_NEAR(q[1], 0.5 * q[0] + 0.25, 1e-8);
  EXPECT_NEAR(q[2], -2 * q[1], 1e-8);
  EXPECT_LE(q[0], 0.5 + 1e-8);
}

TEST_F(Urdf, TheStartIsWithinTheLimits) {
  std::string joint = kHinge;
  joint.replace(joint.find("lower='-1'"), 10, "lower='0.4'");
  EXPECT_EQ(initial_state(load(robot(kBase + kArm + joint)).model).q, std::vector{0.4});
}

TEST_F(Urdf, AnUndeclaredWorldIsTheGround) {
  std::string joint = kHinge;
  joint.replace(joint.find("link='base'"), 11, "link='world'");
  const Scene scene = load(robot(kArm + joint));
  EXPECT_EQ(scene.model.u_count(), 1);
  EXPECT_FALSE(scene.warnings.empty());
  EXPECT_EQ(load(robot("<link name='world'/>" + kArm + joint)).model.body_count(), 1);
}

TEST_F(Urdf, MasslessJointsLoadAndRefuseToStep) {
  const Scene scene = load(robot(kBase + "<link name='arm'/>" + kHinge));
  EXPECT_FALSE(scene.warnings.empty());
  Simulation simulation(scene);
  EXPECT_THROW(
      {
        try {
          simulation.step();
        } catch (const SimulationError& error) {
          EXPECT_NE(std::string(error.what()).find("j1"), std::string::npos);
          throw;
        }
      },
      SimulationError);
}

TEST_F(Urdf, MissingMeshesAreLeftOut) {
  std::string arm = kArm;
  arm.replace(arm.find("</link>"), 0, "<collision><geometry><mesh filename='no/where.stl'/></geometry></collision>");
  const Scene scene = load(robot(kBase + arm + kHinge));
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_NE(scene.warnings[0].message.find("where.stl"), std::string::npos);
  EXPECT_NE(scene.warnings[0].message.find(folder_.folder().string()), std::string::npos);
}

TEST_F(Urdf, MistakesAreTold) {
  const std::string all = kBase + kArm + kHinge;
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return robot(text);
  };
  expect_refused("", {"r.urdf", "empty"});
  expect_refused("<html><body/></html>", {"html", "robot"});
  expect_refused("<sdf/>", {"sdf"});
  expect_refused(robot(""), {"link"});
  expect_refused(robot("<xacro:property name='m' value='2'/>" + all), {"xacro", "line 2"});
  expect_refused(with(all, "value='2'", "value='${m}'"), {"arm", "xacro"});
  expect_refused(with(all, "value='2'", "value='-1'"), {"arm", "-1", "mass"});
  expect_refused(with(all, "value='2'", "value='nan'"), {"arm", "nan"});
  expect_refused(with(all, "ixy='0'", "ixy='0.5'"), {"arm", "inertia", "negative"});
  expect_refused(with(all, "xyz='0 1 0'", "xyz='0 1e400 0'"), {"j1", "1e400"});
  expect_refused(with(all, "xyz='0 1 0'", "xyz='0 0,2 0'"), {"j1", "0,2"});
  expect_refused(with(all, "xyz='0 1 0'", "xyz='0 1'"), {"j1", "2 numbers", "3 expected"});
  expect_refused(with(all, "xyz='0 1 0'", "xyz='0 0 0'"), {"j1", "axis"});
  expect_refused(with(all, "'revolute'", "'revolut'"), {"j1", "revolut", "did you mean"});
  expect_refused(with(all, "child link='arm'", "child link='ghost'"), {"j1", "ghost"});
  expect_refused(with(all, "<parent link='base'/>", ""), {"j1", "parent"});
  expect_refused(with(all, "child link='arm'", "child link='base'"), {"j1", "base", "itself"});
  expect_refused(with(all, "name='arm'", ""), {"link", "line 2", "name"});
  expect_refused(robot(all + "\n" + kArm), {"arm", "lines 2 and 3"});
  expect_refused(with(all, "</joint>", "<mimic joint='ghost'/></joint>"), {"j1", "ghost"});
  expect_refused(with(all, "</joint>", "<mimic joint='j1'/></joint>"), {"j1", "itself"});
  expect_refused(with(all, "name='arm'", "name='" + std::string(5000, 'x') + "'"), {"name", "5000", "1000"});
  const std::string second = "<joint name='j2' type='fixed'><parent link='base'/><child link='arm'/></joint>";
  expect_refused(robot(all + second), {"arm", "j1", "j2", "tree"});
  const std::string back = "<joint name='j2' type='fixed'><parent link='arm'/><child link='base'/></joint>";
  expect_refused(robot(all + back), {"root", "j1"});
  expect_refused(robot(all + "<link name='other'/>"), {"other", "base", "root"});
}

TEST_F(Urdf, MisspelledAttributesAreWarnedOf) {
  std::string joint = kHinge;
  joint.replace(joint.find("upper"), 5, "uper");
  const Scene scene = load(robot(kBase + kArm + joint));
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_NE(scene.warnings[0].text().find("did you mean 'upper'?"), std::string::npos) << scene.warnings[0].text();
}

// A flywheel about the vertical: I du/dt = F up to nine tenths of the speed, then I du/dt = 10 F (1 - u/v), so that
// u = v (1 - exp(-10 F (t - t0) / (I v)) / 10) from t0 = 0.9 I v / F on.
TEST_F(Urdf, VelocityLimitsStopTheActuator) {
  const std::string wheel =
      "<link name='base'/><link name='wheel'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='0.5' ixy='0' "
      "ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent link='base'/><child "
      "link='wheel'/><axis xyz='0 0 1'/><limit effort='2' velocity='3'/></joint>";
  for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    Simulation simulation(load(robot(wheel)));
    simulation.set_stepper(StepperKind::kEuler);
    simulation.set_dt(1e-4);
    simulation.set_coordinates(coordinates);
    simulation.set_control(0, 100);  // as much as it can
    simulation.set_watches({"joint.j.u"});
    for (const double t : {0.3, 0.7, 1.0}) {
      simulation.run(t - simulation.state().t, t);
      const double I = 0.5, v = 3, F = 2, t0 = 0.9 * I * v / F;
      const double expected = t < t0 ? F * t / I : v * (1 - 0.1 * std::exp(-10 * F * (t - t0) / (I * v)));
      EXPECT_NEAR(simulation.watched()[0], expected, 2e-3);  // first order: rates of 4 rad/s^2 times some steps
    }
    simulation.velocities()[simulation.velocities().size() - 1] = 5;  // pushed by something else
    simulation.state_written();
    simulation.run(0.1, 0.1);
    EXPECT_NEAR(simulation.watched()[0], 5, 1e-9);  // it neither drives nor brakes
    simulation.set_control(0, -100);
    simulation.run(0.1, 0.1);
    EXPECT_NEAR(simulation.watched()[0], 5 - 0.1 * 2 / 0.5, 1e-9);
  }
}

TEST_F(Urdf, EffortLimitsBoundTheActuatorAndZeroesMeanNone) {
  const auto model = [&](const std::string& limit) {
    return load(robot(kBase + kArm +
                      "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis "
                      "xyz='0 1 0'/>" +
                      limit + "</joint>"))
        .model;
  };
  EXPECT_EQ(model("<limit effort='3' velocity='0'/>").actuator_count(), 1);
  EXPECT_EQ(model("<limit effort='0' velocity='2'/>").actuator_count(), 0);
  EXPECT_EQ(model("").actuator_count(), 1);
}

TEST_F(Urdf, TheReportHasEverything) {
  const Scene scene = load_scene(std::string(LIPKIN_SOURCE_DIR) + "/tests/data/urdf/every_feature.urdf");
  EXPECT_EQ(scene.report.format(), "URDF");
  const auto treatment = [&](const std::string& tag) -> std::string {
    for (const ImportNote& note : scene.report.notes())
      if (note.tag == tag) return std::string(name_of(note.treatment));
    return "missing";
  };
  EXPECT_EQ(treatment("joint/mimic"), "honoured");
  EXPECT_EQ(treatment("joint/limit"), "honoured");
  EXPECT_EQ(treatment("joint/limit@velocity"), "honoured");
  EXPECT_EQ(treatment("geometry/mesh"), "approximated");
  EXPECT_EQ(treatment("transmission"), "ignored");
  EXPECT_EQ(treatment("gazebo"), "ignored");
  EXPECT_EQ(treatment("gazebo/mu1"), "missing");  // part of what is ignored
  EXPECT_EQ(treatment("joint/safety_controller"), "ignored");
  EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0].text();
}

// Files say so that there is none.
TEST_F(Urdf, ALowerLimitAboveTheUpperOneIsNoLimit) {
  const std::string reversed =
      "<joint name='j1' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/><limit lower='1' "
      "upper='-1' effort='10' velocity='5'/></joint>";
  const Scene scene = load(robot(kBase + kArm + reversed));
  ASSERT_EQ(scene.warnings.size(), 1U);
  EXPECT_NE(scene.warnings[0].text().find("joint 'j1': the lower limit 1 is above the upper limit -1"),
            std::string::npos);
  Simulation simulation(scene);
  EXPECT_EQ(simulation.coordinates()[0], 0);
  simulation.coordinates()[0] = 2.5;
  simulation.state_written();
  simulation.step();
  EXPECT_NEAR(simulation.coordinates()[0], 2.5, 1e-4);
}

TEST_F(Urdf, ABlankColourIsNone) {
  const Scene scene = load(robot("<material name='grey'><color rgba=''/></material>" + kBase + kArm + kHinge));
  EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0].text();
}

// What a few digits do to a thin antenna of a milligram, and to nothing at all.
TEST_F(Urdf, MomentsThatAreNegativeByRoundingAreNoMistake) {
  const auto antenna = [](const std::string& mass, const std::string& xx) {
    return "<link name='antenna'><inertial><mass value='" + mass + "'/><inertia ixx='" + xx +
           "' iyy='1e-9' izz='1e-9' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='a' type='fixed'><parent "
           "link='arm'/><child link='antenna'/></joint>";
  };
  for (const char* xx : {"-2e-35", "-1e-13"}) {
    const Scene scene = load(robot(kBase + kArm + kHinge + antenna("1e-6", xx)));
    EXPECT_EQ(scene.model.u_count(), 1);
  }
  const Scene nothing = load(
      robot(kBase + kArm + kHinge +
            "<link name='n'><inertial><mass value='0'/><inertia ixx='-2e-35' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/>"
            "</inertial></link><joint name='a' type='fixed'><parent link='arm'/><child link='n'/></joint>"));
  EXPECT_EQ(nothing.model.u_count(), 1);
  expect_refused(robot(kBase + kArm + kHinge + antenna("1e-6", "-1e-11")), {"antenna", "negative"});
  expect_refused(robot(kBase + kArm + kHinge + antenna("1", "-2e-12")), {"antenna", "negative"});
}

}  // namespace
}  // namespace lipkin::test
