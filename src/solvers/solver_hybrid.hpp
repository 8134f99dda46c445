// The default. Bilateral rows are eliminated exactly; what is left falls into islands. A small island goes to Newton
// steps at once: they cost little there, start from the last step's active set, and give redundant contacts the
// impulses of least norm whatever the warm start. A large one is swept, warm-started; if that has not converged after a
// while, it is handed to sparse Newton steps where there is no friction, and otherwise to an interior-point method as
// long as its factorisation is affordable. What stands still is recognised first: the last step's impulses still hold.
#pragma once

#include "solvers/accelerated_sweeps.hpp"
#include "solvers/bilateral_elimination.hpp"
#include "solvers/cone_interior_point.hpp"
#include "solvers/groups.hpp"
#include "solvers/newton_dense.hpp"
#include "solvers/newton_sparse.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverHybrid : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  SolveReport solve_single(Problem& problem, double* z) const;
  bool still_holds(const SolverOptions& options, SolveReport& report) const;
  void solve_rest(const SolverOptions& options, const SolveClock& clock, SolveReport& report);
  void sweep_island(int island, const SolverOptions& options, int sweeps_max, const SolveClock& clock,
                    SolveReport& report);
  void sweep_and_solve_inside(int island, const SolverOptions& options, const SolveClock& clock, SolveReport& report);
  void solve_inside(const SolverOptions& options, int attempt, SolveReport& report);
  void solve_island(int island, const SolverOptions& options, const SolveClock& clock, SolveReport& report);
  int rows_of(int island) const;

  BilateralElimination elimination_;
  SweepSet rest_;
  BlockGroups islands_;
  NewtonDense dense_;
  NewtonSparse sparse_;
  AcceleratedSweeps sweeps_;
  ConeInteriorPoint inside_;
  std::vector<SweepBlock> island_blocks_;
  SweepData island_;  // of island_blocks_
};

}  // namespace lipkin
