// Tendons, motors, gears, rods and ropes; materials and what does not touch.
#include <fmt/format.h>

#include "io/part_reader.hpp"

namespace lipkin {

namespace {

// Name of something in the whole scene, empty where the key is not there.
std::string reference(const MappingReader& reader, const std::string& key) {
  return reader.has(key) ? reader.scope().global_name(reader.name(key)) : std::string();
}

TendonWrap read_wrap(const MappingReader& part) {
  TendonWrap wrap;
  wrap.shape = part.text("around") == "sphere" ? TendonWrap::Shape::kSphere : TendonWrap::Shape::kCylinder;
  const BodyFrame frame = frame_on(part, "body", part.pose("at", "orientation"));
  wrap.body = frame.body;
  wrap.frame = frame.pose;
  wrap.radius = part.number("radius");
  if (part.has("side")) wrap.side = read_attachment(part, "side");
  return wrap;
}

void read_tendon_part(const MappingReader& part, TendonSpec& spec) {
  const int kinds = part.has("point") + part.has("pulley") + (part.has("body") || part.has("at") || part.has("around"));
  if (kinds != 1)
    part.values().diagnostics().error(part.where(),
                                      "a part of a path is a 'point', a 'body' with 'at', something to go 'around', "
                                      "or a 'pulley'; expected one of them");
  if (part.has("pulley")) {
    spec.path.emplace_back(TendonPulley{part.number("pulley")});
  } else if (part.has("around")) {
    spec.path.emplace_back(read_wrap(part));
  } else if (part.has("point")) {
    spec.path.emplace_back(Attachment{reference(part, "point")});
  } else {
    const BodyFrame place = frame_on(part, "body", {part.vector("at"), Eigen::Quaterniond::Identity()});
    spec.path.emplace_back(Attachment{"", place.body, place.pose.position});
  }
}

}  // namespace

TendonSpec read_tendon(const MappingReader& tendon) {
  TendonSpec spec;
  spec.where = tendon.where();
  spec.name = tendon.scope().global_name(tendon.name("name"));
  if (tendon.has("joints"))
    for (const Node& item : tendon.at("joints").items) {
      const MappingReader joint(item, "tendon_joint", tendon.scope(), tendon.values());
      spec.joints.push_back({reference(joint, "joint"), joint.integer("dof"), joint.number("coefficient")});
    }
  if (tendon.has("path"))
    for (const Node& item : tendon.at("path").items)
      read_tendon_part({item, "tendon_part", tendon.scope(), tendon.values()}, spec);
  spec.lower = tendon.optional_number("lower").value_or(spec.lower);
  spec.upper = tendon.optional_number("upper").value_or(spec.upper);
  spec.restitution = tendon.number("restitution");
  spec.stiffness = tendon.number("stiffness");
  spec.damping = tendon.number("damping");
  spec.friction = tendon.number("friction");
  spec.armature = tendon.number("armature");
  const std::vector<double> rest = tendon.numbers("rest");
  if (rest.size() > 2)
    tendon.values().diagnostics().error(tendon.where("rest"), "'rest' is one length or two between which it is slack");
  if (!rest.empty()) spec.rest = std::array<double, 2>{rest.front(), rest.back()};
  return spec;
}

MotorSpec read_motor(const MappingReader& motor) {
  MotorSpec spec;
  spec.where = motor.where();
  spec.name = motor.scope().global_name(motor.name("name"));
  spec.joint = reference(motor, "joint");
  spec.tendon = reference(motor, "tendon");
  spec.dof = motor.integer("dof");
  spec.kind = motor.has("velocity") ? MotorKind::kVelocity : MotorKind::kPosition;
  spec.target = motor.signal(motor.has("velocity") ? "velocity" : "position");
  spec.activation = read_activation(motor);
  spec.max_force = motor.optional_number("max_force").value_or(spec.max_force);
  spec.min_force = motor.optional_number("min_force");
  spec.effort = motor.signal("effort");
  spec.stiffness = motor.optional_number("stiffness");
  spec.damping = motor.number("damping");
  return spec;
}

GearSpec read_gear(const MappingReader& gear) {
  GearSpec spec;
  spec.where = gear.where();
  spec.name = gear.scope().global_name(gear.name("name"));
  spec.joint = reference(gear, "joint");
  spec.tendon = reference(gear, "tendon");
  spec.dof = gear.integer("dof");
  spec.of = reference(gear, "of");
  spec.of_tendon = reference(gear, "of_tendon");
  spec.of_dof = gear.integer("of_dof");
  spec.ratio = gear.number("ratio");
  spec.offset = gear.number("offset");
  spec.curve = gear.numbers("curve");
  return spec;
}

DistanceSpec read_distance(const MappingReader& distance) {
  DistanceSpec spec;
  spec.where = distance.where();
  spec.name = distance.scope().global_name(distance.name("name"));
  spec.a = read_attachment(distance, "from");
  spec.b = read_attachment(distance, "to");
  spec.restitution = distance.number("restitution");
  DiagnosticList& diagnostics = distance.values().diagnostics();
  if (distance.has("length")) {
    spec.lower = spec.upper = distance.number("length");
    for (const char* other : {"lower", "upper"})
      if (distance.has(other))
        diagnostics.error(distance.where(other), fmt::format("'{}' cannot stand beside 'length'", other));
    return spec;
  }
  spec.lower = distance.optional_number("lower").value_or(spec.lower);
  spec.upper = distance.optional_number("upper").value_or(spec.upper);
  if (!distance.has("lower") && !distance.has("upper"))
    diagnostics.error(spec.where, "a distance needs 'length', 'lower' or 'upper'");
  return spec;
}

MaterialSpec read_material(const std::string& name, const MappingReader& material) {
  MaterialSpec spec;
  spec.where = material.where();
  spec.name = name;
  spec.friction = material.number("friction");
  spec.static_friction = material.number("static_friction");
  spec.rolling_friction = material.number("rolling_friction");
  spec.spinning_friction = material.number("spinning_friction");
  spec.restitution = material.number("restitution");
  spec.stiffness = material.number("stiffness");
  spec.exponent = material.number("exponent");
  spec.damping = material.number("damping");
  spec.linear_damping = material.number("linear_damping");
  return spec;
}

MaterialPairSpec read_material_pair(const MappingReader& pair) {
  MaterialPairSpec spec;
  spec.where = pair.where();
  const std::vector<std::string> names = pair.names("between");
  spec.a = pair.scope().global_name(names.at(0));
  spec.b = pair.scope().global_name(names.at(1));
  spec.friction = pair.optional_number("friction");
  spec.static_friction = pair.optional_number("static_friction");
  spec.rolling_friction = pair.optional_number("rolling_friction");
  spec.spinning_friction = pair.optional_number("spinning_friction");
  spec.restitution = pair.optional_number("restitution");
  spec.stiffness = pair.optional_number("stiffness");
  spec.exponent = pair.optional_number("exponent");
  spec.damping = pair.optional_number("damping");
  spec.linear_damping = pair.optional_number("linear_damping");
  return spec;
}

ContactFilterSpec read_contact_filter(const MappingReader& filter) {
  ContactFilterSpec spec;
  spec.where = filter.where();
  const SceneInstance& instance = *filter.scope().instance;
  const auto body = [&](const std::string& name) {
    return name == kWorldName ? instance.mount_body : instance.prefix + name;
  };
  if (filter.has("bodies")) {
    const std::vector<std::string> names = filter.names("bodies");
    spec.body_a = body(names.at(0));
    spec.body_b = body(names.at(1));
  } else {
    const std::vector<std::string> names = filter.names("groups");
    spec.group_a = filter.scope().global_name(names.front());
    spec.group_b = filter.scope().global_name(names.back());
  }
  return spec;
}

}  // namespace lipkin
