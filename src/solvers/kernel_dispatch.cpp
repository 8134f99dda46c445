#include <string_view>

#include "lipkin/version.hpp"
#include "solvers/kernels.hpp"

namespace lipkin {

extern const SolverKernels kSolverKernels_baseline;
#if defined(LIPKIN_X86_KERNELS)
extern const SolverKernels kSolverKernels_avx2;
extern const SolverKernels kSolverKernels_avx512;
#endif

const SolverKernels& solver_kernels_of_this_machine() {
#if defined(LIPKIN_X86_KERNELS)
  if (instruction_set() == "avx512") return kSolverKernels_avx512;
  if (instruction_set() == "avx2") return kSolverKernels_avx2;
#endif
  return kSolverKernels_baseline;
}

}  // namespace lipkin
