// Vectors of three components.
#pragma once

#include "spatial/scalar.hpp"

namespace lipkin {

template <class T>
struct Vec3 {
  T e[3];

  LIPKIN_INLINE T& operator[](int i) { return e[i]; }
  LIPKIN_INLINE const T& operator[](int i) const { return e[i]; }

  LIPKIN_INLINE static Vec3 zero() { return {{constant<T>(0), constant<T>(0), constant<T>(0)}}; }
  LIPKIN_INLINE static Vec3 unit(int axis) {
    Vec3 r = zero();
    r.e[axis] = constant<T>(1);
    return r;
  }

  LIPKIN_INLINE Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  LIPKIN_INLINE Vec3& operator-=(const Vec3& b) { return *this = *this - b; }

  friend LIPKIN_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {{a.e[0] + b.e[0], a.e[1] + b.e[1], a.e[2] + b.e[2]}};
  }
  friend LIPKIN_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {{a.e[0] - b.e[0], a.e[1] - b.e[1], a.e[2] - b.e[2]}};
  }
  friend LIPKIN_INLINE Vec3 operator-(const Vec3& a) { return {{-a.e[0], -a.e[1], -a.e[2]}}; }
  friend LIPKIN_INLINE Vec3 operator*(const T& s, const Vec3& a) { return {{s * a.e[0], s * a.e[1], s * a.e[2]}}; }
};

template <class T>
LIPKIN_INLINE T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T>
LIPKIN_INLINE Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

template <class T>
LIPKIN_INLINE T squared_norm(const Vec3<T>& a) {
  return dot(a, a);
}

template <class T>
LIPKIN_INLINE T norm(const Vec3<T>& a) {
  return square_root(dot(a, a));
}

template <class T>
LIPKIN_INLINE void put(const Vec3<T>& a, T* to) {
  for (int k = 0; k < 3; ++k) to[k] = a[k];
}

// The same vector on another scalar: model constants are double, states may be packs or duals.
template <class T>
LIPKIN_INLINE Vec3<T> lift(const Vec3<double>& a) {
  return {{constant<T>(a[0]), constant<T>(a[1]), constant<T>(a[2])}};
}

}  // namespace lipkin
