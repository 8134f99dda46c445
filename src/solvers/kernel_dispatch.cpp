#include <string_view>

#include "lipkin/version.hpp"
#include "solvers/kernels.hpp"

namespace lipkin {

extern const SolverKernels kSolverKernels_baseline;
#if defined(LIPKIN_X86_KERNELS)
extern const SolverKernels kSolverKernels_avx2;
extern const SolverKernels kSolverKernels_avx512;
#endif

namespace {

const SolverKernels& choose() {
#if defined(LIPKIN_X86_KERNELS)
  if (instruction_set() == "avx512") return kSolverKernels_avx512;
  if (instruction_set() == "avx2") return kSolverKernels_avx2;
#endif
  return kSolverKernels_baseline;
}

}  // namespace

const SolverKernels& solver_kernels() {
  static const SolverKernels& chosen = choose();
  return chosen;
}

}  // namespace lipkin
