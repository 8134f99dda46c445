// Impulses that obey their law, and such that do not: the audit must see the ones and not the others.
#include "audit/law_audit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lipkin/simulation.hpp"
#include "support/sample_models.hpp"
#include "support/scene_text.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {
namespace {

constexpr double kStep = 1e-3;

// A wheel with dry friction of 2 N m, a motor of at most 5 N m that wants 3 rad/s, limits at 1 rad.
class AuditedWheel : public testing::Test {
 protected:
  AuditedWheel() : model_(made()), state_(initial_state(model_)), kinematics_(model_.data()), audit_(model_.data()) {
    state_.row_impulses.assign(4, 0.0);  // lower and upper limit, friction, motor
  }

  double law(double rate, double friction, double motor) {
    state_.u[0] = rate;
    state_.row_impulses[2] = friction * kStep;
    state_.row_impulses[3] = motor * kStep;
    update_kinematics(model_.data(), state_.q.data(), state_.u.data(), kinematics_);
    AuditReport report;
    const LawAudit::Solved solved = {
        kinematics_.X_WL.data(),       kinematics_.V_WL.data(), state_, state_.u.data(), kStep, ahead_,
        {&target_, &target_, &effort_}};
    audit_.measure(model_.data(), solved, report);
    worst_ = report.law.item < 0 ? "" : audit_.name_of(model_.data(), state_, report.law.item);
    return report.law.value;
  }

  static Model made() {
    ModelBuilder builder;
    builder.add(test::body_with("wheel", 1, {0, 0, 0}, {0.1, 0.1, 0.1}));
    JointSpec joint;
    joint.name = "hinge";
    joint.type = JointType::kRevolute;
    joint.child = "wheel";
    joint.friction = {2};
    joint.lower = {-1};
    joint.upper = {1};
    builder.add(joint);
    MotorSpec motor;
    motor.name = "drive";
    motor.joint = "hinge";
    motor.kind = MotorKind::kVelocity;
    motor.target = Signal{3.0, {}};
    motor.max_force = 5;
    builder.add(motor);
    return builder.build();
  }

  Model model_;
  State state_;
  KinematicsWork kinematics_;
  LawAudit audit_;
  double target_ = 3, effort_ = 1;
  bool ahead_ = true;
  std::string worst_;
};

TEST_F(AuditedWheel, AcceptsWhatTheLawsGive) {
  EXPECT_EQ(law(0.5, -2, 5), 0);  // slides: friction at its bound against it; the motor gives all
  EXPECT_EQ(law(-0.5, 2, 5), 0);
  EXPECT_EQ(law(0, 1.3, 5), 0);    // sticks anywhere within
  EXPECT_EQ(law(3, -2, 1.7), 0);   // the motor has what it wants
  EXPECT_EQ(law(3.5, -2, -5), 0);  // and brakes
}

TEST_F(AuditedWheel, SeesFrictionThatIsMissing) {
  EXPECT_DOUBLE_EQ(law(0.5, 0, 5), 0.25);  // half of the way from one bound to the other
  EXPECT_EQ(worst_, "the friction of joint 'hinge'");
  EXPECT_DOUBLE_EQ(law(0.5, 2, 5), 0.5);  // with the motion
}

TEST_F(AuditedWheel, SeesForcesBeyondTheirBound) {
  EXPECT_NEAR(law(0, 2.4, 5), 0.1, 1e-12);
  EXPECT_NEAR(law(0, 0, 6), 0.1, 1e-12);
}

TEST_F(AuditedWheel, SeesAMotorThatRests) {
  EXPECT_DOUBLE_EQ(law(1, -2, 0), 1);  // 2 rad/s short, half of its range left
  EXPECT_EQ(worst_, "motor 'drive'");
}

TEST_F(AuditedWheel, SeesALimitThatIsPassed) {
  state_.q[0] = 1.0;
  EXPECT_DOUBLE_EQ(law(0.7, -2, 5), 0.7);
  EXPECT_EQ(worst_, "a limit of joint 'hinge'");
  state_.q[0] = 0.9995;  // may close within the step
  EXPECT_NEAR(law(0.7, -2, 5), 0.2, 1e-9);
  state_.q[0] = 0.999;
  EXPECT_EQ(law(0.7, -2, 5), 0);
}

// A brake that is let go has no force.
TEST_F(AuditedWheel, SeesTheForceOfAMotorWithoutEffort) {
  effort_ = 0;
  EXPECT_EQ(law(1, -2, 0), 0);
  EXPECT_EQ(law(1, -2, -0.1), 1);
  EXPECT_EQ(worst_, "motor 'drive'");
  EXPECT_EQ(law(3, -2, 0.1), 1);  // at the speed that it wants too
}

TEST_F(AuditedWheel, SeesLimitsThatPull) {
  state_.q[0] = 1.0;
  state_.row_impulses[1] = -1e-3;
  EXPECT_EQ(law(0, 0, 5), 1);
  EXPECT_EQ(worst_, "a limit of joint 'hinge'");
  state_.row_impulses[1] = 1e-3;
  EXPECT_EQ(law(0, 0, 5), 0);
  state_.q[0] = -1.0;
  state_.row_impulses[0] = -1e-3, state_.row_impulses[1] = 0;
  EXPECT_EQ(law(0, 0, 5), 1);
}

TEST_F(AuditedWheel, SeesLimitsThatPressFromAfar) {
  state_.row_impulses[1] = 1e-3;
  state_.q[0] = 0.9995;  // closes within the step at 0.5 rad/s
  EXPECT_NEAR(law(0.5, -2, 5), 0, 1e-9);
  EXPECT_NEAR(law(0.2, -2, 5), 0.3, 1e-9);
  EXPECT_EQ(worst_, "a limit of joint 'hinge'");
  ahead_ = false;  // where positions came first, an open limit that presses closes within the step too
  EXPECT_NEAR(law(0.2, -2, 5), 0.3, 1e-9);
  EXPECT_NEAR(law(0.5, -2, 5), 0, 1e-9);
  state_.row_impulses[1] = 0;  // and may be passed where it does not press
  EXPECT_EQ(law(2, -2, 5), 0);
  state_.row_impulses[1] = 1e-3;
  state_.q[0] = 1 + 1e-6;
  EXPECT_EQ(law(0, -2, 5), 0);
}

// Of 40 N m/rad and 0.7 N m s/rad, implicit in the step: it aims at where the step leads.
class AuditedServo : public testing::Test {
 protected:
  explicit AuditedServo(double max_force = 3) : model_(made(max_force)), state_(initial_state(model_)) {
    state_.q[0] = 0.2;
  }

  static Model made(double max_force) {
    ModelBuilder builder;
    builder.add(test::body_with("arm", 1, {0, 0, 0}, {0.1, 0.1, 0.1}));
    JointSpec joint;
    joint.name = "elbow";
    joint.type = JointType::kRevolute;
    joint.child = "arm";
    builder.add(joint);
    MotorSpec motor;
    motor.name = "servo";
    motor.joint = "elbow";
    motor.kind = MotorKind::kPosition;
    motor.target = Signal{0.25, {}};
    motor.stiffness = 40;
    motor.damping = 0.7;
    motor.max_force = max_force;
    builder.add(motor);
    return builder.build();
  }

  // Of an arm that moves at `rate` under a torque, towards `value` that moves at `value_rate`.
  double law(double rate, double torque, double value = 0.25, double value_rate = 0) {
    const LawAudit audit(model_.data());
    KinematicsWork kinematics(model_.data());
    state_.u[0] = rate;
    state_.row_impulses = {torque * kStep};
    update_kinematics(model_.data(), state_.q.data(), state_.u.data(), kinematics);
    const double effort = 1;
    AuditReport report;
    audit.measure(model_.data(),
                  {kinematics.X_WL.data(),
                   kinematics.V_WL.data(),
                   state_,
                   state_.u.data(),
                   kStep,
                   true,
                   {&value, &value_rate, &effort}},
                  report);
    return report.law.value;
  }

  static double torque(double rate, double value = 0.25, double value_rate = 0) {
    return 40 * (value - 0.2 - kStep * rate) + 0.7 * (value_rate - rate);
  }

  Model model_;
  State state_;
};

TEST_F(AuditedServo, AcceptsSpringAndDamperAtTheEndOfTheStep) {
  EXPECT_NEAR(law(0, torque(0)), 0, 1e-12);
  EXPECT_NEAR(law(1.5, torque(1.5)), 0, 1e-12);
  EXPECT_NEAR(law(-1, torque(-1, 0.21, 2), 0.21, 2), 0, 1e-12);
  EXPECT_NEAR(law(0, 3, 0.5), 0, 1e-12);  // 12 N m are more than it has
  EXPECT_NEAR(law(0, -3, -0.5), 0, 1e-12);
}

TEST_F(AuditedServo, SeesTheWrongForce) {
  const double K = 0.7 + kStep * 40;                       // [N m s/rad]
  EXPECT_NEAR(law(0, 0), torque(0) / K, 1e-9);             // it rests
  EXPECT_NEAR(law(0, -2), (torque(0) + 2) / K, 1e-9);      // with the wrong sign
  EXPECT_NEAR(law(1.5, torque(0)), 1.5, 1e-9);             // at the begin of the step
  EXPECT_NEAR(law(0, 2.5, 0.5), 0.5 / K, 1e-9);            // not all that it has
  EXPECT_GT(law(0, 4, 0.5), 0.1);                          // more than it has
  EXPECT_NEAR(law(0, torque(0), 0.25, 1), 0.7 / K, 1e-9);  // its damper against its own speed, not the target's
}

class UnboundedServo : public AuditedServo {
 protected:
  UnboundedServo() : AuditedServo(std::numeric_limits<double>::infinity()) {}
};

TEST_F(UnboundedServo, IsCheckedToo) {
  EXPECT_NEAR(law(0, 40 * 0.3, 0.5), 0, 1e-12);
  EXPECT_NEAR(law(0, 3, 0.5), 9 / (0.7 + kStep * 40), 1e-9);
}

// What the steps make of servos of every sort is what the audit reads from their signals: targets that move, by
// expressions and through filters, efforts, bounds, servos of a speed.
TEST(AuditedServos, AreMetByTheSteps) {
  const char* const scene = R"yaml(lipkin: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, q: 0.3}}
  - {name: b, parent: a, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, at: [0.6, 0, 0]}}
  - {name: c, parent: b, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: prismatic, axis: x, at: [0.6, 0, 0]}}
  - {name: d, parent: b, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: x}}
motors:
  - {name: ma, joint: a, position: "0.5*sin(9*t)", stiffness: 90, damping: 3}
  - {name: mb, joint: b, position: "joint.a.q + 0.2*t", stiffness: 50, damping: 2, max_force: 6, effort: "0.5 + 0.5*sin(20*t)"}
  - {name: mc, joint: c, position: "0.1*step(t-0.05)", stiffness: 300, damping: 10, activation: {kind: filter, time_constant: 0.05}}
  - {name: md, joint: d, velocity: "3*cos(7*t)", damping: 0.4, max_force: 1}
experiment: {duration: 0.3, dt: 0.001}
)yaml";
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau})
    for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
      Scene made = test::scene_from(scene);
      made.experiment.stepper = stepper;
      made.experiment.coordinates = coordinates;
      Simulation simulation(std::move(made));
      simulation.run(0.3);
      EXPECT_LT(simulation.statistics().residual, 1e-8);  // the solver's tolerance is 1e-10 m/s
    }
}

// A rope of 1 m, and the limit of a ball joint.
TEST(LawAuditRopes, SeeThatTheyPush) {
  const Model model = test::scene_from(R"(lipkin: 1
bodies:
  - {name: bob, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: prismatic, axis: z}}
  - {name: ball, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: ball, max_angle: 1}}
distances: [{name: rope, from: {body: world, at: [0, 0, 1]}, to: {body: bob}, upper: 1}]
)")
                          .model;
  State state = initial_state(model);
  KinematicsWork kinematics(model.data());
  update_kinematics(model.data(), state.q.data(), state.u.data(), kinematics);
  const LawAudit audit(model.data());
  const auto law = [&](RowKind kind, double impulse) {
    const std::vector<RowSlot> slots = row_slots(model.data());
    state.row_impulses.assign(slots.size(), 0.0);
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i].kind == kind) state.row_impulses[i] = impulse;
    AuditReport report;
    audit.measure(model.data(),
                  {kinematics.X_WL.data(),
                   kinematics.V_WL.data(),
                   state,
                   state.u.data(),
                   kStep,
                   true,
                   {nullptr, nullptr, nullptr}},
                  report);
    const bool is_known = report.law.item >= 0;
    return std::pair(report.law.value, is_known ? audit.name_of(model.data(), state, report.law.item) : "");
  };
  EXPECT_EQ(law(RowKind::kRopeUpper, 0.01).first, 0);
  EXPECT_EQ(law(RowKind::kRopeUpper, -0.01), std::pair(1.0, std::string("distance 'rope'")));
  EXPECT_EQ(law(RowKind::kBallLimit, 0.01).first, 0);
  EXPECT_EQ(law(RowKind::kBallLimit, -0.01), std::pair(1.0, std::string("the limit of joint 'ball'")));
}

// Whichever is first.
TEST(AuditReport, KeepsWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Worst AuditReport::*what : {&AuditReport::length, &AuditReport::angle, &AuditReport::limit_length,
                                   &AuditReport::limit_angle, &AuditReport::speed, &AuditReport::turn_rate}) {
    AuditReport report;
    report.length.take(1, 0), report.speed.take(1, 0), report.turn_rate.take(2, 0), report.limit_angle.take(2, 0);
    (report.*what).take(nan, 3);
    const bool is_rate = what == &AuditReport::speed || what == &AuditReport::turn_rate;
    EXPECT_EQ(std::isnan(report.position()), !is_rate);
    EXPECT_EQ(std::isnan(report.velocity()), is_rate);
  }
  EXPECT_TRUE(std::isnan(worse(nan, 1)));
  EXPECT_TRUE(std::isnan(worse(1, nan)));
  EXPECT_EQ(worse(1, 2), 2);
}

TEST(LawAuditContacts, SeeAConeThatIsLeftAndSlipsThatDoNotRub) {
  ModelBuilder builder;
  MaterialSpec steel;
  steel.name = "steel";
  steel.friction = 0.5;
  builder.add(steel);
  ShapeSpec floor;
  floor.geometry = ShapePlane{};
  floor.contact = "steel";
  builder.add_world_shape(floor);
  BodySpec ball = test::body_with("ball", 1, {0, 0, 0}, {0.1, 0.1, 0.1});
  ShapeSpec sphere;
  sphere.geometry = ShapeSphere{0.1};
  sphere.contact = "steel";
  ball.shapes.push_back(sphere);
  builder.add(ball);
  JointSpec joint;
  joint.name = "ball";
  joint.type = JointType::kFree;
  joint.child = "ball";
  builder.add(joint);
  const Model model = builder.build();
  State state = initial_state(model);
  KinematicsWork kinematics(model.data());
  const LawAudit audit(model.data());
  ContactMemory contact;
  const bool floor_first = model.data().contact_shapes[0].body < 0;
  contact.shape_a = floor_first ? 0 : 1, contact.shape_b = floor_first ? 1 : 0;
  contact.direction = {0, 0, 1};
  contact.point = {0, 0, 0};
  const auto law = [&](double vx, double vz, double normal, double rub) {
    state.u[0] = vx, state.u[2] = vz;
    contact.normal = normal;
    contact.tangential = {rub, 0, 0};
    state.contacts = {contact};
    update_kinematics(model.data(), state.q.data(), state.u.data(), kinematics);
    AuditReport report;
    audit.measure_contacts(model.data(),
                           {kinematics.X_WL.data(),
                            kinematics.V_WL.data(),
                            state,
                            state.u.data(),
                            kStep,
                            true,
                            {nullptr, nullptr, nullptr}},
                           report);
    return report.law.value;
  };
  EXPECT_EQ(law(0, 0, 2, 0.3), 0);             // sticks within the cone
  EXPECT_NEAR(law(0.4, 0, 2, -1), 0, 1e-15);   // slips on its rim
  EXPECT_NEAR(law(0.4, 0, 2, 0), 0.2, 1e-15);  // slips and does not rub
  EXPECT_NEAR(law(0.4, 0, 2, 1), 0.4, 1e-15);  // rubs the wrong way
  EXPECT_NEAR(law(0, 0, 2, 1.5), 0.5, 1e-15);  // half more than the cone
  EXPECT_NEAR(law(0, 0.3, 2, 0), 0.3, 1e-15);  // leaves while it presses
  EXPECT_EQ(law(0, 0.3, 0, 0), 0);
  EXPECT_EQ(law(0, 0, -2, 0), 1);   // pulls
  EXPECT_EQ(law(0, 0, 0, 0.1), 1);  // rubs where nothing presses
  EXPECT_EQ(law(0, 0, -2, 0.1), 1);
}

// Four corners of a box: what one of them rubs too much counts against the load of all.
TEST(LawAuditContacts, ACornerWithoutLoadIsNotItsOwnMeasure) {
  Simulation box(test::scene_from(R"(
lipkin: 1
materials: {s: {friction: 0.3}}
world: {shapes: [{plane: {}, contact: s}]}
bodies:
  - name: box
    joint: {type: free, q: [0, 0, 0.05, 1, 0, 0, 0]}
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 2, contact: s}]
)"));
  box.run(0.1);
  const ModelData& model = box.model().data();
  State state = box.state();
  ASSERT_EQ(state.contacts.size(), 4u);
  KinematicsWork kinematics(model);
  update_kinematics(model, state.q.data(), state.u.data(), kinematics);
  const LawAudit audit(model);
  const auto law = [&](double normal, double rub) {
    for (ContactMemory& c : state.contacts) c.normal = 2, c.tangential.setZero();
    state.contacts[1].normal = normal;
    state.contacts[1].tangential = {rub, 0, 0};
    AuditReport report;
    audit.measure_contacts(model,
                           {kinematics.X_WL.data(),
                            kinematics.V_WL.data(),
                            state,
                            state.u.data(),
                            kStep,
                            true,
                            {nullptr, nullptr, nullptr}},
                           report);
    return report.law.value;
  };
  EXPECT_LT(law(1e-9, 0.5e-9), 1e-9);
  EXPECT_NEAR(law(1, 1.3), 1.0 / (0.3 * 7), 1e-9);  // a newton second more than its cone, of 0.3 times 7
}

}  // namespace
}  // namespace lipkin
