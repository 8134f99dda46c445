// Which solver finds the impulses of constraints and contacts, how far it goes, and how it went.
#pragma once

#include <string_view>

namespace lipkin {

enum class SolverKind {
  kImpulses,  // sequential impulses, row after row, bilateral rows too (the second paper)
  kProx,      // proximal point, block by block
  kNewton,    // semismooth Newton on the active set
  kDirect,    // bilateral rows only
  kHybrid,    // bilateral rows eliminated exactly, the rest iterated; the default
  kLemke      // complementarity with friction pyramids, for comparison
};

// Lower-case name as in scenes: "hybrid", ...
std::string_view name_of(SolverKind kind);

struct SolverOptions {
  int max_iterations = 1000;
  double tolerance = 1e-10;    // worst violation of a law that is accepted [m/s] or [rad/s]
  double impulse_epsilon = 0;  // > 0: stop where no impulse changes by more, as the second paper does [N s]
  double time_limit = 0;       // > 0: stop after this time [s]; the iterations done are reported
  double relaxation = 1;       // of `prox`: over-relaxation where it is above 1; below 2
  bool jacobi = false;         // of `prox`: all blocks from the same velocities instead of one after the other
};

// How the Delassus matrix G = W M^-1 W^T was applied.
enum class SolverOperator {
  kNone,        // there was nothing to iterate on
  kMatrixFree,  // block by block through the whitened velocities z
  kDelassus,    // dense rows of an island, factored
  kSparse       // sparse matrix of an island, factored
};

struct SolveReport {
  int iterations = 0;    // sweeps, and Newton steps with the few sweeps that follow one
  int newton_steps = 0;  // of them
  double residual = 0;   // worst violation of a law [m/s] or [rad/s]
  bool converged = true;
  int islands = 0;                                       // sets of blocks that share no velocity; 0: not looked for
  SolverOperator operator_used = SolverOperator::kNone;  // of the largest island
  std::string_view reason;                               // for that operator
};

}  // namespace lipkin
