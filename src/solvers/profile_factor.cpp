#include "solvers/profile_factor.hpp"

#include "solvers/kernels.hpp"

namespace lipkin {

void ProfileFactor::start(int size) {
  size_ = size;
  first_.resize(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) first_[i] = i;
}

void ProfileFactor::fill_block(const int* columns, int count) {
  if (count == 0) return;
  const int least = *std::min_element(columns, columns + count);
  for (int k = 0; k < count; ++k) first_[columns[k]] = std::min(first_[columns[k]], least);
}

double ProfileFactor::cost() const {
  double products = 0;
  for (int i = 0; i < size_; ++i) products += static_cast<double>(i - first_[i]) * static_cast<double>(i - first_[i]);
  return products;
}

void ProfileFactor::reset() {
  begin_.resize(static_cast<std::size_t>(size_) + 1);
  begin_[0] = 0;
  for (int i = 0; i < size_; ++i) begin_[i + 1] = begin_[i] + static_cast<std::size_t>(i - first_[i] + 1);
  lower_.assign(begin_[size_], 0.0);
  upper_.assign(begin_[size_], 0.0);
  for (int i = 0; i < size_; ++i) lower_[begin_[i + 1] - 1] = 1;
}

// Crout's order.
void ProfileFactor::factor() {
  const auto& dot = solver_kernels().dot;
  for (int i = 0; i < size_; ++i) {
    double *l = row(lower_, i), *u = row(upper_, i);
    for (int j = first_[i]; j < i; ++j) {
      const double *lj = row(lower_, j), *uj = row(upper_, j);
      const int from = std::max(first_[i], first_[j]);
      l[j] -= dot(l + from, uj + from, j - from);
      u[j] = (u[j] - dot(lj + from, u + from, j - from)) / lj[j];
    }
    l[i] -= dot(l + first_[i], u + first_[i], i - first_[i]);
  }
}

void ProfileFactor::solve(double* x) const {
  for (int i = 0; i < size_; ++i) {
    const double* l = row(lower_, i);
    x[i] = (x[i] - solver_kernels().dot(l + first_[i], x + first_[i], i - first_[i])) / l[i];
  }
  for (int i = size_ - 1; i >= 0; --i) {
    const double* u = row(upper_, i);
    for (int k = first_[i]; k < i; ++k) x[k] -= u[k] * x[i];
  }
}

}  // namespace lipkin
