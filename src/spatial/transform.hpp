// Poses X_AB of one frame in another, and how spatial vectors change frames.
#pragma once

#include "spatial/motion.hpp"

namespace lipkin {

// R's columns are B's axes in A, p is B's origin in A [m].
template <class T>
struct Transform {
  Mat3<T> R;
  Vec3<T> p;

  LIPKIN_INLINE static Transform identity() { return {Mat3<T>::identity(), Vec3<T>::zero()}; }
};

// X_AC = X_AB X_BC.
template <class T>
LIPKIN_INLINE Transform<T> operator*(const Transform<T>& X_AB, const Transform<T>& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}

template <class T>
LIPKIN_INLINE Vec3<T> operator*(const Transform<T>& X_AB, const Vec3<T>& p_B) {
  return X_AB.p + X_AB.R * p_B;
}

template <class T>
LIPKIN_INLINE Transform<T> inverse(const Transform<T>& X_AB) {
  return {transpose(X_AB.R), -transpose_times(X_AB.R, X_AB.p)};
}

// The same motion seen at B's origin along B's axes (Featherstone's X), from A.
template <class T>
LIPKIN_INLINE Motion<T> to_child(const Transform<T>& X_AB, const Motion<T>& m_A) {
  return {transpose_times(X_AB.R, m_A.w), transpose_times(X_AB.R, m_A.v + cross(m_A.w, X_AB.p))};
}

// The same motion seen at A's origin along A's axes, from B.
template <class T>
LIPKIN_INLINE Motion<T> to_parent(const Transform<T>& X_AB, const Motion<T>& m_B) {
  const Vec3<T> w = X_AB.R * m_B.w;
  return {w, X_AB.R * m_B.v + cross(X_AB.p, w)};
}

// The same force seen at A's origin along A's axes, from B.
template <class T>
LIPKIN_INLINE Force<T> to_parent(const Transform<T>& X_AB, const Force<T>& f_B) {
  const Vec3<T> f = X_AB.R * f_B.f;
  return {X_AB.R * f_B.n + cross(X_AB.p, f), f};
}

// The same force seen at B's origin along B's axes, from A.
template <class T>
LIPKIN_INLINE Force<T> to_child(const Transform<T>& X_AB, const Force<T>& f_A) {
  return {transpose_times(X_AB.R, f_A.n - cross(X_AB.p, f_A.f)), transpose_times(X_AB.R, f_A.f)};
}

template <class T>
LIPKIN_INLINE Transform<T> lift(const Transform<double>& X) {
  return {lift<T>(X.R), lift<T>(X.p)};
}

}  // namespace lipkin
