// World poses, velocities and motion-subspace columns of every link.
#pragma once

#include "model/joint_motion.hpp"

namespace lipkin {

// Per link: X_WL, and V_WL of L's origin along world axes; per velocity: S_W, its column at L's origin along world
// axes.
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
      const JointMotion<T> joint = joint_motion<kind>(link, q + link.q_index, ui);
      X_WL[i] = X_WP * (lift<T>(link.X_PF) * joint.X_FL);
      Motion<T> V = {V_WP.w, V_WP.v + cross(V_WP.w, X_WL[i].p - X_WP.p)};
      for (int k = 0; k < kDof<kind>; ++k) {
        const Motion<T> S = {X_WL[i].R * joint.S[k].w, X_WL[i].R * joint.S[k].v};
        S_W[link.u_index + k] = S;
        V += ui[k] * S;
      }
      V_WL[i] = V;
    });
  }
}

}  // namespace lipkin
