// Small models that several tests use.
#pragma once

#include "lipkin/scene.hpp"
#include "support/random_tree.hpp"

namespace lipkin::test {

BodySpec body_with(const std::string& name, double mass, const Eigen::Vector3d& com, const Eigen::Vector3d& moments);
JointSpec joint_of(const std::string& name, JointType type, const std::string& parent, const std::string& child);

// One body "body" on one joint "joint" to the world.
Model single_body(const BodySpec& body, const JointSpec& joint, const Eigen::Vector3d& gravity = {0, 0, -9.81});

// A ball joint, a universal joint and a hinge in a row, all frames skew, swinging in all directions: smooth, not
// integrable, nothing special about any axis. Conserves energy.
Model swinging_chain();

}  // namespace lipkin::test
