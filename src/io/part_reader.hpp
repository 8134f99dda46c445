// One item of a scene file -> one part of a model, its names and places those of the whole scene.
#pragma once

#include "io/mapping_reader.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

struct BodyAndJoint {
  BodySpec body;
  JointSpec joint;
};

BodyAndJoint read_body(const MappingReader& body);
PointSpec read_point(const MappingReader& point);
SpringDamperSpec read_spring(const MappingReader& spring);
BushingSpec read_bushing(const MappingReader& bushing);
ForceSpec read_force(const MappingReader& force);
ActuatorSpec read_actuator(const MappingReader& actuator);

// A frame of a body, by its name in the whole scene.
struct BodyFrame {
  std::string body;
  Pose pose;
};

// `pose` in the body that a key of `reader` names: world is what the file is mounted on.
BodyFrame frame_on(const MappingReader& reader, const std::string& body_key, const Pose& pose);

ForceFrame read_force_frame(const MappingReader& reader);

}  // namespace lipkin
