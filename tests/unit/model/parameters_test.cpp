// Parameters of a model's parts, and the same values changed in place.
#include "model/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lipkin/scene.hpp"
#include "model/cut_joints.hpp"
#include "model/settings.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// Every number of a model that a setting may change or that follows from one.
std::vector<double> numbers_of(const ModelData& m) {
  std::vector<double> all = {m.gravity[0], m.gravity[1], m.gravity[2], m.has_joint_springs ? 1.0 : 0.0};
  const auto add = [&](std::initializer_list<double> values) { all.insert(all.end(), values); };
  for (const auto* values : {&m.damping, &m.stiffness, &m.rest, &m.armature})
    all.insert(all.end(), values->begin(), values->end());
  for (const LimitData& limit : m.limits) add({limit.lower, limit.upper});
  for (const JointFrictionData& friction : m.joint_frictions) add({friction.force});
  for (const RowSpringData& s : m.row_springs) add({s.stiffness, s.damping, s.rest, s.armature, s.play});
  for (const GearData& gear : m.gears) add({gear.ratio, gear.offset});
  for (const DistanceData& distance : m.distances) add({distance.lower, distance.upper});
  for (const MotorData& motor : m.motors) {
    const double* target = std::get_if<double>(&motor.target);
    add({target ? *target : 0, motor.max_force, motor.min_force, motor.stiffness, motor.damping,
         motor.servo ? 1. : 0.});
  }
  for (const ContactLaw& law : m.contact_laws)
    add({law.friction, law.static_friction, law.rolling_friction, law.spinning_friction, law.restitution, law.stiffness,
         law.exponent, law.damping, law.linear_damping});
  for (const TyreData& tyre : m.tyres)
    add({tyre.friction[0], tyre.friction[1], tyre.stiffness, tyre.damping, tyre.rolling_resistance});
  for (const ControllerData& c : m.controllers) {
    const double* target = std::get_if<double>(&c.target);
    add({c.p, c.i, c.d, c.filter, target ? *target : 0});
  }
  return all;
}

double other_than(const Parameter& p) {
  const double value = std::isfinite(p.value) ? p.value : std::isfinite(p.minimum) ? p.minimum : 0;
  return std::clamp(1.25 * value + 0.125, p.minimum, p.maximum);
}

// A value that is changed in place gives the model that would have been built with it, for every one of every scene.
TEST(Parameters, AreTheSameInPlaceAndBuilt) {
  int in_place = 0, all = 0;
  for (const SceneInfo& info : list_scenes()) {
    if (info.name == "spheres-in-cup" || info.name == "cup") continue;  // thousands of parameters of one kind
    const Model model = load_scene(info.name).model;
    for (const Parameter& parameter : list_parameters(*model.data().parts)) {
      ++all;
      ModelData live = model.data();
      const double value = other_than(parameter);
      std::optional<Setting> setting;
      try {
        setting = find_setting(live, parameter.path);
      } catch (const InvalidArgument&) {
        continue;  // can never have such a value
      }
      if (!setting || !fits_in_place(*setting, value)) continue;
      ++in_place;
      put_setting(live, *setting, value);
      const std::vector<double> built = numbers_of(with_values(model, {{parameter.path, value}}).data());
      const std::vector<double> changed = numbers_of(live);
      ASSERT_EQ(built.size(), changed.size());
      for (std::size_t i = 0; i < built.size(); ++i)
        EXPECT_TRUE(built[i] == changed[i] || (std::isnan(built[i]) && std::isnan(changed[i])))
            << info.name << " " << parameter.path << ": " << built[i] << " built, " << changed[i] << " in place";
    }
  }
  RecordProperty("in_place", in_place);
  EXPECT_GT(in_place, 200) << "of " << all;
}

// Parts with values for several directions, with some of them, and with none.
const char* const kEveryKind = R"(
lipkin: 1
materials: {rubber: {friction: 0.5}}
world: {shapes: [{plane: {}, contact: rubber}]}
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: cylindrical, axis: z, armature: [0, 2],
     limits: {lower: [-1, -inf], upper: [1, inf]}}}
  - {name: b, mass: 1, inertia: [1, 1, 1], joint: {type: ball, damping: 1, friction: 2}}
  - {name: c, mass: 1, inertia: [1, 1, 1], joint: {type: free, stiffness: [1, 2, 3, 0, 0, 0]}}
  - {name: d, mass: 1, inertia: [1, 1, 1], joint: {type: planar, armature: [0, 1, 0],
     limits: {lower: [-1, -1, -1], upper: [1, 1, 1]}}}
  - {name: e, mass: 1, inertia: [1, 1, 1], joint: {type: universal, stiffness: [1, 2], rest: [0.1, 0.2]}}
  - {name: f, mass: 1, inertia: [1, 1, 1], joint: {type: screw, axis: z, pitch: 0.1, limits: {lower: -1}}}
  - {name: g, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: z}}
  - {name: h, parent: g, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: y}}
  - {name: i, mass: 1, inertia: [1, 1, 1], joint: {type: free}}
  - {name: j, mass: 1, inertia: [1, 1, 1], joint: {type: free}}
  - {name: shaped, shapes: [{box: {size: [1, 2, 3]}, density: 100}], joint: {type: free}}
loops:
  - {name: lc, type: cylindrical, axis: z, from: {}, to: {body: i}, damping: 1, limits: {upper: [2, inf]}, friction: 1}
  - {name: lb, type: ball, from: {body: j}, to: {body: i}, damping: [1, 2, 3]}
tendons:
  - {name: t, joints: [{joint: g}], stiffness: 10, lower: -5}
  - {name: tr, joints: [{joint: g}, {joint: h, coefficient: 2}], stiffness: 10, rest: 0.3, armature: 1, friction: 1}
  - {name: tp, joints: [{joint: g}], stiffness: 10, rest: [0.1, 0.35], damping: 1}
distances: [{name: rope, from: {body: i, at: [0, 0, 1]}, to: {at: [0, 0, 3]}, upper: 4}]
motors:
  - {name: m, joint: g, velocity: 1, max_force: 5}
  - {name: n, joint: h, position: 1, stiffness: 3, damping: 1}
gears: [{name: w, joint: f, of: e, of_dof: 1, ratio: 2, curve: [1, 2, 3]}]
tyres:
  - {name: one, body: h, axis: y, radius: 0.3, stiffness: 1.0e+5, friction: 0.9, slip_stiffness: 1.0e+4,
     cornering_stiffness: 1.0e+4, relaxation_length: 0.1}
  - {name: two, body: h, axis: y, radius: 0.3, stiffness: 1.0e+5, friction: 0.9, lateral_friction: 0.7,
     slip_stiffness: 1.0e+4, cornering_stiffness: 1.0e+4, relaxation_length: 0.1}
)";

const std::vector<std::string> kWhat = {
    "damping",    "stiffness",   "rest",   "armature", "friction",         "lower",          "upper", "max_force",
    "target",     "ratio",       "offset", "radius",   "lateral_friction", "slip_stiffness", "mass",  "restitution",
    "relaxation", "rest_length", "p",      "filter"};

std::vector<std::string> parts_of(const ModelData& m) {
  std::vector<std::string> all;
  const auto add = [&](const char* kind, const auto& items) {
    for (const auto& item : items) all.push_back(std::string(kind) + "." + item.name);
  };
  add("joint", m.joints), add("tendon", m.tendons), add("distance", m.distances), add("motor", m.motors);
  add("gear", m.gears), add("tyre", m.tyres), add("material", m.materials), add("body", m.bodies);
  return all;
}

// Every path that may be written, those of all directions at once among them, in either coordinates: what has a place
// of its own is a parameter, and changes the model into the one that would have been built.
TEST(Parameters, AreTheSameInPlaceAndBuiltForAllDirections) {
  const Model model = test::scene_from(kEveryKind).model;
  int in_place = 0;
  for (const bool cut : {false, true})
    for (const std::string& part : parts_of(model.data()))
      for (const std::string& what : kWhat) {
        const std::string path = part + "." + what;
        for (const double value : {0.0, 0.375, 1.5}) {
          if (value == 0 && part.starts_with("tendon.")) continue;  // a row that does nothing, or none
          ModelData live = (cut ? cut_joints(model) : model).data();
          std::optional<Setting> setting;
          try {
            setting = find_setting(live, path);
            if (!setting || !fits_in_place(*setting, value)) continue;
            check_setting(*setting, path, value);
            check_beside_others(*setting, path, value);
          } catch (const InvalidArgument&) {
            continue;
          }
          ++in_place;
          put_setting(live, *setting, value);
          EXPECT_TRUE(is_parameter(*model.data().parts, path)) << path << " has a place and is no parameter";
          const Model anew = with_values(model, {{path, value}});
          const std::vector<double> built = numbers_of((cut ? cut_joints(anew) : anew).data());
          const std::vector<double> changed = numbers_of(live);
          EXPECT_EQ(built.size(), changed.size()) << path;
          for (std::size_t i = 0; i < std::min(built.size(), changed.size()); ++i)
            EXPECT_TRUE(built[i] == changed[i] || (std::isnan(built[i]) && std::isnan(changed[i])))
                << path << ": " << built[i] << " built, " << changed[i] << " in place, cut " << cut;
        }
      }
  EXPECT_GT(in_place, 100);
}

// An inertia that is given stays where the mass changes; one that follows from shapes grows with it, whatever was set
// first.
TEST(Parameters, OfMassAndInertia) {
  const Model model = test::scene_from(R"(
lipkin: 1
bodies:
  - {name: given, mass: 2, com: [0.5, 0, 0], inertia: [1, 2, 2.5], joint: {type: free}}
  - {name: shaped, shapes: [{box: {size: [1, 2, 3]}, density: 100}], joint: {type: free}}
)")
                          .model;
  const auto inertia = [&](int body, const std::vector<SettingEdit>& values) {
    return Eigen::Vector3d(with_values(model, values).body_inertia(body).diagonal());
  };
  const Eigen::Vector3d given(1, 2, 2.5), box = 600.0 / 12 * Eigen::Vector3d(4 + 9, 1 + 9, 1 + 4);
  EXPECT_LT((inertia(0, {{"body.given.mass", 4}}) - given).norm(), 1e-12);
  EXPECT_LT((inertia(0, {{"body.given.mass", 4}, {"body.given.inertia", 3}}) - 3 * given).norm(), 1e-12);
  EXPECT_LT((inertia(0, {{"body.given.inertia", 3}, {"body.given.mass", 4}}) - 3 * given).norm(), 1e-12);
  EXPECT_LT((inertia(1, {{"body.shaped.mass", 300}}) - 0.5 * box).norm(), 1e-9);
  EXPECT_LT((inertia(1, {{"body.shaped.mass", 300}, {"body.shaped.inertia", 3}}) - 1.5 * box).norm(), 1e-9);
  EXPECT_LT((inertia(1, {{"body.shaped.inertia", 3}, {"body.shaped.mass", 300}}) - 1.5 * box).norm(), 1e-9);
  EXPECT_EQ(with_values(model, {{"body.shaped.mass", 300}}).body_mass(1), 300);
}

TEST(Parameters, TargetsThatFollowALawSaySo) {
  const Model model = test::scene_from(R"(
lipkin: 1
bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: z}}]
motors: [{name: m, joint: a, velocity: sin(t)}]
)")
                          .model;
  try {
    check_parameter(*model.data().parts, "motor.m.target");
    FAIL();
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("the target of motor 'm' follows a law of its own"), std::string::npos);
  }
}

TEST(Parameters, OfOneDirectionAndOfAll) {
  std::vector<SettingEdit> values = {{"joint.a.damping", 1}, {"joint.b.q", 2}, {"motor.m.target", 3}};
  ModelParts parts;
  JointSpec joint;
  joint.name = "a";
  joint.type = JointType::kPlanar;
  parts.joints.push_back(joint);
  put_parameter(parts, "joint.a.damping", 2);
  EXPECT_EQ(parts.joints[0].damping, (std::vector<double>{2, 2, 2}));
  put_parameter(parts, "joint.a.damping[1]", 5);
  EXPECT_EQ(parts.joints[0].damping, (std::vector<double>{2, 5, 2}));
  forget_values(parts, "joint.a.damping[1]", values);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].path, "joint.a.damping[0]");
  EXPECT_EQ(values[1].path, "joint.a.damping[2]");
  forget_values(parts, "motor.m", values);
  forget_values(parts, "joint.a.damping", values);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].path, "joint.b.q");
}

}  // namespace
}  // namespace lipkin
