// Signorini on velocity level: Lambda >= 0, gamma >= 0, and one of them is zero.
#pragma once

#include "laws/inline.hpp"

namespace lipkin {

struct LawUnilateral {
  static LIPKIN_LAW_INLINE double project(double lambda) { return lambda > 0 ? lambda : 0; }

  // In units of gamma; g as in LawInterval.
  static LIPKIN_LAW_INLINE double residual(double gamma, double lambda, double g) {
    const double violation = gamma < g * lambda ? gamma : g * lambda;
    return violation < 0 ? -violation : violation;
  }
};

}  // namespace lipkin
