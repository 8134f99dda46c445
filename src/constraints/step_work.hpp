// What the reactions of one solve did to the bodies. In a time-stepping scheme M (u⁺ - u⁻) = h f + Wᵀ Lambda at one q,
// so that the change of ½ uᵀ M u is exactly (h f + Wᵀ Lambda) · ½ (u⁻ + u⁺): every impulse times the mean of its rate
// before and after (docs/theory/balance.md).
#pragma once

#include "spatial/motion.hpp"

namespace lipkin {

// Velocities before a solve, and the mean of those before and after, with those of the links: world axes, at the q
// where the rows were linearised.
struct SolveVelocities {
  const double *before, *mean;
  const Motion<double>*V_before, *V_mean;
};

// Work on the bodies [J].
struct StepWork {
  double dampers = 0;           // of joints that close loops
  double joint_friction = 0;    // dry
  double contact_friction = 0;  // sliding, spinning, rolling
  double impacts = 0;           // normals of contacts, limits, ropes
  double motors = 0;            // those with a limited force, servos, prescribed motions
  double constraints = 0;       // loops, gears, rods
};

}  // namespace lipkin
