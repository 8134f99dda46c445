#include <gtest/gtest.h>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::Lines;
using test::mistakes_in;
using test::scene_of;

Lines names_of_bodies(const Model& model) {
  Lines names;
  for (int i = 0; i < model.body_count(); ++i) names.push_back(model.body_name(i));
  return names;
}

TEST(Repetition, MakesAChainInTenLines) {
  const Scene scene = scene_of(R"(lipkin: 1
parameters: {n: 1000}
bodies:
  - name: link{i}
    repeat: {count: n}
    parent: {first: world, next: "link{i-1}"}
    joint: {type: revolute, axis: [0, i % 2, 1 - i % 2], at: {first: [0, 0, 0], next: [1, 0, 0]}}
    mass: 1
    com: [0.5, 0, 0]
    inertia: [0.00125, 0.084, 0.084]
)");
  const Model& model = scene.model;
  ASSERT_EQ(model.body_count(), 1000);
  EXPECT_EQ(model.body_name(999), "link1000");
  EXPECT_EQ(model.joint_parent(0), -1);
  for (int i = 1; i < 1000; ++i) EXPECT_EQ(model.body_name(model.joint_parent(i)), "link" + std::to_string(i));
  Dynamics dynamics(model);
  dynamics.set(initial_state(model));
  EXPECT_DOUBLE_EQ(dynamics.variable("body.link1000.x"), 999);
}

TEST(Repetition, IndexAndStartCanBeChosen) {
  const Scene scene = scene_of(
      "lipkin: 1\nbodies: [{name: 'b{k}', joint: free, mass: k, inertia: [1, 1, 1], repeat: {count: 3, index: k, from: "
      "5}}]\n");
  EXPECT_EQ(names_of_bodies(scene.model), (Lines{"b5", "b6", "b7"}));
  EXPECT_EQ(scene.model.body_mass(2), 7);
}

TEST(Repetition, ListsOfRepetitionsAreNested) {
  const Scene scene = scene_of(R"(lipkin: 1
bodies:
  - name: link{j}_{i}
    repeat: [{count: 2, index: j}, {count: j + 1, index: i}]
    parent: {first: world, next: "link{j}_{i-1}"}
    joint: revolute
    mass: 1
    inertia: [1, 1, 1]
)");
  EXPECT_EQ(names_of_bodies(scene.model), (Lines{"link1_1", "link1_2", "link2_1", "link2_2", "link2_3"}));
  EXPECT_EQ(scene.model.joint_parent(2), -1);
  EXPECT_EQ(scene.model.body_name(scene.model.joint_parent(4)), "link2_2");
}

TEST(Repetition, WorksInEverySection) {
  const Scene scene = scene_of(R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - name: b{i}
    repeat: {count: 2}
    joint: {type: prismatic, axis: x, q: i}
    shapes: [{sphere: {radius: 0.1}, mass: 1, at: [k, 0, 0], repeat: {count: 3, index: k}}]
points: [{name: "p{i}", body: "b{i}", repeat: {count: 2}}]
springs: [{name: "s{i}", from: {}, to: "p{i}", stiffness: 1, rest_length: 0, repeat: {count: 2}}]
bushings: [{name: "u{i}", from: {}, to: {body: "b{i}"}, stiffness: [1, 0, 0], repeat: {count: 2}}]
forces: [{name: "f{i}", point: "p{i}", force: ["10*i + joint.b{i}.q + 0*t", 0, 0], repeat: {count: 2}}]
actuators: [{name: "m{i}", joint: "b{i}", control: 100*i, repeat: {count: 2}}]
outputs: {"x{i}": {expr: "point.p{i}.x + 0.5*i", repeat: {count: 2}}}
experiment: {commands: [{at: i, set: {"actuator.m{i}.control": 5*i}, repeat: {count: 2}}]}
)");
  EXPECT_EQ(scene.model.body_mass(0), 3);
  EXPECT_DOUBLE_EQ(scene.model.body_com(0).x(), 2);
  Dynamics dynamics(scene.model);
  const State state = initial_state(scene.model);
  dynamics.set(state);
  // Spring and bushing pull back by q each: 10 i + i + 100 i - 2 i over 3 kg.
  EXPECT_NEAR(dynamics.accelerations_full()[0], 109.0 / 3, 1e-12);  // rounding of numbers of order 100
  EXPECT_NEAR(dynamics.accelerations_full()[1], 218.0 / 3, 1e-12);
  Simulation simulation(scene);
  simulation.run(0);
  EXPECT_EQ(simulation.output("x2"), 3);
  ASSERT_EQ(scene.experiment.commands.size(), 2u);
  EXPECT_EQ(scene.experiment.commands[1].at, 2);
  EXPECT_EQ(std::get<CommandSet>(scene.experiment.commands[1].action).path, "actuator.m2.control");
  EXPECT_EQ(std::get<CommandSet>(scene.experiment.commands[1].action).value, 10);
}

TEST(Repetition, ZeroCopiesAreNone) {
  EXPECT_EQ(scene_of("lipkin: 1\nbodies: [{name: 'b{i}', joint: free, repeat: {count: 0}}]\n").model.body_count(), 0);
}

TEST(Repetition, SaysWhatIsWrong) {
  const auto body = [](const std::string& name, const std::string& repeat) {
    return mistakes_in("lipkin: 1\nparameters: {n: 2}\nbodies:\n- {name: '" + name +
                       "', joint: free, mass: n, inertia: [1, 1, 1], repeat: {" + repeat + "}}\n");
  };
  EXPECT_EQ(body("b{i}", "count: 2.5"), Lines{"s.yaml:4:76: error: 'count' must be a whole number, not '2.5'"});
  EXPECT_EQ(body("b{i}", "count: -1"), Lines{"s.yaml:4:76: error: 'count' must be at least 0, not '-1'"});
  EXPECT_EQ(body("b{i}", "count: n/4"), Lines{"s.yaml:4:76: error: 'count' must be a whole number, not 'n/4' = 0.5"});
  EXPECT_EQ(body("b{i}", "count: 2, index: n"), Lines{"s.yaml:4:86: error: 'n' cannot be an index: it is a parameter"});
  EXPECT_EQ(body("b{i}", "count: 2, index: pi"),
            Lines{"s.yaml:4:86: error: 'pi' cannot be an index: it has a meaning in expressions"});
  EXPECT_EQ(
      body("b{i", "count: 2"),
      Lines{"s.yaml:4:10: error: 'name' must be a name (letters, digits, underscores), not 'b{i' (name of the body)"});
  EXPECT_EQ(body("b{i/2}", "count: 2"), Lines{"s.yaml:4:10: error: '{i/2}' must be a whole number, not 0.5"});
  EXPECT_EQ(body("b{j}", "count: 2"), Lines{"s.yaml:4:10: error: unknown parameter 'j'"});
  EXPECT_EQ(body("b{i-2}", "count: 2"),
            Lines{"s.yaml:4:10: error: 'name' comes out as 'b-1': expected letters, digits and underscores"});
  EXPECT_EQ(body("b{i+}", "count: 2"), Lines{"s.yaml:4:10: error: the expression ends too early: expected a number, a "
                                             "name or '(' in '{i+}'"});
}

TEST(Repetition, IsBounded) {
  EXPECT_EQ(mistakes_in("lipkin: 1\nbodies: [{name: 'b{i}', joint: fixed, repeat: {count: 200001}}]\n"),
            Lines{"s.yaml:2:10: error: the scene has more than 200000 bodies"});
  EXPECT_EQ(
      mistakes_in("lipkin: 1\npoints: [{name: 'b{i}_{j}', repeat: [{count: 1000}, {count: 100000000, index: j}]}]\n"),
      Lines{"s.yaml:2:53: error: the scene has more than 1000000 items, copies included"});
}

}  // namespace
}  // namespace lipkin
