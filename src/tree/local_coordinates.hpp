// Local coordinates theta around a configuration q0, one per velocity: q = q0 ⊞ theta. Plain addition for everything
// but rotations, which turn by the rotation vector theta about the child's axes (docs/decisions/0003).
#pragma once

#include "model/link.hpp"
#include "spatial/quaternion.hpp"

namespace lipkin {

struct JointCoordinates {
  int scalars;    // leading coordinates that are plain numbers
  bool rotation;  // followed by a quaternion
};

LIPKIN_INLINE JointCoordinates coordinates_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::kFree:
      return {3, true};
    case LinkKind::kBall:
      return {0, true};
    case LinkKind::kPlanar:
      return {3, false};
    case LinkKind::kUniversal:
    case LinkKind::kCylindrical:
      return {2, false};
    default:
      return {1, false};
  }
}

// q = q0 ⊞ scale theta; q may be q0.
template <class T>
LIPKIN_INLINE void retract(const Link* links, int link_count, const T* q0, const T& scale, const T* theta, T* q) {
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    const JointCoordinates c = coordinates_of(link.kind);
    const T* from = q0 + link.q_index;
    const T* by = theta + link.u_index;
    T* to = q + link.q_index;
    for (int k = 0; k < c.scalars; ++k) to[k] = from[k] + scale * by[k];
    if (c.rotation) {
      const T* t = by + c.scalars;
      const Quaternion<T> turn = quaternion_exp(scale * Vec3<T>{{t[0], t[1], t[2]}});
      normalized(Quaternion<T>::from(from + c.scalars) * turn).store(to + c.scalars);
    }
  }
}

// d theta / dt where the velocities are u.
template <class T>
LIPKIN_INLINE void local_rate(const Link* links, int link_count, const T* theta, const T* u, T* rate) {
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    const JointCoordinates c = coordinates_of(link.kind);
    const int first = link.u_index;
    for (int k = 0; k < c.scalars; ++k) rate[first + k] = u[first + k];
    if (c.rotation) {
      const T* t = theta + first + c.scalars;
      const T* w = u + first + c.scalars;
      const Vec3<T> r = rotation_vector_rate(Vec3<T>{{t[0], t[1], t[2]}}, Vec3<T>{{w[0], w[1], w[2]}});
      for (int k = 0; k < 3; ++k) rate[first + c.scalars + k] = r[k];
    }
  }
}

}  // namespace lipkin
