// Text for XML attributes.
#pragma once

#include <Eigen/Core>
#include <string>

namespace lipkin {

std::string xml_escaped(const std::string& text);

// With all their digits.
std::string numbers(const Eigen::Vector3d& v);

}  // namespace lipkin
