// Laws that hold whatever force that takes, where others of their kind give way: they are bilateral rows.
#pragma once

#include <cmath>

#include "model/model_data.hpp"

namespace lipkin {

// A motor that gives its motion to the coordinate. Others have a greatest force, or are springs (servos).
inline bool is_prescribed(const MotorData& motor) { return !std::isfinite(motor.max_force) && !motor.servo; }

// A distance that is one length. Others are ropes and stops.
inline bool is_rod(const DistanceData& distance) { return distance.lower == distance.upper; }

}  // namespace lipkin
