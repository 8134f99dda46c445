// A step with loops, motors or contacts takes nothing from the heap once its buffers have grown.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "allocation_counter.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

struct Case {
  const char* scene;
  double warm_up;  // until everything has touched that will [s]
  int steps;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.scene; }

class ConstrainedStepAllocation : public testing::TestWithParam<std::tuple<Case, StepperKind, CoordinateKind>> {};

TEST_P(ConstrainedStepAllocation, NoneAfterTheWarmUp) {
  const auto& [c, stepper, coordinates] = GetParam();
  Simulation simulation(load_scene(c.scene));
  simulation.tolerate(true);  // what some settings miss is not asked here
  simulation.set_stepper(stepper);
  simulation.set_coordinates(coordinates);
  simulation.run(c.warm_up);
  long total = 0;
  for (int n = 0; n < c.steps; ++n) total += test::allocations_in([&] { simulation.step(); });
  test::figure("{}, {}, {}: {} allocations in {} steps", c.scene, name_of(stepper), name_of(coordinates), total,
               c.steps);
  EXPECT_EQ(total, 0);
}

std::string test_name(const testing::TestParamInfo<ConstrainedStepAllocation::ParamType>& info) {
  std::string name = fmt::format("{}_{}_{}", std::get<0>(info.param).scene, name_of(std::get<1>(info.param)),
                                 name_of(std::get<2>(info.param)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Loops, motors, gears, friction in joints; then contacts that stay.
INSTANTIATE_TEST_SUITE_P(
    Scenes, ConstrainedStepAllocation,
    testing::Combine(testing::Values(Case{"peaucellier", 0.1, 200}, Case{"peaucellier-driven", 0.1, 200},
                                     Case{"slider-crank", 0.1, 200}, Case{"bricard", 0.1, 200},
                                     Case{"five-link-chain", 0.1, 200}, Case{"chain-loop", 0.05, 50},
                                     Case{"table", 0.1, 50}, Case{"grasp", 3, 200}, Case{"box-stack", 2, 100},
                                     Case{"incline-block", 1, 100}, Case{"rolling-disc", 0.1, 200},
                                     Case{"sphere-in-cone", 0.1, 200}, Case{"minibaja", 1, 100},
                                     Case{"tendon-finger", 0.1, 200}),
                     testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                     testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal)),
    test_name);

// A cam, an actuator of a body with an activation, a servo with one, driven by controls, and a ball joint at its limit.
TEST(DrivenStepAllocation, NoneAfterTheWarmUp) {
  ModelBuilder builder;
  const auto add = [&](const char* name, JointType type, double max_angle) {
    BodySpec body;
    body.name = name;
    body.mass_properties = MassProperties{1, {0, 0, 0.3}, Eigen::Matrix3d::Identity()};
    builder.add(body);
    JointSpec joint;
    joint.name = joint.child = name;
    joint.type = type;
    joint.max_angle = max_angle;
    builder.add(joint);
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  add("cam", JointType::kRevolute, kNone);
  add("lifter", JointType::kPrismatic, kNone);
  add("ball", JointType::kBall, 0.2);
  GearSpec gear;
  gear.name = "cam";
  gear.joint = "lifter";
  gear.of = "cam";
  gear.curve = {0.1, 0.05};
  builder.add(gear);
  MotorSpec servo;
  servo.name = "servo";
  servo.joint = "cam";
  servo.kind = MotorKind::kPosition;
  servo.stiffness = 50;
  servo.damping = 5;
  servo.activation = {ActivationKind::kFilter, 0.1};
  builder.add(servo);
  ActuatorSpec jet;
  jet.name = "jet";
  jet.body = "ball";
  jet.frame.position = {0, 0, 1};
  jet.force = {3, 1, 0};
  jet.activation = {ActivationKind::kIntegrator, 0, 1, -2, 2};
  builder.add(jet);
  builder.add(ControlSpec{"servo", "", "servo", 1, 0, -kNone, kNone, {}});
  Experiment experiment;
  experiment.stepper = StepperKind::kEuler;
  experiment.dt = 1e-3;
  Simulation simulation(Scene{"driven", "", builder.build(), experiment, {}});
  simulation.run(0.5);
  long total = 0;
  for (int n = 0; n < 200; ++n)
    total += test::allocations_in([&] {
      for (double& control : simulation.controls()) control = 0.3 * (n % 7);
      simulation.forces_written();
      simulation.step();
    });
  EXPECT_EQ(total, 0);
}

}  // namespace
}  // namespace lipkin
