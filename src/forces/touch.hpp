// What a point feels and sees: contacts in its zone, and the next body along its z axis.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Sum of the normal forces of those contacts of the point's body that lie in its zone, or out of which the normal,
// away from the body, leads into it. `X_WP`: pose of the point.
double touch_force(const ModelData& model, const State& state, const PointData& point, const Transform<double>& X_WP);

// Distance along the z axis of a point to the nearest shape that is seen and not of its own body; -1: there is none.
double ray_range(const ModelData& model, const KinematicsWork& kinematics, const PointData& point,
                 const Transform<double>& X_WP);

}  // namespace lipkin
