// DART: Skeleton::computeForwardDynamics and World::step. Built without -march: Eigen's alignment must be the
// library's.
#include <Eigen/Geometry>
#include <cstddef>
#include <dart/dart.hpp>
#include <string>
#include <vector>

#include "../engine_server.hpp"

namespace lipkin::bench {
namespace {

namespace dynamics = dart::dynamics;

Eigen::Vector3d to_eigen(const Triple& v) { return {v[0], v[1], v[2]}; }

dynamics::BodyNode::Properties body_properties(const TreeBody& body, const std::string& name) {
  dynamics::BodyNode::Properties properties;
  properties.mName = "body " + name;
  properties.mInertia =
      dynamics::Inertia(body.mass, to_eigen(body.com), Eigen::Matrix3d(to_eigen(body.inertia).asDiagonal()));
  return properties;
}

dynamics::RevoluteJoint::Properties hinge_properties(const TreeBody& body, const std::string& name, double damping) {
  dynamics::RevoluteJoint::Properties properties;
  properties.mName = "joint " + name;
  properties.mAxis = to_eigen(axis_of(body.joint));
  properties.mT_ParentBodyToJoint.translation() = to_eigen(body.position);
  properties.mDampingCoefficients[0] = damping;
  return properties;
}

dynamics::SkeletonPtr make_skeleton(const TreeModel& model, double damping) {
  const auto skeleton = dynamics::Skeleton::create(model.name);
  skeleton->setGravity({0.0, 0.0, -kGravity});
  std::vector<dynamics::BodyNode*> nodes;
  for (const TreeBody& body : model.bodies) {
    const std::string name = std::to_string(nodes.size());
    auto* const parent = body.parent < 0 ? nullptr : nodes[static_cast<std::size_t>(body.parent)];
    const auto properties = body_properties(body, name);
    if (body.joint == TreeJoint::kFree) {
      dynamics::FreeJoint::Properties joint;
      joint.mName = "joint " + name;
      nodes.push_back(skeleton->createJointAndBodyNodePair<dynamics::FreeJoint>(parent, joint, properties).second);
    } else {
      const auto joint = hinge_properties(body, name, damping);
      nodes.push_back(skeleton->createJointAndBodyNodePair<dynamics::RevoluteJoint>(parent, joint, properties).second);
    }
  }
  return skeleton;
}

struct DartState {
  Eigen::VectorXd q, u, tau;
};

// The base moves by its twist along its own axes, angular part first; its pose is a rotation vector and a position.
void fill_base(const TreeState& state, DartState& result) {
  const auto& [w, x, y, z] = state.base_orientation;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = Eigen::Quaterniond(w, x, y, z).toRotationMatrix();
  pose.translation() = to_eigen(state.base_position);
  result.q.head<6>() = dynamics::FreeJoint::convertToPositions(pose);
  result.u.head<3>() = to_eigen(state.base_angular_velocity);
  result.u.segment<3>(3) = pose.linear().transpose() * to_eigen(state.base_velocity);
}

DartState to_dart(const TreeModel& model, const TreeState& state) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.u_count());
  DartState result{zero, zero, zero};
  if (model.floating()) fill_base(state, result);
  const auto joint_count = model.revolute_count();
  result.q.tail(joint_count) = Eigen::VectorXd::Map(state.q.data(), joint_count);
  result.u.tail(joint_count) = Eigen::VectorXd::Map(state.u.data(), joint_count);
  result.tau.tail(joint_count) = Eigen::VectorXd::Map(state.tau.data(), joint_count);
  return result;
}

class DartTree {
 public:
  explicit DartTree(const TreeTask& task)
      : joint_count_(task.model.revolute_count()),
        start_(to_dart(task.model, task.start)),
        skeleton_(make_skeleton(task.model, 0.0)),
        stepped_(make_skeleton(task.model, kDamping)),
        world_(dart::simulation::World::create()) {
    for (const TreeState& state : task.states) states_.push_back(to_dart(task.model, state));
    world_->setGravity({0.0, 0.0, -kGravity});
    world_->addSkeleton(stepped_);
  }

  static std::string name() { return "dart " DART_VERSION; }

  void forward_dynamics(std::size_t state) {
    skeleton_->setPositions(states_[state].q);
    skeleton_->setVelocities(states_[state].u);
    skeleton_->setForces(states_[state].tau);
    skeleton_->computeForwardDynamics();
  }

  std::vector<double> joint_accelerations() const { return joints_of(skeleton_->getAccelerations()); }

  void restart(double dt) {
    world_->setTimeStep(dt);
    stepped_->setPositions(start_.q);
    stepped_->setVelocities(start_.u);
  }

  void step() { world_->step(); }

  std::vector<double> joint_angles() const { return joints_of(stepped_->getPositions()); }

  void describe(nlohmann::json&) const {}

 private:
  std::vector<double> joints_of(const Eigen::VectorXd& values) const {
    return {values.data() + (values.size() - joint_count_), values.data() + values.size()};
  }

  int joint_count_;
  DartState start_;
  dynamics::SkeletonPtr skeleton_, stepped_;
  dart::simulation::WorldPtr world_;
  std::vector<DartState> states_;
};

}  // namespace
}  // namespace lipkin::bench

int main() { return lipkin::bench::EngineServer<lipkin::bench::DartTree>().run(); }
