#include "cup_task.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <numbers>

namespace lipkin::bench {
namespace {

constexpr double kTouching = 1e-5;  // gap below which a contact carries weight; speculative ones are farther [m]

double distance(const Triple& a, const Triple& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double height_above(const CupPlane& plane, const Triple& p) {
  double height = 0;
  for (std::size_t i = 0; i < 3; ++i) height += plane.normal[i] * (p[i] - plane.point[i]);
  return height;
}

}  // namespace

Cup::Cup(int count) : sphere_count(count) {
  const double scale = std::cbrt(count / 96.0), bottom = 0.2 * scale;
  const double lean = std::atan2(0.5 - 0.2, 0.8);  // of the walls against the axis [rad]
  planes.push_back({{0, 0, 0}, {0, 0, 1}});
  for (int i = 0; i < kFacets; ++i) {
    const double angle = 2 * std::numbers::pi * i / kFacets, c = std::cos(angle), s = std::sin(angle);
    planes.push_back({{bottom * c, bottom * s, 0}, {-std::cos(lean) * c, -std::cos(lean) * s, std::sin(lean)}});
  }
}

double Cup::mass() const { return kDensity * 4.0 / 3.0 * std::numbers::pi * kRadius * kRadius * kRadius; }

void report_pile(const Cup& cup, std::span<const SphereState> spheres, nlohmann::json& reply) {
  std::vector<int> touching(spheres.size(), 0);
  double penetration = 0, fastest = 0, held_speed = 0;
  int pairs = 0;
  const auto count = [&](double gap, std::size_t i) {
    penetration = std::max(penetration, -gap);
    if (gap < kTouching) ++touching[i];
    return gap < kTouching;
  };
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    for (const CupPlane& plane : cup.planes) pairs += count(height_above(plane, spheres[i].position) - Cup::kRadius, i);
    for (std::size_t j = i + 1; j < spheres.size(); ++j) {
      if (std::abs(spheres[i].position[0] - spheres[j].position[0]) > 3 * Cup::kRadius) continue;
      const double gap = distance(spheres[i].position, spheres[j].position) - 2 * Cup::kRadius;
      pairs += count(gap, i);
      touching[j] += gap < kTouching;
    }
  }
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    fastest = std::max(fastest, spheres[i].speed);
    if (touching[i] >= 3) held_speed = std::max(held_speed, spheres[i].speed);
  }
  reply["penetration_m"] = penetration;
  reply["touching"] = pairs;
  reply["held_speed"] = held_speed;
  reply["fastest"] = fastest;
}

}  // namespace lipkin::bench
