#include "solvers/solver_impulses.hpp"

#include "solvers/sweep_loop.hpp"

namespace lipkin {

SolveReport SolverImpulses::solve(Problem& problem, const SolverOptions& options, double* z) {
  const SolveClock clock(options.time_limit);
  set_.load(problem, z);
  SolveReport report;
  if (problem.blocks.empty()) return report;
  report.operator_used = SolverOperator::kMatrixFree;
  report.reason = "sequential impulses apply each impulse at once";
  sweep_until_done(set_.data(), {.relaxation = 1, .row_by_row = true}, options, options.max_iterations, clock, report);
  return report;
}

}  // namespace lipkin
