// <sensor>: those that an output can say.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// jointpos, jointvel, clock, and the place, speed and turning rate of bodies and sites become outputs; the others are
// listed as ignored.
void add_mjcf_sensors(const ElementReader& root, const MjcfModel& model, ModelImport& import);

}  // namespace lipkin
