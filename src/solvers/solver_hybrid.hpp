// The default. Bilateral rows are eliminated exactly; what is left falls into islands. A small island goes to Newton
// steps at once: they cost little there, start from the last step's active set, and give redundant contacts the
// impulses of least norm whatever the warm start. A large one is swept, warm-started; if that has not converged after a
// while, it is handed to sparse Newton steps where there is no friction, and otherwise to an interior-point method as
// long as its factorisation is affordable. What stands still is recognised first: the last step's impulses still hold.
#pragma once

#include "solvers/bilateral_elimination.hpp"
#include "solvers/groups.hpp"
#include "solvers/island_solver.hpp"
#include "solvers/restless_sweeps.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverHybrid : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  SolveReport solve_single(Problem& problem, double* z) const;
  static double allowed_to_hold(const Problem& problem, const SolverOptions& options);
  bool nearly_holds(const Problem& problem, const SolverOptions& options, const SolveClock& clock, SolveReport& report);
  void solve_rest(const Problem& problem, const SolverOptions& options, const SolveClock& clock, SolveReport& report);
  void solve_islands(const SolverOptions& options, double holding, const SolveClock& clock);

  BilateralElimination elimination_;
  SweepSet rest_;
  RestlessSweeps restless_;
  BlockGroups islands_;
  std::vector<IslandSolver> workers_;  // one per thread
  std::vector<SolveReport> island_reports_;
  std::vector<int> first_row_;  // per island, and of one more: rows before it
};

}  // namespace lipkin
