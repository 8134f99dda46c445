// Forward dynamics by the articulated-body algorithm, O(N).
//
// R. Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.1, in link frames, angular part first:
//   (1) out:  V = X V_P + S u,  c = dS/dt u + V x S u,  p = V x* (I V) - f
//   (2) in:   U = I S,  D = Sᵀ U + diag,  r = tau - Sᵀ p,  Ia = I - U D⁻¹ Uᵀ
//             I_P += Xᵀ Ia X,  p_P += Xᵀ (p + Ia c + U D⁻¹ r)
//   (3) out:  a' = X a_P + c,  du/dt = D⁻¹ r - (U D⁻¹)ᵀ a',  a = a' + S du/dt,  with a_0 = -gravity
// `diag` is the armature, plus what an implicit stepper adds for joint springs and dampers.
//
// Where we deviate: inertias keep 21 numbers; a revolute joint turns about a coordinate axis of its link frame, so S is
// a unit vector and products with it vanish; where the placement has no rotation, only the turn in the joint's plane is
// left of X. Every other joint brings its motion subspace as data; a free joint solves its 6x6 system in the link
// frame.
#pragma once

#include "tree/joint_passes.hpp"

namespace lipkin {

// Calls f with RevolutePasses<axis, aligned> for revolute links.
template <class T, class F>
LIPKIN_INLINE void with_revolute(const Link& link, F&& f) {
  switch (static_cast<int>(link.kind) * 2 + static_cast<int>(link.aligned)) {
    case 0:
      f(RevolutePasses<0, false, T>{});
      break;
    case 1:
      f(RevolutePasses<0, true, T>{});
      break;
    case 2:
      f(RevolutePasses<1, false, T>{});
      break;
    case 3:
      f(RevolutePasses<1, true, T>{});
      break;
    case 4:
      f(RevolutePasses<2, false, T>{});
      break;
    default:
      f(RevolutePasses<2, true, T>{});
      break;
  }
}

// The passes over a tree. external: one force per link in its own frame, or null. tau, diag, du: u_count values.
template <class T>
struct ArticulatedBody {
  const Link* links;
  int link_count;
  const TreeWork<T>& work;

  // (1). q null: the poses are there already.
  LIPKIN_INLINE void out(const T* q, const T* u, const Force<T>* external, bool start_inertia) const {
    work.links[0].V = Motion<T>::zero();
    for (int i = 1; i < link_count; ++i) {
      const Link& link = links[i];
      if (link.alone) continue;
      const LinkWork<T>& parent = work.links[link.parent];
      LinkWork<T>& body = work.links[i];
      const Force<T>* force = external ? external + i : nullptr;
      const T* ui = u + link.u_index;
      if (is_revolute(link.kind)) {
        with_revolute<T>(link, [&](auto pass) LIPKIN_INLINE_LAMBDA {
          if (start_inertia) pass.out_pose(link, body, q + link.q_index);
          pass.out_velocity(link, parent, body, ui, force);
        });
      } else {
        visit_multi(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
          MultiWork<T>& multi = work.multi[link.multi_index];
          SubspacePasses<kind, T>::out_pose(link, body, multi, q + link.q_index, ui);
          SubspacePasses<kind, T>::out_velocity(link, parent, body, multi, ui, force);
        });
      }
      if (start_inertia) body.I = lift<T>(link.inertia);
    }
  }

  LIPKIN_INLINE void out_pose(const T* q) const {
    for (int i = 1; i < link_count; ++i) {
      const Link& link = links[i];
      if (link.alone) continue;
      LinkWork<T>& body = work.links[i];
      if (is_revolute(link.kind)) {
        with_revolute<T>(link, [&](auto pass) LIPKIN_INLINE_LAMBDA { pass.out_pose(link, body, q + link.q_index); });
      } else {
        visit_multi(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
          SubspacePasses<kind, T>::out_pose(link, body, work.multi[link.multi_index], q + link.q_index, nullptr);
        });
      }
      body.I = lift<T>(link.inertia);
    }
  }

  // (2), both parts, or one of them: `factor` the inertias, `bias` the forces.
  template <bool factor, bool bias>
  LIPKIN_INLINE void in(const T* tau, const double* diag) const {
    for (int i = link_count - 1; i > 0; --i) {
      const Link& link = links[i];
      if (link.alone) continue;
      LinkWork<T>& body = work.links[i];
      LinkWork<T>* parent = link.parent > 0 ? work.links + link.parent : nullptr;
      const T* ti = bias ? tau + link.u_index : nullptr;
      const double* di = factor ? diag + link.u_index : nullptr;
      if (is_revolute(link.kind)) {
        with_revolute<T>(link, [&](auto pass) LIPKIN_INLINE_LAMBDA {
          if constexpr (factor && bias) pass.in_inertia(link, parent, body, ti, di);
          if constexpr (factor && !bias) pass.in_factor(link, parent, body, di);
          if constexpr (!factor && bias) pass.in_bias(link, parent, body, ti);
        });
        continue;
      }
      MultiWork<T>& multi = work.multi[link.multi_index];
      if (link.kind == LinkKind::kFree) {
        if constexpr (factor) FreePasses<T>::in_factor(parent, body, multi, di);
        if constexpr (bias) FreePasses<T>::in_bias(parent, body, multi, ti);
      } else {
        visit_subspace(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
          if constexpr (factor) SubspacePasses<kind, T>::in_factor(parent, body, multi, di);
          if constexpr (bias) SubspacePasses<kind, T>::in_bias(parent, body, multi, ti);
        });
      }
    }
  }

  // (3)
  LIPKIN_INLINE void out_acceleration(const Vec3<double>& gravity, T* du) const {
    work.links[0].a = {Vec3<T>::zero(), lift<T>(-gravity)};
    for (int i = 1; i < link_count; ++i) {
      const Link& link = links[i];
      if (link.alone) continue;
      const LinkWork<T>& parent = work.links[link.parent];
      T* out = du + link.u_index;
      if (is_revolute(link.kind)) {
        with_revolute<T>(
            link, [&](auto pass) LIPKIN_INLINE_LAMBDA { pass.out_acceleration(link, parent, work.links[i], out); });
      } else if (link.kind == LinkKind::kFree) {
        FreePasses<T>::out_acceleration(parent, work.links[i], work.multi[link.multi_index], out);
      } else {
        visit_subspace(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
          SubspacePasses<kind, T>::out_acceleration(parent, work.links[i], work.multi[link.multi_index], out);
        });
      }
    }
  }

  // is_brief: for principal links no more than the velocities ask for; otherwise all that TreeWork can tell.
  template <bool is_brief>
  LIPKIN_INLINE void factor_alone(const T* q, const double* diag) const {
    for (int i = 1; i < link_count; ++i) {
      const Link& link = links[i];
      if (!link.alone) continue;
      MultiWork<T>& multi = work.multi[link.multi_index];
      if (is_brief && link.principal) {
        PrincipalPasses<T>::factor(link, multi, diag + link.u_index);
      } else {
        AlonePasses<T>::factor(link, multi, q + link.q_index, diag + link.u_index);
      }
    }
  }

  // After factor_alone at the same q.
  template <bool is_brief>
  LIPKIN_INLINE void accelerate_alone(const Vec3<double>& gravity, const T* q, const T* u, const T* tau,
                                      const Force<T>* external, T* du) const {
    for (int i = 1; i < link_count; ++i) {
      const Link& link = links[i];
      if (!link.alone) continue;
      const Vec3<double> g = link.aligned ? gravity : transpose_times(link.X_PF.R, gravity);
      const MultiWork<T>& multi = work.multi[link.multi_index];
      const Force<T>* force = external ? external + i : nullptr;
      if (is_brief && link.principal) {
        PrincipalPasses<T>::accelerate(link, multi, g, q + link.q_index, u + link.u_index, tau + link.u_index, force,
                                       du + link.u_index);
      } else {
        AlonePasses<T>::accelerate(link, work.links[i], multi, g, u + link.u_index, tau + link.u_index, force,
                                   du + link.u_index);
      }
    }
  }
};

template <class T>
LIPKIN_INLINE void articulated_body(const Link* links, int link_count, const Vec3<double>& gravity, const T* q,
                                    const T* u, const T* tau, const double* diag, const Force<T>* external,
                                    const TreeWork<T>& work, T* du) {
  const ArticulatedBody<T> passes = {links, link_count, work};
  passes.out(q, u, external, true);
  passes.template in<true, true>(tau, diag);
  passes.out_acceleration(gravity, du);
  passes.template factor_alone<false>(q, diag);
  passes.template accelerate_alone<false>(gravity, q, u, tau, external, du);
}

// The same in two halves: the factors of M (with diag) at q, and the accelerations from them at any u and forces. Of
// principal links only du is known then.
template <class T>
LIPKIN_INLINE void articulated_factor(const Link* links, int link_count, const T* q, const double* diag,
                                      const TreeWork<T>& work) {
  const ArticulatedBody<T> passes = {links, link_count, work};
  passes.out_pose(q);
  passes.template in<true, false>(nullptr, diag);
  passes.template factor_alone<true>(q, diag);
}

template <class T>
LIPKIN_INLINE void articulated_acceleration(const Link* links, int link_count, const Vec3<double>& gravity, const T* q,
                                            const T* u, const T* tau, const Force<T>* external, const TreeWork<T>& work,
                                            T* du) {
  const ArticulatedBody<T> passes = {links, link_count, work};
  passes.out(q, u, external, false);
  passes.template in<false, true>(tau, nullptr);
  passes.out_acceleration(gravity, du);
  passes.template accelerate_alone<true>(gravity, q, u, tau, external, du);
}

}  // namespace lipkin
