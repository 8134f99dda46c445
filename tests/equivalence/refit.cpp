// Keeps a mechanism consistent while it is made smaller.
#include <algorithm>
#include <cmath>
#include <limits>

#include "equivalence/shrink.hpp"

namespace lipkin::test {
namespace {

double start_of(const JointSpec& joint, std::size_t dof) { return dof < joint.q.size() ? joint.q[dof] : 0; }

void move_limits(const Mechanism& before, Mechanism& after) {
  for (JointSpec& joint : after.joints) {
    const JointSpec* old = find_joint(before, joint.name);
    if (joint.closes_loop || old == nullptr || old->q == joint.q) continue;
    for (auto* list : {&joint.lower, &joint.upper, &joint.rest})
      for (std::size_t k = 0; k < list->size(); ++k) (*list)[k] += start_of(joint, k) - start_of(*old, k);
  }
}

Eigen::Vector3d place(const Mechanism& m, const std::vector<Pose>& poses, const Attachment& a) {
  return (pose_of(m, poses, a.body) * Pose{a.position, {1, 0, 0, 0}}).position;
}

double length_of(const Mechanism& m, const std::vector<Pose>& poses, const DistanceSpec& rope) {
  return (place(m, poses, rope.a) - place(m, poses, rope.b)).norm();
}

double lowest_point(const Mechanism& m, const std::vector<Pose>& poses) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    for (const ShapeSpec& shape : m.bodies[i].shapes)
      lowest = std::min(lowest, (poses[i] * shape.pose).position.z() - std::get<ShapeSphere>(shape.geometry).radius);
  return lowest;
}

}  // namespace

void refit(const Mechanism& before, Mechanism& after) {
  move_limits(before, after);
  std::vector<Pose> old_poses, poses;
  try {
    old_poses = initial_poses(before), poses = initial_poses(after);
  } catch (const Error&) {
    return;  // it does not run either
  }
  for (JointSpec& loop : after.joints)
    if (loop.closes_loop)
      loop.frame_in_child =
          inverse(pose_of(after, poses, loop.child)) * (pose_of(after, poses, loop.parent) * loop.frame_in_parent);
  for (DistanceSpec& rope : after.distances)
    rope.upper += length_of(after, poses, rope) - length_of(before, old_poses, rope);
  const double moved = lowest_point(after, poses) - lowest_point(before, old_poses);
  for (ShapeSpec& ground : after.world_shapes)
    if (std::isfinite(moved)) ground.pose.position.z() += moved;
}

bool is_consistent(const Mechanism& mechanism) {
  for (const JointSpec& joint : mechanism.joints) {
    for (std::size_t k = 0; k < joint.lower.size() && !joint.closes_loop; ++k)
      if (joint.lower[k] > start_of(joint, k)) return false;
    for (std::size_t k = 0; k < joint.upper.size() && !joint.closes_loop; ++k)
      if (joint.upper[k] < start_of(joint, k)) return false;
  }
  const auto start = [&](const std::string& joint, int dof) { return start_of(*find_joint(mechanism, joint), dof); };
  for (const GearSpec& gear : mechanism.gears) {
    const GearCurve curve{gear.ratio, gear.offset, {gear.curve.empty() ? 0 : gear.curve[0], 0, 0}};
    if (std::abs(start(gear.joint, gear.dof) - curve.value(start(gear.of, gear.of_dof))) > 1e-9) return false;
  }
  return true;
}

}  // namespace lipkin::test
