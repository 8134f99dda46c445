// Newton steps on one island, with sweeps where they do not get nearer. How a step is made is up to the kind of island.
#pragma once

#include <vector>

#include "lipkin/solver.hpp"
#include "solvers/accelerated_sweeps.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class NewtonIsland {
 public:
  virtual ~NewtonIsland() = default;

  // Newton steps from the present impulses, at least one; where they do not get nearer, sweeps in between. Leaves the
  // best impulses found in place. Adds to report.iterations and newton_steps, sets residual and converged.
  void solve(const SolverOptions& options, int iterations_max, const SolveClock& clock, SolveReport& report);

 protected:
  // Copies the blocks of an island.
  void take_blocks(const SweepSet& set, const int* first, const int* last);

  // New impulses from gamma_, which refresh() has set.
  virtual void step(double tolerance) = 0;
  // Sets the island's part of z to zero.
  virtual void clear_z() = 0;
  // At a solution: another choice of what holds to step with, for impulses that do not depend on the way there; false:
  // there is none, or no more.
  virtual bool choose_canonical(int /*attempt*/, double /*tolerance*/) { return false; }
  // A few sweeps cost little beside a dense factorisation and settle which rows hold.
  virtual int sweeps_after_step() const { return 8; }
  // How many steps in a row may fail to get nearer before long sweeps follow.
  virtual int patience() const { return 1; }
  // Steps do not get nearer, and sweeps have followed: another try at the impulses before more steps. Returns how many
  // iterations it took.
  virtual int stalled(double /*tolerance*/) { return 0; }

  // z and gamma from the impulses; returns the residual.
  double refresh();

  SweepData data_;  // the island alone
  std::vector<SweepBlock> blocks_;
  std::vector<double> gamma_;  // per row of the problem
  int row_count_ = 0;
  int z_end_ = 0;  // behind the last value of data_.z

 private:
  void make_canonical(double tolerance);
  bool note(double residual);  // of the present impulses; true: the best so far
  void restore_best();
  void sweep_from_best(const SolverOptions& options, int stall, const SolveClock& clock, SolveReport& report);

  AcceleratedSweeps sweeps_;
  std::vector<double> best_;
  double residual_ = 0, best_residual_ = 0;
};

}  // namespace lipkin
