// Every mistake in loops, limits, drives, materials and contact shapes is one line that names it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "lipkin/model_builder.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// A four-bar linkage with everything on it and no mistake, to put one in.
struct Parts {
  std::vector<BodySpec> bodies;
  JointSpec crank = test::joint_of("crank", JointType::kRevolute, kWorldName, "crank");
  JointSpec coupler = test::joint_of("coupler", JointType::kRevolute, "crank", "coupler");
  JointSpec rocker = test::joint_of("rocker", JointType::kRevolute, kWorldName, "rocker");
  JointSpec ball = test::joint_of("ball", JointType::kFree, kWorldName, "ball");
  JointSpec loop = test::joint_of("loop", JointType::kRevolute, "coupler", "rocker");
  MotorSpec motor, brake;
  GearSpec gear;
  DistanceSpec rope;
  MaterialSpec steel, rubber;
  MaterialPairSpec pair;
  ContactFilterSpec filter;
  ShapeSpec ground;

  Parts() {
    for (const char* name : {"crank", "coupler", "rocker", "ball"})
      bodies.push_back(test::body_with(name, 1, {0.1, 0, 0}, {1, 1, 1}));
    loop.closes_loop = true;
    motor.name = "motor";
    motor.joint = "crank";
    brake.name = "brake";
    brake.joint = "crank";
    brake.max_force = 1;
    gear.name = "gear";
    gear.joint = "rocker";
    gear.of = "crank";
    rope.name = "rope";
    rope.a.body = "ball";
    rope.upper = 1;
    steel.name = "steel";
    rubber.name = "rubber";
    pair.a = "steel";
    pair.b = "rubber";
    filter.body_a = "ball";
    filter.body_b = "crank";
    ground.geometry = ShapePlane{};
    ground.contact = "steel";
    ShapeSpec sphere;
    sphere.geometry = ShapeSphere{0.1};
    sphere.contact = "rubber";
    sphere.group = "balls";
    bodies[3].shapes.push_back(sphere);
  }

  ModelBuilder builder() const {
    ModelBuilder b;
    for (const BodySpec& body : bodies) b.add(body);
    for (const JointSpec& joint : {crank, coupler, rocker, ball, loop}) b.add(joint);
    b.add(motor), b.add(brake), b.add(gear), b.add(rope), b.add(steel), b.add(rubber), b.add(pair), b.add(filter);
    b.add_world_shape(ground);
    return b;
  }
};

struct Mistake {
  const char* name;
  std::function<void(Parts&)> make;
  std::vector<const char*> says;  // all within one line
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.name; }

ShapeGeometry square_sheet() { return ShapeMesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}}; }

ShapeGeometry tetrahedron(bool inside_out) {
  ShapeMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  if (inside_out)
    for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
  return mesh;
}

void give_ball(Parts& p, ShapeGeometry geometry, bool with_mass = false) {
  p.bodies[3].shapes[0].geometry = std::move(geometry);
  if (!with_mass) return;
  p.bodies[3].mass_properties.reset();
  p.bodies[3].shapes[0].density = 1;
}

const std::vector<Mistake>& loop_mistakes() {
  static const std::vector<Mistake> all = {
      {"loop_with_q", [](Parts& p) { p.loop.q = {1}; }, {"loop", "closes a loop", "q"}},
      {"loop_with_u", [](Parts& p) { p.loop.u = {1}; }, {"loop", "closes a loop", "u"}},
      {"loop_with_armature", [](Parts& p) { p.loop.armature = {1}; }, {"loop", "closes a loop", "armature"}},
      {"free_loop", [](Parts& p) { p.loop.type = JointType::kFree; }, {"loop", "free", "holds nothing"}},
      {"loop_of_unknown_body", [](Parts& p) { p.loop.child = "roker"; }, {"loop", "roker", "rocker"}},
      {"loop_to_the_world",
       [](Parts& p) { p.loop.child = kWorldName; },
       {"loop", "world", "the world can only be a parent"}},
      {"loop_onto_itself", [](Parts& p) { p.loop.parent = "rocker"; }, {"loop", "rocker", "cannot move"}},
      {"loop_between_bodies_of_one_link",
       [](Parts& p) {
         p.rocker.type = JointType::kFixed;
         p.gear.joint = "coupler";
         p.loop.parent = kWorldName;
       },
       {"loop", "rocker", "cannot move"}},
      {"body_with_two_joints", [](Parts& p) { p.loop.closes_loop = false; }, {"rocker", "two joints", "loops"}},
      {"body_with_a_loop_only", [](Parts& p) { p.rocker.closes_loop = true; }, {"rocker", "has no joint"}},
      {"loop_with_zero_axis", [](Parts& p) { p.loop.axis.setZero(); }, {"loop", "axis"}},
      {"lower_above_upper",
       [](Parts& p) {
         p.crank.lower = {1};
         p.crank.upper = {-1};
       },
       {"crank", "lower limit 1", "-1"}},
      {"nan_limit", [](Parts& p) { p.crank.lower = {kNan}; }, {"crank", "lower", "not a number"}},
      {"limit_at_infinity", [](Parts& p) { p.crank.lower = {kInf}; }, {"crank", "no room"}},
      {"two_limits_for_one",
       [](Parts& p) {
         p.crank.upper = {1, 2};
       },
       {"crank", "upper has 2 values"}},
      {"limits_of_rotations", [](Parts& p) { p.ball.upper = {1}; }, {"ball", "rotations", "limits"}},
      {"limits_of_a_ball_loop",
       [](Parts& p) {
         p.loop.type = JointType::kBall;
         p.loop.lower = {0};
       },
       {"loop", "rotations of a ball joint"}},
      {"negative_friction", [](Parts& p) { p.coupler.friction = {-1}; }, {"coupler", "friction", "-1"}},
      {"infinite_friction", [](Parts& p) { p.coupler.friction = {kInf}; }, {"coupler", "friction", "finite"}},
      {"restitution_above_one", [](Parts& p) { p.crank.limit_restitution = 1.5; }, {"crank", "limit_restitution"}},
      {"nan_restitution", [](Parts& p) { p.crank.limit_restitution = kNan; }, {"crank", "limit_restitution", "nan"}}};
  return all;
}

const std::vector<Mistake>& drive_mistakes() {
  static const std::vector<Mistake> all = {
      {"motor_on_unknown_joint", [](Parts& p) { p.motor.joint = "krank"; }, {"motor", "krank", "crank"}},
      {"motor_on_fixed_joint",
       [](Parts& p) {
         p.coupler.type = JointType::kFixed;
         p.motor.joint = "coupler";
       },
       {"motor", "fixed", "it has 0"}},
      {"motor_dof", [](Parts& p) { p.motor.dof = 1; }, {"motor", "dof 1", "it has 1"}},
      {"motor_without_force", [](Parts& p) { p.motor.max_force = 0; }, {"motor", "max_force", "> 0"}},
      {"motor_with_nan_force", [](Parts& p) { p.motor.max_force = kNan; }, {"motor", "max_force"}},
      {"velocity_servo", [](Parts& p) { p.motor.stiffness = 1; }, {"motor", "stiffness", "position"}},
      {"negative_servo",
       [](Parts& p) {
         p.motor.kind = MotorKind::kPosition;
         p.motor.stiffness = -1;
       },
       {"motor", "stiffness", "-1"}},
      {"damping_alone",
       [](Parts& p) {
         p.motor.kind = MotorKind::kPosition;
         p.motor.damping = 1;
       },
       {"motor", "damping", "stiffness"}},
      {"negative_damping",
       [](Parts& p) {
         p.motor.kind = MotorKind::kPosition;
         p.motor.stiffness = 1;
         p.motor.damping = -1;
       },
       {"motor", "damping", "-1"}},
      {"position_of_a_rotation",
       [](Parts& p) {
         p.motor.joint = "ball";
         p.motor.dof = 4;
         p.motor.kind = MotorKind::kPosition;
       },
       {"motor", "no position", "velocity"}},
      {"wrong_target", [](Parts& p) { p.motor.target.source = ExpressionText{"joint.krank.q"}; }, {"motor", "krank"}},
      {"target_from_accelerations",
       [](Parts& p) { p.motor.target.source = ExpressionText{"joint.crank.a"}; },
       {"motor", "accelerations"}},
      {"target_from_reactions",
       [](Parts& p) { p.motor.target.source = ExpressionText{"joint.crank.fx"}; },
       {"motor", "forces"}},
      {"two_motors_prescribe", [](Parts& p) { p.brake.max_force = kInf; }, {"motor", "brake", "crank", "max_force"}},
      {"gear_of_unknown_joint", [](Parts& p) { p.gear.of = "cank"; }, {"gear", "cank", "crank"}},
      {"gear_to_unknown_joint", [](Parts& p) { p.gear.joint = "rokker"; }, {"gear", "rokker", "rocker"}},
      {"gear_to_itself", [](Parts& p) { p.gear.of = "rocker"; }, {"gear", "rocker", "itself"}},
      {"gear_of_a_rotation",
       [](Parts& p) {
         p.gear.of = "ball";
         p.gear.of_dof = 3;
       },
       {"gear", "ball", "cannot be geared"}},
      {"gear_without_ratio", [](Parts& p) { p.gear.ratio = kNan; }, {"gear", "ratio"}},
      {"gear_without_offset", [](Parts& p) { p.gear.offset = kInf; }, {"gear", "offset"}},
      {"rope_of_unknown_body", [](Parts& p) { p.rope.b.body = "bal"; }, {"rope", "bal", "ball"}},
      {"rope_with_bounds_swapped", [](Parts& p) { p.rope.lower = 2; }, {"rope", "lower 2", "upper 1"}},
      {"rope_without_bounds", [](Parts& p) { p.rope.upper = kInf; }, {"rope", "holds nothing"}},
      {"rope_of_no_length", [](Parts& p) { p.rope.upper = 0; }, {"rope", "upper", "> 0"}},
      {"rope_of_negative_length", [](Parts& p) { p.rope.lower = -1; }, {"rope", "lower", "-1"}},
      {"rope_on_one_body", [](Parts& p) { p.rope.b.body = "ball"; }, {"rope", "cannot move"}},
      {"rope_restitution", [](Parts& p) { p.rope.restitution = -0.1; }, {"rope", "restitution"}},
      {"motor_dof_of_a_loop",
       [](Parts& p) {
         p.loop.name = "gear_shaft";
         p.motor.joint = "gear_shaft";
         p.motor.dof = 3;
       },
       {"motor", "gear_shaft", "it has 1"}}};
  return all;
}

const std::vector<Mistake>& contact_mistakes() {
  static const std::vector<Mistake> all = {
      {"unknown_material", [](Parts& p) { p.ground.contact = "steal"; }, {"the world", "steal", "steel"}},
      {"unknown_material_of_a_body",
       [](Parts& p) { p.bodies[3].shapes[0].contact = "rubbr"; },
       {"ball", "rubbr", "rubber"}},
      {"negative_mu", [](Parts& p) { p.steel.friction = -0.1; }, {"steel", "friction", "-0.1"}},
      {"nan_mu", [](Parts& p) { p.steel.friction = kNan; }, {"steel", "friction"}},
      {"infinite_stiffness", [](Parts& p) { p.steel.stiffness = kInf; }, {"steel", "stiffness"}},
      {"restitution_out_of_range", [](Parts& p) { p.steel.restitution = 1.01; }, {"steel", "restitution", "0 to 1"}},
      {"zero_exponent", [](Parts& p) { p.steel.exponent = 0; }, {"steel", "exponent"}},
      {"two_materials_of_one_name", [](Parts& p) { p.rubber.name = "steel"; }, {"steel", "twice"}},
      {"pair_of_unknown_material", [](Parts& p) { p.pair.b = "rub"; }, {"pair", "'rub'"}},
      {"pair_out_of_range", [](Parts& p) { p.pair.restitution = 2; }, {"steel", "rubber", "restitution"}},
      {"filter_of_unknown_body", [](Parts& p) { p.filter.body_a = "bal"; }, {"filter", "bal", "ball"}},
      {"filter_of_one_body", [](Parts& p) { p.filter.body_a.clear(); }, {"filter", "two bodies or two groups"}},
      {"filter_of_both", [](Parts& p) { p.filter.group_a = "balls"; }, {"filter", "two bodies or two groups"}},
      {"filter_of_unknown_group",
       [](Parts& p) {
         p.filter = {};
         p.filter.group_a = "balls";
         p.filter.group_b = "bals";
       },
       {"filter", "bals", "balls"}},
      {"flat_hull",
       [](Parts& p) {
         give_ball(p, ShapeHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 2, 0}}});
       },
       {"ball", "hull", "flat"}},
      {"nan_hull",
       [](Parts& p) {
         give_ball(p, ShapeHull{{{0, 0, kNan}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
       },
       {"ball", "hull", "finite"}},
      {"mesh_index",
       [](Parts& p) {
         give_ball(p, ShapeMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}});
       },
       {"ball", "vertex 3", "it has 3"}},
      {"negative_mesh_index",
       [](Parts& p) {
         give_ball(p, ShapeMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, -1}}});
       },
       {"ball", "vertex -1"}},
      {"mesh_with_a_corner_twice",
       [](Parts& p) {
         give_ball(p, ShapeMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 1}}});
       },
       {"ball", "twice"}},
      {"empty_mesh", [](Parts& p) { give_ball(p, ShapeMesh{}); }, {"ball", "no triangles"}},
      {"open_mesh_with_mass", [](Parts& p) { give_ball(p, square_sheet(), true); }, {"ball", "no volume"}},
      {"mesh_inside_out", [](Parts& p) { give_ball(p, tetrahedron(true), true); }, {"ball", "inside out"}},
      {"plane_with_mass", [](Parts& p) { give_ball(p, ShapePlane{}, true); }, {"ball", "no volume"}},
      {"cup_with_mass",
       [](Parts& p) {
         give_ball(p, ShapeCup{1, 2, 1}, true);
       },
       {"ball", "no volume"}},
      {"cup_of_negative_radius",
       [](Parts& p) {
         give_ball(p, ShapeCup{-1, 2, 1});
       },
       {"ball", "cup radius", "-1"}},
      {"cup_without_radius",
       [](Parts& p) {
         give_ball(p, ShapeCup{0, 0, 1});
       },
       {"ball", "cup radius"}},
      {"cup_without_height",
       [](Parts& p) {
         give_ball(p, ShapeCup{1, 2, 0});
       },
       {"ball", "cup height"}},
      {"height_field_too_small",
       [](Parts& p) {
         give_ball(p, ShapeHeightField{1, 2, 1, 1, {0, 0}});
       },
       {"ball", "2 rows and 1 columns"}},
      {"height_field_with_wrong_count",
       [](Parts& p) {
         give_ball(p, ShapeHeightField{2, 2, 1, 1, {0, 0, 0}});
       },
       {"ball", "3 heights"}},
      {"height_field_with_nan",
       [](Parts& p) {
         give_ball(p, ShapeHeightField{2, 2, 1, 1, {0, 0, 0, kNan}});
       },
       {"ball", "height", "finite"}},
      {"height_field_without_size",
       [](Parts& p) {
         give_ball(p, ShapeHeightField{2, 2, 1, 0, {0, 0, 0, 0}});
       },
       {"ball", "height field size"}},
      {"world_shape_with_mass",
       [](Parts& p) {
         p.ground.geometry = ShapeSphere{1};
         p.ground.mass = 1;
       },
       {"the world", "mass"}},
      {"world_shape_of_negative_size", [](Parts& p) { p.ground.geometry = ShapeSphere{-1}; }, {"the world", "radius"}}};
  return all;
}

class ConstraintErrors : public testing::TestWithParam<Mistake> {};

TEST_P(ConstraintErrors, AreNamed) {
  Parts parts;
  GetParam().make(parts);
  std::string said;
  bool found = false;
  for (const Diagnostic& d : parts.builder().check()) {
    const std::string line = d.text();
    said += line + "\n";
    bool all = d.severity == Severity::kError;
    for (const char* word : GetParam().says) all = all && line.find(word) != line.npos;
    found = found || all;
  }
  EXPECT_TRUE(found) << "said: " << said;
  EXPECT_THROW(parts.builder().build(), InputError);
}

std::string name_of_mistake(const testing::TestParamInfo<Mistake>& mistake) { return mistake.param.name; }
INSTANTIATE_TEST_SUITE_P(Loops, ConstraintErrors, testing::ValuesIn(loop_mistakes()), name_of_mistake);
INSTANTIATE_TEST_SUITE_P(Drives, ConstraintErrors, testing::ValuesIn(drive_mistakes()), name_of_mistake);
INSTANTIATE_TEST_SUITE_P(Contacts, ConstraintErrors, testing::ValuesIn(contact_mistakes()), name_of_mistake);

TEST(ConstraintErrorsTogether, WithoutOneThereIsNone) {
  for (const Diagnostic& d : Parts().builder().check()) ADD_FAILURE() << d.text();
}

TEST(ConstraintErrorsTogether, WarnsOfAStartOutsideTheLimits) {
  Parts parts;
  parts.crank.q = {2};
  parts.crank.upper = {1};
  const std::vector<Diagnostic> said = parts.builder().check();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].severity, Severity::kWarning);
  EXPECT_NE(said[0].text().find("crank"), std::string::npos);
}

TEST(ConstraintErrorsTogether, PlanesCupsAndHeightFieldsMayMove) {
  for (const ShapeGeometry& geometry :
       {ShapeGeometry(ShapePlane{}), ShapeGeometry(ShapeCup{1, 2, 1}), square_sheet(), tetrahedron(false),
        ShapeGeometry(ShapeHeightField{2, 2, 1, 1, {0, 0, 0, 0}})}) {
    Parts parts;
    give_ball(parts, geometry);
    EXPECT_NO_THROW(parts.builder().build());
  }
}

}  // namespace
}  // namespace lipkin
