// Newton steps on one island, with sweeps where they do not get nearer. How a step is made is up to the kind of island.
#pragma once

#include <vector>

#include "lipkin/solver.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class NewtonIsland {
 public:
  virtual ~NewtonIsland() = default;

  // Newton steps from the present impulses, at least one; where they do not get nearer, sweeps in between. Leaves the
  // best impulses found in place. Adds to report.iterations and newton_steps, sets residual and converged.
  void solve(const SolverOptions& options, int iterations_max, SolveReport& report);

 protected:
  // Copies the blocks of an island.
  void take_blocks(const SweepSet& set, const int* first, const int* last);

  // New impulses from gamma_, which refresh() has set.
  virtual void step(double tolerance) = 0;
  // Sets the island's part of z to zero.
  virtual void clear_z() = 0;
  // Steps do not get nearer; sweeps have followed, and more steps will.
  virtual void stalled() {}

  // z and gamma from the impulses; returns the residual.
  double refresh();

  SweepData data_;  // the island alone
  std::vector<SweepBlock> blocks_;
  std::vector<double> gamma_;  // per row of the problem
  int row_count_ = 0;

 private:
  void keep_best(double residual);
  void restore_best();
  void sweep_from_best();

  std::vector<double> best_;
  double best_residual_ = 0;
};

}  // namespace lipkin
