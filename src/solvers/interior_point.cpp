#include "solvers/interior_point.hpp"

#include <algorithm>
#include <cmath>

namespace lipkin {

namespace {

constexpr int kNewtonStepsMost = 60;
constexpr double kCentering = 0.1;       // of the mean product that the next step aims at
constexpr double kToTheBoundary = 0.99;  // of the way

bool bounded(double bound) { return std::isfinite(bound); }

}  // namespace

// In the middle of an interval, or as far from its only bound as would change a typical gap velocity.
void InteriorPoint::start(const double* diagonal, const double* b, const std::vector<Bounds>& bounds) {
  const std::size_t n = bounds.size();
  for (auto* values :
       {&lambda_, &above_, &below_, &pull_up_, &pull_down_, &gamma_, &d_lambda_, &d_up_, &d_down_, &weight_})
    values->assign(n, 0.0);
  all_.assign(n, 1);
  double speed = 1e-300;
  for (std::size_t i = 0; i < n; ++i) speed = std::max(speed, std::abs(b[i]));
  for (std::size_t i = 0; i < n; ++i) {
    const auto [lo, hi] = bounds[i];
    const double typical = diagonal[i] > 0 ? speed / diagonal[i] : 1;
    if (bounded(lo)) above_[i] = bounded(hi) ? std::min(typical, 0.5 * (hi - lo)) : typical;
    lambda_[i] = bounded(lo) ? lo + above_[i] : (bounded(hi) ? hi - typical : 0);
    if (bounded(hi)) below_[i] = hi - lambda_[i];
    if (bounded(lo)) pull_up_[i] = speed;
    if (bounded(hi)) pull_down_[i] = speed;
  }
}

double InteriorPoint::mean_product(const std::vector<Bounds>& bounds) const {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    sum += above_[i] * pull_up_[i] + below_[i] * pull_down_[i];
    count += bounded(bounds[i].lo) + bounded(bounds[i].hi);
  }
  return count > 0 ? sum / count : 0;
}

void InteriorPoint::multiply(const SparsePattern& pattern, const double* values, const double* diagonal,
                             const double* b) {
  for (int i = 0; i < pattern.size; ++i) gamma_[i] = b[i] + diagonal[i] * lambda_[i];
  for (int i = 0; i < pattern.size; ++i) {
    for (int k = pattern.begin[i]; k < pattern.begin[i + 1]; ++k) {
      const int j = pattern.columns[k];
      gamma_[i] += values[k] * lambda_[j];
      gamma_[j] += values[k] * lambda_[i];
    }
  }
}

double InteriorPoint::longest_step(const std::vector<Bounds>& bounds) const {
  double step = 1 / kToTheBoundary;
  const auto limit = [&step](double value, double change) {
    if (change < 0) step = std::min(step, -value / change);
  };
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounded(bounds[i].lo)) {
      limit(above_[i], d_lambda_[i]);
      limit(pull_up_[i], d_up_[i]);
    }
    if (bounded(bounds[i].hi)) {
      limit(below_[i], -d_lambda_[i]);
      limit(pull_down_[i], d_down_[i]);
    }
  }
  return kToTheBoundary * step;
}

int InteriorPoint::solve(const SparsePattern& pattern, const double* values, const double* diagonal, const double* b,
                         const std::vector<Bounds>& bounds, double tolerance, SparseFactor& factor, double* lambda) {
  const std::size_t n = bounds.size();
  start(diagonal, b, bounds);
  double largest = 1e-300;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, diagonal[i]);
  int steps = 0;
  for (; steps < kNewtonStepsMost; ++steps) {
    multiply(pattern, values, diagonal, b);
    const double mean = mean_product(bounds), aim = kCentering * mean;
    double off = 0;
    for (std::size_t i = 0; i < n; ++i) off = std::max(off, std::abs(gamma_[i] - pull_up_[i] + pull_down_[i]));
    if (mean * largest <= tolerance * tolerance && off <= tolerance) break;
    // (G + u/s + v/t) d = -gamma + aim/s - aim/t
    for (std::size_t i = 0; i < n; ++i) {
      weight_[i] = diagonal[i];
      d_lambda_[i] = -gamma_[i];
      if (bounded(bounds[i].lo)) {
        weight_[i] += pull_up_[i] / above_[i];
        d_lambda_[i] += aim / above_[i];
      }
      if (bounded(bounds[i].hi)) {
        weight_[i] += pull_down_[i] / below_[i];
        d_lambda_[i] -= aim / below_[i];
      }
    }
    factor.factor(values, weight_.data(), all_.data(), 1e-15);
    factor.solve(d_lambda_.data());
    for (std::size_t i = 0; i < n; ++i) {
      if (bounded(bounds[i].lo)) d_up_[i] = (aim - pull_up_[i] * d_lambda_[i]) / above_[i] - pull_up_[i];
      if (bounded(bounds[i].hi)) d_down_[i] = (aim + pull_down_[i] * d_lambda_[i]) / below_[i] - pull_down_[i];
    }
    const double step = longest_step(bounds);
    for (std::size_t i = 0; i < n; ++i) {
      lambda_[i] += step * d_lambda_[i];
      above_[i] += bounded(bounds[i].lo) ? step * d_lambda_[i] : 0;
      below_[i] -= bounded(bounds[i].hi) ? step * d_lambda_[i] : 0;
      pull_up_[i] += step * d_up_[i];
      pull_down_[i] += step * d_down_[i];
    }
  }
  // Impulses smaller than the gap velocity they are to prevent belong to rows that have left their bound's other side.
  for (std::size_t i = 0; i < n; ++i) {
    lambda[i] = lambda_[i];
    if (bounded(bounds[i].lo) && above_[i] * diagonal[i] < pull_up_[i]) lambda[i] = bounds[i].lo;
    if (bounded(bounds[i].hi) && below_[i] * diagonal[i] < pull_down_[i]) lambda[i] = bounds[i].hi;
  }
  return steps;
}

}  // namespace lipkin
