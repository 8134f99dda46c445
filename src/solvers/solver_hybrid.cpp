#include "solvers/solver_hybrid.hpp"

#include <algorithm>

namespace lipkin {

namespace {

constexpr int kNewtonFirstRows = 96;  // up to here a Newton step costs less than the sweeps it saves
constexpr int kNewtonRowsMost = 360;  // a dense factorisation beyond takes many milliseconds
constexpr int kSweepsBeforeNewton = 40;

}  // namespace

int SolverHybrid::rows_of(int island) const {
  int rows = 0;
  for (const int* i = islands_.begin(island); i != islands_.end(island); ++i) rows += rest_.blocks()[*i].rows;
  return rows;
}

void SolverHybrid::solve_island(int island, const SolverOptions& options, const SolveClock& clock,
                                SolveReport& report) {
  const int rows = rows_of(island);
  const bool newton = options.impulse_epsilon <= 0 && rows <= kNewtonRowsMost;
  report.operator_used = SolverOperator::kMatrixFree;
  report.reason = newton ? "sweeps converged" : "the largest island is too large for a dense factorisation";
  report.converged = false;
  if (!newton || rows > kNewtonFirstRows) {
    island_blocks_.clear();
    for (const int* i = islands_.begin(island); i != islands_.end(island); ++i)
      island_blocks_.push_back(rest_.blocks()[*i]);
    SweepData data = rest_.data();
    data.blocks = island_blocks_.data();
    data.block_count = static_cast<int>(island_blocks_.size());
    const int sweeps = newton ? std::min(kSweepsBeforeNewton, options.max_iterations) : options.max_iterations;
    sweep_until_done(data, {}, options, sweeps, clock, report);
  }
  if (!newton || report.converged || clock.expired()) return;
  report.operator_used = SolverOperator::kDelassus;
  report.reason = rows > kNewtonFirstRows ? "sweeps converged too slowly" : "the largest island is small";
  newton_.load(rest_, islands_.begin(island), islands_.end(island));
  newton_.solve(options, options.max_iterations - report.iterations, report);
  newton_.write_z(rest_.data().z);
}

void SolverHybrid::solve_rest(const SolverOptions& options, const SolveClock& clock, SolveReport& report) {
  islands_.find(rest_.blocks(), rest_.z_count());
  report.islands = islands_.group_count();
  int largest = 0;
  for (int island = 0; island < report.islands; ++island) {
    SolveReport one;
    solve_island(island, options, clock, one);
    report.converged = report.converged && one.converged;
    report.residual = std::max(report.residual, one.residual);
    report.iterations = std::max(report.iterations, one.iterations);
    report.newton_steps = std::max(report.newton_steps, one.newton_steps);
    const int rows = rows_of(island);
    if (rows <= largest) continue;
    largest = rows;
    report.operator_used = one.operator_used;
    report.reason = one.reason;
  }
}

SolveReport SolverHybrid::solve(Problem& problem, const SolverOptions& options, double* z) {
  const SolveClock clock(options.time_limit);
  SolveReport report;
  elimination_.reduce(problem, rest_);
  if (!rest_.blocks().empty()) {
    solve_rest(options, clock, report);
  } else if (!problem.blocks.empty()) {
    report.iterations = 1;
    report.operator_used = SolverOperator::kDelassus;
    report.reason = "bilateral rows are factored cluster by cluster";
  }
  elimination_.finish(problem, z);
  const double bilateral = elimination_.residual(problem, z);
  report.converged = report.converged && bilateral <= options.tolerance;
  report.residual = std::max(report.residual, bilateral);
  return report;
}

}  // namespace lipkin
