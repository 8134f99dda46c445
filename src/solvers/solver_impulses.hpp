// Sequential impulses: steps 4, 5 and 7 of the second paper's algorithm (Mikhaylyuk, Strashnov, Timokhin: SIMGC,
// section 4).
//
// Row after row: the impulse that would stop it with its effective mass 1/G_ii, accumulated and clipped to what the law
// allows, is applied at once. Warm start from problem.lambda; stop where increments are small, at the cap or at the
// time limit. Two deviations: the tangents of a contact are clipped together, to a disc; and unless impulse_epsilon
// asks for the paper's absolute one, increments are measured as velocities, so that forces and torques do not mix.
// Pseudo velocities are a second problem with the same rows, solved the same way.
#pragma once

#include "solvers/solver.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class SolverImpulses : public Solver {
 public:
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  SweepSet set_;
};

}  // namespace lipkin
