#include "io/urdf/urdf_joint.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/infinity.hpp"
#include "base/nearest_name.hpp"

namespace lipkin {
namespace {

using Infinite = ElementReader::Infinite;

const std::vector<std::string> kTypeNames = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};

UrdfJointType read_type(const ElementReader& joint) {
  const std::string written = joint.required_text("type");
  for (std::size_t i = 0; i < kTypeNames.size(); ++i)
    if (kTypeNames[i] == written) return static_cast<UrdfJointType>(i);
  if (!written.empty()) {
    std::string hint = did_you_mean(written, kTypeNames);
    if (hint.empty()) hint = "expected revolute, continuous, prismatic, fixed, floating or planar";
    joint.error_at("type", fmt::format("unknown type '{}'", shortened(written)), hint);
  }
  return UrdfJointType::kFixed;
}

Eigen::Vector3d read_axis(const ElementReader& joint, UrdfJointType type) {
  const Eigen::Vector3d along_x(1, 0, 0);
  const std::optional<ElementReader> axis = joint.child("axis");
  if (!axis) return along_x;
  const Eigen::Vector3d direction = axis->vector("xyz", along_x);
  const bool is_used = type != UrdfJointType::kFixed && type != UrdfJointType::kFloating;
  if (!is_used) return along_x;
  if (!(direction.norm() > 0)) axis->error("the axis is zero: expected a direction");
  return direction;
}

// The size of a limit; URDF files in use hold negative ones.
std::optional<double> read_size(const ElementReader& limit, const char* attribute) {
  const std::optional<double> size = limit.optional_number(attribute, Infinite::kAllowed);
  if (!size || *size >= 0) return size;
  limit.warning(fmt::format("the {} limit is {}; its sign is ignored", attribute, *size));
  return -*size;
}

// Left out, lower and upper are 0 by the specification; both left out, no range is meant.
void read_range(const ElementReader& limit, UrdfJoint& joint) {
  const bool has_range = limit.has("lower") || limit.has("upper");
  if (joint.type == UrdfJointType::kContinuous) {
    const char* reason = "a continuous joint has no range";
    limit.note("lower", Treatment::kIgnored, reason);
    limit.note("upper", Treatment::kIgnored, reason);
    return;
  }
  if (!has_range) {
    limit.warning("<limit> has neither 'lower' nor 'upper': taken as no limit of the range");
    return;
  }
  joint.lower = limit.number("lower", 0, Infinite::kAllowed);
  joint.upper = limit.number("upper", 0, Infinite::kAllowed);
  if (joint.lower > joint.upper) {
    limit.warning(fmt::format("the lower limit {} is above the upper limit {}: taken as no limit of the range",
                              joint.lower, joint.upper));
    joint.lower = -kInfinity;
    joint.upper = kInfinity;
  }
}

void read_limit(const ElementReader& element, UrdfJoint& joint) {
  const std::optional<ElementReader> limit = element.child("limit");
  if (!limit) {
    if (joint.type == UrdfJointType::kRevolute || joint.type == UrdfJointType::kPrismatic)
      element.warning("it has no <limit>: taken as no limit");
    return;
  }
  if (!joint.has_one_dof()) return limit->note(Treatment::kIgnored, "a joint without exactly one degree of freedom");
  read_range(*limit, joint);
  joint.effort = read_size(*limit, "effort");
  joint.speed = read_size(*limit, "velocity");
  if (joint.speed == 0.0) {
    limit->note("velocity", Treatment::kIgnored, "0 is taken as no limit");
    joint.speed.reset();
  } else if (joint.speed && element.child("mimic")) {
    limit->note("velocity", Treatment::kIgnored, "what drives the joint it mimics has one of its own");
  } else if (joint.speed) {
    limit->note("velocity", Treatment::kHonoured, "the actuator drives no faster; other forces may");
  }
}

}  // namespace

Pose read_urdf_origin(const ElementReader& element) {
  const std::optional<ElementReader> origin = element.child("origin");
  if (!origin) return {};
  const Eigen::Vector3d position = origin->vector("xyz", Eigen::Vector3d::Zero());
  const Eigen::Vector3d rpy = origin->vector("rpy", Eigen::Vector3d::Zero());
  using Eigen::AngleAxisd;
  const Eigen::Quaterniond orientation = AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                                         AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                                         AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX());
  return {position, orientation};
}

UrdfJoint read_urdf_joint(const ElementReader& element) {
  UrdfJoint joint;
  joint.where = element.where();
  joint.type = read_type(element);
  joint.origin = read_urdf_origin(element);
  joint.axis = read_axis(element, joint.type);
  read_limit(element, joint);
  if (const std::optional<ElementReader> dynamics = element.child("dynamics")) {
    joint.damping = dynamics->number("damping", 0);
    joint.friction = dynamics->number("friction", 0);
    for (const double value : {joint.damping, joint.friction})
      if (value < 0) dynamics->error(fmt::format("damping or friction is {}: expected a number >= 0", value));
  }
  return joint;
}

}  // namespace lipkin
