// A rank-revealing factorisation of bilateral rows: G = Y Yᵀ + C of any rank, solved in the sense of least norm.
//
// Y = L V with orthogonal rows V: G = L D Lᵀ is its pivoted Cholesky factorisation, computed from the rows themselves
// so that the condition of Y is not squared. A row is redundant where what the rows before it leave of it falls below
// the rank tolerance, relative to the row itself: metres and radians do not mix.
#pragma once

#include <vector>

#include "solvers/bilateral_work.hpp"

namespace lipkin {

class BilateralFactor {
 public:
  BilateralFactor() = default;
  BilateralFactor(BilateralFactor&&) = default;
  BilateralFactor& operator=(BilateralFactor&&) = default;

  static constexpr double kDefaultRankTolerance = 1e-11;

  // Room for m_max rows of n_max columns; grows only. With it, nothing below allocates.
  void reserve(int m_max, int n_max);

  // Of what remains of a row's square, relative to the square; the length's tolerance is its root.
  void set_rank_tolerance(double tolerance) { work_.rank_tolerance = tolerance; }

  // Y is m x n, row i at Y + i * stride. compliance: one value >= 0 per row, or null for none. squares: of the rows
  // before something else was taken out of them, which is what remains of them counts against; null: as they are.
  void factor(const double* Y, int m, int n, int stride, const double* compliance, const double* squares = nullptr);

  int rank() const { return work_.rank; }
  int row_count() const { return work_.m; }
  const int* pivots() const { return work_.pivots; }  // the rank() rows that carry the rank

  // z[n]: the shortest with Y z = rhs on the pivot rows. With compliance: z = Yᵀ Lambda with G Lambda = rhs there.
  void solve_z(const double* rhs, double* z) const;

  // lambda[m]: the shortest over all rows with G Lambda = rhs, which must be consistent.
  void solve_lambda(const double* rhs, double* lambda);

  // For systems whose unknowns move z along other rows than those that ask, without compliance: c[rank()] has the
  // products with the rows of the basis V that every z with Y z = rhs has; basis_times gives those of a row (padded to
  // eight values with zeros), out_stride apart.
  void demand_on_basis(const double* rhs, double* c) const;
  void basis_times(const double* row, double* out, int out_stride) const;
  // Those of the rows of Y, known already: row i's in column i.
  void basis_times_own_rows(double* out, int out_stride) const;

  // Length of the rows that project_out takes: n padded, and private coordinates of compliant rows behind.
  int width() const { return work_.v_stride; }

  // Removes from a row of width() values, zero behind its first n, the part in the span of Y's rows. The Gram matrix of
  // rows treated so is the Schur complement of G in the rows together.
  void project_out(double* row) const;

 private:
  void place(int m, int n, bool has_compliance);

  BilateralWork work_;
  std::vector<double> memory_;
  std::vector<int> pivots_;
  int m_max_ = 0, n_max_ = 0;
  bool lambda_prepared_ = false;
};

}  // namespace lipkin
