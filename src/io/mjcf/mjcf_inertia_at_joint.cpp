#include "io/mjcf/mjcf_inertia_at_joint.hpp"

namespace lipkin {

double inertia_at_joint(const MjcfModel& model, int index) {
  const MjcfJoint& joint = at(model.joints, index);
  const Pose& X_WJ = at(model.bodies, joint.body).world_pose;
  const Eigen::Vector3d axis = X_WJ.orientation * joint.axis;
  const Eigen::Vector3d anchor = X_WJ.position + X_WJ.orientation * joint.position;
  double sum = joint.armature;
  std::vector<bool> is_carried(model.bodies.size(), false);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const MjcfBody& body = model.bodies[b];
    is_carried[b] = static_cast<int>(b) == joint.body || is_carried[static_cast<std::size_t>(body.parent)];
    if (!is_carried[b]) continue;
    if (joint.type == JointType::kPrismatic) {
      sum += body.mass.mass;
      continue;
    }
    const Eigen::Vector3d arm = body.world_pose.position + body.world_pose.orientation * body.mass.com - anchor;
    const Eigen::Vector3d along = body.world_pose.orientation.conjugate() * axis;
    sum += body.mass.mass * axis.cross(arm).squaredNorm() + along.dot(body.mass.inertia * along);
  }
  return sum;
}

}  // namespace lipkin
