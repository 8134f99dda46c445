// Geoms: their sizes, places and masses.
#pragma once

#include "io/mjcf/mjcf_mesh.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// Reads a <geom>, poses as the file has them. Nothing after a mistake that leaves no shape.
std::optional<MjcfGeom> read_mjcf_geom(const MjcfElement& element, const MjcfModel& model, MjcfAssets& assets);

// Mass properties in the body frame; nothing where a mesh cannot be had. Planes and height fields weigh nothing.
std::optional<MassProperties> mass_of(const MjcfGeom& geom, MjcfAssets& assets);

}  // namespace lipkin
