// Two directions across a contact's normal.
#pragma once

#include <cmath>

#include "spatial/vec3.hpp"

namespace lipkin {

// Right-handed with n: Duff et al., Building an orthonormal basis, revisited (2017).
struct ContactFrame {
  Vec3<double> t1, t2;

  explicit ContactFrame(const Vec3<double>& n) {
    const double s = std::copysign(1.0, n[2]);
    const double a = -1 / (s + n[2]), b = n[0] * n[1] * a;
    t1 = {{1 + s * n[0] * n[0] * a, s * b, -s * n[0]}};
    t2 = {{b, s + n[1] * n[1] * a, -n[1]}};
  }
};

}  // namespace lipkin
