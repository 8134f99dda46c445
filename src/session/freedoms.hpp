// The six freedoms of a joint as switches: rotations about and translations along the axes x, y, z of a frame S.
#pragma once

#include <array>

#include "lipkin/model_builder.hpp"

namespace lipkin {

using Freedoms = std::array<bool, 6>;

// Where a joint's switches are: S in the parent (z along the axis of joints that have one) and the frame of the child
// that coincides with S at zero. They stay when the type changes.
struct JointHome {
  Pose frame_in_parent, frame_in_child;
};

JointHome home_of(const JointSpec& joint);

// The freedoms of a joint, in the frame S of `home`.
Freedoms freedoms_of(const JointSpec& joint, const JointHome& home);

// The k-th degree of freedom of a joint as one of the six; -1 for the rotation of a ball or free joint's coordinates
// that are not one switch.
int freedom_of_dof(const JointSpec& joint, const JointHome& home, int k);

// The joint with other freedoms: what is locked stays where the bodies are, X_WP and X_WC, in the world. Values given
// per degree of freedom go with their freedom. Throws InvalidArgument where no joint type has these freedoms.
JointSpec with_freedoms(const JointSpec& joint, const JointHome& home, const Freedoms& freedoms, const Pose& X_WP,
                        const Pose& X_WC);

}  // namespace lipkin
