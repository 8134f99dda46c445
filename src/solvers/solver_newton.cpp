#include "solvers/solver_newton.hpp"

#include <algorithm>

#include "solvers/sweep_loop.hpp"

namespace lipkin {

namespace {

constexpr int kDenseBlocks = 64;  // beyond, a sparse factorisation is faster where it is possible

}  // namespace

SolveReport SolverNewton::solve(Problem& problem, const SolverOptions& options, double* z) {
  const SolveClock clock(options.time_limit);
  set_.clear();
  for (const Block& block : problem.blocks) set_.add(sweep_block_of(problem, block));
  set_.prepare(problem.b.data(), problem.compliance.data(), problem.lambda.data(), z, problem.z_count);
  SolveReport report;
  if (problem.blocks.empty()) return report;
  islands_.find(set_.blocks(), problem.z_count);
  report.islands = islands_.group_count();
  report.operator_used = SolverOperator::kDelassus;
  report.reason = "Newton steps factor the rows of an island that hold";
  for (int island = 0; island < report.islands && !clock.expired(); ++island) {
    SolveReport one;
    const int *first = islands_.begin(island), *last = islands_.end(island);
    if (last - first > kDenseBlocks && NewtonSparse::suits(set_, first, last) && sparse_.load(set_, first, last)) {
      sparse_.solve(options, options.max_iterations, one);
      report.operator_used = SolverOperator::kSparse;
      report.reason = "an island is large and without friction";
    } else {
      dense_.load(set_, first, last);
      dense_.solve(options, options.max_iterations, one);
      dense_.write_z(z);
    }
    report.iterations = std::max(report.iterations, one.iterations);
    report.newton_steps = std::max(report.newton_steps, one.newton_steps);
  }
  report.residual = set_.residual();
  report.converged = report.residual <= options.tolerance;
  return report;
}

}  // namespace lipkin
