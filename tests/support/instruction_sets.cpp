#include "support/instruction_sets.hpp"

namespace lipkin {
extern const TreeKernels kTreeKernels_baseline;
#if defined(__x86_64__)
extern const TreeKernels kTreeKernels_avx2;
extern const TreeKernels kTreeKernels_avx512;
#endif
}  // namespace lipkin

namespace lipkin::test {

std::vector<const TreeKernels*> available_kernels() {
  std::vector<const TreeKernels*> available = {&kTreeKernels_baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) available.push_back(&kTreeKernels_avx2);
  if (__builtin_cpu_supports("x86-64-v4")) available.push_back(&kTreeKernels_avx512);
#endif
  return available;
}

}  // namespace lipkin::test
