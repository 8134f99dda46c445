// The proximal point method: every law is Lambda = project(Lambda - r gamma), iterated. Gauss-Seidel (a block sees what
// the blocks before it have done) or Jacobi (all see the same).
//
// r-factors of Jacobi: 1/G_ii where the row of G is diagonally dominant, one over the sum of its magnitudes where it is
// not, which by Gershgorin's theorem keeps the iteration from diverging without friction; if friction makes it diverge
// nevertheless, all are halved from the best impulses seen. Gauss-Seidel takes each block's own part of G.
#pragma once

#include "solvers/accelerated_sweeps.hpp"
#include "solvers/solver.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class SolverProx : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  void solve_jacobi(const SolverOptions& options, SolveReport& report);
  void find_factors();
  void jacobi_step(double factor);

  SweepSet set_;
  AcceleratedSweeps sweeps_;
  std::vector<double> factors_, gamma_, best_, sums_;
};

}  // namespace lipkin
