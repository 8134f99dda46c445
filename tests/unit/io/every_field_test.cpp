// A scene in which every field of every part is away from its default is written and read back without the loss of one.
#include "every_field.hpp"

#include <gtest/gtest.h>

#include "lipkin/export.hpp"
#include "model/model_data.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

// Numbers that survive being normalised and turned into half sizes: every digit is compared.
constexpr const char* kEverything = R"yaml(lipkin: 1
name: everything
description: one of each
gravity: [0, 0, -3]
materials:
  m: {friction: 0.5, static_friction: 0.6, rolling_friction: 0.01, spinning_friction: 0.02, restitution: 0.3,
      stiffness: 1000, exponent: 1.5, damping: 0.2, linear_damping: 3}
  k: {friction: 0.2}
bodies:
  - {name: a, mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.5, 0.6, 0.7, 0.01, 0.02, 0.03],
     added_inertia: [[2, 0, 0, 0, 0, 0.5], [0, 2, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0],
                     [0, 0, 0, 3, 0, 0], [0, 0, 0, 0, 3, 0], [0.5, 0, 0, 0, 0, 3]],
     joint: {name: ja, type: cylindrical, axis: [0, 1, 0], at: [1, 2, 3], orientation: [0.8, 0.6, 0, 0],
             child_at: [0.1, 0, 0.2], child_orientation: [0.8, 0, 0.6, 0], q: [0.1, 0.2], u: [0.3, 0.4],
             stiffness: [1, 2], rest: [0.5, 0.6], damping: [3, 4], armature: [0.1, 0.2], friction: [5, 6],
             limits: {dof: 1, lower: -1}, limit_restitution: 0.5},
     shapes: [{frustum: {bottom_radius: 0.3, top_radius: 0.2, height: 0.1}},
              {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}},
              {mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                      triangles: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}}]}
  - {name: b, parent: a, joint: {type: ball, max_angle: 0.5},
     shapes: [{sphere: {radius: 0.1}, density: 500, contact: m, group: g, color: [0.1, 0.2, 0.3, 0.4],
               at: [0.1, 0.2, 0.3], orientation: [0.8, 0.6, 0, 0]},
              {box: {size: [0.1, 0.2, 0.3]}, mass: 2, contact: k, group: h},
              {cylinder: {radius: 0.1, length: 0.5}}, {capsule: {radius: 0.1, length: 0.5}}]}
  - {name: c, mass: 1, inertia: [1, 1, 1], joint: {type: screw, axis: x, pitch: 0.1, limits: [-2, 2]}}
  - {name: d, mass: 1, inertia: [1, 1, 1], joint: {type: free}}
  - {name: e, parent: d, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: z}}
  - {name: p, mass: 1, inertia: [1, 1, 1], joint: {type: planar, limits: {upper: [inf, 0.4, inf]}}}
  - {name: s, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x, limits: {upper: 3}}}
world:
  shapes:
    - {plane: {}, contact: m}
    - {cup: {bottom_radius: 0.2, top_radius: 0.3, height: 0.1}, contact: m}
    - {height_field: {size: [2, 3], heights: [[0, 1, 2], [1, 2, 1]]}, contact: m}
points:
  - {name: here, body: a, at: [0.5, 0, 0], orientation: [0.8, 0, 0, 0.6], zone: {box: {size: [2, 4, 6]}}}
  - {name: there, at: [0, 0, 2]}
loops:
  - {name: closed, type: ball, from: {body: c, at: [0, 1, 0]}, to: {body: s, at: [0, 0, 1]}}
springs:
  - {name: spring, from: here, to: {body: d, at: [0.1, 0.2, 0.3]}, stiffness: 10, damping: 2, rest_length: 0.5}
bushings:
  - {name: bushing, from: {body: a, at: [1, 0, 0]}, to: {body: d, orientation: [0.8, 0.6, 0, 0]}, stiffness: [1, 2, 3],
     damping: [4, 5, 6], angular_stiffness: [7, 8, 9], angular_damping: [1, 3, 5]}
forces:
  - {name: pull, body: d, at: [0.1, 0, 0], force: [1, "2*t", {table: [[0, 1], [1, 3]]}], torque: [4, 5, 6], frame: body}
  - {name: push, point: here, force: [1, 0, 0]}
actuators:
  - {name: a1, joint: ja, dof: 1, gear: 3, control: "sin(t)", min: -1, max: 2, max_speed: 4,
     activation: {kind: filter, time_constant: 0.1, start: 0.2, min: -0.5, max: 0.5}}
  - {name: a2, joint: b, gear: [1, 2, 3], control: 1}
  - {name: a3, tendon: joints, control: 1}
  - {name: a4, body: d, at: [0.1, 0, 0], orientation: [0.8, 0, 0.6, 0], force: [1, 2, 3], torque: [4, 5, 6],
     against: a, against_orientation: [0.8, 0.6, 0, 0], control: 0.5}
motors:
  - {name: m1, joint: p, dof: 1, position: 0.3, stiffness: 30, damping: 2, max_force: 5, min_force: -1, effort: 0.5,
     activation: {kind: integrator, start: 0.1}}
  - {name: m2, tendon: path, velocity: 1, max_force: 3}
controls:
  - {name: c1, actuator: a1, scale: 2, offset: 0.1, min: -3, max: 4}
  - {name: c2, motor: m1}
tyres:
  - {name: tyre, body: e, at: [0, 0.1, 0], axis: [0, 0, 1], radius: 0.3, crown: 0.05, stiffness: 1000, damping: 10,
     friction: 0.9, lateral_friction: 0.8, slip_stiffness: 500, cornering_stiffness: 400, relaxation_length: 0.1,
     lateral_relaxation_length: 0.2, tread_damping: 1, rolling_resistance: 0.01}
inputs:
  - {name: pedal, value: 0.5, min: 0, max: 1, unit: "%", description: what the foot does}
controllers:
  - {name: pid, measured: joint.e.q, target: 1, p: 2, i: 3, d: 4, filter: 0.1, min: -5, max: 5}
  - {name: law, law: "input.pedal*tendon.path.length"}
tendons:
  - {name: joints, joints: [{joint: ja, dof: 1, coefficient: 2}, {joint: e}], lower: -1, upper: 4, restitution: 0.5,
     stiffness: 2, damping: 0.1, friction: 0.2, armature: 0.3, rest: [0.1, 0.2]}
  - name: path
    path: [{at: [0, 0, 5]}, {around: cylinder, body: a, at: [0.1, 0, 0], orientation: [0.8, 0.6, 0, 0], radius: 0.1,
           side: {body: a, at: [0, 3, 0]}}, {point: here}, {pulley: 2}, {at: [1, 0, 5]}, {body: d}]
gears:
  - {name: g1, joint: p, dof: 2, of: ja, of_dof: 1, ratio: 3, offset: 0.1, curve: [0.1, 0.2]}
  - {name: g2, tendon: joints, of_tendon: path, ratio: 0.1}
distances:
  - {name: rope, from: {body: c}, to: there, lower: 0.1, upper: 4, restitution: 0.5}
  - {name: rod, from: {body: s}, to: {at: [0, 0, 3]}, length: 3}
material_pairs:
  - {between: [m, k], friction: 0.1, static_friction: 0.2, rolling_friction: 0.3, spinning_friction: 0.4,
     restitution: 0.5, stiffness: 6, exponent: 2, damping: 0.8, linear_damping: 0.9}
contact_filters:
  - {bodies: [a, d]}
  - {groups: [g, h]}
outputs:
  x: {expr: "body.a.x + tendon.path.length", unit: m, evaluate: on_request}
experiment: {stepper: moreau, coordinates: maximal, solver: newton, stabilization: split, contact: rigid,
  slip_speed: 0.01, duration: 3, step: variable, dt: 0.002, dt_min: 1e-5, dt_max: 0.02, relative_tolerance: 1e-5,
  absolute_tolerance: 1e-6, every: 0.5,
  tolerated: {length: 0.1, angle: 0.2, rate: 0.3, beyond: go-on},
  solver_options: {iterations: 77, tolerance: 1e-8, impulse_epsilon: 1e-7, time_limit: 2},
  commands: [{at: 0.5, set: {gravity.z: -1}}, {at: 0.6, set: {tendon.joints.stiffness: 3}},
    {at: 1, push: {body: d, point: [1, 0, 0], force: [1, 2, 3], torque: [4, 5, 6], frame: body, duration: 0.5}}]}
)yaml";

FieldText fields_of(const Scene& scene) {
  FieldText text;
  text.add("model", *scene.model.data().parts);
  text.add("experiment", scene.experiment);
  return text;
}

TEST(EveryField, IsWrittenToASceneAndReadBack) {
  const TemporaryScenes folder;
  folder.write("s.yaml", kEverything);
  const std::vector<std::string> mistakes = folder.mistakes("s.yaml");
  ASSERT_TRUE(mistakes.empty()) << mistakes[0];
  const Scene scene = load_scene((folder.folder() / "s.yaml").string());
  const ExportedModel written = write_scene(scene);
  EXPECT_TRUE(written.warnings.empty());
  folder.write("c.yaml", written.text);
  const std::vector<std::string> refused = folder.mistakes("c.yaml");
  ASSERT_TRUE(refused.empty()) << refused[0] << '\n' << written.text;
  const Scene again = load_scene((folder.folder() / "c.yaml").string());
  EXPECT_EQ(again.name, scene.name);
  EXPECT_EQ(again.description, scene.description);
  EXPECT_EQ(fields_of(again).lines(), fields_of(scene).lines());
}

// What the scene above leaves at its default would be lost unseen.
TEST(EveryField, IsAwayFromItsDefault) {
  const FieldText text = fields_of(scene_of(kEverything));
  std::set<std::string> left;
  for (const std::string& field : text.all())
    if (!text.changed().contains(field)) left.insert(field);
  // No part of the format: parameters are numbers in a written scene, and so is a mass that was set; the last two are
  // for those who measure solvers.
  const std::set<std::string> apart{"BodySpec.mass_of_shapes", "ModelParts.massless_joints_allowed",
                                    "ModelParts.parameters", "SolverOptions.jacobi", "SolverOptions.relaxation"};
  EXPECT_EQ(left, apart);
}

TEST(EveryField, OptionsOfSolversThatNoSceneHasAreAWarning) {
  Scene scene = scene_of("lipkin: 1\nbodies: [{name: a, joint: revolute, mass: 1, inertia: [1, 1, 1]}]\n");
  scene.experiment.solver_options.relaxation = 1.3;
  const ExportedModel written = write_scene(scene);
  ASSERT_EQ(written.warnings.size(), 1U);
  EXPECT_NE(written.warnings[0].message.find("relaxation"), std::string::npos);
}

// What is written without a field, or with another value in it, tells whether anybody looked at it.
class LossSearch {
 public:
  using Writer = ExportedModel (*)(const Scene&);

  LossSearch(const Scene& scene, Writer writer)
      : parts_(*scene.model.data().parts), experiment_(scene.experiment), writer_(writer), as_is_(*write()) {
    inside(parts_);
    inside(experiment_);
    for (const std::string& field : tested_) untested_.erase(field);
  }

  const std::set<std::string>& silent() const { return silent_; }
  // Values, names and lists apart, of which no other was a model.
  const std::set<std::string>& untested() const { return untested_; }
  const std::vector<Diagnostic>& warnings() const { return as_is_.warnings; }

 private:
  enum class Seen { kRefused, kNowhere, kInWarnings, kInText };

  std::optional<ExportedModel> write() const {
    try {
      const Scene scene{parts_.name, "", compile_model(std::make_shared<const ModelParts>(parts_)), experiment_, {}};
      return writer_(scene);
    } catch (const InputError&) {
      return {};
    }
  }

  Seen seen() const {
    const std::optional<ExportedModel> now = write();
    if (!now) return Seen::kRefused;
    if (now->text != as_is_.text) return Seen::kInText;
    const auto text = [](const Diagnostic& warning) { return warning.message; };
    const bool same =
        std::equal(now->warnings.begin(), now->warnings.end(), as_is_.warnings.begin(), as_is_.warnings.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return text(a) == text(b); });
    return same ? Seen::kNowhere : Seen::kInWarnings;
  }

  template <typename T>
  Seen seen_as(T& place, const T& other) const {
    const T kept = place;
    place = other;
    const Seen result = seen();
    place = kept;
    return result;
  }

  template <typename T>
  void look_at(const std::string& name, T& field, const T& usual) {
    if constexpr (!std::is_same_v<T, SourceLocation> && !std::is_same_v<T, std::vector<Diagnostic>>) {
      FieldText here, there;
      here.add("", field), there.add("", usual);
      if (here.lines() == there.lines()) return;
      Seen found = seen_as(field, usual);
      if (found == Seen::kRefused) {
        const T other = varied(field);
        FieldText elsewhere;
        elsewhere.add("", other);
        if (elsewhere.lines() != here.lines()) found = seen_as(field, other);
      }
      if (found != Seen::kRefused) tested_.insert(name);
      if (found == Seen::kRefused && is_value<T>) untested_.insert(name);
      if (found == Seen::kNowhere) silent_.insert(name);
      if (found == Seen::kRefused || found == Seen::kInText) inside(field);
    }
  }

  template <typename T>
  static constexpr bool is_value = std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                                   std::is_same_v<T, std::optional<double>> || std::is_same_v<T, std::vector<double>> ||
                                   std::is_same_v<T, Eigen::Vector3d> || std::is_same_v<T, Eigen::Quaterniond>;

  static double varied(double x) { return std::isfinite(x) ? 1.25 * x + 0.001 : x; }
  static int varied(int x) { return x + 1; }
  static bool varied(bool x) { return !x; }
  template <typename T>
  static std::optional<T> varied(const std::optional<T>& x) {
    return x ? std::optional<T>(varied(*x)) : x;
  }
  template <typename T>
  static std::vector<T> varied(std::vector<T> list) {
    for (T& x : list) x = varied(x);
    return list;
  }
  static Eigen::Vector3d varied(const Eigen::Vector3d& x) { return 1.25 * x; }
  template <typename T>
  static T varied(const T& x) {
    return x;
  }

  template <typename T>
  void inside(T& field) {
    if constexpr (requires { fields(field); })
      for_each_field(
          field, [this](const std::string& name, auto& each, const auto& usual) { this->look_at(name, each, usual); });
  }
  template <typename T>
  void inside(std::optional<T>& field) {
    if (field) inside(*field);
  }
  template <typename... T>
  void inside(std::variant<T...>& field) {
    std::visit([this](auto& form) { this->inside(form); }, field);
  }
  template <typename T, std::size_t size>
  void inside(std::array<T, size>& list) {
    for (T& each : list) inside(each);
  }
  template <typename T>
  void inside(std::vector<T>& list) {
    if constexpr (!std::is_arithmetic_v<T>)
      for (std::size_t i = 0; i < list.size(); ++i)
        if (!is_told_as_one(list, i)) inside(list[i]);
  }

  // Left out as a whole, and said to be: without it, or where others need it with one like it, only warnings change.
  template <typename T>
  bool is_told_as_one(std::vector<T>& list, std::size_t i) const {
    std::vector<T> other = list;
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
    Seen found = seen_as(list, other);
    if constexpr (requires(T part) { part.name += ""; })
      if (found == Seen::kRefused) {
        other = list;
        other.push_back(list[i]);
        other.back().name += "_too";
        found = seen_as(list, other);
      }
    return found == Seen::kInWarnings;
  }

  ModelParts parts_;
  Experiment experiment_;
  Writer writer_;
  ExportedModel as_is_;
  std::set<std::string> silent_, tested_, untested_;
};

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

// How it is run, not what runs.
const std::set<std::string> kOfTheRun{"Experiment.stepper",
                                      "Experiment.coordinates",
                                      "Experiment.solver",
                                      "Experiment.solver_options",
                                      "Experiment.stabilization",
                                      "Experiment.contact",
                                      "Experiment.slip_speed",
                                      "Experiment.duration",
                                      "Experiment.step",
                                      "Experiment.dt_min",
                                      "Experiment.dt_max",
                                      "Experiment.relative_tolerance",
                                      "Experiment.absolute_tolerance",
                                      "Experiment.tolerated",
                                      "Experiment.every"};

TEST(EveryField, IsWrittenToMjcfOrSaidToBeLost) {
  const LossSearch search(scene_of(replaced(kEverything, {{"screw, axis: x, pitch: 0.1", "prismatic, axis: x"}})),
                          write_mjcf);
  EXPECT_EQ(search.silent(), kOfTheRun);
  const std::set<std::string> kinds{"JointSpec.closes_loop", "MotorSpec.kind"};  // they decide what else is given
  EXPECT_EQ(search.untested(), kinds);
  for (const Diagnostic& warning : search.warnings()) EXPECT_EQ(warning.severity, Severity::kWarning);
}

TEST(EveryField, IsWrittenToUrdfOrSaidToBeLost) {
  const std::string tree = replaced(
      kEverything,
      {{"type: cylindrical", "type: prismatic"},
       {"q: [0.1, 0.2], u: [0.3, 0.4]", "q: 0.1, u: 0.3"},
       {"stiffness: [1, 2], rest: [0.5, 0.6], damping: [3, 4], armature: [0.1, 0.2], friction: [5, 6]",
        "stiffness: 1, rest: 0.5, damping: 3, armature: 0.1, friction: 5"},
       {"{dof: 1, lower: -1}", "{lower: -1}"},
       {"type: ball, max_angle: 0.5", "type: planar, damping: [1, 2, 3], friction: 0.1, q: [0.1, 0, 0], u: [1, 0, 0]"},
       {"screw, axis: x, pitch: 0.1", "prismatic, axis: x"},
       {"loops:\n  - {name: closed, type: ball, from: {body: c, at: [0, 1, 0]}, to: {body: s, at: [0, 0, 1]}}\n", ""},
       {"joint: ja, dof: 1, gear: 3", "joint: ja, gear: 3"},
       {"min: -1, max: 2, max_speed", "min: -2, max: 2, max_speed"},
       {"contact: k, group: h", "contact: m, group: h"},
       {"axis: x, limits: {upper: 3}}", "axis: x, limits: {upper: 3}}, shapes: [{sphere: {radius: 1}, contact: k}]"},
       {"{joint: ja, dof: 1, coefficient: 2}", "{joint: ja, coefficient: 2}"},
       {"joint: p, dof: 2, of: ja, of_dof: 1", "joint: s, of: ja"}});
  const LossSearch search(scene_of(tree), write_urdf);
  std::set<std::string> apart = kOfTheRun;
  apart.insert({"Experiment.dt", "ShapeSpec.color"});  // of a shape that touches
  EXPECT_EQ(search.silent(), apart);
  EXPECT_EQ(search.untested(), std::set<std::string>());
}

}  // namespace
}  // namespace lipkin::test
