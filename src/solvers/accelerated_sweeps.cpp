#include "solvers/accelerated_sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kPlainSweeps = 4;      // before the first combination: the active set is still moving
constexpr double kWorseAllowed = 2;  // growth of the change after a combination that is still accepted
constexpr double kRegularization = 1e-14;

template <class Values>
void grow(Values& values, int count) {
  if (values.size() < static_cast<std::size_t>(count)) values.resize(static_cast<std::size_t>(count));
}

double dot(const double* a, const double* b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

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
  std::copy_n(data.z, z_count_, values);
}

void AcceleratedSweeps::scatter(const double* values, const SweepData& data) const {
  for (int i = 0; i < data.block_count; ++i) {
    const SweepBlock& block = data.blocks[i];
    std::copy_n(values, block.rows, data.lambda + block.row_begin);
    values += block.rows;
  }
  std::copy_n(values, z_count_, data.z);
}

void AcceleratedSweeps::start(const SweepData& data, int z_count) {
  z_count_ = z_count;
  impulse_count_ = 0;
  for (int i = 0; i < data.block_count; ++i) impulse_count_ += data.blocks[i].rows;
  value_count_ = impulse_count_ + z_count_;
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
    next_ = (next_ + 1) % kDepth;
    remembered_ = std::min(remembered_ + 1, kDepth);
  }
  std::swap(change_, last_change_);
  std::copy_n(after_.data(), value_count_, last_after_.data());
  has_last_ = true;
}

// after_ becomes the combination; last_change_ is the present change.
bool AcceleratedSweeps::combine() {
  double A[kDepth][kDepth], x[kDepth];
  for (int i = 0; i < remembered_; ++i) {
    for (int j = 0; j <= i; ++j) A[i][j] = dot(changes_[i].data(), changes_[j].data(), impulse_count_);
    A[i][i] *= 1 + kRegularization;
    x[i] = dot(changes_[i].data(), last_change_.data(), impulse_count_);
  }
  if (!solve_small(A, x, remembered_)) return false;
  for (int i = 0; i < remembered_; ++i)
    for (int k = 0; k < value_count_; ++k) after_[k] -= x[i] * afters_[i][k];
  return true;
}

void AcceleratedSweeps::sweep_until_done(const SweepData& data, int z_count, const SweepOptions& sweep,
                                         const SolverOptions& options, int sweeps_max, const SolveClock& clock,
                                         SolveReport& report) {
  const SolverKernels& kernels = solver_kernels();
  start(data, z_count);
  report.converged = false;
  double best = INFINITY;
  bool measured = false, combined = false;
  for (int k = 0; k < sweeps_max && !report.converged; ++k) {
    gather(data, before_.data());
    const SweepChange change = kernels.sweep_blocks(data, sweep, false);
    ++report.iterations;
    measured = false;
    if (change.velocity <= options.tolerance) {
      report.residual = kernels.residual_of_blocks(data, nullptr);
      report.converged = report.residual <= options.tolerance;
      measured = true;
    }
    if (report.converged || clock.expired()) break;
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
    combined = k >= kPlainSweeps && remembered_ > 0 && combine();
    if (combined) scatter(after_.data(), data);
  }
  if (!measured) report.residual = kernels.residual_of_blocks(data, nullptr);
}

}  // namespace lipkin
