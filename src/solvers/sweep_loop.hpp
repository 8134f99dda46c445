// Sweeps until the laws hold, or an option says enough.
#pragma once

#include <chrono>

#include "lipkin/solver.hpp"
#include "solvers/sweep_block.hpp"

namespace lipkin {

// The time limit of one solve; reads the clock only where there is one.
class SolveClock {
 public:
  explicit SolveClock(double limit) : limit_(limit) {
    if (limit_ > 0) start_ = std::chrono::steady_clock::now();
  }
  bool expired() const {
    return limit_ > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > limit_;
  }

 private:
  double limit_;
  std::chrono::steady_clock::time_point start_;
};

// Adds to report.iterations and sets residual and converged. With impulse_epsilon, converged means that no impulse
// changed by more in the last sweep; otherwise that the residual is within the tolerance.
void sweep_until_done(const SweepData& data, const SweepOptions& sweep, const SolverOptions& options, int sweeps_max,
                      const SolveClock& clock, SolveReport& report);

}  // namespace lipkin
