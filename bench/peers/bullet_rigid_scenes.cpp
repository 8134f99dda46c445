// Bullet's rigid bodies on the scenes, every joint a constraint, with the settings that served them best: Dantzig's
// method where it works, 1000 iterations for the linkage; 500 iterations and friction in two directions for the grasp.
#include <cmath>
#include <cstddef>
#include <numbers>

#include "../grasp_task.hpp"
#include "../scene_server.hpp"
#include "bullet_world.hpp"

namespace lipkin::bench {
namespace {

class BulletRigidMechanism final : public MechanismRun {
 public:
  BulletRigidMechanism(const PlanarMechanism& mechanism, double dt)
      : dt_(dt), solver_(solver_for(mechanism)), world_(btVector3(0, -kPlaneGravity, 0), solver_) {
    btCollisionShape* shape = world_.add_shape<btSphereShape>(1e-3);
    for (const Rod& rod : mechanism.rods) add_rod(rod, shape);
    for (const Pin& pin : mechanism.pins) add_pin(pin);
  }

  void step(double t) override {
    if (drive_) drive_->enableAngularMotor(true, (drive_angle(t + dt_) - driven_angle()) / dt_, kDriveTorque * dt_);
    world_.step(dt_);
  }

  std::string setting() const override {
    return solver_.iterations > 0 ? "rigid bodies, 1000 iterations, erp 0.8" : "rigid bodies, Dantzig, erp 0.8";
  }

  void read(std::span<RodState> rods) override {
    for (std::size_t i = 0; i < rods.size(); ++i) {
      const btTransform& pose = bodies_[i]->getWorldTransform();
      copy_to(pose.getOrigin(), rods[i].com);
      copy_to(pose.getBasis().getColumn(0), rods[i].axis);
      copy_to(bodies_[i]->getLinearVelocity(), rods[i].velocity);
      rods[i].rate = bodies_[i]->getAngularVelocity().z();
    }
  }

 private:
  // The linkage has more rows than it needs, which Dantzig's method does not take.
  static BulletSolver solver_for(const PlanarMechanism& mechanism) {
    return {.iterations = mechanism.name == "peaucellier" ? 1000 : 0, .error_reduction = 0.8};
  }

  void add_rod(const Rod& rod, btCollisionShape* shape) {
    const btTransform pose(btQuaternion(btVector3(0, 0, 1), rod.angle), btVector3(rod.com[0], rod.com[1], 0));
    btRigidBody* body = world_.add_body(rod.mass, shape, pose, 0, 0, 0);
    body->setMassProps(rod.mass, btVector3(rod.axial_inertia(), rod.inertia(), rod.inertia()));
    body->updateInertiaTensor();
    body->setLinearVelocity(btVector3(rod.velocity[0], rod.velocity[1], 0));
    body->setAngularVelocity(btVector3(0, 0, rod.rate));
    bodies_.push_back(body);
  }

  void add_pin(const Pin& pin) {
    btRigidBody& body = *bodies_[static_cast<std::size_t>(pin.b)];
    const btVector3 axis(0, 0, 1), at_b(pin.at_b, 0, 0);
    if (pin.slides) {
      auto* slider = world_.add_joint<btSliderConstraint>(body, btTransform::getIdentity(), true);
      slider->setLowerLinLimit(1);  // the lower above the upper: no limits
      slider->setUpperLinLimit(-1);
      slider->setLowerAngLimit(0);
      slider->setUpperAngLimit(0);
      return;
    }
    btHingeConstraint* hinge =
        pin.a < 0 ? world_.add_joint<btHingeConstraint>(body, at_b, axis)
                  : world_.add_joint<btHingeConstraint>(*bodies_[static_cast<std::size_t>(pin.a)], body,
                                                        btVector3(pin.at_a, 0, 0), at_b, axis, axis);
    if (pin.friction > 0) hinge->enableAngularMotor(true, 0, pin.friction * dt_);
    if (pin.driven) drive_ = hinge;
  }

  // The driven rod is the first and turns by less than half a turn.
  double driven_angle() const {
    const btVector3 axis = bodies_.front()->getWorldTransform().getBasis().getColumn(0);
    return std::atan2(axis.y(), axis.x());
  }

  double dt_;
  BulletSolver solver_;
  BulletWorld world_;
  std::vector<btRigidBody*> bodies_;
  btHingeConstraint* drive_ = nullptr;
};

class BulletRigidGrasp final : public GraspRun {
 public:
  explicit BulletRigidGrasp(double dt)
      : dt_(dt),
        world_(btVector3(0, 0, -grasp::kGravity), {500, 0.2, true}),
        friction_(friction_of_each(grasp::kFriction)) {
    world_.add_body(0, world_.add_shape<btStaticPlaneShape>(btVector3(0, 0, 1), 0), btTransform::getIdentity(),
                    friction_, kStatic, kFree);
    cube_ = add_box(grasp::kCubeMass, grasp::kCube, {0, 0, grasp::kCubeHalf}, 0, kFree, kStatic | kFingers);
    palm_ = add_box(grasp::kPalmMass, grasp::kPalm, {0, 0, grasp::kPalmHeight}, 0, kHand, 0);
    add_lift();
    add_fingers();
  }

  void step(double t) override {
    lift_->setTargetLinMotorVelocity((grasp::lift(t + dt_) - (palm_z() - grasp::kPalmHeight)) / dt_);
    world_.step(dt_);
  }

  std::string setting() const override { return "rigid bodies, 500 iterations, erp 0.2"; }
  double cube_z() override { return cube_->getWorldTransform().getOrigin().z(); }
  double palm_z() override { return palm_->getWorldTransform().getOrigin().z(); }

 private:
  btRigidBody* add_box(double mass, const grasp::Size& half, const Triple& position, double angle, int group,
                       int mask) {
    auto* box = world_.add_shape<btBoxShape>(to_bullet(half));
    box->setMargin(1e-3);
    return world_.add_body(mass, box, btTransform(btQuaternion(btVector3(0, 1, 0), angle), to_bullet(position)),
                           friction_, group, mask);
  }

  // A slider moves along X of its frame.
  void add_lift() {
    constexpr double kStrong = 1000;  // force of the lift, whose motion is prescribed [N]
    const btTransform frame(btQuaternion(btVector3(0, 1, 0), -std::numbers::pi / 2));
    lift_ = world_.add_joint<btSliderConstraint>(*palm_, frame, true);
    lift_->setLowerLinLimit(1);
    lift_->setUpperLinLimit(-1);
    lift_->setLowerAngLimit(0);
    lift_->setUpperAngLimit(0);
    lift_->setPoweredLinMotor(true);
    lift_->setMaxLinMotorForce(kStrong);
  }

  void add_fingers() {
    const double z = grasp::kPalmHeight + grasp::kHingeZ, length = grasp::kFinger[2];
    const btVector3 axis(0, 1, 0);
    btRigidBody* first = nullptr;
    for (const int side : {1, -1}) {
      const double x = side * grasp::kHingeX, angle = -side * grasp::kOpening;
      btRigidBody* finger =
          add_box(grasp::kFingerMass, grasp::kFinger, {x - length * std::sin(angle), 0, z - length * std::cos(angle)},
                  angle, kFingers, kFree);
      auto* hinge = world_.add_joint<btHingeConstraint>(*palm_, *finger, btVector3(x, 0, grasp::kHingeZ),
                                                        btVector3(0, 0, length), axis, axis);
      if (side > 0) {
        first = finger;
        hinge->enableAngularMotor(true, -grasp::kClosingRate, grasp::kClosingTorque * dt_);
      } else {
        world_.add_joint<btGearConstraint>(*first, *finger, axis, axis, 1.0);
      }
    }
  }

  double dt_;
  BulletWorld world_;
  double friction_;
  btRigidBody *cube_ = nullptr, *palm_ = nullptr;
  btSliderConstraint* lift_ = nullptr;
};

class BulletRigidScenes final : public SceneEngine {
 public:
  std::string name() const override { return bullet_name(); }

  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings&) override {
    return std::make_unique<BulletRigidMechanism>(mechanism, dt);
  }
  std::unique_ptr<GraspRun> make_grasp(double dt, const SceneSettings&) override {
    return std::make_unique<BulletRigidGrasp>(dt);
  }
  std::unique_ptr<CupRun> make_cup(const Cup&, const std::vector<Triple>&) override {
    throw Refusal("measured as bullet's own");
  }
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  lipkin::bench::BulletRigidScenes engine;
  return lipkin::bench::SceneServer(engine).run();
}
