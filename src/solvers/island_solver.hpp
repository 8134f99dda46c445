// Solves islands of a prepared set one by one, each by the way that suits it; every thread has one of these. What an
// island gets depends on the island alone.
#pragma once

#include "solvers/accelerated_sweeps.hpp"
#include "solvers/cone_interior_point.hpp"
#include "solvers/newton_dense.hpp"
#include "solvers/newton_sparse.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class IslandSolver {
 public:
  // The blocks of an island by their numbers in `set`; changes the set's impulses and z where these blocks act.
  void solve(const SweepSet& set, const int* first, const int* last, const SolverOptions& options,
             const SolveClock& clock, SolveReport& report);

  // Instead of solving: whether the impulses that an island starts from leave no more than `allowed`.
  bool holds(const SweepSet& set, const int* first, const int* last, double allowed, SolveReport& report);

 private:
  void load(const SweepSet& set, const int* first, const int* last);
  void sweep(const SolverOptions& options, int sweeps_max, const SolveClock& clock, SolveReport& report);
  void sweep_and_solve_inside(const SolverOptions& options, const SolveClock& clock, SolveReport& report);
  void solve_inside(const SolverOptions& options, int attempt, SolveReport& report);

  NewtonDense dense_;
  NewtonSparse sparse_;
  AcceleratedSweeps sweeps_;
  ConeInteriorPoint inside_;
  std::vector<SweepBlock> blocks_;  // of the island
  SweepData data_;                  // of blocks_
  int z_count_ = 0;
};

}  // namespace lipkin
