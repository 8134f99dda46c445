// Lambda in [lo, hi]; gamma > 0 only at lo, gamma < 0 only at hi: a motor with a limited torque, dry friction in a
// joint, a limit (hi infinite). As a proximal point: Lambda = project(Lambda - r gamma) for any r > 0.
#pragma once

#include "laws/inline.hpp"

namespace lipkin {

struct LawInterval {
  double lo, hi;  // lo <= hi; either may be infinite

  LIPKIN_LAW_INLINE double project(double lambda) const {
    if (lambda < lo) return lo;
    return lambda > hi ? hi : lambda;
  }

  // How far gap velocity and impulse are from obeying the law, in units of gamma. g: the Delassus matrix's diagonal, so
  // that an impulse d away from the set counts as g d.
  LIPKIN_LAW_INLINE double residual(double gamma, double lambda, double g) const {
    const double to_lo = g * (lambda - lo), to_hi = g * (lambda - hi);
    double violation = gamma;
    if (violation > to_lo) violation = to_lo;
    if (violation < to_hi) violation = to_hi;
    return violation < 0 ? -violation : violation;
  }
};

}  // namespace lipkin
