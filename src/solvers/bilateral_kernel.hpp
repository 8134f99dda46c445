// Kernels of BilateralFactor: an orthogonal basis of the rows by Gram-Schmidt with row pivoting, left-looking and
// without square roots. Y = L V, so that G = Y Yᵀ = L D Lᵀ is the pivoted Cholesky factorisation, found without
// squaring the condition of Y (Björck, Numerical Methods for Least Squares Problems, SIAM 1996, 2.4). Rows lie across
// the lanes.
//
// A compliant row i is [y_i, sqrt(c_i) e_i]: it has one coordinate of z that nobody else touches, so that
// Y Yᵀ + C is again a product of rows. Only pivots need theirs: in the basis it stands at n_padded + k for pivot k.
#pragma once

#include "solvers/bilateral_work.hpp"
#include "solvers/lanes.hpp"

namespace lipkin {
namespace {

// Below this part of a row's square, rounding of the first subtraction is taken out by a second one ("twice is enough",
// Giraud et al., Numer. Math. 101, 2005); above, the basis is orthogonal to about 1e-15.
constexpr double kReorthogonalizeBelow = 1e-2;

LIPKIN_SOLVER_INLINE double dot(const double* a, const double* b, int count) {
  Lanes sum = {};
  for (int j = 0; j < count; j += kSolverLanes) sum += load_lanes(a + j) * load_lanes(b + j);
  return sum_lanes(sum);
}

LIPKIN_SOLVER_INLINE void add_scaled(double* to, double factor, const double* from, int count) {
  for (int j = 0; j < count; j += kSolverLanes) store_lanes(to + j, load_lanes(to + j) + factor * load_lanes(from + j));
}

// to[0..width) += sum of x_(k x_stride) times row k, `sign` times. Everything is padded to the grain.
template <int sign>
LIPKIN_SOLVER_INLINE void add_rows(const double* rows, int stride, const double* x, int x_stride, int count, int width,
                                   double* to) {
  for (int j = 0; j < width; j += kSolverLanes) {
    Lanes even = load_lanes(to + j), odd = {};
    int k = 0;
    for (; k + 1 < count; k += 2) {
      even += sign * x[k * x_stride] * load_lanes(rows + k * stride + j);
      odd += sign * x[(k + 1) * x_stride] * load_lanes(rows + (k + 1) * stride + j);
    }
    if (k < count) even += sign * x[k * x_stride] * load_lanes(rows + k * stride + j);
    store_lanes(to + j, even + odd);
  }
}

LIPKIN_SOLVER_INLINE void copy_transposed(const double* Y, int m, int n, int stride, double* Yt, int m_padded) {
  LaneIndices index = first_indices();
  for (int i = 0; i < m_padded; i += kSolverLanes, index += kSolverLanes) {
    const double* row[kSolverLanes];
    for (int k = 0; k < kSolverLanes; ++k) row[k] = Y + (i + k < m ? i + k : m - 1) * stride;
    for (int j = 0; j < n; ++j) {
      Lanes column;
      for (int k = 0; k < kSolverLanes; ++k) column[k] = row[k][j];
      // The padding are rows of zeros, which never become pivots.
      store_lanes(Yt + j * m_padded + i, index < m ? column : Lanes{});
    }
  }
}

// What remains of a row, with the row's index (from the end) in the last bits: the largest key tells the row with most
// remaining, of equal ones the first.
LIPKIN_SOLVER_INLINE Lanes row_key(Lanes remaining, LaneIndices index) {
  constexpr long long kIndexBits = kBilateralRowsMax - 1;
  return reinterpret_cast<Lanes>((reinterpret_cast<LaneIndices>(remaining) & ~kIndexBits) | (kIndexBits - index));
}
LIPKIN_SOLVER_INLINE int row_of_key(double key) {
  constexpr long long kIndexBits = kBilateralRowsMax - 1;
  return static_cast<int>(kIndexBits - (__builtin_bit_cast(long long, key) & kIndexBits));
}

// Given as constants for the sizes of small mechanisms, which lets the compiler unroll.
struct FactorSize {
  int rows, n, columns, v_stride, l11_stride;  // rows and columns padded
  bool has_compliance;
};

// The same where something was taken out of the rows before.
LIPKIN_SOLVER_INLINE Lanes remaining_of_whole(Lanes square, int i, BilateralWork& work) {
  Lanes remaining = all_lanes(-1);
  for (int k = 0; k < kSolverLanes && i + k < work.m; ++k) {
    const double whole = work.whole_squares[i + k];
    if (!(square[k] > 0 && whole > 0)) continue;
    work.weight[i + k] = 1 / whole;
    remaining[k] = square[k] / whole;
  }
  return remaining;
}

// remaining and weight from the rows' squares. Rows of zeros and padding never become pivots.
LIPKIN_SOLVER_INLINE int start_remaining(const double* compliance, const FactorSize& size, BilateralWork& work) {
  LaneIndices index = first_indices();
  Lanes best = row_key(all_lanes(-1), index);
  for (int i = 0; i < size.rows; i += kSolverLanes, index += kSolverLanes) {
    Lanes square = {};
    for (int j = 0; j < size.n; ++j) {
      const Lanes y = load_lanes(work.Yt + j * size.rows + i);
      square += y * y;
    }
    if (size.has_compliance) {
      for (int k = 0; k < kSolverLanes && i + k < work.m; ++k) square[k] += compliance[i + k];
    }
    Lanes remaining = square > 0 ? all_lanes(1) : all_lanes(-1);
    store_lanes(work.weight + i, square > 0 ? 1 / square : Lanes{});
    if (work.whole_squares) remaining = remaining_of_whole(square, i, work);
    store_lanes(work.remaining + i, remaining);
    best = larger(best, row_key(remaining, index));
  }
  return row_of_key(largest_lane(best));
}

// out = `blocks` registers of rows times v; columns two at a time for independent sums.
template <int blocks>
LIPKIN_SOLVER_INLINE void rows_times(const double* Yt, int m_padded, int n, const double* v, double* out) {
  Lanes even[blocks] = {}, odd[blocks] = {};
  int j = 0;
  for (; j + 1 < n; j += 2) {
    const double* column = Yt + j * m_padded;
    for (int b = 0; b < blocks; ++b) {
      even[b] += load_lanes(column + b * kSolverLanes) * v[j];
      odd[b] += load_lanes(column + m_padded + b * kSolverLanes) * v[j + 1];
    }
  }
  if (j < n) {
    for (int b = 0; b < blocks; ++b) even[b] += load_lanes(Yt + j * m_padded + b * kSolverLanes) * v[j];
  }
  for (int b = 0; b < blocks; ++b) store_lanes(out + b * kSolverLanes, even[b] + odd[b]);
}

LIPKIN_SOLVER_INLINE void all_rows_times(const BilateralWork& work, const FactorSize& size, const double* v,
                                         double* out) {
  int i = 0;
  for (; i + 4 * kSolverLanes <= size.rows; i += 4 * kSolverLanes)
    rows_times<4>(work.Yt + i, size.rows, size.n, v, out + i);
  for (; i + 2 * kSolverLanes <= size.rows; i += 2 * kSolverLanes)
    rows_times<2>(work.Yt + i, size.rows, size.n, v, out + i);
  for (; i < size.rows; i += kSolverLanes) rows_times<1>(work.Yt + i, size.rows, size.n, v, out + i);
}

// Row p without its part in the basis so far becomes the next row of V; the coefficients go to row k of L11.
LIPKIN_SOLVER_INLINE double* orthogonalize(const double* row, double compliance, int p, const FactorSize& size,
                                           BilateralWork& work, int width) {
  const int k = work.rank;
  double* v = work.V + k * size.v_stride;
  // Whole registers where possible: a register read soon after its lanes were written one by one has to wait.
  int j = 0;
  for (; j + kSolverLanes <= size.n; j += kSolverLanes) store_lanes(v + j, load_lanes(row + j));
  for (; j < size.n; ++j) v[j] = row[j];
  for (; j < size.v_stride; ++j) v[j] = 0;
  if (size.has_compliance) v[size.columns + k] = __builtin_sqrt(compliance);
  add_rows<-1>(work.V, size.v_stride, work.L + p, size.rows, k, width, v);
  for (int c = 0; c < k; ++c) work.L11[c * size.l11_stride + k] = work.L[c * size.rows + p];
  if (work.remaining[p] > kReorthogonalizeBelow) return v;
  double* coefficient = work.scratch;
  for (int c = 0; c < k; ++c) {
    coefficient[c] = dot(v, work.V + c * size.v_stride, width) * work.inverse_square[c];
    work.L11[c * size.l11_stride + k] += coefficient[c];
  }
  add_rows<-1>(work.V, size.v_stride, coefficient, 1, k, width, v);
  return v;
}

// The next row v of V is good: its products with all rows make a column of L. Returns the next candidate.
LIPKIN_SOLVER_INLINE int accept_pivot(int p, double square, const double* v, const FactorSize& size,
                                      BilateralWork& work) {
  const int k = work.rank;
  double* column = work.L + k * size.rows;
  all_rows_times(work, size, v, column);
  const double inverse = 1 / square;
  LaneIndices index = first_indices();
  Lanes best = row_key(all_lanes(-1), index);
  for (int i = 0; i < size.rows; i += kSolverLanes, index += kSolverLanes) {
    const Lanes old = load_lanes(work.remaining + i), product = load_lanes(column + i);
    const Lanes l = product * inverse;
    const LaneIndices open = old >= 0, chosen = index == p;
    store_lanes(column + i, chosen ? all_lanes(1) : (open ? l : Lanes{}));
    // Rounding may leave a little less than nothing of a row that lies in the span: it stays eligible and small.
    const Lanes left = larger(old - product * l * load_lanes(work.weight + i), Lanes{});
    const Lanes remaining = chosen | ~open ? all_lanes(-1) : left;
    store_lanes(work.remaining + i, remaining);
    best = larger(best, row_key(remaining, index));
  }
  // What stands behind the diagonal is written later.
  const int diagonal = k / kBilateralGrain * kBilateralGrain;
  for (int i = 0; i < kBilateralGrain; i += kSolverLanes)
    store_lanes(work.L11 + k * size.l11_stride + diagonal + i, Lanes{});
  work.inverse_square[k] = inverse;
  work.pivots[k] = p;
  work.rank = k + 1;
  return row_of_key(largest_lane(best));
}

LIPKIN_SOLVER_INLINE int row_with_most_remaining(const BilateralWork& work, const FactorSize& size) {
  LaneIndices index = first_indices();
  Lanes best = row_key(all_lanes(-1), index);
  for (int i = 0; i < size.rows; i += kSolverLanes, index += kSolverLanes)
    best = larger(best, row_key(load_lanes(work.remaining + i), index));
  return row_of_key(largest_lane(best));
}

// Whole registers are read where the rank ends inside one.
LIPKIN_SOLVER_INLINE void clear_behind_rank(const FactorSize& size, BilateralWork& work) {
  for (int i = work.rank; i % kBilateralGrain != 0; ++i) {
    work.inverse_square[i] = 0;
    for (int k = 0; k < work.rank; ++k) work.L11[k * size.l11_stride + i] = 0;
  }
}

LIPKIN_SOLVER_INLINE int factor_of_size(const double* Y, int stride, const double* compliance, const FactorSize& size,
                                        BilateralWork& work) {
  copy_transposed(Y, work.m, size.n, stride, work.Yt, size.rows);
  work.rank = 0;
  int p = start_remaining(compliance, size, work);
  while (work.remaining[p] > work.rank_tolerance && (size.has_compliance || work.rank < size.n)) {
    const double c = size.has_compliance ? compliance[p] : 0;
    const int private_width = (work.rank / kBilateralGrain + 1) * kBilateralGrain;
    const int width = size.columns + (size.has_compliance ? private_width : 0);
    const double* v = orthogonalize(Y + p * stride, c, p, size, work, width);
    const double square = dot(v, v, width);
    if (square * work.weight[p] > work.rank_tolerance) {
      p = accept_pivot(p, square, v, size, work);
    } else {
      work.remaining[p] = 0;  // what seemed to be left was rounding
      p = row_with_most_remaining(work, size);
    }
  }
  clear_behind_rank(size, work);
  return work.rank;
}

int bilateral_factor(const double* Y, int stride, const double* compliance, BilateralWork& work) {
  if (!work.has_compliance && work.n == 8 && work.m_padded == 8)
    return factor_of_size(Y, stride, nullptr, {8, 8, 8, 8, 8, false}, work);
  if (!work.has_compliance && work.n == 8 && work.m_padded == 16)
    return factor_of_size(Y, stride, nullptr, {16, 8, 8, 8, 8, false}, work);
  const FactorSize size = {work.m_padded, work.n, work.n_padded, work.v_stride, work.l11_stride, work.has_compliance};
  return factor_of_size(Y, stride, compliance, size, work);
}

// x = T⁻¹ x for a unit lower triangular T whose strict columns lie `stride` apart.
LIPKIN_SOLVER_INLINE void substitute_forward(const double* T, int stride, int count, double* x) {
  for (int begin = 0; begin < count; begin += kSolverLanes) {
    const int end = begin + kSolverLanes < count ? begin + kSolverLanes : count;
    Lanes c = load_lanes(x + begin);
    LaneIndices lane = {};
    for (int k = begin; k < end; ++k, lane += 1) c -= copies_of_lane(c, lane) * load_lanes(T + k * stride + begin);
    store_lanes(x + begin, c);
    for (int i = begin + kSolverLanes; i < count; i += kSolverLanes) {
      Lanes later = load_lanes(x + i);
      for (int k = begin; k < end; ++k) later -= x[k] * load_lanes(T + k * stride + i);
      store_lanes(x + i, later);
    }
  }
}

LIPKIN_SOLVER_INLINE void multiply(double* x, const double* by, int count) {
  for (int k = 0; k < count; k += kSolverLanes) store_lanes(x + k, load_lanes(x + k) * load_lanes(by + k));
}

// The products with V's rows of any z that meets the pivot rows.
LIPKIN_SOLVER_INLINE double* products_with_basis(const BilateralWork& work, const double* rhs) {
  double* c = work.scratch;
  for (int k = 0; k < work.rank; ++k) c[k] = rhs[work.pivots[k]];
  for (int k = work.rank; k < work.l11_stride && k % kSolverLanes != 0; ++k) c[k] = 0;
  substitute_forward(work.L11, work.l11_stride, work.rank, c);
  return c;
}

// The coordinates in V of the shortest such z.
LIPKIN_SOLVER_INLINE double* coordinates_of(const BilateralWork& work, const double* rhs) {
  double* c = products_with_basis(work, rhs);
  multiply(c, work.inverse_square, work.rank);
  return c;
}

void bilateral_demand_on_basis(const BilateralWork& work, const double* rhs, double* c) {
  const double* products = products_with_basis(work, rhs);
  for (int k = 0; k < work.rank; ++k) c[k] = products[k];
}

void bilateral_basis_times(const BilateralWork& work, const double* row, double* out, int out_stride) {
  for (int k = 0; k < work.rank; ++k) out[k * out_stride] = dot(row, work.V + k * work.v_stride, work.n_padded);
}

void bilateral_solve_z(const BilateralWork& work, const double* rhs, double* z) {
  const double* c = coordinates_of(work, rhs);
  const int whole = work.n / kBilateralGrain * kBilateralGrain;
  for (int j = 0; j < whole; j += kSolverLanes) store_lanes(z + j, Lanes{});
  add_rows<1>(work.V, work.v_stride, c, 1, work.rank, whole, z);
  if (whole == work.n) return;
  alignas(64) double rest[kBilateralGrain] = {};
  add_rows<1>(work.V + whole, work.v_stride, c, 1, work.rank, kBilateralGrain, rest);
  for (int j = whole; j < work.n; ++j) z[j] = rest[j - whole];
}

// L = P R with orthogonal columns P by modified Gram-Schmidt and unit R.
void bilateral_prepare_lambda(BilateralWork& work) {
  for (int i = 0; i < work.rank * work.m_padded; i += kSolverLanes) store_lanes(work.P + i, load_lanes(work.L + i));
  for (int k = 0; k < work.rank; ++k) {
    const double* p = work.P + k * work.m_padded;
    const double inverse = 1 / dot(p, p, work.m_padded);
    work.inverse_square_p[k] = inverse;
    double* column = work.Rt + k * work.l11_stride;
    for (int j = k / kBilateralGrain * kBilateralGrain; j <= k; ++j) column[j] = 0;
    for (int j = k + 1; j < work.rank; ++j) {
      double* later = work.P + j * work.m_padded;
      column[j] = dot(p, later, work.m_padded) * inverse;
      add_scaled(later, -column[j], p, work.m_padded);
    }
  }
}

// x = T⁻ᵀ x.
LIPKIN_SOLVER_INLINE void substitute_backward(const double* T, int stride, int count, double* x) {
  for (int k = count - 1; k >= 0; --k) {
    const int from = (k + 1) / kSolverLanes * kSolverLanes;
    Lanes sum = {};
    for (int i = from; i < count; i += kSolverLanes) sum += load_lanes(T + k * stride + i) * load_lanes(x + i);
    x[k] -= sum_lanes(sum);
  }
}

// Consistent means rhs = L c; then G Lambda = L D Lᵀ Lambda = rhs asks for Lᵀ Lambda = D⁻¹ c, and the least Lambda that
// does it is L (LᵀL)⁻¹ D⁻¹ c = P (PᵀP)⁻¹ R⁻ᵀ D⁻¹ c.
void bilateral_solve_lambda(const BilateralWork& work, const double* rhs, double* lambda) {
  double* c = coordinates_of(work, rhs);
  if (work.rank == work.m) {  // nothing to choose: Lambda = L⁻ᵀ D⁻¹ c
    substitute_backward(work.L11, work.l11_stride, work.rank, c);
    for (int k = 0; k < work.rank; ++k) lambda[work.pivots[k]] = c[k];
    return;
  }
  substitute_forward(work.Rt, work.l11_stride, work.rank, c);
  multiply(c, work.inverse_square_p, work.rank);
  for (int i = 0; i < work.m_padded; i += kSolverLanes) store_lanes(work.row_scratch + i, Lanes{});
  add_rows<1>(work.P, work.m_padded, c, 1, work.rank, work.m_padded, work.row_scratch);
  for (int i = 0; i < work.m; ++i) lambda[i] = work.row_scratch[i];
}

void bilateral_project_out(const BilateralWork& work, double* row) {
  double coefficient[kBilateralRowsMax];  // not work.scratch: threads project their rows at the same time
  for (int k = 0; k < work.rank; ++k)
    coefficient[k] = dot(row, work.V + k * work.v_stride, work.v_stride) * work.inverse_square[k];
  add_rows<-1>(work.V, work.v_stride, coefficient, 1, work.rank, work.v_stride, row);
}

}  // namespace
}  // namespace lipkin
