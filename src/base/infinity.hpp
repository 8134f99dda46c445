#pragma once

#include <limits>

namespace lipkin {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace lipkin
