// Bullet on the scenes, with the settings that served it best: btMultiBody with Dantzig's method, for the linkage with
// 100 iterations, error reduction 0.8; 50 iterations and 0.2 for the grasp, 10 and 0.2 with rigid bodies for piles.
#include <BulletDynamics/Featherstone/btMultiBodyGearConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "../grasp_task.hpp"
#include "../scene_server.hpp"
#include "bullet_world.hpp"

namespace lipkin::bench {
namespace {

btTransform pose_of(const Rod& rod) {
  return btTransform(btQuaternion(btVector3(0, 0, 1), rod.angle), btVector3(rod.com[0], rod.com[1], 0));
}

std::unique_ptr<btMultiBody> make_fixed_base(int link_count) {
  auto multibody = std::make_unique<btMultiBody>(link_count, 0, btVector3(0, 0, 0), true, false);
  multibody->setLinearDamping(0);
  multibody->setAngularDamping(0);
  multibody->setMaxCoordinateVelocity(1e6);
  multibody->setMaxAppliedImpulse(1e10);
  multibody->setHasSelfCollision(false);
  multibody->setBaseWorldTransform(btTransform::getIdentity());
  return multibody;
}

// A rod is the link of its own index: the mechanisms name parents before children.
class BulletMechanism final : public MechanismRun {
 public:
  BulletMechanism(const PlanarMechanism& mechanism, double dt)
      : dt_(dt), solver_(solver_for(mechanism)), world_(btVector3(0, -kPlaneGravity, 0), solver_) {
    auto multibody = make_fixed_base(static_cast<int>(mechanism.rods.size()));
    for (const Pin& pin : mechanism.pins) {
      if (!pin.closes_loop) add_link(mechanism, pin, *multibody);
    }
    multibody->finalizeMultiDof();
    multibody_ = multibody.get();
    btCollisionShape* shape = world_.add_shape<btSphereShape>(1e-3);  // Bullet steps only links with colliders
    for (int link = -1; link < multibody_->getNumLinks(); ++link) {
      world_.add_collider(multibody_, link, shape, 0, 0, 0);
    }
    world_.add_multibody(std::move(multibody));
    for (const Pin& pin : mechanism.pins) add_constraints(mechanism, pin);
    velocities_.resize(mechanism.rods.size() + 1);
    rates_.resize(mechanism.rods.size() + 1);
  }

  void step(double t) override {
    if (drive_) drive_->setVelocityTarget((drive_angle(t + dt_) - drive_angle(0) - multibody_->getJointPos(0)) / dt_);
    world_.step(dt_);
  }

  std::string setting() const override {
    return solver_.iterations > 0 ? "btMultiBody, 100 iterations, erp 0.8" : "btMultiBody, Dantzig, erp 0.8";
  }

  void read(std::span<RodState> rods) override {
    multibody_->forwardKinematics(rotations_, positions_);
    multibody_->compTreeLinkVelocities(rates_.data(), velocities_.data());
    for (std::size_t i = 0; i < rods.size(); ++i) {
      const btTransform& pose = multibody_->getLink(static_cast<int>(i)).m_cachedWorldTransform;
      copy_to(pose.getOrigin(), rods[i].com);
      copy_to(pose.getBasis().getColumn(0), rods[i].axis);
      copy_to(pose.getBasis() * velocities_[i + 1], rods[i].velocity);
      rods[i].rate = (pose.getBasis() * rates_[i + 1]).z();
    }
  }

 private:
  static constexpr double kUnlimited = 1e6;  // impulse [N s]

  // The rows of the linkage's loops depend on each other: Dantzig's method leaves it 4 mm off its line.
  static BulletSolver solver_for(const PlanarMechanism& mechanism) {
    return {.iterations = mechanism.name == "peaucellier" ? 100 : 0, .error_reduction = 0.8};
  }

  static void add_link(const PlanarMechanism& mechanism, const Pin& pin, btMultiBody& multibody) {
    const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
    const btTransform parent =
        pin.a < 0 ? btTransform::getIdentity() : pose_of(mechanism.rods[static_cast<std::size_t>(pin.a)]);
    const btQuaternion turn = (parent.inverse() * pose_of(rod)).getRotation().inverse();
    const btVector3 inertia(rod.axial_inertia(), rod.inertia(), rod.inertia());
    const btVector3 at_parent = pin.a < 0 ? btVector3(pin.ground[0], pin.ground[1], 0) : btVector3(pin.at_a, 0, 0);
    if (pin.slides) {
      multibody.setupPrismatic(pin.b, rod.mass, inertia, pin.a, turn, btVector3(1, 0, 0), at_parent,
                               btVector3(-pin.at_b, 0, 0), true);
    } else {
      multibody.setupRevolute(pin.b, rod.mass, inertia, pin.a, turn, btVector3(0, 0, 1), at_parent,
                              btVector3(-pin.at_b, 0, 0), true);
    }
  }

  void add_constraints(const PlanarMechanism& mechanism, const Pin& pin) {
    if (pin.closes_loop) {
      auto* joint = world_.add_constraint<btMultiBodyPoint2Point>(multibody_, pin.a, multibody_, pin.b,
                                                                  btVector3(pin.at_a, 0, 0), btVector3(pin.at_b, 0, 0));
      joint->setMaxAppliedImpulse(kUnlimited);
      return;
    }
    const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
    const double parent_rate = pin.a < 0 ? 0 : mechanism.rods[static_cast<std::size_t>(pin.a)].rate;
    multibody_->setJointVel(pin.b, pin.slides ? rod.velocity[0] : rod.rate - parent_rate);
    if (pin.friction > 0) world_.add_constraint<btMultiBodyJointMotor>(multibody_, pin.b, 0.0, pin.friction * dt_);
    if (pin.driven) {
      drive_ = world_.add_constraint<btMultiBodyJointMotor>(multibody_, pin.b, 0.0, kDriveTorque * dt_);
    }
  }

  double dt_;
  BulletSolver solver_;
  BulletWorld world_;
  btMultiBody* multibody_ = nullptr;
  btMultiBodyJointMotor* drive_ = nullptr;
  std::vector<btVector3> velocities_, rates_;
  btAlignedObjectArray<btQuaternion> rotations_;
  btAlignedObjectArray<btVector3> positions_;
};

class BulletGrasp final : public GraspRun {
 public:
  explicit BulletGrasp(double dt) : dt_(dt), world_(btVector3(0, 0, -grasp::kGravity), {kIterations, kErrorReduction}) {
    const double friction = friction_of_each(grasp::kFriction);
    world_.add_body(0, world_.add_shape<btStaticPlaneShape>(btVector3(0, 0, 1), 0), btTransform::getIdentity(),
                    friction, kStatic, kFree);
    btTransform pose = btTransform::getIdentity();
    pose.setOrigin(btVector3(0, 0, grasp::kCubeHalf));
    cube_ = world_.add_body(grasp::kCubeMass, add_box(grasp::kCube), pose, friction, kFree, kStatic | kFingers);
    add_hand(friction);
    add_drives();
  }

  void step(double t) override {
    lift_->setVelocityTarget((grasp::lift(t + dt_) - hand_->getJointPos(kPalmLink)) / dt_);
    world_.step(dt_);
  }

  std::string setting() const override { return "btMultiBody, 50 iterations, erp 0.2"; }
  double cube_z() override { return cube_->getWorldTransform().getOrigin().z(); }
  double palm_z() override { return grasp::kPalmHeight + hand_->getJointPos(kPalmLink); }

 private:
  static constexpr int kIterations = 50;
  static constexpr double kErrorReduction = 0.2;
  static constexpr int kPalmLink = 0, kFinger1 = 1, kFinger2 = 2;

  btBoxShape* add_box(const grasp::Size& half) {
    auto* box = world_.add_shape<btBoxShape>(to_bullet(half));
    box->setMargin(1e-3);
    return box;
  }

  void add_hand(double friction) {
    btBoxShape *palm = add_box(grasp::kPalm), *finger = add_box(grasp::kFinger);
    btVector3 palm_inertia, finger_inertia;
    palm->calculateLocalInertia(grasp::kPalmMass, palm_inertia);
    finger->calculateLocalInertia(grasp::kFingerMass, finger_inertia);
    auto hand = make_fixed_base(3);
    hand->setupPrismatic(kPalmLink, grasp::kPalmMass, palm_inertia, -1, btQuaternion::getIdentity(), btVector3(0, 0, 1),
                         btVector3(0, 0, grasp::kPalmHeight), btVector3(0, 0, 0), true);
    for (const int link : {kFinger1, kFinger2}) {
      const double x = link == kFinger1 ? grasp::kHingeX : -grasp::kHingeX;
      hand->setupRevolute(link, grasp::kFingerMass, finger_inertia, kPalmLink, btQuaternion::getIdentity(),
                          btVector3(0, 1, 0), btVector3(x, 0, grasp::kHingeZ), btVector3(0, 0, -grasp::kFinger[2]),
                          true);
    }
    hand->finalizeMultiDof();
    hand_ = hand.get();
    world_.add_collider(hand_, kPalmLink, palm, friction, kHand, 0);
    for (const int link : {kFinger1, kFinger2}) world_.add_collider(hand_, link, finger, friction, kFingers, kFree);
    world_.add_multibody(std::move(hand));
    hand_->setJointPos(kFinger1, -grasp::kOpening);
    hand_->setJointPos(kFinger2, grasp::kOpening);
    btAlignedObjectArray<btQuaternion> rotations;
    btAlignedObjectArray<btVector3> positions;
    hand_->forwardKinematics(rotations, positions);
    hand_->updateCollisionObjectWorldTransforms(rotations, positions);
  }

  void add_drives() {
    constexpr double kStrong = 1000;  // force of the lift, whose motion is prescribed [N]
    lift_ = world_.add_constraint<btMultiBodyJointMotor>(hand_, kPalmLink, 0.0, kStrong * dt_);
    world_.add_constraint<btMultiBodyJointMotor>(hand_, kFinger1, grasp::kClosingRate, grasp::kClosingTorque * dt_);
    auto* gear = world_.add_constraint<btMultiBodyGearConstraint>(hand_, kFinger1, hand_, kFinger2, btVector3(0, 0, 0),
                                                                  btVector3(0, 0, 0), btMatrix3x3::getIdentity(),
                                                                  btMatrix3x3::getIdentity());
    gear->setGearRatio(1);  // Bullet counts it with the other sign
    gear->setErp(kErrorReduction);
    gear->setRelativePositionTarget(0);
    gear->setMaxAppliedImpulse(1e6);
  }

  double dt_;
  BulletWorld world_;
  btRigidBody* cube_ = nullptr;
  btMultiBody* hand_ = nullptr;
  btMultiBodyJointMotor* lift_ = nullptr;
};

// Planes have no bounds, so that every sphere would be tried against each: the walls are a mesh on the same planes.
std::unique_ptr<btTriangleMesh> wall_mesh(const Cup& cup) {
  constexpr int kRings = 12;
  const double scale = cup.planes[1].point[0] / 0.2, lean = std::asin(cup.planes[1].normal[2]);
  const double top = (0.8 + 2 * std::cos(lean)) * scale, foot = -0.05 * scale;
  const auto corner = [&](int ring, int side) {
    const double z = foot + (top - foot) * ring / kRings, angle = (2 * side + 1) * std::numbers::pi / Cup::kFacets;
    const double radius = (cup.planes[1].point[0] + z * std::tan(lean)) / std::cos(std::numbers::pi / Cup::kFacets);
    return btVector3(radius * std::cos(angle), radius * std::sin(angle), z);
  };
  auto mesh = std::make_unique<btTriangleMesh>();
  for (int ring = 0; ring < kRings; ++ring) {
    for (int side = 0; side < Cup::kFacets; ++side) {
      mesh->addTriangle(corner(ring, side), corner(ring + 1, side + 1), corner(ring, side + 1));
      mesh->addTriangle(corner(ring, side), corner(ring + 1, side), corner(ring + 1, side + 1));
    }
  }
  return mesh;
}

class BulletCup final : public CupRun {
 public:
  BulletCup(const Cup& cup, const std::vector<Triple>& positions)
      : mesh_(wall_mesh(cup)), world_(btVector3(0, 0, -Cup::kGravity), {kIterations, kErrorReduction}) {
    const double friction = friction_of_each(Cup::kFriction);
    auto* walls = world_.add_shape<btBvhTriangleMeshShape>(mesh_.get(), true);
    walls->setMargin(0);
    for (btCollisionShape* shape :
         {static_cast<btCollisionShape*>(walls),
          static_cast<btCollisionShape*>(world_.add_shape<btStaticPlaneShape>(btVector3(0, 0, 1), 0))}) {
      world_.add_body(0, shape, btTransform::getIdentity(), friction, kStatic, kFree);
    }
    auto* sphere = world_.add_shape<btSphereShape>(Cup::kRadius);
    for (const Triple& position : positions) {
      btTransform pose = btTransform::getIdentity();
      pose.setOrigin(to_bullet(position));
      spheres_.push_back(world_.add_body(cup.mass(), sphere, pose, friction, kFree, kStatic | kFree));
    }
  }

  void step(double) override { world_.step(Cup::kTimeStep); }
  std::string setting() const override { return "rigid bodies, 10 iterations, erp 0.2"; }
  int contact_count() override { return world_.contact_count(); }

  void read(std::span<SphereState> spheres) override {
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      copy_to(spheres_[i]->getWorldTransform().getOrigin(), spheres[i].position);
      spheres[i].speed = spheres_[i]->getLinearVelocity().length();
    }
  }

 private:
  static constexpr int kIterations = 10;
  static constexpr double kErrorReduction = 0.2;

  std::unique_ptr<btTriangleMesh> mesh_;
  BulletWorld world_;
  std::vector<btRigidBody*> spheres_;
};

class BulletScenes final : public SceneEngine {
 public:
  std::string name() const override { return bullet_name(); }

  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings&) override {
    return std::make_unique<BulletMechanism>(mechanism, dt);
  }
  std::unique_ptr<GraspRun> make_grasp(double dt, const SceneSettings&) override {
    return std::make_unique<BulletGrasp>(dt);
  }
  std::unique_ptr<CupRun> make_cup(const Cup& cup, const std::vector<Triple>& positions) override {
    return std::make_unique<BulletCup>(cup, positions);
  }
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  lipkin::bench::BulletScenes engine;
  return lipkin::bench::SceneServer(engine).run();
}
