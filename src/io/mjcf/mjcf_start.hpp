// <keyframe>: where the model starts.
#pragma once

#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// The state of the first key; without one, every joint at its reference, or where its limits are nearest to that. Also
// gives the controls of the key, if any.
std::vector<double> read_mjcf_start(const ElementReader& root, MjcfModel& model);

}  // namespace lipkin
