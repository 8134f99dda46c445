// Every solver against closed forms, against the laws, and against the others.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/error.hpp"
#include "solver_scenes.hpp"
#include "solvers/solver.hpp"

namespace lipkin {
namespace {

using test::ProblemMaker;

// Tight enough to tell exact answers from nearly exact ones; sweeps need many rounds for it.
const SolverOptions kTight = {.max_iterations = 200000, .tolerance = 1e-13};

struct Answer {
  Problem problem;
  Eigen::VectorXd z;
  SolveReport report;
};

Answer solved(SolverKind kind, Problem problem, const SolverOptions& options = kTight) {
  Answer answer;
  answer.problem = std::move(problem);
  answer.z.setConstant(answer.problem.z_count, NAN);
  answer.report = make_solver(kind)->solve(answer.problem, options, answer.z.data());
  return answer;
}

void expect_consistent_z(const Answer& answer) {
  const Eigen::VectorXd expected = test::dense_rows(answer.problem).transpose() * test::dense(answer.problem.lambda);
  EXPECT_LE((answer.z - expected).norm(), 1e-11 * (1 + expected.norm()));
}

class Solvers : public testing::TestWithParam<SolverKind> {
 protected:
  Answer solve(const Problem& problem, const SolverOptions& options = kTight) {
    return solved(GetParam(), problem, options);
  }
};

TEST_P(Solvers, NothingToSolve) {
  Problem problem;
  problem.z_count = 8;
  const Answer answer = solve(problem);
  EXPECT_TRUE(answer.report.converged);
  EXPECT_EQ(answer.report.residual, 0);
  EXPECT_EQ(answer.z.norm(), 0);
}

TEST_P(Solvers, ABodyLandsOrLeaves) {
  for (const double speed : {-2.0, 3.0}) {
    ProblemMaker maker;
    maker.add({.mass = 5, .velocity = {0, 0, speed}});
    maker.contact(-1, 0, {0, 0, 0}, {0, 0, 1}, 0.5);
    const Answer answer = solve(maker.problem);
    EXPECT_TRUE(answer.report.converged);
    EXPECT_NEAR(answer.problem.lambda[0], speed < 0 ? 10 : 0, 1e-12);
    expect_consistent_z(answer);
  }
}

// A sphere-like point contact through the centre of mass, pushed down and sideways: sticks inside the cone, slides
// against its velocity outside. At any angle, which a pyramid would not give.
TEST_P(Solvers, SlidesAgainstItsDirectionAtEveryAngle) {
  for (const double angle : {0.0, 0.3, 1.0, 2.2, 4.0, 5.9}) {
    for (const double mu : {0.0, 0.2, 0.4999, 0.5001, 1e6}) {
      ProblemMaker maker;
      const double down = 2, along = 1, mass = 3;
      maker.add({.mass = mass, .velocity = {along * std::cos(angle), along * std::sin(angle), -down}});
      maker.contact(-1, 0, {0, 0, 0}, {0, 0, 1}, mu);
      const Answer answer = solve(maker.problem);
      EXPECT_TRUE(answer.report.converged);
      const double expected = std::min(mu * mass * down, mass * along);
      const Eigen::Vector2d friction(answer.problem.lambda[1], answer.problem.lambda[2]);
      const Eigen::Vector2d slip(maker.problem.b[1], maker.problem.b[2]);
      const bool pyramid = GetParam() == SolverKind::kLemke;
      // Eight sides: some corner of the pyramid, at most an eighth of pi off.
      const double tolerance = pyramid ? 2 * std::sin(M_PI / 16) * expected : 0;
      EXPECT_NEAR((friction + expected * slip.normalized()).norm(), 0, tolerance + 1e-11) << angle << " " << mu;
      EXPECT_NEAR(answer.problem.lambda[0], mass * down, 1e-11);
    }
  }
}

TEST_P(Solvers, ObeysTheLawsOnRandomProblems) {
  test::Random random(11);
  for (int trial = 0; trial < 30; ++trial) {
    const ProblemMaker maker = test::random_problem(random, random.integer(1, 6), GetParam() != SolverKind::kLemke);
    const Answer answer = solve(maker.problem);
    EXPECT_TRUE(answer.report.converged) << trial << ": " << answer.report.residual;
    // The independent measure mixes impulses and velocities; G's entries are between 0.1 and 10.
    EXPECT_LE(test::law_violation(answer.problem), 1e-11) << trial;
    expect_consistent_z(answer);
  }
}

TEST_P(Solvers, WarmStartDoesNotChangeTheAnswer) {
  test::Random random(12);
  for (int trial = 0; trial < 20; ++trial) {
    ProblemMaker maker = test::random_problem(random, 4, GetParam() != SolverKind::kLemke);
    const Answer cold = solve(maker.problem);
    for (double& lambda : maker.problem.lambda) lambda = random.uniform(-1, 1);
    const Answer warm = solve(maker.problem);
    EXPECT_LE((cold.z - warm.z).norm(), 1e-10) << trial;
    const Answer again = solve(cold.problem);
    EXPECT_LE((cold.z - again.z).norm(), 1e-11) << trial;
  }
}

TEST_P(Solvers, SameInputSameBits) {
  test::Random random(13);
  const ProblemMaker maker = test::random_problem(random, 6, GetParam() != SolverKind::kLemke);
  const ProblemMaker other = test::stack(3, 0.3);
  std::unique_ptr<Solver> used = make_solver(GetParam());
  Problem first = maker.problem, second = maker.problem, between = other.problem;
  Eigen::VectorXd z1(first.z_count), z2(first.z_count), z3(between.z_count);
  used->solve(first, kTight, z1.data());
  used->solve(between, {.max_iterations = 100}, z3.data());
  used->solve(second, kTight, z2.data());
  EXPECT_EQ(z1, z2);
  EXPECT_EQ(first.lambda, second.lambda);
}

// The problem of a world ten times smaller, or of masses and times in other units.
TEST_P(Solvers, ScaledRowsAndVelocitiesScaleTheAnswer) {
  test::Random random(14);
  for (const double row_scale : {1e-3, 1e3}) {
    for (const double speed_scale : {1e-2, 1e2}) {
      ProblemMaker maker = test::random_problem(random, 4, GetParam() != SolverKind::kLemke);
      const Answer plain = solve(maker.problem);
      for (double& y : maker.problem.y) y *= row_scale;
      for (double& b : maker.problem.b) b *= speed_scale;
      const double impulse_scale = speed_scale / (row_scale * row_scale);
      for (Block& block : maker.problem.blocks) {
        block.lo *= impulse_scale;
        block.hi *= impulse_scale;
      }
      SolverOptions options = kTight;
      options.tolerance *= speed_scale;
      const Answer scaled = solve(maker.problem, options);
      EXPECT_TRUE(scaled.report.converged);
      for (std::size_t i = 0; i < plain.problem.lambda.size(); ++i)
        EXPECT_NEAR(scaled.problem.lambda[i] / impulse_scale, plain.problem.lambda[i], 1e-10);
    }
  }
}

TEST_P(Solvers, AStackStands) {
  for (const double mu : {0.0, 0.3}) {
    if (mu > 0 && GetParam() == SolverKind::kLemke) continue;
    ProblemMaker maker = test::stack(4, mu);
    const Answer answer = solve(maker.problem, {.max_iterations = 100000, .tolerance = 1e-11});
    EXPECT_TRUE(answer.report.converged) << answer.report.residual;
    const Eigen::VectorXd gamma = test::gap_velocities(answer.problem);
    EXPECT_LE(gamma.cwiseAbs().maxCoeff(), 1e-9);
    // Each interface carries what stands on it.
    for (int i = 0; i < 4; ++i) {
      double carried = 0, above = 0;
      for (int k = 0; k < 4; ++k) carried += answer.problem.lambda[static_cast<std::size_t>(12 * i + 3 * k)];
      for (int k = i; k < 4; ++k) above += maker.body(k).mass * 9.81e-2;
      EXPECT_NEAR(carried, above, 1e-9 * above);
    }
  }
}

TEST_P(Solvers, DegenerateRowsAreDropped) {
  ProblemMaker maker;
  maker.add({.mass = 2, .velocity = {0, 0, -1}});
  maker.contact(-1, 0, {0, 0, 0}, {0, 0, 1}, 0.5);
  maker.contact(-1, 0, {0, 0, 0}, {0, 0, 1}, 0.5);
  // Both bodies of the second contact are the same: its parts cancel.
  Block& twin = maker.problem.blocks[1];
  maker.problem.runs.push_back({0, 8});
  twin.run_count = 2;
  twin.width = 16;
  std::vector<double> y;
  for (int r = 0; r < 3; ++r) {
    const auto row = maker.problem.y.begin() + static_cast<std::ptrdiff_t>(twin.y_begin) + 8 * r;
    y.insert(y.end(), row, row + 8);
    for (int j = 0; j < 8; ++j) y.push_back(-row[j] * (1 + 1e-15));
  }
  maker.problem.y.resize(twin.y_begin);
  maker.problem.y.insert(maker.problem.y.end(), y.begin(), y.end());
  maker.problem.lambda[3] = 7;
  const Answer answer = solve(maker.problem);
  EXPECT_TRUE(answer.report.converged);
  EXPECT_NEAR(answer.problem.lambda[0], 2, 1e-12);
  EXPECT_EQ(answer.problem.lambda[3], 0);
}

std::string kind_name(const testing::TestParamInfo<SolverKind>& info) { return std::string(name_of(info.param)); }

INSTANTIATE_TEST_SUITE_P(All, Solvers,
                         testing::Values(SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton,
                                         SolverKind::kHybrid, SolverKind::kLemke),
                         kind_name);

}  // namespace
}  // namespace lipkin
