// JSON as the session speaks it.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lipkin/model_builder.hpp"

namespace lipkin {

using Json = nlohmann::ordered_json;

// Numbers that are not finite become null.
inline Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

inline Json vector_json(const Eigen::Vector3d& v) {
  return {number_json(v.x()), number_json(v.y()), number_json(v.z())};
}

inline Json pose_json(const Pose& pose) {
  const Eigen::Quaterniond& q = pose.orientation;
  return {{"p", vector_json(pose.position)}, {"q", {q.w(), q.x(), q.y(), q.z()}}};
}

}  // namespace lipkin
