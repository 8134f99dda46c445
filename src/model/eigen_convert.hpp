// Between the public API's Eigen types and our own.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "lipkin/model_builder.hpp"
#include "spatial/inertia.hpp"

namespace lipkin {

inline Vec3<double> from_eigen(const Eigen::Vector3d& v) { return {{v.x(), v.y(), v.z()}}; }

inline Eigen::Vector3d to_eigen(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }

inline Mat3<double> from_eigen(const Eigen::Matrix3d& A) {
  Mat3<double> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r(i, j) = A(i, j);
  return r;
}

inline Eigen::Matrix3d to_eigen(const Mat3<double>& A) {
  Eigen::Matrix3d r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r(i, j) = A(i, j);
  return r;
}

inline Transform<double> from_eigen(const Pose& pose) {
  return {from_eigen(pose.orientation.normalized().toRotationMatrix()), from_eigen(pose.position)};
}

inline Pose to_eigen(const Transform<double>& X) { return {to_eigen(X.p), Eigen::Quaterniond(to_eigen(X.R))}; }

inline Inertia6<double> from_eigen(const Eigen::Matrix<double, 6, 6>& A) {
  Inertia6<double> I;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      I.H(i, j) = A(i, 3 + j);
      if (j >= i) I.J(i, j) = A(i, j), I.M(i, j) = A(3 + i, 3 + j);
    }
  }
  return I;
}

}  // namespace lipkin
