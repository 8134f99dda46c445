// Contact as a linear complementarity problem, solved by Lemke's method: for comparison with the proximal point method,
// as the third paper does. The disc of friction becomes a pyramid of eight sides (Anitescu and Potra, Nonlinear
// Dynamics 14, 1997): per contact a normal impulse, eight friction impulses >= 0, and the slip speed. Bilateral rows
// are eliminated first.
#pragma once

#include "solvers/bilateral_elimination.hpp"
#include "solvers/lemke.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

class SolverLemke : public Solver {
 public:
  // converged: the pyramid's problem was solved; residual: with respect to the disc.
  SolveReport solve(Problem& problem, const SolverOptions& options, double* z) override;

 private:
  // An unknown x_k >= 0 of the complementarity problem. It adds `along` x_k to the impulses of up to two rows, or is a
  // multiplier (no rows) of the bound that its kind tells.
  struct Unknown {
    int row[2] = {-1, -1};
    double along[2] = {0, 0};
    int bound_of = -1;  // multiplier: of the limit  factor x[bound_of] - sum of members >= 0, or of hi - x >= 0
    double factor = 0, limit = 0;
    int member_of = -1;  // friction: the multiplier of its bound
  };

  void list_unknowns();
  void list_interval(const SweepBlock& block);
  void list_contact(const SweepBlock& block);
  void list_friction(const SweepBlock& block, int r, int rows, double mu, int normal);
  int add_unknown(int row, double along);
  void build();
  void scale();
  void impulses_from_unknowns();

  BilateralElimination elimination_;
  SweepSet rest_;
  Lemke lemke_;
  std::vector<Unknown> unknowns_;
  std::vector<double> pushed_, M_, q_, x_, scale_;
};

}  // namespace lipkin
