// Bullet's btMultiBody: its articulated-body algorithm, and stepSimulation of a world that holds nothing else.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../engine_server.hpp"
#include "bullet_world.hpp"

namespace lipkin::bench {
namespace {

btVector3 to_bullet(const Triple& v) { return {v[0], v[1], v[2]}; }

// btMultiBody measures from centre of mass to centre of mass, the base included.
std::unique_ptr<btMultiBody> make_multibody(const TreeModel& model) {
  const bool floating = model.floating();
  const TreeBody base = floating ? model.bodies.front() : TreeBody{.mass = 1.0, .inertia = {1.0, 1.0, 1.0}};
  auto multibody = std::make_unique<btMultiBody>(model.revolute_count(), base.mass, to_bullet(base.inertia), !floating,
                                                 /*canSleep=*/false);
  const int base_count = floating ? 1 : 0;
  for (int i = base_count; i < static_cast<int>(model.bodies.size()); ++i) {
    const TreeBody& body = model.bodies[static_cast<std::size_t>(i)];
    const Triple parent_com = body.parent < 0 ? Triple{} : model.bodies[static_cast<std::size_t>(body.parent)].com;
    multibody->setupRevolute(i - base_count, body.mass, to_bullet(body.inertia),
                             body.parent < 0 ? -1 : body.parent - base_count, btQuaternion::getIdentity(),
                             to_bullet(axis_of(body.joint)), to_bullet(body.position) - to_bullet(parent_com),
                             to_bullet(body.com), /*disableParentCollision=*/true);
  }
  multibody->finalizeMultiDof();
  multibody->setLinearDamping(0.0);
  multibody->setAngularDamping(0.0);
  multibody->setMaxCoordinateVelocity(BT_LARGE_FLOAT);
  multibody->setHasSelfCollision(false);
  multibody->setCanSleep(false);
  return multibody;
}

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
};

class BulletTree {
 public:
  explicit BulletTree(const TreeTask& task)
      : task_(task),
        joint_count_(task.model.revolute_count()),
        multibody_(make_multibody(task.model)),
        stepped_(make_multibody(task.model)) {
    const int scratch = 10000 + 64 * task.model.u_count();  // Bullet grows them itself otherwise, while timed
    scratch_reals_.resize(scratch);
    scratch_vectors_.resize(scratch);
    scratch_matrices_.resize(scratch);
    world_.world.setGravity(kWeight);
    world_.world.addMultiBody(stepped_.get());
  }
  ~BulletTree() { world_.world.removeMultiBody(stepped_.get()); }
  BulletTree(const BulletTree&) = delete;
  BulletTree& operator=(const BulletTree&) = delete;

  static std::string name() { return bullet_name(); }

  void forward_dynamics(std::size_t state) {
    last_state_ = state;
    multibody_->clearForcesAndTorques();
    set(*multibody_, task_.states[state]);
    for (int i = 0; i < joint_count_; ++i) {
      multibody_->addJointTorque(i, task_.states[state].tau[static_cast<std::size_t>(i)]);
      multibody_->addLinkForce(i, kWeight * multibody_->getLinkMass(i));
    }
    if (task_.model.floating()) multibody_->addBaseForce(kWeight * multibody_->getBaseMass());
    multibody_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(kUnitTime, scratch_reals_, scratch_vectors_,
                                                                     scratch_matrices_, false, false, false);
  }

  // The algorithm adds time * acceleration to the velocities.
  std::vector<double> joint_accelerations() const {
    std::vector<double> accelerations;
    for (int i = 0; i < joint_count_; ++i) {
      const double before = task_.states[last_state_].u[static_cast<std::size_t>(i)];
      accelerations.push_back((multibody_->getJointVel(i) - before) / kUnitTime);
    }
    return accelerations;
  }

  void restart(double dt) {
    dt_ = dt;
    set(*stepped_, task_.start);
  }

  // Bullet stores a joint's damping without using it: the torque is the caller's.
  void step() {
    for (int i = 0; i < joint_count_; ++i) stepped_->addJointTorque(i, -kDamping * stepped_->getJointVel(i));
    world_.world.stepSimulation(dt_, 0, dt_);
  }

  std::vector<double> joint_angles() const {
    std::vector<double> angles;
    for (int i = 0; i < joint_count_; ++i) angles.push_back(stepped_->getJointPos(i));
    return angles;
  }

  void describe(nlohmann::json&) const {}

 private:
  static constexpr double kUnitTime = 1.0;  // [s]
  inline static const btVector3 kWeight{0.0, 0.0, -kGravity};

  void set(btMultiBody& multibody, const TreeState& state) const {
    if (task_.model.floating()) set_base(multibody, state);
    for (int i = 0; i < joint_count_; ++i) {
      multibody.setJointPos(i, state.q[static_cast<std::size_t>(i)]);
      multibody.setJointVel(i, state.u[static_cast<std::size_t>(i)]);
    }
  }

  void set_base(btMultiBody& multibody, const TreeState& state) const {
    const auto& [w, x, y, z] = state.base_orientation;
    const btQuaternion orientation(x, y, z, w);
    const btVector3 lever = quatRotate(orientation, to_bullet(task_.model.bodies.front().com));
    const btVector3 angular_velocity = quatRotate(orientation, to_bullet(state.base_angular_velocity));
    multibody.setWorldToBaseRot(orientation.inverse());
    multibody.setBasePos(to_bullet(state.base_position) + lever);
    multibody.setBaseVel(to_bullet(state.base_velocity) + angular_velocity.cross(lever));
    multibody.setBaseOmega(angular_velocity);
  }

  const TreeTask& task_;
  int joint_count_;
  std::unique_ptr<btMultiBody> multibody_, stepped_;
  btAlignedObjectArray<btScalar> scratch_reals_;
  btAlignedObjectArray<btVector3> scratch_vectors_;
  btAlignedObjectArray<btMatrix3x3> scratch_matrices_;
  World world_;
  std::size_t last_state_ = 0;
  double dt_ = kTimeStep;
};

}  // namespace
}  // namespace lipkin::bench

int main() { return lipkin::bench::EngineServer<lipkin::bench::BulletTree>().run(); }
