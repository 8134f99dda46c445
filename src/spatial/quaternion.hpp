// Unit quaternions w, x, y, z and rotation vectors.
#pragma once

#include "spatial/mat3.hpp"
#include "spatial/sin_cos.hpp"

namespace lipkin {

template <class T>
struct Quaternion {
  T w, x, y, z;

  LIPKIN_INLINE static Quaternion identity() {
    return {constant<T>(1), constant<T>(0), constant<T>(0), constant<T>(0)};
  }
  LIPKIN_INLINE static Quaternion from(const T* p) { return {p[0], p[1], p[2], p[3]}; }
  LIPKIN_INLINE void store(T* p) const { p[0] = w, p[1] = x, p[2] = y, p[3] = z; }

  friend LIPKIN_INLINE Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
};

template <class T>
LIPKIN_INLINE Quaternion<T> conjugate(const Quaternion<T>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}

template <class T>
LIPKIN_INLINE Quaternion<T> normalized(const Quaternion<T>& q) {
  const T s = constant<T>(1) / square_root(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

// The rotation matrix of a quaternion; the division makes it a rotation whatever the quaternion's length.
template <class T>
LIPKIN_INLINE Mat3<T> rotation(const Quaternion<T>& q) {
  const T s = constant<T>(2) / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  const T one = constant<T>(1);
  const T xs = q.x * s, ys = q.y * s, zs = q.z * s;
  const T wx = q.w * xs, wy = q.w * ys, wz = q.w * zs;
  const T xx = q.x * xs, xy = q.x * ys, xz = q.x * zs;
  const T yy = q.y * ys, yz = q.y * zs, zz = q.z * zs;
  return {{one - (yy + zz), xy - wz, xz + wy, xy + wz, one - (xx + zz), yz - wx, xz - wy, yz + wx, one - (xx + yy)}};
}

// Below this squared angle the series replace the closed forms; their first neglected term is under 1e-17.
inline constexpr double kSmallAngleSquared = 1e-4;

// exp: the quaternion of a rotation vector [rad].
template <class T>
LIPKIN_INLINE Quaternion<T> quaternion_exp(const Vec3<T>& theta) {
  const T a2 = squared_norm(theta);
  const auto small = a2 < constant<T>(kSmallAngleSquared);
  const T safe = select(small, constant<T>(1), a2);
  const T angle = square_root(safe);
  const SinCos<T> half = sin_cos(constant<T>(0.5) * angle);
  const T z = constant<T>(0.25) * a2;  // square of the half angle
  const T sinc_series =
      constant<T>(0.5) *
      (constant<T>(1) - z * (constant<T>(1.0 / 6) - z * (constant<T>(1.0 / 120) - z * constant<T>(1.0 / 5040))));
  const T cos_series =
      constant<T>(1) - z * (constant<T>(0.5) - z * (constant<T>(1.0 / 24) - z * constant<T>(1.0 / 720)));
  const T k = select(small, sinc_series, half.sin / angle);
  const T w = select(small, cos_series, half.cos);
  return {w, k * theta[0], k * theta[1], k * theta[2]};
}

// dexp⁻¹: the rate of the rotation vector theta of q = q0 exp(theta) whose body-axis angular velocity is omega.
//   dtheta/dt = omega + 1/2 theta x omega + beta theta x (theta x omega),
//   beta = (1 - (a/2) cot(a/2)) / a²   (Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8;
//   right-trivialised
// form, hence the plus sign).
template <class T>
LIPKIN_INLINE Vec3<T> rotation_vector_rate(const Vec3<T>& theta, const Vec3<T>& omega) {
  const T a2 = squared_norm(theta);
  const auto small = a2 < constant<T>(kSmallAngleSquared);
  const T safe = select(small, constant<T>(1), a2);
  const T half_angle = constant<T>(0.5) * square_root(safe);
  const SinCos<T> half = sin_cos(half_angle);
  const T series = constant<T>(1.0 / 12) +
                   a2 * (constant<T>(1.0 / 720) + a2 * (constant<T>(1.0 / 30240) + a2 * constant<T>(1.0 / 1209600)));
  const T beta = select(small, series, (constant<T>(1) - half_angle * half.cos / half.sin) / safe);
  const Vec3<T> first = cross(theta, omega);
  return omega + constant<T>(0.5) * first + beta * cross(theta, first);
}

}  // namespace lipkin
