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
        kinematics_.X_WL.data(),       kinematics_.V_WL.data(), state_, state_.u.data(), kStep, true,
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
