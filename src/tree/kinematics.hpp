// World poses, velocities and motion-subspace columns of every link.
#pragma once

#include "model/joint_motion.hpp"

namespace lipkin {

// X_WL of a revolute link: its frame turned about one of its axes.
template <LinkKind kind, class T>
LIPKIN_INLINE Transform<T> revolute_pose(const Link& link, const Transform<T>& X_WP, const T& q) {
  constexpr int a = static_cast<int>(kind), b = (a + 1) % 3, c = (a + 2) % 3;
  const SinCos<T> angle = sin_cos(q);
  const Mat3<T> F = link.aligned ? X_WP.R : X_WP.R * lift<T>(link.X_PF.R);
  Transform<T> X;
  for (int i = 0; i < 3; ++i) {
    X.R(i, a) = F(i, a);
    X.R(i, b) = angle.cos * F(i, b) + angle.sin * F(i, c);
    X.R(i, c) = angle.cos * F(i, c) - angle.sin * F(i, b);
  }
  X.p = X_WP * lift<T>(link.X_PF.p);
  return X;
}

// Column k of a link that is alone; it has no place in S_W.
template <class T>
LIPKIN_INLINE Motion<T> lone_column(const Link& link, const Transform<T>& X_WL, int k) {
  if (k < 3) return {Vec3<T>::zero(), lift<T>(link.X_PF.R.column(k))};
  return {X_WL.R.column(k - 3), Vec3<T>::zero()};
}

// V_WL of a link that is alone.
template <class T>
LIPKIN_INLINE Motion<T> lone_velocity(const Link& link, const Transform<T>& X_WL, const T* u) {
  const Vec3<T> v = {{u[0], u[1], u[2]}};
  return {X_WL.R * Vec3<T>{{u[3], u[4], u[5]}}, link.aligned ? v : lift<T>(link.X_PF.R) * v};
}

// V_WL of a revolute link and its column of S_W, which lie in its pose.
template <LinkKind kind, class T>
LIPKIN_INLINE void revolute_velocity(const Transform<T>& X_WP, const Motion<T>& V_WP, const Transform<T>& X_WL,
                                     const T* u, Motion<T>& V_WL, Motion<T>* S) {
  const Vec3<T> axis = X_WL.R.column(static_cast<int>(kind));
  *S = {axis, Vec3<T>::zero()};
  V_WL = {V_WP.w + u[0] * axis, V_WP.v + cross(V_WP.w, X_WL.p - X_WP.p)};
}

// Of a link that is neither revolute nor alone.
template <LinkKind kind, class T>
LIPKIN_INLINE void joint_velocity(const Transform<T>& X_WP, const Motion<T>& V_WP, const Transform<T>& X_WL,
                                  const JointMotion<T>& joint, const T* u, Motion<T>& V_WL, Motion<T>* S_W) {
  Motion<T> V = {V_WP.w, V_WP.v + cross(V_WP.w, X_WL.p - X_WP.p)};
  for (int k = 0; k < kDof<kind>; ++k) {
    const Motion<T> S = {X_WL.R * joint.S[k].w, X_WL.R * joint.S[k].v};
    S_W[k] = S;
    V += u[k] * S;
  }
  V_WL = V;
}

// Per link: X_WL, and V_WL of L's origin along world axes; per velocity of links that are not alone: S_W, its column
// at L's origin along world axes.
template <class T>
LIPKIN_INLINE void world_kinematics(const Link* links, int link_count, const T* q, const T* u, Transform<T>* X_WL,
                                    Motion<T>* V_WL, Motion<T>* S_W) {
  X_WL[0] = Transform<T>::identity();
  V_WL[0] = Motion<T>::zero();
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    const Transform<T>& X_WP = X_WL[link.parent];
    const Motion<T>& V_WP = V_WL[link.parent];
    visit_kind(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
      const T* ui = u + link.u_index;
      if constexpr (is_revolute(kind)) {
        X_WL[i] = revolute_pose<kind>(link, X_WP, q[link.q_index]);
        return revolute_velocity<kind>(X_WP, V_WP, X_WL[i], ui, V_WL[i], S_W + link.u_index);
      }
      const JointMotion<T> joint = joint_motion<kind>(link, q + link.q_index, ui);
      X_WL[i] = X_WP * (lift<T>(link.X_PF) * joint.X_FL);
      if (link.alone) {
        V_WL[i] = lone_velocity(link, X_WL[i], ui);
        return;
      }
      joint_velocity<kind>(X_WP, V_WP, X_WL[i], joint, ui, V_WL[i], S_W + link.u_index);
    });
  }
}

// The same where the poses are there already.
template <class T>
LIPKIN_INLINE void world_velocities(const Link* links, int link_count, const T* q, const T* u, const Transform<T>* X_WL,
                                    Motion<T>* V_WL, Motion<T>* S_W) {
  V_WL[0] = Motion<T>::zero();
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    const Transform<T>& X_WP = X_WL[link.parent];
    const Motion<T>& V_WP = V_WL[link.parent];
    visit_kind(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
      const T* ui = u + link.u_index;
      if constexpr (is_revolute(kind)) {
        revolute_velocity<kind>(X_WP, V_WP, X_WL[i], ui, V_WL[i], S_W + link.u_index);
      } else if (link.alone) {
        V_WL[i] = lone_velocity(link, X_WL[i], ui);
      } else {
        joint_velocity<kind>(X_WP, V_WP, X_WL[i], joint_motion<kind>(link, q + link.q_index, ui), ui, V_WL[i],
                             S_W + link.u_index);
      }
    });
  }
}

// X_WL alone.
template <class T>
LIPKIN_INLINE void world_poses(const Link* links, int link_count, const T* q, Transform<T>* X_WL) {
  X_WL[0] = Transform<T>::identity();
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    const Transform<T>& X_WP = X_WL[link.parent];
    visit_kind(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
      if constexpr (is_revolute(kind)) {
        X_WL[i] = revolute_pose<kind>(link, X_WP, q[link.q_index]);
      } else {
        const T still[6] = {};
        X_WL[i] = X_WP * (lift<T>(link.X_PF) * joint_motion<kind>(link, q + link.q_index, still).X_FL);
      }
    });
  }
}

}  // namespace lipkin
