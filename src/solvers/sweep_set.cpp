#include "solvers/sweep_set.hpp"

#include <algorithm>

#include "solvers/kernels.hpp"

namespace lipkin {

SweepBlock sweep_block_of(const Problem& problem, const Block& block) {
  SweepBlock sweep;
  sweep.law = block.law;
  sweep.rows = block.row_count;
  sweep.row_begin = block.row_begin;
  sweep.width = block.width;
  sweep.run_count = block.run_count;
  sweep.y = problem.y.data() + block.y_begin;
  sweep.runs = problem.runs.data() + block.run_begin;
  sweep.lo = block.lo;
  sweep.hi = block.hi;
  sweep.mu = block.mu;
  sweep.mu_spin = block.mu_spin;
  sweep.mu_roll = block.mu_roll;
  return sweep;
}

void SweepSet::load(Problem& problem, double* z) {
  clear();
  for (const Block& block : problem.blocks) add(sweep_block_of(problem, block));
  prepare(problem.b.data(), problem.compliance.data(), problem.lambda.data(), z, problem.z_count);
}

void SweepSet::prepare(const double* b, const double* compliance, double* lambda, double* z, int z_count) {
  std::size_t local_count = 0;
  for (SweepBlock& block : blocks_) {
    block.local_begin = local_count;
    local_count += static_cast<std::size_t>(local_size(block.rows));
  }
  if (local_.size() < local_count) local_.resize(local_count);
  if (memory_.size() < static_cast<std::size_t>(z_count)) memory_.resize(static_cast<std::size_t>(z_count), 0.0);
  data_ = {blocks_.data(), static_cast<int>(blocks_.size()), local_.data(), b, compliance, lambda, z};
  z_count_ = z_count;
  solver_kernels().prepare_blocks(data_, memory_.data());
  for (const SweepBlock& block : blocks_) {
    const double* inverse = local_.data() + block.local_begin + local_inverse_at(block.rows);
    for (int r = 0; r < block.rows; ++r) {
      if (inverse[r] == 0) lambda[block.row_begin + r] = 0;
    }
  }
  refresh_z();
}

void SweepSet::refresh_z() {
  std::fill_n(data_.z, z_count_, 0.0);
  solver_kernels().add_impulses_to_z(data_);
}

SweepChange SweepSet::sweep(const SweepOptions& options, bool backward) {
  return solver_kernels().sweep_blocks(data_, options, backward);
}

double SweepSet::residual() const { return solver_kernels().residual_of_blocks(data_, nullptr); }

}  // namespace lipkin
