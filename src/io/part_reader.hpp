// One item of a scene file -> one part of a model, its names and places those of the whole scene.
#pragma once

#include "io/mapping_reader.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

struct BodyAndJoint {
  BodySpec body;
  JointSpec joint;
  SourceLocation parent_where, inertia_where;  // of the body where the key is left out
  SourceLocation at_where;                     // of the joint
  std::string name_written, parent_written;    // "link{i}", "link{i-1}"
  bool has_axis = false, has_at = false;
};

BodyAndJoint read_body(const MappingReader& body);
PointSpec read_point(const MappingReader& point);
SpringDamperSpec read_spring(const MappingReader& spring);
BushingSpec read_bushing(const MappingReader& bushing);
ForceSpec read_force(const MappingReader& force);
ActuatorSpec read_actuator(const MappingReader& actuator);
ControlSpec read_control(const MappingReader& control);
JointSpec read_loop(const MappingReader& loop);
TyreSpec read_tyre(const MappingReader& tyre);
InputSpec read_input(const MappingReader& input);
ControllerSpec read_controller(const MappingReader& controller);
TendonSpec read_tendon(const MappingReader& tendon);
MotorSpec read_motor(const MappingReader& motor);
GearSpec read_gear(const MappingReader& gear);
DistanceSpec read_distance(const MappingReader& distance);
MaterialSpec read_material(const std::string& name, const MappingReader& material);
MaterialPairSpec read_material_pair(const MappingReader& pair);
ContactFilterSpec read_contact_filter(const MappingReader& filter);

// The shapes under the key `shapes` of a body or the world, copies included.
std::vector<ShapeSpec> read_shapes(const MappingReader& owner);

JointType joint_type(const std::string& name);
void read_joint_settings(const MappingReader& settings, JointSpec& joint);

// A point by its name, or a place on a body.
Attachment read_attachment(const MappingReader& reader, const std::string& key);

// A frame of a body, by its name in the whole scene.
struct BodyFrame {
  std::string body;
  Pose pose;
};

// `pose` in the body that a key of `reader` names: world is what the file is mounted on.
BodyFrame frame_on(const MappingReader& reader, const std::string& body_key, const Pose& pose);

ForceFrame read_force_frame(const MappingReader& reader);

// What a key `activation` says; none where there is no such key.
ActivationSpec read_activation(const MappingReader& reader);

}  // namespace lipkin
