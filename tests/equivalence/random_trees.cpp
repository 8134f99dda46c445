#include <fmt/format.h>

#include <algorithm>

#include "equivalence/random_mechanism.hpp"
#include "equivalence/random_parts.hpp"
#include "support/random_tree.hpp"

namespace lipkin::test {
namespace {

JointType random_type(Random& random) {
  constexpr JointType kOften[] = {JointType::kRevolute, JointType::kRevolute, JointType::kPrismatic};
  constexpr JointType kAll[] = {JointType::kScrew,  JointType::kCylindrical, JointType::kUniversal,
                                JointType::kPlanar, JointType::kBall,        JointType::kFree};
  return random.chance(0.65) ? kOften[random.integer(0, 2)] : kAll[random.integer(0, 5)];
}

std::vector<double> some(Random& random, int count, double low, double high) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back(random.uniform(low, high));
  return values;
}

JointSpec random_joint(Random& random, const std::string& child, const std::string& parent, JointType type) {
  JointSpec joint;
  joint.name = "joint_" + child;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.frame_in_parent = random_pose(random, 0.4);
  joint.frame_in_child = random_pose(random, 0.15);
  if (random.chance(0.4)) joint.frame_in_child = {};
  joint.axis = random.chance(0.4) ? Eigen::Vector3d::Unit(random.integer(0, 2)) : random.unit_vector();
  if (type == JointType::kScrew) joint.pitch = random.uniform(0.02, 0.1);
  return joint;
}

}  // namespace

BodySpec random_body(Random& random, const std::string& name) {
  BodySpec body;
  body.name = name;
  MassProperties m;
  m.mass = random.uniform(0.3, 3);
  m.com = random.vector(0.1);
  const Eigen::Matrix3d axes = random.quaternion().toRotationMatrix();
  Eigen::Vector3d moments;  // between half and one and a half of one size: no body is a needle
  const double size = m.mass * std::pow(random.uniform(0.05, 0.2), 2);
  for (int k = 0; k < 3; ++k) moments[k] = size * random.uniform(0.7, 1.3);
  const Eigen::Matrix3d inertia = axes * moments.asDiagonal() * axes.transpose();
  m.inertia = 0.5 * (inertia + inertia.transpose());
  body.mass_properties = m;
  return body;
}

void give_start(Random& random, JointSpec& joint) {
  const int dofs = u_count(joint.type);
  joint.q.clear();
  for (int k = 0; k < std::min(dofs, q_count(joint.type)); ++k)
    joint.q.push_back(is_angle(joint.type, k) ? random.uniform(-1, 1) : random.uniform(-0.3, 0.3));
  if (joint.type == JointType::kBall || joint.type == JointType::kFree) {
    joint.q.resize(dofs - 3);
    const Eigen::Quaterniond r = random.quaternion();
    for (const double value : {r.w(), r.x(), r.y(), r.z()}) joint.q.push_back(value);
  }
  joint.u.clear();
  for (int k = 0; k < dofs; ++k)
    joint.u.push_back(is_angle(joint.type, k) ? random.uniform(-3, 3) : random.uniform(-1, 1));
}

void equip(Random& random, JointSpec& joint) {
  const int dofs = u_count(joint.type);
  const bool is_free = joint.type == JointType::kFree, turns_freely = is_free || joint.type == JointType::kBall;
  if (random.chance(0.25)) joint.damping = some(random, dofs, 0, 1);
  if (random.chance(0.25) && !turns_freely) {
    joint.stiffness = some(random, dofs, 0, 100);
    joint.rest = some(random, dofs, -0.3, 0.3);
  }
  if (random.chance(0.2) && !joint.closes_loop) joint.armature = some(random, dofs, 0, 0.05);
  if (random.chance(0.35) && !is_free) joint.friction = some(random, dofs, 0.05, random.chance(0.5) ? 1 : 5);
  if (random.chance(0.2) && !turns_freely) {
    for (int k = 0; k < dofs; ++k) {
      const double q = joint.q.empty() ? 0 : joint.q[k], room = is_angle(joint.type, k) ? 1 : 0.4;
      joint.lower.push_back(q - room * random.uniform(0.02, 0.3));
      joint.upper.push_back(q + room * random.uniform(0.02, 0.3));
    }
    if (random.chance(0.4)) joint.limit_restitution = random.uniform(0, 0.9);
  }
}

void add_tree(Random& random, Mechanism& mechanism) {
  const int count = random.integer(1, 4);
  for (int i = 0; i < count; ++i) {
    const std::string name = fmt::format("body{}", mechanism.bodies.size());
    const std::string parent = mechanism.bodies.empty() || random.chance(0.25) ? kWorldName
                               : random.chance(0.7)                            ? mechanism.bodies.back().name
                                                                               : any_body(random, mechanism, false);
    JointSpec joint = random_joint(random, name, parent, random_type(random));
    give_start(random, joint);
    equip(random, joint);
    mechanism.bodies.push_back(random_body(random, name));
    mechanism.joints.push_back(joint);
  }
}

std::string any_body(Random& random, const Mechanism& mechanism, bool or_world) {
  const int index = random.integer(or_world ? -1 : 0, static_cast<int>(mechanism.bodies.size()) - 1);
  return index < 0 ? kWorldName : mechanism.bodies[index].name;
}

Attachment any_place(Random& random, const std::string& body) {
  return {{}, body, random.vector(body == kWorldName ? 0.5 : 0.2)};
}

}  // namespace lipkin::test
