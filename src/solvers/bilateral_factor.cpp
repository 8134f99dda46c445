#include "solvers/bilateral_factor.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.hpp"
#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr std::size_t kCacheLine = 64 / sizeof(double);

// The most memory that place() hands out, in doubles.
std::size_t doubles_for(int m_max, int n_max) {
  const auto m = static_cast<std::size_t>(padded_to_grain(m_max)), n = static_cast<std::size_t>(padded_to_grain(n_max));
  const std::size_t v_stride = n + m;
  return m * n + m * v_stride + 4 * m * m + 6 * m + kCacheLine;
}

}  // namespace

void BilateralFactor::reserve(int m_max, int n_max) {
  if (m_max <= m_max_ && n_max <= n_max_) return;
  m_max_ = std::max(m_max, m_max_);
  n_max_ = std::max(n_max, n_max_);
  memory_.assign(doubles_for(m_max_, n_max_), 0.0);
  pivots_.assign(static_cast<std::size_t>(m_max_), 0);
  work_.m = work_.n = work_.rank = 0;
}

void BilateralFactor::place(int m, int n, bool has_compliance) {
  work_.m = m;
  work_.n = n;
  work_.m_padded = padded_to_grain(m);
  work_.n_padded = padded_to_grain(n);
  work_.has_compliance = has_compliance;
  const int rank_max = has_compliance ? m : std::min(m, n);
  work_.l11_stride = padded_to_grain(rank_max);
  work_.v_stride = work_.n_padded + (has_compliance ? work_.l11_stride : 0);
  work_.pivots = pivots_.data();

  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(double);
  double* next = memory_.data() + (kCacheLine - address % kCacheLine) % kCacheLine;
  const auto take = [&next](int count) {
    double* taken = next;
    next += count;
    return taken;
  };
  work_.Yt = take(n * work_.m_padded);
  work_.V = take(rank_max * work_.v_stride);
  work_.L = take(rank_max * work_.m_padded);
  work_.P = take(rank_max * work_.m_padded);
  work_.L11 = take(rank_max * work_.l11_stride);
  work_.Rt = take(rank_max * work_.l11_stride);
  work_.inverse_square = take(work_.l11_stride);
  work_.inverse_square_p = take(work_.l11_stride);
  work_.remaining = take(work_.m_padded);
  work_.weight = take(work_.m_padded);
  work_.scratch = take(work_.l11_stride);
  work_.row_scratch = take(work_.m_padded);
  LIPKIN_CHECK(next <= memory_.data() + memory_.size());
}

void BilateralFactor::factor(const double* Y, int m, int n, int stride, const double* compliance,
                             const double* squares) {
  if (m > kBilateralRowsMax) {
    throw InvalidArgument("a cluster of " + std::to_string(m) + " bilateral rows; the most is " +
                          std::to_string(kBilateralRowsMax));
  }
  reserve(m, n);
  const bool has_compliance =
      compliance != nullptr && std::any_of(compliance, compliance + m, [](double c) { return c > 0; });
  place(m, n, has_compliance);
  lambda_prepared_ = false;
  work_.rank = 0;
  work_.whole_squares = squares;
  if (m > 0) solver_kernels().bilateral_factor(Y, stride, compliance, work_);
}

void BilateralFactor::solve_z(const double* rhs, double* z) const { solver_kernels().bilateral_solve_z(work_, rhs, z); }

void BilateralFactor::solve_lambda(const double* rhs, double* lambda) {
  if (!lambda_prepared_ && work_.rank < work_.m) solver_kernels().bilateral_prepare_lambda(work_);
  lambda_prepared_ = true;
  solver_kernels().bilateral_solve_lambda(work_, rhs, lambda);
}

void BilateralFactor::demand_on_basis(const double* rhs, double* c) const {
  solver_kernels().bilateral_demand_on_basis(work_, rhs, c);
}

void BilateralFactor::basis_times(const double* row, double* out, int out_stride) const {
  solver_kernels().bilateral_basis_times(work_, row, out, out_stride);
}

void BilateralFactor::basis_times_own_rows(double* out, int out_stride) const {
  for (int k = 0; k < work_.rank; ++k) {
    const double square = 1 / work_.inverse_square[k];
    const double* column = work_.L + k * work_.m_padded;
    for (int i = 0; i < work_.m; ++i) out[k * out_stride + i] = square * column[i];
  }
}

void BilateralFactor::project_out(double* row) const { solver_kernels().bilateral_project_out(work_, row); }

}  // namespace lipkin
