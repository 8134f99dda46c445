// What a joint has to move.
#pragma once

#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// The diagonal entry of M for a hinge or slide, with the model as the file has it [kg m^2] or [kg].
double inertia_at_joint(const MjcfModel& model, int joint);

}  // namespace lipkin
