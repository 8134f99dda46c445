#include "solvers/newton_island.hpp"

#include <algorithm>
#include <limits>

#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kStepsBetweenSweeps = 8;  // Newton steps that may fail to improve before sweeps take over
constexpr int kSweepsBetween = 12;

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
  return solver_kernels().residual_of_blocks(data_, gamma_.data());
}

void NewtonIsland::keep_best(double residual) {
  best_residual_ = residual;
  for (const SweepBlock& block : blocks_)
    std::copy_n(data_.lambda + block.row_begin, block.rows, best_.data() + block.row_begin);
}

void NewtonIsland::restore_best() {
  for (const SweepBlock& block : blocks_)
    std::copy_n(best_.data() + block.row_begin, block.rows, data_.lambda + block.row_begin);
}

void NewtonIsland::sweep_from_best() {
  restore_best();
  refresh();
  for (int sweep = 0; sweep < kSweepsBetween; ++sweep) solver_kernels().sweep_blocks(data_, {}, false);
}

void NewtonIsland::solve(const SolverOptions& options, int iterations_max, SolveReport& report) {
  double residual = refresh();
  keep_best(residual);
  best_residual_ = std::numeric_limits<double>::infinity();  // even a good start is not yet of least norm
  int since_best = 0;
  for (int k = 0; k < iterations_max && !(best_residual_ <= options.tolerance); ++k) {
    ++report.iterations;
    if (since_best < kStepsBetweenSweeps) {
      step(options.tolerance);
      ++report.newton_steps;
    } else {
      sweep_from_best();
      stalled();
      since_best = 0;
    }
    residual = refresh();
    ++since_best;
    if (residual < best_residual_) {
      keep_best(residual);
      since_best = 0;
    }
  }
  if (residual != best_residual_) {
    restore_best();
    best_residual_ = refresh();
  }
  report.residual = best_residual_;
  report.converged = best_residual_ <= options.tolerance;
}

}  // namespace lipkin
