// Text for XML attributes.
#pragma once

#include <Eigen/Core>
#include <string>

#include "lipkin/model_builder.hpp"

namespace lipkin {

std::string xml_escaped(const std::string& text);

// With all their digits.
std::string numbers(const Eigen::Vector3d& v);

// Without what rounding left of an inertia: products that are nothing beside the moments, and moments that are nothing
// beside the mass at a metre.
MassProperties without_rounding(MassProperties mass);

}  // namespace lipkin
