// What a scene says is what the model has.
#include "lipkin/scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/state.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::scene_of;

constexpr double kPi = std::numbers::pi;
// A few roundings of numbers of order one.
constexpr double kRounding = 1e-14;

Eigen::Matrix3d rotation(double angle, const Eigen::Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

// Pose of the first body at the start.
Pose pose_of(const Scene& scene, int body = 0) {
  Dynamics dynamics(scene.model);
  dynamics.set(initial_state(scene.model));
  return dynamics.body_motion(body).pose;
}

// Variable at the start.
double variable(const Scene& scene, const std::string& name) {
  Dynamics dynamics(scene.model);
  dynamics.set(initial_state(scene.model));
  return dynamics.variable(name);
}

TEST(LoadScene, ReadsNamesGravityAndDefaults) {
  const Scene scene = scene_of("lipkin: 1\nname: my-scene\ndescription: what it shows\nunits: SI\n");
  EXPECT_EQ(scene.name, "my-scene");
  EXPECT_EQ(scene.description, "what it shows");
  EXPECT_EQ(scene.model.name(), "my-scene");
  EXPECT_EQ(scene.model.gravity(), Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(scene_of("lipkin: 1\ngravity: [1, 2*3, -pi]\n").model.gravity(), Eigen::Vector3d(1, 6, -kPi));
  EXPECT_EQ(scene_of("lipkin: 1\n").name, "s");
}

TEST(LoadScene, ReadsMassProperties) {
  const Scene scene = scene_of(R"(
lipkin: 1
bodies:
  - {name: a, joint: free, mass: 2, com: [1, 2, 3], inertia: [4, 5, 6]}
  - {name: b, joint: free, mass: 2, inertia: [4, 5, 6, 0.1, 0.2, 0.3]}
  - {name: c, joint: free, mass: 2, inertia: {principal: [4, 5, 6], orientation: {axis: z, angle: 90*deg}}}
  - {name: d, joint: free, shapes: [{box: {size: [1, 2, 3]}, density: 2, at: [0, 0, 1]}]}
  - {name: e, joint: free, shapes: [{sphere: {radius: 0.5}, mass: 3}]}
)");
  const Model& model = scene.model;
  EXPECT_EQ(model.body_com(0), Eigen::Vector3d(1, 2, 3));
  EXPECT_TRUE(model.body_inertia(0).isApprox(Eigen::Vector3d(4, 5, 6).asDiagonal().toDenseMatrix(), kRounding));
  Eigen::Matrix3d with_products;
  with_products << 4, 0.1, 0.2, 0.1, 5, 0.3, 0.2, 0.3, 6;
  EXPECT_TRUE(model.body_inertia(1).isApprox(with_products, kRounding));
  EXPECT_TRUE(model.body_inertia(2).isApprox(Eigen::Vector3d(5, 4, 6).asDiagonal().toDenseMatrix(), kRounding));
  EXPECT_DOUBLE_EQ(model.body_mass(3), 12);
  EXPECT_TRUE(model.body_com(3).isApprox(Eigen::Vector3d(0, 0, 1), kRounding));
  // Box: m (b^2 + c^2) / 12; sphere: 2/5 m r^2.
  EXPECT_TRUE(model.body_inertia(3).isApprox(Eigen::Vector3d(13, 10, 5).asDiagonal().toDenseMatrix(), kRounding));
  EXPECT_TRUE(model.body_inertia(4).isApprox(0.3 * Eigen::Matrix3d::Identity(), kRounding));
}

TEST(LoadScene, ReadsAddedInertiaInBothForms) {
  // Kinetic energy 1/2 V^T (I + A) V at V = (1, 0, 0; 0, 1, 0): angular about x, linear along y.
  const std::string begin =
      "lipkin: 1\nbodies: [{name: a, joint: {type: free, u: [0, 1, 0, 1, 0, 0]}, mass: 1, "
      "inertia: [1, 1, 1], added_inertia: ";
  std::string triangle = "[", rows = "[";
  for (int i = 0; i < 6; ++i) {
    rows += i ? ", [" : "[";
    for (int j = 0; j < 6; ++j) {
      const double entry = i == j ? 2 + i : (std::min(i, j) == 0 && std::max(i, j) == 4) ? 0.5 : 0;
      rows += (j ? ", " : "") + std::to_string(entry);
      if (j >= i) triangle += (triangle.size() > 1 ? ", " : "") + std::to_string(entry);
    }
    rows += "]";
  }
  const double expected = 0.5 * (1 + 1) + 0.5 * (2 + 6 + 2 * 0.5);
  for (const std::string& matrix : {triangle, rows})
    EXPECT_NEAR(variable(scene_of(begin + matrix + "]}]\n"), "energy.kinetic"), expected, kRounding) << matrix;
}

TEST(LoadScene, ReadsJointsOfEveryType) {
  const Scene scene = scene_of(R"(
lipkin: 1
bodies:
  - {name: a, joint: revolute, mass: 1, inertia: [1, 1, 1]}
  - {name: b, parent: a, joint: prismatic, mass: 1, inertia: [1, 1, 1]}
  - {name: c, parent: b, joint: {type: screw, pitch: 0.1}, mass: 1, inertia: [1, 1, 1]}
  - {name: d, parent: c, joint: cylindrical, mass: 1, inertia: [1, 1, 1]}
  - {name: e, parent: d, joint: universal, mass: 1, inertia: [1, 1, 1]}
  - {name: f, parent: e, joint: planar, mass: 1, inertia: [1, 1, 1]}
  - {name: g, parent: f, joint: {type: ball, name: hip}, mass: 1, inertia: [1, 1, 1]}
  - {name: h, parent: g, joint: free, mass: 1, inertia: [1, 1, 1]}
  - {name: i, parent: h, joint: fixed, mass: 1, inertia: [1, 1, 1]}
)");
  const JointType types[] = {JointType::kRevolute,    JointType::kPrismatic, JointType::kScrew,
                             JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar,
                             JointType::kBall,        JointType::kFree,      JointType::kFixed};
  ASSERT_EQ(scene.model.joint_count(), 9);
  for (int j = 0; j < 9; ++j) EXPECT_EQ(scene.model.joint_type(j), types[j]) << j;
  EXPECT_EQ(scene.model.joint_name(0), "a");
  EXPECT_EQ(scene.model.joint_name(6), "hip");
  EXPECT_EQ(scene.model.joint_parent(0), -1);
  EXPECT_EQ(scene.model.joint_parent(6), scene.model.body("f"));
}

TEST(LoadScene, PlacesFramesAndInitialState) {
  const Scene scene = scene_of(R"(
lipkin: 1
bodies:
  - name: a
    joint: {type: revolute, axis: [0, 2, 0], at: [1, 2, 3], orientation: {rpy: [0, 0, 90*deg]}, child_at: [0, 0, 0.5], q: pi/2, u: 3}
    mass: 1
    inertia: [1, 1, 1]
)");
  const State state = initial_state(scene.model);
  EXPECT_EQ(state.q, std::vector<double>{kPi / 2});
  EXPECT_EQ(state.u, std::vector<double>{3});
  // F: at (1, 2, 3), turned by 90 deg about z; the joint turns by 90 deg about F's y; the body's origin lies 0.5 below
  // M.
  const Eigen::Matrix3d R = rotation(kPi / 2, {0, 0, 1}) * rotation(kPi / 2, {0, 1, 0});
  const Pose pose = pose_of(scene);
  EXPECT_TRUE(pose.orientation.toRotationMatrix().isApprox(R, kRounding));
  EXPECT_TRUE(pose.position.isApprox(Eigen::Vector3d(1, 2, 3) + R * Eigen::Vector3d(0, 0, -0.5), kRounding));
}

TEST(LoadScene, ReadsOrientationsInEveryForm) {
  const auto turned = [](const std::string& orientation) {
    return pose_of(
               scene_of("lipkin: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: ball, orientation: " +
                        orientation + "}}]\n"))
        .orientation.toRotationMatrix();
  };
  EXPECT_TRUE(turned("[2, 2, 0, 0]").isApprox(rotation(kPi / 2, {1, 0, 0}), kRounding));
  EXPECT_TRUE(turned("{axis: y, angle: 30*deg}").isApprox(rotation(kPi / 6, {0, 1, 0}), kRounding));
  EXPECT_TRUE(turned("{axis: [1, 1, 0], angle: 1}").isApprox(rotation(1, {1, 1, 0}), kRounding));
  // Fixed axes: first about x, then about y, then about z.
  const Eigen::Matrix3d rpy = rotation(0.3, {0, 0, 1}) * rotation(0.2, {0, 1, 0}) * rotation(0.1, {1, 0, 0});
  EXPECT_TRUE(turned("{rpy: [0.1, 0.2, 0.3]}").isApprox(rpy, kRounding));
}

TEST(LoadScene, ParametersMayUseThoseAboveThem) {
  const Scene scene = scene_of(R"(
lipkin: 1
parameters:
  length: {value: 2, unit: m, description: of the rod}
  half: length/2
bodies: [{name: a, joint: {type: revolute, axis: y}, mass: half^2, com: [half + 1, 0, 0]}]
outputs: {area: length*half}
)");
  EXPECT_EQ(scene.model.body_mass(0), 1);
  EXPECT_EQ(scene.model.body_com(0).x(), 2);
  Simulation simulation(scene);
  simulation.run(0);
  EXPECT_EQ(simulation.output("area"), 2);
  EXPECT_TRUE(scene.warnings.empty());
}

TEST(LoadScene, ReadsSpringsAndBushings) {
  const Scene scene = scene_of(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: free, q: [3, 4, 0, 1, 0, 0, 0]}, mass: 1, inertia: [1, 1, 1]}
points: [{name: p, body: a}, {name: origin}]
springs:
  - {name: by_name, from: origin, to: p, stiffness: 10, rest_length: 2}
  - {name: by_place, from: {at: [3, 0, 0]}, to: {body: a}, stiffness: 10}
bushings:
  - {name: b, from: {at: [3, 4, 1]}, to: {body: a}, stiffness: [1, 1, 4], damping: 1, angular_stiffness: 1, angular_damping: 1}
)");
  EXPECT_DOUBLE_EQ(variable(scene, "spring.by_name.length"), 5);
  EXPECT_DOUBLE_EQ(variable(scene, "spring.by_name.force"), 30);
  EXPECT_DOUBLE_EQ(variable(scene, "spring.by_place.length"), 4);
  EXPECT_DOUBLE_EQ(variable(scene, "spring.by_place.force"), 0);
  // 1/2 10 3^2 of the first spring and 1/2 4 1^2 of the bushing.
  EXPECT_DOUBLE_EQ(variable(scene, "energy.elastic"), 45 + 2);
}

TEST(LoadScene, ReadsForcesAndActuators) {
  const Scene scene = scene_of(R"(
lipkin: 1
gravity: [0, 0, 0]
parameters: {k: 3}
bodies:
  - {name: slider, joint: {type: prismatic, axis: x, q: 2}, mass: 1, inertia: [1, 1, 1]}
  - {name: wheel, joint: {type: revolute, axis: z, orientation: {axis: x, angle: 90*deg}}, mass: 1, inertia: [1, 1, 2]}
points: [{name: edge, body: wheel, at: [1, 0, 0]}]
forces:
  - {name: pull, body: slider, force: ["k*joint.slider.q + t", 0, 0]}
  - {name: kick, point: edge, force: [0, 4, 0], torque: [0, 0, 2*k], frame: body}
actuators:
  - {name: motor, joint: slider, gear: 2, control: {table: [[0, 10], [1, 20]]}, max: 5}
)");
  // Slider: 3 * 2 + 2 * min(10, 5); wheel: (1 * 4 + 6) / 2.
  EXPECT_NEAR(variable(scene, "joint.slider.a"), 16, kRounding * 16);
  EXPECT_NEAR(variable(scene, "joint.wheel.a"), 5, kRounding * 10);
}

TEST(LoadScene, ReadsOutputsAndExperiment) {
  const Scene scene = scene_of(R"(
lipkin: 1
bodies: [{name: a, joint: revolute, mass: 1, inertia: [1, 1, 1]}]
actuators: [{name: m, joint: a}]
outputs:
  angle: {expr: joint.a.q, unit: rad}
  two: 2
  sum: energy.kinetic + energy.gravitational
experiment:
  stepper: dopri5
  duration: 2*3
  dt: 0.01
  tolerance: 1e-6
  every: 0.1
  commands:
    - {at: 1, set: {actuator.m.control: 3, gravity.x: -1}}
    - {at: 2, push: {body: a, force: [1, 2, 3], torque: [4, 5, 6], point: [7, 8, 9], duration: 0.5, frame: body}}
)");
  EXPECT_EQ(scene.model.output_name(0), "angle");
  EXPECT_EQ(scene.model.output_unit(0), "rad");
  EXPECT_EQ(scene.model.output_name(2), "sum");
  const Experiment& experiment = scene.experiment;
  EXPECT_EQ(experiment.stepper, StepperKind::kDopri5);
  EXPECT_EQ(experiment.duration, 6);
  EXPECT_EQ(experiment.dt, 0.01);
  EXPECT_EQ(experiment.relative_tolerance, 1e-6);
  EXPECT_DOUBLE_EQ(experiment.absolute_tolerance, 1e-8);
  EXPECT_EQ(experiment.every, 0.1);
  ASSERT_EQ(experiment.commands.size(), 3u);
  EXPECT_EQ(experiment.commands[0].at, 1);
  EXPECT_EQ(std::get<CommandSet>(experiment.commands[0].action).path, "actuator.m.control");
  EXPECT_EQ(std::get<CommandSet>(experiment.commands[0].action).value, 3);
  EXPECT_EQ(std::get<CommandSet>(experiment.commands[1].action).path, "gravity.x");
  const CommandPush& push = std::get<CommandPush>(experiment.commands[2].action);
  EXPECT_EQ(push.body, "a");
  EXPECT_EQ(push.force, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(push.torque, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(push.point, Eigen::Vector3d(7, 8, 9));
  EXPECT_EQ(push.duration, 0.5);
  EXPECT_EQ(push.frame, ForceFrame::kBody);
}

TEST(LoadScene, FindsScenesByName) {
  EXPECT_EQ(load_scene("double-pendulum").model.body_count(), 2);
  try {
    load_scene("duoble-pendulum");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "error: there is no scene 'duoble-pendulum' (did you mean 'double-pendulum'?)");
  }
  EXPECT_THROW(load_scene(""), InputError);
}

TEST(LoadScene, SearchesTheChosenFolderFirst) {
  const test::TemporaryScenes scenes;
  scenes.write("double-pendulum.yaml", "lipkin: 1\ndescription: mine\n");
  setenv("LIPKIN_SCENES", scenes.folder().c_str(), 1);
  EXPECT_EQ(load_scene("double-pendulum").description, "mine");
  const std::vector<SceneInfo> list = list_scenes();
  unsetenv("LIPKIN_SCENES");
  const auto found =
      std::find_if(list.begin(), list.end(), [](const SceneInfo& s) { return s.name == "double-pendulum"; });
  ASSERT_NE(found, list.end());
  EXPECT_EQ(found->description, "mine");
  EXPECT_GE(list.size(), 10u);
}

}  // namespace
}  // namespace lipkin
