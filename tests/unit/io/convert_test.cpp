// What convert writes reads back as the same model: the same inertia, bias and accelerations at states of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lipkin/dynamics.hpp"
#include "lipkin/export.hpp"
#include "lipkin/simulation.hpp"
#include "model/model_compiler.hpp"
#include "model/model_data.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

// Numbers are written with all their digits; quaternions are normalised again and inertias turned into other axes,
// each at the cost of a few roundings.
constexpr double kRoundTrip = 1e-12;

std::vector<double> some_velocities(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> u(static_cast<std::size_t>(count));
  for (double& x : u) x = number(random);
  return u;
}

void expect_same(const Model& before, const Model& after, const std::string& what) {
  ASSERT_EQ(before.q_count(), after.q_count()) << what;
  ASSERT_EQ(before.u_count(), after.u_count()) << what;
  if (before.u_count() == 0) return;
  const std::vector<double> q = initial_state(before).q, u = some_velocities(before.u_count());
  Dynamics a(before, LoopTreatment::kOpen), b(after, LoopTreatment::kOpen);
  a.set(q, u);
  b.set(q, u);
  const Eigen::MatrixXd M = a.mass_matrix();
  EXPECT_LE((M - b.mass_matrix()).cwiseAbs().maxCoeff(), kRoundTrip * M.cwiseAbs().maxCoeff()) << what;
  const Eigen::VectorXd h = a.bias();
  const double scale = h.cwiseAbs().maxCoeff() + before.total_mass();
  EXPECT_LE((h - b.bias()).cwiseAbs().maxCoeff(), kRoundTrip * scale) << what;
}

class Convert : public ::testing::Test {
 protected:
  // Read with a fixed base, as that of the trees below is.
  Scene as_scene(const Scene& scene) { return load_scene(folder_.write("c.yaml", write_scene(scene).text)); }
  Scene as_urdf(const Scene& scene) { return load_scene(folder_.write("c.urdf", write_urdf(scene).text)); }

  Scene as_mjcf(const Scene& scene) { return load_scene(folder_.write("c.xml", write_mjcf(scene).text)); }

  TemporaryScenes folder_;
};

TEST_F(Convert, EverySceneReadsBackAsItself) {
  for (const SceneInfo& info : list_scenes()) {
    const Scene scene = load_scene(info.name);
    const Scene again = as_scene(scene);
    expect_same(scene.model, again.model, info.name);
    EXPECT_EQ(initial_state(scene.model).u, initial_state(again.model).u) << info.name;
    EXPECT_EQ(scene.model.contact_shape_count(), again.model.contact_shape_count()) << info.name;
    EXPECT_EQ(scene.model.closure_count(), again.model.closure_count()) << info.name;
    EXPECT_EQ(scene.model.output_count(), again.model.output_count()) << info.name;
    EXPECT_EQ(scene.experiment.commands.size(), again.experiment.commands.size()) << info.name;
    // What is written has nothing left to change.
    EXPECT_EQ(write_scene(again).text, write_scene(as_scene(again)).text) << info.name;
  }
}

TEST_F(Convert, TheSameRunFollowsFromASceneAndItsCopy) {
  for (const char* name : {"double-pendulum", "four-bar", "box-stack"}) {
    Scene scene = load_scene(name), again = as_scene(scene);
    scene.experiment.duration = again.experiment.duration = 0.1;
    Simulation a(scene), b(again);
    a.run(0.1);
    b.run(0.1);
    for (std::size_t i = 0; i < a.state().q.size(); ++i) EXPECT_NEAR(a.state().q[i], b.state().q[i], 1e-9) << name;
  }
}

TEST_F(Convert, MjcfKeepsTheDynamics) {
  const Scene scene = load_scene(std::string(LIPKIN_SOURCE_DIR) + "/tests/data/mjcf/every_feature.xml");
  const Scene copy = as_mjcf(scene);
  expect_same(scene.model, copy.model, "as MJCF");
  EXPECT_EQ(initial_state(copy.model).q.size(), initial_state(scene.model).q.size());
  EXPECT_EQ(copy.experiment.dt, scene.experiment.dt);
}

// Joints of several directions become several joints; one after the other they move as before.
TEST_F(Convert, MjcfOfJointsWithSeveralDirections) {
  const std::string text = R"(lipkin: 1
bodies:
  - {name: a, mass: 1, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.2, 0.3],
     joint: {type: cylindrical, axis: [1, 2, 0], at: [0.1, 0, 0], q: [0.3, 0.2], damping: [0.1, 0.2]}}
  - {name: b, parent: a, mass: 2, com: [0, 0, 0.3], inertia: [0.1, 0.2, 0.25],
     joint: {type: universal, at: [0.5, 0, 0], orientation: {rpy: [0.2, 0.4, 0.6]}, q: [0.4, -0.7]}}
  - {name: c, parent: b, mass: 0.5, com: [0, 0.1, 0], inertia: [0.01, 0.02, 0.02],
     joint: {type: planar, at: [0, 0.5, 0], q: [0.1, 0.2, 0.9], armature: [0, 0, 0.1]}}
)";
  folder_.write("s.yaml", text);
  const std::vector<std::string> mistakes = folder_.mistakes("s.yaml");
  ASSERT_TRUE(mistakes.empty()) << mistakes[0];
  const Scene scene = load_scene(folder_.write("s.yaml", text));
  const Scene copy = as_mjcf(scene);
  expect_same(scene.model, copy.model, "several directions");
  EXPECT_EQ(initial_state(copy.model).q, initial_state(scene.model).q);
}

TEST_F(Convert, MjcfRefusesScrews) {
  const Scene scene = load_scene(folder_.write("s.yaml", R"(lipkin: 1
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: screw, axis: z, pitch: 0.1}}]
)"));
  EXPECT_THROW(write_mjcf(scene), InputError);
}

TEST_F(Convert, UrdfKeepsTheDynamicsThroughBothFormats) {
  const Scene scene = load_scene(std::string(LIPKIN_SOURCE_DIR) + "/tests/data/urdf/every_feature.urdf");
  const Scene copy = as_scene(scene);
  expect_same(scene.model, copy.model, "as a scene");
  EXPECT_EQ(copy.model.gear_count(), scene.model.gear_count());
  EXPECT_EQ(copy.model.actuator_count(), scene.model.actuator_count());
  EXPECT_EQ(copy.model.contact_shape_count(), scene.model.contact_shape_count());
  const Scene urdf = as_urdf(scene);
  expect_same(scene.model, urdf.model, "as URDF");
  EXPECT_EQ(urdf.model.gear_count(), scene.model.gear_count());
  EXPECT_EQ(urdf.model.actuator_count(), scene.model.actuator_count());
  expect_same(scene.model, as_urdf(copy).model, "as a scene, then URDF");
}

TEST_F(Convert, TreesWithTheirOwnFramesBecomeUrdf) {
  const Scene scene = load_scene(folder_.write("t.yaml", R"(lipkin: 1
bodies:
  - name: trunk
    joint: {type: prismatic, axis: [1, 2, 0], at: [0.1, 0, 1], orientation: {axis: x, angle: 0.4}, limits: [-1, 1]}
    mass: 3
    com: [0.1, 0, 0.2]
    inertia: [0.1, 0.2, 0.25, 0.01, 0, 0.02]
  - name: arm
    parent: trunk
    joint: {type: revolute, axis: z, at: [0.2, 0.1, 0], child_at: [0, 0, -0.3], child_orientation: {axis: y, angle: 0.7}, q: 0.3, damping: 0.1, friction: 0.02}
    mass: 1
    com: [0, 0.1, 0]
    inertia: [0.02, 0.01, 0.02]
  - {name: hook, parent: arm, joint: {type: fixed, at: [0, 0, 0.4], orientation: {rpy: [0.1, 1.5707963267948966, 0.3]}}, mass: 0.5, com: [0.1, 0, 0.1]}
)"));
  expect_same(scene.model, as_urdf(scene).model, "tree");
  expect_same(scene.model, as_mjcf(scene).model, "tree");
}

TEST_F(Convert, WhatUrdfCannotSayIsRefusedByName) {
  try {
    write_urdf(load_scene("four-bar"));
    ADD_FAILURE() << "a loop was written as URDF";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("closes a loop"), std::string::npos) << error.what();
  }
}

TEST_F(Convert, NamesThatScenesDoNotAllowAreChanged) {
  const Scene scene = load_scene(folder_.write(
      "n.urdf",
      "<robot name='r'><link name='a/b'/><link name='a-b'/><joint name='1 j' type='fixed'><parent link='a/b'/>"
      "<child link='a-b'/></joint></robot>"));
  const ExportedModel exported = write_scene(scene);
  EXPECT_EQ(exported.warnings.size(), 2u);
  const Scene again = load_scene(folder_.write("n.yaml", exported.text));
  EXPECT_EQ(again.model.body_name(0), "a_b");
  EXPECT_EQ(again.model.body_name(1), "a_b_");
}

// A joint, a servo, a motor of two joints, a gear, a spring and a rope, all named as scenes do not allow.
TEST_F(Convert, NamesOfEverythingThatMovesOrHoldsAreChangedToo) {
  const std::string body = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
  const Scene scene = load_scene(folder_.write(
      "n.xml", "<mujoco><worldbody><site name='s/0'/><body name='l/b'><joint name='l/j'/>" + body +
                   "<site name='s/1' pos='0.3 0 0'/></body><body name='r/b' pos='1 0 0'><joint name='r/j'/>" + body +
                   "</body></worldbody><tendon><fixed name='t/f'><joint joint='l/j' coef='1'/><joint joint='r/j' "
                   "coef='1'/></fixed><spatial name='t/s' stiffness='2' limited='true' range='0 1'><site site='s/0'/>"
                   "<site site='s/1'/></spatial></tendon><equality><joint name='e/q' joint1='l/j' joint2='r/j'/>"
                   "</equality><actuator><position name='a/p' joint='l/j' kp='3'/><motor name='a/m' joint='r/j'/>"
                   "<motor name='a/t' tendon='t/f'/></actuator></mujoco>"));
  const Scene again = as_scene(scene);
  expect_same(scene.model, again.model, "names");
  EXPECT_EQ(scene.model.motor_count(), again.model.motor_count());
  EXPECT_EQ(scene.model.actuator_count(), again.model.actuator_count());
  EXPECT_EQ(scene.model.gear_count(), again.model.gear_count());
  EXPECT_EQ(scene.model.distance_count(), again.model.distance_count());
  EXPECT_EQ(scene.model.force_count(), again.model.force_count());
}

// A drone with rotors, a servo and a motor with activations, a cam and a ball joint with a cone.
const char* const kDriven =
    "<mujoco><compiler angle='radian'/><option timestep='0.001'/><worldbody><site name='ground' euler='0.1 0.2 0.3'/>"
    "<body name='drone' pos='0 0 1'><freejoint name='free'/><inertial pos='0 0 0' mass='0.8' "
    "diaginertia='0.01 0.02 0.03'/><site name='rotor' pos='0.1 0.1 0.05' euler='0.1 0.2 0'/>"
    "<body name='arm' pos='0.2 0 0'><joint name='ball' type='ball' range='0 0.7'/>"
    "<inertial pos='0 0 -0.1' mass='0.2' diaginertia='0.002 0.003 0.004'/></body></body>"
    "<body name='cam'><joint name='c' axis='0 1 0' ref='0.1'/><inertial pos='0 0 0.1' mass='1' "
    "diaginertia='0.1 0.1 0.1'/></body><body name='lifter'><joint name='l' type='slide' axis='0 0 1'/><inertial "
    "pos='0 0 0' mass='1' diaginertia='0.1 0.1 0.1'/></body></worldbody>"
    "<equality><joint joint1='l' joint2='c' polycoef='0 0.1 0.2 -0.1 0.05'/></equality><actuator>"
    "<position name='servo' joint='c' kp='50' kv='3' timeconst='0.1' ctrlrange='-1 1' forcerange='-3 8'/>"
    "<motor name='rotor' site='rotor' gear='0 0 1 0 0 0.02' ctrlrange='0 9'/>"
    "<intvelocity name='creep' joint='l' kp='20' actrange='-1 1'/>"
    "<general name='wind' site='rotor' refsite='ground' gear='1 0 0 0 0.1 0' dyntype='filter' dynprm='0.2'/>"
    "<motor name='twist' joint='ball' gear='0.1 -0.2 0.3'/>"
    "<cylinder name='press' joint='l' diameter='0.5' bias='1 0 -2' timeconst='0.3'/></actuator>"
    "<keyframe><key qpos='0 0 1 1 0 0 0 1 0 0 0 0.3 0' ctrl='0.4 8 0.1 0.2 0.5 1' act='0.2 0.05 0.1 0.2'/></keyframe>"
    "</mujoco>";

TEST_F(Convert, DrivesReadBackAsTheyWere) {
  const Scene scene = load_scene(folder_.write("d.xml", kDriven));
  const auto state_after = [](const Scene& of) {
    Simulation simulation(of);
    simulation.run(0.2);
    simulation.set("control.servo", -0.7);
    simulation.set("control.wind", -3);
    simulation.set("control.press", 7);
    simulation.run(0.2);
    return simulation.state();
  };
  const State before = state_after(scene);
  for (const Scene& copy : {as_scene(scene), as_mjcf(scene)}) {
    EXPECT_EQ(copy.model.control_count(), 6);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(copy.model.control_name(i), scene.model.control_name(i));
    const State after = state_after(copy);
    ASSERT_EQ(after.q.size(), before.q.size());
    // 400 steps of a motion that does not multiply the roundings of the file.
    for (std::size_t k = 0; k < before.q.size(); ++k) EXPECT_NEAR(after.q[k], before.q[k], 1e-9) << k;
  }
}

// How it steps and touches goes with it; what has no effect there does not.
TEST_F(Convert, TheStepsAreThoseOfTheScene) {
  const Scene scene = load_scene(folder_.write("s.yaml", R"yaml(lipkin: 1
bodies: [{name: a, joint: revolute, mass: 1, inertia: [1, 1, 1]}]
experiment: {stepper: moreau, step: variable, dt_min: 1e-5, dt_max: 0.02, tolerance: 1e-5, contact: rigid, slip_speed: 0.01}
)yaml"));
  const Scene again = load_scene(folder_.write("c.yaml", write_scene(scene).text));
  EXPECT_EQ(again.experiment.step, StepKind::kVariable);
  EXPECT_EQ(again.experiment.dt_min, 1e-5);
  EXPECT_EQ(again.experiment.dt_max, 0.02);
  EXPECT_EQ(again.experiment.relative_tolerance, 1e-5);
  EXPECT_EQ(again.experiment.contact, ContactKind::kRigid);
  EXPECT_EQ(again.experiment.slip_speed, 0.01);
  EXPECT_TRUE(again.warnings.empty());
}

// What a parameter made is numbers by then: a parameter that stayed would be dead. Names in expressions follow those of
// the parts.
TEST_F(Convert, NoParameterIsLeftThatChangesNothing) {
  const Scene scene = load_scene(folder_.write("p.yaml", R"yaml(lipkin: 1
parameters: {length: 2, swing: -0.5, double: 2*length}
bodies: [{name: a, joint: revolute, mass: length, inertia: [1, 1, 1]}]
motors: [{name: m, joint: a, position: "swing*cos(t)", max_force: double}]
controllers: [{name: c, law: "length*joint.a.q"}]
outputs: {x: "length - swing"}
)yaml"));
  ASSERT_EQ(scene.model.parameter_count(), 3);
  EXPECT_EQ(scene.model.parameter(2).derived_from, "2*length");
  EXPECT_EQ(scene.model.parameter(1).derived_from, "");
  const ExportedModel written = write_scene(scene);
  ASSERT_EQ(written.warnings.size(), 1U);
  EXPECT_NE(written.warnings[0].message.find("3 parameters"), std::string::npos);
  const Scene again = load_scene(folder_.write("c.yaml", written.text));
  EXPECT_EQ(again.model.parameter_count(), 0);
  EXPECT_TRUE(again.warnings.empty());
  Simulation before(scene), after(again);
  before.run(0.1);
  after.run(0.1);
  EXPECT_EQ(before.hash(), after.hash());
  EXPECT_EQ(after.output("x"), 2.5);
}

TEST_F(Convert, SignalsFollowTheNamesOfTheParts) {
  ModelBuilder builder;
  BodySpec body;
  body.name = "left-arm";
  body.mass_properties = MassProperties{1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  builder.add(body);
  JointSpec joint;
  joint.name = "left-hinge";
  joint.type = JointType::kRevolute;
  joint.child = body.name;
  builder.add(joint);
  ActuatorSpec actuator;
  actuator.name = "a";
  actuator.joint = joint.name;
  actuator.control.source = ExpressionText{"-2*'joint.left-hinge.q'"};
  builder.add(actuator);
  const Scene made{"made", {}, builder.build(), {}, {}};
  EXPECT_NE(write_scene(made).text.find("joint.left_hinge.q"), std::string::npos);
  EXPECT_EQ(as_scene(made).model.actuator_count(), 1);
}

// A key without a number says nothing, and MuJoCo refuses it.
std::string all_of(const std::vector<Diagnostic>& warnings) {
  std::string text;
  for (const Diagnostic& warning : warnings) text += warning.message + '\n';
  return text;
}

// A rope has no lower bound, and a scene takes none of 0.
TEST_F(Convert, ARopeWithAnUpperEndAloneIsOneAgain) {
  const Scene scene = load_scene(folder_.write("r.yaml", R"(lipkin: 1
bodies: [{name: b, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: free}}]
distances: [{name: rope, from: {body: b}, to: {body: world, at: [0, 0, 1]}, upper: 1.05}]
)"));
  const DistanceSpec rope = as_scene(scene).model.data().parts->distances[0];
  EXPECT_EQ(rope.lower, 0);
  EXPECT_EQ(rope.upper, 1.05);
}

// MJCF gives both ends of a range or none.
TEST_F(Convert, ABoundOnOneSideIsOneInMjcf) {
  const Scene scene = load_scene(folder_.write("b.yaml", R"(lipkin: 1
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x}}]
actuators: [{name: plain, joint: a, control: 0.1, max: 0.4}, {name: scaled, joint: a, control: 0.1, min: -0.2}]
controls: [{name: plain, actuator: plain}, {name: scaled, actuator: scaled, scale: 2, max: 0.3}]
)"));
  Simulation before(scene), after(as_mjcf(scene));
  for (const auto& [control, value] :
       {std::pair("control.plain", 1.0), {"control.scaled", 9.0}, {"control.plain", -1.0}, {"control.scaled", -9.0}}) {
    for (Simulation* each : {&before, &after}) {
      each->set(control, value);
      each->run(0.1);
    }
    EXPECT_NEAR(after.velocities()[0], before.velocities()[0], 1e-12) << control << " " << value;
  }
}

TEST_F(Convert, WhatUrdfSaysOfContactsReadsBack) {
  const Scene scene = load_scene(folder_.write("c.yaml", R"(lipkin: 1
materials: {rubber: {friction: 0.7, rolling_friction: 0.01, spinning_friction: 0.02, restitution: 0.4}}
bodies:
  - {name: a, joint: {type: fixed}, mass: 1, inertia: [1, 1, 1],
     shapes: [{sphere: {radius: 0.1}, contact: rubber}, {box: {size: [1, 1, 1]}, color: [0.1, 0.2, 0.3, 0.4]}]}
)"));
  EXPECT_EQ(all_of(write_urdf(scene).warnings), "");
  const Scene again = as_urdf(scene);
  const ModelParts& parts = *again.model.data().parts;
  const auto of_link = std::find_if(parts.materials.begin(), parts.materials.end(), [&](const MaterialSpec& m) {
    return m.name == parts.bodies.back().shapes[0].contact;
  });
  ASSERT_NE(of_link, parts.materials.end());
  EXPECT_EQ(of_link->friction, 0.7);
  EXPECT_EQ(of_link->rolling_friction, 0.01);
  EXPECT_EQ(of_link->spinning_friction, 0.02);
  EXPECT_EQ(of_link->restitution, 0.4);
  EXPECT_EQ(parts.bodies.back().shapes[1].color, (std::array<double, 4>{0.1, 0.2, 0.3, 0.4}));
}

// A model that was URDF says nothing that URDF cannot.
TEST_F(Convert, WhatCameFromUrdfLosesNothingThere) {
  const std::string text =
      "<robot name='r'><link name='base'/><link name='l'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
      "iyy='1' iyz='0' izz='1'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
      "<link name='m'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
      "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
      "<joint name='j' type='revolute'><parent link='base'/><child link='l'/><limit lower='0.5' upper='1' effort='3' "
      "velocity='2'/><dynamics damping='0.1' friction='0.2'/></joint>"
      "<joint name='k' type='continuous'><parent link='l'/><child link='m'/><mimic joint='j' multiplier='2' "
      "offset='0.1'/></joint></robot>";
  EXPECT_EQ(all_of(write_urdf(load_scene(folder_.write("r.urdf", text))).warnings), "");
}

// One value in place of several, and the other way round.
TEST_F(Convert, WhatOneJointSaysForAllDirectionsIsAWarning) {
  const Scene scene = load_scene(folder_.write("f.yaml", R"(lipkin: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: free, damping: [1, 2, 3, 4, 5, 6], limits: {upper: [1, inf, inf, inf, inf, inf]}}}
  - {name: r, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: z, q: 0.3}}
actuators: [{name: one, joint: r, control: 0}, {name: two, joint: r, control: 0}]
)"));
  const ExportedModel mjcf = write_mjcf(scene), urdf = write_urdf(scene);
  EXPECT_EQ(mjcf.text.find("range"), std::string::npos) << mjcf.text;
  for (const char* what : {"not the same in every direction; 1", "limits of free joints; 1"})
    EXPECT_NE(all_of(mjcf.warnings).find(what), std::string::npos) << all_of(mjcf.warnings);
  for (const char* what : {"damping and friction of planar and floating joints; 6", "several actuators of one joint; 1",
                           "limits of planar and floating joints; 1", "positions at the start; 1"})
    EXPECT_NE(all_of(urdf.warnings).find(what), std::string::npos) << all_of(urdf.warnings);
}

TEST_F(Convert, WhatDoesNotMoveHasNoKeyframe) {
  const Scene scene = load_scene(
      folder_.write("f.yaml", "lipkin: 1\nbodies: [{name: a, joint: fixed, mass: 1, inertia: [1, 1, 1]}]\n"));
  EXPECT_EQ(write_mjcf(scene).text.find("keyframe"), std::string::npos);
}

TEST_F(Convert, ASpeedServoIsOneInMjcfToo) {
  const Scene scene = load_scene(folder_.write("v.yaml", R"(lipkin: 1
bodies: [{name: a, joint: revolute, mass: 1, inertia: [1, 1, 1]}]
motors: [{name: m, joint: a, velocity: 0.5, damping: 20, max_force: 3}]
controls: [{name: m, motor: m, scale: 2, offset: 0.1}]
)"));
  const Scene again = as_mjcf(scene);
  ASSERT_EQ(again.model.motor_count(), 1);
  Simulation before(scene), after(again);
  before.set("control.m", 1);
  after.set("control.m", 1);
  before.run(2);
  after.run(2);
  EXPECT_NEAR(before.velocities()[0], 2.1, 1e-9);
  EXPECT_NEAR(after.velocities()[0], 2.1, 1e-9);
}

// A length that the scene leaves out is that of the start, in MJCF that of all coordinates at 0.
TEST_F(Convert, ASpringIsFreeWhereItWas) {
  const Scene scene = load_scene(folder_.write("s.yaml", R"(lipkin: 1
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x, q: 0.5}}]
springs: [{name: s, from: {body: world, at: [-1, 0, 0]}, to: {body: a}, stiffness: 40}]
)"));
  Simulation before(scene), after(as_mjcf(scene));
  for (Simulation* each : {&before, &after}) each->run(0.5);
  EXPECT_NEAR(before.coordinates()[0], 0.5, 1e-12);
  EXPECT_NEAR(after.coordinates()[0], 0.5, 1e-12);
}

// A joint whose two limits are one value is held there. MuJoCo takes such a range for none, which is said.
TEST_F(Convert, ARangeOfOneValueHolds) {
  const Scene scene = load_scene(folder_.write("l.yaml", R"(lipkin: 1
gravity: [1, 0, 0]
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x, q: 0.5, limits: [0.5, 0.5]}}]
)"));
  EXPECT_NE(all_of(write_mjcf(scene).warnings).find("range of one value"), std::string::npos);
  Simulation after(as_mjcf(scene));
  after.run(0.1);
  EXPECT_NEAR(after.coordinates()[0], 0.5, 1e-6);
}

TEST_F(Convert, PlanesThatMoveAreSaidToBeLost) {
  const Scene scene = load_scene(folder_.write("p.yaml", R"(lipkin: 1
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x}, shapes: [{plane: {}, contact: m}]}]
materials: {m: {friction: 0.5}}
)"));
  const ExportedModel mjcf = write_mjcf(scene);
  EXPECT_NE(all_of(mjcf.warnings).find("planes on bodies that move; 1"), std::string::npos) << all_of(mjcf.warnings);
  EXPECT_EQ(mjcf.text.find("type=\"plane\""), std::string::npos);
  as_mjcf(scene);
}

// An actuator of one direction of a ball joint whose frames are turned in the bodies.
TEST_F(Convert, GearsFollowTheFramesOfTheJoint) {
  const Scene scene = load_scene(folder_.write("g.yaml", R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - name: a
    mass: 1
    inertia: [1, 2, 2.5]
    joint: {type: ball, orientation: {axis: y, angle: 0.4}, child_orientation: {axis: x, angle: 0.7}}
actuators: [{name: p, joint: a, dof: 1, control: 0.3}]
)"));
  Simulation before(scene), after(as_mjcf(scene));
  for (Simulation* each : {&before, &after}) each->run(0.5);
  const Eigen::Vector3d w = before.body_motion(0).angular_velocity;
  EXPECT_GT(w.norm(), 0.05);
  EXPECT_LE((after.body_motion(0).angular_velocity - w).norm(), 1e-12);
}

// 1e-27 kg m^2 of a body without mass, and products of inertia that a turn by half a circle left.
TEST_F(Convert, RoundingOfInertiasIsNotWritten) {
  const Scene scene = load_scene(folder_.write("r.yaml", R"(lipkin: 1
bodies:
  - {name: dummy, joint: {type: prismatic, axis: x}, mass: 0, inertia: [1e-27, 1e-27, 1e-27]}
  - {name: a, parent: dummy, joint: revolute, mass: 1, inertia: [0.1, 0.2, 0.25, 1e-18, 0, 1e-18]}
)"));
  for (const std::string& text : {write_mjcf(scene).text, write_urdf(scene).text}) {
    EXPECT_EQ(text.find("e-27"), std::string::npos) << text;
    EXPECT_EQ(text.find("e-18"), std::string::npos) << text;
  }
  EXPECT_NE(write_mjcf(scene).text.find("diaginertia=\"0.1 0.2 0.25\""), std::string::npos);
}

}  // namespace
}  // namespace lipkin::test
