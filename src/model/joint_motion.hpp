// Pose, motion subspace and velocity product of the joints that are not plain revolutes.
// Featherstone (2008), table 4.1; ours also for universal, planar (velocities along F) and free joints (velocity along
// F).
#pragma once

#include "model/link.hpp"
#include "spatial/quaternion.hpp"

namespace lipkin {

template <class T>
struct JointMotion {
  Transform<T> X_FL;  // link frame in the joint frame F
  Motion<T> S[6];     // columns: motion of L against F per unit u, along L
  Motion<T> c;        // dS/dt u, along L (apparent derivative)
};

template <class T>
LIPKIN_INLINE Mat3<T> rotation_z(const SinCos<T>& a) {
  const T zero = constant<T>(0), one = constant<T>(1);
  return {{a.cos, -a.sin, zero, a.sin, a.cos, zero, zero, zero, one}};
}

// Number of velocities of each kind, known to the compiler where the kind is.
template <LinkKind kind>
constexpr int kDof = kind == LinkKind::kFree                                          ? 6
                     : kind == LinkKind::kBall || kind == LinkKind::kPlanar           ? 3
                     : kind == LinkKind::kUniversal || kind == LinkKind::kCylindrical ? 2
                                                                                      : 1;

template <LinkKind kind, class T>
LIPKIN_INLINE JointMotion<T> joint_motion(const Link& link, const T* q, const T* u) {
  const T zero = constant<T>(0), one = constant<T>(1);
  JointMotion<T> j;
  j.X_FL = Transform<T>::identity();
  j.c = Motion<T>::zero();
  for (int k = 0; k < kDof<kind>; ++k) j.S[k] = Motion<T>::zero();
  if constexpr (kind == LinkKind::kPrismaticX || kind == LinkKind::kPrismaticY || kind == LinkKind::kPrismaticZ) {
    constexpr int axis = static_cast<int>(kind) - static_cast<int>(LinkKind::kPrismaticX);
    j.X_FL.p[axis] = q[0];
    j.S[0].v[axis] = one;
  } else if constexpr (kind == LinkKind::kScrew) {
    const T pitch = constant<T>(link.pitch);
    j.X_FL.R = rotation_z(sin_cos(q[0]));
    j.X_FL.p[2] = pitch * q[0];
    j.S[0].w[2] = one;
    j.S[0].v[2] = pitch;
  } else if constexpr (kind == LinkKind::kCylindrical) {
    j.X_FL.R = rotation_z(sin_cos(q[0]));
    j.X_FL.p[2] = q[1];
    j.S[0].w[2] = one;
    j.S[1].v[2] = one;
  } else if constexpr (kind == LinkKind::kUniversal) {
    const SinCos<T> a = sin_cos(q[0]), b = sin_cos(q[1]);
    j.X_FL.R = {{b.cos, zero, b.sin, a.sin * b.sin, a.cos, -a.sin * b.cos, -a.cos * b.sin, a.sin, a.cos * b.cos}};
    j.S[0].w = {{b.cos, zero, b.sin}};
    j.S[1].w[1] = one;
    const T rate = u[0] * u[1];
    j.c.w = {{-b.sin * rate, zero, b.cos * rate}};
  } else if constexpr (kind == LinkKind::kPlanar) {
    const SinCos<T> a = sin_cos(q[2]);
    j.X_FL.R = rotation_z(a);
    j.X_FL.p = {{q[0], q[1], zero}};
    j.S[0].v = {{a.cos, -a.sin, zero}};
    j.S[1].v = {{a.sin, a.cos, zero}};
    j.S[2].w[2] = one;
    j.c.v = {{u[2] * (a.cos * u[1] - a.sin * u[0]), -u[2] * (a.cos * u[0] + a.sin * u[1]), zero}};
  } else if constexpr (kind == LinkKind::kBall) {
    j.X_FL.R = rotation(Quaternion<T>::from(q));
    for (int k = 0; k < 3; ++k) j.S[k].w[k] = one;
  } else if constexpr (kind == LinkKind::kFree) {
    j.X_FL.R = rotation(Quaternion<T>::from(q + 3));
    j.X_FL.p = {{q[0], q[1], q[2]}};
    for (int k = 0; k < 3; ++k) {
      j.S[k].v = j.X_FL.R.row(k);
      j.S[3 + k].w[k] = one;
    }
    const Vec3<T> v = transpose_times(j.X_FL.R, Vec3<T>{{u[0], u[1], u[2]}});
    j.c.v = -cross(Vec3<T>{{u[3], u[4], u[5]}}, v);
  } else {  // revolute, for the algorithms that do not treat it specially
    constexpr int axis = static_cast<int>(kind);
    constexpr int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const SinCos<T> a = sin_cos(q[0]);
    j.X_FL.R(b, b) = j.X_FL.R(c, c) = a.cos;
    j.X_FL.R(b, c) = -a.sin;
    j.X_FL.R(c, b) = a.sin;
    j.S[0].w[axis] = one;
  }
  return j;
}

// Calls f.template operator()<kind>() for the link's kind. visit_kind: every kind; visit_multi: all but revolutes;
// visit_subspace: all but revolutes and free joints.
template <class F>
LIPKIN_INLINE void visit_subspace(LinkKind kind, F&& f) {
  switch (kind) {
    case LinkKind::kPrismaticX:
      f.template operator()<LinkKind::kPrismaticX>();
      break;
    case LinkKind::kPrismaticY:
      f.template operator()<LinkKind::kPrismaticY>();
      break;
    case LinkKind::kPrismaticZ:
      f.template operator()<LinkKind::kPrismaticZ>();
      break;
    case LinkKind::kScrew:
      f.template operator()<LinkKind::kScrew>();
      break;
    case LinkKind::kCylindrical:
      f.template operator()<LinkKind::kCylindrical>();
      break;
    case LinkKind::kUniversal:
      f.template operator()<LinkKind::kUniversal>();
      break;
    case LinkKind::kPlanar:
      f.template operator()<LinkKind::kPlanar>();
      break;
    case LinkKind::kBall:
      f.template operator()<LinkKind::kBall>();
      break;
    default:
      break;
  }
}

template <class F>
LIPKIN_INLINE void visit_multi(LinkKind kind, F&& f) {
  if (kind == LinkKind::kFree) {
    f.template operator()<LinkKind::kFree>();
  } else {
    visit_subspace(kind, f);
  }
}

template <class F>
LIPKIN_INLINE void visit_kind(LinkKind kind, F&& f) {
  switch (kind) {
    case LinkKind::kRevoluteX:
      f.template operator()<LinkKind::kRevoluteX>();
      break;
    case LinkKind::kRevoluteY:
      f.template operator()<LinkKind::kRevoluteY>();
      break;
    case LinkKind::kRevoluteZ:
      f.template operator()<LinkKind::kRevoluteZ>();
      break;
    default:
      visit_multi(kind, f);
  }
}

}  // namespace lipkin
