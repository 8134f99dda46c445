// What a builder refuses, and that it says so about everything at once, by name.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "lipkin/dynamics.hpp"
#include "lipkin/model_builder.hpp"
#include "support/busy_scene.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// A model without a mistake, to put one in.
struct Parts {
  Eigen::Vector3d gravity{0, 0, -9.81};
  std::vector<BodySpec> bodies = {test::body_with("arm", 1, {0.1, 0, 0}, {1, 1, 1}),
                                  test::body_with("hand", 1, {0, 0, 0}, {1, 1, 1})};
  std::vector<JointSpec> joints = {test::joint_of("shoulder", JointType::kRevolute, kWorldName, "arm"),
                                   test::joint_of("wrist", JointType::kBall, "arm", "hand")};
  PointSpec point{"tip", "hand", {0, 0, 0.1}, {}, Eigen::Quaterniond::Identity(), {}};
  SpringDamperSpec spring;
  BushingSpec bushing;
  ForceSpec force;
  ActuatorSpec actuator;
  OutputSpec output{"x", "body.hand.x", "m", {}};
  ParameterSpec parameter{"gain", 2, "", "", {}, {}};

  Parts() {
    spring.name = "spring";
    spring.b.body = "hand";
    bushing.name = "bushing";
    bushing.body_b = "hand";
    force.name = "wind";
    force.at.point = "tip";
    actuator.name = "motor";
    actuator.joint = "shoulder";
  }

  ModelBuilder builder() const {
    ModelBuilder b;
    b.set_gravity(gravity);
    for (const auto& body : bodies) b.add(body);
    for (const auto& joint : joints) b.add(joint);
    b.add(point), b.add(spring), b.add(bushing), b.add(force), b.add(actuator), b.add(output), b.add(parameter);
    return b;
  }
};

std::vector<std::string> errors_of(const ModelBuilder& builder) {
  std::vector<std::string> errors;
  for (const Diagnostic& d : builder.check())
    if (d.severity == Severity::kError) errors.push_back(d.text());
  return errors;
}

struct Mistake {
  const char* name;
  std::function<void(Parts&)> make;
  std::vector<const char*> says;  // all within one line
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.name; }

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"negative_mass", [](Parts& p) { p.bodies[0].mass_properties->mass = -1; }, {"arm", "mass", "-1"}},
      {"nan_mass", [](Parts& p) { p.bodies[0].mass_properties->mass = kNan; }, {"arm", "mass", "nan"}},
      {"nan_com", [](Parts& p) { p.bodies[1].mass_properties->com.x() = kNan; }, {"hand", "com"}},
      {"infinite_inertia", [](Parts& p) { p.bodies[1].mass_properties->inertia(0, 0) = kInf; }, {"hand", "inertia"}},
      {"unsymmetric_inertia",
       [](Parts& p) { p.bodies[1].mass_properties->inertia(0, 1) = 0.5; },
       {"hand", "symmetric"}},
      {"negative_moment",
       [](Parts& p) { p.bodies[1].mass_properties->inertia = Eigen::Vector3d(1, -2, 1).asDiagonal(); },
       {"hand", "-2"}},
      {"unsymmetric_added_inertia",
       [](Parts& p) {
         p.bodies[0].added_inertia = Eigen::Matrix<double, 6, 6>::Identity();
         (*p.bodies[0].added_inertia)(0, 3) = 1;
       },
       {"arm", "added inertia", "symmetric"}},
      {"nan_added_inertia",
       [](Parts& p) { p.bodies[0].added_inertia = Eigen::Matrix<double, 6, 6>::Constant(kNan); },
       {"arm", "added inertia", "finite"}},
      {"negative_added_inertia",
       [](Parts& p) { p.bodies[0].added_inertia = -5 * Eigen::Matrix<double, 6, 6>::Identity(); },
       {"arm"}},
      {"massless", [](Parts& p) { p.bodies[1].mass_properties = MassProperties{}; }, {"wrist", "inertia"}},
      {"point_on_a_ball_joint",
       [](Parts& p) {
         p.bodies[1].mass_properties = MassProperties{1, {0, 0, 1}, Eigen::Matrix3d::Zero()};
       },
       {"wrist", "inertia"}},
      {"shape_of_negative_size",
       [](Parts& p) {
         p.bodies[0].shapes.push_back({ShapeSphere{-1}, {}, {}, {}, {}, {}, {}, {}});
       },
       {"arm", "radius", "-1"}},
      {"shape_without_orientation",
       [](Parts& p) {
         p.bodies[0].shapes.push_back({ShapeSphere{1}, {}, {}, {}, {}, {}, {}, {}});
         p.bodies[0].shapes.back().pose.orientation.coeffs().setZero();
       },
       {"arm", "shape", "quaternion"}},
      {"shape_with_nan_density",
       [](Parts& p) {
         p.bodies[0].mass_properties.reset();
         p.bodies[0].shapes.push_back({ShapeSphere{1}, {}, kNan, {}, {}, {}, {}, {}});
       },
       {"arm", "density"}},
      {"shape_with_mass_and_density",
       [](Parts& p) {
         p.bodies[0].mass_properties.reset();
         p.bodies[0].shapes.push_back({ShapeSphere{1}, {}, 1.0, 1.0, {}, {}, {}, {}});
       },
       {"arm", "density", "mass"}},
      {"mass_twice",
       [](Parts& p) {
         p.bodies[0].shapes.push_back({ShapeSphere{1}, {}, 1000.0, {}, {}, {}, {}, {}});
       },
       {"arm", "mass", "shapes"}},
      {"body_named_world", [](Parts& p) { p.bodies[1].name = "world"; }, {"world"}},
      {"body_without_name", [](Parts& p) { p.bodies[1].name = ""; }, {"body", "name"}},
      {"body_twice", [](Parts& p) { p.bodies.push_back(p.bodies[0]); }, {"arm", "twice"}},
      {"joint_twice", [](Parts& p) { p.joints[1].name = "shoulder"; }, {"shoulder", "twice"}},
      {"body_without_joint",
       [](Parts& p) {
         p.bodies.push_back(test::body_with("loose", 1, {0, 0, 0}, {1, 1, 1}));
       },
       {"loose", "joint"}},
      {"two_joints",
       [](Parts& p) { p.joints.push_back(test::joint_of("third", JointType::kRevolute, kWorldName, "hand")); },
       {"hand", "wrist", "third"}},
      {"unknown_parent", [](Parts& p) { p.joints[1].parent = "amr"; }, {"wrist", "amr", "did you mean 'arm'"}},
      {"unknown_child", [](Parts& p) { p.joints[1].child = "hnd"; }, {"wrist", "hnd", "did you mean 'hand'"}},
      {"world_as_child", [](Parts& p) { p.joints[1].child = "world"; }, {"wrist", "world"}},
      {"own_parent", [](Parts& p) { p.joints[1].parent = "hand"; }, {"hand -> hand"}},
      {"loop", [](Parts& p) { p.joints[0].parent = "hand"; }, {"loop", "arm", "hand"}},
      {"zero_axis", [](Parts& p) { p.joints[0].axis.setZero(); }, {"shoulder", "axis"}},
      {"nan_axis", [](Parts& p) { p.joints[0].axis.x() = kNan; }, {"shoulder", "axis"}},
      {"nan_frame", [](Parts& p) { p.joints[0].frame_in_parent.position.y() = kNan; }, {"shoulder", "frame"}},
      {"zero_orientation",
       [](Parts& p) { p.joints[0].frame_in_child.orientation.coeffs().setZero(); },
       {"shoulder", "quaternion"}},
      {"infinite_pitch", [](Parts& p) { p.joints[0].pitch = kInf; }, {"shoulder", "pitch"}},
      {"too_many_coordinates",
       [](Parts& p) {
         p.joints[0].q = {1, 2};
       },
       {"shoulder", "q", "2", "1"}},
      {"too_few_velocities",
       [](Parts& p) {
         p.joints[1].u = {1, 2};
       },
       {"wrist", "u", "2", "3"}},
      {"nan_coordinate", [](Parts& p) { p.joints[0].q = {kNan}; }, {"shoulder", "q", "finite"}},
      {"zero_quaternion",
       [](Parts& p) {
         p.joints[1].q = {0, 0, 0, 0};
       },
       {"wrist", "quaternion"}},
      {"negative_damping", [](Parts& p) { p.joints[0].damping = {-1}; }, {"shoulder", "damping", "-1"}},
      {"negative_stiffness",
       [](Parts& p) {
         p.joints[1].stiffness = {1, -1, 1};
       },
       {"wrist", "stiffness", "-1"}},
      {"negative_armature", [](Parts& p) { p.joints[0].armature = {-1}; }, {"shoulder", "armature", "-1"}},
      {"nan_damping", [](Parts& p) { p.joints[0].damping = {kNan}; }, {"shoulder", "damping"}},
      {"wrong_stiffness_count",
       [](Parts& p) {
         p.joints[1].stiffness = {1, 2};
       },
       {"wrist", "stiffness", "2", "3"}},
      {"nan_gravity", [](Parts& p) { p.gravity.x() = kNan; }, {"gravity"}},
      {"point_on_nothing", [](Parts& p) { p.point.body = "hnad"; }, {"tip", "hnad", "did you mean 'hand'"}},
      {"nan_point", [](Parts& p) { p.point.position.x() = kNan; }, {"tip", "finite"}},
      {"spring_on_nothing", [](Parts& p) { p.spring.b.body = "foot"; }, {"spring", "foot"}},
      {"spring_at_unknown_point", [](Parts& p) { p.spring.a.point = "tipp"; }, {"spring", "did you mean 'tip'"}},
      {"negative_spring", [](Parts& p) { p.spring.stiffness = -1; }, {"spring", "stiffness"}},
      {"nan_spring_damping", [](Parts& p) { p.spring.damping = kNan; }, {"spring", "damping"}},
      {"negative_rest_length", [](Parts& p) { p.spring.rest_length = -1; }, {"spring", "rest_length"}},
      {"bushing_on_nothing", [](Parts& p) { p.bushing.body_a = "leg"; }, {"bushing", "leg"}},
      {"negative_bushing", [](Parts& p) { p.bushing.angular_stiffness.y() = -1; }, {"bushing", "stiffness"}},
      {"nan_bushing_frame", [](Parts& p) { p.bushing.frame_in_b.position.x() = kNan; }, {"bushing", "frame"}},
      {"zero_bushing_orientation",
       [](Parts& p) { p.bushing.frame_in_a.orientation.coeffs().setZero(); },
       {"bushing", "quaternion"}},
      {"force_on_nothing",
       [](Parts& p) {
         p.force.at = {"", "sail", {0, 0, 0}};
       },
       {"wind", "sail"}},
      {"nan_force", [](Parts& p) { p.force.force[1].source = kNan; }, {"wind", "finite"}},
      {"table_going_back",
       [](Parts& p) {
         p.force.force[0].source = Table{{0, 2, 1}, {0, 0, 0}};
       },
       {"wind", "table", "increasing"}},
      {"empty_table", [](Parts& p) { p.actuator.control.source = Table{}; }, {"motor", "table"}},
      {"uneven_table",
       [](Parts& p) {
         p.actuator.control.source = Table{{0, 1}, {0}};
       },
       {"motor", "table"}},
      {"broken_expression",
       [](Parts& p) { p.force.torque[0].source = ExpressionText{"3 + * t"}; },
       {"wind", "3 + * t"}},
      {"unknown_variable",
       [](Parts& p) { p.actuator.control.source = ExpressionText{"joint.sholder.q"}; },
       {"motor", "sholder", "did you mean 'shoulder'"}},
      {"infinite_constant_expression",
       [](Parts& p) { p.actuator.control.source = ExpressionText{"1/0"}; },
       {"motor", "finite"}},
      {"force_of_accelerations",
       [](Parts& p) { p.force.force[0].source = ExpressionText{"-joint.shoulder.a"}; },
       {"wind", "accelerations"}},
      {"drive_of_forces",
       [](Parts& p) { p.actuator.control.source = ExpressionText{"joint.shoulder.tau"}; },
       {"motor", "forces"}},
      {"motor_on_nothing", [](Parts& p) { p.actuator.joint = "wirst"; }, {"motor", "did you mean 'wrist'"}},
      {"motor_on_missing_dof", [](Parts& p) { p.actuator.dof = 1; }, {"motor", "dof 1", "shoulder"}},
      {"motor_with_negative_dof", [](Parts& p) { p.actuator.dof = -1; }, {"motor", "dof -1"}},
      {"motor_without_range", [](Parts& p) { p.actuator.min = 2, p.actuator.max = 1; }, {"motor", "min 2", "max 1"}},
      {"motor_with_nan_range", [](Parts& p) { p.actuator.min = kNan; }, {"motor"}},
      {"nan_gear", [](Parts& p) { p.actuator.gear = kNan; }, {"motor", "gear"}},
      {"unknown_output", [](Parts& p) { p.output.expression = "body.hand.zz"; }, {"output 'x'", "zz"}},
      {"output_of_missing_component",
       [](Parts& p) { p.output.expression = "joint.wrist.q[4]"; },
       {"output 'x'", "wrist", "q[3]"}},
      {"output_without_component", [](Parts& p) { p.output.expression = "joint.wrist.u"; }, {"wrist", "u[2]"}},
      {"empty_expression", [](Parts& p) { p.output.expression = ""; }, {"output 'x'"}},
      {"nan_parameter", [](Parts& p) { p.parameter.value = kNan; }, {"gain", "finite"}},
      {"parameter_named_like_a_function", [](Parts& p) { p.parameter.name = "sin"; }, {"sin"}},
      {"parameter_named_t", [](Parts& p) { p.parameter.name = "t"; }, {"'t'"}}};
  return all;
}

TEST(ModelErrors, TheModelWithoutMistakesIsGood) {
  EXPECT_TRUE(errors_of(Parts().builder()).empty());
  EXPECT_EQ(Parts().builder().build().u_count(), 4);
}

class ModelErrors : public testing::TestWithParam<Mistake> {};

TEST_P(ModelErrors, AreNamed) {
  Parts parts;
  GetParam().make(parts);
  const ModelBuilder builder = parts.builder();
  const std::vector<std::string> errors = errors_of(builder);
  const auto mentions_all = [&](const std::string& line) {
    for (const char* word : GetParam().says)
      if (line.find(word) == line.npos) return false;
    return true;
  };
  std::string all;
  bool found = false;
  for (const std::string& line : errors) {
    all += line + "\n";
    found = found || mentions_all(line);
    EXPECT_EQ(line.find('\n'), line.npos);
  }
  EXPECT_TRUE(found) << "said: " << all;
  EXPECT_THROW(builder.build(), InputError);
}

INSTANTIATE_TEST_SUITE_P(Mistakes, ModelErrors, testing::ValuesIn(mistakes()),
                         [](const testing::TestParamInfo<Mistake>& mistake) { return mistake.param.name; });

// One of each kind together: all are reported, none hides another.
TEST(ModelErrorsTogether, EveryMistakeAtOnce) {
  Parts p;
  p.gravity.x() = kNan;
  p.bodies[0].mass_properties->mass = -1;
  p.bodies[1].mass_properties->inertia(0, 1) = 0.5;
  p.joints[0].axis.setZero();
  p.joints[1].damping = {-1};
  p.point.body = "foot";
  p.spring.stiffness = -1;
  p.bushing.body_a = "leg";
  p.force.torque[0].source = ExpressionText{"3 +"};
  p.actuator.dof = 9;
  p.output.expression = "body.hand.zz";
  p.parameter.name = "sin";
  const std::vector<std::string> errors = errors_of(p.builder());
  for (const char* word : {"gravity", "arm", "hand", "shoulder", "wrist", "tip", "spring", "bushing", "wind", "motor",
                           "output 'x'", "'sin'"})
    EXPECT_TRUE(std::any_of(errors.begin(), errors.end(), [&](const std::string& line) {
      return line.find(word) != line.npos;
    })) << word;
  try {
    p.builder().build();
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().size(), p.builder().check().size());
    EXPECT_NE(std::string(e.what()).find("motor"), std::string::npos);
  }
}

TEST(ModelErrorsTogether, SortedByPlaceWithThoseOfTheReader) {
  Parts p;
  p.bodies[0].mass_properties->mass = -1;
  p.bodies[0].where = {"scene.yaml", 7, 3};
  p.joints[0].axis.setZero();
  p.joints[0].where = {"scene.yaml", 4, 1};
  ModelBuilder builder = p.builder();
  builder.add(Diagnostic{{"scene.yaml", 5, 2}, "a mistake of the reader", "", Severity::kError});
  const std::vector<std::string> errors = errors_of(builder);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].rfind("scene.yaml:4:1: error: ", 0), 0u) << errors[0];
  EXPECT_EQ(errors[1], "scene.yaml:5:2: error: a mistake of the reader");
  EXPECT_EQ(errors[2].rfind("scene.yaml:7:3: error: ", 0), 0u) << errors[2];
}

TEST(ModelErrorsTogether, WarningsDoNotStopABuild) {
  Parts p;
  p.bodies[0].mass_properties->inertia = Eigen::Vector3d(1, 1, 5).asDiagonal();  // no real body
  const auto diagnostics = p.builder().check();
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].severity, Severity::kWarning);
  EXPECT_NO_THROW(p.builder().build());
}

TEST(ModelErrorsTogether, AnEmptyModelIsAModel) {
  const Model model = ModelBuilder().build();
  EXPECT_EQ(model.u_count(), 0);
  Dynamics dynamics(model);
  EXPECT_EQ(dynamics.accelerations().size(), 0);
  EXPECT_EQ(dynamics.energy().total(), 0);
}

TEST(ModelQueries, NamesAreFoundOrTheNearestNamed) {
  const Model model = Parts().builder().build();
  EXPECT_EQ(model.body("hand"), 1);
  EXPECT_EQ(model.joint_type(model.joint("wrist")), JointType::kBall);
  EXPECT_EQ(model.joint_parent(model.joint("shoulder")), -1);
  EXPECT_EQ(model.joint_child(model.joint("shoulder")), model.body("arm"));
  try {
    model.body("hnad");
    FAIL();
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("hand"), std::string::npos);
  }
  EXPECT_THROW(model.joint("elbow"), InvalidArgument);
  EXPECT_THROW(model.actuator(""), InvalidArgument);
  EXPECT_THROW(model.output("y"), InvalidArgument);
  EXPECT_THROW(model.body_name(2), InvalidArgument);
  EXPECT_THROW(model.body_name(-1), InvalidArgument);
  EXPECT_THROW(model.joint_q(7), InvalidArgument);
  EXPECT_THROW(model.parameter(3), InvalidArgument);
}

}  // namespace
}  // namespace lipkin
