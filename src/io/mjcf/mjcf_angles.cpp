#include "io/mjcf/mjcf_angles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lipkin {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// What the file has for a hinge, as it is written there.
std::vector<double> written_angles(const MjcfJoint& joint) {
  std::vector<double> angles;
  for (const double angle : {joint.lower, joint.upper, joint.reference, joint.spring_reference})
    if (std::isfinite(angle)) angles.push_back(angle / kDegree);
  return angles;
}

bool is_whole(double degrees) {
  constexpr double kRounding = 1e-9;
  return std::abs(degrees - std::round(degrees)) < kRounding;
}

// A range of a few degrees that nobody would give in fractions of them.
bool has_fractions(const MjcfJoint& joint) {
  const std::vector<double> angles = written_angles(joint);
  return std::isfinite(joint.lower) && !std::all_of(angles.begin(), angles.end(), is_whole);
}

}  // namespace

void warn_of_radians(const MjcfModel& model, DiagnosticList& diagnostics) {
  constexpr double kTurn = 2 * std::numbers::pi, kDigits = 0.01;  // as written: 6.28, 6.2832, 6.29
  const MjcfJoint* odd = nullptr;
  for (const MjcfJoint& joint : model.joints) {
    const MjcfBody& body = model.bodies[static_cast<std::size_t>(joint.body)];
    if (joint.type != JointType::kRevolute || model.compiler_of(body.file).says_angle) continue;
    const std::vector<double> angles = written_angles(joint);
    const auto is_far = [](double angle) { return std::abs(angle) > kTurn + kDigits; };
    if (std::any_of(angles.begin(), angles.end(), is_far)) return;
    if (!odd && has_fractions(joint)) odd = &joint;
  }
  if (!odd) return;
  const std::string name = odd->name.empty() ? "a joint" : fmt::format("joint '{}'", odd->name);
  diagnostics.warning(odd->where,
                      fmt::format("range {:.6g} {:.6g} of {} is in degrees: {:.2g} to {:.2g} rad", odd->lower / kDegree,
                                  odd->upper / kDegree, name, odd->lower, odd->upper),
                      "for radians write <compiler angle=\"radian\"/> in <mujoco>, else <compiler angle=\"degree\"/>");
}

}  // namespace lipkin
