#include "solvers/solver_direct.hpp"

#include "lipkin/error.hpp"

namespace lipkin {

SolveReport SolverDirect::solve(Problem& problem, const SolverOptions& options, double* z) {
  for (const Block& block : problem.blocks) {
    if (block.law != LawKind::kBilateral)
      throw InvalidArgument(
          "solver direct: it takes bilateral rows only, and there is a contact, a limit, a motor or "
          "friction; choose hybrid");
  }
  elimination_.reduce(problem, nothing_, z);
  elimination_.finish(problem, z);
  SolveReport report;
  report.residual = elimination_.residual(problem, z);
  report.converged = report.residual <= options.tolerance;
  if (problem.blocks.empty()) return report;
  report.iterations = 1;
  report.islands = elimination_.cluster_count();
  report.operator_used = SolverOperator::kDelassus;
  report.reason = "bilateral rows are factored cluster by cluster";
  return report;
}

}  // namespace lipkin
