// Gaps and rates of motors, gears, limits, rods and limits of ball joints, on coordinates of the tree, of loops and of
// tendons and in maximal coordinates, against differences of the coordinates along the motion.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "audit/drive_travel.hpp"
#include "constraints/change_coordinates.hpp"
#include "lipkin/simulation.hpp"
#include "model/cut_joints.hpp"
#include "model/tendon_path.hpp"
#include "support/scene_text.hpp"
#include "tree/coordinates.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {
namespace {

// A slider-crank with a pendulum on a ball joint and a cord; motors without force name coordinates.
const char* const kMechanism = R"(
lipkin: 1
bodies:
  - {name: crank, joint: {type: revolute, axis: y, u: 3}, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: rod, parent: crank, joint: {type: revolute, axis: y, at: [0, 0, 0.1]}, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: slider, joint: {type: prismatic, axis: z, q: 0.4}, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: bob, parent: slider, joint: {type: ball, max_angle: 3, u: [1, 2, 3]}, mass: 1, com: [0, 0, -0.2], inertia: [0.1, 0.1, 0.1]}
loops:
  - {name: wrist, type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0, 0, 0.3]}}
tendons:
  - {name: cord, joints: [{joint: crank, coefficient: 0.2}, {joint: wrist, coefficient: -0.1}], path: [{body: bob, at: [0.1, 0, -0.1]}, {body: world, at: [0, 1, 0]}]}
motors:
  - {name: crank, joint: crank, velocity: 0, max_force: 1.0e-9}
  - {name: slider, joint: slider, velocity: 0, max_force: 1.0e-9}
  - {name: wrist, joint: wrist, velocity: 0, max_force: 1.0e-9}
  - {name: cord, tendon: cord, velocity: 0, max_force: 1.0e-9}
distances: [{name: rope, upper: 10, from: {body: rod, at: [0.1, 0, 0]}, to: {body: bob, at: [0, 0, -0.2]}}]
experiment: {dt: 0.001}
)";

// The mechanism under way, with nothing left of it but its joints and loops; tests add what they want to see audited.
class HeldCoordinates : public testing::TestWithParam<bool> {
 protected:
  HeldCoordinates() {
    Simulation simulation(test::scene_from(kMechanism));
    simulation.run(0.3);
    const Model tree = simulation.model(), cut = cut_joints(tree);
    data_ = GetParam() ? cut.data() : tree.data();
    state_ = GetParam() ? change_coordinates(tree.data(), simulation.state(), cut.data()) : simulation.state();
    named_ = data_.motors, ropes_ = data_.distances, balls_ = data_.ball_limits;
    data_.motors.clear(), data_.distances.clear(), data_.ball_limits.clear();
    KinematicsWork kinematics(data_);
    update_kinematics(data_, state_.q.data(), state_.u.data(), kinematics);
    update_dependent_coordinates(data_, state_.q.data(), kinematics, state_.closure_q.data());
  }

  const MotorData& named(const std::string& name) const {
    return *std::find_if(named_.begin(), named_.end(), [&](const MotorData& m) { return m.name == name; });
  }
  double at(const DofRef& dof) const { return coordinate_of(dof, data_, state_.q.data(), state_.closure_q.data()); }

  // Of something measured on the state along its motion, of fourth order.
  double rate_of(const std::function<double(const State&, const KinematicsWork&)>& measure) const {
    const auto value = [&](double h) {
      State moved = state_;
      KinematicsWork kinematics(data_);
      kernels().retract(data_.links.data(), static_cast<int>(data_.links.size()), state_.q.data(), h, state_.u.data(),
                        moved.q.data());
      update_kinematics(data_, moved.q.data(), moved.u.data(), kinematics);
      update_dependent_coordinates(data_, moved.q.data(), kinematics, moved.closure_q.data());
      return measure(moved, kinematics);
    };
    const auto slope = [&](double h) { return (value(h) - value(-h)) / (2 * h); };
    return (4 * slope(5e-4) - slope(1e-3)) / 3;
  }
  double rate_of(const DofRef& dof) const {
    return rate_of([&](const State& s, const KinematicsWork&) {
      return coordinate_of(dof, data_, s.q.data(), s.closure_q.data());
    });
  }

  AuditReport audit(const std::string& worst) {
    Workspace work(data_);
    update_kinematics(data_, state_.q.data(), state_.u.data(), work.kinematics);
    MotionAudit motion(data_);
    MotorSignals signals(data_);
    signals.read_here(data_, state_, work);
    motion.begin_step(data_, work.kinematics.X_WL.data(), state_);
    AuditReport report;
    motion.measure(data_, work.kinematics, work.kinematics.V_WL.data(), state_, signals.here(), 1e-3, true, report);
    const Worst& speed = report.speed.value > report.turn_rate.value ? report.speed : report.turn_rate;
    const Worst& passed = report.limit_length.value > 0 ? report.limit_length : report.limit_angle;
    EXPECT_EQ(motion.name_of(data_, passed.value > 0 ? passed.item : speed.item), worst);
    return report;
  }

  ModelData data_;
  State state_;
  std::vector<MotorData> named_;
  std::vector<DistanceData> ropes_;
  std::vector<BallLimitData> balls_;
};

constexpr double kClose = 1e-7;    // of the differences; up to 30 rad/s
constexpr double kClosed = 1e-10;  // the mechanism's own loops

double speed_of(const AuditReport& report) { return std::max(report.speed.value, report.turn_rate.value); }
double gap_of(const AuditReport& report) { return std::max(report.length.value, report.angle.value); }

TEST_P(HeldCoordinates, OfMotors) {
  for (const std::string name : {"crank", "slider", "wrist", "cord"}) {
    SCOPED_TRACE(name);
    MotorData motor = named(name);
    motor.max_force = std::numeric_limits<double>::infinity();
    EXPECT_EQ(motor.dof.is_in_tree(), !GetParam() && (name == "crank" || name == "slider"));
    motor.target = 0.7;
    data_.motors = {motor};
    const double rate = rate_of(motor.dof);
    EXPECT_GT(std::abs(rate), 0.05);
    AuditReport report = audit("motor '" + name + "'");
    EXPECT_NEAR(speed_of(report), std::abs(rate - 0.7), kClose);
    EXPECT_LT(gap_of(report), kClosed);

    data_.motors[0].kind = MotorKind::kPosition;
    data_.motors[0].target = Table{{state_.t - 1, state_.t + 1}, {at(motor.dof) - 1, at(motor.dof) + 1.5}};
    report = audit("motor '" + name + "'");
    EXPECT_NEAR(gap_of(report), 0.25, 1e-12);
    EXPECT_NEAR(speed_of(report), std::abs(rate - 1.25), kClose);
    EXPECT_EQ(report.length.value > report.angle.value, name == "slider" || name == "cord");
  }
}

TEST_P(HeldCoordinates, OfGears) {
  for (const auto& [follower, leader] :
       {std::pair("crank", "slider"), {"wrist", "crank"}, {"slider", "wrist"}, {"cord", "wrist"}}) {
    SCOPED_TRACE(testing::Message() << follower << " of " << leader);
    GearData gear;
    gear.name = "g";
    gear.dof = named(follower).dof, gear.of = named(leader).dof;
    const GearCurve& curve = gear;
    const double leads = at(gear.of);
    data_.gears = {gear};
    const AuditReport report = audit("gear 'g'");
    EXPECT_NEAR(gap_of(report), std::abs(at(gear.dof) - curve.value(leads)), kClosed);
    EXPECT_NEAR(speed_of(report), std::abs(rate_of(gear.dof) - curve.slope(leads) * rate_of(gear.of)), kClose);
  }
}

TEST_P(HeldCoordinates, OfLimits) {
  for (const std::string name : {"crank", "slider", "wrist", "cord"}) {
    SCOPED_TRACE(name);
    LimitData limit;
    limit.dof = named(name).dof;
    for (std::size_t j = 0; j < data_.joints.size(); ++j)
      if (data_.joints[j].name == name) limit.joint = static_cast<int>(j);
    limit.upper = at(limit.dof) - 0.125;
    data_.limits = {limit};
    const AuditReport report = audit("a limit of " + std::string(name == "cord" ? "tendon '" : "joint '") + name + "'");
    EXPECT_NEAR(std::max(report.limit_length.value, report.limit_angle.value), 0.125, 1e-12);
    EXPECT_EQ(report.limit_length.value > 0, name == "slider" || name == "cord");
  }
}

TEST_P(HeldCoordinates, OfRodsAndRopes) {
  ASSERT_EQ(ropes_.size(), 1u);
  const auto length = [&](const State&, const KinematicsWork& k) {
    return norm(k.X_WL[ropes_[0].b.link] * ropes_[0].b.p_L - k.X_WL[ropes_[0].a.link] * ropes_[0].a.p_L);
  };
  KinematicsWork kinematics(data_);
  update_kinematics(data_, state_.q.data(), state_.u.data(), kinematics);
  const double now = length(state_, kinematics);
  data_.distances = ropes_;
  data_.distances[0].lower = data_.distances[0].upper = now - 0.125;
  const AuditReport rod = audit("distance 'rope'");
  EXPECT_NEAR(rod.length.value, 0.125, 1e-12);
  EXPECT_NEAR(rod.speed.value, std::abs(rate_of(length)), kClose);
  data_.distances[0].lower = 0;
  EXPECT_NEAR(audit("distance 'rope'").limit_length.value, 0.125, 1e-12);
}

TEST_P(HeldCoordinates, OfBallLimits) {
  ASSERT_EQ(balls_.size(), 1u);
  data_.ball_limits = balls_;
  KinematicsWork kinematics(data_);
  update_kinematics(data_, state_.q.data(), state_.u.data(), kinematics);
  const auto frame = [&](int link, const Transform<double>& X) {
    const Mat3<double> R = kinematics.X_WL[link].R * X.R;
    Eigen::Matrix3d m;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) m(i, k) = R.column(k)[i];
    return m;
  };
  const Eigen::Matrix3d between =
      frame(balls_[0].link_a, balls_[0].X_AF).transpose() * frame(balls_[0].link_b, balls_[0].X_BM);
  const double angle = Eigen::AngleAxisd(between).angle();
  ASSERT_GT(angle, 0.3);
  data_.ball_limits[0].angle = angle - 0.125;
  EXPECT_NEAR(audit("the limit of joint 'bob'").limit_angle.value, 0.125, 1e-9);
}

// A coordinate that keeps the right rate and yet creeps away is told, by all that it has crept.
TEST_P(HeldCoordinates, OfSpeedsThatCreep) {
  MotorData motor = named("slider");
  motor.max_force = std::numeric_limits<double>::infinity();
  motor.target = 0.5;
  data_.motors = {motor};
  double& coordinate = motor.dof.is_in_tree() ? state_.q[motor.dof.q_index]
                                              : state_.closure_q[data_.closures[motor.dof.closure].coordinate_index];
  const double h = 1e-3, rate = 0.5;
  const MotorSignals::View asks = {&rate, &rate, &rate};
  for (const bool ahead : {true, false}) {
    const MotionAudit motion(data_);
    DriveTravel travel(data_, motion);
    AuditReport report;
    for (int i = 0; i < 100; ++i) {
      travel.begin_step(data_, state_);
      state_.t += h;
      coordinate += h * rate - 1e-6;
      report = {};
      travel.end_step(data_, state_, h, ahead, asks, report);
    }
    EXPECT_NEAR(report.length.value, ahead ? 1e-4 : 0.99e-4, 1e-12);  // of the first step nobody knows the rate
    EXPECT_EQ(motion.name_of(data_, report.length.item), "motor 'slider'");
    coordinate += 0.3;  // a command has moved it
    travel.begin_step(data_, state_);
    state_.t += h;
    coordinate += h * rate;
    report = {};
    travel.end_step(data_, state_, h, ahead, asks, report);
    EXPECT_NEAR(report.length.value, 0, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(In, HeldCoordinates, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Maximal" : "Generalized"; });

}  // namespace
}  // namespace lipkin
