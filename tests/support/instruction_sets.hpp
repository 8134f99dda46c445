// The tree kernels of every instruction set that this processor has.
#pragma once

#include <vector>

#include "tree/kernels.hpp"

namespace lipkin::test {

std::vector<const TreeKernels*> available_kernels();

}  // namespace lipkin::test
