// Compiled once per instruction set with LIPKIN_ISA naming it. Whatever is called from here has internal linkage or is
// forced inline, so that no shared function is emitted with this set's instructions (a test looks at the symbols).
#include "solvers/kernels.hpp"

#include "solvers/bilateral_kernel.hpp"
#include "solvers/bilateral_tree_kernel.hpp"
#include "solvers/sweep_kernel.hpp"

#define LIPKIN_JOIN_OF(a, b) a##b
#define LIPKIN_JOIN(a, b) LIPKIN_JOIN_OF(a, b)

namespace lipkin {

namespace {

double dot_of_any_length(const double* a, const double* b, int count) {
  Lanes sums[4] = {};
  int i = 0;
  for (; i + 4 * kSolverLanes <= count; i += 4 * kSolverLanes)
    for (int k = 0; k < 4; ++k) sums[k] += load_lanes(a + i + k * kSolverLanes) * load_lanes(b + i + k * kSolverLanes);
  double rest = 0;
  for (; i < count; ++i) rest += a[i] * b[i];
  return sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

void add_scaled_of_any_length(double* to, double factor, const double* from, int count) {
  int i = 0;
  for (; i + kSolverLanes <= count; i += kSolverLanes)
    store_lanes(to + i, load_lanes(to + i) + factor * load_lanes(from + i));
  for (; i < count; ++i) to[i] += factor * from[i];
}

}  // namespace

extern const SolverKernels LIPKIN_JOIN(kSolverKernels_, LIPKIN_ISA);

const SolverKernels LIPKIN_JOIN(kSolverKernels_, LIPKIN_ISA) = {
    dot_of_any_length,         add_scaled_of_any_length,  bilateral_factor,
    bilateral_solve_z,         bilateral_prepare_lambda,  bilateral_solve_lambda,
    bilateral_project_out,     bilateral_demand_on_basis, bilateral_basis_times,
    bilateral_tree_factor,     bilateral_tree_solve,      bilateral_tree_expand,
    bilateral_tree_reduce_all, bilateral_tree_reduce,     prepare_blocks,
    add_impulses_to_z,         prepare_and_add,           sweep_blocks,
    residual_of_blocks};

}  // namespace lipkin
