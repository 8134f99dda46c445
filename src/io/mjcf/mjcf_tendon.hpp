// <tendon>: weighted sums of joints, and ropes through sites.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"
#include "io/mjcf/mjcf_option.hpp"

namespace lipkin {

// Reads the tendons into the model. Straight ones between two sites become ropes and springs; the limits of a fixed one
// over a single joint become limits of that joint; other limits, springs and friction are listed as ignored.
void read_mjcf_tendons(const ElementReader& root, const MjcfOption& option, MjcfModel& model, ModelImport& import);

}  // namespace lipkin
