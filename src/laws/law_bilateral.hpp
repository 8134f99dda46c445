// gamma = 0, whatever impulse it takes.
#pragma once

#include "laws/inline.hpp"

namespace lipkin {

struct LawBilateral {
  // The convex set is the whole line.
  static LIPKIN_LAW_INLINE double project(double lambda) { return lambda; }

  // How far gap velocity and impulse are from obeying the law, in units of gamma.
  static LIPKIN_LAW_INLINE double residual(double gamma) { return gamma < 0 ? -gamma : gamma; }
};

}  // namespace lipkin
