// Semismooth Newton, island by island, bilateral rows among the others.
#pragma once

#include "solvers/groups.hpp"
#include "solvers/island_newton.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverNewton : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  SweepSet set_;
  BlockGroups islands_;
  IslandNewton newton_;
};

}  // namespace lipkin
