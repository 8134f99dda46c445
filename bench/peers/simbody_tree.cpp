// Simbody: realize(Stage::Acceleration), and a semi-implicit Euler step written here, cheaper than its integrators.
// Built without NDEBUG: Debian's library is, and the layout of its classes depends on it.
#include <Simbody.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../engine_server.hpp"

namespace lipkin::bench {
namespace {

SimTK::Vec3 to_simbody(const Triple& v) { return {v[0], v[1], v[2]}; }

// A pin turns about z of its frames: the rotation that brings z to the wanted axis.
SimTK::Rotation pin_frame(TreeJoint joint) {
  if (joint == TreeJoint::kRevoluteX) return {SimTK::Pi / 2, SimTK::YAxis};
  if (joint == TreeJoint::kRevoluteY) return {-SimTK::Pi / 2, SimTK::XAxis};
  return {};
}

struct System {
  System(const TreeModel& model, double damping) {
    forces.setNumberOfThreads(1);
    SimTK::Force::UniformGravity(forces, matter, {0.0, 0.0, -kGravity});
    std::vector<SimTK::MobilizedBody> mobilized;
    for (const TreeBody& body : model.bodies) {
      SimTK::MobilizedBody& parent =
          body.parent < 0 ? matter.updGround() : mobilized[static_cast<std::size_t>(body.parent)];
      mobilized.push_back(attach(parent, body, damping));
    }
    state = multibody.realizeTopology();
    multibody.realizeModel(state);
  }

  SimTK::MobilizedBody attach(SimTK::MobilizedBody& parent, const TreeBody& body, double damping) {
    const SimTK::Vec3 com = to_simbody(body.com);
    const SimTK::Inertia inertia = SimTK::Inertia(to_simbody(body.inertia)).shiftFromMassCenter(com, body.mass);
    const SimTK::Body::Rigid rigid(SimTK::MassProperties(body.mass, com, inertia));
    const SimTK::Vec3 position = to_simbody(body.position);
    if (body.joint == TreeJoint::kFree) {
      return SimTK::MobilizedBody::Free(parent, SimTK::Transform(position), rigid, SimTK::Transform());
    }
    const SimTK::Rotation frame = pin_frame(body.joint);
    SimTK::MobilizedBody::Pin pin(parent, SimTK::Transform(frame, position), rigid, SimTK::Transform(frame));
    if (damping > 0) SimTK::Force::MobilityLinearDamper(forces, pin, SimTK::MobilizerUIndex(0), damping);
    return pin;
  }

  SimTK::MultibodySystem multibody;
  SimTK::SimbodyMatterSubsystem matter{multibody};
  SimTK::GeneralForceSubsystem forces{multibody};
  SimTK::Force::DiscreteForces applied{forces, matter};
  SimTK::State state;
};

struct SimbodyState {
  SimTK::Vector q, u, tau;
};

// The base: quaternion then position, angular then linear velocity along the world's axes.
void fill_base(const TreeState& state, SimbodyState& result) {
  const Triple angular_velocity = rotated(state.base_orientation, state.base_angular_velocity);
  for (int k = 0; k < 4; ++k) result.q[k] = state.base_orientation[static_cast<std::size_t>(k)];
  for (int k = 0; k < 3; ++k) {
    const auto component = static_cast<std::size_t>(k);
    result.q[4 + k] = state.base_position[component];
    result.u[k] = angular_velocity[component];
    result.u[3 + k] = state.base_velocity[component];
  }
}

SimbodyState to_simbody(const TreeModel& model, const TreeState& state) {
  const int first_u = model.floating() ? 6 : 0;
  const int first_q = model.floating() ? 7 : 0;
  const int joint_count = model.revolute_count();
  SimbodyState result{SimTK::Vector(first_q + joint_count, 0.0), SimTK::Vector(first_u + joint_count, 0.0),
                      SimTK::Vector(first_u + joint_count, 0.0)};
  if (model.floating()) fill_base(state, result);
  for (int i = 0; i < joint_count; ++i) {
    const auto joint = static_cast<std::size_t>(i);
    result.q[first_q + i] = state.q[joint];
    result.u[first_u + i] = state.u[joint];
    result.tau[first_u + i] = state.tau[joint];
  }
  return result;
}

class SimbodyTree {
 public:
  explicit SimbodyTree(const TreeTask& task)
      : joint_count_(task.model.revolute_count()),
        start_(to_simbody(task.model, task.start)),
        system_(task.model, 0.0),
        stepped_(task.model, kDamping),
        q_rate_(stepped_.state.getNQ()) {
    for (const TreeState& state : task.states) states_.push_back(to_simbody(task.model, state));
  }

  static std::string name() {
    int major = 0, minor = 0, build = 0;
    SimTK_version_SimTKcommon(&major, &minor, &build);
    return "simbody " + std::to_string(major) + "." + std::to_string(minor);
  }

  void forward_dynamics(std::size_t state) {
    system_.state.updQ() = states_[state].q;
    system_.state.updU() = states_[state].u;
    system_.applied.setAllMobilityForces(system_.state, states_[state].tau);
    system_.multibody.realize(system_.state, SimTK::Stage::Acceleration);
  }

  std::vector<double> joint_accelerations() const { return joints_of(system_.state.getUDot()); }

  void restart(double dt) {
    dt_ = dt;
    stepped_.state.updQ() = start_.q;
    stepped_.state.updU() = start_.u;
  }

  void step() {
    SimTK::State& state = stepped_.state;
    stepped_.multibody.realize(state, SimTK::Stage::Acceleration);
    state.updU() += dt_ * state.getUDot();
    stepped_.matter.multiplyByN(state, false, state.getU(), q_rate_);
    state.updQ() += dt_ * q_rate_;
  }

  std::vector<double> joint_angles() const { return joints_of(stepped_.state.getQ()); }

  void describe(nlohmann::json&) const {}

 private:
  std::vector<double> joints_of(const SimTK::Vector& values) const {
    std::vector<double> joints;
    for (int i = values.size() - joint_count_; i < values.size(); ++i) joints.push_back(values[i]);
    return joints;
  }

  int joint_count_;
  SimbodyState start_;
  std::vector<SimbodyState> states_;
  System system_, stepped_;
  SimTK::Vector q_rate_;
  double dt_ = kTimeStep;
};

}  // namespace
}  // namespace lipkin::bench

int main() { return lipkin::bench::EngineServer<lipkin::bench::SimbodyTree>().run(); }
