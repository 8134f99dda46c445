// A large problem that holds but for a small part: what was left alone, and the bound that says so.
#include "solvers/restless_sweeps.hpp"

#include <gtest/gtest.h>

#include "solver_scenes.hpp"
#include "solvers/solver.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::ProblemMaker;

constexpr int kPairs = 150;

// Pairs of boxes on each other, all of them islands.
ProblemMaker pairs_of_boxes() {
  const Eigen::Vector3d size(0.4, 0.3, 0.2);
  ProblemMaker maker;
  for (int i = 0; i < kPairs; ++i) {
    for (int level = 0; level < 2; ++level) {
      test::FreeBody body = test::box(1 + 0.01 * i, size, {i + 0.01 * level, 0, 0.1 + 0.2 * level});
      body.velocity = {0, 0, -9.81e-3};
      maker.add(body);
    }
  }
  for (int i = 0; i < kPairs; ++i) {
    test::stand_on(maker, -1, 2 * i, size, 0.5);
    test::stand_on(maker, 2 * i, 2 * i + 1, size, 0.5);
  }
  return maker;
}

// Solved, then the boxes of every `every`th pair come in faster by `more` [m/s].
Problem disturbed(const SolverOptions& options, int every, double more) {
  Problem problem = pairs_of_boxes().problem;
  std::vector<double> z(static_cast<std::size_t>(problem.z_count));
  const std::unique_ptr<Solver> solver = make_solver(SolverKind::kHybrid);
  EXPECT_TRUE(solver->solve(problem, options, z.data()).converged);
  for (int pair = 0; pair < kPairs; pair += every)
    for (int block = 8 * pair; block < 8 * pair + 4; ++block) problem.b[problem.blocks[block].row_begin] -= more;
  return problem;
}

TEST(RestlessSweeps, SweepOnlyWhatIsViolatedAndBoundTheRest) {
  const SolverOptions options = {.tolerance = 1e-8};
  for (const double more : {1e-11, 1e-9, 3e-8, 1e-7}) {
    Problem problem = disturbed(options, 30, more);
    const std::vector<double> before = problem.lambda;
    std::vector<double> z(static_cast<std::size_t>(problem.z_count));
    SweepSet set;
    set.load(problem, z.data());
    RestlessSweeps sweeps;
    SolveReport report;
    ASSERT_TRUE(sweeps.solve(set, options, 0.05 * options.tolerance, SolveClock(0), report)) << more;
    EXPECT_TRUE(report.converged);
    const double truth = set.residual();
    figure("restless sweeps, {:.0e} m/s: {} iterations, residual {:.1e}, said to be at most {:.1e}", more,
           report.iterations, truth, report.residual);
    EXPECT_LE(truth, report.residual * (1 + 1e-12));
    EXPECT_LE(report.residual, options.tolerance);
    for (int pair = 0; pair < kPairs; ++pair) {
      const int first = problem.blocks[8 * pair].row_begin;
      const bool same = std::equal(before.begin() + first, before.begin() + first + 24, problem.lambda.begin() + first);
      EXPECT_TRUE(same || pair % 30 == 0) << pair;
      EXPECT_FALSE(same && pair % 30 == 0 && more > options.tolerance) << pair;
    }
  }
}

TEST(RestlessSweeps, SweepAllWhereAGoodPartIsViolated) {
  const SolverOptions options = {.tolerance = 1e-8};
  for (const double more : {1e-9, 1e-7}) {
    Problem problem = disturbed(options, 2, more);
    std::vector<double> z(static_cast<std::size_t>(problem.z_count));
    SweepSet set;
    set.load(problem, z.data());
    SolveReport report;
    ASSERT_TRUE(RestlessSweeps().solve(set, options, 0.05 * options.tolerance, SolveClock(0), report)) << more;
    EXPECT_TRUE(report.converged);
    EXPECT_LE(set.residual(), report.residual * (1 + 1e-12));
    EXPECT_LE(report.residual, options.tolerance);
  }
}

TEST(RestlessSweeps, LeaveItToOthersWhereMuchIsViolated) {
  const SolverOptions options = {.tolerance = 1e-8};
  Problem problem = disturbed(options, 1, 1e-3);
  std::vector<double> z(static_cast<std::size_t>(problem.z_count));
  SweepSet set;
  set.load(problem, z.data());
  SolveReport report;
  EXPECT_TRUE(RestlessSweeps().solve(set, options, 0.05 * options.tolerance, SolveClock(0), report) ||
              !report.converged);
  const std::unique_ptr<Solver> solver = make_solver(SolverKind::kHybrid);
  const SolveReport whole = solver->solve(problem, options, z.data());
  EXPECT_TRUE(whole.converged);
  EXPECT_LE(test::law_violation(problem), 1e-7);  // ten times the tolerance: in units of its own
}

TEST(RestlessSweeps, WhatIsNotFiniteIsNotTakenForRest) {
  const SolverOptions options = {.tolerance = 1e-8};
  Problem problem = disturbed(options, 30, 0);
  problem.b[0] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> z(static_cast<std::size_t>(problem.z_count));
  SweepSet set;
  set.load(problem, z.data());
  SolveReport report;
  RestlessSweeps().solve(set, options, 0.05 * options.tolerance, SolveClock(0), report);
  EXPECT_FALSE(report.converged);
}

}  // namespace
}  // namespace lipkin
