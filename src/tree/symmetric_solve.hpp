// Small symmetric positive definite systems of fixed size, row-major, without pivoting.
#pragma once

#include "spatial/scalar.hpp"

namespace lipkin {

// LDLᵀ in place: below the diagonal L, on it 1/D. Reads the lower triangle.
template <int n, class T>
LIPKIN_INLINE void ldlt_factor(T* A) {
  for (int j = 0; j < n; ++j) {
    A[n * j + j] = constant<T>(1) / A[n * j + j];
    T column[n];
    for (int i = j + 1; i < n; ++i) {
      column[i] = A[n * i + j];
      A[n * i + j] = column[i] * A[n * j + j];
    }
    for (int i = j + 1; i < n; ++i)
      for (int k = j + 1; k <= i; ++k) A[n * i + k] -= A[n * i + j] * column[k];
  }
}

// x becomes A⁻¹ x, from ldlt_factor's result.
template <int n, class T>
LIPKIN_INLINE void ldlt_solve(const T* F, T* x) {
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) x[i] -= F[n * i + j] * x[j];
  for (int j = n - 1; j >= 0; --j) {
    x[j] = x[j] * F[n * j + j];
    for (int i = j + 1; i < n; ++i) x[j] -= F[n * i + j] * x[i];
  }
}

// Inverse of a symmetric 1x1, 2x2 or 3x3 matrix by LDLᵀ.
template <int n, class T>
LIPKIN_INLINE void symmetric_inverse(const T* A, T* inverse) {
  T F[n * n];
  for (int k = 0; k < n * n; ++k) F[k] = A[k];
  ldlt_factor<n>(F);
  for (int k = 0; k < n; ++k) {
    T x[n];
    for (int i = 0; i < n; ++i) x[i] = constant<T>(i == k ? 1 : 0);
    ldlt_solve<n>(F, x);
    for (int i = 0; i < n; ++i) inverse[n * i + k] = x[i];
  }
}

}  // namespace lipkin
