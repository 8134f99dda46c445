#include "solvers/sweep_loop.hpp"

#include "solvers/kernels.hpp"

namespace lipkin {

void sweep_until_done(const SweepData& data, const SweepOptions& sweep, const SolverOptions& options, int sweeps_max,
                      const SolveClock& clock, SolveReport& report) {
  const SolverKernels& kernels = solver_kernels();
  report.converged = false;
  bool measured = false;
  for (int k = 0; k < sweeps_max && !report.converged; ++k) {
    const SweepChange change = kernels.sweep_blocks(data, sweep, false);
    ++report.iterations;
    measured = false;
    if (options.impulse_epsilon > 0) {
      report.converged = change.impulse <= options.impulse_epsilon;
    } else if (change.velocity <= options.tolerance) {
      // Small steps may also mean slow progress: the laws themselves decide.
      report.residual = kernels.residual_of_blocks(data, nullptr, nullptr);
      report.converged = report.residual <= options.tolerance;
      measured = true;
    }
    if (clock.expired()) break;
  }
  if (measured) return;
  report.residual = kernels.residual_of_blocks(data, nullptr, nullptr);
  if (options.impulse_epsilon <= 0) report.converged = report.residual <= options.tolerance;
}

}  // namespace lipkin
