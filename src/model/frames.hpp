// Rotations that put frames where the algorithms want them.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "model/eigen_convert.hpp"

namespace lipkin {

// Some rotation that takes z to the axis, exact to rounding for every axis (also next to -z, where the shortest one is
// not).
inline Mat3<double> turning_z_to(const Vec3<double>& axis) {
  const Eigen::Vector3d z = to_eigen(axis);
  Eigen::Index across = 0;
  z.cwiseAbs().minCoeff(&across);
  const Eigen::Vector3d y = z.cross(Eigen::Vector3d::Unit(across)).normalized();
  Eigen::Matrix3d R;
  R << y.cross(z), y, z;
  return from_eigen(R);
}

inline bool moves_along_axis(JointType type) {
  return type == JointType::kRevolute || type == JointType::kPrismatic || type == JointType::kScrew ||
         type == JointType::kCylindrical;
}

// The axes in which a joint moves along or about z, in its frames F and M.
inline Transform<double> axes_of(const JointSpec& joint) {
  return {moves_along_axis(joint.type) ? turning_z_to(from_eigen(joint.axis.normalized())) : Mat3<double>::identity(),
          Vec3<double>::zero()};
}

// The nearest rotation, by one step of Newton's iteration for the polar factor (Higham 1986): products of frames along
// a chain would otherwise leave the rotations, doubling the error at each joint. Keeps exact rotations as they are.
inline Mat3<double> orthonormal(const Mat3<double>& R) {
  const Eigen::Matrix3d A = to_eigen(R);
  return from_eigen(Eigen::Matrix3d(A * (1.5 * Eigen::Matrix3d::Identity() - 0.5 * A.transpose() * A)));
}

}  // namespace lipkin
