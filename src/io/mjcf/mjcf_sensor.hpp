// <sensor>: outputs.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// Each number of a sensor becomes an output, NAME or NAME_x, NAME_y, ...; what has no counterpart is listed as ignored.
void add_mjcf_sensors(const ElementReader& root, const MjcfModel& model, ModelImport& import);

}  // namespace lipkin
