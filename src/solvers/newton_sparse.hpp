// Newton steps on a large island without friction: every row has an interval (bilateral rows all of the line, contacts
// the positive half), the rows inside theirs are solved together with a sparse factorisation of the Delassus matrix,
// the others stay at their bound (primal-dual active set; Hintermüller, Ito, Kunisch, SIAM J. Optim. 13, 2003).
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/interior_point.hpp"
#include "solvers/newton_island.hpp"
#include "solvers/sparse_factor.hpp"

namespace lipkin {

class NewtonSparse : public NewtonIsland {
 public:
  // No friction.
  static bool suits(const SweepSet& set, const int* first, const int* last);

  // For islands that suit. False where runs overlap without being the same: then it cannot be solved here.
  bool load(const SweepSet& set, const int* first, const int* last);

 private:
  struct Row {
    int row;  // of the problem
    double lo, hi, diagonal, inverse;
  };
  // A row's part of one run; runs with the same begin are one node.
  struct Part {
    int node, row, length;  // row: into rows_
    const double* y;
  };

  bool find_nodes(int z_count);
  void list_rows();
  void sort_parts();
  void build_matrix();
  void step(double tolerance) override;
  void clear_z() override;
  int start_inside(double tolerance, int attempt) override;
  void regularize(double factor);

  std::vector<Row> rows_;
  std::vector<Run> nodes_;
  std::vector<int> node_at_;           // per value of z: node that covers it, -1: none; all -1 between loads
  std::vector<Part> parts_, by_node_;  // by row; by node
  std::vector<int> part_begin_, node_begin_;
  std::vector<int> seen_;  // per row: where its entry in the present row of the matrix is
  SparsePattern pattern_;
  std::vector<double> values_, diagonal_, x_;
  std::vector<std::uint8_t> active_;
  SparseFactor factor_;
  InteriorPoint inside_;
  std::vector<InteriorPoint::Bounds> bounds_;
  std::vector<double> b_;
};

}  // namespace lipkin
