// Joints of the tree and joints that close loops.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "io/instead.hpp"
#include "io/part_reader.hpp"
#include "model/joint_units.hpp"

namespace lipkin {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

constexpr std::array kJointTypes = {JointType::kRevolute,    JointType::kPrismatic, JointType::kScrew,
                                    JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar,
                                    JointType::kBall,        JointType::kFree,      JointType::kFixed};

bool has_axis(JointType type) {
  return type == JointType::kRevolute || type == JointType::kPrismatic || type == JointType::kScrew ||
         type == JointType::kCylindrical;
}

void warn_of_idle_settings(const MappingReader& settings, JointType type) {
  const auto warn = [&](const std::string& key, const std::string& reason) {
    settings.values().diagnostics().warning(settings.where(key), fmt::format("'{}' {}", key, reason));
  };
  const std::string without_effect = fmt::format("has no effect on a {} joint", name_of(type));
  if (settings.has("axis") && !has_axis(type)) warn("axis", without_effect);
  if (settings.has("pitch") && type != JointType::kScrew) warn("pitch", without_effect);
  if (settings.has("rest") && !settings.has("stiffness")) warn("rest", "has no effect without 'stiffness'");
  if (settings.has("limit_restitution") && !settings.has("limits") && !settings.has("max_angle"))
    warn("limit_restitution", "has no effect without 'limits'");
  if (type == JointType::kScrew && !settings.has("pitch"))
    warn("type", "screw without 'pitch' only turns, like a revolute joint");
}

// One value per coordinate, or one for the coordinate `first`.
void warn_of_degrees(const MappingReader& settings, const std::string& key, JointType type, std::size_t first = 0) {
  if (!settings.has(key)) return;
  const Node& written = settings.at(key);
  const std::vector<Node> single = {written};
  const std::vector<Node>& values = written.is_sequence() ? written.items : single;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (is_angle(type, first + i)) settings.values().warn_of_degrees(values[i], "'" + key + "'");
}

// A body that begins half a turn away, about z, was meant to begin without one.
void warn_of_w_last(const MappingReader& settings, const JointSpec& joint) {
  if (!settings.has("q") || (joint.type != JointType::kFree && joint.type != JointType::kBall)) return;
  settings.values().warn_of_w_last(settings.at("q"), joint.q, joint.type == JointType::kFree ? 3 : 0, "q");
}

// One coordinate of several: the others have no limits.
void limit_one(const MappingReader& limits, JointSpec& joint) {
  const int dof = limits.integer("dof"), count = u_count(joint.type);
  DiagnosticList& diagnostics = limits.values().diagnostics();
  if (dof >= count)
    return diagnostics.error(limits.where("dof"), fmt::format("'dof' is {}; a {} joint has {}, counted from 0", dof,
                                                              name_of(joint.type), count));
  for (const char* key : {"lower", "upper"})
    if (limits.has(key) && limits.numbers(key).size() != 1)
      return diagnostics.error(limits.where(key), fmt::format("'{}' must be one number beside 'dof'", key));
  const auto spread = [&](std::vector<double>& values, double none) {
    if (values.empty()) return;
    std::vector<double> all(static_cast<std::size_t>(count), none);
    all[static_cast<std::size_t>(dof)] = values[0];
    values = all;
  };
  spread(joint.lower, -kNone);
  spread(joint.upper, kNone);
}

void read_limits(const MappingReader& settings, JointSpec& joint) {
  const Node& written = settings.at("limits");
  if (written.is_sequence()) {
    const std::vector<double> range = settings.flat_numbers(written, "limits");
    if (range.at(0) > range.at(1)) {
      Node exchanged = written;
      std::swap(exchanged.items[0], exchanged.items[1]);
      return settings.values().diagnostics().error(
          written.where(),
          fmt::format("the lower limit {:.6g} is above the upper limit {:.6g}", range.at(0), range.at(1)),
          fmt::format("write limits: {}", lipkin::written(exchanged)));
    }
    joint.lower = {range.at(0)};
    joint.upper = {range.at(1)};
    if (is_angle(joint.type, 0)) settings.values().warn_of_degrees_in_range(written, "limits");
    return;
  }
  const MappingReader limits = settings.below("limits");
  joint.lower = limits.numbers("lower");
  joint.upper = limits.numbers("upper");
  if (joint.lower.empty() && joint.upper.empty())
    settings.values().diagnostics().error(limits.where(), "'limits' needs 'lower', 'upper' or both");
  for (const char* key : {"lower", "upper"})
    warn_of_degrees(limits, key, joint.type, limits.has("dof") ? static_cast<std::size_t>(limits.integer("dof")) : 0);
  if (limits.has("dof")) limit_one(limits, joint);
}

// What joints of the tree and of loops have in common.
void read_common_settings(const MappingReader& settings, JointSpec& joint) {
  joint.type = joint_type(settings.text("type"));
  if (has_axis(joint.type)) joint.axis = settings.axis("axis");
  joint.pitch = settings.number("pitch");
  joint.stiffness = settings.numbers("stiffness");
  joint.rest = settings.numbers("rest");
  warn_of_degrees(settings, "rest", joint.type);
  joint.damping = settings.numbers("damping");
  joint.friction = settings.numbers("friction");
  if (settings.has("limits")) read_limits(settings, joint);
  joint.max_angle = settings.optional_number("max_angle").value_or(joint.max_angle);
  joint.limit_restitution = settings.number("limit_restitution");
  warn_of_idle_settings(settings, joint.type);
}

}  // namespace

JointType joint_type(const std::string& name) {
  for (const JointType type : kJointTypes)
    if (name_of(type) == name) return type;
  throw InternalError("scene reader: the schema has a joint type '" + name + "' that the model has not");
}

void read_joint_settings(const MappingReader& settings, JointSpec& joint) {
  read_common_settings(settings, joint);
  if (settings.has("name")) joint.name = settings.scope().global_name(settings.name("name"));
  joint.frame_in_parent = settings.pose("at", "orientation");
  joint.frame_in_child = settings.pose("child_at", "child_orientation");
  joint.q = settings.numbers("q");
  warn_of_degrees(settings, "q", joint.type);
  warn_of_w_last(settings, joint);
  joint.u = settings.numbers("u");
  joint.armature = settings.numbers("armature");
}

JointSpec read_loop(const MappingReader& loop) {
  JointSpec joint;
  joint.where = loop.where();
  joint.closes_loop = true;
  joint.name = loop.scope().global_name(loop.name("name"));
  read_common_settings(loop, joint);
  const MappingReader from = loop.below("from"), to = loop.below("to");
  const BodyFrame a = frame_on(from, "body", from.pose("at", "orientation"));
  const BodyFrame b = frame_on(to, "body", to.pose("at", "orientation"));
  joint.parent = a.body;
  joint.frame_in_parent = a.pose;
  joint.child = b.body;
  joint.frame_in_child = b.pose;
  return joint;
}

}  // namespace lipkin
