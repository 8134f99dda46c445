// The hot loops of the solvers, compiled once per instruction set (docs/decisions/0002). solver_kernels() follows the
// choice that the tree's kernels made when the program started.
#pragma once

namespace lipkin {

struct BilateralWork;

struct SolverKernels {
  // See bilateral_factor.hpp. factor returns the rank.
  int (*bilateral_factor)(const double* Y, int stride, const double* compliance, BilateralWork& work);
  void (*bilateral_solve_z)(const BilateralWork& work, const double* rhs, double* z);
  void (*bilateral_prepare_lambda)(BilateralWork& work);
  void (*bilateral_solve_lambda)(const BilateralWork& work, const double* rhs, double* lambda);
  void (*bilateral_project_out)(const BilateralWork& work, double* row);
};

const SolverKernels& solver_kernels();

}  // namespace lipkin
