#include "solvers/solver_hybrid.hpp"

#include <algorithm>

namespace lipkin {

namespace {

// Of the tolerance: what impulses that still hold may leave. Where the velocities were small before, it is the impulses
// that are not right yet: those of a step that has stopped a tiny motion would set off another, for ever. Rounding of
// redundant gaps, 1e-14 m or so, is never to be met.
constexpr double kStillHolds = 1, kStillHoldsAtRest = 0.2;
constexpr double kDrifts = 10;          // times the velocities before: what drifting may have left
constexpr int kRowsWorthAThread = 100;  // of islands to be solved: each takes a microsecond or more
constexpr int kManyRestBlocks = 400;    // from here on it pays to look for those that are restless

}  // namespace

// Each thread takes the islands that begin in its part of the rows. holding: what may be left of islands whose impulses
// still hold; negative: all are solved.
void SolverHybrid::solve_islands(const SolverOptions& options, double holding, const SolveClock& clock) {
  const int count = islands_.group_count();
  first_row_.assign(1, 0);
  for (int island = 0; island < count; ++island) {
    int rows = 0;
    for (const int* i = islands_.begin(island); i != islands_.end(island); ++i) rows += rest_.blocks()[*i].rows;
    first_row_.push_back(first_row_.back() + rows);
  }
  island_reports_.assign(static_cast<std::size_t>(count), {});
  ThreadPool* threads = count > 1 ? threads_ : nullptr;
  if (workers_.size() < static_cast<std::size_t>(thread_count_of(threads))) workers_.resize(thread_count_of(threads));
  in_parts(threads, first_row_.back(), kRowsWorthAThread, [&](int thread, int begin, int end) {
    const auto first = std::lower_bound(first_row_.begin(), first_row_.end() - 1, begin) - first_row_.begin();
    for (auto island = static_cast<int>(first); island < count && first_row_[island] < end; ++island) {
      const int *from = islands_.begin(island), *to = islands_.end(island);
      if (holding >= 0 && workers_[thread].holds(rest_, from, to, holding, island_reports_[island])) continue;
      workers_[thread].solve(rest_, from, to, options, clock, island_reports_[island]);
    }
  });
}

void SolverHybrid::solve_rest(const Problem& problem, const SolverOptions& options, const SolveClock& clock,
                              SolveReport& report) {
  islands_.find(rest_.blocks(), rest_.z_count());
  report.islands = islands_.group_count();
  const bool may_hold = problem.is_familiar && options.impulse_epsilon <= 0 && report.islands > 1;
  solve_islands(options, may_hold ? allowed_to_hold(problem, options) : -1, clock);
  int largest = 0;
  for (int island = 0; island < report.islands; ++island) {
    const SolveReport& one = island_reports_[island];
    report.converged = report.converged && one.converged;
    report.residual = std::max(report.residual, one.residual);
    report.iterations = std::max(report.iterations, one.iterations);
    report.newton_steps = std::max(report.newton_steps, one.newton_steps);
    const int rows = first_row_[island + 1] - first_row_[island];
    if (rows <= largest) continue;
    largest = rows;
    report.operator_used = one.operator_used;
    report.reason = one.reason;
  }
}

// What the impulses of the warm start may leave to count as an answer. What is left adds up over steps that all take
// over their impulses, until they no longer do.
double SolverHybrid::allowed_to_hold(const Problem& problem, const SolverOptions& options) {
  const double drifted = std::min(kStillHolds * options.tolerance, kDrifts * problem.speed_before);
  return std::max(kStillHoldsAtRest * options.tolerance, drifted);
}

// Whether the impulses of the warm start are an answer, or become one where few blocks are swept.
bool SolverHybrid::nearly_holds(const Problem& problem, const SolverOptions& options, const SolveClock& clock,
                                SolveReport& report) {
  if (options.impulse_epsilon > 0) return false;
  const double allowed = allowed_to_hold(problem, options);
  if (rest_.blocks().size() >= kManyRestBlocks) return restless_.solve(rest_, options, allowed, clock, report);
  if (!problem.is_familiar) return false;
  const double residual = rest_.residual();
  if (!(residual <= allowed)) return false;
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
  rest_.use(threads_);
  elimination_.reduce(problem, rest_, z);
  if (!rest_.blocks().empty()) {
    if (!nearly_holds(problem, options, clock, report)) {
      const int swept = std::max(report.iterations - 1, 0);
      SolverOptions left = options;
      left.max_iterations = std::max(options.max_iterations - swept, 1);
      report = {};
      solve_rest(problem, left, clock, report);
      report.iterations += swept;
    }
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
