// A Bullet world without defaults that soften it, and owners for what is added to it.
#pragma once

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <btBulletDynamicsCommon.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lipkin::bench {

static_assert(sizeof(btScalar) == sizeof(double), "the peer computes in double, as Lipkin does");

inline std::string bullet_name() {
  return "bullet " + std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
}

inline btVector3 to_bullet(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }
inline void copy_to(const btVector3& from, std::array<double, 3>& to) { to = {from.x(), from.y(), from.z()}; }

// Bullet multiplies the frictions of two bodies.
inline double friction_of_each(double friction) { return std::sqrt(friction); }

// What collides: each is a bit of a mask.
enum BulletGroup { kStatic = 1, kFree = 2, kFingers = 4, kHand = 8 };

struct BulletSolver {
  int iterations = 0;  // 0: Dantzig's direct method
  double error_reduction = 0;
  bool two_friction_directions = false;  // rigid bodies: not only along the slip
};

// Rigid bodies and multibodies in one world_. What is added lives as long as the world_.
class BulletWorld {
 public:
  BulletWorld(const btVector3& gravity, const BulletSolver& solver)
      : solver_(solver.iterations > 0 ? std::make_unique<btMultiBodyConstraintSolver>()
                                      : std::make_unique<btMultiBodyMLCPConstraintSolver>(&dantzig_)) {
    btContactSolverInfo& info = world_.getSolverInfo();
    if (solver.iterations > 0) {
      info.m_numIterations = solver.iterations;
    } else {
      info.m_minimumSolverBatchSize = 1;  // or islands are joined: the method is cubic in their size
    }
    if (solver.two_friction_directions) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    const double error_reduction = solver.error_reduction;
    info.m_erp = info.m_erp2 = error_reduction;
    info.m_globalCfm = 0;
    info.m_leastSquaresResidualThreshold = 0;
    world_.setGravity(gravity);
  }
  ~BulletWorld() {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& constraint : constraints_) world_.removeMultiBodyConstraint(constraint.get());
    for (const auto& multibody : multibodies_) world_.removeMultiBody(multibody.get());
    for (const auto& object : objects_) world_.removeCollisionObject(object.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  template <class Shape, class... Arguments>
  Shape* add_shape(Arguments&&... arguments) {
    auto shape = std::make_unique<Shape>(std::forward<Arguments>(arguments)...);
    Shape* added = shape.get();
    shapes_.push_back(std::move(shape));
    return added;
  }

  // Mass 0: stands still.
  btRigidBody* add_body(double mass, btCollisionShape* shape, const btTransform& pose, double friction, int group,
                        int mask) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = pose;
    info.m_friction = friction;
    info.m_linearDamping = info.m_angularDamping = 0;
    auto body = std::make_unique<btRigidBody>(info);
    btRigidBody* added = body.get();
    if (mass > 0) body->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(added, group, mask);
    objects_.push_back(std::move(body));
    return added;
  }

  btMultiBody* add_multibody(std::unique_ptr<btMultiBody> multibody) {
    btMultiBody* added = multibody.get();
    world_.addMultiBody(added);
    multibodies_.push_back(std::move(multibody));
    return added;
  }

  void add_collider(btMultiBody* multibody, int link, btCollisionShape* shape, double friction, int group, int mask) {
    auto collider = std::make_unique<btMultiBodyLinkCollider>(multibody, link);
    collider->setCollisionShape(shape);
    collider->setFriction(friction);
    if (link < 0) {
      multibody->setBaseCollider(collider.get());
    } else {
      multibody->getLink(link).m_collider = collider.get();
    }
    world_.addCollisionObject(collider.get(), group, mask);
    objects_.push_back(std::move(collider));
  }

  template <class Constraint, class... Arguments>
  Constraint* add_constraint(Arguments&&... arguments) {
    auto constraint = std::make_unique<Constraint>(std::forward<Arguments>(arguments)...);
    Constraint* added = constraint.get();
    world_.addMultiBodyConstraint(added);
    constraint->finalizeMultiDof();
    constraints_.push_back(std::move(constraint));
    return added;
  }

  // Between rigid bodies, which no longer collide with each other.
  template <class Joint, class... Arguments>
  Joint* add_joint(Arguments&&... arguments) {
    auto joint = std::make_unique<Joint>(std::forward<Arguments>(arguments)...);
    Joint* added = joint.get();
    world_.addConstraint(added, true);
    joints_.push_back(std::move(joint));
    return added;
  }

  void step(double dt) { world_.stepSimulation(dt, 0, dt); }

  int contact_count() {
    int count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
    }
    return count;
  }

 private:
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btMultiBody>> multibodies_;
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
  std::vector<std::unique_ptr<btMultiBodyConstraint>> constraints_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btDantzigSolver dantzig_;
  std::unique_ptr<btMultiBodyConstraintSolver> solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, solver_.get(), &configuration_};
};

}  // namespace lipkin::bench
