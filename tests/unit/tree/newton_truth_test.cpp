// The tree algorithms against Newton's and Euler's laws body by body, with derivatives of poses taken numerically.
#include <gtest/gtest.h>

#include "lipkin/dynamics.hpp"
#include "support/figure.hpp"
#include "support/newton_oracle.hpp"

namespace lipkin {
namespace {

using test::NewtonOracle;
using test::Random;
using test::RandomState;

// Differences of order 8 in extended precision leave about 1e-13 of the largest entry.
constexpr double kTolerance = 1e-11;

struct Sample {
  test::TreeParts parts;
  Model model;
  RandomState state;
};

Sample sample(Random& random, int dof, const test::TreeOptions& options = {}) {
  test::TreeParts parts = test::random_tree(random, dof, options);
  test::shuffle(random, parts);
  Model model = test::build(parts);
  RandomState state = test::random_state(random, model, 1);
  return {std::move(parts), std::move(model), std::move(state)};
}

double relative_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& truth) {
  return (a - truth).cwiseAbs().maxCoeff() / std::max(1e-3, truth.cwiseAbs().maxCoeff());
}

Eigen::VectorXd vector_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

// One tree per joint type, below and above other joints, and mixed trees.
std::vector<Sample> samples() {
  Random random(99);
  std::vector<Sample> all;
  for (const JointType type : test::TreeOptions{}.types) {
    test::TreeOptions options;
    options.types = {type};
    for (int joints = 1; joints <= 3; ++joints) all.push_back(sample(random, joints * u_count(type), options));
  }
  for (int dof = 1; dof <= 14; ++dof)
    for (int n = 0; n < 3; ++n) all.push_back(sample(random, dof));
  return all;
}

TEST(NewtonTruth, MassMatrixIsTheSecondDerivativeOfTheKineticEnergy) {
  double worst = 0;
  const auto all = samples();
  for (const Sample& s : all) {
    Dynamics dynamics(s.model);
    dynamics.set(s.state.q, s.state.u);
    const NewtonOracle oracle(s.parts, s.model);
    worst = std::max(worst, relative_difference(dynamics.mass_matrix(), oracle.mass_matrix(s.state.q)));
    EXPECT_LT(worst, kTolerance);
  }
  test::figure("worst difference of M from kinetic energy {:.1e} over {} trees", worst, all.size());
}

TEST(NewtonTruth, GravityForcesAreTheGradientOfThePotential) {
  double worst = 0;
  Random random(3);
  for (const Sample& s : samples()) {
    Dynamics dynamics(s.model);
    const std::vector<double> rest(s.state.u.size(), 0.0);
    dynamics.set(s.state.q, rest);
    const NewtonOracle oracle(s.parts, s.model);
    worst = std::max(worst, relative_difference(dynamics.bias(), oracle.potential_gradient(s.state.q)));
    EXPECT_LT(worst, kTolerance);
    // Bodies fixed to the world count in the oracle only; differences of energy are what matters.
    const double here = dynamics.energy().gravitational, truth_here = oracle.potential_energy(s.state.q);
    const RandomState other = test::random_state(random, s.model);
    dynamics.set(other.q, rest);
    const double change = dynamics.energy().gravitational - here;
    const double truth = oracle.potential_energy(other.q) - truth_here;
    EXPECT_NEAR(change, truth, 1e-13 * (std::abs(here) + std::abs(truth_here) + std::abs(truth) + 1));
  }
  test::figure("worst difference of gravity forces from the potential {:.1e}", worst);
}

TEST(NewtonTruth, InverseAndForwardDynamicsObeyNewtonAndEuler) {
  double worst_inverse = 0, worst_forward = 0;
  Random random(5);
  for (const Sample& s : samples()) {
    Dynamics dynamics(s.model);
    dynamics.set(s.state.q, s.state.u);
    const NewtonOracle oracle(s.parts, s.model);
    const Eigen::VectorXd a = random.values(s.model.u_count(), 3);
    const std::span<const double> given(a.data(), static_cast<std::size_t>(a.size()));
    const Eigen::VectorXd truth = oracle.inverse_dynamics(s.state.q, vector_of(s.state.u), a);
    worst_inverse = std::max(worst_inverse, relative_difference(dynamics.inverse_dynamics(given), truth));
    const Eigen::VectorXd forward = dynamics.accelerations({truth.data(), static_cast<std::size_t>(truth.size())});
    worst_forward = std::max(worst_forward, relative_difference(forward, a));
    EXPECT_LT(worst_inverse, kTolerance);
    EXPECT_LT(worst_forward, 100 * kTolerance);  // the condition of M comes in
  }
  test::figure("worst difference from Newton and Euler: tau {:.1e}, accelerations {:.1e}", worst_inverse,
               worst_forward);
}

TEST(NewtonTruth, PosesVelocitiesJacobiansAndKineticEnergy) {
  double worst_pose = 0, worst_velocity = 0, worst_jacobian = 0, worst_energy = 0;
  for (const Sample& s : samples()) {
    Dynamics dynamics(s.model);
    dynamics.set(s.state.q, s.state.u);
    const NewtonOracle oracle(s.parts, s.model);
    const Eigen::VectorXd u = vector_of(s.state.u);
    const auto motions = oracle.motions(s.state.q, u, Eigen::VectorXd::Zero(u.size()));
    const auto jacobians = oracle.jacobians(s.state.q);
    for (std::size_t b = 0; b < s.parts.bodies.size(); ++b) {
      const int body = s.model.body(s.parts.bodies[b].name);
      const BodyMotion m = dynamics.body_motion(body);
      const auto& truth = motions[b];
      worst_pose = std::max({worst_pose, relative_difference(m.pose.position, truth.X.p.cast<double>()),
                             relative_difference(m.pose.orientation.toRotationMatrix(), truth.X.R.cast<double>())});
      worst_velocity = std::max({worst_velocity, relative_difference(m.velocity, truth.v.cast<double>()),
                                 relative_difference(m.angular_velocity, truth.omega.cast<double>())});
      worst_jacobian = std::max(worst_jacobian, relative_difference(dynamics.body_jacobian(body), jacobians[b]));
    }
    const double kinetic = oracle.kinetic_energy(s.state.q, u);
    worst_energy = std::max(worst_energy, std::abs(dynamics.energy().kinetic - kinetic) / std::max(1e-3, kinetic));
  }
  EXPECT_LT(worst_pose, 1e-12);
  EXPECT_LT(worst_velocity, kTolerance);
  EXPECT_LT(worst_jacobian, kTolerance);
  EXPECT_LT(worst_energy, kTolerance);
  test::figure(
      "worst difference from numeric derivatives: pose {:.1e}, velocity {:.1e}, Jacobian {:.1e}, energy {:.1e}",
      worst_pose, worst_velocity, worst_jacobian, worst_energy);
}

TEST(NewtonTruth, PointJacobianAndMomentumFollowFromBodies) {
  Random random(17);
  for (int n = 0; n < 40; ++n) {
    test::TreeOptions options;
    options.added_inertia = false;
    const Sample s = sample(random, 1 + n % 14, options);
    Dynamics dynamics(s.model);
    dynamics.set(s.state.q, s.state.u);
    const NewtonOracle oracle(s.parts, s.model);
    const Eigen::VectorXd u = vector_of(s.state.u);
    const auto motions = oracle.motions(s.state.q, u, Eigen::VectorXd::Zero(u.size()));
    Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero(), moment = linear;
    double mass = 0;
    for (std::size_t b = 0; b < motions.size(); ++b) {
      const int body = s.model.body(s.parts.bodies[b].name);
      const Eigen::Vector3d point = random.vector(1);
      const Eigen::Vector3d r = (motions[b].X.R * point.cast<long double>()).cast<double>();
      const Eigen::Vector3d v = motions[b].v.cast<double>() + Eigen::Vector3d(motions[b].omega.cast<double>()).cross(r);
      EXPECT_LT((dynamics.point_jacobian(body, point) * u - v).norm(), 1e-11 * std::max(1.0, v.norm()));
      if (motions[b].v.norm() + motions[b].omega.norm() == 0) continue;  // fixed to the world
      const MassProperties& m = *s.parts.bodies[b].mass_properties;
      const Eigen::Matrix3d R = motions[b].X.R.cast<double>();
      const Eigen::Vector3d w = motions[b].omega.cast<double>(), c = R * m.com;
      const Eigen::Vector3d p = m.mass * (motions[b].v.cast<double>() + w.cross(c));
      const Eigen::Vector3d position = motions[b].X.p.cast<double>() + c;
      linear += p;
      angular += position.cross(p) + R * m.inertia * R.transpose() * w;
      moment += m.mass * position;
      mass += m.mass;
    }
    EXPECT_LT((dynamics.momentum().linear - linear).norm(), 1e-10);
    EXPECT_LT((dynamics.momentum().angular - angular).norm(), 1e-9);
    EXPECT_LT((dynamics.center_of_mass() - moment / mass).norm(), 1e-11);
  }
}

}  // namespace
}  // namespace lipkin
