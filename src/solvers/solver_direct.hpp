// Bilateral rows only: each cluster factored with its rank, impulses of least norm.
#pragma once

#include "solvers/bilateral_elimination.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverDirect : public Solver {
 public:
  // Throws InvalidArgument where a block has another law.
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  BilateralElimination elimination_;
  SweepSet nothing_;
};

}  // namespace lipkin
