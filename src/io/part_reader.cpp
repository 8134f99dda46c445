#include "io/part_reader.hpp"

#include <fmt/format.h>

namespace lipkin {
namespace {

Attachment attachment_at(const MappingReader& reader, const std::string& body_key, const Eigen::Vector3d& position) {
  const BodyFrame frame = frame_on(reader, body_key, {position, Eigen::Quaterniond::Identity()});
  return {{}, frame.body, frame.pose.position};
}

ZoneSpec read_zone(const MappingReader& zone) {
  if (zone.has("box")) return {ZoneKind::kBox, zone.below("box").vector("size") / 2};
  if (zone.has("ellipsoid")) return {ZoneKind::kEllipsoid, zone.below("ellipsoid").vector("radii")};
  if (zone.has("sphere"))
    return {ZoneKind::kEllipsoid, Eigen::Vector3d::Constant(zone.below("sphere").number("radius"))};
  const bool is_capsule = zone.has("capsule");
  const MappingReader round = zone.below(is_capsule ? "capsule" : "cylinder");
  const double radius = round.number("radius");
  return {is_capsule ? ZoneKind::kCapsule : ZoneKind::kCylinder, {radius, radius, round.number("length") / 2}};
}

}  // namespace

Attachment read_attachment(const MappingReader& reader, const std::string& key) {
  if (reader.at(key).is_scalar()) {
    Attachment attachment;
    attachment.point = reader.scope().global_name(reader.name(key));
    return attachment;
  }
  const MappingReader place = reader.below(key);
  return attachment_at(place, "body", place.vector("at"));
}

BodyFrame frame_on(const MappingReader& reader, const std::string& body_key, const Pose& pose) {
  const std::string name = reader.name(body_key);
  const SceneInstance& instance = *reader.scope().instance;
  if (name != kWorldName) return {instance.prefix + name, pose};
  return {instance.mount_body, compose(instance.mount, pose)};
}

ForceFrame read_force_frame(const MappingReader& reader) {
  return reader.text("frame") == "body" ? ForceFrame::kBody : ForceFrame::kWorld;
}

PointSpec read_point(const MappingReader& point) {
  const BodyFrame frame = frame_on(point, "body", point.pose("at", "orientation"));
  PointSpec spec;
  spec.name = point.scope().global_name(point.name("name"));
  spec.body = frame.body;
  spec.position = frame.pose.position;
  spec.orientation = frame.pose.orientation;
  spec.where = point.where();
  if (point.has("zone")) spec.zone = read_zone(point.below("zone"));
  return spec;
}

SpringDamperSpec read_spring(const MappingReader& spring) {
  SpringDamperSpec spec;
  spec.where = spring.where();
  spec.name = spring.scope().global_name(spring.name("name"));
  spec.a = read_attachment(spring, "from");
  spec.b = read_attachment(spring, "to");
  spec.stiffness = spring.number("stiffness");
  spec.damping = spring.number("damping");
  spec.rest_length = spring.optional_number("rest_length");
  if (spec.stiffness == 0 && spec.damping == 0)
    spring.values().diagnostics().warning(
        spec.where, fmt::format("the spring '{}' has neither stiffness nor damping: it does nothing", spec.name));
  return spec;
}

BushingSpec read_bushing(const MappingReader& bushing) {
  BushingSpec spec;
  spec.where = bushing.where();
  spec.name = bushing.scope().global_name(bushing.name("name"));
  const MappingReader from = bushing.below("from");
  const MappingReader to = bushing.below("to");
  const BodyFrame a = frame_on(from, "body", from.pose("at", "orientation"));
  const BodyFrame b = frame_on(to, "body", to.pose("at", "orientation"));
  spec.body_a = a.body;
  spec.frame_in_a = a.pose;
  spec.body_b = b.body;
  spec.frame_in_b = b.pose;
  spec.stiffness = bushing.number_or_vector("stiffness");
  spec.damping = bushing.number_or_vector("damping");
  spec.angular_stiffness = bushing.number_or_vector("angular_stiffness");
  spec.angular_damping = bushing.number_or_vector("angular_damping");
  return spec;
}

ForceSpec read_force(const MappingReader& force) {
  ForceSpec spec;
  spec.where = force.where();
  spec.name = force.scope().global_name(force.name("name"));
  if (force.has("point")) {
    spec.at.point = force.scope().global_name(force.name("point"));
    if (force.has("at")) force.values().diagnostics().error(force.where("at"), "'at' cannot stand beside 'point'");
  } else {
    spec.at = attachment_at(force, "body", force.vector("at"));
  }
  spec.force = force.signals("force");
  spec.torque = force.signals("torque");
  spec.frame = read_force_frame(force);
  if (!force.has("force") && !force.has("torque"))
    force.values().diagnostics().warning(
        spec.where, fmt::format("'{}' has neither 'force' nor 'torque': it does nothing", spec.name));
  return spec;
}

ActivationSpec read_activation(const MappingReader& reader) {
  ActivationSpec spec;
  if (!reader.has("activation")) return spec;
  const MappingReader activation = reader.below("activation");
  const bool is_filter = activation.text("kind") == "filter";
  spec.kind = is_filter ? ActivationKind::kFilter : ActivationKind::kIntegrator;
  spec.time_constant = activation.optional_number("time_constant").value_or(0);
  if (is_filter != activation.has("time_constant"))
    activation.values().diagnostics().error(
        activation.where(), is_filter ? "a filter needs a 'time_constant'" : "an integrator has no 'time_constant'");
  spec.start = activation.number("start");
  spec.min = activation.optional_number("min").value_or(spec.min);
  spec.max = activation.optional_number("max").value_or(spec.max);
  return spec;
}

// What an actuator on a body has besides its control.
void read_body_pull(const MappingReader& actuator, ActuatorSpec& spec) {
  const BodyFrame frame = frame_on(actuator, "body", actuator.pose("at", "orientation"));
  spec.body = frame.body;
  spec.frame = frame.pose;
  spec.force = actuator.vector("force");
  spec.torque = actuator.vector("torque");
  if (!actuator.has("force") && !actuator.has("torque"))
    actuator.values().diagnostics().warning(
        spec.where, fmt::format("'{}' has neither 'force' nor 'torque': it does nothing", spec.name));
  if (!actuator.has("against")) return;
  const BodyFrame against =
      frame_on(actuator, "against", {Eigen::Vector3d::Zero(), actuator.orientation("against_orientation")});
  spec.against = against.body;
  spec.against_axes = against.pose.orientation;
}

ActuatorSpec read_actuator(const MappingReader& actuator) {
  ActuatorSpec spec;
  spec.where = actuator.where();
  spec.name = actuator.scope().global_name(actuator.name("name"));
  const std::vector<double> gears = actuator.numbers("gear");
  if (gears.size() == 1) spec.gear = gears[0];
  if (gears.size() > 1) spec.gears = gears;
  if (actuator.has("tendon")) {
    spec.tendon = actuator.scope().global_name(actuator.name("tendon"));
  } else if (actuator.has("body")) {
    read_body_pull(actuator, spec);
  } else {
    spec.joint = actuator.scope().global_name(actuator.name("joint"));
    spec.dof = actuator.integer("dof");
  }
  spec.control = actuator.signal("control");
  spec.activation = read_activation(actuator);
  spec.min = actuator.optional_number("min").value_or(spec.min);
  spec.max = actuator.optional_number("max").value_or(spec.max);
  spec.max_speed = actuator.optional_number("max_speed").value_or(spec.max_speed);
  return spec;
}

ControlSpec read_control(const MappingReader& control) {
  ControlSpec spec;
  spec.where = control.where();
  spec.name = control.scope().global_name(control.name("name"));
  if (control.has("actuator")) spec.actuator = control.scope().global_name(control.name("actuator"));
  if (control.has("motor")) spec.motor = control.scope().global_name(control.name("motor"));
  spec.scale = control.number("scale");
  spec.offset = control.number("offset");
  spec.min = control.optional_number("min").value_or(spec.min);
  spec.max = control.optional_number("max").value_or(spec.max);
  return spec;
}

}  // namespace lipkin
