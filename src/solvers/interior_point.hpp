// An interior-point method for sparse problems with bounds: Lambda in [lo, hi], gamma = b + G Lambda > 0 only at lo,
// < 0 only at hi. For heaps so jammed that active sets keep changing: the number of steps hardly depends on the
// problem. Central path with fixed centring, after Wright, Primal-Dual Interior-Point Methods (SIAM 1997), chapter 8.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/sparse_factor.hpp"

namespace lipkin {

class InteriorPoint {
 public:
  struct Bounds {
    double lo, hi;
  };

  // values and diagonal: the matrix in `pattern`, which `factor` has analysed. Sets lambda; stops where every gap times
  // its impulse, over the diagonal of G, is within the tolerance's square: tolerance [m/s].
  // Returns the number of steps.
  int solve(const SparsePattern& pattern, const double* values, const double* diagonal, const double* b,
            const std::vector<Bounds>& bounds, double tolerance, SparseFactor& factor, double* lambda);

 private:
  void start(const double* diagonal, const double* b, const std::vector<Bounds>& bounds);
  double mean_product(const std::vector<Bounds>& bounds) const;
  void multiply(const SparsePattern& pattern, const double* values, const double* diagonal, const double* b);
  double longest_step(const std::vector<Bounds>& bounds) const;

  // Per row: the impulse, its distance from each bound, the part of gamma that belongs to each, and their steps.
  std::vector<double> lambda_, above_, below_, pull_up_, pull_down_, gamma_;
  std::vector<double> d_lambda_, d_up_, d_down_, weight_;
  std::vector<std::uint8_t> all_;
};

}  // namespace lipkin
