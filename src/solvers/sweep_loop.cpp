#include "solvers/sweep_loop.hpp"

namespace lipkin {

void sweep_until_done(SweepSet& set, const SweepOptions& sweep, const SolverOptions& options, int sweeps_max,
                      const SolveClock& clock, SolveReport& report) {
  report.converged = false;
  for (int k = 0; k < sweeps_max && !report.converged; ++k) {
    const SweepChange change = set.sweep(sweep);
    ++report.iterations;
    if (options.impulse_epsilon > 0) {
      report.converged = change.impulse <= options.impulse_epsilon;
    } else if (change.velocity <= options.tolerance) {
      // Small steps may also mean slow progress: the laws themselves decide.
      report.converged = set.residual() <= options.tolerance;
    }
    if (clock.expired()) break;
  }
  report.residual = set.residual();
}

}  // namespace lipkin
