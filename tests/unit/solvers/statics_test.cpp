// Loads that statics knows: tables, over-constrained mechanisms, rolling and spinning friction, compliance.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/error.hpp"
#include "solver_scenes.hpp"
#include "solvers/solver.hpp"

namespace lipkin {
namespace {

using test::ProblemMaker;

constexpr double kGdt = 9.81e-3;  // velocity that gravity gives in a millisecond
const SolverKind kLeastNorm[] = {SolverKind::kNewton, SolverKind::kHybrid};
const SolverKind kDiscs[] = {SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton, SolverKind::kHybrid};

SolveReport solve(SolverKind kind, Problem& problem, double tolerance = 1e-13) {
  Eigen::VectorXd z(problem.z_count);
  return make_solver(kind)->solve(problem, {.max_iterations = 100000, .tolerance = tolerance}, z.data());
}

ProblemMaker table(double mu, int rows) {
  ProblemMaker maker;
  test::FreeBody body = test::box(13, {0.7, 0.45, 0.05}, {0, 0, 0.7});
  body.velocity = {0, 0, -kGdt};
  maker.add(body);
  for (const double x : {-0.3, 0.3})
    for (const double y : {-0.2, 0.2}) maker.contact(-1, 0, {x, y, 0}, {0, 0, 1}, mu, rows);
  return maker;
}

TEST(Statics, ATableStandsOnFourContactsEvenly) {
  for (const SolverKind kind : kLeastNorm) {
    for (const double mu : {0.0, 0.5}) {
      for (const int rows : {1, 3}) {
        Problem problem = table(mu, rows).problem;
        const double quarter = 13 * kGdt / 4;
        // Whatever the start: an uneven one too, and step after step.
        problem.lambda[0] = quarter * 1.7;
        for (int step = 0; step < 5; ++step) {
          EXPECT_TRUE(solve(kind, problem).converged);
          for (int leg = 0; leg < 4; ++leg) {
            EXPECT_NEAR(problem.lambda[static_cast<std::size_t>(leg * rows)], quarter, 1e-12 * quarter);
            for (int t = 1; t < rows; ++t)
              EXPECT_NEAR(problem.lambda[static_cast<std::size_t>(leg * rows + t)], 0, 1e-12 * quarter);
          }
        }
      }
    }
  }
}

TEST(Statics, ATableHeldBilaterallyLoadsItsLegsEvenly) {
  for (const SolverKind kind : {SolverKind::kDirect, SolverKind::kNewton, SolverKind::kHybrid}) {
    Problem problem = table(0, 1).problem;
    for (Block& block : problem.blocks) block.law = LawKind::kBilateral;
    EXPECT_TRUE(solve(kind, problem).converged);
    for (const double lambda : problem.lambda) EXPECT_NEAR(lambda, 13 * kGdt / 4, 1e-12 * 13 * kGdt);
  }
}

// A door on two full hinges: ten rows of rank five. All ways to solve move it alike, and with rows left out too.
TEST(Statics, RedundantRowsNeitherHurtNorBias) {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero(), x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(),
                        z = Eigen::Vector3d::UnitZ();
  const auto door = [&](bool redundant) {
    ProblemMaker maker;
    test::FreeBody body = test::box(20, {0.8, 0.04, 2}, {0.4, 0, 1});
    body.velocity = {0.1, 0.3, -kGdt};
    body.spin = {0.2, -0.1, 0.7};
    maker.add(body);
    maker.bilateral(-1, 0, {0, 0, 0.2}, {{x, zero}, {y, zero}, {z, zero}, {zero, x}, {zero, y}});
    if (redundant) maker.bilateral(-1, 0, {0, 0, 1.8}, {{x, zero}, {y, zero}, {z, zero}, {zero, x}, {zero, y}});
    maker.interval(-1, 0, {0, 0, 0}, {zero, z}, -0.05, 0.05);  // friction in the hinge
    return maker.problem;
  };
  Eigen::VectorXd expected;
  for (const bool redundant : {false, true}) {
    for (const SolverKind kind : {SolverKind::kHybrid, SolverKind::kNewton, SolverKind::kProx, SolverKind::kImpulses}) {
      Problem problem = door(redundant);
      Eigen::VectorXd velocity(problem.z_count);
      const SolveReport report =
          make_solver(kind)->solve(problem, {.max_iterations = 200000, .tolerance = 1e-12}, velocity.data());
      EXPECT_TRUE(report.converged) << name_of(kind);
      if (expected.size() == 0) expected = velocity;
      EXPECT_LE((velocity - expected).norm(), 1e-9) << name_of(kind) << redundant;
    }
  }
}

TEST(Statics, DirectRefusesOtherLaws) {
  Problem problem = table(0.3, 3).problem;
  EXPECT_THROW(solve(SolverKind::kDirect, problem), InvalidArgument);
}

// A ball on a plane, rolling and spinning: friction with rows 4 to 6, as textbooks state the laws.
TEST(Statics, SpinningAndRollingFriction) {
  test::Random random(31);
  for (const int rows : {4, 6}) {
    for (int trial = 0; trial < 20; ++trial) {
      ProblemMaker maker;
      maker.add({.mass = 2,
                 .inertia = {0.02, 0.02, 0.02},
                 .position = {0, 0, 0.1},
                 .velocity = random.vector(0.3) - Eigen::Vector3d(0, 0, 0.5),
                 .spin = random.vector(3)});
      Block& block = maker.contact(-1, 0, {0, 0, 0}, {0, 0, 1}, random.uniform(0, 0.6), rows);
      block.mu_spin = random.uniform(0, 0.05);
      block.mu_roll = random.uniform(0, 0.05);
      for (const SolverKind kind : kDiscs) {
        Problem problem = maker.problem;
        EXPECT_TRUE(solve(kind, problem).converged) << name_of(kind) << " " << trial;
        EXPECT_LE(test::law_violation(problem), 1e-11) << name_of(kind) << " " << trial;
      }
    }
  }
}

// gamma + c Lambda = 0: a row with compliance gives way like a damper. 2 kg at 3 m/s against c: Lambda = 3 / (1/2 + c).
TEST(Statics, ComplianceGivesWay) {
  for (const double c : {1e-6, 0.25, 10.0}) {
    for (const LawKind law : {LawKind::kBilateral, LawKind::kInterval, LawKind::kContact}) {
      ProblemMaker maker;
      maker.add({.mass = 2, .velocity = {0, 0, -3}});
      maker.contact(-1, 0, {0, 0, 0}, {0, 0, 1}, 0, 1);
      Block& block = maker.problem.blocks[0];
      block.law = law;
      block.lo = 0;
      block.hi = test::kInfinity;
      maker.problem.compliance[0] = c;
      for (const SolverKind kind :
           {SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton, SolverKind::kHybrid, SolverKind::kLemke}) {
        Problem problem = maker.problem;
        if (kind == SolverKind::kLemke && law == LawKind::kBilateral) continue;
        EXPECT_TRUE(solve(kind, problem, 1e-12).converged) << name_of(kind);
        EXPECT_NEAR(problem.lambda[0], 3 / (0.5 + c), 1e-11) << name_of(kind);
      }
    }
  }
}

// A compliant closure beside a contact: the elimination against the same rows left to Newton.
TEST(Statics, CompliantBilateralRowsAreEliminatedExactly) {
  test::Random random(32);
  for (int trial = 0; trial < 20; ++trial) {
    ProblemMaker maker = test::random_problem(random, 4, true);
    for (const Block& block : maker.problem.blocks) {
      if (block.law != LawKind::kBilateral) continue;
      for (int r = 0; r < block.row_count; ++r)
        maker.problem.compliance[static_cast<std::size_t>(block.row_begin + r)] = random.uniform(0, 0.5);
    }
    Problem a = maker.problem, b = maker.problem;
    EXPECT_TRUE(solve(SolverKind::kHybrid, a).converged);
    EXPECT_TRUE(solve(SolverKind::kNewton, b).converged);
    EXPECT_LE((test::dense(a.lambda) - test::dense(b.lambda)).norm(), 1e-10);
    EXPECT_LE(test::law_violation(a), 1e-11);
  }
}

// Joint friction in a chain: intervals on an ill-conditioned G, solved in a few Newton steps; sweeps need thousands.
TEST(Statics, IllConditionedIntervalsTakeAFewSteps) {
  const int n = 5;
  Eigen::MatrixXd M(n, n);
  Eigen::VectorXd torque(n);
  for (int i = 0; i < n; ++i) {  // a straight planar chain of rods, 1 kg and 0.4 m
    torque[i] = 0;
    for (int j = 0; j < n; ++j) {
      M(i, j) = 0;
      for (int k = std::max(i, j); k < n; ++k)
        M(i, j) += (0.4 * (k - i) + 0.2) * (0.4 * (k - j) + 0.2) + 0.4 * 0.4 / 12;
    }
    for (int k = i; k < n; ++k) torque[i] -= 9.81 * (0.4 * (k - i) + 0.2);
  }
  const Eigen::MatrixXd inverse = M.inverse(), root = inverse.llt().matrixL();
  const double limits[] = {5, 3, 1.5, 0.6, 0.15};
  for (const double dt : {1e-3, 1e-2}) {
    Problem problem;
    problem.z_count = 8;
    const Eigen::VectorXd u = inverse * torque * dt;
    for (int i = 0; i < n; ++i) {
      Block block;
      block.law = LawKind::kInterval;
      block.row_begin = block.run_begin = i;
      block.row_count = block.run_count = 1;
      block.width = 8;
      block.y_begin = static_cast<std::size_t>(8 * i);
      block.hi = limits[i] * dt;
      block.lo = -block.hi;
      problem.blocks.push_back(block);
      problem.runs.push_back({0, 8});
      for (int j = 0; j < 8; ++j) problem.y.push_back(j < n ? root(i, j) : 0);
      problem.b.push_back(u[i]);
      problem.compliance.push_back(0);
      problem.lambda.push_back(0);
    }
    for (const SolverKind kind : kLeastNorm) {
      Problem own = problem;
      const SolveReport report = solve(kind, own, 1e-12);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, 2 * n);  // a row enters or leaves at a time, at worst
      EXPECT_LE(test::law_violation(own), 1e-12);
    }
  }
}

}  // namespace
}  // namespace lipkin
