#include "solvers/lemke.hpp"

#include <algorithm>
#include <cmath>

namespace lipkin {

namespace {

constexpr double kSmallPivot = 1e-11;  // relative to the largest entry of its column
// Ratios that differ by less, in terms of the largest |q|, are equal but for the rounding of the pivots so far:
// friction at rest makes nearly all of them zero, and a wrong choice among those ends on a ray.
constexpr double kSameRatio = 1e-10;

}  // namespace

void Lemke::set_up(const double* M, const double* q) {
  columns_ = 2 * n_ + 2;
  tableau_.assign(static_cast<std::size_t>(n_) * static_cast<std::size_t>(columns_), 0.0);
  basis_.resize(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) {
    double* r = row(i);
    r[i] = 1;
    for (int j = 0; j < n_; ++j) r[n_ + j] = -M[i * n_ + j];
    r[2 * n_] = -1;
    r[2 * n_ + 1] = q[i];
    basis_[i] = i;
  }
  q_scale_ = std::abs(*std::max_element(q, q + n_, [](double a, double b) { return std::abs(a) < std::abs(b); }));
  pivots_ = 0;
}

int Lemke::first_row() const {
  int worst = 0;
  for (int i = 1; i < n_; ++i) {
    const auto right = [this](int k) { return tableau_[static_cast<std::size_t>(k + 1) * columns_ - 1]; };
    if (right(i) < right(worst)) worst = i;
  }
  return worst;
}

// The row whose variable first reaches zero; of equal ones the artificial variable's, which ends the search, and else
// by the lexicographic rule over the columns of w, which keeps degenerate problems from cycling.
int Lemke::leaving_row(int entering) {
  double largest = 0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(row(i)[entering]));
  int best = -1;
  for (int i = 0; i < n_; ++i) {
    const double pivot_entry = row(i)[entering];
    if (!(pivot_entry > kSmallPivot * largest)) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    const double other = row(best)[entering];
    double difference = row(i)[columns_ - 1] / pivot_entry - row(best)[columns_ - 1] / other;
    const double scale = std::abs(row(best)[columns_ - 1] / other);
    if (std::abs(difference) <= kSameRatio * std::max(scale, q_scale_)) {
      if (basis_[best] == 2 * n_) continue;
      difference = basis_[i] == 2 * n_ ? -1 : 0;
      for (int j = 0; j < n_ && difference == 0; ++j) difference = row(i)[j] / pivot_entry - row(best)[j] / other;
    }
    if (difference < 0) best = i;
  }
  return best;
}

void Lemke::pivot(int leaving, int entering) {
  double* from = row(leaving);
  const double inverse = 1 / from[entering];
  for (int j = 0; j < columns_; ++j) from[j] *= inverse;
  for (int i = 0; i < n_; ++i) {
    const double factor = row(i)[entering];
    if (i == leaving || factor == 0) continue;
    double* to = row(i);
    for (int j = 0; j < columns_; ++j) to[j] -= factor * from[j];
    to[entering] = 0;
  }
  basis_[leaving] = entering;
  ++pivots_;
}

bool Lemke::solve(int n, const double* M, const double* q, double* x) {
  n_ = n;
  std::fill_n(x, n, 0.0);
  if (std::all_of(q, q + n, [](double value) { return value >= 0; })) {
    pivots_ = 0;
    return true;
  }
  set_up(M, q);
  int leaving = first_row(), entering = 2 * n_;
  const int pivots_max = 50 * n + 50;
  while (pivots_ < pivots_max) {
    const int left = basis_[leaving];
    pivot(leaving, entering);
    if (left == 2 * n_) {
      for (int i = 0; i < n_; ++i)
        if (basis_[i] >= n_ && basis_[i] < 2 * n_) x[basis_[i] - n_] = std::max(0.0, row(i)[columns_ - 1]);
      return true;
    }
    entering = left < n_ ? left + n_ : left - n_;
    leaving = leaving_row(entering);
    if (leaving < 0) return false;
  }
  return false;
}

}  // namespace lipkin
