// Joints as rows: the rates of the rows are the derivatives of the gaps, and those of the coordinates of theirs.
#include "tree/closure_rows.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/figure.hpp"
#include "support/random_tree.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;

Transform<double> transform_of(const Pose& pose) {
  const Eigen::Matrix3d R = pose.orientation.toRotationMatrix();
  Transform<double> X = Transform<double>::identity();
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) X.R(i, j) = R(i, j);
  for (int i = 0; i < 3; ++i) X.p[i] = pose.position[i];
  return X;
}

Transform<double> inverse(const Transform<double>& X) {
  const Mat3<double> R = transpose(X.R);
  return {R, -(R * X.p)};
}

// What a joint of the type leaves open, by its definition in JointType: M in F at coordinates q.
Pose opened(JointType type, const std::vector<double>& q, double pitch) {
  using Eigen::AngleAxisd;
  using Eigen::Vector3d;
  const auto turn = [](double angle, const Vector3d& axis) { return Eigen::Quaterniond(AngleAxisd(angle, axis)); };
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  switch (type) {
    case JointType::kRevolute:
      return {Vector3d::Zero(), turn(q[0], z)};
    case JointType::kPrismatic:
      return {q[0] * z, Eigen::Quaterniond::Identity()};
    case JointType::kScrew:
      return {pitch * q[0] * z, turn(q[0], z)};
    case JointType::kCylindrical:
      return {q[1] * z, turn(q[0], z)};
    case JointType::kUniversal:
      return {Vector3d::Zero(), turn(q[0], x) * turn(q[1], y)};
    case JointType::kPlanar:
      return {Vector3d(q[0], q[1], 0), turn(q[2], z)};
    case JointType::kBall:
      return {Vector3d::Zero(), turn(Vector3d(q[0], q[1], q[2]).norm(), Vector3d(q[0], q[1], q[2]).normalized())};
    default:
      return {};
  }
}

// Two links of a random tree that a closure holds.
struct Fixture {
  Fixture(Random& random, JointType type)
      : model(test::build(test::random_tree(random, 12))), data(model.data()), k(data), moved(data) {
    state = test::random_state(random, model);
    update_kinematics(data, state.q.data(), state.u.data(), k);
    const int last = static_cast<int>(data.links.size()) - 1;
    closure.type = type;
    closure.link_a = random.integer(0, last);
    do closure.link_b = random.integer(0, last);
    while (closure.link_b == closure.link_a);
    closure.X_AF = transform_of(test::random_pose(random, 0.5));
    closure.X_BM = transform_of(test::random_pose(random, 0.5));
    closure.pitch = type == JointType::kScrew ? random.uniform(-0.3, 0.3) : 0;
  }

  // Frames that the joint can take, at coordinates q.
  void close(const std::vector<double>& q) {
    const Transform<double> X_WF = k.X_WL[closure.link_a] * closure.X_AF;
    closure.X_BM = inverse(k.X_WL[closure.link_b]) * X_WF * transform_of(opened(closure.type, q, closure.pitch));
  }

  ClosureFrames frames() { return closure_frames(closure, k.X_WL.data()); }

  // Frames after a time t at constant velocities.
  ClosureFrames frames_after(double t) {
    std::vector<double> q(state.q.size());
    kernels().retract(data.links.data(), static_cast<int>(data.links.size()), state.q.data(), t, state.u.data(),
                      q.data());
    update_kinematics(data, q.data(), state.u.data(), moved);
    return closure_frames(closure, moved.X_WL.data());
  }

  void rates(const SpatialRows& rows, double* gamma) const {
    rows.rates(k.V_WL[closure.link_a], k.V_WL[closure.link_b], gamma);
  }

  Model model;
  const ModelData& data;
  test::RandomState state;
  KinematicsWork k, moved;
  ClosureData closure;
};

std::vector<double> random_coordinates(Random& random, JointType type) {
  std::vector<double> q(static_cast<std::size_t>(u_count(type)));
  for (double& x : q) x = random.uniform(-1.2, 1.2);
  return q;
}

constexpr double kStep = 1e-5;       // central differences: 1e-10 from the third derivative, 1e-11 from rounding
constexpr double kTolerance = 1e-7;  // both, at velocities of ten or so

class ClosureRows : public testing::TestWithParam<JointType> {};

TEST_P(ClosureRows, AreDerivativesOfTheGaps) {
  Random random(91);
  const int rows_expected = 6 - u_count(GetParam());
  double worst = 0;
  for (int n = 0; n < 200; ++n) {
    Fixture f(random, GetParam());
    std::vector<double> q = random_coordinates(random, GetParam());
    // A screw's advance is measured along axes that coincide; the others hold anywhere.
    if (GetParam() == JointType::kScrew || n % 2 == 0) f.close(q);
    q.resize(6, 0.0);
    double before[6], after[6], gamma[8];
    const int count = closure_row_count(GetParam());
    ASSERT_EQ(count, rows_expected);
    closure_gaps(f.closure, f.frames_after(-kStep), q.data(), before);
    closure_gaps(f.closure, f.frames_after(kStep), q.data(), after);
    SpatialRows rows;
    closure_rows(f.closure, f.frames(), f.k, rows);
    ASSERT_EQ(rows.count, count);
    f.rates(rows, gamma);
    for (int r = 0; r < count; ++r) worst = std::max(worst, std::abs(gamma[r] - (after[r] - before[r]) / (2 * kStep)));
  }
  figure("rows of a {} loop against differences of its gaps: {:.1e}", name_of(GetParam()), worst);
  EXPECT_LT(worst, kTolerance);
}

TEST_P(ClosureRows, AreClosedWhereTheJointIs) {
  Random random(92);
  for (int n = 0; n < 50; ++n) {
    Fixture f(random, GetParam());
    std::vector<double> q = random_coordinates(random, GetParam());
    f.close(q);
    std::vector<double> found = q;
    found.resize(6, 0.0), q.resize(6, 0.0);
    for (double& x : found) x += 0.01;  // as one step before
    closure_coordinates(f.closure, f.frames(), found.data());
    for (int k = 0; k < u_count(GetParam()); ++k) EXPECT_NEAR(found[k], q[k], 1e-12);
    double gaps[6];
    closure_gaps(f.closure, f.frames(), found.data(), gaps);
    for (int r = 0; r < closure_row_count(GetParam()); ++r) EXPECT_NEAR(gaps[r], 0, 1e-14);
    EXPECT_TRUE(closure_upright(f.closure, f.frames()));
  }
}

TEST_P(ClosureRows, SeeEveryWayToOpen) {
  // As many independent rows as the joint holds directions: an opening along any of them shows.
  Random random(93);
  for (int n = 0; n < 20; ++n) {
    Fixture f(random, GetParam());
    f.close(random_coordinates(random, GetParam()));
    SpatialRows rows;
    closure_rows(f.closure, f.frames(), f.k, rows);
    Eigen::MatrixXd W(rows.count, 6);
    for (int r = 0; r < rows.count; ++r)
      for (int k = 0; k < 6; ++k) W(r, k) = rows.f_b[k * SpatialRows::kLanes + r];
    EXPECT_EQ(W.fullPivLu().rank(), rows.count);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ClosureRows,
                         testing::Values(JointType::kRevolute, JointType::kPrismatic, JointType::kScrew,
                                         JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar,
                                         JointType::kBall, JointType::kFixed),
                         [](const testing::TestParamInfo<JointType>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

class ClosureCoordinates : public testing::TestWithParam<JointType> {};

// Along motions that keep the joint closed: link b moves against link a as the joint lets it.
TEST_P(ClosureCoordinates, HaveTheRatesOfTheirRows) {
  Random random(94);
  const JointType type = GetParam();
  double worst = 0;
  for (int n = 0; n < 50; ++n) {
    Fixture f(random, type);
    const std::vector<double> q = random_coordinates(random, type);
    const std::vector<double> rate = random_coordinates(random, type);
    f.close(q);
    const ClosureFrames now = f.frames();
    // Where M goes in a frame F at rest, and its velocity from that by differences.
    const auto at = [&](double t) {
      std::vector<double> moved = q;
      for (std::size_t k = 0; k < q.size(); ++k) moved[k] += t * rate[k];
      return now.X_WF * transform_of(opened(type, moved, f.closure.pitch));
    };
    const Transform<double> before = at(-kStep), after = at(kStep);
    const Mat3<double> turned = after.R * transpose(before.R);
    const Vec3<double> w = (1 / (4 * kStep)) * Vec3<double>{{turned(2, 1) - turned(1, 2), turned(0, 2) - turned(2, 0),
                                                             turned(1, 0) - turned(0, 1)}};
    const Vec3<double> v_M = (1 / (2 * kStep)) * (after.p - before.p);
    const Vec3<double> arm = now.X_WM.p - f.k.X_WL[f.closure.link_b].p;
    const Motion<double> V_b = {w, v_M - cross(w, arm)};
    for (int k = 0; k < u_count(type); ++k) {
      SpatialRows rows;
      closure_coordinate_row(f.closure, now, f.k, k, rows);
      ASSERT_EQ(rows.count, 1);
      double gamma[8];
      rows.rates(Motion<double>::zero(), V_b, gamma);
      worst = std::max(worst, std::abs(gamma[0] - rate[k]));
    }
  }
  figure("rates of the coordinates of a {} loop: {:.1e}", name_of(type), worst);
  EXPECT_LT(worst, kTolerance);
}

TEST_P(ClosureCoordinates, KeepTheirTurns) {
  Random random(95);
  const JointType type = GetParam();
  if (type == JointType::kPrismatic) return;  // has no angle
  const int angle = type == JointType::kPlanar ? 2 : 0;
  for (const int turns : {-1000, -3, -1, 0, 1, 2, 50}) {
    Fixture f(random, type);
    std::vector<double> q = random_coordinates(random, type);
    q[angle] += 2 * std::numbers::pi * turns;
    f.close(q);
    for (const double from : {-2.0, 0.0, 2.0}) {  // less than half a turn in a step
      std::vector<double> found = q;
      found[angle] += from;
      closure_coordinates(f.closure, f.frames(), found.data());
      EXPECT_NEAR(found[angle], q[angle], 1e-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ClosureCoordinates,
                         testing::Values(JointType::kRevolute, JointType::kPrismatic, JointType::kScrew,
                                         JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar),
                         [](const testing::TestParamInfo<JointType>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

// Gaps vanish as well where an axis is turned over.
TEST(ClosureUpright, SeesWhatIsTurnedOver) {
  Random random(96);
  for (const JointType type :
       {JointType::kRevolute, JointType::kCylindrical, JointType::kPlanar, JointType::kPrismatic, JointType::kFixed}) {
    Fixture f(random, type);
    f.close(random_coordinates(random, type));
    const Pose over = {Eigen::Vector3d::Zero(),
                       Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi, Eigen::Vector3d::UnitX()))};
    f.closure.X_BM = f.closure.X_BM * transform_of(over);
    std::vector<double> q(6, 0.0);
    double gaps[6];
    closure_gaps(f.closure, f.frames(), q.data(), gaps);
    for (int r = 0; r < closure_row_count(type); ++r) EXPECT_NEAR(gaps[r], 0, 1e-14) << name_of(type);
    EXPECT_FALSE(closure_upright(f.closure, f.frames())) << name_of(type);
  }
}

}  // namespace
}  // namespace lipkin
