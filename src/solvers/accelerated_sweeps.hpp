// Sweeps with Anderson acceleration: from the last few sweeps, the combination whose change would be least (Walker and
// Ni, SIAM J. Numer. Anal. 49, 2011). z is linear in the impulses and is combined alike. Where the combination has led
// away, its memory is dropped and plain sweeps go on from the best impulses seen.
#pragma once

#include <array>
#include <vector>

#include "lipkin/solver.hpp"
#include "solvers/restless_blocks.hpp"
#include "solvers/sweep_loop.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class AcceleratedSweeps {
 public:
  // As sweep_until_done, but for impulse_epsilon; z_count: of the problem; plain_sweeps: how many come first, while the
  // active set is still moving.
  void sweep_until_done(const SweepData& data, int z_count, const SweepOptions& sweep, const SolverOptions& options,
                        int plain_sweeps, int sweeps_max, const SolveClock& clock, SolveReport& report);

 private:
  static constexpr int kDepth = 6;

  // Impulses of the blocks, one after the other, and z behind them.
  void gather(const SweepData& data, double* values) const;
  void scatter(const double* values, const SweepData& data) const;
  void start(const SweepData& data, int z_count);
  void remember();
  bool combine();
  SweepData next_sweep(const SweepData& all, const SweepData& swept, int z_count, bool rests, double tolerance);

  RestlessBlocks restless_;
  std::vector<double> scale_;                  // per impulse: root of the diagonal of G
  std::vector<double> before_, after_, best_;  // around a sweep
  std::vector<double> change_, last_change_, last_after_;
  std::array<std::vector<double>, kDepth> changes_, afters_;  // differences from sweep to sweep
  double products_[kDepth][kDepth] = {};                      // of changes_
  std::vector<int> z_used_;
  std::vector<char> z_seen_;
  int impulse_count_ = 0, value_count_ = 0, remembered_ = 0, next_ = 0;
  bool has_last_ = false;
};

}  // namespace lipkin
