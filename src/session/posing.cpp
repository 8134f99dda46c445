#include "session/posing.hpp"

#include <algorithm>

#include "lipkin/dynamics.hpp"
#include "model/model_compiler.hpp"

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
  parts->motors.clear(), parts->controls.clear(), parts->outputs.clear();
  for (JointSpec& joint : parts->joints) {
    joint.stiffness.clear(), joint.rest.clear(), joint.damping.clear(), joint.friction.clear();
  }
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

// Nothing acts any more but the hand; the state is carried over.
void make_passive(Simulation& simulation) {
  State state = at_rest(simulation.state());
  state.pushes.clear(), state.drags.clear();
  simulation.restore(state);
  simulation.set_coordinates(CoordinateKind::kGeneralized);
  simulation.change_model(passive(simulation.model()));
  simulation.set_stepper(StepperKind::kEuler);
  simulation.set_stabilization(StabilizationKind::kProjection);
  simulation.set_dt(1);
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
  Checkpoint checkpoint = simulation.checkpoint();
  make_passive(simulation);
  double left = (target - place(simulation, body, point)).norm();
  for (int i = 0; i < kSteps && left > kNear && pull(simulation, body, point, target); ++i) {
    const double now = (target - place(simulation, body, point)).norm();
    const bool stands = left - now < kStandstill * left;
    left = now;
    if (stands) break;
  }
  simulation.set_coordinates(checkpoint.experiment.coordinates);
  State posed = at_rest(checkpoint.state);
  posed.q = simulation.state().q;
  posed.closure_q = simulation.state().closure_q;
  checkpoint.state = std::move(posed);
  simulation.restore(checkpoint);
  return left;
}

}  // namespace lipkin
