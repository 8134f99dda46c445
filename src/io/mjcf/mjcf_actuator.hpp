// <actuator>: what drives the joints.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"
#include "io/mjcf/mjcf_start.hpp"

namespace lipkin {

// Actuators whose force does not depend on position become actuators, those that pull towards a position become servo
// motors, in the coordinate of the joint. Damping that a velocity servo brings is added to its joint. Controls and
// activations that `start` has not are zero.
void add_mjcf_actuators(const ElementReader& root, const MjcfStart& start, bool is_on, MjcfModel& model,
                        ModelImport& import);

}  // namespace lipkin
