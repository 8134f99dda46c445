// Maximal coordinates: every body free, every joint cut into rows.
#pragma once

#include "lipkin/model.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

// The same mechanism with a free joint per body that a moving joint carried; that joint keeps its name and number and
// closes a loop instead. Bodies joined rigidly stay one. Free joints of the world are left alone.
Model cut_joints(const Model& model);

// What a body needs to fly on its own: inertia about every axis, also where its joint turned about none (ideal rods,
// point masses). Adds too little to be seen in the motion; joint_in_body: where it was held [m]; mechanism_size: of the
// model it is part of [m].
void give_least_inertia(const Eigen::Vector3d& joint_in_body, double mechanism_size, BodySpec& body);

}  // namespace lipkin
