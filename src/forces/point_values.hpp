// Channels of points with their axes, of points as seen from others, and of bodies with all that they carry.
#pragma once

#include "state/workspace.hpp"

namespace lipkin {

struct State;

// The component of a rotation as a quaternion w, x, y, z with w >= 0.
double quaternion_component(const Mat3<double>& R, int component);

// Pose of a point with its axes; `point` may be Channel::kWorld.
Transform<double> point_pose(const ModelData& model, const KinematicsWork& kinematics, int point);

double point_value(const ModelData& model, const State& state, const Workspace& work, const Channel& channel);
double relative_value(const ModelData& model, const KinematicsWork& kinematics, const Channel& channel);
double subtree_value(const ModelData& model, const KinematicsWork& kinematics, const Channel& channel);

// Whether `body` is `root` or carried by it, over any number of joints; everything is carried by the world, -1.
bool is_carried_by(const ModelData& model, int body, int root);

}  // namespace lipkin
