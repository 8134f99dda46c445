// DART on the scenes, with the settings that served it best: its direct solver (Dantzig) with error reduction 0.8 for
// mechanisms, Bullet's collision detection for contacts, 30 iterations of projected Gauss-Seidel for the pile. Built
// without -march: Eigen's alignment must be the library's.
#include <Eigen/Geometry>
#include <cstddef>
#include <dart/collision/bullet/bullet.hpp>
#include <dart/dart.hpp>
#include <string>
#include <vector>

#include "../grasp_task.hpp"
#include "../scene_server.hpp"

namespace lipkin::bench {
namespace {

namespace dynamics = dart::dynamics;
using dynamics::BodyNode;
using dynamics::Joint;

Eigen::Isometry3d moved_by(double x, double y, double z) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = Eigen::Vector3d(x, y, z);
  return pose;
}

dart::simulation::WorldPtr make_world(const Eigen::Vector3d& gravity, double dt) {
  auto world = dart::simulation::World::create();
  world->setGravity(gravity);
  world->setTimeStep(dt);
  return world;
}

void copy_to(const Eigen::Vector3d& from, std::array<double, 3>& to) { to = {from.x(), from.y(), from.z()}; }

// Rods become the bodies of one skeleton: the mechanisms name parents before children.
class DartMechanism final : public MechanismRun {
 public:
  DartMechanism(const PlanarMechanism& mechanism, double dt)
      : dt_(dt), world_(make_world({0, -kPlaneGravity, 0}, dt)), bodies_(mechanism.rods.size()) {
    using Loop = dart::constraint::DynamicJointConstraint;
    Loop::setErrorReductionParameter(0.8);
    Loop::setMaxErrorReductionVelocity(1e3);  // [m/s]: no limit
    const auto skeleton = dynamics::Skeleton::create(mechanism.name);
    for (const Pin& pin : mechanism.pins) {
      if (!pin.closes_loop) add_rod(mechanism, pin, *skeleton);
    }
    world_->addSkeleton(skeleton);
    for (const Pin& pin : mechanism.pins) {
      if (pin.closes_loop) close_loop(pin);
    }
  }

  void step(double t) override {
    if (drive_) drive_->setCommand(0, (drive_angle(t + dt_) - drive_angle(0) - drive_->getPosition(0)) / dt_);
    world_->step();
  }

  std::string setting() const override { return drive_ ? "Dantzig, erp 0.8, drive without limit" : "Dantzig, erp 0.8"; }

  void read(std::span<RodState> rods) override {
    for (std::size_t i = 0; i < rods.size(); ++i) {
      copy_to(bodies_[i]->getWorldTransform().translation(), rods[i].com);
      copy_to(bodies_[i]->getWorldTransform().linear().col(0), rods[i].axis);
      copy_to(bodies_[i]->getCOMLinearVelocity(), rods[i].velocity);
      rods[i].rate = bodies_[i]->getAngularVelocity().z();
    }
  }

 private:
  BodyNode* body(int rod) { return bodies_[static_cast<std::size_t>(rod)]; }

  // Frames sit at the centres of the rods, along them; the angles of the joints count from the start.
  template <class JointType>
  void attach(const PlanarMechanism& mechanism, const Pin& pin, const Eigen::Vector3d& axis,
              dynamics::Skeleton& skeleton) {
    const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
    const Rod parent = pin.a < 0 ? Rod{} : mechanism.rods[static_cast<std::size_t>(pin.a)];
    typename JointType::Properties joint;
    joint.mName = "joint " + rod.name;
    joint.mAxis = axis;
    joint.mT_ParentBodyToJoint = pin.a < 0 ? moved_by(pin.ground[0], pin.ground[1], 0) : moved_by(pin.at_a, 0, 0);
    joint.mT_ParentBodyToJoint.rotate(Eigen::AngleAxisd(rod.angle - parent.angle, Eigen::Vector3d::UnitZ()));
    joint.mT_ChildBodyToJoint = moved_by(pin.at_b, 0, 0);
    BodyNode::Properties properties;
    properties.mName = rod.name;
    properties.mInertia.setMass(rod.mass);
    properties.mInertia.setMoment(rod.axial_inertia(), rod.inertia(), rod.inertia(), 0, 0, 0);
    bodies_[static_cast<std::size_t>(pin.b)] =
        skeleton.createJointAndBodyNodePair<JointType>(pin.a < 0 ? nullptr : body(pin.a), joint, properties).second;
  }

  void add_rod(const PlanarMechanism& mechanism, const Pin& pin, dynamics::Skeleton& skeleton) {
    const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
    if (pin.slides) {
      attach<dynamics::PrismaticJoint>(mechanism, pin, Eigen::Vector3d::UnitX(), skeleton);
      body(pin.b)->getParentJoint()->setVelocity(0, rod.velocity[0]);
      return;
    }
    attach<dynamics::RevoluteJoint>(mechanism, pin, Eigen::Vector3d::UnitZ(), skeleton);
    Joint* const joint = body(pin.b)->getParentJoint();
    joint->setVelocity(0, rod.rate - (pin.a < 0 ? 0 : mechanism.rods[static_cast<std::size_t>(pin.a)].rate));
    joint->setCoulombFriction(0, pin.friction);
    if (!pin.driven) return;
    drive_ = joint;
    joint->setActuatorType(Joint::VELOCITY);  // ten times more exact than a servo, whose torque has a limit
  }

  void close_loop(const Pin& pin) {
    const Eigen::Vector3d point = body(pin.b)->getWorldTransform() * Eigen::Vector3d(pin.at_b, 0, 0);
    world_->getConstraintSolver()->addConstraint(
        std::make_shared<dart::constraint::BallJointConstraint>(body(pin.a), body(pin.b), point));
  }

  double dt_;
  dart::simulation::WorldPtr world_;
  std::vector<BodyNode*> bodies_;
  Joint* drive_ = nullptr;
};

void detect_with_bullet(dart::simulation::World& world) {
  constexpr std::size_t kMostContacts = 100000;
  world.getConstraintSolver()->setCollisionDetector(dart::collision::BulletCollisionDetector::create());
  world.getConstraintSolver()->getCollisionOption().maxNumContacts = kMostContacts;
}

void add_shape(BodyNode& body, const dynamics::ShapePtr& shape, const Eigen::Isometry3d& pose, double friction) {
  auto* const node = body.createShapeNodeWith<dynamics::CollisionAspect, dynamics::DynamicsAspect>(shape);
  node->setRelativeTransform(pose);
  node->getDynamicsAspect()->setFrictionCoeff(friction);
}

BodyNode* add_fixed_body(dart::simulation::World& world) {
  const auto skeleton = dynamics::Skeleton::create("fixed");
  BodyNode* const body = skeleton->createJointAndBodyNodePair<dynamics::WeldJoint>().second;
  skeleton->setMobile(false);
  world.addSkeleton(skeleton);
  return body;
}

BodyNode* add_free_body(dart::simulation::World& world, const std::string& name, double mass,
                        const dynamics::ShapePtr& shape, const Triple& position, double friction) {
  const auto skeleton = dynamics::Skeleton::create(name);
  const auto [joint, body] = skeleton->createJointAndBodyNodePair<dynamics::FreeJoint>();
  body->setInertia(dynamics::Inertia(mass, Eigen::Vector3d::Zero(), shape->computeInertia(mass)));
  joint->setTransform(moved_by(position[0], position[1], position[2]));
  add_shape(*body, shape, Eigen::Isometry3d::Identity(), friction);
  world.addSkeleton(skeleton);
  return body;
}

dynamics::ShapePtr make_box(const grasp::Size& half) {
  return std::make_shared<dynamics::BoxShape>(2 * Eigen::Vector3d(half[0], half[1], half[2]));
}

class DartGrasp final : public GraspRun {
 public:
  explicit DartGrasp(double dt) : dt_(dt), world_(make_world({0, 0, -grasp::kGravity}, dt)) {
    detect_with_bullet(*world_);
    add_shape(*add_fixed_body(*world_), make_box({1, 1, 0.5}), moved_by(0, 0, -0.5), grasp::kFriction);
    cube_ = add_free_body(*world_, "cube", grasp::kCubeMass, make_box(grasp::kCube), {0, 0, grasp::kCubeHalf},
                          grasp::kFriction);
    const auto hand = dynamics::Skeleton::create("hand");
    hand->disableSelfCollisionCheck();
    add_palm(*hand);
    add_fingers(*hand);
    world_->addSkeleton(hand);
  }

  void step(double t) override {
    lift_->setCommand(0, (grasp::lift(t + dt_) - lift_->getPosition(0)) / dt_);
    closing_->setCommand(0, grasp::kClosingRate);
    world_->step();
  }

  std::string setting() const override { return "Dantzig, Bullet's collision"; }
  double cube_z() override { return cube_->getWorldTransform().translation().z(); }
  double palm_z() override { return grasp::kPalmHeight + lift_->getPosition(0); }

 private:
  static constexpr double kStrong = 1000;  // of what has no limit [N] or [N m]

  static void limit(Joint& joint, double most) {
    joint.setForceLowerLimit(0, -most);
    joint.setForceUpperLimit(0, most);
  }

  static BodyNode::Properties box_body(const std::string& name, double mass, const grasp::Size& half) {
    BodyNode::Properties properties;
    properties.mName = name;
    properties.mInertia = dynamics::Inertia(mass, Eigen::Vector3d::Zero(), make_box(half)->computeInertia(mass));
    return properties;
  }

  void add_palm(dynamics::Skeleton& hand) {
    dynamics::PrismaticJoint::Properties joint;
    joint.mName = "lift";
    joint.mAxis = Eigen::Vector3d::UnitZ();
    joint.mT_ParentBodyToJoint = moved_by(0, 0, grasp::kPalmHeight);
    const auto pair = hand.createJointAndBodyNodePair<dynamics::PrismaticJoint>(
        nullptr, joint, box_body("palm", grasp::kPalmMass, grasp::kPalm));
    lift_ = pair.first;
    palm_ = pair.second;
    lift_->setActuatorType(Joint::SERVO);
    limit(*lift_, kStrong);
  }

  void add_fingers(dynamics::Skeleton& hand) {
    for (const int side : {1, -1}) {
      const std::string name = side > 0 ? "finger1" : "finger2";
      dynamics::RevoluteJoint::Properties properties;
      properties.mName = "hinge of " + name;
      properties.mAxis = Eigen::Vector3d::UnitY();
      properties.mT_ParentBodyToJoint = moved_by(side * grasp::kHingeX, 0, grasp::kHingeZ);
      properties.mT_ChildBodyToJoint = moved_by(0, 0, grasp::kFinger[2]);
      const auto [joint, body] = hand.createJointAndBodyNodePair<dynamics::RevoluteJoint>(
          palm_, properties, box_body(name, grasp::kFingerMass, grasp::kFinger));
      add_shape(*body, make_box(grasp::kFinger), Eigen::Isometry3d::Identity(), grasp::kFriction);
      joint->setPosition(0, -side * grasp::kOpening);
      joint->setActuatorType(side > 0 ? Joint::SERVO : Joint::MIMIC);
      limit(*joint, side > 0 ? grasp::kClosingTorque : kStrong);
      if (side > 0) {
        closing_ = joint;
      } else {
        joint->setMimicJoint(closing_, -1, 0);
      }
    }
  }

  double dt_;
  dart::simulation::WorldPtr world_;
  BodyNode *cube_ = nullptr, *palm_ = nullptr;
  Joint *lift_ = nullptr, *closing_ = nullptr;
};

class DartCup final : public CupRun {
 public:
  DartCup(const Cup& cup, const std::vector<Triple>& positions)
      : world_(make_world({0, 0, -Cup::kGravity}, Cup::kTimeStep)) {
    using Solver = dart::constraint::PgsBoxedLcpSolver;
    const auto solver = std::make_shared<Solver>();
    solver->setOption(Solver::Option(30, 1e-9, 1e-9, 1e-9, false));
    world_->setConstraintSolver(std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(solver));
    detect_with_bullet(*world_);
    BodyNode* const walls = add_fixed_body(*world_);
    for (const CupPlane& plane : cup.planes) {
      const Eigen::Vector3d normal(plane.normal.data()), point(plane.point.data());
      add_shape(*walls, std::make_shared<dynamics::PlaneShape>(normal, normal.dot(point)),
                Eigen::Isometry3d::Identity(), Cup::kFriction);
    }
    const auto sphere = std::make_shared<dynamics::SphereShape>(Cup::kRadius);
    for (const Triple& position : positions) {
      const std::string name = "sphere" + std::to_string(spheres_.size());
      spheres_.push_back(add_free_body(*world_, name, cup.mass(), sphere, position, Cup::kFriction));
    }
  }

  void step(double) override { world_->step(); }
  std::string setting() const override { return "projected Gauss-Seidel, 30 iterations, Bullet's collision"; }
  int contact_count() override { return static_cast<int>(world_->getLastCollisionResult().getNumContacts()); }

  void read(std::span<SphereState> spheres) override {
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      copy_to(spheres_[i]->getWorldTransform().translation(), spheres[i].position);
      spheres[i].speed = spheres_[i]->getLinearVelocity().norm();
    }
  }

 private:
  dart::simulation::WorldPtr world_;
  std::vector<BodyNode*> spheres_;
};

class DartScenes final : public SceneEngine {
 public:
  std::string name() const override { return "dart " DART_VERSION; }

  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings&) override {
    return std::make_unique<DartMechanism>(mechanism, dt);
  }
  std::unique_ptr<GraspRun> make_grasp(double dt, const SceneSettings&) override {
    return std::make_unique<DartGrasp>(dt);
  }
  std::unique_ptr<CupRun> make_cup(const Cup& cup, const std::vector<Triple>& positions) override {
    constexpr int kMostSpheres = 500;  // its time grows with the square of the contacts, seconds a step beyond
    if (cup.sphere_count > kMostSpheres) throw Refusal("takes seconds a step");
    return std::make_unique<DartCup>(cup, positions);
  }
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  lipkin::bench::DartScenes engine;
  return lipkin::bench::SceneServer(engine).run();
}
