// Loops, limits, drives, materials and contact shapes as they are written in a scene.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "model/model_data.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::Lines;
using test::mistakes_in;
using test::scene_of;
using test::warnings_in;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Two hinged arms and a ball; line 6 is the test's own.
std::string with_line(const std::string& line) {
  return "lipkin: 1\nbodies:\n"
         "  - {name: left, joint: revolute, mass: 1, inertia: [1, 1, 1]}\n"
         "  - {name: right, joint: revolute, mass: 1, inertia: [1, 1, 1]}\n"
         "  - {name: ball, joint: free, mass: 1, inertia: [1, 1, 1]}\n" +
         line + "\n";
}

ModelData model_of(const std::string& text) { return scene_of(text).model.data(); }

TEST(ConstraintScene, LimitsInEveryForm) {
  const auto limits = [](const std::string& joint) {
    return model_of("lipkin: 1\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1], joint: {" + joint + "}}]\n").limits;
  };
  auto both = limits("type: revolute, limits: [-30*deg, 1], limit_restitution: 0.5");
  ASSERT_EQ(both.size(), 1u);
  EXPECT_DOUBLE_EQ(both[0].lower, -M_PI / 6);
  EXPECT_EQ(both[0].upper, 1);
  EXPECT_EQ(both[0].restitution, 0.5);
  const auto one_sided = limits("type: prismatic, limits: {upper: 2}");
  ASSERT_EQ(one_sided.size(), 1u);
  EXPECT_EQ(one_sided[0].lower, -kInf);
  EXPECT_EQ(one_sided[0].upper, 2);
  const auto each = limits("type: planar, limits: {lower: [-1, -2, -3], upper: 4}");
  ASSERT_EQ(each.size(), 3u);
  EXPECT_EQ(each[2].lower, -3);
  EXPECT_EQ(each[2].upper, 4);
  const auto picked = limits("type: cylindrical, limits: {dof: 1, lower: -0.5, upper: 0.1}");
  ASSERT_EQ(picked.size(), 1u);
  EXPECT_EQ(picked[0].dof.k, 1);
  EXPECT_EQ(picked[0].lower, -0.5);
  const auto sliding = limits("type: free, limits: {dof: 2, lower: 0}");
  ASSERT_EQ(sliding.size(), 1u);
  EXPECT_EQ(sliding[0].dof.k, 2);
}

TEST(ConstraintScene, MistakesInLimits) {
  const auto mistakes = [](const std::string& joint) {
    return mistakes_in("lipkin: 1\nbodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1], joint: {" + joint + "}}\n");
  };
  EXPECT_EQ(mistakes("type: revolute, limits: [1]"), Lines{"s.yaml:3:76: error: 'limits' must have 2 values, not 1"});
  EXPECT_EQ(mistakes("type: revolute, limits: {}"),
            Lines{"s.yaml:3:76: error: 'limits' needs 'lower', 'upper' or both"});
  EXPECT_EQ(mistakes("type: revolute, limits: [2, 1]"),
            Lines{"s.yaml:3:76: error: the lower limit 2 is above the upper limit 1 (write limits: [1, 2])"});
  EXPECT_EQ(mistakes("type: revolute, limits: {dof: 1, lower: 0}"),
            Lines{"s.yaml:3:82: error: 'dof' is 1; a revolute joint has 1, counted from 0"});
  EXPECT_EQ(mistakes("type: planar, limits: {dof: 1, lower: [0, 1, 2]}"),
            Lines{"s.yaml:3:90: error: 'lower' must be one number beside 'dof'"});
  EXPECT_EQ(mistakes("type: ball, limits: [0, 1]"),
            Lines{"s.yaml:3:51: error: joint 'b': the rotations of a ball joint cannot have limits (use "
                  "max_angle)"});
  EXPECT_EQ(mistakes("type: ball, max_angle: 4"),
            Lines{"s.yaml:3:51: error: joint 'b': max_angle is 4 rad; expected a number above 0 and below pi"});
  EXPECT_EQ(mistakes("type: revolute, max_angle: 1"),
            Lines{"s.yaml:3:51: error: joint 'b': max_angle is for ball joints"});
  EXPECT_EQ(mistakes("type: revolute, friction: -1"),
            Lines{"s.yaml:3:78: error: 'friction' must be at least 0, not '-1'"});
  EXPECT_EQ(mistakes("type: revolute, limits: [0, 1], limit_restitution: 2"),
            Lines{"s.yaml:3:103: error: 'limit_restitution' must be at most 1, not '2'"});
}

TEST(ConstraintScene, LoopsAreJointsWithTwoFrames) {
  const Scene scene =
      scene_of(with_line("loops:\n"
                         "  - name: loop\n"
                         "    type: screw\n"
                         "    axis: x\n"
                         "    pitch: 0.1\n"
                         "    from: {body: left, at: [1, 2, 3]}\n"
                         "    to: {body: right, at: [4, 5, 6], orientation: {axis: z, angle: pi}}\n"
                         "    friction: 2\n"
                         "    damping: 3\n"
                         "    limits: [-1, 1]\n"
                         "outputs: {angle: joint.loop.q}"));
  const ModelData& data = scene.model.data();
  ASSERT_EQ(scene.model.closure_count(), 1);
  const int joint = scene.model.joint("loop");
  EXPECT_EQ(scene.model.joint_parent(joint), scene.model.body("left"));
  EXPECT_EQ(scene.model.joint_child(joint), scene.model.body("right"));
  const ClosureData& closure = data.closures[0];
  EXPECT_EQ(closure.type, JointType::kScrew);
  EXPECT_EQ(closure.pitch, 0.1);
  EXPECT_EQ(closure.X_AF.p[2], 3);
  EXPECT_EQ(closure.X_BM.p[0], 4);
  EXPECT_NEAR(closure.X_AF.R(0, 2), 1, 1e-15);   // z of F along x of the left arm
  EXPECT_NEAR(closure.X_BM.R(0, 2), -1, 1e-15);  // and against x of the right one, which is turned
  EXPECT_EQ(data.joint_frictions.at(0).force, 2);
  EXPECT_EQ(data.row_springs.at(0).damping, 3);
  EXPECT_EQ(data.limits.at(0).dof.closure, 0);
}

TEST(ConstraintScene, DrivesAndRods) {
  const ModelData data = model_of(
      with_line("motors:\n"
                "  - {name: spin, joint: left, velocity: \"2*t\", max_force: 5}\n"
                "  - {name: servo, joint: right, position: {table: [[0, 0], [1, 2]]}, stiffness: 10, damping: 1}\n"
                "  - {name: push, joint: ball, dof: 2, position: 1}\n"
                "gears: [{name: g, joint: right, of: left, ratio: -2, offset: 0.5}]\n"
                "distances:\n"
                "  - {name: rod, from: {body: ball}, to: {body: left, at: [1, 0, 0]}, length: 2}\n"
                "  - {name: rope, from: {body: ball}, to: {at: [0, 0, 3]}, upper: 1.5, restitution: 0.5}"));
  EXPECT_EQ(data.motors.at(0).kind, MotorKind::kVelocity);
  EXPECT_EQ(data.motors[0].max_force, 5);
  EXPECT_TRUE(data.motors.at(1).servo);
  EXPECT_EQ(data.motors[1].max_force, kInf);
  EXPECT_TRUE(std::holds_alternative<Table>(data.motors[1].target));
  EXPECT_EQ(data.motors.at(2).dof.k, 2);
  EXPECT_EQ(std::get<double>(data.motors[2].target), 1);
  EXPECT_EQ(data.gears.at(0).ratio, -2);
  EXPECT_EQ(data.distances.at(0).lower, 2);
  EXPECT_EQ(data.distances[0].upper, 2);
  EXPECT_EQ(data.distances.at(1).lower, 0);
  EXPECT_EQ(data.distances[1].restitution, 0.5);
}

TEST(ConstraintScene, DrivesOfBodiesActivationsAndControls) {
  const ModelData data = model_of(
      with_line("motors:\n"
                "  - {name: servo, joint: right, position: 0, stiffness: 10, max_force: 5, min_force: -2,\n"
                "     activation: {kind: integrator, start: 0.5, min: -1, max: 1}}\n"
                "actuators:\n"
                "  - {name: jet, body: ball, at: [1, 0, 0], orientation: {axis: z, angle: pi/2}, force: [2, 0, 0],\n"
                "     activation: {kind: filter, time_constant: 0.2}}\n"
                "  - {name: all, joint: ball, gear: [0, 1, 2, 0, 0, 3]}\n"
                "controls: [{name: stick, motor: servo, scale: 2, offset: 1, min: -3, max: 4}, {name: jet, actuator: "
                "jet}]\n"
                "gears: [{name: cam, joint: right, of: left, curve: [0.5, 0.25]}]\n"
                "experiment: {commands: [{at: 1, set: {control.stick: 1, control.all: 2}}]}"));
  EXPECT_EQ(data.motors.at(0).min_force, -2);
  EXPECT_EQ(data.motors[0].activation.kind, ActivationKind::kIntegrator);
  EXPECT_EQ(data.motors[0].activation.start, 0.5);
  ASSERT_EQ(data.actuators.size(), 2u);
  EXPECT_NEAR(data.actuators[0].on_body.force[1], 2, 1e-15);
  EXPECT_EQ(data.actuators[0].activation.time_constant, 0.2);
  ASSERT_EQ(data.actuators[1].pulls.size(), 3u);
  EXPECT_EQ(data.actuators[1].pulls[2].gear, 3);
  ASSERT_EQ(data.controls.size(), 3u);
  EXPECT_EQ(data.controls[0].scale, 2);
  EXPECT_EQ(data.motors[0].control_index, 0);
  EXPECT_EQ(data.actuators[1].control_index, 2);
  EXPECT_EQ(data.gears.at(0).curve[1], 0.25);
}

TEST(ConstraintScene, MistakesInActuatorsAndControls) {
  EXPECT_EQ(mistakes_in(with_line("actuators: [{name: a, force: [1, 0, 0], body: bal}]")),
            Lines{"s.yaml:6:13: error: actuator 'a': there is no body 'bal' (did you mean 'ball'?)"});
  EXPECT_EQ(mistakes_in(with_line("actuators: [{name: a, joint: left, gear: [1, 2]}]")),
            Lines{"s.yaml:6:13: error: actuator 'a': 2 gears for the 1 direction of joint 'left' (write gear: 1)"});
  EXPECT_EQ(mistakes_in(with_line("actuators: [{name: a, joint: left, activation: {kind: filter}}]")),
            Lines{"s.yaml:6:48: error: a filter needs a 'time_constant'"});
  EXPECT_EQ(mistakes_in(with_line("controls: [{name: c, motor: m}]")),
            Lines{"s.yaml:6:12: error: control 'c': there is no motor 'm'"});
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: m, joint: left, velocity: 1, max_force: 2, min_force: 1}]")),
            Lines{"s.yaml:6:10: error: motor 'm': min_force is 1; expected a number <= 0"});
  EXPECT_EQ(mistakes_in(with_line("gears: [{name: g, joint: left, of: right, curve: [1, 2, 3, 4]}]")),
            Lines{"s.yaml:6:9: error: gear 'g': curve has 4 numbers; expected at most 3"});
}

TEST(ConstraintScene, MistakesInLoopsAndDrives) {
  EXPECT_EQ(mistakes_in(with_line("loops: [{name: l, type: ball, from: {body: left}, to: {body: rigth}}]")),
            Lines{"s.yaml:6:9: error: joint 'l': there is no body 'rigth' to be its child (did you mean 'right'?)"});
  EXPECT_EQ(mistakes_in(with_line("loops: [{name: l, type: ball, from: {body: left}}]")),
            Lines{"s.yaml:6:9: error: a loop needs the key 'to' (write to: {body: NAME})"});
  EXPECT_EQ(mistakes_in(with_line("loops: [{name: l, type: ball, from: {body: left}, to: {body: right}, q: 1}]")),
            Lines{"s.yaml:6:70: error: unknown key 'q' in a loop (known keys: name, type, from, to, axis, pitch, "
                  "stiffness, rest, damping, friction, limits, max_angle, limit_restitution, repeat)"});
  EXPECT_EQ(mistakes_in(with_line("loops: [{name: l, type: ball, from: {body: left}, to: {body: left}}]")),
            Lines{"s.yaml:6:9: error: joint 'l' closes a loop between 'left' and 'left', which cannot move against "
                  "each other"});
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: m, joint: left}]")),
            Lines{"s.yaml:6:10: error: a motor needs exactly one of 'velocity', 'position'"});
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: m, joint: left, velocity: 1, stiffness: 1}]")),
            Lines{"s.yaml:6:57: error: 'stiffness' needs 'position' beside it (stiffness of a servo)"});
  EXPECT_EQ(mistakes_in(with_line("motors: [{name: m, joint: lift, velocity: 1}]")),
            Lines{"s.yaml:6:10: error: motor 'm': there is no joint 'lift' (did you mean 'left'?)"});
  EXPECT_EQ(mistakes_in(with_line("gears: [{name: g, joint: left, of: left}]")),
            Lines{"s.yaml:6:9: error: gear 'g': joint 'left' would follow itself"});
  EXPECT_EQ(mistakes_in(with_line("distances: [{name: d, from: {body: left}, to: {body: ball}}]")),
            Lines{"s.yaml:6:13: error: a distance needs 'length', 'lower' or 'upper'"});
  EXPECT_EQ(mistakes_in(with_line("distances: [{name: d, from: {body: left}, to: {body: ball}, length: 1, upper: 2}]")),
            Lines{"s.yaml:6:79: error: 'upper' cannot stand beside 'length'"});
}

constexpr const char* kPile = R"yaml(lipkin: 1
parameters: {mu: 0.5}
materials:
  steel: {friction: mu, restitution: 0.3}
  felt: {friction: 2*mu}
material_pairs:
  - {between: [felt, steel], friction: 0.9}
contact_filters:
  - {bodies: [tray, ball2]}
  - {groups: [round]}
world:
  shapes:
    - {plane: {}, contact: felt}
    - {height_field: {size: [4, 2], heights: [[0, 1, 2], [3, 4, 5]]}, at: [10, 0, 0], contact: felt}
bodies:
  - {name: "ball{i}", repeat: {count: 3}, joint: free, shapes: [{sphere: {radius: 0.1}, density: 1, contact: steel, group: round}]}
  - {name: tray, joint: free, shapes: [{box: {size: [1, 1, 0.1]}, density: 1, contact: felt}, {cup: {bottom_radius: 0.1, top_radius: 0.2, height: 0.3}, contact: felt}]}
)yaml";

TEST(ConstraintScene, MaterialsAndContactShapes) {
  const Scene scene = scene_of(kPile);
  const ModelData& data = scene.model.data();
  EXPECT_EQ(scene.model.material_count(), 2);
  EXPECT_EQ(scene.model.contact_shape_count(), 7);
  EXPECT_EQ(data.materials[0].law.friction, 0.5);
  EXPECT_EQ(data.contact_laws[1].friction, 0.9);
  EXPECT_EQ(data.contact_laws[3].friction, 1);
  EXPECT_EQ(data.contact_laws[1].restitution, 0.3);
  EXPECT_EQ(data.contact_shapes[0].body, -1);
  const auto& field = std::get<ShapeHeightField>(data.contact_shapes[1].geometry);
  EXPECT_EQ(field.rows, 2);
  EXPECT_EQ(field.columns, 3);
  EXPECT_EQ(field.size_x, 4);
  EXPECT_EQ(field.heights, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  // The balls among themselves, and the second with the two shapes of the tray.
  const std::vector<std::pair<int, int>> filtered = {{2, 3}, {2, 4}, {3, 4}, {3, 5}, {3, 6}};
  EXPECT_EQ(data.filtered_shapes, filtered);
}

TEST(ConstraintScene, MistakesInContact) {
  const auto with_shape = [](const std::string& shape) {
    return mistakes_in("lipkin: 1\nmaterials: {steel: {friction: 0.5}}\nworld:\n  shapes:\n    - {" + shape + "}\n");
  };
  EXPECT_EQ(with_shape("plane: {}, contact: stel"),
            Lines{"s.yaml:5:7: error: the world: there is no material 'stel' (did you mean 'steel'?)"});
  EXPECT_EQ(with_shape("plane: {normal: 1}, contact: steel"),
            Lines{"s.yaml:5:16: error: unknown key 'normal' in a plane (its normal is its z axis: write plane: {} and "
                  "turn it by orientation beside it)"});
  EXPECT_EQ(with_shape("mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 3]]}"),
            Lines{"s.yaml:5:7: error: the world: a triangle of a mesh names vertex 3; it has 3, counted from 0"});
  EXPECT_EQ(
      with_shape("hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}"),
      Lines{"s.yaml:5:7: error: the world: the points of a hull are flat; expected points that enclose a volume"});
  EXPECT_EQ(with_shape("height_field: {size: [1, 1], heights: [[0, 0], [0, 0, 0]]}"),
            Lines{"s.yaml:5:55: error: a row of 'heights' has 3 values and the first has 2; expected as many"});
  EXPECT_EQ(with_shape("plane: {}, mass: 1"),
            (Lines{"s.yaml:5:7: error: the world: a shape that encloses no volume has a density or mass (planes, cups, "
                   "height fields and open meshes cannot weigh; give the body a mass of its own)",
                   "s.yaml:5:7: error: the world: a shape has a density or mass, which means nothing there"}));
  EXPECT_EQ(mistakes_in("lipkin: 1\nmaterials: {steel: {friction: -1}}\n"),
            Lines{"s.yaml:2:31: error: 'friction' must be at least 0, not '-1'"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nmaterials: {steel: {mu: 1}}\n").size(), 1u);
  EXPECT_EQ(mistakes_in("lipkin: 1\nmaterials: {a: {}}\nmaterial_pairs: [{between: [a, b]}]\n"),
            Lines{"s.yaml:3:18: error: material pair 'a', 'b': there is no material 'b' (the materials are a)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\ncontact_filters: [{groups: [a, b], bodies: [c, d]}]\n"),
            Lines{"s.yaml:2:19: error: a contact filter needs exactly one of 'bodies', 'groups'"});
}

TEST(ConstraintScene, ExperimentChoosesHowToSolve) {
  const std::string text = with_line(
      "experiment: {stepper: moreau, coordinates: maximal, solver: impulses, stabilization: split, "
      "solver_options: {iterations: 7, tolerance: 1e-6, impulse_epsilon: 1e-5, time_limit: 0.01}}");
  const Experiment experiment = scene_of(text).experiment;
  EXPECT_EQ(experiment.stepper, StepperKind::kMoreau);
  EXPECT_EQ(experiment.coordinates, CoordinateKind::kMaximal);
  EXPECT_EQ(experiment.solver, SolverKind::kImpulses);
  EXPECT_EQ(experiment.stabilization, StabilizationKind::kSplit);
  EXPECT_EQ(experiment.solver_options.max_iterations, 7);
  EXPECT_EQ(experiment.solver_options.tolerance, 1e-6);
  EXPECT_EQ(experiment.solver_options.impulse_epsilon, 1e-5);
  EXPECT_EQ(experiment.solver_options.time_limit, 0.01);
}

TEST(ConstraintScene, OverridesReachAllOfIt) {
  const auto set = [](const std::string& path, const std::string& value) { return scene_of(kPile, {{path, value}}); };
  EXPECT_EQ(set("experiment.solver", "prox").experiment.solver, SolverKind::kProx);
  EXPECT_EQ(set("experiment.solver_options.iterations", "3").experiment.solver_options.max_iterations, 3);
  EXPECT_EQ(set("experiment.coordinates", "maximal").experiment.coordinates, CoordinateKind::kMaximal);
  EXPECT_EQ(set("experiment.stabilization", "none").experiment.stabilization, StabilizationKind::kNone);
  EXPECT_EQ(set("materials.steel.restitution", "1").model.data().contact_laws[0].restitution, 1);
  EXPECT_EQ(set("material_pairs.0.friction", "0.1").model.data().contact_laws[1].friction, 0.1);
  EXPECT_EQ(set("mu", "0.25").model.data().contact_laws[0].friction, 0.25);
  EXPECT_EQ(set("world.shapes.0.contact", "steel").model.data().contact_shapes[0].material, 0);
  EXPECT_EQ(
      mistakes_in(kPile, {{"experiment.solver", "proxx"}}),
      Lines{"--set experiment.solver=proxx: error: 'solver' must be one of impulses, prox, newton, direct, hybrid, "
            "lemke, not 'proxx' (did you mean 'prox'?)"});
}

TEST(ConstraintScene, CommandsReachWhatCanChange) {
  const std::string parts =
      "materials: {steel: {friction: 0.5}}\n"
      "motors: [{name: m, joint: left, velocity: 1, max_force: 2}]\n"
      "gears: [{name: g, joint: right, of: left}]\n"
      "distances: [{name: d, from: {body: ball}, to: {body: left}, upper: 1}]\n";
  EXPECT_EQ(mistakes_in(with_line(parts + "experiment: {commands: [{at: 1, set: {motor.m.target: 2, motor.m.max_force: "
                                          "3, gear.g.ratio: 2, distance.d.upper: 3, material.steel.friction: 1}}]}")),
            Lines{});
  EXPECT_EQ(mistakes_in(with_line(parts + "experiment: {commands: [{at: 1, set: {material.steal.friction: 1}}]}")),
            Lines{"s.yaml:10:39: error: the scene has no material 'steal' (did you mean 'steel'?)"});
  EXPECT_EQ(mistakes_in(with_line(parts + "experiment: {commands: [{at: 1, set: {motor.n.target: 1}}]}")).size(), 1u);
}

TEST(ConstraintScene, IncludedScenesBringTheirLoopsAndMaterials) {
  const test::TemporaryScenes scenes;
  scenes.write(
      "part.yaml",
      "lipkin: 1\nmaterials: {skin: {friction: 0.7}}\n"
      "bodies:\n  - {name: a, joint: revolute, shapes: [{sphere: {radius: 1}, mass: 1, contact: skin, group: g}]}\n"
      "  - {name: b, joint: revolute, shapes: [{sphere: {radius: 1}, mass: 1, contact: skin, group: g}]}\n"
      "loops: [{name: l, type: ball, from: {body: world, at: [1, 0, 0]}, to: {body: b}}]\n"
      "motors: [{name: m, joint: a, velocity: 1}]\ncontact_filters: [{groups: [g]}]\n"
      "distances: [{name: d, from: {body: a}, to: {body: b}, length: 1}]\n"
      "gears: [{name: g, joint: b, of: a}]\n");
  const std::string top = scenes.write(
      "top.yaml",
      "lipkin: 1\nbodies: [{name: base, joint: free, mass: 1, inertia: [1, 1, 1]}]\ninclude:\n"
      "  - {file: part.yaml, prefix: x_}\n  - {file: part.yaml, prefix: y_, parent: base, at: [0, 0, 5]}\n");
  const Model model = load_scene(top).model;
  const ModelData& data = model.data();
  ASSERT_EQ(model.closure_count(), 2);
  EXPECT_EQ(data.closures[0].name, "x_l");
  EXPECT_EQ(data.closures[0].link_a, 0);
  EXPECT_EQ(data.closures[1].link_a, data.bodies[0].link);  // what y_ calls world is a frame of the base
  EXPECT_EQ(data.closures[1].X_AF.p[0], 1);
  EXPECT_EQ(data.closures[1].X_AF.p[2], 5);
  EXPECT_EQ(model.motor_name(1), "y_m");
  EXPECT_EQ(model.material_name(0), "x_skin");
  EXPECT_EQ(data.filtered_shapes, (std::vector<std::pair<int, int>>{{0, 1}, {2, 3}}));
  scenes.write("ground.yaml", "lipkin: 1\nmaterials: {m: {}}\nworld: {shapes: [{plane: {}, contact: m}]}\n");
  scenes.write("moved.yaml", "lipkin: 1\ninclude: [{file: ground.yaml, at: [0, 0, 2]}]\n");
  EXPECT_EQ(load_scene((scenes.folder() / "moved.yaml").string()).model.data().contact_shapes.at(0).X_LS.p[2], 2);
  scenes.write("wrong.yaml",
               "lipkin: 1\nbodies: [{name: b, joint: free, mass: 1, inertia: [1, 1, 1]}]\n"
               "include: [{file: ground.yaml, parent: b}]\n");
  EXPECT_EQ(
      scenes.mistakes("wrong.yaml"),
      Lines{"ground.yaml:3:8: error: the shapes of this scene's world cannot be part of the body 'b' (include the "
            "scene in the world, or give the shapes to a body of their own)"});
}

TEST(ConstraintScene, IncludedScenesWatchTheirOwnContacts) {
  const test::TemporaryScenes scenes;
  scenes.write(
      "part.yaml",
      "lipkin: 1\nbodies: [{name: a, joint: free, mass: 1, inertia: [1, 1, 1]}, {name: b, joint: free, mass: 1, "
      "inertia: [1, 1, 1]}]\noutputs: {pair: contact.a.b.fx, ground: contact.b.world.fz}\n");
  const std::string top = scenes.write("top.yaml",
                                       "lipkin: 1\nbodies: [{name: base, joint: free, mass: 1, inertia: [1, 1, 1]}]\n"
                                       "include: [{file: part.yaml, prefix: x_, parent: base}]\n");
  const Model model = load_scene(top).model;
  const std::vector<OutputData>& outputs = model.data().outputs;
  EXPECT_EQ(outputs.at(0).name, "x_pair");
  EXPECT_EQ(outputs[0].value.channels.at(0).index, model.body("x_a"));
  EXPECT_EQ(outputs[0].value.channels.at(0).other, model.body("x_b"));
  EXPECT_EQ(outputs.at(1).value.channels.at(0).index, model.body("x_b"));
  EXPECT_EQ(outputs[1].value.channels.at(0).other, model.body("base"));
}

TEST(ConstraintScene, WarnsOfWhatHasNoEffect) {
  EXPECT_EQ(
      warnings_in("lipkin: 1\nbodies: [{name: b, joint: free, shapes: [{sphere: {radius: 1}, mass: 1, group: g}]}]\n"),
      Lines{"s.yaml:2:42: warning: body 'b': a shape of group 'g' has no contact material and touches nothing"});
  EXPECT_EQ(warnings_in("lipkin: 1\nbodies: [{name: b, joint: {type: revolute, limit_restitution: 1}, mass: 1, "
                        "inertia: [1, 1, 1]}]\n"),
            Lines{"s.yaml:2:63: warning: 'limit_restitution' has no effect without 'limits'"});
}

TEST(ConstraintScene, WarnsOfWhatStartsOutOfItsBounds) {
  const auto rope = [](const std::string& bounds) {
    return warnings_in(with_line("distances: [{name: rope, from: {at: [0, 0, 1]}, to: {body: ball}, " + bounds + "}]"));
  };
  EXPECT_EQ(rope("upper: 0.8"),
            Lines{"s.yaml:6:13: warning: distance 'rope' starts at 1 m, outside its bounds 0 to 0.8 m"});
  EXPECT_EQ(rope("lower: 2"),
            Lines{"s.yaml:6:13: warning: distance 'rope' starts at 1 m, outside its bounds 2 to inf m"});
  EXPECT_EQ(rope("upper: 1"), Lines{});
  EXPECT_EQ(rope("length: 0.8"), Lines{});  // closed before the first step
}

TEST(ConstraintScene, LimitsOfSomeCoordinatesAlone) {
  const std::string joint = "lipkin: 1\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1], joint: {type: planar, limits: ";
  const auto limits = model_of(joint + "{lower: [-inf, -1, -inf], upper: [2, inf, inf]}}}]\n").limits;
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].lower, -kInf);
  EXPECT_EQ(limits[0].upper, 2);
  EXPECT_EQ(limits[1].lower, -1);
  EXPECT_EQ(limits[1].upper, kInf);
  EXPECT_FALSE(mistakes_in(joint + "[inf, 2]}}]\n").empty());
}

// What only closing the loops can show is told with the place of the loop, as every other mistake.
TEST(ConstraintScene, LoopsThatCannotBeClosedAreFoundInTheFile) {
  const test::TemporaryScenes scenes;
  const auto mistake = [&](const std::string& line) {
    try {
      Simulation(load_scene(scenes.write("s.yaml", with_line(line))));
    } catch (const InputError& error) {
      return scenes.without_folder(error.diagnostics().front().text());
    }
    return std::string("none");
  };
  const std::string loop =
      mistake("loops: [{name: l, type: ball, from: {body: left, at: [9, 0, 0]}, to: {body: right}}]");
  EXPECT_EQ(loop.rfind("s.yaml:6:9: error: loop 'l' cannot be closed: ", 0), 0u) << loop;
  const std::string rod =
      mistake("distances: [{name: d, from: {body: left}, to: {body: right, at: [1, 0, 0]}, length: 3}]");
  EXPECT_EQ(rod.rfind("s.yaml:6:13: error: rod 'd' cannot be closed: ", 0), 0u) << rod;
}

// Two arms that turn in a plane and reach for each other: what is left is the distance less their reach, or within the
// longer one what the shorter lacks, wherever they begin.
TEST(ConstraintScene, WhatCannotBeClosedIsToldByTheBestGap) {
  const test::TemporaryScenes scenes;
  const auto gap = [&](double a, double b, double distance, double q) {
    const auto arm = [](const char* name, double length, double x, double angle) {
      return fmt::format(
          "  - {{name: {}, joint: {{type: revolute, axis: y, at: [{}, 0, 0], q: {}}}, shapes: [{{box: "
          "{{size: [{}, 0.01, 0.01]}}, at: [{}, 0, 0], mass: 1}}]}}\n",
          name, x, angle, length, length / 2);
    };
    const std::string text =
        "lipkin: 1\nbodies:\n" + arm("left", a, 0, q) + arm("right", b, distance, 2 - q) +
        fmt::format(
            "loops: [{{name: l, type: revolute, axis: y, from: {{body: left, at: [{}, 0, 0]}}, to: {{body: right, "
            "at: [{}, 0, 0]}}}}]\n",
            a, b);
    try {
      Simulation(load_scene(scenes.write("s.yaml", text)));
    } catch (const InputError& error) {
      const std::string& message = error.diagnostics().front().message;
      return std::stod(message.substr(message.find("closed: ") + 8));
    }
    return 0.0;
  };
  for (const double q : {-2.5, -0.4, 0.3, 1.9}) {
    EXPECT_NEAR(gap(0.1, 0.1, 0.3, q), 0.1, 1e-3) << q;
    EXPECT_NEAR(gap(0.5, 0.4, 1, q), 0.1, 1e-3) << q;
    EXPECT_NEAR(gap(1, 0.2, 0.3, q), 0.5, 1e-3) << q;
    EXPECT_EQ(gap(0.5, 0.6, 1, q), 0) << q;
  }
}

}  // namespace
}  // namespace lipkin
