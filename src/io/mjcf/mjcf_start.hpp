// <keyframe>: where the model starts.
#pragma once

#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// What the first key says of actuators; empty: nothing.
struct MjcfStart {
  std::vector<double> controls;     // one for each actuator
  std::vector<double> activations;  // one for each that has one
};

// The state of the first key; without one, every joint at its reference, or where its limits are nearest to that.
MjcfStart read_mjcf_start(const ElementReader& root, MjcfModel& model);

}  // namespace lipkin
