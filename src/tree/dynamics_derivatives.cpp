// Notation: everything along world axes, about the origin of the link it belongs to (about the world's origin the
// inertias of far links would swallow the digits of near ones). Column J_j of velocity j; link i has velocity V_i,
// acceleration A_i (A_0 = -gravity), inertia I_i and net force F_i = I_i A_i + V_i x* I_i V_i; all but V and A are sums
// over the subtree of i.
//
// Moving q_j carries along every link below and those columns of the same joint that are mounted on it ("carried").
// With W_j and B_j the velocity and acceleration of what q_j does not carry, and P_j = W_j x J_j:
//   (1) dV_i/dq_j = J_j x (V_i - W_j)
//   (2) dA_i/dq_j = J_j x (A_i - B_j) + P_j x (V_i - W_j)
//   (3) dF_i/dq_j = J_j x* F_i + I_i X_j + N_i P_j,  X_j = B_j x J_j + W_j x P_j
//   (4) dF_i/du_j = I_i Y_j + N_i J_j,               Y_j = (C_j + W_j) x J_j
// with N_i P = V_i x* I_i P - I_i (V_i x P) + P x* I_i V_i, and C_j the velocity of the frame in which J_j is fixed.
// Added inertia E_i does not weigh: F_i holds E_i g besides, and (3) the term -E_i (J_j x g).
// tau_k = J_k . F_k then gives every entry at the deeper of the two links: forces of its columns walk up the path,
// O(n depth) in all. The 1-dof case is in Carpentier and Mansard, Analytical derivatives of rigid body dynamics
// algorithms (RSS 2018); joints of several degrees of freedom and the carried columns are ours.
#include "tree/dynamics_derivatives.hpp"

#include "tree/joint_frames.hpp"
#include "tree/kinematics.hpp"

namespace lipkin {

namespace {

using Vector = Motion<double>;

// Whether column `column` of a joint moves when its coordinate `moved` does.
bool carries(LinkKind kind, int moved, int column) {
  if (kind == LinkKind::kBall) return true;
  if (kind == LinkKind::kFree) return column >= 3;
  return moved < column;
}

Vector moved_to(const Vec3<double>& r, const Vector& m) { return {m.w, m.v + cross(m.w, r)}; }

Force<double> moved_from(const Vec3<double>& r, const Force<double>& f) { return {f.n + cross(r, f.f), f.f}; }

// N_i as six columns: what it makes of each unit motion.
struct Matrix6 {
  Force<double> column[6];

  Matrix6& operator+=(const Matrix6& other) {
    for (int k = 0; k < 6; ++k) column[k] += other.column[k];
    return *this;
  }
  Force<double> operator*(const Vector& m) const {
    Force<double> f = Force<double>::zero();
    for (int k = 0; k < 3; ++k) f += m.w[k] * column[k] + m.v[k] * column[3 + k];
    return f;
  }
  Force<double> transpose_times(const Vector& m) const {
    Force<double> f;
    for (int k = 0; k < 3; ++k) f.n[k] = dot(m, column[k]), f.f[k] = dot(m, column[3 + k]);
    return f;
  }
};

Vector unit_motion(int k) {
  Vector m = Vector::zero();
  (k < 3 ? m.w[k] : m.v[k - 3]) = 1;
  return m;
}

Matrix6 velocity_matrix(const Inertia6<double>& I, const Vector& V) {
  Matrix6 N;
  const Force<double> momentum = I * V;
  for (int k = 0; k < 6; ++k) {
    const Vector P = unit_motion(k);
    N.column[k] = cross(V, I * P) - I * cross(V, P) + cross(P, momentum);
  }
  return N;
}

// The same matrix about the origin from which the link's stands at r.
Matrix6 moved_from(const Vec3<double>& r, const Matrix6& N) {
  Matrix6 moved;
  for (int k = 0; k < 6; ++k) moved.column[k] = moved_from(r, N * moved_to(r, unit_motion(k)));
  return moved;
}

// What one column of a link contributes to the entries it shares with the columns above: as a row (inertia, velocity,
// weightless) and as a column (by_q, by_u).
struct PathForces {
  Force<double> inertia, velocity, weightless, by_q, by_u;

  void move_from(const Vec3<double>& r) {
    for (Force<double>* f : {&inertia, &velocity, &weightless, &by_q, &by_u}) *f = moved_from(r, *f);
  }
};

// The quantities of every column and subtree at one state.
class DerivativePass {
 public:
  DerivativePass(const ModelData& model, const double* q, const double* u, const double* du)
      : model_(model), count_(static_cast<int>(model.links.size())) {
    const std::size_t n = model.u_count, links = model.links.size();
    std::vector<Transform<double>> poses(links);
    std::vector<JointFrame<double>> frames(links);
    std::vector<Vector> velocities(links);
    J.resize(n), P.resize(n), X.resize(n), Y.resize(n);
    world_kinematics<double>(model.links.data(), count_, q, u, poses.data(), velocities.data(), J.data());
    for (int i = 1; i < count_; ++i)
      for (int k = 0; model.links[i].alone && k < 6; ++k)
        J[first_column(i) + k] = lone_column(model.links[i], poses[i], k);
    update_joint_frames<double>(model.links.data(), count_, q, u, frames.data());
    V.assign(links, Vector::zero());
    A.assign(links, Vector::zero());
    A[0].v = -model.gravity;
    offset.assign(links, Vec3<double>::zero());
    for (int i = 1; i < count_; ++i) {
      offset[i] = poses[model.links[i].parent].R * frames[i].X_PL.p;  // the difference of positions loses digits
      columns_of(i, u, du);
    }
    sum_subtrees(poses);
  }

  InverseDynamicsDerivatives result() const {
    const int n = model_.u_count;
    InverseDynamicsDerivatives d{std::vector<double>(n * n, 0.0), std::vector<double>(n * n, 0.0)};
    for (int i = 1; i < count_; ++i) {
      for (int k = first_column(i); k < first_column(i + 1); ++k) {
        PathForces forces = forces_of(i, k);
        for (int j = first_column(i); j < first_column(i + 1); ++j) {
          set_row(forces, k, j, d);
          if (!carries(model_.links[i].kind, j - first_column(i), k - first_column(i)))
            d.by_q[k * n + j] += dot(J[k], cross(J[j], F[i]));
        }
        for (int link = i; model_.links[link].parent > 0;) {
          forces.move_from(offset[link]);
          link = model_.links[link].parent;
          for (int j = first_column(link); j < first_column(link + 1); ++j) {
            set_row(forces, k, j, d);
            d.by_q[j * n + k] = dot(J[j], forces.by_q);
            d.by_u[j * n + k] = dot(J[j], forces.by_u);
          }
        }
      }
    }
    return d;
  }

 private:
  int first_column(int link) const { return link < count_ ? model_.links[link].u_index : model_.u_count; }

  Vector weight_change(int j) const { return cross(J[j], Vector{Vec3<double>::zero(), model_.gravity}); }

  PathForces forces_of(int i, int k) const {
    PathForces f;
    f.inertia = I[i] * J[k];
    f.velocity = N[i].transpose_times(J[k]);
    f.weightless = E.empty() ? Force<double>::zero() : E[i] * J[k];
    f.by_q = cross(J[k], F[i]) + I[i] * X[k] + N[i] * P[k];
    if (!E.empty()) f.by_q -= E[i] * weight_change(k);
    f.by_u = I[i] * Y[k] + N[i] * J[k];
    return f;
  }

  // Entries of row k, whose forces stand at the link of column j.
  void set_row(const PathForces& f, int k, int j, InverseDynamicsDerivatives& d) const {
    const int n = model_.u_count;
    d.by_q[k * n + j] = dot(X[j], f.inertia) + dot(P[j], f.velocity) - dot(weight_change(j), f.weightless);
    d.by_u[k * n + j] = dot(Y[j], f.inertia) + dot(J[j], f.velocity);
  }

  // V, A of the link; P, X, Y of each column.
  void columns_of(int i, const double* u, const double* du) {
    const Link& link = model_.links[i];
    const int first = first_column(i), dof = first_column(i + 1) - first;
    const Vector V_parent = moved_to(offset[i], V[link.parent]), A_parent = moved_to(offset[i], A[link.parent]);
    Vector C[6], share[6];
    V[i] = V_parent;
    A[i] = A_parent;
    for (int k = 0; k < dof; ++k) {
      C[k] = V_parent;
      for (int m = 0; m < dof; ++m)
        if (carries(link.kind, m, k)) C[k] += u[first + m] * J[first + m];
      share[k] = du[first + k] * J[first + k] + u[first + k] * cross(C[k], J[first + k]);
      V[i] += u[first + k] * J[first + k];
      A[i] += share[k];
    }
    for (int j = 0; j < dof; ++j) {
      Vector W = V_parent, B = A_parent;
      for (int k = 0; k < dof; ++k) {
        if (carries(link.kind, j, k)) continue;
        W += u[first + k] * J[first + k];
        B += share[k];
      }
      const Vector& column = J[first + j];
      P[first + j] = cross(W, column);
      X[first + j] = cross(B, column) + cross(W, P[first + j]);
      Y[first + j] = cross(C[j] + W, column);
    }
  }

  void sum_subtrees(const std::vector<Transform<double>>& poses) {
    I.resize(count_), N.resize(count_), F.resize(count_);
    if (!model_.added_inertia.empty()) E.resize(count_);
    for (int i = 1; i < count_; ++i) {
      I[i] = rotated(model_.links[i].inertia, poses[i].R);
      N[i] = velocity_matrix(I[i], V[i]);
      F[i] = I[i] * A[i] + cross(V[i], I[i] * V[i]);
      if (E.empty()) continue;
      E[i] = rotated(model_.added_inertia[i], poses[i].R);
      F[i] += E[i] * Vector{Vec3<double>::zero(), model_.gravity};
    }
    for (int i = count_ - 1; i > 0; --i) {
      const int parent = model_.links[i].parent;
      if (parent == 0) continue;
      I[parent] += shifted(I[i], offset[i]);
      N[parent] += moved_from(offset[i], N[i]);
      F[parent] += moved_from(offset[i], F[i]);
      if (!E.empty()) E[parent] += shifted(E[i], offset[i]);
    }
  }

  const ModelData& model_;
  int count_;
  std::vector<Vec3<double>> offset;  // per link: of its origin from its parent's
  std::vector<Vector> J, P, X, Y;    // per velocity
  std::vector<Vector> V, A;          // per link
  std::vector<Inertia6<double>> I;   // per link, of its subtree
  std::vector<Inertia6<double>> E;   // per link, added inertia of its subtree; empty when there is none
  std::vector<Matrix6> N;            // per link, of its subtree
  std::vector<Force<double>> F;      // per link, of its subtree
};

}  // namespace

InverseDynamicsDerivatives inverse_dynamics_derivatives(const ModelData& model, const double* q, const double* u,
                                                        const double* du) {
  return DerivativePass(model, q, u, du).result();
}

}  // namespace lipkin
