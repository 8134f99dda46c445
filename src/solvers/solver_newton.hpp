// Semismooth Newton, island by island, bilateral rows among the others. Islands with friction that are too large to be
// factored are swept, and the report says so.
#pragma once

#include "solvers/accelerated_sweeps.hpp"
#include "solvers/groups.hpp"
#include "solvers/newton_dense.hpp"
#include "solvers/newton_sparse.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverNewton : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  int rows_of(const int* first, const int* last) const;
  void sweep(const int* first, const int* last, const SolverOptions& options, const SolveClock& clock,
             SolveReport& report);

  SweepSet set_;
  BlockGroups islands_;
  NewtonDense dense_;
  NewtonSparse sparse_;
  AcceleratedSweeps sweeps_;
  std::vector<SweepBlock> island_blocks_;
};

}  // namespace lipkin
