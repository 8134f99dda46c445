// Bilateral rows are eliminated exactly; what is left is solved by warm-started Gauss-Seidel sweeps.
#pragma once

#include "solvers/bilateral_elimination.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverHybrid : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  BilateralElimination elimination_;
  SweepSet rest_;
};

}  // namespace lipkin
