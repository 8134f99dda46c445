#include "solvers/solver_newton.hpp"

#include <algorithm>

namespace lipkin {

namespace {

constexpr int kDenseBlocks = 64;       // beyond, a sparse factorisation is faster where it is possible
constexpr int kNewtonRowsMost = 1200;  // beyond, a dense one takes seconds
constexpr int kSweepsBeforeNewton = 12;

}  // namespace

int SolverNewton::rows_of(const int* first, const int* last) const {
  int rows = 0;
  for (const int* i = first; i != last; ++i) rows += set_.blocks()[*i].rows;
  return rows;
}

void SolverNewton::sweep(const int* first, const int* last, const SolverOptions& options, const SolveClock& clock,
                         SolveReport& report) {
  island_blocks_.clear();
  for (const int* i = first; i != last; ++i) island_blocks_.push_back(set_.blocks()[*i]);
  SweepData data = set_.data();
  data.blocks = island_blocks_.data();
  data.block_count = static_cast<int>(island_blocks_.size());
  sweeps_.sweep_until_done(data, set_.z_count(), {}, options, kSweepsBeforeNewton, options.max_iterations, clock,
                           report);
}

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
      sparse_.solve(options, options.max_iterations, NewtonIsland::kPatience, clock, one);
      report.operator_used = SolverOperator::kSparse;
      report.reason = "an island is large and without friction";
    } else if (rows_of(first, last) <= kNewtonRowsMost) {
      dense_.load(set_, first, last);
      dense_.solve(options, options.max_iterations, NewtonIsland::kPatience, clock, one);
      dense_.write_z(z);
    } else {
      sweep(first, last, options, clock, one);
      report.operator_used = SolverOperator::kMatrixFree;
      report.reason = "an island with friction is too large for a factorisation";
    }
    report.iterations = std::max(report.iterations, one.iterations);
    report.newton_steps = std::max(report.newton_steps, one.newton_steps);
  }
  report.residual = set_.residual();
  report.converged = report.residual <= options.tolerance;
  return report;
}

}  // namespace lipkin
