// MJCF against MuJoCo and closed forms, and mistakes in it against what a user should be told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "model/model_compiler.hpp"
#include "model/model_data.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

std::string model(const std::string& inside) { return "<mujoco>\n" + inside + "\n</mujoco>"; }
std::string world(const std::string& inside) { return model("<worldbody>\n" + inside + "\n</worldbody>"); }

const std::string kBall = "<geom type='sphere' size='0.1' mass='2'/>";
const std::string kPendulum =
    "<body name='b' pos='0 0 1'><joint name='j' axis='0 1 0'/><geom type='sphere' size='0.1' mass='2' pos='0 0 -0.5'/>"
    "</body>";

class Mjcf : public ::testing::Test {
 protected:
  Scene load(const std::string& text, const ImportOptions& options = {}) {
    return load_scene(folder_.write("m.xml", text), {}, options);
  }

  void expect_refused(const std::string& text, const std::vector<std::string>& words) {
    folder_.write("m.xml", text);
    std::string all;
    for (const std::string& line : folder_.mistakes("m.xml")) all += line + "\n";
    EXPECT_FALSE(all.empty()) << "accepted: " << text;
    for (const std::string& word : words) EXPECT_NE(all.find(word), std::string::npos) << word << " is not in " << all;
  }

  double mass_matrix(const std::string& text, int row = 0, int column = 0) {
    Dynamics dynamics(load(text).model);
    const Model& m = dynamics.model();
    dynamics.set(std::vector<double>(static_cast<std::size_t>(m.q_count()), 0.0),
                 std::vector<double>(static_cast<std::size_t>(m.u_count()), 0.0));
    return dynamics.mass_matrix()(row, column);
  }

  static bool is_noted(const Scene& scene, const std::string& tag, Treatment treatment) {
    for (const ImportNote& note : scene.report.notes())
      if (note.tag == tag && note.treatment == treatment && note.places[0].line > 0) return true;
    return false;
  }

  TemporaryScenes folder_;
};

// Joints of all kinds, defaults, references, shapes and compiler settings. The numbers are those of Debian's MuJoCo
// 2.2.2, which keeps inertias of several geoms to 1e-6 only (its own diagonalisation).
TEST_F(Mjcf, EveryFeatureMovesAsInMuJoCo) {
  const std::string folder = LIPKIN_SOURCE_DIR "/tests/data/mjcf/";
  const Scene scene = load_scene(folder + "every_feature.xml");
  std::ifstream stream(folder + "every_feature.ref.json");
  const nlohmann::json reference = nlohmann::json::parse(stream);
  EXPECT_NEAR(scene.model.total_mass(), reference["total_mass"].get<double>(), 1e-12);
  Dynamics dynamics(scene.model);
  for (const nlohmann::json& state : reference["cases"]) {
    const auto q = state["qpos"].get<std::vector<double>>(), u = state["qvel"].get<std::vector<double>>();
    dynamics.set(q, u);
    const Eigen::MatrixXd M = dynamics.mass_matrix();
    const Eigen::VectorXd bias = dynamics.bias();
    const auto lower = state["M_lower"].get<std::vector<double>>(), theirs = state["bias"].get<std::vector<double>>();
    ASSERT_EQ(static_cast<std::size_t>(M.rows()), theirs.size());
    std::size_t n = 0;
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      for (Eigen::Index k = 0; k <= i; ++k)
        EXPECT_NEAR(M(i, k), lower[n++], 1e-6 * M.cwiseAbs().maxCoeff()) << i << " " << k;
      EXPECT_NEAR(bias[i], theirs[static_cast<std::size_t>(i)], 1e-6 * bias.cwiseAbs().maxCoeff()) << i;
    }
  }
}

// A ball on a hinge: M = 2/5 m r^2 + m l^2, bias = m g l sin q.
TEST_F(Mjcf, APendulumSwings) {
  Dynamics dynamics(load(world(kPendulum)).model);
  dynamics.set(std::vector{0.3}, std::vector{0.0});
  EXPECT_NEAR(dynamics.mass_matrix()(0, 0), 0.4 * 2 * 0.01 + 2 * 0.25, 1e-15);
  EXPECT_NEAR(dynamics.bias()[0], 2 * 9.81 * 0.5 * std::sin(0.3), 1e-14);
}

// Upper case letters turn about fixed axes, lower case ones about those that turn along.
TEST_F(Mjcf, EulerAnglesFollowTheSequence) {
  const auto orientation = [&](const std::string& compiler) {
    const Scene scene = load(
        model(compiler + "<worldbody><body euler='90 90 0'><joint axis='0 0 1'/>" + kBall + "</body></worldbody>"));
    Dynamics turned(scene.model);
    turned.set(std::vector{0.0}, std::vector{0.0});
    return turned.body_motion(0).pose.orientation;
  };
  const Eigen::Quaterniond x(Eigen::AngleAxisd(kPi / 2, Eigen::Vector3d::UnitX()));
  const Eigen::Quaterniond y(Eigen::AngleAxisd(kPi / 2, Eigen::Vector3d::UnitY()));
  EXPECT_LT(orientation("").angularDistance(x * y), 1e-7);
  EXPECT_LT(orientation("<compiler eulerseq='XYZ'/>").angularDistance(y * x), 1e-7);
}

TEST_F(Mjcf, FramesMoveWhatStandsInThem) {
  const std::string inside = "<joint name='j' axis='0 1 0' pos='0 0 0.1'/><geom type='box' size='.1 .2 .3' mass='1'/>";
  const double framed = mass_matrix(world("<frame pos='1 2 3' euler='0 0 90'><body pos='1 0 0'><frame euler='90 0 0'>" +
                                          inside + "</frame></body></frame>"));
  // The frame turns y into z; the box's moment about its own y stays with it.
  EXPECT_NEAR(framed, (0.01 + 0.09) / 3 + 0.01, 1e-12);
}

TEST_F(Mjcf, ReplicateCopiesWithNumbers) {
  const Scene scene = load(model(
      "<worldbody><replicate count='12' offset='0 0.5 0'><body name='b' pos='1 0 0'><joint name='j' axis='0 1 0'/>" +
      kBall + "</body></replicate></worldbody><actuator><motor name='m' joint='j'/></actuator>"));
  EXPECT_EQ(scene.model.u_count(), 12);
  EXPECT_EQ(scene.model.actuator_count(), 12);
  EXPECT_EQ(scene.model.actuator_name(3), "m03");
  Dynamics dynamics(scene.model);
  dynamics.set(std::vector<double>(12, 0.0), std::vector<double>(12, 0.0));
  EXPECT_NEAR(dynamics.body_motion(scene.model.body("b11")).pose.position.y(), 5.5, 1e-12);
}

// A closed tetrahedron is the same in all ways but as a shell; a box too, whose moments are known.
TEST_F(Mjcf, MeshesWeighAsTheirVolume) {
  const std::string vertices = "vertex='-1 -2 -3  1 -2 -3  1 2 -3  -1 2 -3  -1 -2 3  1 -2 3  1 2 3  -1 2 3'";
  for (const char* how : {"legacy", "exact", "convex"}) {
    const std::string text = model("<asset><mesh name='m' inertia='" + std::string(how) + "' " + vertices +
                                   "/></asset><worldbody><body><joint axis='0 0 1'/>"
                                   "<geom type='mesh' mesh='m' density='1'/></body></worldbody>");
    EXPECT_NEAR(mass_matrix(text), 48.0 * (4 + 16) / 12, 1e-12) << how;
  }
  const std::string shell = model("<asset><mesh name='m' inertia='shell' " + vertices +
                                  "/></asset><worldbody><body><joint axis='0 0 1'/>"
                                  "<geom type='mesh' mesh='m' mass='1'/></body></worldbody>");
  const std::string box =
      world("<body><joint axis='0 0 1'/><geom type='box' size='1 2 3' shellinertia='true' mass='1'/></body>");
  EXPECT_NEAR(mass_matrix(shell), mass_matrix(box), 1e-12);
}

// A capsule of two mirrored halves, from the hemispheres' own centres of mass.
TEST_F(Mjcf, ShellsWeighOnTheirSurface) {
  const double r = 0.5, half = 1, area = 2 * kPi * r * 2 * half, caps = 4 * kPi * r * r;
  const double hemisphere = caps / 2 * (2 * r * r / 3 - r * r / 4);  // about its centre of mass
  const double expected =
      area * (r * r / 2 + half * half / 3) + 2 * (hemisphere + caps / 2 * std::pow(half + r / 2, 2));
  EXPECT_NEAR(mass_matrix(world("<body><joint axis='1 0 0'/><geom type='capsule' size='0.5 1' density='1' "
                                "shellinertia='true'/></body>")),
              expected, 1e-12);
}

TEST_F(Mjcf, LoopsAndGearsOfEqualities) {
  const Scene scene =
      load(model("<worldbody><body name='a'><joint name='ja' axis='0 1 0' ref='10'/>" + kBall +
                 "<body name='c' pos='1 0 0'>"
                 "<joint name='jc' axis='0 1 0'/>" +
                 kBall +
                 "</body></body><body name='d' pos='2 0 0'><joint name='jd' "
                 "axis='0 1 0'/>" +
                 kBall +
                 "</body></worldbody><equality><connect body1='c' body2='d' anchor='1 0 0'/>"
                 "<joint joint1='ja' joint2='jc' polycoef='0.1 2'/><weld body1='a'/><joint joint1='jd' polycoef='0.2'/>"
                 "</equality>"));
  EXPECT_EQ(scene.model.closure_count(), 2);
  ASSERT_EQ(scene.model.gear_count(), 1);
  EXPECT_EQ(scene.model.gear(0).ratio, 2);
  EXPECT_NEAR(scene.model.gear(0).offset, 10 * kPi / 180 + 0.1, 1e-15);
  EXPECT_EQ(scene.model.motor_count(), 1);
}

// q_a - 0.2 = p(q_b - 0.5) with p = 0.1 + 2 x - 0.3 x^2 + 0.4 x^3 - 0.2 x^4.
TEST_F(Mjcf, PolynomialsOfEqualitiesCountFromTheReferences) {
  const Scene scene = load(
      model("<compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0' ref='0.2'/>" + kBall +
            "</body><body pos='2 0 0'><joint name='b' axis='0 1 0' ref='0.5'/>" + kBall +
            "</body></worldbody><equality><joint joint1='a' joint2='b' polycoef='0.1 2 -0.3 0.4 -0.2'/></equality>"));
  ASSERT_EQ(scene.model.gear_count(), 1);
  for (const double q : {-1.0, 0.0, 0.5, 0.9}) {
    const double x = q - 0.5;
    EXPECT_NEAR(scene.model.gear(0).value(q), 0.2 + 0.1 + x * (2 + x * (-0.3 + x * (0.4 - x * 0.2))), 1e-14);
    EXPECT_NEAR(scene.model.gear(0).slope(q), 2 + x * (-0.6 + x * (1.2 - x * 0.8)), 1e-14);
    EXPECT_NEAR(scene.model.gear(0).bend(q), -0.6 + x * (2.4 - x * 2.4), 1e-14);
  }
  EXPECT_TRUE(is_noted(scene, "equality/joint", Treatment::kHonoured));
}

const std::string kDrone =
    "<worldbody><site name='ground' pos='0.3 0 0' euler='20 0 30'/>"
    "<body name='drone' pos='0 0 1'><freejoint name='free'/>"
    "<inertial pos='0.01 0 0' mass='0.8' diaginertia='0.01 0.02 0.03'/>"
    "<site name='rotor' pos='0.1 0.1 0.05' euler='5 10 0'/>"
    "<body name='arm' pos='0.2 0 0' euler='0 40 0'><joint name='ball' type='ball'/>"
    "<inertial pos='0 0 -0.1' mass='0.2' diaginertia='0.002 0.003 0.004'/>"
    "<site name='tip' pos='0 0 -0.3' euler='0 0 50'/></body></body></worldbody><actuator>"
    "<motor name='thrust' site='rotor' gear='0 0 1 0 0 0.02'/>"
    "<motor name='wind' site='tip' refsite='ground' gear='1 2 3 0.1 0.2 0.3'/>"
    "<motor name='twist' joint='ball' gear='0.1 -0.2 0.3'/>"
    "<motor name='bend' jointinparent='ball' gear='0.3 0.1 -0.2'/>"
    "<motor name='lift' joint='free' gear='1 0 2 0.1 0.2 0.3'/>"
    "<motor name='turn' jointinparent='free' gear='0 0 0 0.1 0.2 0.3'/></actuator>"
    "<keyframe><key qpos='0.1 0.2 1.3 0.9 0.1 -0.3 0.2 0.8 0.3 -0.2 0.4' "
    "qvel='0.3 -0.2 0.1 0.5 0.6 -0.7 0.2 0.9 -0.4' ctrl='7 0.5 0.8 1.1 0.6 1.2'/></keyframe>";

// The accelerations are those that MuJoCo 2.2.2 (Debian) gives as qacc_smooth.
TEST_F(Mjcf, ActuatorsAtSitesAndOfSeveralDirectionsPushAsInMuJoCo) {
  const Scene scene = load(model(kDrone));
  EXPECT_EQ(scene.model.control_count(), 6);
  EXPECT_EQ(scene.model.actuator_count(), 6);
  EXPECT_EQ(scene.model.control_name(3), "bend");
  const double theirs[] = {-0.47039969918724917, -4.7432234884971542, -3.3480640916923785,
                           85.066059363845071,   11.008714633545088,  8.3781246376415339,
                           58.817354610680511,   -136.46591091826642, -16.957781657803839};
  Dynamics dynamics(scene.model);
  dynamics.set(initial_state(scene.model));
  const Eigen::VectorXd ours = dynamics.accelerations_full();
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(ours[k], theirs[k], 1e-10 * 136) << k;
  EXPECT_NEAR(dynamics.variable("actuator.thrust.force"), 7, 1e-14);
}

// a and b have closed forms; c and d against MuJoCo 2.2.2 (Debian) at 1 s, by its steps of 25 and 50 us.
TEST_F(Mjcf, ActivationsFollowAsInMuJoCo) {
  std::string text = "<option timestep='0.0001' gravity='0 0 0'/><worldbody>";
  for (const char* name : {"a", "b", "c", "d"})
    text += fmt::format(
        "<body name='{0}'><joint name='{0}' type='slide' axis='1 0 0'/>"
        "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>",
        name);
  text +=
      "</worldbody><actuator><general name='a' joint='a' dyntype='filter' dynprm='0.3' gainprm='4'/>"
      "<general name='b' joint='b' dyntype='integrator' gainprm='4' actlimited='true' actrange='-0.5 0.5'/>"
      "<intvelocity name='c' joint='c' kp='50' actrange='-1 1'/>"
      "<general name='d' joint='d' dyntype='filter' dynprm='0.1' gainprm='40' biastype='affine' "
      "biasprm='3 -50 -6' gear='2'/></actuator>"
      "<keyframe><key ctrl='1 -0.8 0.7 0.4' act='0.2 0.1 0.05 -0.1'/></keyframe>";
  const Scene scene = load(model(text));
  const auto run = [&](double dt) {
    Simulation simulation(scene);
    simulation.set_dt(dt);
    simulation.run(1);
    return simulation.state().q;
  };
  const std::vector<double> coarse = run(1e-4), fine = run(5e-5);
  const auto limit = [&](std::size_t k) { return 2 * fine[k] - coarse[k]; };  // both are of first order
  const double T = 0.3;                                                       // 2 kg pushed by 4 N (1 - 0.8 exp(-t/T))
  EXPECT_NEAR(limit(0), 2 * (0.5 - 0.8 * (T - T * T * (1 - std::exp(-1 / T)))), 1e-7);
  // 4 N (0.1 - 0.8 t) until -0.5 at 0.75 s, where v = -0.3 m/s.
  EXPECT_NEAR(limit(1), 0.1 * 0.5625 - 0.8 / 3 * 0.421875 - 0.3 * 0.25 - 0.5 * 0.0625, 1e-7);
  EXPECT_NEAR(limit(2), 2 * 0.87006329251834902 - 0.87006029581051514, 1e-6);
  EXPECT_NEAR(limit(3), 2 * 0.18931152412780922 - 0.18931204761474862, 1e-6);
  Simulation simulation(scene);
  // Controls in the file's order and unit, motors and servos alike.
  EXPECT_EQ(simulation.model().control_name(2), "c");
  simulation.set("control.d", 0);
  simulation.set("control.c", 0);
  simulation.run(3);
  EXPECT_NEAR(simulation.state().q[3], 3.0 / 50 / 2, 1e-6);  // bias over stiffness, before the gear
}

// A constant beside the gain is no actuator of its own: the controls stay those of the file.
TEST_F(Mjcf, ConstantForcesGoWithTheirActuators) {
  const Scene scene = load(model("<worldbody>" + kPendulum +
                                 "</worldbody><actuator><general name='g' joint='j' gear='2' gainprm='4' "
                                 "biastype='affine' biasprm='3 0 0' forcelimited='true' forcerange='-5 9'/>"
                                 "<general name='k' joint='j' gainprm='0' biastype='affine' biasprm='0.5 0 0'/>"
                                 "</actuator><keyframe><key ctrl='1 1'/></keyframe>"));
  ASSERT_EQ(scene.model.control_count(), 2);
  Dynamics dynamics(scene.model);
  State state = initial_state(scene.model);
  const auto force = [&](double control) {
    state.control[0] = control;
    dynamics.set(state);
    dynamics.accelerations_full();
    return dynamics.variable("actuator.g.force");
  };
  EXPECT_NEAR(force(std::nan("")), 2 * (4 * 1 + 3), 1e-14);
  EXPECT_NEAR(force(0.5), 2 * (4 * 0.5 + 3), 1e-14);
  EXPECT_NEAR(force(2), 2 * 9, 1e-14);
  EXPECT_NEAR(force(-7), 2 * -5, 1e-14);
  EXPECT_NEAR(dynamics.variable("actuator.k.force"), 0.5, 1e-15);
}

TEST_F(Mjcf, ServosHaveRangesOfForceThatNeedNotBeEven) {
  const Scene scene = load(model("<worldbody>" + kPendulum +
                                 "</worldbody><actuator><position name='p' joint='j' kp='50' gear='-2' "
                                 "forcelimited='true' forcerange='-3 8'/></actuator>"));
  const MotorData& motor = scene.model.data().motors.at(0);
  EXPECT_EQ(motor.min_force, -16);
  EXPECT_EQ(motor.max_force, 6);
  EXPECT_FALSE(is_noted(scene, "actuator/position", Treatment::kApproximated));
}

TEST_F(Mjcf, RangeOfABallJointIsACone) {
  const Scene scene =
      load(world("<body><joint name='j' type='ball' limited='true' range='0 40'/>" + kBall + "</body>"));
  ASSERT_EQ(scene.model.data().ball_limits.size(), 1u);
  EXPECT_NEAR(scene.model.data().ball_limits[0].angle, 40 * kPi / 180, 1e-15);
  expect_refused(world("<body><joint name='j' type='ball' limited='true' range='0 0'/>" + kBall + "</body>"),
                 {"ball joint", "range"});
}

TEST_F(Mjcf, ActuatorsOfAllKinds) {
  const Scene scene = load(
      model("<default><position kp='30'/></default><worldbody>" + kPendulum +
            "</worldbody><actuator>"
            "<motor name='push' joint='j' gear='5' ctrlrange='-1 1'/><position name='hold' joint='j' kv='2'/>"
            "<velocity name='spin' joint='j' kv='3'/><general name='other' joint='j' gainprm='4'/>"
            "<muscle name='flesh' joint='j'/></actuator><keyframe><key qpos='0.4' ctrl='0.5 0.6 0 0 0'/></keyframe>"));
  // The bias of a class goes to every actuator that does not set one: 'other' is a servo too, as in MuJoCo 2.2.2.
  EXPECT_EQ(scene.model.motor_count(), 2);
  EXPECT_EQ(scene.model.actuator_count(), 2);
  EXPECT_TRUE(is_noted(scene, "actuator/muscle", Treatment::kIgnored));
  Dynamics dynamics(scene.model);
  dynamics.set(initial_state(scene.model));
  EXPECT_EQ(dynamics.variable("joint.j.q"), 0.4);
  dynamics.accelerations_full();
  EXPECT_NEAR(dynamics.variable("actuator.push.force"), 2.5, 1e-15);
}

TEST_F(Mjcf, TheReportListsWhatHasNoCounterpart) {
  const Scene scene = load(model(
      "<option density='1.2'/><visual/><worldbody><camera/><light/>" + kPendulum +
      "<site name='s'/></worldbody>"
      "<sensor><user name='u' dim='1'/><jointpos name='angle' joint='j'/></sensor><custom><numeric name='n' data='1'/>"
      "</custom>"));
  EXPECT_TRUE(is_noted(scene, "option@density", Treatment::kIgnored));
  EXPECT_TRUE(is_noted(scene, "worldbody/camera", Treatment::kIgnored));
  EXPECT_TRUE(is_noted(scene, "sensor/user", Treatment::kIgnored));
  EXPECT_TRUE(is_noted(scene, "sensor/jointpos", Treatment::kHonoured));
  EXPECT_TRUE(is_noted(scene, "custom", Treatment::kIgnored));
  EXPECT_EQ(scene.model.output_count(), 1);
}

TEST_F(Mjcf, ContactsOfTypesAffinitiesAndPairs) {
  const std::string text = model(
      "<worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.2'/><body name='a' pos='0 0 1'><freejoint/>"
      "<geom name='ball' size='0.1' contype='2' conaffinity='4'/></body><body name='c' pos='0 0 2'><freejoint/>"
      "<geom size='0.1' contype='0' conaffinity='0'/></body></worldbody>"
      "<contact><pair geom1='floor' geom2='ball' friction='0.7 0.7'/></contact>");
  const Scene scene = load(text);
  EXPECT_EQ(scene.model.contact_shape_count(), 2);
  Simulation simulation(scene);
  simulation.run(1);
  const Model& m = simulation.model();
  EXPECT_NEAR(simulation.state().q[static_cast<std::size_t>(m.joint_q(m.joint("a")) + 2)], 0.1, 1e-3);
  EXPECT_LT(simulation.state().q[static_cast<std::size_t>(m.joint_q(m.joint("c")) + 2)], -2);
}

TEST_F(Mjcf, MistakesAreNamed) {
  expect_refused(world("<body name='b' poss='0 0 1'>" + kBall + "</body>"), {"'poss' in line 3", "pos"});
  expect_refused(world("<body name='b'><geom class='ghost' size='.1'/></body>"), {"'ghost' is not defined", "m.xml:3"});
  expect_refused(world("<joint name='j'/>"), {"<joint>", "<worldbody>"});
  expect_refused(world("<body name='b'><joint name='j'/></body>"), {"'b'", "no mass"});
  expect_refused(world("<body name='b' quat='0 0 0 0'><joint/>" + kBall + "</body>"), {"'b'", "quat"});
  expect_refused(world("<body name='a'>" + kBall + "<body name='b'><freejoint/>" + kBall + "</body></body>"),
                 {"'b'", "free joint"});
  expect_refused(world("<body name='a'>" + kBall + "</body><body name='a'>" + kBall + "</body>"), {"two bodys", "'a'"});
  expect_refused(model("<worldbody>" + kPendulum + "</worldbody><actuator><motor name='m' joint='ghost'/></actuator>"),
                 {"motor 'm'", "'ghost'"});
  expect_refused(model("<worldbody>" + kPendulum +
                       "</worldbody><tendon><spatial name='t'><site site='ghost'/>"
                       "</spatial></tendon>"),
                 {"spatial 't'", "'ghost'"});
  expect_refused(model("<worldbody>" + kPendulum + "</worldbody><keyframe><key name='k' qpos='0 1'/></keyframe>"),
                 {"key 'k'", "qpos has 2 numbers, the model has 1"});
  expect_refused(model("<option timestep='-1'/>"), {"timestep"});
  expect_refused(model("<option gravity='0 0 nan'/>"), {"gravity"});
  expect_refused(model("<include file='m.xml'/>"), {"'m.xml'", "includes itself"});
  expect_refused(model("<include file='../other.xml'/>"), {"'../other.xml'", "outside"});
  expect_refused(world("<body><freejoint/><composite type='box' count='3 3 3' spacing='1'/></body>"),
                 {"no mass: the <composite> in it is not supported"});
  expect_refused(world("<replicate count='1000000000'><geom size='1'/></replicate>"), {"replicate", "count"});
  expect_refused(model("<asset><hfield name='h' nrow='2000000000' ncol='2000000000' size='1 1 1 1'/></asset>"),
                 {"'h'", "2000000000 x 2000000000"});
  expect_refused(model("<asset><mesh name='m' vertex='0 0 0 1'/></asset>"), {"mesh 'm'", "4 vertex numbers"});
  expect_refused(model("<extension><plugin plugin='evil.so'/></extension>"), {"plugin", "evil.so"});
}

// A mesh that is not there is a warning; one that should weigh, too.
// A pinned corner leaves eight points of nine, each with its ninth of the mass; held edges are distances.
TEST_F(Mjcf, NetsArePointsThatSlide) {
  const Scene scene =
      load(world("<flexcomp name='net' type='grid' count='3 3 1' spacing='0.1 0.2 1' radius='0.01' "
                 "pos='0 0 1' mass='1.8'><edge equality='true'/><pin id='0'/></flexcomp>"));
  EXPECT_EQ(scene.model.body_count(), 24);  // three for each: a chain of two without mass, and the point
  EXPECT_EQ(scene.model.u_count(), 24);
  EXPECT_NEAR(scene.model.total_mass(), 1.6, 1e-12);
  EXPECT_EQ(scene.model.distance_count(), 16);  // 6 + 6 along the rows, 4 across the cells
  EXPECT_TRUE(is_noted(scene, "flexcomp", Treatment::kApproximated));
  expect_refused(world("<flexcomp count='1000 1000 1000' dim='3'/>"), {"flexcomp", "count"});
}

// The words of MuJoCo 3.5 and later: polynomials of dampers and springs, rotors of actuators.
TEST_F(Mjcf, NewerWords) {
  const std::string pendulum =
      "<body name='b' simple='auto'><joint name='j' axis='0 1 0' damping='0.1 0.2' stiffness='3'/><geom type='sphere' "
      "size='0.1' mass='2' pos='0 0 -0.5' adhesion='0'/></body>";
  const std::string actuator = "<actuator><motor joint='j' gear='10' armature='0.02'/></actuator>";
  const std::string text = model("<compiler conflict='merge'/><worldbody>" + pendulum + "</worldbody>" + actuator);
  EXPECT_TRUE(is_noted(load(text), "body/joint@damping", Treatment::kApproximated));
  EXPECT_NEAR(mass_matrix(text), 2 * 0.25 + 0.4 * 2 * 0.01 + 100 * 0.02, 1e-12);  // rod, sphere, rotor
}

TEST_F(Mjcf, AModelStandsOnItsOwnGround) {
  const std::string ball = "<body><freejoint/><geom type='sphere' size='0.1' mass='2'/></body>";
  ImportOptions options;
  options.ground = true;
  const Scene bare = load(world(ball), options);
  EXPECT_EQ(bare.model.contact_shape_count(), 2);
  EXPECT_NEAR(initial_state(bare.model).q[2], 0.101, 1e-12);  // a millimetre above the plane
  const Scene own = load(world("<geom type='plane' size='1 1 1' pos='0 0 0.5'/>" + ball), options);
  EXPECT_EQ(own.model.contact_shape_count(), 2);
  EXPECT_NEAR(initial_state(own.model).q[2], 0.601, 1e-12);
}

// A ball above a tray that slides along x: neither is moved against the other, and the plane cuts through nothing.
TEST_F(Mjcf, TheGroundIsBelowWhatTheWorldHolds) {
  ImportOptions options;
  options.ground = true;
  const Scene scene =
      load(world("<body><joint type='slide' axis='1 0 0'/><geom type='box' size='1 1 0.1' mass='1'/></body>"
                 "<body pos='0 0 0.5'><freejoint/><geom size='0.1' mass='2'/></body>"),
           options);
  EXPECT_NEAR(initial_state(scene.model).q[3], 0.5, 1e-12);
  const std::vector<ShapeSpec>& shapes = scene.model.data().parts->world_shapes;
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_NEAR(shapes[0].pose.position.z(), -0.101, 1e-12);
}

// A quarter of a circle of four points: each body is at a point and has its x axis towards the next, and the geoms
// weigh what capsules between the points do.
TEST_F(Mjcf, ACableIsARowOfBodies) {
  const Scene scene = load(world(
      "<composite type='cable' prefix='c' curve='cos(s) sin(s) 0' count='4 1 1' size='1 2 0.5' offset='0 0 3' "
      "initial='none'><joint kind='main' damping='0.1'/><geom type='capsule' size='0.1' density='100'/></composite>"));
  const double pi = std::acos(-1.0);
  const auto point = [&](int i) { return Eigen::Vector3d(2 * std::cos(pi * i / 6), 2 * std::sin(pi * i / 6), 3); };
  ASSERT_EQ(scene.model.body_count(), 3);
  const Simulation simulation(scene);
  const char* names[] = {"cB_first", "cB_1", "cB_last"};
  for (int i = 0; i < 3; ++i) {
    const Pose pose = simulation.body_motion(scene.model.body(names[i])).pose;
    EXPECT_LT((pose.position - point(i)).norm(), 1e-14);
    const Eigen::Vector3d along = (point(i + 1) - point(i)).normalized();
    EXPECT_LT((pose.orientation * Eigen::Vector3d::UnitX() - along).norm(), 1e-14);
    EXPECT_LT((pose.orientation * Eigen::Vector3d::UnitZ() - Eigen::Vector3d::UnitZ()).norm(), 1e-14);
  }
  EXPECT_EQ(scene.model.u_count(), 6);  // the first is fixed, two ball joints
  const double length = (point(1) - point(0)).norm(), r = 0.1;
  EXPECT_NEAR(scene.model.total_mass(), 3 * 100 * (pi * r * r * length + 4 * pi * r * r * r / 3), 1e-12);
}

// Over joints, through sites, around a cylinder and over a pulley, with springs, dampers and drives: the numbers are
// those of Debian's MuJoCo 2.2.2.
TEST_F(Mjcf, TendonsPullAsInMuJoCo) {
  const Scene scene = load(model(
      "<compiler angle='radian'/><worldbody><site name='w' pos='0.1 0 0.4'/><body name='a'>"
      "<joint name='p' axis='0 1 0' springref='0.2'/><geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03' mass='1'/>"
      "<geom name='round' type='cylinder' size='0.05 0.1' pos='0.4 0 0' euler='1.5707963267948966 0 0' mass='0.1' "
      "contype='0' conaffinity='0'/><site name='s1' pos='0.2 0 0.05'/><site name='up' pos='0.4 0 0.2'/>"
      "<body name='b' pos='0.4 0 0'><joint name='q' axis='0 1 0' ref='0.3'/><geom type='capsule' "
      "fromto='0 0 0 0.3 0 0' size='0.03' mass='0.5'/><site name='s2' pos='0.2 0 0.04'/></body></body></worldbody>"
      "<tendon><fixed name='sum' stiffness='7' springlength='0.1' damping='0.8'><joint joint='p' coef='1.5'/>"
      "<joint joint='q' coef='-0.7'/></fixed><fixed name='loose' stiffness='5'><joint joint='p' coef='0.5'/>"
      "<joint joint='q' coef='2'/></fixed><spatial name='string' stiffness='40' damping='3'><site site='w'/>"
      "<site site='s1'/><geom geom='round' sidesite='up'/><site site='s2'/></spatial><spatial name='tackle' "
      "stiffness='20' springlength='0.15'><site site='w'/><site site='s1'/><pulley divisor='2'/><site site='s1'/>"
      "<site site='s2'/></spatial></tendon><actuator><motor name='m' tendon='sum' gear='2'/>"
      "<motor name='n' tendon='string' gear='-1.5'/></actuator>"
      "<keyframe><key qpos='0.4 -0.6' qvel='1.1 -0.8' ctrl='0.3 2'/></keyframe>"));
  Dynamics dynamics(scene.model);
  dynamics.set(initial_state(scene.model));
  EXPECT_NEAR(dynamics.variable("tendon.sum.length"), 1.02, 1e-12);
  EXPECT_NEAR(dynamics.variable("tendon.sum.rate"), 2.21, 1e-12);
  EXPECT_NEAR(dynamics.variable("tendon.loose.length"), -1, 1e-12);
  EXPECT_NEAR(dynamics.variable("tendon.loose.rate"), -1.05, 1e-12);
  EXPECT_NEAR(dynamics.variable("tendon.string.length"), 0.76526164630137705, 1e-12);
  EXPECT_NEAR(dynamics.variable("tendon.string.rate"), 0.10766598327617921, 1e-12);
  EXPECT_NEAR(dynamics.variable("tendon.tackle.length"), 0.60468254675696165, 1e-12);
  EXPECT_NEAR(dynamics.variable("tendon.tackle.rate"), 0.15867561293646792, 1e-12);
  const Eigen::VectorXd a = dynamics.accelerations_full({});
  EXPECT_NEAR(a[0], -311.77356801710857, 1e-9);
  EXPECT_NEAR(a[1], 1664.8230609111442, 1e-9);
  for (const ImportNote& note : scene.report.notes())
    EXPECT_TRUE(note.treatment == Treatment::kHonoured) << note.tag << ": " << note.reason;
}

// The armature of a tendon of 3 lengths per metre of its slide; its limits, friction and servo; a tendon that follows.
TEST_F(Mjcf, TendonsHaveAllThatActsAlongThem) {
  const Scene scene = load(model(
      "<worldbody><body><joint name='i' type='slide' axis='1 0 0' armature='0.25'/><geom size='0.1' mass='2'/></body>"
      "<body><joint name='j' type='slide' axis='1 0 0'/><geom size='0.1' mass='1'/></body></worldbody><tendon>"
      "<fixed name='t' armature='0.5' range='-1 2' frictionloss='0.1' springlength='1 3' stiffness='4'>"
      "<joint joint='i' coef='3'/></fixed><fixed><joint joint='j' coef='2'/></fixed></tendon>"
      "<equality><tendon tendon1='tendon 1' tendon2='t' polycoef='0.5 2 0 0 0'/></equality>"
      "<actuator><position tendon='t' kp='10' gear='2'/></actuator>"));
  Dynamics dynamics(scene.model);
  dynamics.set(initial_state(scene.model));
  EXPECT_NEAR(dynamics.mass_matrix()(0, 0), 2 + 0.25 + 0.5 * 9, 1e-12);
  const ModelParts& parts = *scene.model.data().parts;
  ASSERT_EQ(parts.tendons.size(), 2u);
  EXPECT_EQ(parts.tendons[0].lower, -1);
  EXPECT_EQ(parts.tendons[0].upper, 2);
  EXPECT_EQ(parts.tendons[0].friction, 0.1);
  EXPECT_EQ((*parts.tendons[0].rest)[0], 1);
  EXPECT_EQ((*parts.tendons[0].rest)[1], 3);
  ASSERT_EQ(parts.motors.size(), 1u);
  EXPECT_EQ(parts.motors[0].tendon, "t");
  EXPECT_EQ(*parts.motors[0].stiffness, 40);
  ASSERT_EQ(parts.gears.size(), 1u);
  EXPECT_EQ(parts.gears[0].tendon, "tendon 1");
  EXPECT_EQ(parts.gears[0].of_tendon, "t");
  EXPECT_EQ(parts.gears[0].ratio, 2);
  EXPECT_EQ(parts.gears[0].offset, 0.5);
}

TEST_F(Mjcf, MistakesOfTendonsAreNamed) {
  const auto with = [&](const std::string& tendon) {
    return model("<worldbody><site name='s'/><body><joint name='j'/><joint name='b' type='ball' pos='1 0 0'/>" + kBall +
                 "<geom name='box' type='box' size='1 1 1'/><site name='r'/></body></worldbody><tendon>" + tendon +
                 "</tendon>");
  };
  expect_refused(with("<fixed><joint joint='b'/></fixed>"), {"hinges and slides only"});
  expect_refused(with("<fixed/>"), {"at least one joint"});
  expect_refused(with("<spatial><site site='s'/></spatial>"), {"two sites"});
  expect_refused(with("<spatial><site site='s'/><geom geom='box'/><site site='r'/></spatial>"),
                 {"spheres and cylinders"});
  expect_refused(with("<spatial><site site='s'/><pulley divisor='0'/><site site='r'/></spatial>"), {"divisor"});
}

TEST_F(Mjcf, MistakesOfCablesAreNamed) {
  const auto cable = [&](const std::string& attributes, const std::string& geom) {
    return world("<composite type='cable' curve='s' " + attributes + ">" + geom + "</composite>");
  };
  const std::string capsule = "<geom type='capsule' size='0.1'/>";
  expect_refused(cable("count='1'", capsule), {"count", "expected 2 to 500"});
  expect_refused(cable("count='1e9'", capsule), {"count", "expected 2 to 500"});
  expect_refused(cable("count='4' size='0'", capsule), {"points 0 and 1", "the same"});
  expect_refused(cable("count='4'", "<geom size='0.1'/>"), {"capsule", "not a sphere"});
  expect_refused(cable("count='4' coutn='4'", capsule), {"coutn"});
}

TEST_F(Mjcf, MissingMeshesAreWarnings) {
  const Scene scene = load(model("<asset><mesh file='nowhere.stl'/></asset><worldbody><body><joint axis='0 1 0'/>" +
                                 kBall + "<geom type='mesh' mesh='nowhere'/></body></worldbody>"));
  ASSERT_FALSE(scene.warnings.empty());
  EXPECT_NE(scene.warnings[0].text().find("nowhere.stl"), std::string::npos);
  EXPECT_EQ(scene.model.total_mass(), 2);
}

}  // namespace
}  // namespace lipkin::test
