// Blocks that are solved by visits: sweeps, residuals, and z kept in step with the impulses.
#pragma once

#include <vector>

#include "exec/thread_pool.hpp"
#include "solvers/sweep_block.hpp"

namespace lipkin {

class SweepSet {
 public:
  void use(ThreadPool* threads) { threads_ = threads; }  // null: the calling one alone

  void clear() { blocks_.clear(); }
  void add(const SweepBlock& block) { blocks_.push_back(block); }

  // Every block of a problem, prepared and warm-started from its impulses.
  void load(Problem& problem, double* z);

  // Computes the local operators, sets impulses of degenerate rows to zero and z[z_count] to Yᵀ Lambda. The arrays are
  // used, not copied; whatever add() pointed to must stay in place.
  void prepare(const double* b, const double* compliance, double* lambda, double* z, int z_count);

  // z = Yᵀ Lambda, after lambda was changed from outside.
  void refresh_z();

  SweepChange sweep(const SweepOptions& options, bool backward = false);
  double residual(double* violations = nullptr) const;  // violations: receives that of each block

  const std::vector<SweepBlock>& blocks() const { return blocks_; }
  const SweepData& data() const { return data_; }
  int z_count() const { return z_count_; }
  double largest_trace() const { return largest_trace_; }  // of a block's part of the Delassus matrix

 private:
  SweepData part(int begin, int end) const;

  SweepData data_;
  std::vector<SweepBlock> blocks_;
  std::vector<double> local_;
  std::vector<std::vector<double>> memory_;  // per thread: z_count_ zeros
  mutable std::vector<double> worst_;        // per thread
  ThreadPool* threads_ = nullptr;
  int z_count_ = 0;
  double largest_trace_ = 0;
};

// A block as it stands in the problem.
SweepBlock sweep_block_of(const Problem& problem, const Block& block);

}  // namespace lipkin
