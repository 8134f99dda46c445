// The hot loops of the solvers, compiled once per instruction set (docs/decisions/0002). solver_kernels() follows the
// choice that the tree's kernels made when the program started.
#pragma once

namespace lipkin {

struct BilateralTreeWork;
struct BilateralWork;
struct SweepData;
struct SweepOptions;
struct SweepChange;

struct SolverKernels {
  double (*dot)(const double* a, const double* b, int count);
  void (*add_scaled)(double* to, double factor, const double* from, int count);

  // See bilateral_factor.hpp. factor returns the rank.
  int (*bilateral_factor)(const double* Y, int stride, const double* compliance, BilateralWork& work);
  void (*bilateral_solve_z)(const BilateralWork& work, const double* rhs, double* z);
  void (*bilateral_prepare_lambda)(BilateralWork& work);
  void (*bilateral_solve_lambda)(const BilateralWork& work, const double* rhs, double* lambda);
  void (*bilateral_project_out)(const BilateralWork& work, double* row);
  void (*bilateral_demand_on_basis)(const BilateralWork& work, const double* rhs, double* c);
  void (*bilateral_basis_times)(const BilateralWork& work, const double* row, double* out, int out_stride);

  // See bilateral_tree_kernel.hpp.
  bool (*bilateral_tree_factor)(const BilateralTreeWork& work);
  void (*bilateral_tree_solve)(const BilateralTreeWork& work, const double* rhs, double* lambda);
  void (*bilateral_tree_expand)(const BilateralTreeWork& work, const double* reduced);
  void (*bilateral_tree_reduce_all)(const BilateralTreeWork& work, double* reduced);
  void (*bilateral_tree_reduce)(const BilateralTreeWork& work, int* nodes, int count, double* psi, int rows,
                                double* out, int stride);

  // See sweep_kernel.hpp.
  double (*prepare_blocks)(const SweepData& data, double* memory);
  void (*add_impulses_to_z)(const SweepData& data);
  double (*prepare_and_add)(const SweepData& data, double* memory);
  SweepChange (*sweep_blocks)(const SweepData& data, const SweepOptions& options, bool backward);
  double (*residual_of_blocks)(const SweepData& data, double* gammas, double* violations);
};

const SolverKernels& solver_kernels_of_this_machine();

inline const SolverKernels& solver_kernels() {
  static const SolverKernels& chosen = solver_kernels_of_this_machine();
  return chosen;
}

}  // namespace lipkin
