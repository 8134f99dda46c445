#include "solvers/accelerated_sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/grow.hpp"
#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr double kWorseAllowed = 2;  // growth of the change after a combination that is still accepted
constexpr double kRegularization = 1e-14;
constexpr int kManyBlocks = 400;    // from here on it pays to leave out those that rest
constexpr double kRestless = 0.05;  // moves by more than this part of the tolerance

// Solves A x = b in place by LDLᵀ; false where a pivot vanishes.
template <int kSize>
bool solve_small(double (&A)[kSize][kSize], double (&x)[kSize], int n) {
  for (int k = 0; k < n; ++k) {
    if (!(A[k][k] > 0)) return false;
    for (int i = k + 1; i < n; ++i) {
      const double l = A[i][k] / A[k][k];
      for (int j = k + 1; j <= i; ++j) A[i][j] -= l * A[j][k];
      x[i] -= l * x[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int i = k + 1; i < n; ++i) x[k] -= A[i][k] * x[i];
    x[k] /= A[k][k];
  }
  return true;
}

}  // namespace

void AcceleratedSweeps::gather(const SweepData& data, double* values) const {
  for (int i = 0; i < data.block_count; ++i) {
    const SweepBlock& block = data.blocks[i];
    values = std::copy_n(data.lambda + block.row_begin, block.rows, values);
  }
  for (const int j : z_used_) *values++ = data.z[j];
}

void AcceleratedSweeps::scatter(const double* values, const SweepData& data) const {
  for (int i = 0; i < data.block_count; ++i) {
    const SweepBlock& block = data.blocks[i];
    std::copy_n(values, block.rows, data.lambda + block.row_begin);
    values += block.rows;
  }
  for (const int j : z_used_) data.z[j] = *values++;
}

void AcceleratedSweeps::start(const SweepData& data, int z_count) {
  z_seen_.resize(std::max(z_seen_.size(), static_cast<std::size_t>(z_count)), false);
  z_used_.clear();
  impulse_count_ = 0;
  for (int i = 0; i < data.block_count; ++i) {
    const SweepBlock& block = data.blocks[i];
    impulse_count_ += block.rows;
    for (int run = 0; run < block.run_count; ++run) {
      for (int j = block.runs[run].begin; j < block.runs[run].begin + block.runs[run].length; ++j) {
        if (!z_seen_[j]) z_used_.push_back(j);
        z_seen_[j] = true;
      }
    }
  }
  for (const int j : z_used_) z_seen_[j] = false;
  value_count_ = impulse_count_ + static_cast<int>(z_used_.size());
  for (auto* values : {&before_, &after_, &best_, &last_after_}) grow(*values, value_count_);
  for (auto* values : {&scale_, &change_, &last_change_}) grow(*values, impulse_count_);
  for (auto& values : changes_) grow(values, impulse_count_);
  for (auto& values : afters_) grow(values, value_count_);
  int k = 0;
  for (int i = 0; i < data.block_count; ++i) {
    const SweepBlock& block = data.blocks[i];
    for (int r = 0; r < block.rows; ++r) scale_[k++] = std::sqrt(data.local[block.local_begin + r * block.rows + r]);
  }
  remembered_ = next_ = 0;
  has_last_ = false;
}

void AcceleratedSweeps::remember() {
  for (int i = 0; i < impulse_count_; ++i) change_[i] = scale_[i] * (after_[i] - before_[i]);
  if (has_last_) {
    for (int i = 0; i < impulse_count_; ++i) changes_[next_][i] = change_[i] - last_change_[i];
    for (int i = 0; i < value_count_; ++i) afters_[next_][i] = after_[i] - last_after_[i];
    remembered_ = std::min(remembered_ + 1, kDepth);
    for (int i = 0; i < remembered_; ++i)
      products_[next_][i] = products_[i][next_] =
          solver_kernels().dot(changes_[next_].data(), changes_[i].data(), impulse_count_);
    next_ = (next_ + 1) % kDepth;
  }
  std::swap(change_, last_change_);
  std::copy_n(after_.data(), value_count_, last_after_.data());
  has_last_ = true;
}

// after_ becomes the combination; last_change_ is the present change.
bool AcceleratedSweeps::combine() {
  double A[kDepth][kDepth], x[kDepth];
  for (int i = 0; i < remembered_; ++i) {
    for (int j = 0; j <= i; ++j) A[i][j] = products_[i][j];
    A[i][i] *= 1 + kRegularization;
    x[i] = solver_kernels().dot(changes_[i].data(), last_change_.data(), impulse_count_);
  }
  if (!solve_small(A, x, remembered_)) return false;
  for (int i = 0; i < remembered_; ++i)
    solver_kernels().add_scaled(after_.data(), -x[i], afters_[i].data(), value_count_);
  return true;
}

// All blocks where the restless ones are done and the laws still do not hold.
SweepData AcceleratedSweeps::next_sweep(const SweepData& all, const SweepData& swept, int z_count, bool rests,
                                        double tolerance) {
  if (!rests) return restless_.choose(all, swept, z_count, kRestless * tolerance);
  SweepData next = all;
  next.moved = swept.moved;
  return next;
}

void AcceleratedSweeps::sweep_until_done(const SweepData& data, int z_count, const SweepOptions& sweep,
                                         const SolverOptions& options, int plain_sweeps, int sweeps_max,
                                         const SolveClock& clock, SolveReport& report) {
  const SolverKernels& kernels = solver_kernels();
  const int first_remembered = sweeps_max > plain_sweeps ? std::max(plain_sweeps - kDepth, 0) : sweeps_max;
  report.converged = false;
  SweepData now = data;  // what the next sweep visits
  if (data.block_count >= kManyBlocks) now.moved = restless_.room_for(data.block_count);
  double best = INFINITY;
  bool measured = false, combined = false;
  for (int k = 0; k < sweeps_max && !report.converged; ++k) {
    if (k == first_remembered) start(data, z_count), now = data;
    if (k >= first_remembered) gather(data, before_.data());
    const SweepChange change = kernels.sweep_blocks(now, sweep, false);
    ++report.iterations;
    measured = false;
    if (change.velocity <= options.tolerance) {
      report.residual = kernels.residual_of_blocks(data, nullptr, nullptr);
      report.converged = report.residual <= options.tolerance;
      measured = true;
    }
    if (report.converged || clock.expired()) break;
    if (now.moved) now = next_sweep(data, now, z_count, measured, options.tolerance);
    if (k < first_remembered || k + 1 == sweeps_max) continue;
    gather(data, after_.data());
    if (combined && !(change.velocity <= kWorseAllowed * best)) {
      scatter(best_.data(), data);  // back to before the combinations led away
      remembered_ = next_ = 0;
      has_last_ = combined = false;
      continue;
    }
    if (change.velocity < best) {
      best = change.velocity;
      best_.swap(after_);
      std::copy_n(best_.data(), value_count_, after_.data());
    }
    remember();
    combined = k >= plain_sweeps && remembered_ > 0 && combine();
    if (combined) scatter(after_.data(), data);
  }
  if (measured) return;
  if (combined && best < INFINITY) scatter(best_.data(), data);
  report.residual = kernels.residual_of_blocks(data, nullptr, nullptr);
  report.converged = report.residual <= options.tolerance;
}

}  // namespace lipkin
