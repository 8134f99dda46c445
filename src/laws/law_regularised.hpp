// Single-valued versions of unilateral contact and Coulomb friction, for steppers that need forces.
#pragma once

#include <algorithm>
#include <cmath>

namespace lipkin {

// A force and how it changes with what it depends on.
struct RegularisedForce {
  double value = 0;       // [N]
  double stiffness = 0;   // d value / d depth [N/m]
  double resistance = 0;  // d value / d rate [N s/m]
};

// Normal force of two surfaces that overlap by `depth` > 0 [m], which grows at `rate` [m/s]:
//   f = k depth^n (1 + c rate) + d rate,
// Hunt and Crossley, J. Applied Mechanics 42 (1975) 440, with a spring-damper's d beside it. Surfaces do not stick
// together: f >= 0.
inline RegularisedForce regularised_contact(double k, double n, double c, double d, double depth, double rate) {
  const double power = n == 1 ? 1.0 : std::pow(depth, n - 1);
  const double spring = k * power * depth;
  const double force = spring * (1 + c * rate) + d * rate;
  if (!(depth > 0) || force < 0) return {};
  return {force, n * k * power * (1 + c * rate), c * spring + d};
}

// Work stored by that spring at rest [J].
inline double regularised_contact_energy(double k, double n, double depth) {
  return depth > 0 ? k * std::pow(depth, n + 1) / (n + 1) : 0;
}

// Friction over its limit, per speed: limit * regularised_slip(speed, scale) * velocity is the Coulomb force against
// the velocity with its jump at rest smeared out over `scale`; 1/sqrt(2) of the limit at the scale itself. Nothing
// sticks: what would, creeps at a part of the scale.
inline double regularised_slip(double speed, double scale) { return 1 / std::hypot(speed, scale); }

}  // namespace lipkin
