#include "solvers/solver_hybrid.hpp"

#include <algorithm>

#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kNewtonFirstRows = 96;    // up to here a Newton step costs less than the sweeps it saves
constexpr int kDenseRowsMost = 200;     // a dense factorisation beyond takes milliseconds
constexpr int kSparseRowsMost = 4000;   // the ordering grows faster than the rows
constexpr int kSweepsBeforeSparse = 4;  // enough to find most of the active set
constexpr int kSweepsBeforeDense = 8;
constexpr int kSweepsBeforeInside = 40;
constexpr double kStillHolds = 0.01;
constexpr int kLittlePatience = 2;  // with Newton steps that cost as much as an interior-point method as a whole
constexpr int kPlainSweeps = 12;    // before acceleration: real-time settings stop there

}  // namespace

int SolverHybrid::rows_of(int island) const {
  int rows = 0;
  for (const int* i = islands_.begin(island); i != islands_.end(island); ++i) rows += rest_.blocks()[*i].rows;
  return rows;
}

void SolverHybrid::sweep_island(int island, const SolverOptions& options, int sweeps_max, const SolveClock& clock,
                                SolveReport& report) {
  island_blocks_.clear();
  for (const int* i = islands_.begin(island); i != islands_.end(island); ++i)
    island_blocks_.push_back(rest_.blocks()[*i]);
  island_ = rest_.data();
  island_.blocks = island_blocks_.data();
  island_.block_count = static_cast<int>(island_blocks_.size());
  report.operator_used = SolverOperator::kMatrixFree;
  const int sweeps = std::min(sweeps_max, options.max_iterations - report.iterations);
  if (options.impulse_epsilon > 0) {
    sweep_until_done(island_, {}, options, sweeps, clock, report);
  } else {
    sweeps_.sweep_until_done(island_, rest_.z_count(), {}, options, kPlainSweeps, sweeps, clock, report);
  }
}

// On the island that was swept last.
void SolverHybrid::solve_inside(const SolverOptions& options, int attempt, SolveReport& report) {
  report.iterations += inside_.solve(island_, rest_.z_count(), options.tolerance, attempt);
  for (const SweepBlock& block : island_blocks_)
    for (int run = 0; run < block.run_count; ++run)
      std::fill_n(island_.z + block.runs[run].begin, block.runs[run].length, 0.0);
  solver_kernels().add_impulses_to_z(island_);
  report.residual = solver_kernels().residual_of_blocks(island_, nullptr);
  report.converged = report.residual <= options.tolerance;
  report.operator_used = SolverOperator::kSparse;
  report.reason = "sweeps converged too slowly";
}

void SolverHybrid::sweep_and_solve_inside(int island, const SolverOptions& options, const SolveClock& clock,
                                          SolveReport& report) {
  const auto done = [&] { return report.converged || clock.expired() || report.iterations >= options.max_iterations; };
  sweep_island(island, options, kSweepsBeforeInside, clock, report);
  if (done()) return;
  if (!inside_.affordable(island_, rest_.z_count())) {
    report.reason = "the largest island is too large for a factorisation";
    sweep_island(island, options, options.max_iterations, clock, report);
    return;
  }
  for (int attempt = 0; attempt < ConeInteriorPoint::kAttempts && !done(); ++attempt) {
    solve_inside(options, attempt, report);
    if (!done()) sweep_island(island, options, kSweepsBeforeInside, clock, report);
  }
}

void SolverHybrid::solve_island(int island, const SolverOptions& options, const SolveClock& clock,
                                SolveReport& report) {
  const int *first = islands_.begin(island), *last = islands_.end(island), rows = rows_of(island);
  const auto factored = [&](NewtonIsland& newton, int patience, SolverOperator used, std::string_view reason) {
    report.operator_used = used;
    report.reason = reason;
    newton.solve(options, options.max_iterations - report.iterations, patience, clock, report);
  };
  if (options.impulse_epsilon <= 0 && rows <= kNewtonFirstRows) {
    dense_.load(rest_, first, last);
    factored(dense_, NewtonIsland::kPatience, SolverOperator::kDelassus, "the largest island is small");
    dense_.write_z(rest_.data().z);
    return;
  }
  report.reason = "sweeps converged";
  if (options.impulse_epsilon > 0) {
    sweep_island(island, options, options.max_iterations, clock, report);
    return;
  }
  if (rows <= kSparseRowsMost && NewtonSparse::suits(rest_, first, last)) {
    sweep_island(island, options, kSweepsBeforeSparse, clock, report);
    if (report.converged || clock.expired() || report.iterations >= options.max_iterations) return;
    if (sparse_.load(rest_, first, last)) {
      factored(sparse_, NewtonIsland::kPatience, SolverOperator::kSparse, "the largest island is without friction");
      if (report.converged) return;
    }
  }
  if (rows > kDenseRowsMost) {
    sweep_and_solve_inside(island, options, clock, report);
    return;
  }
  sweep_island(island, options, kSweepsBeforeDense, clock, report);
  if (report.converged || clock.expired() || report.iterations >= options.max_iterations) return;
  dense_.load(rest_, first, last);
  factored(dense_, kLittlePatience, SolverOperator::kDelassus, "sweeps converged too slowly");
  dense_.write_z(rest_.data().z);
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

// Far within the tolerance, so that what is left does not add up over steps that all take over their impulses.
bool SolverHybrid::still_holds(const SolverOptions& options, SolveReport& report) const {
  if (options.impulse_epsilon > 0) return false;
  const double residual = rest_.residual();
  if (!(residual <= kStillHolds * options.tolerance)) return false;
  report.iterations = 1;
  report.residual = residual;
  report.operator_used = SolverOperator::kMatrixFree;
  report.reason = "the last step's impulses still hold";
  return true;
}

// A single drive or limit, the most common problem of a mechanism, needs no iteration.
SolveReport SolverHybrid::solve_single(Problem& problem, double* z) const {
  const Block& block = problem.blocks.front();
  const double* y = problem.y.data() + block.y_begin;
  double G = problem.compliance[block.row_begin];
  std::fill_n(z, problem.z_count, 0.0);
  for (int k = 0; k < block.width; ++k) G += y[k] * y[k];
  const double lambda = G > 0 ? std::clamp(-problem.b[block.row_begin] / G, block.lo, block.hi) : 0.0;
  problem.lambda[block.row_begin] = lambda;
  for (int r = block.run_begin; r < block.run_begin + block.run_count; ++r)
    for (int k = 0; k < problem.runs[r].length; ++k) z[problem.runs[r].begin + k] += lambda * *y++;
  SolveReport report;
  report.iterations = 1;
  report.islands = 1;
  report.operator_used = SolverOperator::kDelassus;
  report.reason = "a single row";
  return report;
}

SolveReport SolverHybrid::solve(Problem& problem, const SolverOptions& options, double* z) {
  if (problem.blocks.size() == 1 && problem.blocks.front().law == LawKind::kInterval &&
      problem.blocks.front().run_count == 1)
    return solve_single(problem, z);
  const SolveClock clock(options.time_limit);
  SolveReport report;
  elimination_.reduce(problem, rest_);
  if (!rest_.blocks().empty()) {
    if (!problem.is_familiar || !still_holds(options, report)) solve_rest(options, clock, report);
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
