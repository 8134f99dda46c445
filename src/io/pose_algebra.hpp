// Poses after each other.
#pragma once

#include "lipkin/model_builder.hpp"

namespace lipkin {

// X_AC = X_AB * X_BC.
inline Pose operator*(const Pose& a, const Pose& b) {
  return {a.position + a.orientation * b.position, (a.orientation * b.orientation).normalized()};
}

inline Pose inverse(const Pose& pose) {
  const Eigen::Quaterniond back = pose.orientation.conjugate();
  return {-(back * pose.position), back};
}

}  // namespace lipkin
