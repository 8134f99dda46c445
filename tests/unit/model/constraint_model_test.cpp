// What loops, limits, friction, drives and contact shapes become in the compiled model.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/model_builder.hpp"
#include "lipkin/state.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_data.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::Random;

Eigen::Isometry3d isometry(const Pose& pose) {
  return Eigen::Translation3d(pose.position) * pose.orientation.normalized();
}

Pose pose_of(const Eigen::Isometry3d& X) { return {X.translation(), Eigen::Quaterniond(X.rotation())}; }

Eigen::Isometry3d turn(double angle, const Eigen::Vector3d& axis) {
  return Eigen::Isometry3d(Eigen::AngleAxisd(angle, axis));
}

// M in F at coordinates q by the words of lipkin/model.hpp, axis joints along z.
Eigen::Isometry3d motion(JointType type, double pitch, const std::vector<double>& q) {
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  const auto slide = [](double dx, double dy, double dz) {
    return Eigen::Isometry3d(Eigen::Translation3d(dx, dy, dz));
  };
  switch (type) {
    case JointType::kRevolute:
      return turn(q[0], z);
    case JointType::kPrismatic:
      return slide(0, 0, q[0]);
    case JointType::kScrew:
      return slide(0, 0, pitch * q[0]) * turn(q[0], z);
    case JointType::kCylindrical:
      return slide(0, 0, q[1]) * turn(q[0], z);
    case JointType::kUniversal:
      return turn(q[0], x) * turn(q[1], y);
    case JointType::kPlanar:
      return slide(q[0], q[1], 0) * turn(q[2], z);
    default:
      return Eigen::Isometry3d(Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized());
  }
}

// A loop closed between the two bodies of a joint of its own kind, with the same frames: its frames must then stand to
// each other as that joint's coordinates say. Bodies are merged into links on both sides.
TEST(Closures, StandInTheFramesOfTheirJoint) {
  Random random(7);
  for (const JointType type : {JointType::kRevolute, JointType::kPrismatic, JointType::kScrew, JointType::kCylindrical,
                               JointType::kUniversal, JointType::kPlanar, JointType::kBall}) {
    for (int n = 0; n < 10; ++n) {
      JointSpec base = test::joint_of("base", JointType::kFree, kWorldName, "a");
      const Pose base_pose = test::random_pose(random, 1);
      base.frame_in_parent = base_pose;
      JointSpec joint = test::joint_of("joint", type, "a", "b");
      joint.frame_in_parent = test::random_pose(random, 1);
      joint.frame_in_child = test::random_pose(random, 1);
      joint.axis = Eigen::Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      joint.pitch = 0.3;
      for (int k = 0; k < q_count(type); ++k) joint.q.push_back(random.uniform(-1, 1));
      JointSpec on_a = test::joint_of("on_a", JointType::kFixed, "a", "a_part");
      on_a.frame_in_parent = test::random_pose(random, 1);
      JointSpec on_b = test::joint_of("on_b", JointType::kFixed, "b", "b_part");
      on_b.frame_in_child = test::random_pose(random, 1);
      JointSpec loop = joint;
      loop.name = "loop";
      loop.parent = "a_part";
      loop.child = "b_part";
      loop.frame_in_parent = pose_of(isometry(on_a.frame_in_parent).inverse() * isometry(joint.frame_in_parent));
      loop.frame_in_child = pose_of(isometry(on_b.frame_in_child) * isometry(joint.frame_in_child));
      loop.q.clear();
      loop.closes_loop = true;
      ModelBuilder builder;
      for (const char* name : {"a", "b", "a_part", "b_part"})
        builder.add(test::body_with(name, 1, {0, 0, 0}, {1, 1, 1}));
      for (const JointSpec& spec : {base, joint, on_a, on_b, loop}) builder.add(spec);
      const Model model = builder.build();

      ASSERT_EQ(model.closure_count(), 1);
      EXPECT_TRUE(model.joint_closes_loop(model.joint("loop")));
      EXPECT_EQ(model.joint_u(model.joint("loop")), -1);
      const ModelData& data = model.data();
      const ClosureData& closure = data.closures[0];
      EXPECT_EQ(closure.name, "loop");
      EXPECT_EQ(closure.link_a, data.bodies[model.body("a_part")].link);
      EXPECT_EQ(closure.link_b, data.bodies[model.body("b_part")].link);
      EXPECT_EQ(data.closure_coordinate_count, u_count(type));
      EXPECT_EQ(initial_state(model).closure_q.size(), static_cast<std::size_t>(u_count(type)));

      const std::vector<Transform<double>> X_WL = link_poses(data, data.initial_q.data());
      const Transform<double> X_FM =
          inverse(X_WL[closure.link_a] * closure.X_AF) * (X_WL[closure.link_b] * closure.X_BM);
      const Eigen::Isometry3d truth = motion(type, joint.pitch, joint.q);
      EXPECT_LT((to_eigen(X_FM.R) - truth.rotation()).norm(), 1e-14) << name_of(type);  // rounding
      EXPECT_LT((to_eigen(X_FM.p) - truth.translation()).norm(), 1e-14) << name_of(type);
    }
  }
}

// A planar joint and a free body, then whatever a test adds.
struct Mechanism {
  ModelBuilder builder;

  Mechanism() {
    for (const char* name : {"cart", "arm", "ball"}) builder.add(test::body_with(name, 1, {0, 0, 0}, {1, 1, 1}));
  }
  ModelData build() { return builder.build().data(); }
};

TEST(JointRows, AreOnePerCoordinateThatHasThem) {
  Mechanism m;
  JointSpec cart = test::joint_of("cart", JointType::kPlanar, kWorldName, "cart");
  cart.lower = {-1, -std::numeric_limits<double>::infinity(), -3};
  cart.upper = {2};
  cart.friction = {4};
  cart.limit_restitution = 0.25;
  JointSpec arm = test::joint_of("arm", JointType::kRevolute, "cart", "arm");
  JointSpec ball = test::joint_of("ball", JointType::kFree, kWorldName, "ball");
  ball.friction = {0, 0, 0, 1, 1, 1};
  JointSpec loop = test::joint_of("loop", JointType::kCylindrical, "arm", "ball");
  loop.closes_loop = true;
  loop.upper = {1, 5};
  loop.friction = {0, 7};
  loop.stiffness = {10};
  loop.rest = {1, 2};
  for (const JointSpec& joint : {loop, cart, arm, ball}) m.builder.add(joint);
  const ModelData data = m.build();

  ASSERT_EQ(data.limits.size(), 5u);  // the loop's two, the cart's three
  EXPECT_EQ(data.limits[0].joint, 0);
  EXPECT_EQ(data.limits[1].dof.closure, 0);
  EXPECT_EQ(data.limits[1].dof.k, 1);
  EXPECT_EQ(data.limits[1].dof.u_index, -1);
  EXPECT_EQ(data.limits[1].upper, 5);
  EXPECT_EQ(data.limits[1].lower, -std::numeric_limits<double>::infinity());
  const JointData& cart_data = data.joints[1];
  for (int k = 0; k < 3; ++k) {
    const LimitData& limit = data.limits[static_cast<std::size_t>(2 + k)];
    EXPECT_EQ(limit.joint, 1);
    EXPECT_EQ(limit.dof.u_index, cart_data.u_index + k);
    EXPECT_EQ(limit.dof.q_index, cart_data.q_index + k);
    EXPECT_EQ(limit.dof.closure, -1);
    EXPECT_EQ(limit.upper, 2);
    EXPECT_EQ(limit.restitution, 0.25);
  }
  EXPECT_EQ(data.limits[4].lower, -3);

  ASSERT_EQ(data.joint_frictions.size(), 2u + 3u + 6u);
  EXPECT_EQ(data.joint_frictions[1].force, 7);
  EXPECT_EQ(data.joint_frictions[1].dof.k, 1);
  EXPECT_EQ(data.joint_frictions[4].force, 4);
  const JointFrictionData& spin = data.joint_frictions[10];  // about the free body's z: a velocity without a coordinate
  EXPECT_EQ(spin.dof.u_index, data.joints[3].u_index + 5);
  EXPECT_EQ(spin.dof.q_index, -1);
  EXPECT_EQ(spin.force, 1);

  ASSERT_EQ(data.row_springs.size(), 2u);
  EXPECT_EQ(data.row_springs[1].stiffness, 10);
  EXPECT_EQ(data.row_springs[1].rest, 2);
}

TEST(Drives, KnowTheirCoordinates) {
  Mechanism m;
  m.builder.add(test::joint_of("cart", JointType::kPlanar, kWorldName, "cart"));
  m.builder.add(test::joint_of("arm", JointType::kRevolute, "cart", "arm"));
  m.builder.add(test::joint_of("ball", JointType::kFree, kWorldName, "ball"));
  JointSpec loop = test::joint_of("loop", JointType::kBall, "arm", "ball");
  loop.closes_loop = true;
  m.builder.add(loop);
  MotorSpec motor;
  motor.name = "drive";
  motor.joint = "cart";
  motor.dof = 2;
  motor.kind = MotorKind::kPosition;
  motor.target.source = ExpressionText{"sin(t)"};
  motor.max_force = 5;
  motor.stiffness = 100;
  motor.damping = 3;
  m.builder.add(motor);
  GearSpec gear;
  gear.name = "gear";
  gear.joint = "arm";
  gear.of = "cart";
  gear.of_dof = 1;
  gear.ratio = -2;
  gear.offset = 0.5;
  m.builder.add(gear);
  DistanceSpec rope;
  rope.name = "rope";
  rope.a.body = "ball";
  rope.a.position = {1, 2, 3};
  rope.upper = 4;
  m.builder.add(rope);
  const Model model = m.builder.build();
  const ModelData& data = model.data();

  ASSERT_EQ(model.motor_count(), 1);
  EXPECT_EQ(model.motor_name(0), "drive");
  EXPECT_EQ(data.motors[0].dof.u_index, model.joint_u(0) + 2);
  EXPECT_EQ(data.motors[0].kind, MotorKind::kPosition);
  EXPECT_TRUE(data.motors[0].servo);
  EXPECT_EQ(data.motors[0].stiffness, 100);
  EXPECT_EQ(data.motors[0].damping, 3);
  EXPECT_EQ(data.motors[0].max_force, 5);
  EXPECT_TRUE(std::holds_alternative<ChannelExpression>(data.motors[0].target));
  ASSERT_EQ(model.gear_count(), 1);
  EXPECT_EQ(data.gears[0].dof.u_index, model.joint_u(1));
  EXPECT_EQ(data.gears[0].of.q_index, model.joint_q(0) + 1);
  EXPECT_EQ(data.gears[0].ratio, -2);
  EXPECT_EQ(data.gears[0].offset, 0.5);
  ASSERT_EQ(model.distance_count(), 1);
  EXPECT_EQ(data.distances[0].a.link, data.bodies[2].link);
  EXPECT_EQ(data.distances[0].b.link, 0);
  EXPECT_EQ(data.distances[0].lower, 0);
  EXPECT_EQ(data.distances[0].upper, 4);
}

ShapeSpec ball_of(const std::string& material, const std::string& group = {}) {
  ShapeSpec shape;
  shape.geometry = ShapeSphere{0.1};
  shape.contact = material;
  shape.group = group;
  return shape;
}

MaterialSpec material_of(const std::string& name, double friction, double restitution, double stiffness = 0) {
  MaterialSpec material;
  material.name = name;
  material.friction = friction;
  material.restitution = restitution;
  material.stiffness = stiffness;
  return material;
}

TEST(Materials, CombineInPairs) {
  ModelBuilder builder;
  builder.add(material_of("rubber", 0.9, 0.8, 4e4));
  builder.add(material_of("ice", 0.1, 0.2, 1e4));
  builder.add(material_of("rock", 0.4, 0));
  MaterialPairSpec pair;
  pair.a = "rock";
  pair.b = "ice";
  pair.friction = 0.02;
  builder.add(pair);
  const ModelData data = builder.build().data();
  const auto law = [&](int a, int b) { return data.contact_laws[static_cast<std::size_t>(3 * a + b)]; };
  EXPECT_DOUBLE_EQ(law(0, 1).friction, 0.3);  // sqrt(0.9 * 0.1)
  EXPECT_EQ(law(0, 1).restitution, 0.8);
  EXPECT_DOUBLE_EQ(law(0, 1).stiffness, 2e4);
  EXPECT_EQ(law(0, 2).stiffness, 4e4);  // the other is rigid
  EXPECT_EQ(law(0, 0).friction, 0.9);
  EXPECT_EQ(law(2, 1).friction, 0.02);
  EXPECT_EQ(law(2, 1).restitution, 0.2);
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      EXPECT_EQ(law(a, b).friction, law(b, a).friction);
      EXPECT_EQ(law(a, b).static_friction, law(a, b).friction);  // none is given
    }
  }
}

TEST(Materials, StaticFrictionIsNotBelowTheOther) {
  ModelBuilder builder;
  MaterialSpec rubber = material_of("rubber", 0.9, 0);
  MaterialSpec wax = material_of("wax", 0.1, 0);
  wax.static_friction = 0.4;
  builder.add(rubber);
  builder.add(wax);
  MaterialPairSpec pair;
  pair.a = pair.b = "wax";
  pair.friction = 0.5;
  builder.add(pair);
  const ModelData data = builder.build().data();
  EXPECT_EQ(data.contact_laws[0].static_friction, 0.9);
  EXPECT_DOUBLE_EQ(data.contact_laws[1].static_friction, 0.6);  // sqrt(0.9 * 0.4)
  EXPECT_EQ(data.contact_laws[3].friction, 0.5);
  EXPECT_EQ(data.contact_laws[3].static_friction, 0.5);
}

// Bodies: a base fixed to the world, an arm hinged on it with a hand fixed to it, a ball that is free, and a loop
// between hand and ball.
TEST(ContactFilters, LeaveOutWhatJointsHoldTogetherAndWhatIsNamed) {
  ModelBuilder builder;
  builder.add(material_of("steel", 0.5, 0));
  builder.add_world_shape(ball_of("steel"));  // shape 0
  builder.add_world_shape(ball_of(""));       // to look at
  for (const char* name : {"base", "arm", "hand", "ball", "other"}) {
    BodySpec body = test::body_with(name, 1, {0, 0, 0}, {1, 1, 1});
    body.shapes.push_back(ball_of("steel", name == std::string("other") ? "soft" : "hard"));  // shapes 1 to 5
    builder.add(body);
  }
  builder.add(test::joint_of("base", JointType::kFixed, kWorldName, "base"));
  builder.add(test::joint_of("arm", JointType::kRevolute, "base", "arm"));
  builder.add(test::joint_of("hand", JointType::kFixed, "arm", "hand"));
  builder.add(test::joint_of("ball", JointType::kFree, kWorldName, "ball"));
  builder.add(test::joint_of("other", JointType::kRevolute, kWorldName, "other"));
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(builder.build().contact_shape_count(), 6);
  EXPECT_EQ(builder.build().data().filtered_shapes, (Pairs{{1, 2}, {1, 3}}));  // base, with arm and hand

  JointSpec loop = test::joint_of("loop", JointType::kBall, "hand", "ball");
  loop.closes_loop = true;
  builder.add(loop);
  EXPECT_EQ(builder.build().data().filtered_shapes, (Pairs{{1, 2}, {1, 3}, {2, 4}, {3, 4}}));

  ContactFilterSpec bodies;
  bodies.body_a = kWorldName;
  bodies.body_b = "other";
  builder.add(bodies);
  EXPECT_EQ(builder.build().data().filtered_shapes, (Pairs{{0, 5}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}));

  ContactFilterSpec groups;
  groups.group_a = groups.group_b = "hard";  // 1 to 4 among themselves; 2 and 3 are one link and never meet
  builder.add(groups);
  EXPECT_EQ(builder.build().data().filtered_shapes, (Pairs{{0, 5}, {1, 2}, {1, 3}, {1, 4}, {2, 4}, {3, 4}}));
  groups.group_b = "soft";
  builder.add(groups);
  EXPECT_EQ(builder.build().data().filtered_shapes.size(), 10u);
}

}  // namespace
}  // namespace lipkin
