// A solver takes nothing from the heap once its buffers have grown.
#include <gtest/gtest.h>

#include "allocation_counter.hpp"
#include "solvers/solver.hpp"
#include "unit/solvers/solver_scenes.hpp"

namespace lipkin {
namespace {

class SolverAllocation : public testing::TestWithParam<SolverKind> {};

TEST_P(SolverAllocation, NoneOnceTheBuffersHaveGrown) {
  test::Random random(51);
  std::vector<Problem> problems;
  for (const int bodies : {6, 3, 40, 1}) problems.push_back(test::random_problem(random, bodies, true).problem);
  problems.push_back(test::stack(3, 0.3).problem);
  problems.push_back(test::stack(40, 0).problem);  // large and without friction
  problems.push_back(test::stack(12, 0.3).problem);
  if (GetParam() == SolverKind::kLemke) problems.resize(2);
  if (GetParam() == SolverKind::kDirect)
    for (Problem& problem : problems)
      for (Block& block : problem.blocks) block.law = LawKind::kBilateral;
  const std::unique_ptr<Solver> solver = make_solver(GetParam());
  const SolverOptions options = {.max_iterations = 100};
  std::vector<double> z(8 * 64);
  for (const Problem& problem : problems) {
    Problem own = problem;
    solver->solve(own, options, z.data());
  }
  for (Problem& problem : problems) {
    for (double& b : problem.b) b *= 1.5;  // other impulses, other active rows
    EXPECT_EQ(test::allocations_in([&] { solver->solve(problem, options, z.data()); }), 0);
  }
}

std::string kind_name(const testing::TestParamInfo<SolverKind>& info) { return std::string(name_of(info.param)); }

INSTANTIATE_TEST_SUITE_P(All, SolverAllocation,
                         testing::Values(SolverKind::kImpulses, SolverKind::kProx, SolverKind::kNewton,
                                         SolverKind::kDirect, SolverKind::kHybrid, SolverKind::kLemke),
                         kind_name);

}  // namespace
}  // namespace lipkin
