// Controllers and inputs of a model against the difference equations they stand for.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"

namespace lipkin {
namespace {

// A mass on a slider without friction, pushed by an actuator.
ModelBuilder cart(const std::string& control, double mass = 2) {
  ModelBuilder b;
  b.set_gravity({0, 0, 0});
  BodySpec body;
  body.name = "cart";
  body.mass_properties = MassProperties{mass, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  b.add(body);
  JointSpec slider;
  slider.name = "cart";
  slider.type = JointType::kPrismatic;
  slider.child = "cart";
  b.add(slider);
  ActuatorSpec push;
  push.name = "push";
  push.joint = "cart";
  push.control.source = ExpressionText{control};
  b.add(push);
  for (const char* what : {"joint.cart.q", "joint.cart.u", "actuator.push.force"})
    b.add(OutputSpec{what, what, "", {}});
  return b;
}

ControllerSpec pid(const std::string& measured, double target, double p, double i, double d) {
  ControllerSpec c;
  c.name = "pid";
  c.measured = measured;
  c.target.source = target;
  c.p = p, c.i = i, c.d = d;
  return c;
}

// The same law and the same steps written out by hand.
TEST(Controllers, PidIsItsDifferenceEquation) {
  ModelBuilder b = cart("controller.pid.output");
  b.add(pid("joint.cart.q", 1.5, 8, 3, 5));
  const double h = 0.01, mass = 2;
  Simulation s(test::scene_of(b.build(), StepperKind::kEuler, h));
  double q = 0, u = 0, integral = 0, last = 0;
  for (int k = 0; k < 500; ++k) {
    const double e = 1.5 - q;
    if (k > 0) integral += h * e;
    const double rate = k > 0 ? (e - last) / h : 0;
    last = e;
    u += h * (8 * e + 3 * integral + 5 * rate) / mass;
    q += h * u;
    s.step();
    ASSERT_NEAR(s.output("joint.cart.q"), q, 1e-12) << k;
  }
  s.run(60);
  EXPECT_NEAR(s.output("joint.cart.q"), 1.5, 1e-6);  // the slowest pole is at -0.4 /s
}

// With i alone on its own output a PID is a first-order lag: (1 + h i)^-k, whatever drives it.
TEST(Controllers, AnIntegralOfItsOwnErrorIsALag) {
  ModelBuilder b = cart("0");
  ControllerSpec lag = pid("controller.pid.output", 0, 0, 4, 0);
  lag.target.source = ExpressionText{"input.wish"};
  b.add(lag);
  b.add(InputSpec{"wish", 0, -1, 1, "", "", {}});
  b.add(OutputSpec{"lag", "controller.pid.output", "", {}});
  const double h = 0.01;
  Simulation s(test::scene_of(b.build(), StepperKind::kEuler, h));
  s.step();
  s.set_input("wish", 1);
  double y = 0;
  for (int k = 0; k < 200; ++k) {
    s.step();
    y += h * 4 * (1 - y);
    ASSERT_NEAR(s.output("lag"), y, 1e-13);
  }
  EXPECT_THROW(s.set_input("wish", 1.5), InvalidArgument);
  EXPECT_THROW(s.set_input("wisch", 0.5), InvalidArgument);
}

// A bound that is reached for a long time does not wind the integral up.
TEST(Controllers, TheIntegralWaitsAtABound) {
  ModelBuilder b = cart("controller.pid.output");
  ControllerSpec c = pid("joint.cart.u", 0, 20, 10, 0);
  c.target.source = ExpressionText{"t < 5 ? 10 : 1"};
  c.min = -1, c.max = 1;
  b.add(c);
  Simulation s(test::scene_of(b.build(), StepperKind::kEuler, 0.01));
  s.run(5);
  EXPECT_NEAR(s.output("joint.cart.u"), 2.5, 0.02);  // 1 N on 2 kg
  EXPECT_EQ(s.output("actuator.push.force"), 1);
  s.run(0.05);  // the other way at once
  EXPECT_EQ(s.output("actuator.push.force"), -1);
  s.run(30);
  EXPECT_NEAR(s.output("joint.cart.u"), 1, 1e-3);
}

// Controllers work on what is there before a step, whatever the stepper: four stages see one force.
TEST(Controllers, OutputsAreHeldOverAStep) {
  ModelBuilder b = cart("controller.law.output");
  ControllerSpec law;
  law.name = "law";
  law.law = Signal{ExpressionText{"-3*joint.cart.u + 1"}, {}};
  b.add(law);
  const double h = 0.1, mass = 2;
  Simulation s(test::scene_of(b.build(), StepperKind::kRk4, h));
  double q = 0, u = 0;
  for (int k = 0; k < 50; ++k) {
    const double a = (1 - 3 * u) / mass;
    q += h * u + h * h * a / 2;
    u += h * a;
    s.step();
    ASSERT_NEAR(s.output("joint.cart.q"), q, 1e-13);
  }
}

TEST(Controllers, StateCarriesThem) {
  ModelBuilder b = cart("controller.pid.output + input.push");
  b.add(pid("joint.cart.q", 1, 5, 2, 1));
  b.add(InputSpec{"push", 0.5, -1, 1, "", "", {}});
  Simulation s(test::scene_of(b.build(), StepperKind::kEuler, 0.01));
  s.run(1);
  s.set_input("push", -0.25);
  const State kept = s.state();
  s.run(1);
  const std::uint64_t end = s.hash();
  s.restore(kept);
  s.run(1);
  EXPECT_EQ(s.hash(), end);
}

TEST(Controllers, MistakesAreNamed) {
  const auto mistake = [](ModelBuilder b) {
    try {
      b.build();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  ModelBuilder b = cart("controller.pit.output");
  b.add(pid("joint.cart.q", 1, 5, 2, 1));
  EXPECT_NE(mistake(std::move(b)).find("pid"), std::string::npos);
  b = cart("input.thrust");
  b.add(InputSpec{"throttle", 2, 0, 1, "", "", {}});
  const std::string text = mistake(std::move(b));
  EXPECT_NE(text.find("thrust"), std::string::npos);
  EXPECT_NE(text.find("between 0 and 1"), std::string::npos);
  b = cart("0");
  b.add(pid("actuator.push.force", 1, 5, 2, 1));
  EXPECT_NE(mistake(std::move(b)).find("depend"), std::string::npos);
}

// A motor of speed 0 is a brake; its pedal is its effort: the cart slows down by effort * max_force / mass, and stands.
TEST(Motors, EffortIsThePartOfTheForce) {
  ModelBuilder b = cart("0");
  b.add(InputSpec{"brake", 0, 0, 1, "", "", {}});
  MotorSpec brake;
  brake.name = "brake";
  brake.joint = "cart";
  brake.max_force = 8;
  brake.effort.source = ExpressionText{"input.brake"};
  b.add(brake);
  Scene scene = test::scene_of(b.build(), StepperKind::kEuler, 0.01);
  Simulation s(scene);
  s.applied_forces()[0] = 10;
  s.run(2);  // 5 m/s²
  s.applied_forces()[0] = 0;
  EXPECT_NEAR(s.output("joint.cart.u"), 10, 1e-9);
  s.set_input("brake", 0.5);
  s.run(2);
  EXPECT_NEAR(s.output("joint.cart.u"), 10 - 2 * 0.5 * 8 / 2, 1e-9);
  s.set_input("brake", 1);
  s.run(2);
  EXPECT_EQ(s.output("joint.cart.u"), 0);
  s.applied_forces()[0] = 7.9;
  s.run(1);
  EXPECT_NEAR(s.output("joint.cart.u"), 0, 1e-12);
}

}  // namespace
}  // namespace lipkin
