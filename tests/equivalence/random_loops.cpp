#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "equivalence/random_mechanism.hpp"
#include "equivalence/random_parts.hpp"
#include "support/random_tree.hpp"

namespace lipkin::test {
namespace {

JointSpec& link(Random& random, Mechanism& mechanism, const std::string& parent, JointType type, const Pose& in_parent,
                const Eigen::Vector3d& axis) {
  const std::string name = fmt::format("body{}", mechanism.bodies.size());
  mechanism.bodies.push_back(random_body(random, name));
  JointSpec joint;
  joint.name = "joint_" + name;
  joint.type = type;
  joint.parent = parent;
  joint.child = name;
  joint.frame_in_parent = in_parent;
  joint.axis = axis;
  return mechanism.joints.emplace_back(joint);
}

JointSpec& close(Mechanism& mechanism, JointType type, const std::string& from, const Pose& in_from,
                 const std::string& to, const Pose& in_to) {
  JointSpec loop;
  loop.name = fmt::format("loop{}", mechanism.joints.size());
  loop.type = type;
  loop.parent = from;
  loop.child = to;
  loop.frame_in_parent = in_from;
  loop.frame_in_child = in_to;
  loop.closes_loop = true;
  return mechanism.joints.emplace_back(loop);
}

Eigen::Vector3d in_plane(Random& random, double length, double angle) {
  const double a = angle + random.uniform(-0.4, 0.4), l = length * random.uniform(0.7, 1.3);
  return {l * std::cos(a), 0, l * std::sin(a)};
}

int row_count(JointType type) { return 6 - u_count(type); }

// The bodies from one to the world.
std::vector<std::string> path_to_world(const Mechanism& mechanism, std::string body) {
  std::vector<std::string> path;
  while (body != kWorldName) {
    path.push_back(body);
    for (const JointSpec& joint : mechanism.joints)
      if (!joint.closes_loop && joint.child == path.back()) body = joint.parent;
  }
  return path;
}

// Degrees of freedom between two bodies: of the joints on one way to the world and not on the other.
int freedom_between(const Mechanism& mechanism, const std::string& a, const std::string& b) {
  std::map<std::string, int> times;
  for (const std::string& body : path_to_world(mechanism, a)) ++times[body];
  for (const std::string& body : path_to_world(mechanism, b)) ++times[body];
  int freedom = 0;
  for (const JointSpec& joint : mechanism.joints)
    if (!joint.closes_loop && times.contains(joint.child) && times[joint.child] == 1) freedom += u_count(joint.type);
  return freedom;
}

}  // namespace

void add_planar_linkage(Random& random, Mechanism& mechanism) {
  const Pose plane = random_pose(random, 0.5);
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
  const Eigen::Vector3d crank = in_plane(random, 0.2, 1.5), rod = in_plane(random, 0.5, 0.3);
  link(random, mechanism, kWorldName, JointType::kRevolute, plane, y).u = {random.uniform(-4, 4)};
  link(random, mechanism, "body0", JointType::kRevolute, {crank, {1, 0, 0, 0}}, y);
  const bool has_slider = random.chance(0.4);
  const Pose at_end = plane * Pose{crank + rod, {1, 0, 0, 0}};
  if (has_slider) {
    const Pose rail = plane * Pose{crank + rod, Eigen::Quaterniond(Eigen::AngleAxisd(random.uniform(-1, 1), y))};
    link(random, mechanism, kWorldName, JointType::kPrismatic, rail, {1, 0, 0});
  } else {
    link(random, mechanism, "body1", JointType::kRevolute, {rod, {1, 0, 0, 0}}, y);
  }
  const JointType type = random.chance(0.6) ? JointType::kRevolute : JointType::kBall;
  if (has_slider) {
    const Pose turned_back{
        {0, 0, 0}, pose_of(mechanism, initial_poses(mechanism), "body2").orientation.conjugate() * at_end.orientation};
    close(mechanism, type, "body1", {rod, {1, 0, 0, 0}}, "body2", turned_back).axis = y;
  } else {
    const Eigen::Vector3d rocker = in_plane(random, 0.4, -1.3);
    close(mechanism, type, kWorldName, at_end * Pose{rocker, {1, 0, 0, 0}}, "body2", {rocker, {1, 0, 0, 0}}).axis = y;
  }
  mechanism.is_overconstrained = true;
}

void add_spatial_linkage(Random& random, Mechanism& mechanism) {
  const Pose ground = random_pose(random, 0.5);
  const Eigen::Vector3d crank = in_plane(random, 0.2, 1.5), rod = in_plane(random, 0.6, 0.3) + random.vector(0.2);
  const Eigen::Vector3d rocker = in_plane(random, 0.4, 1.3) + random.vector(0.1);
  const Eigen::Quaterniond skew = random.quaternion();
  link(random, mechanism, kWorldName, JointType::kRevolute, ground, {0, 1, 0}).u = {random.uniform(-4, 4)};
  link(random, mechanism, "body0", JointType::kBall, {crank, {1, 0, 0, 0}}, {0, 1, 0});
  const Pose foot = ground * Pose{crank + rod - rocker, {1, 0, 0, 0}};
  link(random, mechanism, kWorldName, JointType::kRevolute, foot,
       Eigen::Vector3d(random.vector(0.3) + Eigen::Vector3d(0, 1, 0)));
  close(mechanism, JointType::kUniversal, "body2", {rocker, skew}, "body1", {rod, skew});
}

void add_loop(Random& random, Mechanism& mechanism) {
  constexpr JointType kTypes[] = {JointType::kBall,   JointType::kUniversal, JointType::kCylindrical,
                                  JointType::kPlanar, JointType::kRevolute,  JointType::kPrismatic,
                                  JointType::kScrew};
  const JointType type = kTypes[random.integer(0, 6)];
  const std::vector<Pose> poses = initial_poses(mechanism);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::string from = any_body(random, mechanism), to = any_body(random, mechanism, false);
    if (freedom_between(mechanism, from, to) <= row_count(type)) continue;
    const Pose in_from = random_pose(random, 0.3);
    const Pose X_WF = pose_of(mechanism, poses, from) * in_from;
    JointSpec& loop = close(mechanism, type, from, in_from, to, inverse(pose_of(mechanism, poses, to)) * X_WF);
    loop.axis = random.unit_vector();
    if (type == JointType::kScrew) loop.pitch = random.uniform(0.02, 0.1);
    return;
  }
}

}  // namespace lipkin::test
