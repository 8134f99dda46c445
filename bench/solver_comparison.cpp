#include "solver_comparison.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "solvers/solver.hpp"
#include "stopwatch.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

// The least of the solves' CPU times: disturbances only ever add time.
json measure(SolverKind kind, const Problem& original, double seconds) {
  const auto solver = make_solver(kind);
  SolverOptions options;
  options.tolerance = 1e-6;
  options.max_iterations = 100000;
  Problem problem = original;
  std::vector<double> z(static_cast<std::size_t>(problem.z_count));
  SolveReport report;
  double least = std::numeric_limits<double>::infinity(), spent = 0;
  do {
    problem.lambda = original.lambda;
    const double begin = seconds_on(Clock::kCpu);
    report = solver->solve(problem, options, z.data());
    const double time = seconds_on(Clock::kCpu) - begin;
    least = std::min(least, time);
    spent += time;
  } while (spent < seconds);
  return {{"us", 1e6 * least},
          {"iterations", report.iterations},
          {"residual", report.residual},
          {"converged", report.converged}};
}

}  // namespace

json compare_solvers(const Problem& problem, double seconds) {
  return {{"contacts", problem.blocks.size()},
          {"prox", measure(SolverKind::kProx, problem, seconds)},
          {"lemke", measure(SolverKind::kLemke, problem, seconds)}};
}

}  // namespace lipkin::bench
