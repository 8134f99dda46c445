// N independent values in one SIMD register: one lane per simulation.
#pragma once

#include "spatial/scalar.hpp"

namespace lipkin {

template <class T, int N>
struct Pack {
  typedef T Native __attribute__((vector_size(sizeof(T) * N)));
  Native v;

  Pack() = default;
  LIPKIN_INLINE Pack(T x) : v(x - Native{}) {}  // NOLINT: constants broadcast; x - 0 is x, x + 0 may not be
  LIPKIN_INLINE static Pack of(Native native) {
    Pack p;
    p.v = native;
    return p;
  }
  LIPKIN_INLINE T lane(int k) const { return v[k]; }
  LIPKIN_INLINE void set_lane(int k, T x) { v[k] = x; }

  LIPKIN_INLINE Pack& operator+=(Pack b) {
    v += b.v;
    return *this;
  }
  LIPKIN_INLINE Pack& operator-=(Pack b) {
    v -= b.v;
    return *this;
  }
  LIPKIN_INLINE Pack& operator*=(Pack b) {
    v *= b.v;
    return *this;
  }

  friend LIPKIN_INLINE Pack operator+(Pack a, Pack b) { return of((a.v + b.v)); }
  friend LIPKIN_INLINE Pack operator-(Pack a, Pack b) { return of((a.v - b.v)); }
  friend LIPKIN_INLINE Pack operator*(Pack a, Pack b) { return of((a.v * b.v)); }
  friend LIPKIN_INLINE Pack operator/(Pack a, Pack b) { return of((a.v / b.v)); }
  friend LIPKIN_INLINE Pack operator-(Pack a) { return of((-a.v)); }
  friend LIPKIN_INLINE auto operator<(Pack a, Pack b) { return a.v < b.v; }
  friend LIPKIN_INLINE auto operator>(Pack a, Pack b) { return a.v > b.v; }
};

template <class T, int N>
struct ScalarTraits<Pack<T, N>> {
  static constexpr int kLanes = N;
  LIPKIN_INLINE static Pack<T, N> from(double x) { return Pack<T, N>(static_cast<T>(x)); }
};

template <class T, int N, class Mask>
LIPKIN_INLINE Pack<T, N> select(Mask condition, Pack<T, N> a, Pack<T, N> b) {
  return Pack<T, N>::of(condition ? a.v : b.v);
}

// One of the independent values.
LIPKIN_INLINE double lane(double x, int) { return x; }
template <class T, int N>
LIPKIN_INLINE T lane(Pack<T, N> x, int k) {
  return x.v[k];
}

LIPKIN_INLINE double lane_square_root(double x) { return __builtin_sqrt(x); }
LIPKIN_INLINE float lane_square_root(float x) { return __builtin_sqrtf(x); }

template <class T, int N>
LIPKIN_INLINE Pack<T, N> square_root(Pack<T, N> x) {
  Pack<T, N> y;
  for (int k = 0; k < N; ++k) y.v[k] = lane_square_root(x.v[k]);
  return y;
}

}  // namespace lipkin
