#include "session/posing.hpp"

#include <algorithm>

#include "lipkin/dynamics.hpp"
#include "model/model_compiler.hpp"
#include "model/parameters.hpp"

namespace lipkin {

namespace {

constexpr int kSteps = 200;           // at most
constexpr double kNear = 1e-6;        // [m]
constexpr double kPart = 0.5;         // of the way that is open to it, one step goes
constexpr double kWidest = 0.5;       // that a coordinate changes in one step [rad] or [m]
constexpr double kStandstill = 1e-4;  // of the way made in a step: it gets no nearer

// The same joints and contacts, with nothing that acts by itself.
Model passive(const Model& model) {
  auto parts = std::make_shared<ModelParts>(*model.data().parts);
  parts->gravity.setZero();
  parts->springs.clear(), parts->bushings.clear(), parts->forces.clear(), parts->actuators.clear();
  parts->motors.clear(), parts->controls.clear(), parts->controllers.clear(), parts->tyres.clear();
  parts->outputs.clear();
  for (JointSpec& joint : parts->joints) {
    joint.stiffness.clear(), joint.rest.clear(), joint.damping.clear(), joint.friction.clear();
  }
  for (TendonSpec& tendon : parts->tendons) tendon.stiffness = tendon.damping = tendon.friction = 0;
  return compile_model(std::move(parts));
}

Eigen::Vector3d place(const Simulation& simulation, int body, const Eigen::Vector3d& point) {
  const Pose pose = simulation.body_motion(body).pose;
  return pose.position + pose.orientation * point;
}

State at_rest(State state) {
  std::fill(state.u.begin(), state.u.end(), 0.0);
  state.impulse_step = 0;
  state.row_impulses.clear();
  state.projection.clear();
  state.reactions.clear();
  state.carried_impulses.clear();
  state.balance.clear();
  state.contacts.clear();
  return state;
}

Simulation nothing() { return Simulation({"", "", compile_model(std::make_shared<ModelParts>()), Experiment{}, {}}); }

// A simulation of its own that goes on from there, in which nothing acts any more but the hand.
Simulation passive_from(Checkpoint checkpoint) {
  Simulation hand = nothing();
  checkpoint.experiment.commands.clear();
  checkpoint.state.commands_done = 0;
  checkpoint.state.pushes.clear(), checkpoint.state.drags.clear();
  checkpoint.state = at_rest(std::move(checkpoint.state));
  hand.restore(checkpoint);
  hand.set_coordinates(CoordinateKind::kGeneralized);
  const std::vector<SettingEdit> set = hand.state().edits;
  std::vector<std::string> paths;
  for (const SettingEdit& edit : set) paths.push_back(edit.path);
  hand.change_model(passive(with_values(hand.model(), set)), paths);
  hand.set_stepper(StepperKind::kEuler);
  hand.set_stabilization(StabilizationKind::kProjection);
  hand.set_dt(1);
  return hand;
}

// One step of one second from rest moves the point by its mobility A times the force. The force k w along the way w
// leaves the least distance |w - k A w| where k = w.Aw / |Aw|^2: what is across the joints' freedoms does not count.
bool pull(Simulation& hand, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& target) {
  Dynamics dynamics(hand.running_model(), LoopTreatment::kOpen);  // a measure of mass is enough
  dynamics.set(hand.state().q, hand.state().u);
  const Eigen::Vector3d way = target - place(hand, body, point);
  const Eigen::VectorXd du = dynamics.impulse_response(body, point, way, Eigen::Vector3d::Zero());
  const Eigen::Vector3d moved = dynamics.point_jacobian(body, point) * du;
  const double along = way.dot(moved);
  if (!(along > 0)) return false;
  const double stiffness = kPart * along / moved.squaredNorm();
  ActiveDrag drag;
  drag.body = body, drag.point = point, drag.target = target;
  drag.stiffness = std::min(stiffness, kWidest / du.cwiseAbs().maxCoeff()) * Eigen::Matrix3d::Identity();
  hand.set_drags({drag});
  hand.step();
  hand.restore(at_rest(hand.state()));
  return true;
}

}  // namespace

double pose_towards(Simulation& simulation, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& target) {
  Checkpoint checkpoint = simulation.peek();
  Simulation hand = passive_from(checkpoint);
  double left = (target - place(hand, body, point)).norm();
  for (int i = 0; i < kSteps && left > kNear && pull(hand, body, point, target); ++i) {
    const double now = (target - place(hand, body, point)).norm();
    const bool stands = left - now < kStandstill * left;
    left = now;
    if (stands) break;
  }
  hand.set_coordinates(checkpoint.experiment.coordinates);
  State posed = at_rest(checkpoint.state);
  posed.q = hand.state().q;
  posed.closure_q = hand.state().closure_q;
  checkpoint.state = std::move(posed);
  simulation.restore(checkpoint);
  return left;
}

}  // namespace lipkin
