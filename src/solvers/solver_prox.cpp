#include "solvers/solver_prox.hpp"

#include <algorithm>
#include <cmath>

#include "laws/law_coulomb.hpp"
#include "laws/law_interval.hpp"
#include "laws/law_unilateral.hpp"
#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kSweepsBeforeAcceleration = 4;  // before acceleration
constexpr double kGrowthAllowed = 10;         // of the residual over the best one seen, before the factors are halved

void project_disc(double* lambda, const double* gamma, double r, double radius) {
  double x = lambda[0] - r * gamma[0], y = lambda[1] - r * gamma[1];
  LawCoulomb{radius}.project(x, y);
  lambda[0] = x;
  lambda[1] = y;
}

// The proximal point of one block; r: a factor per row.
void proximal_step(const SweepBlock& block, const double* gamma, const double* r, double scale, double* lambda) {
  if (block.law == LawKind::kBilateral) {
    for (int i = 0; i < block.rows; ++i) lambda[i] -= scale * r[i] * gamma[i];
    return;
  }
  if (block.law == LawKind::kInterval) {
    lambda[0] = LawInterval{block.lo, block.hi}.project(lambda[0] - scale * r[0] * gamma[0]);
    return;
  }
  lambda[0] = LawUnilateral::project(lambda[0] - scale * r[0] * gamma[0]);
  if (block.rows >= 3) project_disc(lambda + 1, gamma + 1, scale * std::min(r[1], r[2]), block.mu * lambda[0]);
  if (block.rows >= 4) {
    const double bound = block.mu_spin * lambda[0];
    lambda[3] = LawInterval{-bound, bound}.project(lambda[3] - scale * r[3] * gamma[3]);
  }
  if (block.rows >= 6) project_disc(lambda + 4, gamma + 4, scale * std::min(r[4], r[5]), block.mu_roll * lambda[0]);
}

}  // namespace

// Sums of magnitudes per value of z give a bound of each row's sum in G without forming G:
// sum_j |G_ij| <= sum_c |y_ic| sum_j |y_jc|.
void SolverProx::find_factors() {
  const SweepData& data = set_.data();
  sums_.assign(static_cast<std::size_t>(set_.z_count()), 0.0);
  const auto each_value = [](const SweepBlock& block, int r, auto&& visit) {
    const double* y = block.y + r * block.width;
    for (int run = 0; run < block.run_count; ++run)
      for (int j = 0; j < block.runs[run].length; ++j) visit(block.runs[run].begin + j, std::abs(*y++));
  };
  for (const SweepBlock& block : set_.blocks())
    for (int r = 0; r < block.rows; ++r) each_value(block, r, [this](int c, double y) { sums_[c] += y; });
  for (const SweepBlock& block : set_.blocks()) {
    const double* local = data.local + block.local_begin;
    for (int r = 0; r < block.rows; ++r) {
      const int row = block.row_begin + r;
      double bound = data.compliance[row];
      each_value(block, r, [&](int c, double y) { bound += y * sums_[c]; });
      const double diagonal = local[r * block.rows + r], inverse = local[local_inverse_at(block.rows) + r];
      factors_[row] = bound <= 2 * diagonal || inverse == 0 ? inverse : 1 / bound;
    }
  }
}

void SolverProx::jacobi_step(double factor) {
  const SweepData& data = set_.data();
  for (const SweepBlock& block : set_.blocks()) {
    const int row = block.row_begin;
    proximal_step(block, gamma_.data() + row, factors_.data() + row, factor, data.lambda + row);
  }
}

void SolverProx::solve_jacobi(const SolverOptions& options, SolveReport& report) {
  const SolveClock clock(options.time_limit);
  const SweepData& data = set_.data();
  find_factors();
  double factor = options.relaxation, best = INFINITY;
  report.converged = false;
  for (;;) {
    report.residual = solver_kernels().residual_of_blocks(data, gamma_.data(), nullptr);
    report.converged = report.residual <= options.tolerance;
    if (report.residual < best) {
      best = report.residual;
      std::copy_n(data.lambda, best_.size(), best_.data());
    } else if (!(report.residual <= kGrowthAllowed * best)) {
      factor *= 0.5;
      std::copy_n(best_.data(), best_.size(), data.lambda);
      set_.refresh_z();
      solver_kernels().residual_of_blocks(data, gamma_.data(), nullptr);
    }
    if (report.converged || report.iterations >= options.max_iterations || clock.expired()) return;
    ++report.iterations;
    jacobi_step(factor);
    set_.refresh_z();
  }
}

SolveReport SolverProx::solve(Problem& problem, const SolverOptions& options, double* z) {
  const SolveClock clock(options.time_limit);
  set_.load(problem, z);
  SolveReport report;
  if (problem.blocks.empty()) return report;
  report.operator_used = SolverOperator::kMatrixFree;
  report.reason = "a visit through z costs less than a row of G";
  if (options.jacobi) {
    factors_.resize(problem.b.size());
    gamma_.resize(problem.b.size());
    best_.resize(problem.b.size());
    solve_jacobi(options, report);
  } else if (options.impulse_epsilon > 0) {
    sweep_until_done(set_.data(), {.relaxation = options.relaxation}, options, options.max_iterations, clock, report);
  } else {
    sweeps_.sweep_until_done(set_.data(), problem.z_count, {.relaxation = options.relaxation}, options,
                             kSweepsBeforeAcceleration, options.max_iterations, clock, report);
  }
  return report;
}

}  // namespace lipkin
