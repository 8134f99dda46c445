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

TEST(Settings, GoWhereTheyBelong) {
  ModelData m = machine();
  apply_setting(m, "joint.crank.friction", 3);
  EXPECT_EQ(m.joint_frictions[0].force, 3);
  apply_setting(m, "joint.slider.friction", 7);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(m.joint_frictions[k].force, 7);
  apply_setting(m, "joint.crank.lower", -0.5);
  apply_setting(m, "joint.crank.upper", 0.75);
  EXPECT_EQ(m.limits[0].lower, -0.5);
  EXPECT_EQ(m.limits[0].upper, 0.75);
  apply_setting(m, "joint.loop.damping", 5);
  apply_setting(m, "joint.loop.stiffness", 6);
  for (const RowSpringData& spring : m.row_springs) {
    EXPECT_EQ(spring.damping, 5);
    EXPECT_EQ(spring.stiffness, 6);
  }
  apply_setting(m, "motor.servo.target", -1);
  EXPECT_EQ(std::get<double>(m.motors[0].target), -1);
  apply_setting(m, "motor.servo.max_force", 20);
  apply_setting(m, "motor.servo.stiffness", 50);
  apply_setting(m, "motor.servo.damping", 0);
  EXPECT_EQ(m.motors[0].max_force, 20);
  EXPECT_EQ(m.motors[0].stiffness, 50);
  apply_setting(m, "gear.gear.ratio", -3);
  apply_setting(m, "gear.gear.offset", 0.25);
  EXPECT_EQ(m.gears[0].ratio, -3);
  EXPECT_EQ(m.gears[0].offset, 0.25);
  apply_setting(m, "distance.rope.upper", 3);
  apply_setting(m, "distance.rope.lower", 1);
  EXPECT_EQ(m.distances[0].upper, 3);
  EXPECT_EQ(m.distances[0].lower, 1);
}

TEST(Settings, OfMaterialsCombineAnew) {
  ModelData m = machine();
  apply_setting(m, "material.ice.friction", 0.04);
  apply_setting(m, "material.wood.restitution", 0.5);
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
                                 {"joint.coupler.friction", 1, "without friction"},
                                 {"joint.slider.upper", 1, "without limits"},
                                 {"joint.crank.lower", 2, "<= 1"},
                                 {"joint.crank.upper", -2, ">= -1"},
                                 {"joint.crank.frction", 1, "friction"},
                                 {"joint.loop.armature", 1, "closes a loop"},
                                 {"motor.servo.max_force", 0, "> 0"},
                                 {"motor.wave.target", 1, "law of its own"},
                                 {"motor.wave.max_force", 1, "without a force limit"},
                                 {"motor.wave.stiffness", 1, "not a servo"},
                                 {"motor.srvo.target", 1, "servo"},
                                 {"gear.gear.ration", 1, "ratio"},
                                 {"distance.rod.upper", 2, "rod"},
                                 {"distance.rope.upper", 0.1, ">= 0.5"},
                                 {"material.ice.restitution", 1.5, "<= 1"},
                                 {"material.ice.exponent", 0, "> 0"},
                                 {"material.ise.friction", 1, "ice"},
                                 {"motr.servo.target", 1, "motor"}}) {
    ModelData m = machine();
    try {
      const Setting setting = find_setting(m, refused.path);
      check_setting(setting, refused.path, refused.value);
      check_beside_others(setting, refused.path, refused.value);
      ADD_FAILURE() << refused.path;
    } catch (const InvalidArgument& e) {
      EXPECT_NE(std::string(e.what()).find(refused.says), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace lipkin
