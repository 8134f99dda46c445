// MuJoCo on the scenes, with the settings that served it best: Newton solver, constraints as stiff as its documentation
// allows (solref 2 dt, solimp 0.9999), for the grasp elliptic friction cones with impratio 1000.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "../grasp_task.hpp"
#include "../scene_server.hpp"
#include "mujoco_support.hpp"

namespace lipkin::bench {
namespace {

std::string body_name(std::size_t index) { return fmt::format("b{}", index); }

class MechanismMjcf {
 public:
  MechanismMjcf(const PlanarMechanism& mechanism, double dt) : mechanism_(mechanism) {
    text_ = fmt::format(
        "<mujoco><compiler angle='radian' inertiafromgeom='false' boundmass='0' boundinertia='0'/>"
        "<option timestep='{0}' gravity='0 {1} 0' integrator='Euler' solver='Newton' iterations='100' "
        "tolerance='1e-10' "
        "jacobian='dense'/>"
        "<default><equality solref='{2} 1' solimp='0.9999 0.9999 0.001'/>"
        "<joint solreffriction='{2} 1' solimpfriction='0.9999 0.9999 0.001'/></default><worldbody>",
        dt, -kPlaneGravity, 2 * dt);
    add_children_of(-1);
    text_ += "</worldbody><equality>";
    for (const Pin& pin : mechanism.pins) add_equality(pin);
    text_ += "</equality></mujoco>";
  }

  const std::string& text() const { return text_; }

 private:
  void add_children_of(int parent) {
    for (const Pin& pin : mechanism_.pins) {
      if (!pin.closes_loop && pin.a == parent) add_rod(pin);
    }
  }

  // Frames sit at the centres of the rods, along them; the angles of the joints count from the start.
  void add_rod(const Pin& pin) {
    const Rod& rod = mechanism_.rods[static_cast<std::size_t>(pin.b)];
    const Rod parent = pin.a < 0 ? Rod{} : mechanism_.rods[static_cast<std::size_t>(pin.a)];
    const double dx = rod.com[0] - parent.com[0], dy = rod.com[1] - parent.com[1];
    const double c = std::cos(parent.angle), s = std::sin(parent.angle), turn = rod.angle - parent.angle;
    text_ += fmt::format(
        "<body name='{}' pos='{} {} 0' quat='{} 0 0 {}'><inertial pos='0 0 0' mass='{}' diaginertia='{} {} {}'/>",
        body_name(static_cast<std::size_t>(pin.b)), c * dx + s * dy, -s * dx + c * dy, std::cos(turn / 2),
        std::sin(turn / 2), rod.mass, rod.axial_inertia(), rod.inertia(), rod.inertia());
    text_ += pin.slides ? fmt::format("<joint name='j{}' type='slide' axis='1 0 0'/>", pin.b)
                        : fmt::format("<joint name='j{}' type='hinge' axis='0 0 1' pos='{} 0 0' frictionloss='{}'/>",
                                      pin.b, pin.at_b, pin.friction);
    add_children_of(pin.b);
    text_ += "</body>";
  }

  void add_equality(const Pin& pin) {
    if (pin.closes_loop) {
      text_ += fmt::format("<connect body1='b{}' body2='b{}' anchor='{} 0 0'/>", pin.a, pin.b, pin.at_a);
    }
    if (pin.driven) text_ += fmt::format("<joint name='drive' joint1='j{}' polycoef='0 0 0 0 0'/>", pin.b);
  }

  const PlanarMechanism& mechanism_;
  std::string text_;
};

class MujocoMechanism final : public MechanismRun {
 public:
  MujocoMechanism(const PlanarMechanism& mechanism, double dt)
      : dt_(dt),
        model_(compile_mjcf(MechanismMjcf(mechanism, dt).text())),
        data_(mj_makeData(model_.get())),
        drive_(mj_name2id(model_.get(), mjOBJ_EQUALITY, "drive")) {
    for (std::size_t i = 0; i < mechanism.rods.size(); ++i) {
      bodies_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, body_name(i).c_str()));
    }
    for (const Pin& pin : mechanism.pins) {
      if (!pin.closes_loop) set_velocity(mechanism, pin);
    }
    mj_forward(model_.get(), data_.get());
  }

  void step(double t) override {
    if (drive_ >= 0) model_->eq_data[drive_ * mjNEQDATA] = drive_angle(t + dt_) - drive_angle(0);
    mj_step(model_.get(), data_.get());
  }

  std::string setting() const override { return "Newton, solref 2 dt, solimp 0.9999"; }

  void read(std::span<RodState> rods) override {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    for (std::size_t i = 0; i < rods.size(); ++i) {
      const int body = bodies_[i];
      const mjtNum* orientation = data_->xmat + 9 * body;
      mjtNum velocity[6];  // angular, linear
      mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, body, velocity, 0);
      std::copy_n(data_->xpos + 3 * body, 3, rods[i].com.begin());
      rods[i].axis = {orientation[0], orientation[3], orientation[6]};
      std::copy_n(velocity + 3, 3, rods[i].velocity.begin());
      rods[i].rate = velocity[2];
    }
  }

 private:
  void set_velocity(const PlanarMechanism& mechanism, const Pin& pin) {
    const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
    const double parent_rate = pin.a < 0 ? 0 : mechanism.rods[static_cast<std::size_t>(pin.a)].rate;
    const int joint = mj_name2id(model_.get(), mjOBJ_JOINT, fmt::format("j{}", pin.b).c_str());
    data_->qvel[model_->jnt_dofadr[joint]] = pin.slides ? rod.velocity[0] : rod.rate - parent_rate;
  }

  double dt_;
  MujocoModel model_;
  MujocoData data_;
  int drive_;
  std::vector<int> bodies_;
};

std::string box_text(const grasp::Size& half) { return fmt::format("{} {} {}", half[0], half[1], half[2]); }

// Contacts: the cube with the ground and with the fingers.
std::string grasp_mjcf(double dt) {
  using namespace grasp;
  std::string text = fmt::format(
      "<mujoco><compiler angle='radian'/><option timestep='{0}' gravity='0 0 {1}' cone='elliptic' impratio='1000' "
      "solver='Newton' iterations='100' tolerance='1e-10'/>"
      "<default><geom friction='{2} 0.005 0.0001' solref='{3} 1'/>"
      "<equality solref='{3} 1' solimp='0.99 0.999 0.001'/></default>"
      "<worldbody><geom type='plane' size='1 1 .1' contype='1' conaffinity='1'/>",
      dt, -grasp::kGravity, kFriction, 2 * dt);
  text += fmt::format(
      "<body name='palm' pos='0 0 {}'><joint name='lift' type='slide' axis='0 0 1'/>"
      "<geom type='box' size='{}' mass='{}' contype='0' conaffinity='0'/>",
      kPalmHeight, box_text(kPalm), kPalmMass);
  for (const int side : {1, -1}) {
    text += fmt::format(
        "<body pos='{} 0 {}'><joint name='{}' type='hinge' axis='0 1 0'/>"
        "<geom type='box' pos='0 0 {}' size='{}' mass='{}' contype='2' conaffinity='0'/></body>",
        side * kHingeX, kHingeZ, side > 0 ? "finger1" : "finger2", -kFinger[2], box_text(kFinger), kFingerMass);
  }
  text += fmt::format(
      "</body><body name='cube' pos='0 0 {}'><freejoint/>"
      "<geom type='box' size='{}' mass='{}' contype='1' conaffinity='3'/></body></worldbody>"
      "<equality><joint joint1='lift' polycoef='0 0 0 0 0'/>"
      "<joint joint1='finger2' joint2='finger1' polycoef='0 -1 0 0 0'/></equality>"
      "<actuator><velocity joint='finger1' kv='100' forcelimited='true' forcerange='{} {}'/></actuator></mujoco>",
      kCubeHalf, box_text(kCube), kCubeMass, -kClosingTorque, kClosingTorque);
  return text;
}

class MujocoGrasp final : public GraspRun {
 public:
  explicit MujocoGrasp(double dt) : dt_(dt), model_(compile_mjcf(grasp_mjcf(dt))), data_(mj_makeData(model_.get())) {
    data_->qpos[q_of("finger1")] = -grasp::kOpening;
    data_->qpos[q_of("finger2")] = grasp::kOpening;
    data_->ctrl[0] = grasp::kClosingRate;
    mj_forward(model_.get(), data_.get());
  }

  void step(double t) override {
    model_->eq_data[0] = grasp::lift(t + dt_);
    mj_step(model_.get(), data_.get());
  }

  std::string setting() const override { return "Newton, elliptic, impratio 1000, solref 2 dt"; }
  double cube_z() override { return data_->qpos[model_->nq - 7 + 2]; }
  double palm_z() override { return grasp::kPalmHeight + data_->qpos[q_of("lift")]; }

 private:
  int q_of(const char* joint) const { return model_->jnt_qposadr[mj_name2id(model_.get(), mjOBJ_JOINT, joint)]; }

  double dt_;
  MujocoModel model_;
  MujocoData data_;
};

// The walls are planes; sparse Jacobians and conjugate gradients, its fastest solver for piles.
std::string cup_mjcf(const Cup& cup, const std::vector<Triple>& positions) {
  const int n = cup.sphere_count;
  std::string text = fmt::format(
      "<mujoco><size njmax='{}' nconmax='{}' nstack='{}'/><option timestep='{}' gravity='0 0 {}' cone='pyramidal' "
      "solver='CG' iterations='100' tolerance='1e-8' jacobian='sparse'/>"
      "<default><geom friction='{} 0 0' condim='3' solref='{} 1'/></default><worldbody>",
      24 * n, 8 * n, 200000 * n, Cup::kTimeStep, -Cup::kGravity, Cup::kFriction, 2 * Cup::kTimeStep);
  for (const CupPlane& plane : cup.planes) {
    text +=
        fmt::format("<geom type='plane' size='50 50 1' pos='{} {} {}' zaxis='{} {} {}' contype='1' conaffinity='2'/>",
                    plane.point[0], plane.point[1], plane.point[2], plane.normal[0], plane.normal[1], plane.normal[2]);
  }
  for (const Triple& p : positions) {
    text += fmt::format(
        "<body pos='{} {} {}'><freejoint/><geom type='sphere' size='{}' mass='{}' contype='2' conaffinity='3'/></body>",
        p[0], p[1], p[2], Cup::kRadius, cup.mass());
  }
  return text + "</worldbody></mujoco>";
}

class MujocoCup final : public CupRun {
 public:
  MujocoCup(const Cup& cup, const std::vector<Triple>& positions)
      : model_(compile_mjcf(cup_mjcf(cup, positions))), data_(mj_makeData(model_.get())) {}

  void step(double) override { mj_step(model_.get(), data_.get()); }
  std::string setting() const override { return "CG, pyramidal, solref 2 dt"; }
  int contact_count() override { return data_->ncon; }

  void read(std::span<SphereState> spheres) override {
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      std::copy_n(data_->qpos + 7 * i, 3, spheres[i].position.begin());
      const mjtNum* v = data_->qvel + 6 * i;
      spheres[i].speed = std::hypot(v[0], v[1], v[2]);
    }
  }

 private:
  MujocoModel model_;
  MujocoData data_;
};

class MujocoScenes final : public SceneEngine {
 public:
  std::string name() const override { return mujoco_name(); }

  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings&) override {
    return std::make_unique<MujocoMechanism>(mechanism, dt);
  }
  std::unique_ptr<GraspRun> make_grasp(double dt, const SceneSettings&) override {
    return std::make_unique<MujocoGrasp>(dt);
  }
  std::unique_ptr<CupRun> make_cup(const Cup& cup, const std::vector<Triple>& positions) override {
    constexpr int kMostSpheres = 500;  // beyond, the buffers for its constraints no longer fit
    if (cup.sphere_count > kMostSpheres) throw Refusal("too many contacts for its buffers");
    return std::make_unique<MujocoCup>(cup, positions);
  }
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  mju_user_warning = [](const char* text) { std::fprintf(stderr, "mujoco: %s\n", text); };  // else it writes a log file
  lipkin::bench::MujocoScenes engine;
  return lipkin::bench::SceneServer(engine).run();
}
