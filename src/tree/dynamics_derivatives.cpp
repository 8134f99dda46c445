// Notation: everything about the world's origin along world axes. Column J_j of velocity j; link i has velocity V_i,
// acceleration A_i (A_0 = -gravity), inertia I_i and net force F_i = I_i A_i + V_i x* I_i V_i; (.)ᶜ sums over a
// subtree.
//
// Moving q_j carries along every link below and those columns of the same joint that are mounted on it ("carried").
// With W_j and B_j the velocity and acceleration of what q_j does not carry, and P_j = W_j x J_j:
//   (1) dV_i/dq_j = J_j x (V_i - W_j)
//   (2) dA_i/dq_j = J_j x (A_i - B_j) + P_j x (V_i - W_j)
//   (3) dF_i/dq_j = J_j x* F_i + I_i (B_j x J_j + W_j x P_j) + N_i P_j
//   (4) dF_i/du_j = I_i ((C_j + W_j) x J_j) + N_i J_j
// with N_i P = V_i x* I_i P - I_i (V_i x P) + P x* I_i V_i, and C_j the velocity of the frame in which J_j is fixed.
// Added inertia E_i does not weigh: F_i holds E_i g besides, and (3) the term -E_i (J_j x g).
// tau_k = J_k . Fᶜ_k then gives every entry from subtree sums at the deeper of the two links, in O(n depth).
// The 1-dof case is in Carpentier and Mansard, Analytical derivatives of rigid body dynamics algorithms (RSS 2018);
// joints of several degrees of freedom and the carried columns are ours.
#include "tree/dynamics_derivatives.hpp"

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
};

Matrix6 velocity_matrix(const Inertia6<double>& I, const Vector& V) {
  Matrix6 N;
  const Force<double> momentum = I * V;
  for (int k = 0; k < 6; ++k) {
    Vector P = Vector::zero();
    (k < 3 ? P.w[k] : P.v[k - 3]) = 1;
    N.column[k] = cross(V, I * P) - I * cross(V, P) + cross(P, momentum);
  }
  return N;
}

// The quantities of every column and subtree at one state.
class DerivativePass {
 public:
  DerivativePass(const ModelData& model, const double* q, const double* u, const double* du)
      : model_(model), count_(static_cast<int>(model.links.size())) {
    const std::size_t n = model.u_count, links = model.links.size();
    std::vector<Transform<double>> X(links);
    std::vector<Vector> V_local(links);
    J.resize(n), W.resize(n), B.resize(n), C.resize(n), link_of.resize(n);
    world_kinematics<double>(model.links.data(), count_, q, u, X.data(), V_local.data(), J.data());
    V.assign(links, Vector::zero());
    A.assign(links, Vector::zero());
    A[0].v = -model.gravity;
    for (int i = 1; i < count_; ++i) columns_of(i, X[i], u, du);
    sum_subtrees(X);
  }

  InverseDynamicsDerivatives result() const {
    const int n = model_.u_count;
    InverseDynamicsDerivatives d{std::vector<double>(n * n, 0.0), std::vector<double>(n * n, 0.0)};
    for (int j = 0; j < n; ++j) {
      const Vector P = cross(W[j], J[j]);
      const Vector X_j = cross(B[j], J[j]) + cross(W[j], P), Y_j = cross(C[j] + W[j], J[j]);
      for (int k = 0; k < n; ++k) {
        const int row = link_of[k], column = link_of[j];
        if (below(row, column)) {
          double by_q = dot(J[k], I[row] * X_j + N[row] * P - weightless(row, j));
          const bool same_joint_still = row == column && !carried(j, k);
          if (same_joint_still) by_q += dot(J[k], cross(J[j], F[row]));
          d.by_q[k * n + j] = by_q;
          d.by_u[k * n + j] = dot(J[k], I[row] * Y_j + N[row] * J[j]);
        } else if (below(column, row)) {
          d.by_q[k * n + j] =
              dot(J[k], cross(J[j], F[column]) + I[column] * X_j + N[column] * P - weightless(column, j));
          d.by_u[k * n + j] = dot(J[k], I[column] * Y_j + N[column] * J[j]);
        }
      }
    }
    return d;
  }

 private:
  Force<double> weightless(int link, int j) const {
    if (E.empty()) return Force<double>::zero();
    return E[link] * cross(J[j], Vector{Vec3<double>::zero(), model_.gravity});
  }

  bool carried(int moved, int column) const {
    const Link& link = model_.links[link_of[column]];
    return carries(link.kind, moved - link.u_index, column - link.u_index);
  }

  bool below(int link, int ancestor) const {
    while (link > ancestor) link = model_.links[link].parent;
    return link == ancestor;
  }

  // Moves the joint's columns to the world's origin; V, A of the link; W, B, C of each column.
  void columns_of(int i, const Transform<double>& X, const double* u, const double* du) {
    const Link& link = model_.links[i];
    const int first = link.u_index;
    const int dof = (i + 1 < count_ ? model_.links[i + 1].u_index : model_.u_count) - first;
    std::vector<Vector> share(dof);
    for (int k = 0; k < dof; ++k) {
      Vector& column = J[first + k];
      column.v += cross(X.p, column.w);
      link_of[first + k] = i;
    }
    V[i] = V[link.parent];
    A[i] = A[link.parent];
    for (int k = 0; k < dof; ++k) {
      C[first + k] = V[link.parent];
      for (int m = 0; m < dof; ++m)
        if (carries(link.kind, m, k)) C[first + k] += u[first + m] * J[first + m];
      share[k] = du[first + k] * J[first + k] + u[first + k] * cross(C[first + k], J[first + k]);
      V[i] += u[first + k] * J[first + k];
      A[i] += share[k];
    }
    for (int j = 0; j < dof; ++j) {
      W[first + j] = V[link.parent];
      B[first + j] = A[link.parent];
      for (int k = 0; k < dof; ++k) {
        if (carries(link.kind, j, k)) continue;
        W[first + j] += u[first + k] * J[first + k];
        B[first + j] += share[k];
      }
    }
  }

  void sum_subtrees(const std::vector<Transform<double>>& X) {
    I.resize(count_), N.resize(count_), F.resize(count_);
    for (int i = 1; i < count_; ++i) {
      I[i] = to_parent(X[i], model_.links[i].inertia);
      N[i] = velocity_matrix(I[i], V[i]);
      F[i] = I[i] * A[i] + cross(V[i], I[i] * V[i]);
      if (model_.added_inertia.empty()) continue;
      E.resize(count_);
      E[i] = to_parent(X[i], model_.added_inertia[i]);
      F[i] += E[i] * Vector{Vec3<double>::zero(), model_.gravity};
    }
    for (int i = count_ - 1; i > 0; --i) {
      const int parent = model_.links[i].parent;
      if (parent == 0) continue;
      I[parent] += I[i];
      N[parent] += N[i];
      F[parent] += F[i];
      if (!E.empty()) E[parent] += E[i];
    }
  }

  const ModelData& model_;
  int count_;
  std::vector<int> link_of;         // per velocity
  std::vector<Vector> J, W, B, C;   // per velocity
  std::vector<Vector> V, A;         // per link
  std::vector<Inertia6<double>> I;  // per link, of its subtree
  std::vector<Inertia6<double>> E;  // per link, added inertia of its subtree; empty when there is none
  std::vector<Matrix6> N;           // per link, of its subtree
  std::vector<Force<double>> F;     // per link, of its subtree
};

}  // namespace

InverseDynamicsDerivatives inverse_dynamics_derivatives(const ModelData& model, const double* q, const double* u,
                                                        const double* du) {
  return DerivativePass(model, q, u, du).result();
}

}  // namespace lipkin
