#include "solvers/newton_island.hpp"

#include <algorithm>
#include <limits>

#include "solvers/cone_interior_point.hpp"
#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kSweepsAfterStall = 30;  // at first; twice as many each time
constexpr int kStallsMost = 2 * ConeInteriorPoint::kAttempts;
constexpr int kPlainSweepsAfterNewton = 4;

}  // namespace

void NewtonIsland::take_blocks(const SweepSet& set, const int* first, const int* last) {
  blocks_.clear();
  row_count_ = 0;
  int row_end = 0;
  for (const int* i = first; i != last; ++i) {
    blocks_.push_back(set.blocks()[*i]);
    row_count_ += blocks_.back().rows;
    row_end = std::max(row_end, blocks_.back().row_begin + blocks_.back().rows);
  }
  data_ = set.data();
  z_end_ = set.z_count();
  data_.blocks = blocks_.data();
  data_.block_count = static_cast<int>(blocks_.size());
  if (gamma_.size() < static_cast<std::size_t>(row_end)) {
    gamma_.resize(static_cast<std::size_t>(row_end));
    best_.resize(static_cast<std::size_t>(row_end));
  }
}

double NewtonIsland::refresh() {
  clear_z();
  solver_kernels().add_impulses_to_z(data_);
  return solver_kernels().residual_of_blocks(data_, gamma_.data(), nullptr);
}

bool NewtonIsland::note(double residual) {
  residual_ = residual;
  if (!(residual < best_residual_)) return false;
  best_residual_ = residual;
  for (const SweepBlock& block : blocks_)
    std::copy_n(data_.lambda + block.row_begin, block.rows, best_.data() + block.row_begin);
  return true;
}

void NewtonIsland::restore_best() {
  for (const SweepBlock& block : blocks_)
    std::copy_n(best_.data() + block.row_begin, block.rows, data_.lambda + block.row_begin);
}

// Plain and accelerated sweeps in turn: where the active set is far away, one may wander where the other does not.
void NewtonIsland::sweep_from_best(const SolverOptions& options, int stall, const SolveClock& clock,
                                   SolveReport& report) {
  restore_best();
  refresh();
  const int sweeps = kSweepsAfterStall << stall;
  const int plain = stall % 2 == 0 ? kPlainSweepsAfterNewton : sweeps;
  SolveReport swept;
  SolverOptions sweep_options = options;
  sweep_options.impulse_epsilon = 0;
  sweeps_.sweep_until_done(data_, z_end_, {}, sweep_options, plain, sweeps, clock, swept);
  report.iterations += swept.iterations;
  note(refresh());
}

void NewtonIsland::make_canonical(double tolerance) {
  for (int attempt = 0; choose_canonical(attempt, tolerance); ++attempt) {
    step(tolerance);
    const double residual = refresh();
    if (residual <= tolerance) {
      best_residual_ = residual;
      return;
    }
    restore_best();
    best_residual_ = refresh();
  }
}

// The shortest impulses need not be within their bounds where redundant rows carry a load in several ways; those next
// to the present ones are, near a solution. Returns whether the step went to the shortest.
bool NewtonIsland::step_to_better(double tolerance) {
  step(tolerance);
  residual_ = refresh();
  if (residual_ <= tolerance || !take_nearest()) return true;
  const double nearest = refresh();
  if (nearest < residual_) {
    residual_ = nearest;
    return false;
  }
  take_shortest();
  residual_ = refresh();
  return true;
}

// From impulses that are a solution already: what is left of their error goes, and they become the shortest, if those
// are a solution.
void NewtonIsland::renew_solution(double tolerance) {
  for (const bool hold : {true, false}) {
    if (hold) hold_what_stands(tolerance);
    step_to_better(tolerance);
    if (residual_ <= tolerance) {
      best_residual_ = residual_;
      return;
    }
    restore_best();
    best_residual_ = residual_ = refresh();
  }
}

void NewtonIsland::solve(const SolverOptions& options, int iterations_max, int patience, const SolveClock& clock,
                         SolveReport& report) {
  best_residual_ = std::numeric_limits<double>::infinity();
  note(refresh());
  if (best_residual_ <= options.tolerance) {
    ++report.iterations;
    ++report.newton_steps;
    renew_solution(options.tolerance);
    report.residual = best_residual_;
    report.converged = true;
    return;
  }
  const double start = best_residual_;
  const int last = report.iterations + iterations_max;
  best_residual_ = std::numeric_limits<double>::infinity();
  int failed = 0;
  bool is_shortest = true;
  const auto goes_on = [&] { return report.iterations < last && !(best_residual_ <= options.tolerance); };
  for (int stall = 0; goes_on() && stall < kStallsMost;) {
    ++report.iterations;
    ++report.newton_steps;
    is_shortest = step_to_better(options.tolerance);
    const bool nearer = note(residual_) && best_residual_ < start;
    if (best_residual_ <= options.tolerance) break;
    failed = nearer ? 0 : failed + 1;
    if (clock.expired()) break;
    if (failed < patience || report.iterations >= last) continue;
    failed = 0;
    if (stall > 0) sweep_from_best(options, stall - 1, clock, report);
    if (stall % 2 == 0) report.iterations += start_inside(options.tolerance, stall / 2);
    note(refresh());
    ++stall;
  }
  if (residual_ != best_residual_) {
    restore_best();
    best_residual_ = refresh();
  }
  if (best_residual_ <= options.tolerance && is_shortest) make_canonical(options.tolerance);
  report.residual = best_residual_;
  report.converged = best_residual_ <= options.tolerance;
}

}  // namespace lipkin
