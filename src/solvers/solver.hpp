// Finds impulses that obey the laws of a Problem. One file each; made by kind.
#pragma once

#include <memory>

#include "exec/thread_pool.hpp"
#include "lipkin/solver.hpp"
#include "solvers/problem.hpp"

namespace lipkin {

class Solver {
 public:
  virtual ~Solver() = default;

  // Starts from problem.lambda and leaves the impulses there; z = Yᵀ Lambda, problem.z_count values, is set.
  // Allocates nothing once its buffers have grown.
  virtual SolveReport solve(Problem& problem, const SolverOptions& options, double* z) = 0;

  // Who may help with large problems (null: nobody); the result does not depend on it.
  void use(ThreadPool* threads) { threads_ = threads; }

 protected:
  ThreadPool* threads_ = nullptr;
};

std::unique_ptr<Solver> make_solver(SolverKind kind);

}  // namespace lipkin
