// Semismooth Newton on one island, as an active-set method: at the present impulses every law says which of its rows
// hold (their gap velocity vanishes) and which impulses are given (a bound, zero, or friction that follows the normal
// impulse against the slip); the rows that hold are then solved together, exactly and with least norm, so that
// redundant contacts share their load in the one way that depends on nothing else.
//
// Sliding, after Alart and Curnier (Comput. Methods Appl. Mech. Eng. 92, 1991): with s = Lambda_t - r gamma_t outside
// the disc of radius rho and d = s/|s|, the derivative of the projection gives Lambda_t = mu Lambda_n d + Lambda_p p
// with p across d, and gamma_p + C_p Lambda_p = 0 with C_p = (|s| - rho) / (r rho): across the slip, sliding friction
// is a row with compliance.
#pragma once

#include <vector>

#include "lipkin/solver.hpp"
#include "solvers/bilateral_factor.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class IslandNewton {
 public:
  // Copies the blocks of an island, densely over the values of z that they touch.
  void load(const SweepSet& set, const int* first, const int* last);

  int row_count() const { return row_count_; }

  // Newton steps from the present impulses, at least one; where they do not get nearer, sweeps in between. Leaves the
  // best impulses found in place. Adds to report.iterations and newton_steps, sets residual and converged.
  void solve(const SolverOptions& options, int iterations_max, SolveReport& report);

  // The island's values of the set's z.
  void write_z(double* z) const;

 private:
  // Unknown k: adds `factor` x_k to the impulse of a row.
  struct Part {
    int unknown, row;
    double factor;
  };

  void build_rows(const SweepSet& set);
  double refresh();  // z and gamma from the impulses; returns the residual
  void step(double tolerance);
  void sweep_from_best();
  void choose_active();
  void choose_contact(const SweepBlock& block);
  void choose_disc(const SweepBlock& block, int r, double mu, int disc_at, int normal_unknown, double normal);
  int add_unknown(int row, double compliance);
  void add_part(int unknown, int row, double factor) { parts_.push_back({unknown, row, factor}); }
  void build_system();
  void build_unknowns();
  void factor_system();
  double what_is_left();
  void solve_system(double tolerance);
  void solve_once(const double* rhs, double* x);
  void keep_best(double residual);
  void restore_best();
  const double* y(int row) const { return Y_.data() + static_cast<std::size_t>(position_[row]) * stride_; }

  SweepData data_;  // the island alone: one dense run
  std::vector<SweepBlock> blocks_;
  std::vector<Run> run_;
  std::vector<double> Y_, z_, gamma_, best_;
  std::vector<int> column_, used_;  // per value of the set's z: its column here; the values used
  std::vector<int> position_;       // per row of the problem: its row of Y_
  int row_count_ = 0, stride_ = 0;

  // The active rows: E x-equations, U what the unknowns push along.
  std::vector<Part> parts_;
  std::vector<double> compliance_;  // per unknown
  std::vector<int> equation_;       // per unknown: the row that holds, or -1: its parts themselves
  std::vector<double> E_, U_, K_, rhs_, left_, x_, change_, c_, z_given_;
  int unknown_count_ = 0, columns_ = 0;
  bool symmetric_ = true;
  BilateralFactor equations_, unknowns_;
  double best_residual_ = 0;
};

}  // namespace lipkin
