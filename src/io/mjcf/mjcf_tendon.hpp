// <tendon>: weighted sums of joints, and strings through sites, around geoms and over pulleys.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"
#include "io/mjcf/mjcf_option.hpp"

namespace lipkin {

// Reads the tendons into the model.
void read_mjcf_tendons(const ElementReader& root, const MjcfOption& option, MjcfModel& model, ModelImport& import);

// After the actuators, which may add to the damping and armature of tendons.
void add_mjcf_tendons(const MjcfModel& model, ModelImport& import);

}  // namespace lipkin
