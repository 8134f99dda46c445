// What Dynamics is asked where loops, drives and laws act: refused, in it, or listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin {
namespace {

Model rod_linkage() {
  ModelBuilder builder;
  for (const char* name : {"a", "b"}) {
    BodySpec body;
    body.name = name;
    body.mass_properties = MassProperties{1, {0.5, 0, 0}, Eigen::Matrix3d::Identity()};
    builder.add(body);
    JointSpec joint;
    joint.name = joint.child = name;
    joint.type = JointType::kRevolute;
    joint.frame_in_parent.position.x() = body.name == "a" ? 0 : 2;
    builder.add(joint);
  }
  DistanceSpec rod;
  rod.name = "rod";
  rod.a.body = "a", rod.b.body = "b";
  rod.a.position = rod.b.position = Eigen::Vector3d(1, 0, 0);
  rod.lower = rod.upper = 2;
  builder.add(rod);
  return builder.build();
}

TEST(DynamicsOfLoops, AreRefusedWithTheReason) {
  for (const Model& model : {load_scene("four-bar").model, rod_linkage()}) {
    Dynamics dynamics(model);
    dynamics.set(initial_state(model));
    const auto mistake = [](const auto& question) -> std::string {
      try {
        question();
      } catch (const InvalidArgument& error) {
        return error.what();
      }
      return "answered";
    };
    for (const std::string& text :
         {mistake([&] { dynamics.mass_matrix(); }), mistake([&] { dynamics.bias(); }),
          mistake([&] { dynamics.accelerations(); }), mistake([&] { dynamics.accelerations_full(); }),
          mistake([&] { dynamics.acceleration_derivatives(); }),
          mistake([&] { dynamics.inverse_dynamics(std::vector<double>(static_cast<std::size_t>(model.u_count()))); }),
          mistake([&] {
            dynamics.impulse_response(0, {}, {1, 0, 0}, {0, 0, 0});
          }),
          mistake([&] { dynamics.variable("joint." + model.joint_name(0) + ".a"); })})
      EXPECT_NE(text.find("closed loops ("), std::string::npos) << text;
    EXPECT_TRUE(std::isfinite(dynamics.energy().total()));
    EXPECT_TRUE(dynamics.body_jacobian(0).allFinite());
    Dynamics open(model, LoopTreatment::kOpen);
    open.set(initial_state(model));
    EXPECT_TRUE(open.accelerations().allFinite());
  }
}

Model driven_rod(const MotorSpec& motor, double friction = 0) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  BodySpec body;
  body.name = "rod";
  body.mass_properties = MassProperties{1, {0, 0, 0}, 2 * Eigen::Matrix3d::Identity()};
  builder.add(body);
  JointSpec joint;
  joint.name = "pin", joint.child = "rod";
  joint.type = JointType::kRevolute;
  if (friction > 0) joint.friction = {friction};
  builder.add(joint);
  builder.add(motor);
  return builder.build();
}

// I = 2 kg m^2 at q = 0.1 rad, u = 3 rad/s: (40 (0.5 - 0.1) + 5 (0 - 3)) / 2, within the range.
TEST(DynamicsWithDrives, ServosAreForces) {
  MotorSpec servo;
  servo.name = "servo", servo.joint = "pin";
  servo.kind = MotorKind::kPosition;
  servo.target.source = 0.5;
  servo.stiffness = 40;
  servo.damping = 5;
  const auto acceleration = [](const MotorSpec& motor) {
    Dynamics dynamics(driven_rod(motor));
    dynamics.set(std::vector{0.1}, std::vector{3.0});
    return dynamics.accelerations_full()[0];
  };
  EXPECT_NEAR(acceleration(servo), 0.5, 1e-14);
  servo.max_force = 0.4;
  EXPECT_NEAR(acceleration(servo), 0.2, 1e-14);
  MotorSpec speed = servo;
  speed.kind = MotorKind::kVelocity;
  speed.stiffness.reset();
  speed.max_force = 100;
  EXPECT_NEAR(acceleration(speed), 5 * (0.5 - 3) / 2, 1e-14);
  speed.max_force = 3;
  EXPECT_NEAR(acceleration(speed), -1.5, 1e-14);
}

TEST(DynamicsWithDrives, WhatIsNotInItIsListed) {
  MotorSpec motor;
  motor.name = "motor", motor.joint = "pin";
  motor.target.source = 1.0;
  motor.max_force = 1;
  EXPECT_EQ(Dynamics(driven_rod(motor, 0.5)).left_out(),
            (std::vector<std::string>{"1 motor that is no servo", "1 joint or tendon with friction"}));
}

}  // namespace
}  // namespace lipkin
