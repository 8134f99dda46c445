// What the algebra needs of a scalar: double, float, a SIMD pack (pack.hpp) or a dual number (dual.hpp).
//
// Everything in this room is forced inline: the kernels are compiled once per instruction set, and an out-of-line copy
// of a shared inline function could carry the wrong instructions into another set (docs/decisions/0002).
#pragma once

#if defined(__CUDACC__)
#define LIPKIN_INLINE __host__ __device__ __forceinline__
#define LIPKIN_INLINE_LAMBDA
#else
#define LIPKIN_INLINE inline __attribute__((always_inline))
#define LIPKIN_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace lipkin {

// ScalarTraits<T>::from(double) broadcasts a constant to T; kLanes counts independent values in one T.
template <class T>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
  static constexpr int kLanes = 1;
  LIPKIN_INLINE static double from(double x) { return x; }
};

template <>
struct ScalarTraits<float> {
  static constexpr int kLanes = 1;
  LIPKIN_INLINE static float from(double x) { return static_cast<float>(x); }
};

template <class T>
LIPKIN_INLINE T constant(double x) {
  return ScalarTraits<T>::from(x);
}

LIPKIN_INLINE double square_root(double x) { return __builtin_sqrt(x); }
LIPKIN_INLINE float square_root(float x) { return __builtin_sqrtf(x); }

// select(condition, a, b): a where the condition holds; for packs lane by lane.
LIPKIN_INLINE double select(bool condition, double a, double b) { return condition ? a : b; }
LIPKIN_INLINE float select(bool condition, float a, float b) { return condition ? a : b; }

}  // namespace lipkin
