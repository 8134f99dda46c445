#include "solvers/sweep_set.hpp"

#include <algorithm>

#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kBlocksWorthAThread = 400;  // each takes some 50 ns

}  // namespace

SweepBlock sweep_block_of(const Problem& problem, const Block& block) {
  SweepBlock sweep;
  sweep.law = block.law;
  sweep.rows = static_cast<std::uint8_t>(block.row_count);
  sweep.row_begin = block.row_begin;
  sweep.width = block.width;
  sweep.run_count = static_cast<std::uint16_t>(block.run_count);
  sweep.y = problem.y.data() + block.y_begin;
  sweep.runs = problem.runs.data() + block.run_begin;
  if (block.law == LawKind::kContact) {
    sweep.mu = block.mu;
    sweep.mu_spin = block.mu_spin;
    sweep.mu_roll = block.mu_roll;
  } else {
    sweep.lo = block.lo;
    sweep.hi = block.hi;
  }
  return sweep;
}

void SweepSet::load(Problem& problem, double* z) {
  clear();
  for (const Block& block : problem.blocks) add(sweep_block_of(problem, block));
  prepare(problem.b.data(), problem.compliance.data(), problem.lambda.data(), z, problem.z_count);
}

void SweepSet::prepare(const double* b, const double* compliance, double* lambda, double* z, int z_count) {
  int local_count = 0;
  for (SweepBlock& block : blocks_) {
    block.local_begin = local_count;
    local_count += local_size(block.rows);
  }
  if (local_.size() < static_cast<std::size_t>(local_count)) local_.resize(static_cast<std::size_t>(local_count));
  memory_.resize(std::max(memory_.size(), static_cast<std::size_t>(thread_count_of(threads_))));
  for (std::vector<double>& memory : memory_) memory.resize(std::max(memory.size(), static_cast<std::size_t>(z_count)));
  data_ = {blocks_.data(), static_cast<int>(blocks_.size()), local_.data(), b, compliance, lambda, z, nullptr};
  z_count_ = z_count;
  if (data_.block_count < 2 * kBlocksWorthAThread || thread_count_of(threads_) == 1) {
    std::fill_n(z, z_count, 0.0);
    largest_trace_ = solver_kernels().prepare_and_add(data_, memory_.front().data());
    return;
  }
  worst_.assign(static_cast<std::size_t>(thread_count_of(threads_)), 0.0);
  in_parts(threads_, data_.block_count, kBlocksWorthAThread, [&](int thread, int begin, int end) {
    worst_[static_cast<std::size_t>(thread)] =
        solver_kernels().prepare_blocks(part(begin, end), memory_[static_cast<std::size_t>(thread)].data());
  });
  largest_trace_ = *std::max_element(worst_.begin(), worst_.end());
  refresh_z();
}

SweepData SweepSet::part(int begin, int end) const {
  SweepData part = data_;
  part.blocks += begin;
  part.block_count = end - begin;
  return part;
}

void SweepSet::refresh_z() {
  std::fill_n(data_.z, z_count_, 0.0);
  solver_kernels().add_impulses_to_z(data_);
}

SweepChange SweepSet::sweep(const SweepOptions& options, bool backward) {
  return solver_kernels().sweep_blocks(data_, options, backward);
}

double SweepSet::residual(double* violations) const {
  worst_.assign(static_cast<std::size_t>(thread_count_of(threads_)), 0.0);
  in_parts(threads_, data_.block_count, kBlocksWorthAThread, [&](int thread, int begin, int end) {
    worst_[static_cast<std::size_t>(thread)] =
        solver_kernels().residual_of_blocks(part(begin, end), nullptr, violations ? violations + begin : nullptr);
  });
  double worst = 0;
  for (const double one : worst_)
    if (!(one <= worst)) worst = one;  // NaN counts as the worst
  return worst;
}

}  // namespace lipkin
