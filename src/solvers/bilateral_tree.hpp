// Bilateral rows whose graph is mostly a tree of free bodies, in time that grows with their number: the same system as
// BilateralFactor's, G = Y Yᵀ, its shortest z and its impulses of least norm.
//
// Edges are eliminated along the tree (bilateral_tree_kernel.hpp). What they leave free are the reduced values w of z,
// as many as a tree has degrees of freedom; |w| is the length of the z that w stands for. Rows that close loops are
// reduced to w, and a BilateralFactor of these few says which of them are redundant:
//
//   W = Y_l N,  z = N w,  Y_e N = 0,  Nᵀ N = 1        shortest z: z_e + N w_l, the shortest w_l with W w_l = r_l - Y_l
//   z_e
//
// since z_e, the shortest that meets the edges, is orthogonal to all N w. Rows of other laws are reduced likewise, each
// by a walk along its paths, and lose in w what the loops' rows can do: the Gram matrix of what is left of them is the
// Schur complement of G, in as many columns as there are degrees of freedom.
#pragma once

#include <algorithm>
#include <vector>

#include "solvers/bilateral_factor.hpp"
#include "solvers/bilateral_tree_plan.hpp"

namespace lipkin {

class BilateralTree {
 public:
  // z_count: of the values of z that the nodes are part of; whatever is in none of them becomes zero.
  BilateralTree(BilateralTreePlan plan, std::vector<BilateralGroup> groups, int z_count);

  BilateralTree(BilateralTree&&) = default;

  // Where the rows of a group are written, kTreeLane values for each of its nodes, row after row; clear_rows() before.
  void clear_rows();
  double* rows_of(int group) { return Y_.data() + plan_.y_begin[static_cast<std::size_t>(group)]; }
  int width_of(int group) const { return static_cast<int>(groups_[group].nodes.size()) * kTreeLane; }

  int position_in(int group, int node) const {
    const std::vector<int>& nodes = groups_[group].nodes;
    return static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  }

  // False: the rows of an edge depend on each other, the rank falls where none is looked for.
  bool factor();

  // z[z_count]: the shortest with Y z = rhs.
  void solve(const double* rhs, double* z);

  // The shortest of all lambda with G lambda = rhs, which must be consistent.
  void solve_impulses(const double* rhs, double* lambda);

  void rates_of(const double* z, double* rates) const;  // Y z
  void push(const double* impulses, double* z) const;   // z += Yᵀ impulses
  void write_dense(double* Y, int stride) const;        // all rows over z, into zeros
  void write_dense(int row, double* y) const;           // one of them
  void project_out(double* z);                          // removes from z what is in the span of the rows

  // w is this long, zeros behind what the tree leaves free.
  int reduced_width() const { return reduced_width_; }

  // Rows that push `count` different nodes, `rows` of kTreeLane for each, which are lost. out: what edges and loops
  // leave of them, out_stride apart. May be called by several threads.
  void reduce(int* nodes, int count, double* psi, int rows, double* out, int out_stride) const;

  // In place: w, at the begin of z[z_count], becomes its z.
  void expand(double* z);

  int place_of(int node) const { return plan_.place[static_cast<std::size_t>(node)]; }

 private:
  void gather(const double* z);
  void scatter(double* z) const;
  void push_loops(const double* impulses);
  void reduce_loops();
  void find_loop_rates(const double* rhs);
  void find_null_impulses();
  template <class Visit>
  void visit_loop_rows(const Visit& visit) const;

  BilateralTreePlan plan_;
  std::vector<BilateralGroup> groups_;
  int z_count_, row_count_, reduced_width_;
  BilateralTreeWork work_;
  std::vector<double> Y_, memory_;
  std::vector<double> W_, squares_;  // the loops' rows reduced, and the squares of the whole rows
  BilateralFactor loops_;
  std::vector<double> loop_rhs_, loop_lambda_, reduced_, product_;
  std::vector<double> null_;  // impulses that push nothing, orthonormal: redundant rows against those they repeat
  int null_count_ = -1;       // -1: not looked for yet
};

}  // namespace lipkin
