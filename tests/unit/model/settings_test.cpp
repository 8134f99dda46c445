// Values that change while a model runs: where they go, and what is refused.
#include "model/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/model_builder.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

ModelData machine() {
  ModelBuilder b;
  for (const char* name : {"crank", "coupler", "slider"}) b.add(test::body_with(name, 1, {0.1, 0, 0}, {1, 1, 1}));
  JointSpec crank = test::joint_of("crank", JointType::kRevolute, kWorldName, "crank");
  crank.friction = {0};
  crank.lower = {-1};
  crank.upper = {1};
  JointSpec slider = test::joint_of("slider", JointType::kPlanar, kWorldName, "slider");
  slider.friction = {1, 2, 3};
  JointSpec loop = test::joint_of("loop", JointType::kCylindrical, "coupler", "slider");
  loop.closes_loop = true;
  loop.damping = {1};
  for (const JointSpec& joint :
       {crank, test::joint_of("coupler", JointType::kRevolute, "crank", "coupler"), slider, loop})
    b.add(joint);
  MotorSpec servo;
  servo.name = "servo";
  servo.joint = "crank";
  servo.kind = MotorKind::kPosition;
  servo.target.source = 0.5;
  servo.max_force = 10;
  servo.stiffness = 100;
  b.add(servo);
  MotorSpec wave;
  wave.name = "wave";
  wave.joint = "coupler";
  wave.target.source = ExpressionText{"sin(t)"};
  b.add(wave);
  GearSpec gear;
  gear.name = "gear";
  gear.joint = "slider";
  gear.of = "crank";
  b.add(gear);
  DistanceSpec rope;
  rope.name = "rope";
  rope.a.body = "slider";
  rope.lower = 0.5;
  rope.upper = 2;
  b.add(rope);
  DistanceSpec rod = rope;
  rod.name = "rod";
  rod.lower = rod.upper = 1;
  b.add(rod);
  for (const char* name : {"ice", "wood"}) {
    MaterialSpec material;
    material.name = name;
    material.friction = 0.25;
    b.add(material);
  }
  return b.build().data();
}

void put(ModelData& m, const char* path, double value) { EXPECT_TRUE(apply_in_place(m, {path, value})) << path; }

TEST(Settings, GoWhereTheyBelong) {
  ModelData m = machine();
  put(m, "joint.crank.friction", 3);
  EXPECT_EQ(m.joint_frictions[0].force, 3);
  put(m, "joint.slider.friction", 7);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(m.joint_frictions[k].force, 7);
  put(m, "joint.crank.lower", -0.5);
  put(m, "joint.crank.upper", 0.75);
  EXPECT_EQ(m.limits[0].lower, -0.5);
  EXPECT_EQ(m.limits[0].upper, 0.75);
  put(m, "joint.loop.damping", 5);
  put(m, "joint.loop.stiffness", 6);
  for (const RowSpringData& spring : m.row_springs) {
    EXPECT_EQ(spring.damping, 5);
    EXPECT_EQ(spring.stiffness, 6);
  }
  put(m, "motor.servo.target", -1);
  EXPECT_EQ(std::get<double>(m.motors[0].target), -1);
  put(m, "motor.servo.max_force", 20);
  put(m, "motor.servo.stiffness", 50);
  put(m, "motor.servo.damping", 0);
  EXPECT_EQ(m.motors[0].max_force, 20);
  EXPECT_EQ(m.motors[0].stiffness, 50);
  put(m, "gear.gear.ratio", -3);
  put(m, "gear.gear.offset", 0.25);
  EXPECT_EQ(m.gears[0].ratio, -3);
  EXPECT_EQ(m.gears[0].offset, 0.25);
  put(m, "distance.rope.upper", 3);
  put(m, "distance.rope.lower", 1);
  EXPECT_EQ(m.distances[0].upper, 3);
  EXPECT_EQ(m.distances[0].lower, 1);
}

TEST(Settings, OfMaterialsCombineAnew) {
  ModelData m = machine();
  put(m, "material.ice.friction", 0.04);
  put(m, "material.wood.restitution", 0.5);
  EXPECT_EQ(m.contact_laws[0].friction, 0.04);
  EXPECT_DOUBLE_EQ(m.contact_laws[1].friction, 0.1);  // sqrt(0.04 * 0.25)
  EXPECT_EQ(m.contact_laws[2].friction, m.contact_laws[1].friction);
  EXPECT_EQ(m.contact_laws[0].restitution, 0);
  EXPECT_EQ(m.contact_laws[1].restitution, 0.5);
}

struct Refused {
  const char* path;
  double value;
  const char* says;
};

TEST(Settings, RefuseWhatCannotBe) {
  const double nan = std::nan("");
  for (const Refused& refused : {Refused{"joint.crank.friction", -1, ">= 0"},
                                 {"joint.crank.friction", nan, "finite"},
                                 {"joint.crank.lower", 2, "<= 1"},
                                 {"joint.crank.upper", -2, ">= -1"},
                                 {"joint.crnk.friction", 1, "crank"},
                                 {"motor.servo.max_force", 0, "> 0"},
                                 {"motor.wave.target", 1, "law of its own"},
                                 {"motor.wave.stiffness", 1, "not a servo"},
                                 {"motor.srvo.target", 1, "servo"},
                                 {"distance.rope.upper", 0.1, ">= 0.5"},
                                 {"material.ice.restitution", 1.5, "<= 1"},
                                 {"material.ice.exponent", 0, "> 0"},
                                 {"material.ise.friction", 1, "ice"}}) {
    ModelData m = machine();
    try {
      const std::optional<Setting> setting = find_setting(m, refused.path);
      ASSERT_TRUE(setting) << refused.path;
      check_setting(*setting, refused.path, refused.value);
      check_beside_others(*setting, refused.path, refused.value);
      ADD_FAILURE() << refused.path;
    } catch (const InvalidArgument& e) {
      EXPECT_NE(std::string(e.what()).find(refused.says), std::string::npos) << e.what();
    }
  }
}

// What a model was built without has no place of its own, nor what would change its rows.
TEST(Settings, KnowWhatNeedsAnotherModel) {
  ModelData m = machine();
  for (const char* path :
       {"joint.coupler.friction", "joint.slider.upper", "joint.loop.armature", "motor.wave.max_force",
        "distance.rod.upper", "body.crank.mass", "joint.crank.frction", "gear.gear.ration", "x"})
    EXPECT_FALSE(find_setting(m, path)) << path;
  EXPECT_FALSE(fits_in_place(*find_setting(m, "distance.rope.upper"), 0.5));  // a rod
  EXPECT_TRUE(fits_in_place(*find_setting(m, "distance.rope.upper"), 0.75));
  EXPECT_FALSE(fits_in_place(*find_setting(m, "material.ice.stiffness"), 1e5));  // it gave way nowhere before
}

}  // namespace
}  // namespace lipkin
