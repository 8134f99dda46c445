// The ground that tyres roll on: how high it is on a vertical line.
#pragma once

#include <optional>

#include "model/model_data.hpp"

namespace lipkin {

// How far up from p [m] the highest surface lies that is no more than `reach` above p; none: nothing on that line.
std::optional<double> ground_above(const ModelData& model, const Vec3<double>& p, double reach);

}  // namespace lipkin
