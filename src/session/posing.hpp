// Moving a mechanism through its constraints while no time passes.
#pragma once

#include "lipkin/simulation.hpp"

namespace lipkin {

// Brings a point of a body as near to a target in the world as joints, loops, limits and contacts let it, by steps of a
// massless-like motion: every body creeps along the force of the hand, nothing else acts. The simulation goes on from
// there at rest. Returns the distance left [m].
double pose_towards(Simulation& simulation, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& target);

}  // namespace lipkin
