// Sine and cosine together, without branches, the same code for scalars and packs.
//
// Reduction by multiples of pi/2 in three parts (Cody and Waite 1980), then the minimax polynomials of fdlibm's
// __kernel_sin and __kernel_cos (float: those of Cephes) on [-pi/4, pi/4]. Error below 1 ulp of the result's scale for
// |x| < kReductionLimit; beyond it the C library's functions are used.
#pragma once

#include "spatial/dual.hpp"
#include "spatial/pack.hpp"
#include "spatial/scalar.hpp"

namespace lipkin {

template <class T>
struct SinCos {
  T sin, cos;
};

namespace sin_cos_detail {

template <class T>
struct Constants;

template <>
struct Constants<double> {
  using Integer = long long;
  static constexpr double kReductionLimit = 1e5;
  static constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  static constexpr double kHalfPi[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                                        2.02226624879595063154e-21};
  LIPKIN_INLINE static double sin(double x) { return __builtin_sin(x); }
  LIPKIN_INLINE static double cos(double x) { return __builtin_cos(x); }
  template <class V>
  LIPKIN_INLINE static V sin_polynomial(V z) {
    V p = z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08;
    p = p * z + 2.75573137070700676789e-06;
    p = p * z - 1.98412698298579493134e-04;
    p = p * z + 8.33333333332248946124e-03;
    return p * z - 1.66666666666666324348e-01;
  }
  template <class V>
  LIPKIN_INLINE static V cos_polynomial(V z) {
    V p = z * -1.13596475577881948265e-11 + 2.08757232129817482790e-09;
    p = p * z - 2.75573143513906633035e-07;
    p = p * z + 2.48015872894767294178e-05;
    p = p * z - 1.38888888888741095749e-03;
    return p * z + 4.16666666666666019037e-02;
  }
};

template <>
struct Constants<float> {
  using Integer = int;
  static constexpr float kReductionLimit = 5e3f;
  static constexpr float kRound = 0x1.8p23f;
  static constexpr float kHalfPi[3] = {1.5703125f, 4.837512969970703125e-4f, 7.54978995489188216e-8f};
  LIPKIN_INLINE static float sin(float x) { return __builtin_sinf(x); }
  LIPKIN_INLINE static float cos(float x) { return __builtin_cosf(x); }
  template <class V>
  LIPKIN_INLINE static V sin_polynomial(V z) {
    V p = z * -1.9515295891e-4f + 8.3321608736e-3f;
    return p * z - 1.6666654611e-1f;
  }
  template <class V>
  LIPKIN_INLINE static V cos_polynomial(V z) {
    V p = z * 2.443315711809948e-5f - 1.388731625493765e-3f;
    return p * z + 4.166664568298827e-2f;
  }
};

// V: double, float or a native vector of them; I: integers of the same width; E: the element type.
template <class E, class V, class I>
LIPKIN_INLINE void reduced(V x, V& sine, V& cosine) {
  using C = Constants<E>;
  const V shifted = x * static_cast<E>(0.63661977236758134308) + C::kRound;
  const V n = shifted - C::kRound;
  I quadrant;
  __builtin_memcpy(&quadrant, &shifted, sizeof quadrant);
  V r = x - n * C::kHalfPi[0];
  r = r - n * C::kHalfPi[1];
  r = r - n * C::kHalfPi[2];
  const V z = r * r;
  const V s = r + r * z * C::sin_polynomial(z);
  const V c = static_cast<E>(1) - static_cast<E>(0.5) * z + z * z * C::cos_polynomial(z);
  const auto swapped = (quadrant & 1) != 0;
  const auto negative_sine = (quadrant & 2) != 0;
  const auto negative_cosine = ((quadrant + 1) & 2) != 0;
  const V a = swapped ? c : s;
  const V b = swapped ? s : c;
  sine = negative_sine ? -a : a;
  cosine = negative_cosine ? -b : b;
}

template <class E>
LIPKIN_INLINE SinCos<E> scalar(E x) {
  using C = Constants<E>;
  if (__builtin_expect(!(x < C::kReductionLimit && x > -C::kReductionLimit), 0)) return {C::sin(x), C::cos(x)};
  SinCos<E> r;
  reduced<E, E, typename C::Integer>(x, r.sin, r.cos);
  return r;
}

}  // namespace sin_cos_detail

LIPKIN_INLINE SinCos<double> sin_cos(double x) { return sin_cos_detail::scalar(x); }
LIPKIN_INLINE SinCos<float> sin_cos(float x) { return sin_cos_detail::scalar(x); }

template <class T, int N>
LIPKIN_INLINE SinCos<Pack<T, N>> sin_cos(Pack<T, N> x) {
  using C = sin_cos_detail::Constants<T>;
  typedef typename C::Integer Integers __attribute__((vector_size(sizeof(T) * N)));
  SinCos<Pack<T, N>> r;
  const Integers inside = (x.v < C::kReductionLimit) & (x.v > -C::kReductionLimit);
  typename C::Integer small = inside[0];
  for (int k = 1; k < N; ++k) small &= inside[k];
  if (__builtin_expect(small != 0, 1)) {
    sin_cos_detail::reduced<T, typename Pack<T, N>::Native, Integers>(x.v, r.sin.v, r.cos.v);
  } else {
    for (int k = 0; k < N; ++k) r.sin.v[k] = C::sin(x.v[k]), r.cos.v[k] = C::cos(x.v[k]);
  }
  return r;
}

template <class T, int N>
LIPKIN_INLINE SinCos<Dual<T, N>> sin_cos(const Dual<T, N>& x) {
  const SinCos<T> r = sin_cos(x.value);
  return {Dual<T, N>::scaled(r.sin, x, r.cos), Dual<T, N>::scaled(r.cos, x, -r.sin)};
}

}  // namespace lipkin
