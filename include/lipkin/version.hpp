#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lipkin {

std::string_view version();

// The instruction set the kernels run on: "avx512", "avx2" or "baseline".
std::string_view instruction_set();

}  // namespace lipkin
