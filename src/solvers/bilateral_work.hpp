// What a BilateralFactor keeps, as its kernels see it.
#pragma once

namespace lipkin {

inline constexpr int kBilateralGrain = 8;  // rows and columns are padded to the widest register
inline int padded_to_grain(int count) { return (count + kBilateralGrain - 1) / kBilateralGrain * kBilateralGrain; }
inline constexpr int kBilateralRowsMax = 1 << 12;  // see row_key

// Arrays belong to BilateralFactor. m rows, n columns; m_padded and so on: rounded up to the grain, filled with zeros.
struct BilateralWork {
  double rank_tolerance = 1e-11;  // of what remains of a row's square, relative to the row's square itself
  int m = 0, n = 0, m_padded = 0, n_padded = 0;
  int rank = 0;
  bool has_compliance = false;
  int v_stride = 0;                  // n_padded, and the private coordinates of compliant rows behind them
  int l11_stride = 0;                // rank_max padded
  int* pivots = nullptr;             // the rows that carry the rank, in the order chosen
  double* Yt = nullptr;              // n x m_padded: column j of Y at j * m_padded
  double* V = nullptr;               // rank x v_stride: orthogonal rows
  double* inverse_square = nullptr;  // rank: one over the squares of V's rows, 1/D
  double* L = nullptr;               // rank x m_padded: column k of L at k * m_padded, so that Y = L V and G = L D Lᵀ
  double* L11 = nullptr;  // the pivot rows of L in their order, below the unit diagonal; column k at k * l11_stride
  double* P = nullptr;    // L = P R, orthogonal columns laid out as L
  double* Rt = nullptr;   // unit R transposed, laid out as L11
  double* inverse_square_p = nullptr;  // rank: one over the squares of P's columns
  double* remaining = nullptr;         // m_padded: of each row's square outside the span so far, relative; -1: chosen
  double* weight = nullptr;            // m_padded: one over each row's square
  const double* whole_squares = nullptr;  // m: what weight is one over, where it is not null
  double* scratch = nullptr;              // l11_stride
  double* row_scratch = nullptr;          // m_padded
};

}  // namespace lipkin
