// Every link's pose in its parent and motion subspace at one state: what inverse dynamics and the inertia matrix share.
#pragma once

#include "model/joint_motion.hpp"

namespace lipkin {

template <class T>
struct JointFrame {
  Transform<T> X_PL;
  Motion<T> S[6];  // along L
  Motion<T> c;     // dS/dt u along L (apparent derivative)
  int dof = 0;
};

// frames: link_count records; [0] is not touched.
template <class T>
void update_joint_frames(const Link* links, int link_count, const T* q, const T* u, JointFrame<T>* frames) {
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    visit_kind(link.kind, [&]<LinkKind kind>() {
      const JointMotion<T> joint = joint_motion<kind>(link, q + link.q_index, u + link.u_index);
      frames[i].X_PL = lift<T>(link.X_PF) * joint.X_FL;
      frames[i].c = joint.c;
      frames[i].dof = kDof<kind>;
      for (int k = 0; k < kDof<kind>; ++k) frames[i].S[k] = joint.S[k];
    });
  }
}

}  // namespace lipkin
