// Lemke's complementary pivoting on a dense linear complementarity problem: w = M x + q, w >= 0, x >= 0, wᵀx = 0
// (Cottle, Pang, Stone, The Linear Complementarity Problem, 4.4).
#pragma once

#include <vector>

namespace lipkin {

class Lemke {
 public:
  // M: n x n, row by row. x[n] is set. False: ended on a ray or at the limit of pivots.
  bool solve(int n, const double* M, const double* q, double* x);

  int pivots() const { return pivots_; }

 private:
  double* row(int i) { return tableau_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns_); }
  void set_up(const double* M, const double* q);
  int first_row() const;
  int leaving_row(int entering);
  void pivot(int leaving, int entering);

  // Columns: w (n), x (n), the artificial variable, the right side. basis_: which column each row stands for.
  std::vector<double> tableau_;
  std::vector<int> basis_;
  int n_ = 0, columns_ = 0, pivots_ = 0;
  double q_scale_ = 0;  // largest |q|
};

}  // namespace lipkin
