#include "support/random_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lipkin::test {

namespace {

JointType random_type(Random& random, const TreeOptions& options, int dof_left) {
  std::vector<JointType> fitting;
  for (const JointType type : options.types)
    if (u_count(type) <= dof_left) fitting.push_back(type);
  return fitting.at(random.integer(0, static_cast<int>(fitting.size()) - 1));
}

std::string random_parent(Random& random, const TreeOptions& options, int body_count) {
  if (body_count == 0) return kWorldName;
  if (random.chance(options.chain_share)) return fmt::format("body{}", body_count - 1);
  const int parent = random.integer(options.free_base ? 0 : -1, body_count - 1);
  return parent < 0 ? kWorldName : fmt::format("body{}", parent);
}

void place_joint(Random& random, const TreeOptions& options, JointSpec& joint) {
  joint.frame_in_parent = random_pose(random, 0.5);
  joint.frame_in_child = random_pose(random, 0.3);
  joint.axis = random.uniform(0.5, 2) * random.unit_vector();
  if (random.chance(options.aligned_share)) joint.frame_in_parent.orientation.setIdentity();
  if (random.chance(options.aligned_share)) joint.frame_in_child.orientation.setIdentity();
  if (random.chance(options.aligned_share)) joint.axis = Eigen::Vector3d::Unit(random.integer(0, 2));
  if (random.chance(0.1)) joint.axis = -joint.axis;
  joint.pitch = random.uniform(-0.3, 0.3);
}

void add_body(Random& random, const TreeOptions& options, JointType type, TreeParts& parts) {
  const int index = static_cast<int>(parts.bodies.size());
  BodySpec body;
  body.name = fmt::format("body{}", index);
  body.mass_properties = random_mass_properties(random);
  if (options.added_inertia && random.chance(0.3)) body.added_inertia = random_added_inertia(random);
  JointSpec joint;
  joint.name = fmt::format("joint{}", index);
  joint.type = type;
  joint.parent = random_parent(random, options, index);
  joint.child = body.name;
  place_joint(random, options, joint);
  if (options.armature && random.chance(0.3))
    for (int k = 0; k < u_count(type); ++k) joint.armature.push_back(random.uniform(0, 0.2));
  parts.bodies.push_back(body);
  parts.joints.push_back(joint);
}

}  // namespace

Pose random_pose(Random& random, double distance) {
  Pose pose;
  pose.position = random.vector(distance);
  pose.orientation = random.quaternion();
  return pose;
}

// Inertia of four point masses: one that a real body can have.
MassProperties random_mass_properties(Random& random) {
  MassProperties m;
  m.mass = random.uniform(0.5, 3);
  m.com = random.vector(0.3);
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector3d r = random.vector(0.4);
    m.inertia += 0.25 * m.mass * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
  }
  return m;
}

Eigen::Matrix<double, 6, 6> random_added_inertia(Random& random) {
  Eigen::Matrix<double, 6, 6> root;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) root(i, j) = random.uniform(-0.5, 0.5);
  const Eigen::Matrix<double, 6, 6> A = root * root.transpose();
  return 0.5 * (A + A.transpose());
}

TreeParts random_tree(Random& random, int dof, const TreeOptions& options) {
  TreeParts parts;
  parts.gravity = random.vector(10);
  int left = dof;
  if (options.free_base) {
    add_body(random, options, JointType::kFree, parts);
    left -= 6;
  }
  while (left > 0) {
    if (random.chance(options.fixed_share)) {
      add_body(random, options, JointType::kFixed, parts);
      continue;
    }
    const JointType type = random_type(random, options, left);
    add_body(random, options, type, parts);
    left -= u_count(type);
  }
  return parts;
}

void shuffle(Random& random, TreeParts& parts) {
  for (int i = static_cast<int>(parts.bodies.size()) - 1; i > 0; --i) {
    std::swap(parts.bodies[i], parts.bodies[random.integer(0, i)]);
    std::swap(parts.joints[i], parts.joints[random.integer(0, i)]);
  }
}

ModelBuilder builder_of(const TreeParts& parts) {
  ModelBuilder builder;
  builder.set_gravity(parts.gravity);
  for (const BodySpec& body : parts.bodies) builder.add(body);
  for (const JointSpec& joint : parts.joints) builder.add(joint);
  return builder;
}

Model build(const TreeParts& parts) { return builder_of(parts).build(); }

namespace {

// Angles of any size, slides of about the size of the bodies.
void place_randomly(Random& random, JointType type, double* q) {
  for (int k = 0; k < q_count(type); ++k) q[k] = random.uniform(-3, 3);
  const int first_slide = type == JointType::kCylindrical ? 1 : 0;
  const int slides = type == JointType::kPrismatic || type == JointType::kCylindrical ? 1
                     : type == JointType::kPlanar                                     ? 2
                     : type == JointType::kFree                                       ? 3
                                                                                      : 0;
  for (int k = 0; k < slides; ++k) q[first_slide + k] = random.uniform(-1, 1);
  if (type != JointType::kBall && type != JointType::kFree) return;
  const Eigen::Quaterniond r = random.quaternion();
  double* rotation = q + q_count(type) - 4;
  rotation[0] = r.w(), rotation[1] = r.x(), rotation[2] = r.y(), rotation[3] = r.z();
}

}  // namespace

RandomState random_state(Random& random, const Model& model, double speed, double force) {
  RandomState s{std::vector<double>(model.q_count()), std::vector<double>(model.u_count()),
                std::vector<double>(model.u_count())};
  for (int j = 0; j < model.joint_count(); ++j)
    if (model.joint_type(j) != JointType::kFixed)
      place_randomly(random, model.joint_type(j), s.q.data() + model.joint_q(j));
  for (double& u : s.u) u = random.uniform(-speed, speed);
  for (double& tau : s.tau) tau = random.uniform(-force, force);
  return s;
}

}  // namespace lipkin::test
