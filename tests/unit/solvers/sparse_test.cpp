// The sparse parts: groups of blocks, the factorisation with rows switched off, and Newton steps on a heap of spheres.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>

#include "solver_scenes.hpp"
#include "solvers/groups.hpp"
#include "solvers/solver.hpp"
#include "solvers/sparse_factor.hpp"
#include "solvers/sweep_set.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

// Groups by repeated merging of labels, the slow way.
TEST(BlockGroups, AgreesWithRepeatedMerging) {
  test::Random random(41);
  for (int trial = 0; trial < 50; ++trial) {
    test::ProblemMaker maker;
    const int bodies = random.integer(2, 20);
    for (int i = 0; i < bodies; ++i) maker.add({.position = random.vector(1)});
    const int contacts = random.integer(1, 20);
    for (int i = 0; i < contacts; ++i)
      maker.contact(random.integer(-1, bodies - 1), random.integer(0, bodies - 1), random.vector(1),
                    random.unit_vector(), 0.3);
    std::vector<SweepBlock> blocks;
    for (const Block& block : maker.problem.blocks) blocks.push_back(sweep_block_of(maker.problem, block));
    BlockGroups groups;
    groups.find(blocks, maker.problem.z_count);

    std::vector<int> label(blocks.size());
    std::iota(label.begin(), label.end(), 0);
    const auto touch = [&](std::size_t a, std::size_t b) {
      for (int body = 0; body < bodies; ++body) {
        const auto uses = [&](std::size_t k) {
          const Block& block = maker.problem.blocks[k];
          for (int r = 0; r < block.run_count; ++r)
            if (maker.problem.runs[static_cast<std::size_t>(block.run_begin + r)].begin == 8 * body) return true;
          return false;
        };
        if (uses(a) && uses(b)) return true;
      }
      return false;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t a = 0; a < blocks.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          if (label[a] != label[b] && touch(a, b)) {
            label[a] = label[b] = std::min(label[a], label[b]);
            changed = true;
          }
    }
    std::vector<int> group_of(blocks.size(), -1);
    int members = 0;
    for (int g = 0; g < groups.group_count(); ++g) {
      EXPECT_TRUE(std::is_sorted(groups.begin(g), groups.end(g)));
      members += static_cast<int>(groups.end(g) - groups.begin(g));
      for (const int* i = groups.begin(g); i != groups.end(g); ++i) group_of[static_cast<std::size_t>(*i)] = g;
    }
    EXPECT_EQ(members, static_cast<int>(blocks.size()));
    for (std::size_t a = 0; a < blocks.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) EXPECT_EQ(label[a] == label[b], group_of[a] == group_of[b]);
  }
}

TEST(SparseFactor, AgreesWithDenseOnEverySubset) {
  test::Random random(42);
  SparseFactor factor;
  for (int trial = 0; trial < 100; ++trial) {
    const int n = random.integer(1, 90);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (int k = 0; k < 3 * n; ++k) {  // a sum of small positive pieces
      const int i = random.integer(0, n - 1), j = random.integer(0, n - 1);
      Eigen::VectorXd v = Eigen::VectorXd::Zero(n);
      v[i] = random.uniform(-1, 1);
      v[j] += random.uniform(-1, 1);
      A += v * v.transpose();
    }
    A.diagonal().array() += 0.1;
    SparsePattern pattern;
    pattern.size = n;
    pattern.begin.push_back(0);
    std::vector<double> values, diagonal;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        if (A(i, j) == 0) continue;
        pattern.columns.push_back(j);
        values.push_back(A(i, j));
      }
      pattern.begin.push_back(static_cast<int>(values.size()));
      diagonal.push_back(A(i, i));
    }
    factor.analyze(pattern);
    for (int subset = 0; subset < 3; ++subset) {
      std::vector<std::uint8_t> active(static_cast<std::size_t>(n));
      std::vector<int> rows;
      for (int i = 0; i < n; ++i) {
        active[static_cast<std::size_t>(i)] = subset == 0 || random.chance(0.6);
        if (active[static_cast<std::size_t>(i)]) rows.push_back(i);
      }
      const Eigen::VectorXd b = random.values(n, 1);
      Eigen::VectorXd x = b, expected = Eigen::VectorXd::Zero(n);
      factor.factor(values.data(), diagonal.data(), active.data(), 1e-14);
      factor.solve(x.data());
      if (!rows.empty()) {
        const Eigen::MatrixXd part = A(rows, rows);
        const Eigen::VectorXd right = b(rows), solution = part.ldlt().solve(right);
        expected(rows) = solution;
      }
      EXPECT_LE((x - expected).norm(), 1e-11 * (1 + expected.norm())) << n;
    }
  }
}

// A tree has no fill under minimum degree: a star whose hub comes first in the rows would be full otherwise.
TEST(SparseFactor, OrdersAStarWithoutFill) {
  const int n = 50;
  SparsePattern pattern;
  pattern.size = n;
  pattern.begin = {0, 0};
  for (int i = 1; i < n; ++i) {
    pattern.columns.push_back(0);
    pattern.begin.push_back(i);
  }
  SparseFactor factor;
  factor.analyze(pattern);
  EXPECT_EQ(factor.fill(), static_cast<std::size_t>(n - 1));
}

// Spheres that translate only, heaped up between walls, without friction.
Problem heap(int nx, int ny, int nz, double kept) {
  test::Random random(43);
  std::vector<Eigen::Vector3d> centers;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const double shift = 0.5 * (k % 2);
        centers.push_back(Eigen::Vector3d(i + shift, j + shift, k * std::sqrt(0.5)) + random.vector(0.01));
      }
  Problem problem;
  problem.z_count = 4 * static_cast<int>(centers.size());
  const auto add = [&](int A, int B, const Eigen::Vector3d& direction) {
    Block block;
    block.law = LawKind::kContact;
    block.row_begin = static_cast<int>(problem.b.size());
    block.row_count = 1;
    block.run_begin = static_cast<int>(problem.runs.size());
    block.y_begin = problem.y.size();
    const Eigen::Vector3d n = direction.normalized();
    double gamma = 0;
    for (const int sphere : {A, B}) {
      if (sphere < 0) continue;
      problem.runs.push_back({4 * sphere, 4});
      const double sign = sphere == B ? 1 : -1;
      for (int k = 0; k < 3; ++k) problem.y.push_back(sign * n[k] / std::sqrt(0.7));
      problem.y.push_back(0);
      gamma -= sign * n[2] * 9.81e-3;
    }
    block.run_count = static_cast<int>(problem.runs.size()) - block.run_begin;
    block.width = 4 * block.run_count;
    problem.blocks.push_back(block);
    problem.b.push_back(gamma);
    problem.compliance.push_back(0);
    problem.lambda.push_back(0);
  };
  for (std::size_t b = 0; b < centers.size(); ++b) {
    const int B = static_cast<int>(b);
    for (std::size_t a = 0; a < b; ++a) {
      const Eigen::Vector3d apart = centers[b] - centers[a];
      if (apart.norm() < 1.02 && random.chance(kept)) add(static_cast<int>(a), B, apart);
    }
    if (centers[b][2] < 0.1) add(-1, B, {0, 0, 1});
    if (centers[b][0] < 0.1) add(-1, B, {1, 0, 0.4});
    if (centers[b][0] > nx - 0.9) add(-1, B, {-1, 0, 0.4});
    if (centers[b][1] < 0.1) add(-1, B, {0, 1, 0.4});
    if (centers[b][1] > ny - 0.9) add(-1, B, {0, -1, 0.4});
  }
  return problem;
}

TEST(NewtonSparse, AHeapOfSpheresObeysTheLaws) {
  for (const double kept : {0.4, 0.75}) {  // the denser heap has more contacts than velocities
    for (const SolverKind kind : {SolverKind::kNewton, SolverKind::kHybrid}) {
      Problem problem = heap(4, 4, 6, kept);
      Eigen::VectorXd z(problem.z_count);
      const SolveReport report = make_solver(kind)->solve(problem, {.max_iterations = 20000}, z.data());
      EXPECT_TRUE(report.converged) << report.residual;
      EXPECT_EQ(report.operator_used, SolverOperator::kSparse);
      EXPECT_LE(test::law_violation(problem), 2e-10);  // the tolerance, and one unit of G between gamma and Lambda
      test::figure("{} contacts, {}: {} iterations, {} of them Newton steps, residual {:.1e} m/s", problem.b.size(),
                   name_of(kind), report.iterations, report.newton_steps, report.residual);
    }
  }
}

// The velocities are unique, so two ways must agree on them.
TEST(NewtonSparse, AgreesWithSweeps) {
  Problem a = heap(3, 3, 8, 0.45), b = a;
  Eigen::VectorXd za(a.z_count), zb(b.z_count);
  ASSERT_TRUE(make_solver(SolverKind::kNewton)->solve(a, {.tolerance = 1e-12}, za.data()).converged);
  ASSERT_TRUE(
      make_solver(SolverKind::kProx)->solve(b, {.max_iterations = 100000, .tolerance = 1e-12}, zb.data()).converged);
  EXPECT_LE((za - zb).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace lipkin
