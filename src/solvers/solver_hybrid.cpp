#include "solvers/solver_hybrid.hpp"

#include <algorithm>

#include "solvers/sweep_loop.hpp"

namespace lipkin {

SolveReport SolverHybrid::solve(Problem& problem, const SolverOptions& options, double* z) {
  const SolveClock clock(options.time_limit);
  SolveReport report;
  elimination_.reduce(problem, rest_);
  if (!rest_.blocks().empty()) {
    report.operator_used = SolverOperator::kMatrixFree;
    report.reason = "sweeps";
    sweep_until_done(rest_, {}, options, options.max_iterations, clock, report);
  }
  elimination_.finish(problem, z);
  report.residual = std::max(report.residual, elimination_.residual(problem, z));
  return report;
}

}  // namespace lipkin
