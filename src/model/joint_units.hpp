// What the coordinates of joints are measured in.
#pragma once

#include <cstddef>

#include "lipkin/model.hpp"

namespace lipkin {

// Whether a coordinate is an angle, for joints whose coordinates are numbers of their own.
constexpr bool is_angle(JointType type, std::size_t coordinate) {
  if (type == JointType::kPlanar) return coordinate == 2;
  if (type == JointType::kCylindrical) return coordinate == 0;
  return type == JointType::kRevolute || type == JointType::kScrew || type == JointType::kUniversal;
}

}  // namespace lipkin
