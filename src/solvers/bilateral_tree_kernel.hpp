// Kernels of BilateralTree: bilateral rows along a tree of nodes, eliminated from the leaves to the root without fill
// (Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996), in the square-root form of the
// articulated-body pass (Rodriguez, Jain, Kreutz-Delgado 1991), which here runs over whitened bodies.
//
// Node b has six values z_b, and k <= 6 rows hold it to its parent p: Y_b z_b + Y_p z_p = r. D_b is what |z|² of the
// whole subtree is as a function of z_b alone, once every node below is where it costs least.
//
//   D_b = L Lᵀ,   L⁻¹ Y_bᵀ = Q [R; 0],   T = L⁻ᵀ Q,   K = R⁻ᵀ Y_p                                              (1)
//   D_p gains Kᵀ K: sums of squares alone, nothing cancels                                                      (2)
//
// The first k columns of T, which is D-orthonormal, are the motions that the rows decide, the last 6 - k those that
// they leave free: Y_b T = [Rᵀ 0]. So every z_b that meets the rows is
//
//   z_b = T [R⁻ᵀ r - K z_p; w_b]                                                                                (3)
//
// with w free, and of those with r = 0 the length is that of w: w are the reduced values of z. A force psi on the nodes
// acts on w and passes to the parents by
//
//   [eta; w_b] = Tᵀ psi_b,   psi_p gains -Kᵀ eta                                                                (4)
//
// the walk of a whitened row up its path. For min |z|²/2 - psi · z under the rows both passes meet: leaf to root with
// mu = R⁻ᵀ r - eta handed on as psi_p gains Kᵀ mu (of r) and (4), root to leaf with (3), and the impulses are
// lambda = R⁻¹ (mu - K z_p).                                                                                    (5)
#pragma once

#include "solvers/bilateral_tree_work.hpp"
#include "solvers/lanes.hpp"

namespace lipkin {
namespace {

// A row of a node's matrices.
constexpr int kEightParts = kTreeLane / kSolverLanes;
struct Eight {
  Lanes part[kEightParts];
};

LIPKIN_SOLVER_INLINE Eight load_eight(const double* from) {
  Eight x;
  for (int i = 0; i < kEightParts; ++i) x.part[i] = load_lanes(from + i * kSolverLanes);
  return x;
}
LIPKIN_SOLVER_INLINE void store_eight(double* to, const Eight& x) {
  for (int i = 0; i < kEightParts; ++i) store_lanes(to + i * kSolverLanes, x.part[i]);
}
LIPKIN_SOLVER_INLINE Eight zero_eight() { return {}; }
LIPKIN_SOLVER_INLINE void add_eight(Eight& to, double factor, const Eight& x) {
  for (int i = 0; i < kEightParts; ++i) to.part[i] += factor * x.part[i];
}
LIPKIN_SOLVER_INLINE Eight scaled_eight(double factor, const Eight& x) {
  Eight y = {};
  add_eight(y, factor, x);
  return y;
}
// Ones in the first `count` places.
LIPKIN_SOLVER_INLINE Eight first_ones(int count) {
  alignas(64) double ones[kTreeLane];
  for (int k = 0; k < kTreeLane; ++k) ones[k] = k < count ? 1.0 : 0.0;
  return load_eight(ones);
}
LIPKIN_SOLVER_INLINE Eight product_eight(const Eight& a, const Eight& b) {
  Eight y;
  for (int i = 0; i < kEightParts; ++i) y.part[i] = a.part[i] * b.part[i];
  return y;
}

// Sum of x_k times row k.
LIPKIN_SOLVER_INLINE Eight rows_times(const double* rows, const double* x, int count) {
  Eight even = {}, odd = {};
  int k = 0;
  for (; k + 1 < count; k += 2) {
    add_eight(even, x[k], load_eight(rows + k * kTreeLane));
    add_eight(odd, x[k + 1], load_eight(rows + (k + 1) * kTreeLane));
  }
  if (k < count) add_eight(even, x[k], load_eight(rows + k * kTreeLane));
  add_eight(even, 1, odd);
  return even;
}

LIPKIN_SOLVER_INLINE void transpose_node(const double* from, double* to) {
  for (int i = 0; i < kTreeNode; ++i)
    for (int j = 0; j < kTreeNode; ++j) to[i * kTreeLane + j] = from[j * kTreeLane + i];
}

// B = L⁻¹ B and X = L⁻¹, with D = L Lᵀ.
LIPKIN_SOLVER_INLINE void solve_with_root_of(const double* D, double* B, double* X) {
  double L[kTreeNode * kTreeNode], inverse[kTreeNode];
  for (int i = 0; i < kTreeNode; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = D[i * kTreeLane + j];
      for (int k = 0; k < j; ++k) sum -= L[i * kTreeNode + k] * L[j * kTreeNode + k];
      if (j < i)
        L[i * kTreeNode + j] = sum * inverse[j];
      else
        inverse[i] = 1 / __builtin_sqrt(sum);
    }
  }
  for (int i = 0; i < kTreeNode; ++i) {
    Eight b = load_eight(B + i * kTreeLane), x = zero_eight();
    for (int j = 0; j < i; ++j) {
      add_eight(b, -L[i * kTreeNode + j], load_eight(B + j * kTreeLane));
      add_eight(x, -L[i * kTreeNode + j], load_eight(X + j * kTreeLane));
    }
    store_eight(B + i * kTreeLane, scaled_eight(inverse[i], b));
    store_eight(X + i * kTreeLane, scaled_eight(inverse[i], x));
    X[i * kTreeLane + i] = inverse[i];
  }
}

// Householder's reflections make the first `rows` columns of B upper triangular and act on X alike. False: a column
// depends on those before it.
LIPKIN_SOLVER_INLINE bool triangularize(double* B, double* X, int rows, double tolerance) {
  for (int j = 0; j < rows; ++j) {
    double above = 0, below = 0;
    for (int i = 0; i < kTreeNode; ++i) {
      const double square = B[i * kTreeLane + j] * B[i * kTreeLane + j];
      (i < j ? above : below) += square;
    }
    if (below <= tolerance * (above + below)) return false;  // what is not a number goes on, to be found in z
    const double length = __builtin_sqrt(below), head = B[j * kTreeLane + j];
    double v[kTreeNode];
    for (int i = j; i < kTreeNode; ++i) v[i] = B[i * kTreeLane + j];
    v[j] = head > 0 ? head + length : head - length;
    const double beta = 1 / (below + length * __builtin_fabs(head));
    Eight b = zero_eight(), x = zero_eight();
    for (int i = j; i < kTreeNode; ++i) {
      add_eight(b, v[i], load_eight(B + i * kTreeLane));
      add_eight(x, v[i], load_eight(X + i * kTreeLane));
    }
    b = scaled_eight(beta, b), x = scaled_eight(beta, x);
    for (int i = j; i < kTreeNode; ++i) {
      Eight to_b = load_eight(B + i * kTreeLane), to_x = load_eight(X + i * kTreeLane);
      add_eight(to_b, -v[i], b), add_eight(to_x, -v[i], x);
      store_eight(B + i * kTreeLane, to_b), store_eight(X + i * kTreeLane, to_x);
    }
  }
  return true;
}

// R⁻¹ by rows; R stands in B.
LIPKIN_SOLVER_INLINE void invert_triangle(const double* B, int rows, double* R_inverse) {
  for (int i = rows - 1; i >= 0; --i) {
    Eight x = zero_eight();
    for (int j = i + 1; j < rows; ++j) add_eight(x, -B[i * kTreeLane + j], load_eight(R_inverse + j * kTreeLane));
    const double inverse = 1 / B[i * kTreeLane + i];
    store_eight(R_inverse + i * kTreeLane, scaled_eight(inverse, x));
    R_inverse[i * kTreeLane + i] = inverse;
  }
}

// K = R⁻ᵀ Y_p, and (2).
LIPKIN_SOLVER_INLINE void couple_parent(const BilateralTreeWork& work, const BilateralTreeNode& node, const double* B,
                                        double* K, double* Kt) {
  const BilateralTreeRow* rows = work.edge_rows + node.first_row;
  for (int i = 0; i < kTreeNode; ++i) store_eight(K + i * kTreeLane, zero_eight());
  if (node.parent >= 0) {
    for (int i = 0; i < node.rows; ++i) {
      Eight y = rows[i].parent_at >= 0 ? load_eight(work.Y + rows[i].parent_at) : zero_eight();
      for (int j = 0; j < i; ++j) add_eight(y, -B[j * kTreeLane + i], load_eight(K + j * kTreeLane));
      store_eight(K + i * kTreeLane, scaled_eight(1 / B[i * kTreeLane + i], y));
    }
    double* D = work.T + node.parent * kTreeMatrix;
    for (int i = 0; i < kTreeNode; ++i) {
      Eight d = load_eight(D + i * kTreeLane);
      for (int r = 0; r < node.rows; ++r) add_eight(d, K[r * kTreeLane + i], load_eight(K + r * kTreeLane));
      store_eight(D + i * kTreeLane, d);
    }
  }
  transpose_node(K, Kt);
}

LIPKIN_SOLVER_INLINE bool factor_node(const BilateralTreeWork& work, int b) {
  const BilateralTreeNode& node = work.nodes[b];
  const BilateralTreeRow* rows = work.edge_rows + node.first_row;
  double* T = work.T + b * kTreeMatrix;
  double* X = work.Tt + b * kTreeMatrix;
  alignas(64) double B[kTreeMatrix];
  for (int i = 0; i < kTreeNode; ++i) store_eight(B + i * kTreeLane, zero_eight());
  for (int r = 0; r < node.rows; ++r)
    for (int i = 0; i < kTreeNode; ++i) B[i * kTreeLane + r] = work.Y[rows[r].child_at + i];
  solve_with_root_of(T, B, X);
  if (!triangularize(B, X, node.rows, work.rank_tolerance)) return false;
  transpose_node(X, T);
  invert_triangle(B, node.rows, work.R_inverse + b * kTreeMatrix);
  couple_parent(work, node, B, work.K + b * kTreeMatrix, work.Kt + b * kTreeMatrix);
  return true;
}

// False: the rows of an edge depend on each other.
bool bilateral_tree_factor(const BilateralTreeWork& work) {
  for (int b = 0; b < work.node_count; ++b) {
    double* D = work.T + b * kTreeMatrix;
    for (int i = 0; i < kTreeNode; ++i) {
      store_eight(D + i * kTreeLane, zero_eight());
      D[i * kTreeLane + i] = 1;
    }
  }
  for (int b = work.node_count - 1; b >= 0; --b)
    if (!factor_node(work, b)) return false;
  return true;
}

// R⁻ᵀ r of an edge.
LIPKIN_SOLVER_INLINE Eight turned_rates(const BilateralTreeWork& work, int b, const double* rhs) {
  const BilateralTreeNode& node = work.nodes[b];
  double r[kTreeNode];
  for (int i = 0; i < node.rows; ++i) r[i] = rhs[work.edge_rows[node.first_row + i].row];
  return rows_times(work.R_inverse + b * kTreeMatrix, r, node.rows);
}

// What a node hands to its parent: `force` of its edge's rows.
LIPKIN_SOLVER_INLINE void pass_to_parent(const BilateralTreeWork& work, int b, const double* force, double sign) {
  const BilateralTreeNode& node = work.nodes[b];
  if (node.parent < 0 || node.rows == 0) return;
  double* to = work.at_node + node.parent * kTreeLane;
  Eight sum = load_eight(to);
  add_eight(sum, sign, rows_times(work.K + b * kTreeMatrix, force, node.rows));
  store_eight(to, sum);
}

// Downwards (3): what stands in `sent` becomes z at the nodes. Keeps K z_p in `sent` where impulses are wanted.
LIPKIN_SOLVER_INLINE void place_node(const BilateralTreeWork& work, int b) {
  const BilateralTreeNode& node = work.nodes[b];
  double* s = work.sent + b * kTreeLane;
  if (node.parent >= 0) {
    const Eight held = rows_times(work.Kt + b * kTreeMatrix, work.at_node + node.parent * kTreeLane, kTreeNode);
    Eight left = load_eight(s), pull = load_eight(work.pull + b * kTreeLane);
    add_eight(left, -1, held), add_eight(pull, -1, held);
    store_eight(s, left), store_eight(work.pull + b * kTreeLane, pull);
  }
  store_eight(work.at_node + b * kTreeLane, rows_times(work.Tt + b * kTreeMatrix, s, kTreeNode));
}

// z of min |z|²/2 - psi · z under Y z = rhs, in at_node, where -psi stands before; (5). rhs null: zeros. lambda null:
// nobody asks.
void bilateral_tree_solve(const BilateralTreeWork& work, const double* rhs, double* lambda) {
  for (int b = work.node_count - 1; b >= 0; --b) {
    const BilateralTreeNode& node = work.nodes[b];
    const Eight t = rows_times(work.T + b * kTreeMatrix, work.at_node + b * kTreeLane, kTreeNode);
    const Eight rates = rhs ? turned_rates(work, b, rhs) : zero_eight();
    const Eight held = product_eight(first_ones(node.rows), t);
    Eight s = rates, mu = rates;
    add_eight(s, -1, t), add_eight(s, 1, held), add_eight(mu, 1, held);
    store_eight(work.sent + b * kTreeLane, s);
    store_eight(work.pull + b * kTreeLane, mu);
    pass_to_parent(work, b, work.pull + b * kTreeLane, -1);
  }
  for (int b = 0; b < work.node_count; ++b) place_node(work, b);
  if (!lambda) return;
  for (int b = 0; b < work.node_count; ++b) {
    const BilateralTreeNode& node = work.nodes[b];
    const double *mu = work.pull + b * kTreeLane, *R_inverse = work.R_inverse + b * kTreeMatrix;
    for (int i = 0; i < node.rows; ++i) {
      double sum = 0;
      for (int j = i; j < node.rows; ++j) sum += R_inverse[i * kTreeLane + j] * mu[j];
      lambda[work.edge_rows[node.first_row + i].row] = sum;
    }
  }
}

// at_node becomes the z of reduced values; no rates.
void bilateral_tree_expand(const BilateralTreeWork& work, const double* reduced) {
  for (int b = 0; b < work.node_count; ++b) {
    const BilateralTreeNode& node = work.nodes[b];
    double* s = work.sent + b * kTreeLane;
    store_eight(s, zero_eight());
    store_eight(work.pull + b * kTreeLane, zero_eight());
    for (int k = node.rows; k < kTreeNode; ++k) s[k] = reduced[node.reduced_begin + k - node.rows];
    place_node(work, b);
  }
}

// The reduced values of what stands in at_node, which is lost; (4) for all nodes at once.
void bilateral_tree_reduce_all(const BilateralTreeWork& work, double* reduced) {
  for (int b = work.node_count - 1; b >= 0; --b) {
    const BilateralTreeNode& node = work.nodes[b];
    double* t = work.sent + b * kTreeLane;
    store_eight(t, rows_times(work.T + b * kTreeMatrix, work.at_node + b * kTreeLane, kTreeNode));
    for (int k = node.rows; k < kTreeNode; ++k) reduced[node.reduced_begin + k - node.rows] = t[k];
    pass_to_parent(work, b, t, -1);
  }
}

// (4) along the paths of `count` different nodes: psi has `rows` rows of kTreeLane for each of them, and is lost. out:
// zeros before; row r at out + r * stride.
void bilateral_tree_reduce(const BilateralTreeWork& work, int* nodes, int count, double* psi, int rows, double* out,
                           int stride) {
  const int part_size = rows * kTreeLane;
  while (count > 0) {
    int last = 0;  // the farthest from the root
    for (int i = 1; i < count; ++i)
      if (nodes[i] > nodes[last]) last = i;
    const int b = nodes[last];
    const BilateralTreeNode& node = work.nodes[b];
    double* part = psi + last * part_size;
    double* onto = nullptr;  // where the parent already has a force
    for (int i = 0; i < count; ++i)
      if (nodes[i] == node.parent) onto = psi + i * part_size;
    for (int r = 0; r < rows; ++r) {
      alignas(64) double t[kTreeLane];
      store_eight(t, rows_times(work.T + b * kTreeMatrix, part + r * kTreeLane, kTreeNode));
      double* reduced = out + r * stride + node.reduced_begin;
      for (int k = node.rows; k < kTreeNode; ++k) reduced[k - node.rows] = t[k];
      Eight passed = onto ? load_eight(onto + r * kTreeLane) : zero_eight();
      add_eight(passed, -1, rows_times(work.K + b * kTreeMatrix, t, node.rows));
      store_eight((onto ? onto : part) + r * kTreeLane, passed);
    }
    nodes[last] = node.parent;
    if (!onto && node.parent >= 0) continue;
    --count;
    nodes[last] = nodes[count];
    for (int k = 0; last < count && k < part_size; ++k) part[k] = psi[count * part_size + k];
  }
}

}  // namespace
}  // namespace lipkin
