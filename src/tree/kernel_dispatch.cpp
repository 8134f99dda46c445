#include <cstdlib>
#include <string_view>

#include "lipkin/version.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

extern const TreeKernels kTreeKernels_baseline;
#if defined(LIPKIN_X86_KERNELS)
extern const TreeKernels kTreeKernels_avx2;
extern const TreeKernels kTreeKernels_avx512;
#endif

const TreeKernels& kernels_of_this_machine() {
#if defined(LIPKIN_X86_KERNELS)
  const char* wanted = std::getenv("LIPKIN_ISA");
  const std::string_view name = wanted ? wanted : "";
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (name == "baseline") return kTreeKernels_baseline;
  if (avx512 && name != "avx2") return kTreeKernels_avx512;
  if (avx2) return kTreeKernels_avx2;
#endif
  return kTreeKernels_baseline;
}

std::string_view instruction_set() { return kernels().instruction_set; }

std::string_view version() { return LIPKIN_VERSION; }

}  // namespace lipkin
