// ODE on the scenes, with the settings that served it best: its direct solver (dWorldStep) for mechanisms, error
// reduction 0.8, and for the grasp, 0.2; its iterative one (dWorldQuickStep) with 20 iterations for piles.
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <vector>

#include "../grasp_task.hpp"
#include "../scene_server.hpp"
#include "ode_world.hpp"

namespace lipkin::bench {
namespace {

// A joint's motor, velocity-controlled.
template <class SetParameter>
void set_motor(SetParameter&& set, dJointID joint, double rate, double most) {
  set(joint, dParamVel, rate);
  set(joint, dParamFMax, most);
}

class OdeMechanism final : public MechanismRun {
 public:
  OdeMechanism(const PlanarMechanism& mechanism, double dt)
      : dt_(dt), world_({0, -kPlaneGravity, 0}, kErrorReduction, kSoftness) {
    for (const Rod& rod : mechanism.rods) add_rod(rod);
    for (const Pin& pin : mechanism.pins) add_pin(mechanism, pin);
  }

  void step(double t) override {
    if (drive_) dJointSetHingeParam(drive_, dParamVel, (drive_angle(t + dt_) - driven_angle()) / dt_);
    dWorldStep(world_.id(), dt_);
  }

  std::string setting() const override { return "dWorldStep, erp 0.8, cfm 1e-10"; }

  void read(std::span<RodState> rods) override {
    for (std::size_t i = 0; i < rods.size(); ++i) {
      const dReal *position = dBodyGetPosition(bodies_[i]), *rotation = dBodyGetRotation(bodies_[i]);
      const dReal* velocity = dBodyGetLinearVel(bodies_[i]);
      rods[i].com = {position[0], position[1], position[2]};
      rods[i].axis = {rotation[0], rotation[4], rotation[8]};
      rods[i].velocity = {velocity[0], velocity[1], velocity[2]};
      rods[i].rate = dBodyGetAngularVel(bodies_[i])[2];
    }
  }

 private:
  static constexpr double kErrorReduction = 0.8, kSoftness = 1e-10;

  void add_rod(const Rod& rod) {
    dMass mass;
    dMassSetParameters(&mass, rod.mass, 0, 0, 0, rod.axial_inertia(), rod.inertia(), rod.inertia(), 0, 0, 0);
    const dBodyID body = world_.add_body(mass, {rod.com[0], rod.com[1], 0});
    dMatrix3 rotation;
    dRFromAxisAndAngle(rotation, 0, 0, 1, rod.angle);
    dBodySetRotation(body, rotation);
    dBodySetLinearVel(body, rod.velocity[0], rod.velocity[1], 0);
    dBodySetAngularVel(body, 0, 0, rod.rate);
    bodies_.push_back(body);
  }

  void add_pin(const PlanarMechanism& mechanism, const Pin& pin) {
    const dBodyID body = bodies_[static_cast<std::size_t>(pin.b)];
    if (pin.slides) {
      const dJointID slider = dJointCreateSlider(world_.id(), nullptr);
      dJointAttach(slider, body, nullptr);
      dJointSetSliderAxis(slider, 1, 0, 0);
      return;
    }
    const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
    const dJointID hinge = dJointCreateHinge(world_.id(), nullptr);
    dJointAttach(hinge, body, pin.a < 0 ? nullptr : bodies_[static_cast<std::size_t>(pin.a)]);
    dJointSetHingeAnchor(hinge, rod.com[0] + pin.at_b * std::cos(rod.angle),
                         rod.com[1] + pin.at_b * std::sin(rod.angle), 0);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    if (pin.friction > 0) set_motor(dJointSetHingeParam, hinge, 0, pin.friction);
    if (!pin.driven) return;
    drive_ = hinge;
    set_motor(dJointSetHingeParam, hinge, 0, kDriveTorque);
  }

  // The driven rod is the first and turns by less than half a turn.
  double driven_angle() const {
    const dReal* rotation = dBodyGetRotation(bodies_.front());
    return std::atan2(rotation[4], rotation[0]);
  }

  double dt_;
  OdeWorld world_;
  std::vector<dBodyID> bodies_;
  dJointID drive_ = nullptr;
};

class OdeGrasp final : public GraspRun {
 public:
  explicit OdeGrasp(double dt) : dt_(dt), world_({0, 0, -grasp::kGravity}, kErrorReduction, kSoftness) {
    world_.set_contacts({grasp::kFriction, kErrorReduction, kSoftness, 8});
    dWorldSetContactSurfaceLayer(world_.id(), 0);
    world_.add_plane({0, 0, 1}, 0);
    cube_ = add_box(grasp::kCubeMass, grasp::kCube, {0, 0, grasp::kCubeHalf}, 0);
    world_.add_box(cube_, grasp::kCube, kOdeFree, kOdeFixed | kOdeFinger);
    palm_ = add_box(grasp::kPalmMass, grasp::kPalm, {0, 0, grasp::kPalmHeight}, 0);
    add_lift();
    add_fingers();
  }

  void step(double t) override {
    dJointSetSliderParam(lift_, dParamVel, (grasp::lift(t + dt_) - (palm_z() - grasp::kPalmHeight)) / dt_);
    const double hinge_z = palm_z() + grasp::kHingeZ;
    dJointSetTransmissionAnchor1(repeater_, grasp::kHingeX, 0,
                                 hinge_z);  // in the world: they do not move with the palm
    dJointSetTransmissionAnchor2(repeater_, -grasp::kHingeX, 0, hinge_z);
    world_.find_contacts();
    dWorldStep(world_.id(), dt_);
  }

  std::string setting() const override { return "dWorldStep, erp 0.2, cfm 1e-9"; }
  double cube_z() override { return dBodyGetPosition(cube_)[2]; }
  double palm_z() override { return dBodyGetPosition(palm_)[2]; }

 private:
  static constexpr double kErrorReduction = 0.2, kSoftness = 1e-9;

  dBodyID add_box(double total, const grasp::Size& half, const Triple& position, double angle) {
    dMass mass;
    dMassSetBoxTotal(&mass, total, 2 * half[0], 2 * half[1], 2 * half[2]);
    const dBodyID body = world_.add_body(mass, position);
    dMatrix3 rotation;
    dRFromAxisAndAngle(rotation, 0, 1, 0, angle);
    dBodySetRotation(body, rotation);
    return body;
  }

  void add_lift() {
    constexpr double kStrong = 1000;  // force of the lift, whose motion is prescribed [N]
    lift_ = dJointCreateSlider(world_.id(), nullptr);
    dJointAttach(lift_, palm_, nullptr);
    dJointSetSliderAxis(lift_, 0, 0, 1);
    set_motor(dJointSetSliderParam, lift_, 0, kStrong);
  }

  // Both turn about Y; the second by as much as the first, the other way.
  void add_fingers() {
    const double z = grasp::kPalmHeight + grasp::kHingeZ, length = grasp::kFinger[2];
    std::array<dBodyID, 2> fingers{};
    for (const int side : {1, -1}) {
      const double x = side * grasp::kHingeX, angle = -side * grasp::kOpening;
      const dBodyID finger = add_box(grasp::kFingerMass, grasp::kFinger,
                                     {x - length * std::sin(angle), 0, z - length * std::cos(angle)}, angle);
      world_.add_box(finger, grasp::kFinger, kOdeFinger, kOdeFree);
      const dJointID hinge = dJointCreateHinge(world_.id(), nullptr);
      dJointAttach(hinge, finger, palm_);
      dJointSetHingeAnchor(hinge, x, 0, z);
      dJointSetHingeAxis(hinge, 0, 1, 0);
      if (side > 0) set_motor(dJointSetHingeParam, hinge, grasp::kClosingRate, grasp::kClosingTorque);
      fingers[side > 0 ? 0 : 1] = finger;
    }
    repeater_ = dJointCreateTransmission(world_.id(), nullptr);
    dJointAttach(repeater_, fingers[0], fingers[1]);
    dJointSetTransmissionMode(repeater_, dTransmissionParallelAxes);
    dJointSetTransmissionRatio(repeater_, 1);  // ODE's gears turn against each other
    dJointSetTransmissionAxis(repeater_, 0, 1, 0);
  }

  double dt_;
  OdeWorld world_;
  dBodyID cube_ = nullptr, palm_ = nullptr;
  dJointID lift_ = nullptr, repeater_ = nullptr;
};

class OdeCup final : public CupRun {
 public:
  OdeCup(const Cup& cup, const std::vector<Triple>& positions)
      : world_({0, 0, -Cup::kGravity}, kErrorReduction, kSoftness) {
    world_.set_contacts({Cup::kFriction, kErrorReduction, kSoftness, 1});
    dWorldSetQuickStepNumIterations(world_.id(), 20);
    dWorldSetContactMaxCorrectingVel(world_.id(), 1);
    for (const CupPlane& plane : cup.planes) {
      const Triple &n = plane.normal, &p = plane.point;
      world_.add_plane(n, n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
    }
    dMass mass;
    dMassSetSphereTotal(&mass, cup.mass(), Cup::kRadius);
    for (const Triple& position : positions) {
      spheres_.push_back(world_.add_body(mass, position));
      dBodySetGyroscopicMode(spheres_.back(), 0);
      world_.add_sphere(spheres_.back(), Cup::kRadius, kOdeFree, kOdeFree | kOdeFixed);
    }
  }

  void step(double) override {
    world_.find_contacts();
    dWorldQuickStep(world_.id(), Cup::kTimeStep);
  }

  std::string setting() const override { return "dWorldQuickStep, 20 iterations, erp 0.2"; }
  int contact_count() override { return world_.contact_count(); }

  void read(std::span<SphereState> spheres) override {
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      const dReal *position = dBodyGetPosition(spheres_[i]), *velocity = dBodyGetLinearVel(spheres_[i]);
      spheres[i].position = {position[0], position[1], position[2]};
      spheres[i].speed = std::hypot(velocity[0], velocity[1], velocity[2]);
    }
  }

 private:
  static constexpr double kErrorReduction = 0.2, kSoftness = 1e-9;

  OdeWorld world_;
  std::vector<dBodyID> spheres_;
};

class OdeScenes final : public SceneEngine {
 public:
  std::string name() const override { return ode_name(); }

  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings&) override {
    return std::make_unique<OdeMechanism>(mechanism, dt);
  }
  std::unique_ptr<GraspRun> make_grasp(double dt, const SceneSettings&) override {
    return std::make_unique<OdeGrasp>(dt);
  }
  std::unique_ptr<CupRun> make_cup(const Cup& cup, const std::vector<Triple>& positions) override {
    return std::make_unique<OdeCup>(cup, positions);
  }
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  dInitODE2(0);
  dSetMessageHandler([](int, const char*, va_list) {});  // else a line for every step that its solver finds hard
  lipkin::bench::OdeScenes engine;
  return lipkin::bench::SceneServer(engine).run();
}
