// Spatial algebra spelled out as 6x6 matrices (Featherstone 2008, chapter 2), angular part first.
#pragma once

#include <Eigen/Core>

#include "model/eigen_convert.hpp"
#include "support/random.hpp"

namespace lipkin::test {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d A;
  A << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return A;
}

inline Vector6 dense(const Motion<double>& m) {
  Vector6 v;
  v << to_eigen(m.w), to_eigen(m.v);
  return v;
}

inline Vector6 dense(const Force<double>& f) {
  Vector6 v;
  v << to_eigen(f.n), to_eigen(f.f);
  return v;
}

// From the coordinates of B to those of A, for motions.
inline Matrix6 dense(const Transform<double>& X_AB) {
  const Eigen::Matrix3d R = to_eigen(X_AB.R);
  Matrix6 X = Matrix6::Zero();
  X.topLeftCorner<3, 3>() = R;
  X.bottomLeftCorner<3, 3>() = cross_matrix(to_eigen(X_AB.p)) * R;
  X.bottomRightCorner<3, 3>() = R;
  return X;
}

inline Matrix6 motion_cross(const Vector6& m) {
  Matrix6 A = Matrix6::Zero();
  A.topLeftCorner<3, 3>() = A.bottomRightCorner<3, 3>() = cross_matrix(m.head<3>());
  A.bottomLeftCorner<3, 3>() = cross_matrix(m.tail<3>());
  return A;
}

inline Matrix6 dense(const Inertia6<double>& I) {
  Matrix6 A;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A(i, j) = I.J(i, j);
      A(i, 3 + j) = A(3 + j, i) = I.H(i, j);
      A(3 + i, 3 + j) = I.M(i, j);
    }
  }
  return A;
}

inline Motion<double> random_motion(Random& random) {
  const Eigen::Vector3d w = random.vector(2), v = random.vector(2);
  return {from_eigen(w), from_eigen(v)};
}

inline Force<double> random_force(Random& random) {
  const Eigen::Vector3d n = random.vector(2), f = random.vector(2);
  return {from_eigen(n), from_eigen(f)};
}

inline Transform<double> random_transform(Random& random) {
  const Eigen::Quaterniond q = random.quaternion();
  const Eigen::Vector3d p = random.vector(2);
  return {from_eigen(Eigen::Matrix3d(q.toRotationMatrix())), from_eigen(p)};
}

}  // namespace lipkin::test
