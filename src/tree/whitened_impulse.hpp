// M⁻¹ as a square, along paths: M⁻¹ = Aᵀ A from the factors of one articulated-body pass.
//
// The walk of an impulse W up its path (impulse_response.hpp) ends in r per joint, and the response is
// M⁻¹ Wᵀ = Ψᵀ D⁻¹ r with Ψᵀ the walk down. With D⁻¹ = C Cᵀ per joint the whitened row is y = Cᵀ r: nonzero on the path
// alone, and w M⁻¹ w'ᵀ = y y'ᵀ for any two rows (the innovations factorisation: G. Rodriguez, A. Jain, K.
// Kreutz-Delgado, A spatial operator algebra for manipulator modeling and control, 1991, section 4). The second paper's
// effective mass of a row is 1 / |y|²; its test impulse is the walk up.
#pragma once

#include "spatial/pack.hpp"
#include "tree/impulse_response.hpp"
#include "tree/kinematics.hpp"
#include "tree/local_coordinates.hpp"
#include "tree/whitening.hpp"

namespace lipkin {

LIPKIN_INLINE void whitening_roots(const Link* links, int link_count, const TreeWork<double>& work,
                                   const Whitening& white) {
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    double* root = white.root + link.u_index;
    if (is_revolute(link.kind)) {
      root[0] = square_root(work.links[i].D_inverse);
      continue;
    }
    const MultiWork<double>& multi = work.multi[link.multi_index];
    if (link.principal) {
      for (int k = 0; k < 6; ++k) root[k] = square_root(multi.D_inverse[k]);
      continue;
    }
    if (link.kind == LinkKind::kFree) {
      for (int k = 0; k < 6; ++k) root[k] = square_root(multi.factor[7 * k]);
      continue;
    }
    double* C = white.multi_root + 9 * link.multi_index;
    visit_subspace(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
      constexpr int n = kDof<kind>;
      for (int j = 0; j < n; ++j) {
        for (int k = j; k < n; ++k) {
          double s = multi.D_inverse[n * k + j];
          for (int l = 0; l < j; ++l) s -= C[n * k + l] * C[n * j + l];
          C[n * k + j] = k == j ? square_root(s) : s / C[n * j + j];
        }
      }
    });
  }
}

// One joint of the walk up: the impulse f on the link (link frame) and tau at the joint (null: none) leave y in the
// joint's velocities; the rest reaches the parent, still in the link frame.
template <class T>
LIPKIN_INLINE Force<T> whitened_through(const Link& link, const TreeWork<double>& work, const LinkWork<double>& body,
                                        const Whitening& white, const Force<T>& f, const T* tau, T* y) {
  const double* root = white.root + link.u_index;
  if (is_revolute(link.kind)) {
    T r = f.n[static_cast<int>(link.kind)];
    if (tau) r += tau[0];
    y[0] = constant<T>(root[0]) * r;
    return f - r * Force<T>{lift<T>(body.UD.n), lift<T>(body.UD.f)};
  }
  const MultiWork<double>& multi = work.multi[link.multi_index];
  if (link.kind == LinkKind::kFree) {
    Force<T> joint = Force<T>::zero();
    if (tau) {
      joint.n = {{tau[3], tau[4], tau[5]}};
      for (int k = 0; k < 3; ++k) joint.f += tau[k] * lift<T>(multi.S[k].v);
    }
    const Force<T> rest = joint + f;
    T x[6] = {rest.n[0], rest.n[1], rest.n[2], rest.f[0], rest.f[1], rest.f[2]};
    for (int j = 0; j < 6; ++j)
      for (int i = j + 1; i < 6; ++i) x[i] -= constant<T>(multi.factor[6 * i + j]) * x[j];
    for (int k = 0; k < 6; ++k) y[k] = constant<T>(root[k]) * x[k];
    if (link.parent == 0) return Force<T>::zero();
    for (int j = 5; j >= 0; --j) {  // x = K⁻¹ rest
      x[j] = constant<T>(multi.factor[7 * j]) * x[j];
      for (int i = j + 1; i < 6; ++i) x[j] -= constant<T>(multi.factor[6 * i + j]) * x[i];
    }
    Force<T> passed = -joint;
    for (int k = 0; k < 3; ++k) {
      const Vec3<T> s = lift<T>(multi.S[k].v);
      passed.f += constant<T>(multi.diag[k]) * dot(s, Vec3<T>{{x[3], x[4], x[5]}}) * s;
      passed.n[k] += constant<T>(multi.diag[3 + k]) * x[k];
    }
    return passed;
  }
  Force<T> passed = f;
  visit_subspace(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
    constexpr int n = kDof<kind>;
    const double* C = white.multi_root + 9 * link.multi_index;
    T r[n];
    for (int k = 0; k < n; ++k) {
      r[k] = dot(lift<T>(multi.S[k]), f);
      if (tau) r[k] += tau[k];
    }
    for (int k = 0; k < n; ++k) {
      passed -= r[k] * Force<T>{lift<T>(multi.UD[k].n), lift<T>(multi.UD[k].f)};
      y[k] = constant<T>(0);
      for (int l = k; l < n; ++l) y[k] += constant<T>(C[n * l + k]) * r[l];
    }
  });
  return passed;
}

// The rows of a principal link: turning along L, moving along F.
template <class T>
LIPKIN_INLINE void whitened_principal(const Link& link, const double* root, const Mat3<double>& R_WL,
                                      const Force<T>& f_W, const T* tau, T* y) {
  const Vec3<T> n = transpose_times(lift<T>(R_WL), f_W.n);
  const Vec3<T> f = link.aligned ? f_W.f : transpose_times(lift<T>(link.X_PF.R), f_W.f);
  for (int k = 0; k < 3; ++k) {
    y[k] = constant<T>(root[k]) * (tau ? n[k] + tau[3 + k] : n[k]);
    y[3 + k] = constant<T>(root[3 + k]) * (tau ? f[k] + tau[k] : f[k]);
  }
}

// Walks rows from `link` to the root: lane l of f is the impulse of row l on the link (world axes, about L's origin),
// of tau its impulse at the link's own joint (null: none). Adds row l to y + l * stride, at the columns
// of its path.
template <class T>
LIPKIN_INLINE void whiten(const Link* links, const TreeWork<double>& work, const Whitening& white, int link,
                          const Mat3<double>& R_WL, const Force<T>& f_W, const T* tau, int row_count, int stride,
                          double* y) {
  if (links[link].principal) {
    T part[6];
    whitened_principal(links[link], white.root + links[link].u_index, R_WL, f_W, tau, part);
    double* columns = y + white.column_of_dof[links[link].u_index];
    for (int l = 0; l < row_count; ++l)
      for (int k = 0; k < 6; ++k) columns[l * stride + k] += lane(part[k], l);
    return;
  }
  const Mat3<T> R = lift<T>(R_WL);
  Force<T> f = {transpose_times(R, f_W.n), transpose_times(R, f_W.f)};
  for (int i = link; i > 0; i = links[i].parent) {
    T part[6];
    const LinkWork<double>& body = work.links[i];
    const Force<T> passed = whitened_through(links[i], work, body, white, f, i == link ? tau : nullptr, part);
    const JointCoordinates c = coordinates_of(links[i].kind);
    const int dofs = c.scalars + (c.rotation ? 3 : 0);
    double* columns = y + white.column_of_dof[links[i].u_index];
    for (int l = 0; l < row_count; ++l)
      for (int k = 0; k < dofs; ++k) columns[l * stride + k] += lane(part[k], l);
    if (links[i].parent == 0) return;
    const Transform<double> X = pose_in_parent(links[i], body, work);
    f = to_parent(lift<T>(X), passed);
  }
}

// du = Aᵀ z. dV: scratch, one per link.
LIPKIN_INLINE void unwhiten(const Link* links, int link_count, const TreeWork<double>& work, const Whitening& white,
                            const double* z, Motion<double>* dV, double* du) {
  dV[0] = Motion<double>::zero();
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    const LinkWork<double>& body = work.links[i];
    const double* zi = z + white.z_of_dof[link.u_index];
    const double* root = white.root + link.u_index;
    double* out = du + link.u_index;
    if (link.principal) {
      for (int k = 0; k < 3; ++k) out[k] = root[3 + k] * zi[3 + k], out[3 + k] = root[k] * zi[k];
      continue;
    }
    if (is_revolute(link.kind)) {
      const double own = root[0] * zi[0];
      Motion<double>& m = dV[i];
      if (link.parent == 0) {
        m = Motion<double>::zero();
        out[0] = own;
      } else {
        const Motion<double>& parent = dV[link.parent];
        with_revolute<double>(link, [&](auto pass) LIPKIN_INLINE_LAMBDA {
          m = {pass.to_link(body, parent.w), pass.to_link(body, parent.v + cross(parent.w, link.X_PF.p))};
        });
        out[0] = own - dot(m, body.UD);
      }
      m.w[static_cast<int>(link.kind)] += out[0];
      continue;
    }
    Motion<double> m = link.parent == 0 ? dV[0] : to_child(pose_in_parent(link, body, work), dV[link.parent]);
    if (link.kind == LinkKind::kFree) {
      const MultiWork<double>& multi = work.multi[link.multi_index];
      double x[6];
      for (int k = 0; k < 6; ++k) x[k] = root[k] * zi[k];
      for (int j = 5; j >= 0; --j)
        for (int l = j + 1; l < 6; ++l) x[j] -= multi.factor[6 * l + j] * x[l];
      Motion<double> relative = {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
      if (link.parent != 0) relative = relative - FreePasses<double>::solved(multi, body.I * m);
      m += relative;
      for (int k = 0; k < 3; ++k) out[k] = dot(multi.S[k].v, relative.v), out[3 + k] = relative.w[k];
    } else {
      const MultiWork<double>& multi = work.multi[link.multi_index];
      visit_subspace(link.kind, [&]<LinkKind kind>() LIPKIN_INLINE_LAMBDA {
        constexpr int n = kDof<kind>;
        const double* C = white.multi_root + 9 * link.multi_index;
        for (int k = 0; k < n; ++k) {
          out[k] = -dot(m, multi.UD[k]);
          for (int l = 0; l <= k; ++l) out[k] += C[n * k + l] * zi[l];
        }
        for (int k = 0; k < n; ++k) m += out[k] * multi.S[k];
      });
    }
    dV[i] = m;
  }
}

// V_WL from u and the columns of an earlier update_kinematics at the same q.
LIPKIN_INLINE void link_velocities(const Link* links, int link_count, const Transform<double>* X_WL,
                                   const Motion<double>* S_W, const double* u, Motion<double>* V_WL) {
  V_WL[0] = Motion<double>::zero();
  for (int i = 1; i < link_count; ++i) {
    const Link& link = links[i];
    if (link.alone) {
      V_WL[i] = lone_velocity(link, X_WL[i], u + link.u_index);
      continue;
    }
    const Motion<double>& P = V_WL[link.parent];
    Motion<double> V = {P.w, P.v + cross(P.w, X_WL[i].p - X_WL[link.parent].p)};
    const JointCoordinates c = coordinates_of(link.kind);
    const int dofs = c.scalars + (c.rotation ? 3 : 0);
    for (int k = 0; k < dofs; ++k) V += u[link.u_index + k] * S_W[link.u_index + k];
    V_WL[i] = V;
  }
}

}  // namespace lipkin
