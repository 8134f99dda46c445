// The bodies of an MJCF file with what is fixed to them.
#pragma once

#include "io/mjcf/mjcf_mesh.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// Reads every <worldbody>: bodies, joints, geoms and sites with their names, and the bodies' masses.
void read_mjcf_tree(const ElementReader& root, MjcfModel& model, MjcfAssets& assets);

}  // namespace lipkin
