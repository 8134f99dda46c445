// 3x3 matrices: general (row-major) and symmetric (6 numbers).
#pragma once

#include "spatial/vec3.hpp"

namespace lipkin {

template <class T>
struct Mat3 {
  T e[9];

  LIPKIN_INLINE T& operator()(int i, int j) { return e[3 * i + j]; }
  LIPKIN_INLINE const T& operator()(int i, int j) const { return e[3 * i + j]; }

  LIPKIN_INLINE static Mat3 zero() {
    Mat3 r;
    for (int k = 0; k < 9; ++k) r.e[k] = constant<T>(0);
    return r;
  }
  LIPKIN_INLINE static Mat3 identity() {
    Mat3 r = zero();
    r.e[0] = r.e[4] = r.e[8] = constant<T>(1);
    return r;
  }
  LIPKIN_INLINE Vec3<T> row(int i) const { return {{e[3 * i], e[3 * i + 1], e[3 * i + 2]}}; }
  LIPKIN_INLINE Vec3<T> column(int j) const { return {{e[j], e[3 + j], e[6 + j]}}; }

  friend LIPKIN_INLINE Vec3<T> operator*(const Mat3& A, const Vec3<T>& x) {
    return {{dot(A.row(0), x), dot(A.row(1), x), dot(A.row(2), x)}};
  }
  friend LIPKIN_INLINE Mat3 operator*(const Mat3& A, const Mat3& B) {
    Mat3 r;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) r(i, j) = dot(A.row(i), B.column(j));
    return r;
  }
  friend LIPKIN_INLINE Mat3 operator+(const Mat3& A, const Mat3& B) {
    Mat3 r;
    for (int k = 0; k < 9; ++k) r.e[k] = A.e[k] + B.e[k];
    return r;
  }
  friend LIPKIN_INLINE Mat3 operator-(const Mat3& A, const Mat3& B) {
    Mat3 r;
    for (int k = 0; k < 9; ++k) r.e[k] = A.e[k] - B.e[k];
    return r;
  }
};

template <class T>
LIPKIN_INLINE Mat3<T> transpose(const Mat3<T>& A) {
  return {{A.e[0], A.e[3], A.e[6], A.e[1], A.e[4], A.e[7], A.e[2], A.e[5], A.e[8]}};
}

// Aᵀ x without forming the transpose.
template <class T>
LIPKIN_INLINE Vec3<T> transpose_times(const Mat3<T>& A, const Vec3<T>& x) {
  return {{dot(A.column(0), x), dot(A.column(1), x), dot(A.column(2), x)}};
}

// The matrix of a cross product: skew(a) b = a x b.
template <class T>
LIPKIN_INLINE Mat3<T> skew(const Vec3<T>& a) {
  const T zero = constant<T>(0);
  return {{zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero}};
}

template <class T>
LIPKIN_INLINE Mat3<T> lift(const Mat3<double>& A) {
  Mat3<T> r;
  for (int k = 0; k < 9; ++k) r.e[k] = constant<T>(A.e[k]);
  return r;
}

// Symmetric 3x3: xx, yy, zz, xy, xz, yz.
template <class T>
struct Sym3 {
  T e[6];

  LIPKIN_INLINE static constexpr int index(int i, int j) { return i == j ? i : i + j + 2; }
  LIPKIN_INLINE T& operator()(int i, int j) { return e[index(i, j)]; }
  LIPKIN_INLINE const T& operator()(int i, int j) const { return e[index(i, j)]; }

  LIPKIN_INLINE static Sym3 zero() {
    Sym3 r;
    for (int k = 0; k < 6; ++k) r.e[k] = constant<T>(0);
    return r;
  }
  LIPKIN_INLINE static Sym3 diagonal(const T& x, const T& y, const T& z) {
    Sym3 r = zero();
    r.e[0] = x, r.e[1] = y, r.e[2] = z;
    return r;
  }
  LIPKIN_INLINE Vec3<T> row(int i) const { return {{(*this)(i, 0), (*this)(i, 1), (*this)(i, 2)}}; }

  LIPKIN_INLINE Sym3& operator+=(const Sym3& B) {
    for (int k = 0; k < 6; ++k) e[k] += B.e[k];
    return *this;
  }
  friend LIPKIN_INLINE Sym3 operator+(Sym3 A, const Sym3& B) { return A += B; }
  friend LIPKIN_INLINE Vec3<T> operator*(const Sym3& A, const Vec3<T>& x) {
    return {{dot(A.row(0), x), dot(A.row(1), x), dot(A.row(2), x)}};
  }
};

template <class T>
LIPKIN_INLINE Sym3<T> lift(const Sym3<double>& A) {
  Sym3<T> r;
  for (int k = 0; k < 6; ++k) r.e[k] = constant<T>(A.e[k]);
  return r;
}

template <class T>
LIPKIN_INLINE Mat3<T> full(const Sym3<T>& A) {
  return {{A.e[0], A.e[3], A.e[4], A.e[3], A.e[1], A.e[5], A.e[4], A.e[5], A.e[2]}};
}

// R A Rᵀ, symmetric: the same tensor along other axes.
template <class T>
LIPKIN_INLINE Sym3<T> congruence(const Mat3<T>& R, const Sym3<T>& A) {
  Mat3<T> RA;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) RA(i, j) = dot(R.row(i), A.row(j));
  Sym3<T> r;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) r(i, j) = dot(RA.row(i), R.row(j));
  return r;
}

}  // namespace lipkin
