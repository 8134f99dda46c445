// The published schema is what the reader does: nothing in it is unused, and its lists and defaults are the program's.
#include "io/schema.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "io/schema_validator.hpp"
#include "io/text_file.hpp"
#include "io/yaml_document.hpp"
#include "lipkin/model_builder.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

// What Lipkin's own scenes leave out.
constexpr const char* kRemainingKeys = R"yaml(lipkin: 1
units: SI
bodies:
  - name: base
    joint:
      type: free
      child_orientation: {rpy: [0, 0, pi]}
      child_at: [0, 0, 0.1]
    mass: 1
    inertia: {principal: [1, 2, 2], orientation: [1, 0, 0, 0]}
    added_inertia: [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
  - name: arm{i}
    repeat: {count: 2, from: 0}
    parent: base
    joint: revolute
    mass: 1
    inertia: [1, 1, 1, 0, 0, 0]
points:
  - {name: "p{i}", body: "arm{i-1}", repeat: {count: 2}}
springs:
  - {name: "s{i}", from: {body: base, at: [0, 0, 1]}, to: "p{i}", stiffness: 1, repeat: {count: 2}}
bushings:
  - name: b{i}
    from: {body: base, orientation: {axis: x, angle: 0}}
    to: {body: "arm{i-1}"}
    stiffness: 1
    repeat: {count: 2}
forces:
  - {name: "f{i}", body: "arm{i-1}", at: [1, 0, 0], force: [t, 0, 0], repeat: {count: 2}}
actuators:
  - {name: "m{i}", joint: "arm{i-1}", dof: 0, control: 1, max_speed: 3, repeat: {count: 2}}
experiment:
  commands:
    - {at: 1, push: {body: base, force: [1, 0, 0], duration: 1, frame: body}, repeat: {count: 2}}
  coordinates: maximal
  solver: prox
  solver_options: {iterations: 50, tolerance: 1e-8, impulse_epsilon: 1e-6, time_limit: 0.001}
  tolerated: {length: 1e-3, angle: 0.01, rate: 0.01, beyond: stop}
  stabilization: split
  contact: regularised
  slip_speed: 1e-4
  step: variable
  dt_min: 1e-5
  dt_max: 0.005
)yaml";

// Loops, limits, drives and contact, as far as Lipkin's own scenes leave them out.
// Tyres, inputs and controllers.
constexpr const char* kVehicleKeys = R"yaml(lipkin: 1
materials: {earth: {}}
world: {shapes: [{plane: {}, contact: earth}]}
bodies: [{name: "wheel{i}", joint: free, mass: 1, inertia: [1, 1, 1], repeat: {count: 2}}]
tyres:
  - {name: "wheel{i}", body: "wheel{i}", at: [0, 0.1, 0], axis: [0, 1, 0], radius: 0.3, crown: 0.05, stiffness: 1e5, damping: 100,
     friction: 1, lateral_friction: 0.9, slip_stiffness: 5000, cornering_stiffness: 5000, relaxation_length: 0.1,
     lateral_relaxation_length: 0.2, tread_damping: 10, rolling_resistance: 0.01, repeat: {count: 2}}
inputs: [{name: "pedal{i}", value: 0.5, min: 0, max: 1, unit: "1", description: how far, repeat: {count: 2}}]
controllers:
  - {name: "pid{i}", measured: "body.wheel{i}.z", target: input.pedal1, p: 1, i: 2, d: 3, filter: 0.1, min: -1, max: 1, repeat: {count: 2}}
  - {name: law, law: 2*controller.pid1.output}
experiment:
  commands: [{at: 0.1, set: {input.pedal2: 1, tyre.wheel1.friction: 0.5, controller.pid1.p: 2}}]
)yaml";

constexpr const char* kConstraintKeys = R"yaml(lipkin: 1
materials:
  ice: {friction: 0.1, rolling_friction: 0.01, spinning_friction: 0.01, restitution: 0.5, stiffness: 1e6, exponent: 1.5,
        damping: 0.1, linear_damping: 1}
  wood: {friction: 0.5}
material_pairs:
  - {between: [ice, wood], friction: 0.2, static_friction: 0.3, rolling_friction: 0, spinning_friction: 0, restitution: 0.1, stiffness: 1,
     exponent: 1, damping: 0, linear_damping: 0, repeat: {count: 1}}
contact_filters:
  - {bodies: ["arm{i}", world], repeat: {count: 2}}
  - {groups: [left, right]}
  - {groups: [left]}
world:
  shapes:
    - {height_field: {size: [4, 2], heights: [[0, 0.1, 0], [0, 0, 0.1]]}, contact: ice}
    - {mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]]}, contact: ice}
    - mesh:
        vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        triangles: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
        contact_as: decompose
        tolerance: 0.02
        max_hulls: 3
      contact: ice
bodies:
  - name: arm{i}
    repeat: {count: 3}
    joint: {type: revolute, limits: [-1, 1], limit_restitution: 0.2, at: [0, 0, i]}
    shapes:
      - hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}
        density: 100
        contact: wood
        group: left
      - {sphere: {radius: 0.1}, at: [2, 0, 0], contact: wood, group: right}
  - {name: piston, joint: {type: cylindrical, limits: {dof: 1, lower: 0, upper: 0.3}}, mass: 1, inertia: [1, 1, 1]}
loops:
  - name: link{i}
    repeat: {count: 2}
    type: screw
    pitch: 0.1
    from: {body: "arm{i}"}
    to: {body: "arm{i+1}"}
    axis: x
    stiffness: 1
    rest: 0.5
    damping: 1
    friction: 1
    limits: {lower: -1, upper: 1}
    limit_restitution: 0.1
motors:
  - {name: "m{i}", joint: "arm{i}", dof: 0, position: 1, max_force: 1, stiffness: 1, damping: 1, repeat: {count: 2}}
gears:
  - {name: "g{i}", joint: "arm{i}", dof: 0, of: piston, of_dof: 1, ratio: 2, offset: 1, repeat: {count: 2}}
distances:
  - {name: "d{i}", from: {body: "arm{i}"}, to: {body: "arm{i+1}"}, lower: 0.5, upper: 2, restitution: 0.5,
     repeat: {count: 2}}
  - {name: rod, from: {body: arm1}, to: {body: piston}, length: 1}
)yaml";

// Actuators of bodies, activations, controls, and limits of ball joints.
constexpr const char* kDriveKeys = R"yaml(lipkin: 1
bodies:
  - {name: drone, joint: free, mass: 1, inertia: [1, 1, 1]}
  - {name: arm, parent: drone, joint: {type: ball, max_angle: 1}, mass: 1, inertia: [1, 1, 1]}
  - {name: cam, joint: revolute, mass: 1, inertia: [1, 1, 1]}
  - {name: lifter, joint: prismatic, mass: 1, inertia: [1, 1, 1]}
loops: [{name: l, type: ball, from: {body: world}, to: {body: arm}, max_angle: 2}]
actuators:
  - {name: "a{i}", body: arm, at: [0, 0, 1], orientation: {axis: z, angle: 1}, force: [1, 0, 0], torque: [0, 1, 0],
     against: drone, against_orientation: {axis: x, angle: 1}, repeat: {count: 2},
     activation: {kind: filter, time_constant: 0.1, start: 0.5, min: -1, max: 1}}
motors:
  - {name: m, joint: cam, position: 0, stiffness: 1, max_force: 2, min_force: -1, activation: {kind: integrator}}
controls:
  - {name: "c{i}", actuator: "a{i}", repeat: {count: 2}}
  - {name: m, motor: m, scale: 2, offset: 1, min: -1, max: 1}
gears: [{name: g, joint: lifter, of: cam, curve: [1, 2, 3]}]
experiment: {commands: [{at: 0.1, set: {control.m: 1}}]}
)yaml";

// Points with axes and zones; outputs that are evaluated where somebody asks.
constexpr const char* kSensorKeys = R"yaml(lipkin: 1
bodies: [{name: arm, joint: {type: revolute, axis: y}, mass: 1, inertia: 1}]
points:
  - {name: a, body: arm, orientation: {axis: x, angle: 1}, zone: {sphere: {radius: 1}}}
  - {name: b, body: arm, zone: {box: {size: [1, 1, 1]}}}
  - {name: c, body: arm, zone: {cylinder: {radius: 1, length: 1}}}
  - {name: d, body: arm, zone: {capsule: {radius: 1, length: 1}}}
  - {name: e, body: arm, zone: {ellipsoid: {radii: [1, 2, 3]}}}
outputs: {touch: {expr: point.a.touch, unit: N, evaluate: on_request}}
)yaml";

constexpr const char* kTendonKeys = R"yaml(lipkin: 1
bodies:
  - {name: "arm{i}", joint: {type: revolute, axis: y}, mass: 1, inertia: 1, repeat: {count: 2}}
points: [{name: eye, body: arm0}]
tendons:
  - name: "t{i}"
    joints: [{joint: "arm{i}", dof: 0, coefficient: 2}]
    lower: 0
    upper: 1
    restitution: 0.5
    stiffness: 1
    rest: [0.1, 0.2]
    damping: 1
    friction: 1
    armature: 1
    repeat: {count: 2}
  - name: string
    path: [{point: eye}, {pulley: 2}, {body: arm0, at: [1, 0, 0]}, {around: sphere, body: arm1, radius: 0.1, side: eye}, {body: world}]
actuators: [{name: a, tendon: t0}]
motors: [{name: m, tendon: t0, position: 1}]
gears: [{name: g, tendon: t0, of_tendon: t1}]
)yaml";

// Shapes and inclusions repeat too; these have files of their own.
constexpr const char* kRepeatedShape = R"yaml(lipkin: 1
bodies:
  - name: comb
    joint: free
    shapes: [{sphere: {radius: 0.1}, density: 1, at: [i, 0, 0], repeat: {count: 3}}]
)yaml";

using Key = std::pair<const Schema*, std::string>;

bool is_first_next(const Schema& schema) { return schema.property_names == Schema::Keys{"first", "next"}; }

// Every key of every mapping the schema allows.
void collect_keys(const Schema& schema, std::set<const Schema*>& seen, std::set<Key>& keys) {
  const Schema& own = schema.target();
  if (!seen.insert(&own).second) return;
  for (std::size_t i = 0; i < own.properties.size(); ++i) {
    if (!is_first_next(own)) keys.insert({&own, own.property_names[i]});
    collect_keys(*own.properties[i], seen, keys);
  }
  for (const Schema* alternative : own.alternatives) collect_keys(*alternative, seen, keys);
  if (own.items) collect_keys(*own.items, seen, keys);
  if (own.additional) collect_keys(*own.additional, seen, keys);
}

// Strikes out the keys that `node` uses.
void strike_out(const Node& node, const Schema& schema, std::set<Key>& keys) {
  const Schema& own = schema.target();
  for (const Schema* alternative : own.alternatives) {
    SchemaValidator trial;
    trial.validate(node, *alternative, "it");
    if (trial.is_sound(node)) strike_out(node, *alternative, keys);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Schema* below = node.is_mapping() ? own.property(node.keys[i].text) : own.items;
    if (node.is_mapping()) keys.erase({&own, node.keys[i].text});
    if (below) strike_out(node.items[i], *below, keys);
  }
}

void strike_out_file(const std::string& text, const std::string& name, std::set<Key>& keys) {
  DiagnosticList diagnostics;
  strike_out(parse_yaml(text, name, diagnostics), scene_format().root(), keys);
}

TEST(SceneSchema, EveryKeyIsUsedByASceneOrHere) {
  std::set<const Schema*> seen;
  std::set<Key> keys;
  collect_keys(scene_format().root(), seen, keys);
  ASSERT_GT(keys.size(), 100u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LIPKIN_SOURCE_DIR "/scenes"))
    if (entry.is_regular_file()) strike_out_file(read_text_file(entry.path(), "scene"), entry.path(), keys);
  strike_out_file(kRemainingKeys, "remaining keys", keys);
  strike_out_file(kConstraintKeys, "constraint keys", keys);
  strike_out_file(kVehicleKeys, "vehicle keys", keys);
  strike_out_file(kDriveKeys, "drive keys", keys);
  strike_out_file(kSensorKeys, "sensor keys", keys);
  strike_out_file(kTendonKeys, "tendon keys", keys);
  strike_out_file(kRepeatedShape, "repeated shape", keys);
  strike_out_file("lipkin: 1\ninclude: [{file: x.yaml, prefix: 'a{i}_', repeat: {count: 2}}]\n", "include", keys);
  for (const Key& key : keys) ADD_FAILURE() << "never used: '" << key.second << "' in " << key.first->title;
}

TEST(SceneSchema, WhatTheSchemaAllowsCanBeRead) {
  EXPECT_EQ(test::mistakes_in(kRemainingKeys), test::Lines{});
  EXPECT_EQ(test::mistakes_in(kConstraintKeys), test::Lines{});
  EXPECT_EQ(test::mistakes_in(kVehicleKeys), test::Lines{});
  EXPECT_EQ(test::mistakes_in(kDriveKeys), test::Lines{});
  EXPECT_EQ(test::mistakes_in(kRepeatedShape), test::Lines{});
}

template <typename Kind>
Schema::Keys names_up_to(Kind last) {
  Schema::Keys names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.emplace_back(name_of(static_cast<Kind>(i)));
  return names;
}

TEST(SceneSchema, ListsWhatTheProgramHas) {
  EXPECT_EQ(scene_format().definition("joint_type").enumeration, names_up_to(JointType::kFixed));
  const Schema& experiment = scene_format().definition("experiment");
  EXPECT_EQ(experiment.property("stepper")->enumeration, names_up_to(StepperKind::kBdf));
  EXPECT_EQ(experiment.property("coordinates")->enumeration, names_up_to(CoordinateKind::kMaximal));
  EXPECT_EQ(experiment.property("solver")->enumeration, names_up_to(SolverKind::kLemke));
  EXPECT_EQ(experiment.property("contact")->enumeration, names_up_to(ContactKind::kRegularised));
  EXPECT_EQ(experiment.property("step")->enumeration, names_up_to(StepKind::kVariable));
  EXPECT_EQ(experiment.property("stabilization")->enumeration, names_up_to(StabilizationKind::kSplit));
}

TEST(SceneSchema, HasTheProgramsDefaults) {
  const Experiment programs;
  const Experiment schemas = test::scene_of("lipkin: 1\nexperiment: {solver_options: {}}\n").experiment;
  EXPECT_EQ(schemas.stepper, programs.stepper);
  EXPECT_EQ(schemas.coordinates, programs.coordinates);
  EXPECT_EQ(schemas.solver, programs.solver);
  EXPECT_EQ(schemas.stabilization, programs.stabilization);
  EXPECT_EQ(schemas.contact, programs.contact);
  EXPECT_EQ(schemas.slip_speed, programs.slip_speed);
  EXPECT_EQ(schemas.step, programs.step);
  EXPECT_EQ(schemas.dt_min, programs.dt_min);
  EXPECT_EQ(schemas.dt_max, programs.dt_max);
  EXPECT_EQ(schemas.solver_options.max_iterations, programs.solver_options.max_iterations);
  EXPECT_EQ(schemas.solver_options.tolerance, programs.solver_options.tolerance);
  EXPECT_EQ(schemas.solver_options.impulse_epsilon, programs.solver_options.impulse_epsilon);
  EXPECT_EQ(schemas.solver_options.time_limit, programs.solver_options.time_limit);
  EXPECT_EQ(schemas.duration, programs.duration);
  EXPECT_EQ(schemas.dt, programs.dt);
  EXPECT_EQ(schemas.relative_tolerance, programs.relative_tolerance);
  EXPECT_EQ(schemas.absolute_tolerance, programs.absolute_tolerance);
  EXPECT_EQ(schemas.every, programs.every);
  EXPECT_EQ(test::scene_of("lipkin: 1\n").model.gravity(), ModelBuilder().build().gravity());
  const Schema& color = *scene_format().definition("shape").property("color");
  const std::vector<double> gray = std::get<std::vector<double>>(color.default_value);
  const ShapeSpec shape;
  EXPECT_EQ(gray, std::vector<double>(shape.color.begin(), shape.color.end()));
}

TEST(SceneSchema, IsPublishedAsItIsBuiltIn) {
  std::ostringstream published;
  published << std::ifstream(LIPKIN_SOURCE_DIR "/docs/schema/lipkin-scene.schema.json").rdbuf();
  EXPECT_EQ(scene_schema(), published.str());
}

TEST(SceneSchema, RefusesWhatTheReaderWouldNotUnderstand) {
  EXPECT_THROW(SchemaDocument(R"({"$defs": {}, "patternProperties": {}})"), InternalError);
  EXPECT_THROW(SchemaDocument(R"({"$defs": {}, "type": "text"})"), InternalError);
  EXPECT_THROW(SchemaDocument(R"({"$defs": {}, "$ref": "#/$defs/none"})"), InternalError);
  EXPECT_THROW(SchemaDocument("{"), InternalError);
}

}  // namespace
}  // namespace lipkin
