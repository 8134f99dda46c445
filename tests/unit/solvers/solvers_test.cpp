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

class EverySolver : public testing::TestWithParam<SolverKind> {
 protected:
  Answer solve(const Problem& problem, const SolverOptions& options = kTight) {
    return solved(GetParam(), problem, options);
  }
};

TEST_P(EverySolver, NothingToSolve) {
  Problem problem;
  problem.z_count = 8;
  const Answer answer = solve(problem);
  EXPECT_TRUE(answer.report.converged);
  EXPECT_EQ(answer.report.residual, 0);
  EXPECT_EQ(answer.z.norm(), 0);
}

TEST_P(EverySolver, ABodyLandsOrLeaves) {
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
TEST_P(EverySolver, SlidesAgainstItsDirectionAtEveryAngle) {
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

TEST_P(EverySolver, ObeysTheLawsOnRandomProblems) {
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

TEST_P(EverySolver, WarmStartDoesNotChangeTheAnswer) {
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

TEST_P(EverySolver, SameInputSameBits) {
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
TEST_P(EverySolver, ScaledRowsAndVelocitiesScaleTheAnswer) {
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

TEST_P(EverySolver, AStackStands) {
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

TEST_P(EverySolver, DegenerateRowsAreDropped) {
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

TEST(SolverProx, JacobiObeysTheLawsAndAgreesWithGaussSeidel) {
  test::Random random(15);
  for (int trial = 0; trial < 20; ++trial) {
    const ProblemMaker maker = test::random_problem(random, random.integer(1, 5), true);
    SolverOptions options = {.max_iterations = 400000, .tolerance = 1e-12};
    const Answer seidel = solved(SolverKind::kProx, maker.problem, options);
    options.jacobi = true;
    const Answer jacobi = solved(SolverKind::kProx, maker.problem, options);
    EXPECT_TRUE(jacobi.report.converged) << trial << ": " << jacobi.report.residual;
    EXPECT_LE(test::law_violation(jacobi.problem), 1e-10) << trial;
    EXPECT_LE((seidel.z - jacobi.z).norm(), 1e-8) << trial;
    EXPECT_GE(jacobi.report.iterations, seidel.report.iterations);
  }
}

TEST(SolverProx, OverRelaxationChangesTheWayNotTheAnswer) {
  test::Random random(16);
  const ProblemMaker maker = test::random_problem(random, 5, true);
  const Answer plain = solved(SolverKind::kProx, maker.problem);
  for (const double relaxation : {0.7, 1.3}) {
    SolverOptions options = kTight;
    options.relaxation = relaxation;
    const Answer relaxed = solved(SolverKind::kProx, maker.problem, options);
    EXPECT_TRUE(relaxed.report.converged);
    EXPECT_LE((relaxed.z - plain.z).norm(), 1e-11);
  }
}

// The second paper's criterion: no impulse changes by more than epsilon.
TEST(SolverImpulses, StopsAtThePapersEpsilon) {
  const Problem problem = test::stack(2, 0.3).problem;
  const Answer rough = solved(SolverKind::kImpulses, problem, {.max_iterations = 10000, .impulse_epsilon = 1e-3});
  const Answer fine = solved(SolverKind::kImpulses, problem, {.max_iterations = 10000, .impulse_epsilon = 1e-6});
  EXPECT_TRUE(rough.report.converged);
  EXPECT_TRUE(fine.report.converged);
  EXPECT_LT(rough.report.iterations, fine.report.iterations);
  EXPECT_LT(fine.report.residual, rough.report.residual);
}

TEST(SolverImpulses, SaysThatItHasNotConverged) {
  const Answer capped = solved(SolverKind::kImpulses, test::stack(4, 0.3).problem, {.max_iterations = 3});
  EXPECT_FALSE(capped.report.converged);
  EXPECT_EQ(capped.report.iterations, 3);
  EXPECT_GT(capped.report.residual, 1e-10);
  const Answer hurried = solved(SolverKind::kImpulses, test::stack(8, 0.3).problem,
                                {.max_iterations = 100000000, .tolerance = 0, .time_limit = 1e-3});
  EXPECT_FALSE(hurried.report.converged);
  EXPECT_GE(hurried.report.iterations, 1);
}

// A replay of the iterations that a time limit allowed gives the same bits.
TEST(SolverImpulses, IterationsDoneUnderATimeLimitCanBeRepeated) {
  const Problem problem = test::stack(8, 0.3).problem;
  const Answer hurried =
      solved(SolverKind::kImpulses, problem, {.max_iterations = 100000000, .tolerance = 0, .time_limit = 1e-3});
  const Answer replayed =
      solved(SolverKind::kImpulses, problem, {.max_iterations = hurried.report.iterations, .tolerance = 0});
  EXPECT_EQ(hurried.problem.lambda, replayed.problem.lambda);
  EXPECT_EQ(hurried.z, replayed.z);
}

TEST(SolverHybrid, IslandsAreSolvedOnTheirOwn) {
  const Problem one = test::stack(1, 0.3).problem;
  ProblemMaker maker = test::stack(1, 0.3);
  for (int k = 1; k < 5; ++k) {
    test::FreeBody body = maker.body(0);
    body.position.x() += 3 * k;
    const int index = maker.add(body);
    test::stand_on(maker, -1, index, {0.4, 0.3, 0.2}, 0.3);
  }
  const Answer alone = solved(SolverKind::kHybrid, one), together = solved(SolverKind::kHybrid, maker.problem);
  EXPECT_EQ(alone.report.islands, 1);
  EXPECT_EQ(together.report.islands, 5);
  EXPECT_EQ(together.report.operator_used, SolverOperator::kDelassus);
  for (std::size_t i = 0; i < one.b.size(); ++i) EXPECT_EQ(alone.problem.lambda[i], together.problem.lambda[i]);
}

TEST(SolverHybrid, ACubeAtRestTakesAFewIterations) {
  const Answer answer = solved(SolverKind::kHybrid, test::stack(1, 0.5).problem);
  EXPECT_TRUE(answer.report.converged);
  EXPECT_LE(answer.report.iterations, 3);
}

// Stacks that were hit: contacts open, slide and stick. Redundant and badly conditioned for sweeps.
TEST(SolverHybrid, StacksThatWereHitObeyTheLaws) {
  test::Random random(17);
  for (int trial = 0; trial < 40; ++trial) {
    ProblemMaker maker = test::stack(random.integer(1, 3), 0.4);
    const Eigen::MatrixXd Y = test::dense_rows(maker.problem);
    const Eigen::VectorXd hit = Y * random.values(Y.cols(), 0.2);
    for (std::size_t i = 0; i < maker.problem.b.size(); ++i) maker.problem.b[i] += hit[static_cast<Eigen::Index>(i)];
    const Answer answer = solved(SolverKind::kHybrid, maker.problem, {.max_iterations = 20000, .tolerance = 1e-11});
    EXPECT_TRUE(answer.report.converged) << trial << ": " << answer.report.residual;
    EXPECT_LE(test::law_violation(answer.problem), 1e-9) << trial;
  }
}

// A body of 1 kg falls at 1 m/s; two equal rows catch it together, one of them with 0.3 N s at most.
Problem body_caught_twice(double first, double second, double most) {
  ProblemMaker maker;
  const int body = maker.add({});
  maker.body(body).velocity = {0, 0, -1};
  for (const double hi : {most, 1.0}) maker.interval(-1, body, {0, 0, 0}, {{0, 0, 1}, Eigen::Vector3d::Zero()}, 0, hi);
  maker.problem.lambda = {first, second};
  return maker.problem;
}

// Equal shares are too much for one of the rows: the missing 0.05 N s go in equal parts onto what was there.
TEST(SolverHybrid, TakesTheNearestImpulsesWhereTheShortestAreOutOfBounds) {
  const Answer answer = solved(SolverKind::kHybrid, body_caught_twice(0.2, 0.75, 0.3));
  EXPECT_TRUE(answer.report.converged);
  EXPECT_EQ(answer.report.newton_steps, 1);
  EXPECT_NEAR(answer.problem.lambda[0], 0.225, 1e-14);  // a few roundings
  EXPECT_NEAR(answer.problem.lambda[1], 0.775, 1e-14);
}

TEST(SolverHybrid, TakesTheShortestImpulsesWhereTheyAreWithinBounds) {
  const Answer answer = solved(SolverKind::kHybrid, body_caught_twice(0.2, 0.75, 0.8));
  EXPECT_EQ(answer.report.newton_steps, 1);
  EXPECT_NEAR(answer.problem.lambda[0], 0.5, 1e-14);
  EXPECT_NEAR(answer.problem.lambda[1], 0.5, 1e-14);
}

// The nearest ones fall short as well: the first row carries what it can.
TEST(SolverHybrid, StepsOnWhereNeitherShortestNorNearestImpulsesAreWithinBounds) {
  const Answer answer = solved(SolverKind::kHybrid, body_caught_twice(0.29, 0.1, 0.3));
  EXPECT_TRUE(answer.report.converged);
  EXPECT_NEAR(answer.problem.lambda[0], 0.3, 1e-14);
  EXPECT_NEAR(answer.problem.lambda[1], 0.7, 1e-14);
}

TEST(Solvers, WhatIsNotFiniteIsSaid) {
  for (const SolverKind kind : {SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton, SolverKind::kHybrid}) {
    Problem problem = test::stack(2, 0.3).problem;
    problem.b[5] = NAN;
    EXPECT_FALSE(solved(kind, problem, {.max_iterations = 50}).report.converged) << name_of(kind);
  }
}

TEST(Solvers, NamesAreThoseOfScenes) {
  EXPECT_EQ(name_of(SolverKind::kImpulses), "impulses");
  EXPECT_EQ(name_of(SolverKind::kHybrid), "hybrid");
  EXPECT_THROW(make_solver(static_cast<SolverKind>(77)), InvalidArgument);
}

std::string kind_name(const testing::TestParamInfo<SolverKind>& info) { return std::string(name_of(info.param)); }

INSTANTIATE_TEST_SUITE_P(All, EverySolver,
                         testing::Values(SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton,
                                         SolverKind::kHybrid, SolverKind::kLemke),
                         kind_name);

}  // namespace
}  // namespace lipkin
