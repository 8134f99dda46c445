// Newton steps on one island. Where they do not get nearer, they start again from what an interior-point method finds,
// and then from sweeps. How a step is made is up to the kind of island.
#pragma once

#include <vector>

#include "lipkin/solver.hpp"
#include "solvers/accelerated_sweeps.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class NewtonIsland {
 public:
  virtual ~NewtonIsland() = default;

  // Newton steps from the present impulses, at least one. Leaves the best impulses found in place. Adds to
  // report.iterations and newton_steps, sets residual and converged.
  // patience: how many steps in a row may fail to get nearer; they often lead away before they close in.
  static constexpr int kPatience = 6;
  void solve(const SolverOptions& options, int iterations_max, int patience, const SolveClock& clock,
             SolveReport& report);

 protected:
  // Copies the blocks of an island.
  void take_blocks(const SweepSet& set, const int* first, const int* last);

  // New impulses from gamma_, which refresh() has set.
  virtual void step(double tolerance) = 0;
  // Where the rows that the last step let hold leave a choice: the impulses next to those before it, instead of the
  // shortest; false: there is none. take_shortest() goes back.
  virtual bool take_nearest() { return false; }
  virtual void take_shortest() {}
  // The next step lets everything hold that stands still, whatever its impulse says.
  virtual void hold_what_stands(double /*tolerance*/) {}
  // Sets the island's part of z to zero.
  virtual void clear_z() = 0;
  // At a solution: another choice of what holds to step with, for impulses that do not depend on the way there; false:
  // there is none, or no more.
  virtual bool choose_canonical(int /*attempt*/, double /*tolerance*/) { return false; }
  // Impulses from the inside of their bounds, near enough for a few steps. Returns how many iterations it took.
  virtual int start_inside(double tolerance, int attempt) = 0;

  // z and gamma from the impulses; returns the residual.
  double refresh();

  SweepData data_;  // the island alone
  std::vector<SweepBlock> blocks_;
  std::vector<double> gamma_;  // per row of the problem
  int row_count_ = 0;
  int z_end_ = 0;  // behind the last value of data_.z

 private:
  void make_canonical(double tolerance);
  bool step_to_better(double tolerance);
  void renew_solution(double tolerance);
  bool note(double residual);  // of the present impulses; true: the best so far
  void restore_best();
  void sweep_from_best(const SolverOptions& options, int stall, const SolveClock& clock, SolveReport& report);

  AcceleratedSweeps sweeps_;
  std::vector<double> best_;
  double residual_ = 0, best_residual_ = 0;
};

}  // namespace lipkin
