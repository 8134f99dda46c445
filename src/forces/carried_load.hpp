// The force that goes through what holds a body: its joint, or the weld of a body that is fixed to another.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Force and moment about p_W that carry a body and all that hangs on it, along world axes; of the world: none. After
// update_joint_forces. On a body that is fixed to another, forces of bushings, tyres, actuators, rods, ropes and added
// inertia count as acting on the other.
Force<double> carried_load(const ModelData& model, const State& state, const Workspace& work, int body,
                           const Vec3<double>& p_W);

}  // namespace lipkin
