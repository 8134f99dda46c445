// Complementarity problems small enough to try every combination of active rows.
#include "solvers/lemke.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <optional>

#include "solver_scenes.hpp"
#include "solvers/solver.hpp"

namespace lipkin {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The x of w = M x + q, w >= 0, x >= 0, w . x = 0, by enumeration; unique where M is positive definite.
std::optional<Eigen::VectorXd> enumerated(const RowMatrix& M, const Eigen::VectorXd& q) {
  const int n = static_cast<int>(q.size());
  for (unsigned set = 0; set < 1u << n; ++set) {
    std::vector<int> active;
    for (int i = 0; i < n; ++i)
      if (set >> i & 1) active.push_back(i);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
    if (!active.empty()) {
      const Eigen::MatrixXd A = M(active, active);
      const Eigen::VectorXd b = -q(active);
      const Eigen::VectorXd solution = A.fullPivLu().solve(b);
      for (std::size_t k = 0; k < active.size(); ++k) x[active[k]] = solution[static_cast<Eigen::Index>(k)];
    }
    const Eigen::VectorXd w = M * x + q;
    if (x.minCoeff() >= -1e-12 && w.minCoeff() >= -1e-9) return x;
  }
  return std::nullopt;
}

RowMatrix random_positive(test::Random& random, int n, int rank) {
  RowMatrix Y(n, rank);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < rank; ++j) Y(i, j) = random.uniform(-1, 1);
  return Y * Y.transpose();
}

TEST(Lemke, AgreesWithEnumeration) {
  test::Random random(21);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = random.integer(1, 8);
    RowMatrix M = random_positive(random, n, n);
    M.diagonal().array() += 0.1;
    const Eigen::VectorXd q = random.values(n, 1);
    Eigen::VectorXd x(n);
    Lemke lemke;
    ASSERT_TRUE(lemke.solve(n, M.data(), q.data(), x.data())) << trial;
    EXPECT_LE((x - *enumerated(M, q)).norm(), 1e-10 * (1 + x.norm())) << trial;
  }
}

// Semidefinite, with a solution: which one is found is free, that it is one is not.
TEST(Lemke, SolvesSemidefiniteProblems) {
  test::Random random(22);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = random.integer(2, 10), rank = random.integer(1, n - 1);
    const RowMatrix M = random_positive(random, n, rank);
    Eigen::VectorXd some = random.values(n, 1).cwiseAbs(), slack = random.values(n, 1).cwiseAbs();
    for (int i = 0; i < n; ++i) (random.chance(0.5) ? some[i] : slack[i]) = 0;
    const Eigen::VectorXd q = slack - M * some;
    Eigen::VectorXd x(n);
    Lemke lemke;
    ASSERT_TRUE(lemke.solve(n, M.data(), q.data(), x.data())) << trial;
    const Eigen::VectorXd w = M * x + q;
    EXPECT_GE(x.minCoeff(), 0);
    EXPECT_GE(w.minCoeff(), -1e-9);
    EXPECT_LE(std::abs(w.dot(x)), 1e-8);
  }
}

TEST(Lemke, SaysWhereThereIsNoSolution) {
  const double M[1] = {0}, q[1] = {-1};
  double x[1];
  EXPECT_FALSE(Lemke().solve(1, M, q, x));
}

// Frictionless contacts of one body, up to eight, against enumeration: every solver.
TEST(Solvers, FrictionlessContactsAgreeWithEnumeration) {
  test::Random random(23);
  for (int trial = 0; trial < 40; ++trial) {
    test::ProblemMaker maker;
    maker.add({.mass = random.uniform(0.5, 2),
               .inertia = random.vector(0.3) + Eigen::Vector3d::Ones(),
               .velocity = random.vector(1),
               .spin = random.vector(1)});
    const int contacts = random.integer(1, 5);
    for (int i = 0; i < contacts; ++i) maker.contact(-1, 0, random.vector(1), random.unit_vector(), 0, 1);
    const RowMatrix Y = test::dense_rows(maker.problem);
    const auto expected = enumerated(Y * Y.transpose(), test::dense(maker.problem.b));
    ASSERT_TRUE(expected);
    for (const SolverKind kind :
         {SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton, SolverKind::kHybrid, SolverKind::kLemke}) {
      Problem problem = maker.problem;
      Eigen::VectorXd z(problem.z_count);
      const SolveReport report =
          make_solver(kind)->solve(problem, {.max_iterations = 500000, .tolerance = 1e-13}, z.data());
      EXPECT_TRUE(report.converged) << name_of(kind) << " " << trial;
      // Five random directions out of six are conditioned to about 1e4 at worst here.
      EXPECT_LE((test::dense(problem.lambda) - *expected).norm(), 1e-8 * (1 + expected->norm())) << name_of(kind);
    }
  }
}

}  // namespace
}  // namespace lipkin
