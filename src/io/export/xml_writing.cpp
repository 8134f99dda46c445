#include "io/export/xml_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lipkin {

std::string xml_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string numbers(const Eigen::Vector3d& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

MassProperties without_rounding(MassProperties mass) {
  constexpr double kRounding = 1e-15, kNothing = 1e-20;  // of the largest; [kg m^2]
  const double scale = std::max(mass.inertia.cwiseAbs().maxCoeff(), mass.mass);
  for (double& x : mass.inertia.reshaped())
    if (std::abs(x) < kRounding * scale || (mass.mass == 0 && std::abs(x) < kNothing)) x = 0;
  return mass;
}

}  // namespace lipkin
