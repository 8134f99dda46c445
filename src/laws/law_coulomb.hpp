// Coulomb friction in a plane: the impulse lies in a disc; inside, nothing slips; on its rim it points against the
// slip. As a proximal point: Lambda = project(Lambda - r gamma) for any r > 0. No pyramid: every direction is alike.
#pragma once

#include "laws/inline.hpp"

namespace lipkin {

struct LawCoulomb {
  double radius;  // mu times the normal impulse, >= 0

  LIPKIN_LAW_INLINE bool contains(double x, double y) const { return x * x + y * y <= radius * radius; }

  LIPKIN_LAW_INLINE void project(double& x, double& y) const {
    if (contains(x, y)) return;
    const double scale = radius / __builtin_sqrt(x * x + y * y);
    x *= scale;
    y *= scale;
  }

  // In units of gamma; g: a bound of the tangents' part of the Delassus matrix.
  LIPKIN_LAW_INLINE double residual(const double gamma[2], const double lambda[2], double g) const {
    double x = g * lambda[0] - gamma[0], y = g * lambda[1] - gamma[1];
    LawCoulomb{g * radius}.project(x, y);
    const double dx = g * lambda[0] - x, dy = g * lambda[1] - y;
    return __builtin_sqrt(dx * dx + dy * dy);
  }
};

}  // namespace lipkin
