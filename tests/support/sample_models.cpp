#include "support/sample_models.hpp"

namespace lipkin::test {

BodySpec body_with(const std::string& name, double mass, const Eigen::Vector3d& com, const Eigen::Vector3d& moments) {
  BodySpec body;
  body.name = name;
  body.mass_properties = MassProperties{mass, com, moments.asDiagonal()};
  return body;
}

JointSpec joint_of(const std::string& name, JointType type, const std::string& parent, const std::string& child) {
  JointSpec joint;
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  return joint;
}

Model single_body(const BodySpec& body, const JointSpec& joint, const Eigen::Vector3d& gravity) {
  ModelBuilder builder;
  builder.set_gravity(gravity);
  builder.add(body);
  builder.add(joint);
  return builder.build();
}

Model swinging_chain() {
  ModelBuilder builder;
  const Eigen::Vector3d moments(0.02, 0.03, 0.015);
  JointSpec ball = joint_of("ball", JointType::kBall, kWorldName, "first");
  ball.q = {0.8, 0.6, 0, 0};
  ball.u = {1, 2, -1};
  JointSpec universal = joint_of("universal", JointType::kUniversal, "first", "second");
  universal.frame_in_parent.position = {0.1, 0, -0.6};
  universal.frame_in_parent.orientation = Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 3).normalized());
  universal.q = {0.3, -0.2};
  universal.u = {-1, 1.5};
  JointSpec hinge = joint_of("hinge", JointType::kRevolute, "second", "third");
  hinge.frame_in_parent.position = {0, 0.1, -0.5};
  hinge.axis = {1, 1, 0.3};
  hinge.u = {2};
  builder.add(body_with("first", 1.2, {0.05, 0, -0.3}, moments));
  builder.add(body_with("second", 0.8, {0, 0.05, -0.25}, moments));
  builder.add(body_with("third", 0.6, {0, 0, -0.2}, moments));
  builder.add(ball);
  builder.add(universal);
  builder.add(hinge);
  return builder.build();
}

}  // namespace lipkin::test
