#include "tree/local_coordinates.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "lipkin/dynamics.hpp"
#include "model/model_data.hpp"
#include "support/random_tree.hpp"
#include "tree/symmetric_solve.hpp"

namespace lipkin {
namespace {

using test::Random;
using test::RandomState;

struct Tree {
  explicit Tree(const Model& model) : data(model.data()), count(static_cast<int>(data.links.size())) {}
  std::vector<double> moved(const std::vector<double>& q, double scale, const std::vector<double>& theta) const {
    std::vector<double> result(q.size());
    retract<double>(data.links.data(), count, q.data(), scale, theta.data(), result.data());
    return result;
  }
  const ModelData& data;
  int count;
};

// d/dt of q ⊞ theta(t) must be the motion with velocities u, theta not small: what Munthe-Kaas methods rest on.
TEST(LocalCoordinates, RateGivesTheVelocitiesAwayFromTheCentre) {
  Random random(41);
  for (int n = 0; n < 50; ++n) {
    const Model model = test::build(test::random_tree(random, 1 + n % 20));
    const Tree tree(model);
    const RandomState s = test::random_state(random, model);
    std::vector<double> theta(model.u_count()), rate(model.u_count());
    for (double& x : theta) x = random.uniform(-1, 1);
    local_rate<double>(tree.data.links.data(), tree.count, theta.data(), s.u.data(), rate.data());
    Dynamics dynamics(model);
    const int body = model.body_count() - 1;
    const auto position = [&](double h) {
      std::vector<double> there = theta;
      for (std::size_t k = 0; k < there.size(); ++k) there[k] += h * rate[k];
      dynamics.set(tree.moved(s.q, 1, there), s.u);
      const Pose pose = dynamics.body_motion(body).pose;
      return Eigen::Vector3d(pose.position + pose.orientation * Eigen::Vector3d(0.1, 0.2, 0.3));
    };
    constexpr double kStep = 1e-3;  // difference of order 4: error about 1e-12 times the fifth derivative
    const Eigen::Vector3d numeric =
        (8 * (position(kStep) - position(-kStep)) - (position(2 * kStep) - position(-2 * kStep))) / (12 * kStep);
    dynamics.set(tree.moved(s.q, 1, theta), s.u);
    const Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(s.u.data(), model.u_count());
    const Eigen::Vector3d velocity = dynamics.point_jacobian(body, {0.1, 0.2, 0.3}) * u;
    EXPECT_LT((numeric - velocity).norm(), 1e-7 * (1 + velocity.norm()));
  }
}

TEST(LocalCoordinates, ScaleAndAliasing) {
  Random random(42);
  const Model model = test::build(test::random_tree(random, 30));
  const Tree tree(model);
  const RandomState s = test::random_state(random, model);
  std::vector<double> tenth = s.u;
  for (double& x : tenth) x *= 0.125;
  const std::vector<double> scaled = tree.moved(s.q, 0.125, s.u);
  EXPECT_EQ(scaled, tree.moved(s.q, 1, tenth));
  std::vector<double> in_place = s.q;
  retract<double>(tree.data.links.data(), tree.count, in_place.data(), 0.125, s.u.data(), in_place.data());
  EXPECT_EQ(scaled, in_place);
}

// A full turn about any axis comes back, in steps of any size.
TEST(LocalCoordinates, FullTurnsComeBack) {
  Random random(43);
  ModelBuilder builder;
  BodySpec body;
  body.name = "top";
  body.mass_properties = MassProperties{1, {0, 0, 0}, Eigen::Matrix3d::Identity()};
  builder.add(body);
  JointSpec joint;
  joint.name = "ball";
  joint.type = JointType::kBall;
  joint.child = "top";
  builder.add(joint);
  const Model model = builder.build();
  const Tree tree(model);
  for (int steps = 3; steps < 50; ++steps) {
    const RandomState s = test::random_state(random, model);
    const Eigen::Vector3d axis = random.unit_vector();
    const std::vector<double> u = {axis.x(), axis.y(), axis.z()};
    std::vector<double> q = s.q;
    for (int k = 0; k < steps; ++k) q = tree.moved(q, 2 * std::numbers::pi / steps, u);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(q[k], -s.q[k], 1e-15 * (10 + steps));  // once around: the other sign
  }
}

template <int n>
void check_solver(Random& random) {
  Eigen::Matrix<double, n, n> root;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) root(i, j) = random.uniform(-1, 1);
  const Eigen::Matrix<double, n, n, Eigen::RowMajor | (n == 1 ? Eigen::ColMajor : 0)> A =
      root * root.transpose() + 0.1 * Eigen::Matrix<double, n, n>::Identity();
  const Eigen::VectorXd b = random.values(n, 1);
  double factor[n * n], x[n], inverse[n * n];
  std::copy(A.data(), A.data() + n * n, factor);
  std::copy(b.data(), b.data() + n, x);
  ldlt_factor<n>(factor);
  ldlt_solve<n>(factor, x);
  symmetric_inverse<n>(A.data(), inverse);
  const Eigen::VectorXd solved = Eigen::Map<Eigen::VectorXd>(x, n);
  EXPECT_LT((A * solved - b).norm(), 1e-13);
  const Eigen::Map<Eigen::Matrix<double, n, n>> inverted(inverse);
  EXPECT_LT((A * inverted - Eigen::Matrix<double, n, n>::Identity()).norm(), 1e-12);
}

TEST(SymmetricSolve, SolvesWhatItFactorised) {
  Random random(44);
  for (int k = 0; k < 100; ++k) {
    check_solver<1>(random);
    check_solver<2>(random);
    check_solver<3>(random);
    check_solver<6>(random);
  }
}

}  // namespace
}  // namespace lipkin
