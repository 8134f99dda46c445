// How far a ball joint with a limit is turned, and what a torque about the axis of that turn does to its coordinates.
#pragma once

#include "state/workspace.hpp"

namespace lipkin {

// The rotation from frame F to M: its axis along the world's, which both frames see alike, and its angle [rad].
struct BallTurn {
  Vec3<double> axis;
  double angle;
};

BallTurn ball_turn(const BallLimitData& ball, const Transform<double>* X_WL);

// The part of a torque about that axis, on the child, that acts along the k-th coordinate of the joint.
double along_ball_coordinate(const ModelData& model, const BallLimitData& ball, const KinematicsWork& kinematics,
                             int k);

}  // namespace lipkin
