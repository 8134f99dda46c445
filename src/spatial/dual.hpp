// Dual numbers: a value and its N partial derivatives, propagated exactly by the chain rule.
#pragma once

#include "spatial/scalar.hpp"

namespace lipkin {

template <class T, int N>
struct Dual {
  T value;
  T d[N];

  LIPKIN_INLINE Dual(double x = 0) : value(constant<T>(x)) {  // NOLINT: constants are duals
    for (int k = 0; k < N; ++k) d[k] = constant<T>(0);
  }

  // The independent variable number k with value x.
  LIPKIN_INLINE static Dual variable(T x, int k) {
    Dual r;
    r.value = x;
    r.d[k] = constant<T>(1);
    return r;
  }

  LIPKIN_INLINE Dual& operator+=(const Dual& b) { return *this = *this + b; }
  LIPKIN_INLINE Dual& operator-=(const Dual& b) { return *this = *this - b; }
  LIPKIN_INLINE Dual& operator*=(const Dual& b) { return *this = *this * b; }

  friend LIPKIN_INLINE Dual operator+(const Dual& a, const Dual& b) { return combine(a.value + b.value, a, 1, b, 1); }
  friend LIPKIN_INLINE Dual operator-(const Dual& a, const Dual& b) { return combine(a.value - b.value, a, 1, b, -1); }
  friend LIPKIN_INLINE Dual operator-(const Dual& a) { return scaled(-a.value, a, -1); }
  friend LIPKIN_INLINE Dual operator*(const Dual& a, const Dual& b) {
    return combine(a.value * b.value, a, b.value, b, a.value);
  }
  friend LIPKIN_INLINE Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = constant<T>(1) / b.value;
    const T quotient = a.value * inverse;
    return combine(quotient, a, inverse, b, -quotient * inverse);
  }
  friend LIPKIN_INLINE bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend LIPKIN_INLINE bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }

  // value, with derivatives factor * a.d: the chain rule for a function of one variable.
  LIPKIN_INLINE static Dual scaled(T value, const Dual& a, T factor) {
    Dual r;
    r.value = value;
    for (int k = 0; k < N; ++k) r.d[k] = factor * a.d[k];
    return r;
  }
  LIPKIN_INLINE static Dual combine(T value, const Dual& a, T by_a, const Dual& b, T by_b) {
    Dual r;
    r.value = value;
    for (int k = 0; k < N; ++k) r.d[k] = by_a * a.d[k] + by_b * b.d[k];
    return r;
  }
};

template <class T, int N>
struct ScalarTraits<Dual<T, N>> {
  static constexpr int kLanes = 1;
  LIPKIN_INLINE static Dual<T, N> from(double x) { return Dual<T, N>(x); }
};

template <class T, int N>
LIPKIN_INLINE Dual<T, N> select(bool condition, const Dual<T, N>& a, const Dual<T, N>& b) {
  return condition ? a : b;
}

template <class T, int N>
LIPKIN_INLINE Dual<T, N> square_root(const Dual<T, N>& x) {
  const T root = square_root(x.value);
  return Dual<T, N>::scaled(root, x, constant<T>(0.5) / root);
}

}  // namespace lipkin
