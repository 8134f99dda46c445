// Compiled once per instruction set with LIPKIN_ISA naming it. Whatever is called from here has internal linkage or is
// forced inline, so that no shared function is emitted with this set's instructions (a test looks at the symbols).
#include "solvers/kernels.hpp"

#include "solvers/bilateral_kernel.hpp"
#include "solvers/sweep_kernel.hpp"

#define LIPKIN_JOIN_OF(a, b) a##b
#define LIPKIN_JOIN(a, b) LIPKIN_JOIN_OF(a, b)

namespace lipkin {

extern const SolverKernels LIPKIN_JOIN(kSolverKernels_, LIPKIN_ISA);

const SolverKernels LIPKIN_JOIN(kSolverKernels_, LIPKIN_ISA) = {
    bilateral_factor,       bilateral_solve_z,     bilateral_prepare_lambda,
    bilateral_solve_lambda, bilateral_project_out, bilateral_demand_on_basis,
    bilateral_basis_times,  prepare_blocks,        add_impulses_to_z,
    sweep_blocks,           residual_of_blocks};

}  // namespace lipkin
