#include "solvers/solver_newton.hpp"

#include <algorithm>

#include "solvers/sweep_loop.hpp"

namespace lipkin {

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
    newton_.load(set_, islands_.begin(island), islands_.end(island));
    newton_.solve(options, options.max_iterations, one);
    newton_.write_z(z);
    report.iterations = std::max(report.iterations, one.iterations);
    report.newton_steps = std::max(report.newton_steps, one.newton_steps);
  }
  report.residual = set_.residual();
  report.converged = report.residual <= options.tolerance;
  return report;
}

}  // namespace lipkin
