// The change of velocities by an impulse against dense algebra: M⁻¹ Jᵀ p.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "lipkin/dynamics.hpp"
#include "support/figure.hpp"
#include "support/newton_oracle.hpp"

namespace lipkin {
namespace {

using test::Random;
using test::RandomState;

struct Blow {
  int body;
  Eigen::Vector3d point, impulse, angular_impulse;
};

Blow random_blow(Random& random, const Model& model) {
  Blow b;
  b.body = random.integer(0, model.body_count() - 1);
  b.point = random.vector(0.5);
  b.impulse = random.vector(2);
  b.angular_impulse = random.vector(1);
  return b;
}

Eigen::VectorXd response(Dynamics& dynamics, const Blow& b) {
  return dynamics.impulse_response(b.body, b.point, b.impulse, b.angular_impulse);
}

TEST(ImpulseResponse, IsInverseMassTimesJacobianTransposed) {
  Random random(31);
  double worst = 0;
  for (int n = 0; n < 500; ++n) {
    const Model model = test::build(test::random_tree(random, 1 + n % 60));
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    const Blow blow = random_blow(random, model);
    const Eigen::MatrixXd J_angular = dynamics.body_jacobian(blow.body).topRows(3);
    const Eigen::MatrixXd J_point = dynamics.point_jacobian(blow.body, blow.point);
    const Eigen::VectorXd generalized =
        J_point.transpose() * blow.impulse + J_angular.transpose() * blow.angular_impulse;
    const Eigen::VectorXd expected = dynamics.mass_matrix().ldlt().solve(generalized);
    const Eigen::VectorXd du = response(dynamics, blow);
    if (generalized.norm() == 0) {  // a body that is fixed to the world
      EXPECT_EQ(du.norm(), 0);
      continue;
    }
    worst = std::max(worst, (du - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff());
    ASSERT_LT(worst, 1e-10) << "tree " << n;  // the promise; the dense solution has 1e-16 times the condition of M
  }
  test::figure("worst impulse response against M^-1 J^T p {:.1e} over 500 trees", worst);
}

// Small trees against matrices that come from kinetic energy and differences of poses.
TEST(ImpulseResponse, AgreesWithNewton) {
  Random random(32);
  double worst = 0;
  for (int n = 0; n < 60; ++n) {
    const test::TreeParts parts = test::random_tree(random, 1 + n % 12);
    const Model model = test::build(parts);
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    const test::NewtonOracle oracle(parts, model);
    const Blow blow = random_blow(random, model);
    const Eigen::MatrixXd J = oracle.jacobians(s.q)[blow.body];
    const Eigen::Vector3d arm = dynamics.body_motion(blow.body).pose.orientation * blow.point;
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << blow.angular_impulse + arm.cross(blow.impulse), blow.impulse;
    const Eigen::VectorXd expected = oracle.mass_matrix(s.q).ldlt().solve(J.transpose() * wrench);
    const double size = std::max(1e-3, expected.cwiseAbs().maxCoeff());
    worst = std::max(worst, (response(dynamics, blow) - expected).cwiseAbs().maxCoeff() / size);
  }
  EXPECT_LT(worst, 1e-10);
  test::figure("worst impulse response against Newton {:.1e}", worst);
}

// What a body feels from a blow on another, the other feels from the same blow on the first (Maxwell, Betti).
TEST(ImpulseResponse, IsReciprocal) {
  Random random(33);
  for (int n = 0; n < 100; ++n) {
    const Model model = test::build(test::random_tree(random, 2 + n % 30));
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    const Blow a = random_blow(random, model), b = random_blow(random, model);
    const auto power = [&](const Blow& blow, const Eigen::VectorXd& du) {
      return blow.impulse.dot(dynamics.point_jacobian(blow.body, blow.point) * du) +
             blow.angular_impulse.dot(dynamics.body_jacobian(blow.body).topRows(3) * du);
    };
    const Eigen::VectorXd du_a = response(dynamics, a), du_b = response(dynamics, b);
    const double scale = std::sqrt(power(a, du_a) * power(b, du_b)) + 1e-12;
    EXPECT_NEAR(power(b, du_a), power(a, du_b), 1e-12 * scale);
    EXPECT_GE(power(a, du_a), 0);
  }
}

TEST(ImpulseResponse, OfAFreeBodyIsNewtonsLaw) {
  ModelBuilder builder;
  BodySpec body;
  body.name = "ball";
  body.mass_properties = MassProperties{2, Eigen::Vector3d::Zero(), Eigen::Vector3d(0.1, 0.2, 0.3).asDiagonal()};
  builder.add(body);
  JointSpec joint;
  joint.name = "free";
  joint.type = JointType::kFree;
  joint.child = "ball";
  builder.add(joint);
  Dynamics dynamics(builder.build());
  const Eigen::VectorXd du = dynamics.impulse_response(0, {0, 0.5, 0}, {4, 0, 0}, {0, 0.6, 0});
  Eigen::VectorXd expected(6);
  expected << 2, 0, 0, 0, 3, -4 * 0.5 / 0.3;
  EXPECT_LT((du - expected).norm(), 1e-14);
}

}  // namespace
}  // namespace lipkin
