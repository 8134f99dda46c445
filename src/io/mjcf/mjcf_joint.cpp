#include "io/mjcf/mjcf_joint.hpp"

#include <fmt/format.h>

#include <numbers>

namespace lipkin {
namespace {

std::optional<JointType> read_type(const MjcfElement& element) {
  const std::string type = element.text("type", "hinge");
  if (type == "hinge") return JointType::kRevolute;
  if (type == "slide") return JointType::kPrismatic;
  if (type == "ball") return JointType::kBall;
  if (type == "free") return JointType::kFree;
  element.reader().error_at(
      "type", fmt::format("joint type '{}' is unknown: expected hinge, slide, ball or free", shortened(type)));
  return std::nullopt;
}

void read_settings(const MjcfElement& element, const MjcfCompiler& compiler, MjcfJoint& joint) {
  const ElementReader& reader = element.reader();
  const auto value = [&](const char* attribute) {
    const double x = element.linear_coefficient(attribute);
    if (x < 0) reader.error_at(attribute, fmt::format("joint {} is {}: expected a number >= 0", attribute, x));
    return x;
  };
  joint.damping = value("damping");
  joint.armature = value("armature");
  joint.friction = value("frictionloss");
  joint.stiffness = element.linear_coefficient("stiffness");
  if (joint.stiffness < 0) {
    reader.note("stiffness", Treatment::kIgnored, "a negative stiffness");
    reader.warning(fmt::format("the stiffness {} is negative; left out", joint.stiffness));
    joint.stiffness = 0;
  }
  const auto coordinate = [&](double x) { return joint.type == JointType::kRevolute ? compiler.angle(x) : x; };
  if (joint.is_scalar()) joint.reference = coordinate(element.number("ref", 0));
  joint.spring_reference = coordinate(element.number("springref", 0));
  if (const ElementReader* level = element.level_with("springdamper"))
    level->note_loss("springdamper", Treatment::kIgnored, "a spring made from the inertia; give stiffness and damping");
}

void read_range(const MjcfElement& element, const MjcfCompiler& compiler, MjcfJoint& joint) {
  const std::vector<double> range = read_limited_range(element, "range", "limited", compiler.has_auto_limits);
  if (range.empty() || joint.type == JointType::kFree) return;
  if (joint.type == JointType::kBall) {
    const double angle = compiler.angle(range[1]);
    if (angle > 0 && angle < std::numbers::pi) {
      joint.max_angle = angle;
    } else if (angle <= 0) {
      element.reader().error_at(
          "range", fmt::format("range {} {} of a ball joint: expected 0 and an angle above it", range[0], range[1]));
    }
    return;
  }
  const bool turns = joint.type == JointType::kRevolute;
  joint.lower = turns ? compiler.angle(range[0]) : range[0];
  joint.upper = turns ? compiler.angle(range[1]) : range[1];
}

void read_force_range(const MjcfElement& element, const MjcfCompiler& compiler, MjcfJoint& joint) {
  const std::vector<double> range =
      read_limited_range(element, "actuatorfrcrange", "actuatorfrclimited", compiler.has_auto_limits);
  if (range.empty() || !joint.is_scalar()) return;
  joint.force_lower = range[0];
  joint.force_upper = range[1];
}

}  // namespace

std::vector<double> read_limited_range(const MjcfElement& element, const char* range, const char* limited,
                                       bool has_auto_limits) {
  const std::string written = element.text(limited, "auto");
  const std::vector<double> values = element.numbers(range, {2, 2});
  if (written != "auto" && written != "true" && written != "false")
    element.reader().error_at(limited,
                              fmt::format("{} is '{}': expected true, false or auto", limited, shortened(written)));
  const bool counts = written == "true" || (written == "auto" && has_auto_limits);
  if (!counts || values.empty()) return {};
  if (written == "true" && values[0] > values[1])
    element.reader().error_at(
        range, fmt::format("{} {} {}: the first must not be above the second", range, values[0], values[1]));
  // As long as nobody says "true", ends in the wrong order mean that there is no range.
  return written == "auto" && !(values[0] < values[1]) ? std::vector<double>() : values;
}

std::optional<MjcfJoint> read_mjcf_joint(const MjcfElement& element, const MjcfCompiler& compiler) {
  MjcfJoint joint;
  const ElementReader& reader = element.reader();
  joint.name = element.name();
  joint.where = reader.where();
  if (reader.tag() == "freejoint") {
    joint.type = JointType::kFree;
    return joint;
  }
  const std::optional<JointType> type = read_type(element);
  if (!type) return std::nullopt;
  joint.type = *type;
  if (joint.type != JointType::kFree) joint.position = element.vector("pos", joint.position);
  joint.axis = element.vector("axis", joint.axis);
  if (joint.is_scalar() && !(joint.axis.norm() > 1e-10)) {
    reader.error_at("axis", "the axis of the joint has no length");
    return std::nullopt;
  }
  joint.axis.normalize();
  read_settings(element, compiler, joint);
  read_range(element, compiler, joint);
  read_force_range(element, compiler, joint);
  return joint;
}

}  // namespace lipkin
