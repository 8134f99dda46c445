// Piles as constraint problems, against what is known without solving them.
#include "contact_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/solver.hpp"

namespace lipkin::bench {
namespace {

constexpr double r = Cup::kRadius;
constexpr double kTolerance = 1e-10;  // of the solvers [m/s]

const Cup kCup(96);                                                   // its floor is 0.2 m wide; the walls lean away
const double kWeight = kCup.mass() * Cup::kGravity * Cup::kTimeStep;  // over a step [N s]
// What velocities wrong by the tolerance mean for impulses, with a margin for how far they add up.
const double kImpulse = 100 * kTolerance * kCup.mass();

SphereMotion at(double x, double y, const Triple& velocity = {}) { return {{x, y, r}, velocity, {}}; }

struct Solved {
  Problem problem;
  std::vector<double> z;

  double lambda(std::size_t row) const { return problem.lambda[row]; }
};

Solved solve(const std::vector<SphereMotion>& spheres, bool friction, SolverKind kind) {
  Solved solved{pile_problem(kCup, spheres, friction), {}};
  solved.z.resize(static_cast<std::size_t>(solved.problem.z_count));
  SolverOptions options;
  options.tolerance = kTolerance;
  options.max_iterations = 10000;
  EXPECT_TRUE(make_solver(kind)->solve(solved.problem, options, solved.z.data()).converged) << name_of(kind);
  return solved;
}

class ContactProblem : public testing::TestWithParam<SolverKind> {};

TEST_P(ContactProblem, TheFloorCarriesASphere) {
  for (const bool friction : {false, true}) {
    const Solved solved = solve({at(0, 0)}, friction, GetParam());
    ASSERT_EQ(solved.problem.blocks.size(), 1u);
    EXPECT_NEAR(solved.lambda(0), kWeight, kImpulse);
    for (std::size_t row = 1; row < solved.problem.lambda.size(); ++row) EXPECT_NEAR(solved.lambda(row), 0, kImpulse);
  }
}

// Sliding at 1 m/s it takes far more than a step to roll.
TEST_P(ContactProblem, ASlidingSphereIsBraked) {
  const SphereMotion sliding = at(0, 0, {0, 1, 0});
  const Solved solved = solve({sliding}, true, GetParam());
  EXPECT_NEAR(std::hypot(solved.lambda(1), solved.lambda(2)), Cup::kFriction * kWeight, kImpulse);
  const Triple after = velocity_after(kCup, sliding, 0, true, solved.z);
  EXPECT_NEAR(after[1], 1 - Cup::kFriction * Cup::kGravity * Cup::kTimeStep, 100 * kTolerance);
  EXPECT_NEAR(after[2], 0, 100 * kTolerance);
}

TEST_P(ContactProblem, SpheresThatMeetStop) {
  const std::vector<SphereMotion> spheres{at(-r, 0, {0.1, 0, 0}), at(r, 0, {-0.1, 0, 0})};
  const Solved solved = solve(spheres, false, GetParam());
  ASSERT_EQ(solved.problem.blocks.size(), 3u);  // floor, floor, pair
  EXPECT_NEAR(solved.lambda(0), kWeight, kImpulse);
  EXPECT_NEAR(solved.lambda(1), kWeight, kImpulse);
  EXPECT_NEAR(solved.lambda(2), 0.1 * kCup.mass(), kImpulse);
  for (std::size_t i = 0; i < 2; ++i) {
    for (const double v : velocity_after(kCup, spheres[i], i, false, solved.z)) EXPECT_NEAR(v, 0, 100 * kTolerance);
  }
}

// Seven in a hexagon, all at rest and touching: nearly every number of the problem is zero, which pivoting must
// survive.
TEST_P(ContactProblem, AtRestTheFloorCarriesEach) {
  std::vector<SphereMotion> spheres{at(0, 0)};
  for (int i = 0; i < 6; ++i) spheres.push_back(at(2 * r * std::cos(M_PI / 3 * i), 2 * r * std::sin(M_PI / 3 * i)));
  const Solved solved = solve(spheres, true, GetParam());
  ASSERT_EQ(solved.problem.blocks.size(), 7u + 12u);
  double carried = 0;
  for (const Block& block : solved.problem.blocks) {
    if (block.run_count == 1) carried += solved.lambda(static_cast<std::size_t>(block.row_begin));
  }
  EXPECT_NEAR(carried, 7 * kWeight, 7 * kImpulse);
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    for (const double v : velocity_after(kCup, spheres[i], i, true, solved.z)) EXPECT_NEAR(v, 0, 100 * kTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, ContactProblem, testing::Values(SolverKind::kProx, SolverKind::kLemke),
                         [](const auto& solver) { return std::string(name_of(solver.param)); });

}  // namespace
}  // namespace lipkin::bench
