// Change of velocities by an impulse: M⁻¹ Wᵀ along the path of a link, from the factors of one articulated-body pass.
// B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems (1996), chapter 4; the second paper's Figs. 2
// and 3.
#pragma once

#include "tree/articulated_body.hpp"

namespace lipkin {

// Scratch of one response: per link the impulse that reaches it and its change of velocity, link frame; per velocity r.
template <class T>
struct ImpulseWork {
  Force<T>* p = nullptr;    // link_count
  Motion<T>* dV = nullptr;  // link_count
  T* r = nullptr;           // u_count
};

template <class T>
LIPKIN_INLINE Transform<T> pose_in_parent(const Link& link, const LinkWork<T>& body, const TreeWork<T>& work) {
  if (!is_revolute(link.kind)) return work.multi[link.multi_index].X_PL;
  Transform<T> X = {body.R, lift<T>(link.X_PF.p)};
  if (link.aligned) {
    const int a = static_cast<int>(link.kind), b = (a + 1) % 3, c = (a + 2) % 3;
    X.R = Mat3<T>::identity();
    X.R(b, b) = X.R(c, c) = body.cos;
    X.R(b, c) = -body.sin;
    X.R(c, b) = body.sin;
  }
  return X;
}

// r = tau - Sᵀ p at one joint, and what of the impulse passes on to the parent, in the link frame.
template <class T>
LIPKIN_INLINE Force<T> impulse_through(const Link& link, const LinkWork<T>& body, const TreeWork<T>& work,
                                       const Force<T>& p, T* r) {
  if (is_revolute(link.kind)) {
    r[0] -= p.n[static_cast<int>(link.kind)];
    return p + r[0] * body.UD;
  }
  const MultiWork<T>& multi = work.multi[link.multi_index];
  Force<T> passed = p;
  if (link.kind == LinkKind::kFree) {
    Force<T> joint = {{{r[3], r[4], r[5]}}, Vec3<T>::zero()};
    for (int k = 0; k < 3; ++k) joint.f += r[k] * multi.S[k].v;
    const Force<T> rest = joint - p;
    for (int k = 0; k < 3; ++k) r[k] = rest.n[k], r[3 + k] = rest.f[k];
    return joint - FreePasses<T>::diag_times(multi, FreePasses<T>::solved(multi, rest));
  }
  visit_subspace(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
    for (int k = 0; k < kDof<kind>; ++k) {
      r[k] -= dot(multi.S[k], p);
      passed += r[k] * multi.UD[k];
    }
  });
  return passed;
}

// du and dV of one link from its parent's change, carried into the link frame.
template <class T>
LIPKIN_INLINE void response_of(const Link& link, const LinkWork<T>& body, const TreeWork<T>& work, const T* r,
                               Motion<T>& dV, T* du) {
  if (is_revolute(link.kind)) {
    const int a = static_cast<int>(link.kind);
    du[0] = r[0] * body.D_inverse - dot(dV, body.UD);
    dV.w[a] += du[0];
    return;
  }
  const MultiWork<T>& multi = work.multi[link.multi_index];
  if (link.kind == LinkKind::kFree) {
    const Force<T> rest = {{{r[0], r[1], r[2]}}, {{r[3], r[4], r[5]}}};
    const Motion<T> relative = FreePasses<T>::solved(multi, link.parent == 0 ? rest : rest - body.I * dV);
    dV += relative;
    for (int k = 0; k < 3; ++k) du[k] = dot(multi.S[k].v, relative.v), du[3 + k] = relative.w[k];
    return;
  }
  visit_subspace(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
    constexpr int n = kDof<kind>;
    T result[n];
    for (int k = 0; k < n; ++k) {
      result[k] = -dot(dV, multi.UD[k]);
      for (int l = 0; l < n; ++l) result[k] += multi.D_inverse[n * k + l] * r[l];
    }
    for (int k = 0; k < n; ++k) {
      dV += result[k] * multi.S[k];
      du[k] = result[k];
    }
  });
}

// du = M⁻¹ (tau + Wᵀ f): joint impulses tau (may be null) and one spatial impulse per link in its own frame, `p`
// holding minus these on entry. Walks up from the last loaded link and down the whole tree.
template <class T>
LIPKIN_INLINE void impulse_response(const Link* links, int link_count, const TreeWork<T>& work, const T* tau,
                                    const ImpulseWork<T>& scratch, int last_loaded, int u_count, T* du) {
  for (int k = 0; k < u_count; ++k) scratch.r[k] = tau ? tau[k] : constant<T>(0);
  for (int i = last_loaded; i > 0; --i) {
    const Link& link = links[i];
    const Force<T> passed = impulse_through(link, work.links[i], work, scratch.p[i], scratch.r + link.u_index);
    if (link.parent > 0) scratch.p[link.parent] += to_parent(pose_in_parent(link, work.links[i], work), passed);
  }
  scratch.dV[0] = Motion<T>::zero();
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    scratch.dV[i] = link.parent == 0 ? Motion<T>::zero()
                                     : to_child(pose_in_parent(link, work.links[i], work), scratch.dV[link.parent]);
    response_of(link, work.links[i], work, scratch.r + link.u_index, scratch.dV[i], du + link.u_index);
  }
}

}  // namespace lipkin
