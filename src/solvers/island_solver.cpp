#include "solvers/island_solver.hpp"

#include <algorithm>

#include "solvers/kernels.hpp"
#include "solvers/sweep_loop.hpp"

namespace lipkin {

namespace {

constexpr int kNewtonFirstRows = 96;     // up to here a Newton step costs less than the sweeps it saves
constexpr int kNewtonFirstColumns = 64;  // and where many rows act on few velocities
constexpr int kDenseRowsMost = 200;      // a dense factorisation beyond takes milliseconds
constexpr int kSparseRowsMost = 4000;    // the ordering grows faster than the rows
constexpr int kSweepsBeforeSparse = 4;   // enough to find most of the active set
constexpr int kSweepsBeforeDense = 8;
constexpr int kSweepsBeforeInside = 40;
constexpr int kLittlePatience = 2;  // with Newton steps that cost as much as an interior-point method as a whole
constexpr int kPlainSweeps = 12;    // before acceleration: real-time settings stop there

}  // namespace

void IslandSolver::load(const SweepSet& set, const int* first, const int* last) {
  blocks_.clear();
  for (const int* i = first; i != last; ++i) blocks_.push_back(set.blocks()[*i]);
  data_ = set.data();
  data_.blocks = blocks_.data();
  data_.block_count = static_cast<int>(blocks_.size());
  z_count_ = set.z_count();
}

bool IslandSolver::holds(const SweepSet& set, const int* first, const int* last, double allowed, SolveReport& report) {
  load(set, first, last);
  report.residual = solver_kernels().residual_of_blocks(data_, nullptr, nullptr);
  if (!(report.residual <= allowed)) return false;
  report.iterations = 1;
  report.operator_used = SolverOperator::kMatrixFree;
  report.reason = "the last step's impulses still hold";
  return true;
}

void IslandSolver::sweep(const SolverOptions& options, int sweeps_max, const SolveClock& clock, SolveReport& report) {
  report.operator_used = SolverOperator::kMatrixFree;
  const int sweeps = std::min(sweeps_max, options.max_iterations - report.iterations);
  if (options.impulse_epsilon > 0) {
    sweep_until_done(data_, {}, options, sweeps, clock, report);
  } else {
    sweeps_.sweep_until_done(data_, z_count_, {}, options, kPlainSweeps, sweeps, clock, report);
  }
}

void IslandSolver::solve_inside(const SolverOptions& options, int attempt, SolveReport& report) {
  report.iterations += inside_.solve(data_, z_count_, options.tolerance, attempt);
  for (const SweepBlock& block : blocks_)
    for (int run = 0; run < block.run_count; ++run)
      std::fill_n(data_.z + block.runs[run].begin, block.runs[run].length, 0.0);
  solver_kernels().add_impulses_to_z(data_);
  report.residual = solver_kernels().residual_of_blocks(data_, nullptr, nullptr);
  report.converged = report.residual <= options.tolerance;
  report.operator_used = SolverOperator::kSparse;
  report.reason = "sweeps converged too slowly";
}

void IslandSolver::sweep_and_solve_inside(const SolverOptions& options, const SolveClock& clock, SolveReport& report) {
  const auto done = [&] { return report.converged || clock.expired() || report.iterations >= options.max_iterations; };
  sweep(options, kSweepsBeforeInside, clock, report);
  if (done()) return;
  if (!inside_.affordable(data_, z_count_)) {
    report.reason = "the largest island is too large for a factorisation";
    sweep(options, options.max_iterations, clock, report);
    return;
  }
  for (int attempt = 0; attempt < ConeInteriorPoint::kAttempts && !done(); ++attempt) {
    solve_inside(options, attempt, report);
    if (!done()) sweep(options, kSweepsBeforeInside, clock, report);
  }
}

void IslandSolver::solve(const SweepSet& set, const int* first, const int* last, const SolverOptions& options,
                         const SolveClock& clock, SolveReport& report) {
  int rows = 0;
  for (const int* i = first; i != last; ++i) rows += set.blocks()[*i].rows;
  const auto factored = [&](NewtonIsland& newton, int patience, SolverOperator used, std::string_view reason) {
    report.operator_used = used;
    report.reason = reason;
    newton.solve(options, options.max_iterations - report.iterations, patience, clock, report);
  };
  const bool loads = options.impulse_epsilon <= 0 && rows <= kDenseRowsMost;
  if (loads) dense_.load(set, first, last);
  if (loads && (rows <= kNewtonFirstRows || dense_.column_count() <= kNewtonFirstColumns)) {
    factored(dense_, NewtonIsland::kPatience, SolverOperator::kDelassus, "the largest island is small");
    dense_.write_z(set.data().z);
    return;
  }
  load(set, first, last);
  report.reason = "sweeps converged";
  if (options.impulse_epsilon > 0) {
    sweep(options, options.max_iterations, clock, report);
    return;
  }
  if (rows <= kSparseRowsMost && NewtonSparse::suits(set, first, last)) {
    sweep(options, kSweepsBeforeSparse, clock, report);
    if (report.converged || clock.expired() || report.iterations >= options.max_iterations) return;
    if (sparse_.load(set, first, last)) {
      factored(sparse_, NewtonIsland::kPatience, SolverOperator::kSparse, "the largest island is without friction");
      if (report.converged) return;
    }
  }
  if (rows > kDenseRowsMost) {
    sweep_and_solve_inside(options, clock, report);
    return;
  }
  sweep(options, kSweepsBeforeDense, clock, report);
  if (report.converged || clock.expired() || report.iterations >= options.max_iterations) return;
  dense_.load(set, first, last);
  factored(dense_, kLittlePatience, SolverOperator::kDelassus, "sweeps converged too slowly");
  dense_.write_z(set.data().z);
}

}  // namespace lipkin
