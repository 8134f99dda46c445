// Parameters of a model's parts, and the same values changed in place.
#include "model/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lipkin/scene.hpp"
#include "model/settings.hpp"

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
