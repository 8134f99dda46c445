#include "spatial/quaternion.hpp"

#include <gtest/gtest.h>

#include "model/eigen_convert.hpp"
#include "support/random.hpp"

namespace lipkin {
namespace {

using test::Random;

Quaternion<double> from(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }
Eigen::Quaterniond to(const Quaternion<double>& q) { return {q.w, q.x, q.y, q.z}; }

TEST(Quaternion, AgreesWithEigen) {
  Random random(1);
  for (int n = 0; n < 200; ++n) {
    const Eigen::Quaterniond a = random.quaternion(), b = random.quaternion();
    EXPECT_LT((to(from(a) * from(b)).coeffs() - (a * b).coeffs()).norm(), 1e-15);
    EXPECT_LT((to_eigen(rotation(from(a))) - a.toRotationMatrix()).norm(), 3e-15);  // nine entries
    EXPECT_LT((to(conjugate(from(a)) * from(a)).coeffs() - Eigen::Vector4d(0, 0, 0, 1)).norm(), 1e-15);
  }
}

// A quaternion that is not unit still gives a rotation, and the same one.
TEST(Quaternion, RotationDoesNotDependOnTheLength) {
  Random random(2);
  for (int n = 0; n < 100; ++n) {
    const Eigen::Quaterniond a = random.quaternion();
    const double s = random.uniform(0.1, 10);
    const Quaternion<double> scaled = {s * a.w(), s * a.x(), s * a.y(), s * a.z()};
    EXPECT_LT((to_eigen(rotation(scaled)) - a.toRotationMatrix()).norm(), 1e-14);
    EXPECT_NEAR(to(normalized(scaled)).norm(), 1, 3e-16);
  }
}

TEST(Quaternion, ExponentialIsTheRotationByAVector) {
  Random random(3);
  for (double size : {0.0, 1e-200, 1e-12, 1e-5, 0.0099999, 0.0100001, 0.02, 0.5, 3.0, 6.0, 100.0}) {
    for (int n = 0; n < 50; ++n) {
      const Eigen::Vector3d axis = random.unit_vector();
      const Eigen::Quaterniond expected(Eigen::AngleAxisd(size, axis));
      const Quaternion<double> q = quaternion_exp(from_eigen(Eigen::Vector3d(size * axis)));
      EXPECT_LT((to(q).coeffs() - expected.coeffs()).norm(), 1e-15 * (1 + size)) << size;
      EXPECT_NEAR(to(q).norm(), 1, 5e-16);
    }
  }
}

// theta(t) with dtheta/dt = rotation_vector_rate(theta, omega) must turn with the angular velocity omega along the
// turned axes: 2 conj(q) dq/dt = (0, omega), by differences of order 4.
TEST(Quaternion, RotationVectorRateInvertsTheDifferentialOfTheExponential) {
  Random random(4);
  constexpr double kStep = 1e-3;  // truncation 1e-12 / 30, rounding 1e-13
  for (double size : {0.0, 1e-6, 0.0099, 0.0101, 0.5, 2.0, 3.1, 5.0}) {
    for (int n = 0; n < 20; ++n) {
      const Eigen::Vector3d theta = size * random.unit_vector(), omega = random.vector(1);
      const Vec3<double> rate = rotation_vector_rate(from_eigen(theta), from_eigen(omega));
      const auto at = [&](double h) {
        return to(quaternion_exp(from_eigen(Eigen::Vector3d(theta + h * to_eigen(rate))))).coeffs().eval();
      };
      const Eigen::Vector4d derivative =
          (8 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12 * kStep);
      const Eigen::Quaterniond q = to(quaternion_exp(from_eigen(theta))), dq(derivative);
      const Eigen::Vector3d turned = 2 * (q.conjugate() * dq).vec();
      EXPECT_LT((turned - omega).norm(), 1e-9) << size;
    }
  }
}

TEST(Quaternion, RateAndExponentialHaveNoStepWhereTheSeriesEnds) {
  const Vec3<double> omega = {{0.3, -0.7, 0.2}};
  const auto along = [](double angle) { return Vec3<double>{{0.6 * angle, 0, 0.8 * angle}}; };
  const double edge = std::sqrt(kSmallAngleSquared);
  const Vec3<double> below = rotation_vector_rate(along(std::nextafter(edge, 0)), omega);
  const Vec3<double> above = rotation_vector_rate(along(std::nextafter(edge, 1)), omega);
  EXPECT_LT(norm(above - below), 1e-15);
  const Quaternion<double> q0 = quaternion_exp(along(std::nextafter(edge, 0)));
  const Quaternion<double> q1 = quaternion_exp(along(std::nextafter(edge, 1)));
  EXPECT_LT((to(q1).coeffs() - to(q0).coeffs()).norm(), 1e-15);
}

TEST(Quaternion, SinglePrecision) {
  Random random(5);
  for (double size : {0.0, 1e-3, 0.0099, 0.0101, 1.0, 3.0}) {
    const Eigen::Vector3d theta = size * random.unit_vector();
    const Quaternion<float> q = quaternion_exp(lift<float>(from_eigen(theta)));
    const Quaternion<double> d = quaternion_exp(from_eigen(theta));
    EXPECT_NEAR(q.w, d.w, 3e-7);
    EXPECT_NEAR(q.x, d.x, 3e-7);
    EXPECT_NEAR(q.y, d.y, 3e-7);
    EXPECT_NEAR(q.z, d.z, 3e-7);
  }
}

}  // namespace
}  // namespace lipkin
