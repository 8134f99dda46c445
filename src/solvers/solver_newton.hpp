// Semismooth Newton, island by island, bilateral rows among the others.
#pragma once

#include "solvers/groups.hpp"
#include "solvers/newton_dense.hpp"
#include "solvers/newton_sparse.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverNewton : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  SweepSet set_;
  BlockGroups islands_;
  NewtonDense dense_;
  NewtonSparse sparse_;
};

}  // namespace lipkin
