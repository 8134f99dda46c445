// Takes the bilateral rows out of a problem exactly. Blocks of bilateral rows that share velocities form clusters; each
// is factored, the rows of the other laws lose what lies in the span of their cluster's rows, and what is left of the
// problem no longer knows bilateral rows:
//
//   z = z0 + ẑ,   z0 = -Y_aᵀ G_aa⁻¹ b_a,   b̂ = b + Y z0,   ŷ = y (1 - Y_aᵀ G_aa⁻¹ Y_a),   ẑ = Ŷᵀ Lambda
//
// For the rows that a cluster touches, its values of ẑ are kept densely behind those of z.
#pragma once

#include <vector>

#include "solvers/bilateral_factor.hpp"
#include "solvers/groups.hpp"
#include "solvers/problem.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class BilateralElimination {
 public:
  // Factors the clusters, and fills `rest` with the other blocks, prepared and warm-started from problem.lambda. Where
  // there is no cluster the rest works on z[problem.z_count] itself.
  void reduce(Problem& problem, SweepSet& rest, double* z);

  // After the rest is solved: z[problem.z_count], and the bilateral impulses of least norm.
  void finish(Problem& problem, double* z);

  // Worst gap velocity of a bilateral row after finish().
  double residual(const Problem& problem, const double* z) const;

  int cluster_count() const { return static_cast<int>(clusters_.size()); }

 private:
  struct Cluster {
    int row_begin = 0, row_count = 0;  // into rows_
    int columns = 0;                   // padded
    int z_begin = 0, z_width = 0;      // its dense part of the extended z
  };

  static bool takes_all(const Problem& problem, SweepSet& rest);
  void find_clusters(const Problem& problem);
  void factor_clusters(const Problem& problem);
  void fill_rows(const SweepBlock& block, double* Y, int stride) const;
  void solve_clusters(const Problem& problem);
  void touched_clusters(const SweepBlock& block);
  void measure_rest();
  void clear_if_degenerate(const SweepBlock& block, const SweepBlock& left, int r);
  SweepBlock reduced(const SweepBlock& block);

  std::vector<SweepBlock> bilateral_, others_;
  BlockGroups groups_;
  std::vector<Cluster> clusters_;
  std::vector<BilateralFactor> factors_;  // one per cluster; kept when there are fewer, for their memory
  std::vector<int> rows_;                 // of the problem, cluster after cluster
  std::vector<int> column_;               // per value of z: its column in its cluster, -1: in none
  std::vector<int> touched_;
  std::vector<double> Y_, compliance_, rhs_, lambda_, z0_, z_extended_, b_reduced_, y_reduced_;
  std::vector<Run> runs_reduced_;
  std::size_t y_used_ = 0, runs_used_ = 0;
};

}  // namespace lipkin
