// One <joint> of a URDF file.
#pragma once

#include "io/urdf/urdf_robot.hpp"

namespace lipkin {

// Everything but its name, its ends and what it mimics.
UrdfJoint read_urdf_joint(const ElementReader& element);

}  // namespace lipkin
