// Numbers as people read them.
#pragma once

#include <cmath>
#include <limits>

namespace lipkin {

// The sign of what is not a number means nothing: 0/0 gives it one on some processors and not on others.
inline double shown(double value) { return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value; }

}  // namespace lipkin
