// Spatial inertias: rigid (10 numbers) and general symmetric 6x6 (21 numbers).
#pragma once

#include "spatial/transform.hpp"

namespace lipkin {

// Mass m [kg], first moment h = m c [kg m], rotational inertia J about the frame's origin [kg m^2].
template <class T>
struct RigidInertia {
  T m;
  Vec3<T> h;
  Sym3<T> J;

  LIPKIN_INLINE static RigidInertia zero() { return {constant<T>(0), Vec3<T>::zero(), Sym3<T>::zero()}; }
  // From the centre of mass c and the inertia about it (parallel axes theorem).
  LIPKIN_INLINE static RigidInertia about_com(const T& m, const Vec3<T>& c, const Sym3<T>& J_com) {
    RigidInertia r{m, m * c, J_com};
    const T cc = squared_norm(c);
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) r.J(i, j) += m * ((i == j ? cc : constant<T>(0)) - c[i] * c[j]);
    return r;
  }
  friend LIPKIN_INLINE RigidInertia operator+(const RigidInertia& a, const RigidInertia& b) {
    return {a.m + b.m, a.h + b.h, a.J + b.J};
  }
  // Momentum of the motion: n = J w + h x v, f = m v - h x w.
  friend LIPKIN_INLINE Force<T> operator*(const RigidInertia& I, const Motion<T>& V) {
    return {I.J * V.w + cross(I.h, V.v), I.m * V.v - cross(I.h, V.w)};
  }
};

// [J H; Hᵀ M]: n = J w + H v, f = Hᵀ w + M v.
template <class T>
struct Inertia6 {
  Sym3<T> J;
  Mat3<T> H;
  Sym3<T> M;

  LIPKIN_INLINE static Inertia6 zero() { return {Sym3<T>::zero(), Mat3<T>::zero(), Sym3<T>::zero()}; }
  LIPKIN_INLINE static Inertia6 rigid(const RigidInertia<T>& I) {
    return {I.J, skew(I.h), Sym3<T>::diagonal(I.m, I.m, I.m)};
  }
  LIPKIN_INLINE Inertia6& operator+=(const Inertia6& B) {
    J += B.J;
    H = H + B.H;
    M += B.M;
    return *this;
  }
  friend LIPKIN_INLINE Inertia6 operator+(Inertia6 A, const Inertia6& B) { return A += B; }
  friend LIPKIN_INLINE Force<T> operator*(const Inertia6& I, const Motion<T>& V) {
    return {I.J * V.w + I.H * V.v, transpose_times(I.H, V.w) + I.M * V.v};
  }
};

template <class T>
LIPKIN_INLINE Inertia6<T> lift(const Inertia6<double>& I) {
  return {lift<T>(I.J), lift<T>(I.H), lift<T>(I.M)};
}

// An inertia moved from a frame's origin to the point whose offset from it is -r, axes unchanged (seen from a parent in
// which the frame stands at r): M' = M, H' = H + [r]M, J' = J + [r]Hᵀ - H'[r].
template <class T>
LIPKIN_INLINE Mat3<T> shifted_coupling(const Mat3<T>& H, const Sym3<T>& M, const Vec3<T>& r) {
  Mat3<T> s;
  for (int j = 0; j < 3; ++j) {
    const Vec3<T> column = cross(r, M.row(j));
    for (int i = 0; i < 3; ++i) s(i, j) = H(i, j) + column[i];
  }
  return s;
}

// sum += J'
template <class T>
LIPKIN_INLINE void add_shifted_rotational(const Sym3<T>& J, const Mat3<T>& H, const Mat3<T>& H_shifted,
                                          const Vec3<T>& r, Sym3<T>& sum) {
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const T left = r[i1] * H(j, i2) - r[i2] * H(j, i1);
      const T right = H_shifted(i, j1) * r[j2] - H_shifted(i, j2) * r[j1];
      sum(i, j) += J(i, j) + left - right;
    }
  }
}

template <class T>
LIPKIN_INLINE Inertia6<T> shifted(const Inertia6<T>& I, const Vec3<T>& r) {
  Inertia6<T> s;
  s.M = I.M;
  s.H = shifted_coupling(I.H, I.M, r);
  s.J = Sym3<T>::zero();
  add_shifted_rotational(I.J, I.H, s.H, r, s.J);
  return s;
}

// The inertia along other axes: every block B becomes R B Rᵀ.
template <class T>
LIPKIN_INLINE Inertia6<T> rotated(const Inertia6<T>& I, const Mat3<T>& R) {
  return {congruence(R, I.J), R * I.H * transpose(R), congruence(R, I.M)};
}

// The inertia of a child expressed in its parent's frame.
template <class T>
LIPKIN_INLINE Inertia6<T> to_parent(const Transform<T>& X_PC, const Inertia6<T>& I_C) {
  return shifted(rotated(I_C, X_PC.R), X_PC.p);
}

}  // namespace lipkin
