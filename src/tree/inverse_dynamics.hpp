// Inverse dynamics by the recursive Newton-Euler algorithm, Featherstone (2008), table 5.1, in link frames:
//   out:  V = X V_P + S u,  a = X a_P + S du + dS/dt u + V x S u,  a_0 = -gravity
//   in:   f = I a + V x* I V + (from children),  tau = Sᵀ f + diag du
#pragma once

#include "tree/joint_frames.hpp"

namespace lipkin {

template <class T>
struct InverseDynamicsWork {
  Motion<T>* V = nullptr;  // link_count
  Motion<T>* a = nullptr;  // link_count
  Force<T>* f = nullptr;   // link_count
};

// du may be null: zero accelerations, so that tau is the bias.
template <class T>
void inverse_dynamics(const Link* links, int link_count, const Vec3<double>& gravity, const JointFrame<T>* frames,
                      const T* u, const T* du, const double* diag, const InverseDynamicsWork<T>& work, T* tau) {
  work.V[0] = Motion<T>::zero();
  work.a[0] = {Vec3<T>::zero(), lift<T>(-gravity)};
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    const JointFrame<T>& frame = frames[i];
    Motion<T> relative = Motion<T>::zero(), acceleration = frame.c;
    for (int k = 0; k < frame.dof; ++k) {
      relative += u[link.u_index + k] * frame.S[k];
      if (du) acceleration += du[link.u_index + k] * frame.S[k];
    }
    work.V[i] = to_child(frame.X_PL, work.V[link.parent]) + relative;
    work.a[i] = to_child(frame.X_PL, work.a[link.parent]) + acceleration + cross(work.V[i], relative);
    const Inertia6<T> I = lift<T>(link.inertia);
    work.f[i] = I * work.a[i] + cross(work.V[i], I * work.V[i]);
  }
  for (int i = link_count - 1; i > 0; --i) {
    const Link& link = links[i];
    for (int k = 0; k < frames[i].dof; ++k) {
      const int index = link.u_index + k;
      tau[index] = dot(frames[i].S[k], work.f[i]);
      if (du) tau[index] += constant<T>(diag[index]) * du[index];
    }
    if (link.parent > 0) work.f[link.parent] += to_parent(frames[i].X_PL, work.f[i]);
  }
}

}  // namespace lipkin
