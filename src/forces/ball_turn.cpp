#include "forces/ball_turn.hpp"

#include "forces/elements.hpp"

namespace lipkin {

BallTurn ball_turn(const BallLimitData& ball, const Transform<double>* X_WL) {
  const Mat3<double> R_WF = (X_WL[ball.link_a] * ball.X_AF).R, R_WM = (X_WL[ball.link_b] * ball.X_BM).R;
  const Vec3<double> turned = rotation_vector(transpose(R_WF) * R_WM);
  const double angle = norm(turned);
  return {angle > 0 ? R_WF * ((1 / angle) * turned) : R_WF * Vec3<double>::unit(0), angle};
}

// The coordinates of a ball joint are turns about axes of M, in the tree the columns of its link.
double along_ball_coordinate(const ModelData& model, const BallLimitData& ball, const KinematicsWork& kinematics,
                             int k) {
  const JointData& joint = model.joints[ball.joint];
  const Vec3<double> turn =
      joint.closure >= 0 ? kinematics.X_WL[ball.link_b].R * ball.X_BM.R.column(k) : kinematics.S_W[joint.u_index + k].w;
  return dot(turn, ball_turn(ball, kinematics.X_WL.data()).axis);
}

}  // namespace lipkin
