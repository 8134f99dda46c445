// Masses of bodies: as given, or from their geoms.
#pragma once

#include "io/mjcf/mjcf_mesh.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// An <inertial> that stands at `pose` in the body; nothing after a mistake.
std::optional<MassProperties> read_mjcf_inertial(const MjcfElement& element, const Pose& pose);

// The masses of all bodies by the rules of <compiler>. A body that moves and has none is a mistake.
void compute_masses(MjcfModel& model, MjcfAssets& assets, const ElementReader& root);

}  // namespace lipkin
