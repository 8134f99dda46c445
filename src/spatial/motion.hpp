// Spatial vectors, angular part first: velocities and accelerations (Motion), forces and momenta (Force).
// R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.
#pragma once

#include "spatial/mat3.hpp"

namespace lipkin {

// Angular velocity w and velocity v of the frame's origin.
template <class T>
struct Motion {
  Vec3<T> w, v;

  LIPKIN_INLINE static Motion zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  LIPKIN_INLINE Motion& operator+=(const Motion& b) { return *this = *this + b; }
  friend LIPKIN_INLINE Motion operator+(const Motion& a, const Motion& b) { return {a.w + b.w, a.v + b.v}; }
  friend LIPKIN_INLINE Motion operator-(const Motion& a, const Motion& b) { return {a.w - b.w, a.v - b.v}; }
  friend LIPKIN_INLINE Motion operator*(const T& s, const Motion& a) { return {s * a.w, s * a.v}; }
};

// Moment n about the frame's origin and force f.
template <class T>
struct Force {
  Vec3<T> n, f;

  LIPKIN_INLINE static Force zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  LIPKIN_INLINE Force& operator+=(const Force& b) { return *this = *this + b; }
  LIPKIN_INLINE Force& operator-=(const Force& b) { return *this = *this - b; }
  friend LIPKIN_INLINE Force operator+(const Force& a, const Force& b) { return {a.n + b.n, a.f + b.f}; }
  friend LIPKIN_INLINE Force operator-(const Force& a, const Force& b) { return {a.n - b.n, a.f - b.f}; }
  friend LIPKIN_INLINE Force operator-(const Force& a) { return {-a.n, -a.f}; }
  friend LIPKIN_INLINE Force operator*(const T& s, const Force& a) { return {s * a.n, s * a.f}; }
};

// Power of a force on a motion.
template <class T>
LIPKIN_INLINE T dot(const Motion<T>& m, const Force<T>& f) {
  return dot(m.w, f.n) + dot(m.v, f.f);
}

// m1 x m2: rate of a motion vector carried along by m1.
template <class T>
LIPKIN_INLINE Motion<T> cross(const Motion<T>& a, const Motion<T>& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

// m x* f: rate of a force vector carried along by m.
template <class T>
LIPKIN_INLINE Force<T> cross(const Motion<T>& m, const Force<T>& f) {
  return {cross(m.w, f.n) + cross(m.v, f.f), cross(m.w, f.f)};
}

template <class T>
LIPKIN_INLINE Motion<T> lift(const Motion<double>& m) {
  return {lift<T>(m.w), lift<T>(m.v)};
}

}  // namespace lipkin
