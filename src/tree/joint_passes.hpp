// What the passes of the articulated-body algorithm (articulated_body.hpp) do at one joint, by its kind.
#pragma once

#include "model/joint_motion.hpp"
#include "state/tree_work.hpp"
#include "tree/symmetric_solve.hpp"

namespace lipkin {

// I - a bᵀ for forces a, b with a parallel to D⁻¹ b, so that the result is symmetric.
template <class T>
LIPKIN_INLINE void subtract_outer(Inertia6<T>& I, const Force<T>& a, const Force<T>& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      I.J(i, j) -= a.n[i] * b.n[j];
      I.M(i, j) -= a.f[i] * b.f[j];
    }
    for (int j = 0; j < 3; ++j) I.H(i, j) -= a.n[i] * b.f[j];
  }
}

// Bias force of the velocities; V is set.
template <class T>
LIPKIN_INLINE void start_bias(const Link& link, const Force<T>* external, LinkWork<T>& body) {
  Force<T> momentum;
  if (__builtin_expect(link.rigid, 1)) {
    const Mat3<double>& H = link.inertia.H;
    const RigidInertia<T> I = {constant<T>(link.inertia.M.e[0]), lift<T>(Vec3<double>{{H.e[7], H.e[2], H.e[3]}}),
                               lift<T>(link.inertia.J)};
    momentum = I * body.V;
  } else {
    momentum = lift<T>(link.inertia) * body.V;
  }
  body.p = cross(body.V, momentum);
  if (external) body.p -= *external;
}

// What a child passes on to its parent, along the child's axes, through the child's pose X.
template <class T>
LIPKIN_INLINE void add_inertia_to_parent(const Transform<T>& X, const Inertia6<T>& I, LinkWork<T>& parent) {
  parent.I += shifted(rotated(I, X.R), X.p);
}
template <class T>
LIPKIN_INLINE void add_bias_to_parent(const Transform<T>& X, const Force<T>& p, LinkWork<T>& parent) {
  parent.p += to_parent(X, p);
}

// Revolute joint about axis `a` of the link frame. aligned: the placement has no rotation.
template <int a, bool aligned, class T>
struct RevolutePasses {
  static constexpr int b = (a + 1) % 3, c = (a + 2) % 3;
  using Body = LinkWork<T>;

  // From the axes of the parent's link frame to those of the link, and back.
  LIPKIN_INLINE static Vec3<T> to_link(const Body& body, const Vec3<T>& x) {
    if constexpr (!aligned) return transpose_times(body.R, x);
    Vec3<T> y;
    y[a] = x[a];
    y[b] = body.cos * x[b] + body.sin * x[c];
    y[c] = body.cos * x[c] - body.sin * x[b];
    return y;
  }
  LIPKIN_INLINE static Vec3<T> from_link(const Body& body, const Vec3<T>& x) {
    if constexpr (!aligned) return body.R * x;
    Vec3<T> y;
    y[a] = x[a];
    y[b] = body.cos * x[b] - body.sin * x[c];
    y[c] = body.cos * x[c] + body.sin * x[b];
    return y;
  }
  // R A Rᵀ, from the link's axes to the parent's.
  LIPKIN_INLINE static Sym3<T> from_link(const Body& body, const Sym3<T>& A) {
    if constexpr (!aligned) return congruence(body.R, A);
    const T s2 = body.sin * body.sin, sc = body.sin * body.cos, c2 = body.cos * body.cos;
    const T cross_term = sc * (A(b, c) + A(b, c)), difference = s2 * (A(c, c) - A(b, b));
    Sym3<T> B;
    B(a, a) = A(a, a);
    B(a, b) = body.cos * A(a, b) - body.sin * A(a, c);
    B(a, c) = body.cos * A(a, c) + body.sin * A(a, b);
    B(b, b) = A(b, b) + difference - cross_term;
    B(c, c) = A(c, c) - difference + cross_term;
    B(b, c) = (c2 - s2) * A(b, c) + sc * (A(b, b) - A(c, c));
    return B;
  }
  LIPKIN_INLINE static Mat3<T> from_link(const Body& body, const Mat3<T>& A) {
    if constexpr (!aligned) return body.R * A * transpose(body.R);
    Vec3<T> rows[3];
    for (int i = 0; i < 3; ++i) rows[i] = from_link(body, A.row(i));
    Mat3<T> B;
    for (int j = 0; j < 3; ++j) {
      B(a, j) = rows[a][j];
      B(b, j) = body.cos * rows[b][j] - body.sin * rows[c][j];
      B(c, j) = body.cos * rows[c][j] + body.sin * rows[b][j];
    }
    return B;
  }

  LIPKIN_INLINE static void out_pose(const Link& link, Body& body, const T* q) {
    const SinCos<T> angle = sin_cos(q[0]);
    body.sin = angle.sin;
    body.cos = angle.cos;
    if constexpr (!aligned) {
      const Mat3<T> C = lift<T>(link.X_PF.R);
      for (int i = 0; i < 3; ++i) {
        body.R(i, a) = C(i, a);
        body.R(i, b) = body.cos * C(i, b) + body.sin * C(i, c);
        body.R(i, c) = body.cos * C(i, c) - body.sin * C(i, b);
      }
    }
  }

  LIPKIN_INLINE static void out_velocity(const Link& link, const Body& parent, Body& body, const T* u,
                                         const Force<T>* external) {
    body.V.w = to_link(body, parent.V.w);
    body.V.v = to_link(body, parent.V.v + cross(parent.V.w, lift<T>(link.X_PF.p)));
    body.V.w[a] += u[0];
    body.c.w[b] = body.V.w[c] * u[0];
    body.c.w[c] = -(body.V.w[b] * u[0]);
    body.c.v[b] = body.V.v[c] * u[0];
    body.c.v[c] = -(body.V.v[b] * u[0]);
    start_bias(link, external, body);
  }

  LIPKIN_INLINE static void in_inertia(const Link& link, Body* parent, Body& body, const T* tau, const double* diag) {
    const Force<T> U = {body.I.J.row(a), body.I.H.row(a)};
    body.D_inverse = constant<T>(1) / (U.n[a] + constant<T>(diag[0]));
    body.UD = body.D_inverse * U;
    body.r_D = (tau[0] - body.p.n[a]) * body.D_inverse;
    if (parent) pass_on<true>(lift<T>(link.X_PF.p), body, U, *parent);
  }

  // The inertia's part of in_inertia, and the bias force's part once the inertias are there:
  // p + Ia c + U D⁻¹ r = p + I c + U D⁻¹ (r - Uᵀ c).
  LIPKIN_INLINE static void in_factor(const Link& link, Body* parent, Body& body, const double* diag) {
    const Force<T> U = {body.I.J.row(a), body.I.H.row(a)};
    body.D_inverse = constant<T>(1) / (U.n[a] + constant<T>(diag[0]));
    body.UD = body.D_inverse * U;
    if (parent) pass_on<false>(lift<T>(link.X_PF.p), body, U, *parent);
  }
  LIPKIN_INLINE static void in_bias(const Link& link, Body* parent, Body& body, const T* tau) {
    const T r = tau[0] - body.p.n[a];
    body.r_D = r * body.D_inverse;
    if (!parent) return;
    Motion<T> m = body.c;
    m.w[a] = m.v[a] = constant<T>(0);
    const Force<T> momentum = body.I * m;  // its component along the axis is Uᵀ c
    const Force<T> pa = body.p + momentum + (r - momentum.n[a]) * body.UD;
    const Vec3<T> f = from_link(body, pa.f);
    parent->p += Force<T>{from_link(body, pa.n) + cross(lift<T>(link.X_PF.p), f), f};
  }

  // Ia and p + Ia c + U r / D to the parent whose frame is shifted by r. Block by block, M then H then J: each is
  // projected, multiplied by c (whose components along the axis are zero), turned and shifted (see shifted() in
  // spatial/inertia.hpp) before the next one is touched, which keeps fewer values in registers.
  // Without bias: the inertia alone.
  template <bool bias>
  LIPKIN_INLINE static void pass_on(const Vec3<T>& r, const Body& body, const Force<T>& U, Body& parent) {
    const Force<T>& UD = body.UD;
    const Motion<T>& m = body.c;
    Force<T> pa;
    if constexpr (bias) pa = body.p + body.r_D * U;

    Sym3<T> M = body.I.M;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) M(i, j) -= UD.f[i] * U.f[j];
    if constexpr (bias)
      for (int k = 0; k < 3; ++k) pa.f[k] += M(k, b) * m.v[b] + M(k, c) * m.v[c];
    M = from_link(body, M);
    parent.I.M += M;

    Mat3<T> H = body.I.H;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) H(i, j) -= UD.n[i] * U.f[j];
    if constexpr (bias) {
      for (int k = 0; k < 3; ++k) {
        pa.n[k] += H(k, b) * m.v[b] + H(k, c) * m.v[c];
        pa.f[k] += H(b, k) * m.w[b] + H(c, k) * m.w[c];
      }
    }
    H = from_link(body, H);
    const Mat3<T> H_parent = shifted_coupling(H, M, r);
    for (int k = 0; k < 9; ++k) parent.I.H.e[k] += H_parent.e[k];

    Sym3<T> J = body.I.J;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) J(i, j) -= UD.n[i] * U.n[j];
    if constexpr (bias)
      for (int k = 0; k < 3; ++k) pa.n[k] += J(k, b) * m.w[b] + J(k, c) * m.w[c];
    add_shifted_rotational(from_link(body, J), H, H_parent, r, parent.I.J);

    if constexpr (bias) {
      const Vec3<T> f = from_link(body, pa.f);
      parent.p += Force<T>{from_link(body, pa.n) + cross(r, f), f};
    }
  }

  LIPKIN_INLINE static void out_acceleration(const Link& link, const Body& parent, Body& body, T* du) {
    body.a.w = to_link(body, parent.a.w);
    body.a.v = to_link(body, parent.a.v + cross(parent.a.w, lift<T>(link.X_PF.p)));
    body.a.w[b] += body.c.w[b];
    body.a.w[c] += body.c.w[c];
    body.a.v[b] += body.c.v[b];
    body.a.v[c] += body.c.v[c];
    du[0] = body.r_D - dot(body.a, body.UD);
    body.a.w[a] += du[0];
  }
};

// Any other joint, through its motion subspace. parent == nullptr: the parent is the world and needs no inertia.
template <LinkKind kind, class T>
struct SubspacePasses {
  static constexpr int n = kDof<kind>;
  using Body = LinkWork<T>;
  using Multi = MultiWork<T>;

  // u: for the velocity product; null where only the pose and S are wanted.
  LIPKIN_INLINE static void out_pose(const Link& link, Body& body, Multi& multi, const T* q, const T* u) {
    const T still[n] = {};
    const JointMotion<T> joint = joint_motion<kind>(link, q, u ? u : still);
    multi.X_PL = link.aligned ? Transform<T>{joint.X_FL.R, lift<T>(link.X_PF.p) + joint.X_FL.p}
                              : lift<T>(link.X_PF) * joint.X_FL;
    for (int k = 0; k < n; ++k) multi.S[k] = joint.S[k];
    body.c = joint.c;
  }

  LIPKIN_INLINE static void out_velocity(const Link& link, const Body& parent, Body& body, const Multi& multi,
                                         const T* u, const Force<T>* external) {
    Motion<T> relative = Motion<T>::zero();
    for (int k = 0; k < n; ++k) relative += u[k] * multi.S[k];
    body.V = to_child(multi.X_PL, parent.V) + relative;
    body.c += cross(body.V, relative);
    start_bias(link, external, body);
  }

  LIPKIN_INLINE static void in_factor(Body* parent, Body& body, Multi& multi, const double* diag) {
    Force<T> U[n];
    T D[n * n];
    for (int k = 0; k < n; ++k) U[k] = body.I * multi.S[k];
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l) D[n * k + l] = dot(multi.S[k], U[l]) + constant<T>(k == l ? diag[k] : 0);
    symmetric_inverse<n>(D, multi.D_inverse);
    for (int k = 0; k < n; ++k) {
      multi.UD[k] = Force<T>::zero();
      for (int l = 0; l < n; ++l) multi.UD[k] += multi.D_inverse[n * k + l] * U[l];
    }
    if (!parent) return;
    Inertia6<T> Ia = body.I;
    for (int k = 0; k < n; ++k) subtract_outer(Ia, multi.UD[k], U[k]);
    add_inertia_to_parent(multi.X_PL, Ia, *parent);
  }

  // p + Ia c + U D⁻¹ r with Ia c = I c - U D⁻¹ Sᵀ (I c).
  LIPKIN_INLINE static void in_bias(Body* parent, const Body& body, Multi& multi, const T* tau) {
    for (int k = 0; k < n; ++k) multi.r[k] = tau[k] - dot(multi.S[k], body.p);
    if (!parent) return;
    const Force<T> momentum = body.I * body.c;
    Force<T> pa = body.p + momentum;
    for (int k = 0; k < n; ++k) pa += (multi.r[k] - dot(multi.S[k], momentum)) * multi.UD[k];
    add_bias_to_parent(multi.X_PL, pa, *parent);
  }

  LIPKIN_INLINE static void out_acceleration(const Body& parent, Body& body, const Multi& multi, T* du) {
    body.a = to_child(multi.X_PL, parent.a) + body.c;
    T result[n];
    for (int k = 0; k < n; ++k) {
      result[k] = -dot(body.a, multi.UD[k]);
      for (int l = 0; l < n; ++l) result[k] += multi.D_inverse[n * k + l] * multi.r[l];
    }
    for (int k = 0; k < n; ++k) {
      body.a += result[k] * multi.S[k];
      du[k] = result[k];
    }
  }
};

// A free joint's S is orthogonal: with E = S diag Sᵀ and K = I + E, S du/dt = K⁻¹ (S tau - p - I a').
template <class T>
struct FreePasses {
  using Body = LinkWork<T>;
  using Multi = MultiWork<T>;

  // E m.
  LIPKIN_INLINE static Force<T> diag_times(const Multi& multi, const Motion<T>& m) {
    Force<T> f = Force<T>::zero();
    for (int k = 0; k < 3; ++k) {
      f.f += multi.diag[k] * dot(multi.S[k].v, m.v) * multi.S[k].v;
      f.n[k] = multi.diag[3 + k] * m.w[k];
    }
    return f;
  }

  LIPKIN_INLINE static void in_factor(Body* parent, const Body& body, Multi& multi, const double* diag) {
    factor(body.I, multi, diag);
    if (parent) add_inertia_to_parent(multi.X_PL, passed_inertia(body, multi), *parent);
  }

  LIPKIN_INLINE static void factor(const Inertia6<T>& I, Multi& multi, const double* diag) {
    for (int k = 0; k < 6; ++k) multi.diag[k] = constant<T>(diag[k]);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        multi.factor[6 * i + j] = I.J(i, j);
        multi.factor[6 * (3 + i) + j] = I.H(j, i);
        multi.factor[6 * (3 + i) + 3 + j] = I.M(i, j);
        for (int k = 0; k < 3; ++k)
          multi.factor[6 * (3 + i) + 3 + j] += multi.diag[k] * multi.S[k].v[i] * multi.S[k].v[j];
      }
      multi.factor[6 * i + i] += multi.diag[3 + i];
    }
    ldlt_factor<6>(multi.factor);
  }

  LIPKIN_INLINE static void in_bias(Body* parent, const Body& body, Multi& multi, const T* tau) {
    Force<T> s_tau = Force<T>::zero();
    for (int k = 0; k < 3; ++k) {
      s_tau.f += tau[k] * multi.S[k].v;
      s_tau.n[k] = tau[3 + k];
    }
    const Force<T> r = s_tau - body.p;
    for (int k = 0; k < 3; ++k) multi.r[k] = r.n[k], multi.r[3 + k] = r.f[k];
    if (!parent) return;
    const Force<T> carried = body.I * solved(multi, diag_times(multi, body.c));  // Ia c
    add_bias_to_parent(multi.X_PL, s_tau + carried - diag_times(multi, solved(multi, r)), *parent);
  }

  // What reaches the parent: Ia = I - I K⁻¹ I = I K⁻¹ E and p + I K⁻¹ r = S tau - E K⁻¹ r, in the forms that do not
  // cancel. Without diag it is the joint's own force alone, however heavy the child.
  LIPKIN_INLINE static Inertia6<T> passed_inertia(const Body& body, const Multi& multi) {
    Inertia6<T> Ia;
    for (int k = 0; k < 6; ++k) {
      Motion<T> unit = Motion<T>::zero();
      (k < 3 ? unit.w[k] : unit.v[k - 3]) = constant<T>(1);
      const Force<T> y = body.I * solved(multi, diag_times(multi, unit));
      for (int i = 0; i < 3; ++i) {
        if (k < 3 && i <= k) Ia.J(i, k) = y.n[i];
        if (k >= 3) Ia.H(i, k - 3) = y.n[i];
        if (k >= 3 && i <= k - 3) Ia.M(i, k - 3) = y.f[i];
      }
    }
    return Ia;
  }

  // K⁻¹ f.
  LIPKIN_INLINE static Motion<T> solved(const Multi& multi, const Force<T>& f) {
    T x[6] = {f.n[0], f.n[1], f.n[2], f.f[0], f.f[1], f.f[2]};
    ldlt_solve<6>(multi.factor, x);
    return {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
  }

  LIPKIN_INLINE static void out_acceleration(const Body& parent, Body& body, const Multi& multi, T* du) {
    body.a = to_child(multi.X_PL, parent.a) + body.c;
    const Force<T> r = {{{multi.r[0], multi.r[1], multi.r[2]}}, {{multi.r[3], multi.r[4], multi.r[5]}}};
    const Motion<T> relative = solved(multi, r - body.I * body.a);
    body.a += relative;
    for (int k = 0; k < 3; ++k) {
      du[k] = dot(multi.S[k].v, relative.v);
      du[3 + k] = relative.w[k];
    }
  }
};

// A free body on the world that carries nothing: all passes in one, so that of thousands of them each one's memory is
// fetched once, and no more of it than is needed.
template <class T>
struct AlonePasses {
  LIPKIN_INLINE static void factor(const Link& link, MultiWork<T>& multi, const T* q, const double* diag) {
    const Mat3<T> R = rotation(Quaternion<T>::from(q + 3));
    for (int k = 0; k < 3; ++k) multi.S[k].v = R.row(k);
    bool is_bare = true;  // the factors are then those of a constant
    for (int k = 0; k < 6; ++k) is_bare &= diag[k] == 0;
    const Inertia6<T> I = lift<T>(link.inertia);
    if (is_bare && __builtin_memcmp(&multi.factored, &I, sizeof I) == 0) return;
    FreePasses<T>::factor(I, multi, diag);
    multi.factored = is_bare ? I : Inertia6<T>::zero();
  }

  // gravity: along the joint's axes. external: null for none.
  LIPKIN_INLINE static void accelerate(const Link& link, LinkWork<T>& body, const MultiWork<T>& multi,
                                       const Vec3<double>& gravity, const T* u, const T* tau, const Force<T>* external,
                                       T* du) {
    body.V = {{{u[3], u[4], u[5]}}, Vec3<T>::zero()};
    body.a = Motion<T>::zero();
    Force<T> force = Force<T>::zero();
    for (int k = 0; k < 3; ++k) {
      const Vec3<T>& s = multi.S[k].v;
      body.V.v += u[k] * s;
      body.a.v -= constant<T>(gravity[k]) * s;
      force.f += tau[k] * s;
      force.n[k] = tau[3 + k];
    }
    start_bias(link, external, body);
    body.a.v -= cross(body.V.w, body.V.v);
    const Motion<T> relative = FreePasses<T>::solved(multi, force - body.p - lift<T>(link.inertia) * body.a);
    body.a += relative;
    for (int k = 0; k < 3; ++k) {
      du[k] = dot(multi.S[k].v, relative.v);
      du[3 + k] = relative.w[k];
    }
  }
};

// Links that are principal: the six equations are apart from each other along L for turning and along F for moving,
// so that of thousands of such bodies next to no memory is touched.
template <class T>
struct PrincipalPasses {
  // One over the inertia of each velocity, turning first.
  LIPKIN_INLINE static void factor(const Link& link, MultiWork<T>& multi, const double* diag) {
    for (int k = 0; k < 3; ++k) {
      multi.D_inverse[k] = constant<T>(1 / (link.inertia.J(k, k) + diag[3 + k]));
      multi.D_inverse[3 + k] = constant<T>(1 / (link.inertia.M(k, k) + diag[k]));
    }
  }

  // Euler's equations. gravity: along F. external: null for none.
  LIPKIN_INLINE static void accelerate(const Link& link, const MultiWork<T>& multi, const Vec3<double>& gravity,
                                       const T* q, const T* u, const T* tau, const Force<T>* external, T* du) {
    const Vec3<T> w = {{u[3], u[4], u[5]}};
    Vec3<T> moment = {{tau[3], tau[4], tau[5]}}, force = {{tau[0], tau[1], tau[2]}}, spin;
    for (int k = 0; k < 3; ++k) {
      spin[k] = constant<T>(link.inertia.J(k, k)) * w[k];
      force[k] += constant<T>(link.inertia.M(k, k) * gravity[k]);
    }
    moment -= cross(w, spin);
    if (external) {
      moment += external->n;
      force += rotation(Quaternion<T>::from(q + 3)) * external->f;
    }
    for (int k = 0; k < 3; ++k) {
      du[k] = multi.D_inverse[3 + k] * force[k];
      du[3 + k] = multi.D_inverse[k] * moment[k];
    }
  }
};

}  // namespace lipkin
