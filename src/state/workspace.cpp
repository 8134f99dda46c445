#include "state/workspace.hpp"

#include <algorithm>
#include <limits>

namespace lipkin {

namespace {

constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

Transform<double> unset_pose() {
  Transform<double> X;
  for (double& x : X.R.e) x = kUnset;
  for (double& x : X.p.e) x = kUnset;
  return X;
}

Motion<double> unset_motion() { return {{{kUnset, kUnset, kUnset}}, {{kUnset, kUnset, kUnset}}}; }

std::size_t slot_count(const ModelData& model) {
  std::size_t count = 1;
  const auto widen = [&count](const ChannelExpression& e) { count = std::max(count, e.channels.size()); };
  const auto widen_signal = [&widen](const SignalData& s) {
    if (const auto* e = std::get_if<ChannelExpression>(&s)) widen(*e);
  };
  for (const OutputData& o : model.outputs) widen(o.value);
  for (const ActuatorData& a : model.actuators) widen_signal(a.control);
  for (const MotorData& m : model.motors) widen_signal(m.target), widen_signal(m.effort);
  for (const ControllerData& c : model.controllers) widen_signal(c.law), widen_signal(c.target), widen(c.measured);
  for (const BodyForceData& f : model.body_forces)
    for (int k = 0; k < 3; ++k) widen_signal(f.force[k]), widen_signal(f.torque[k]);
  return count;
}

}  // namespace

KinematicsWork::KinematicsWork(const ModelData& model)
    : X_WL(model.links.size(), unset_pose()),
      V_WL(model.links.size(), unset_motion()),
      S_W(model.u_count, unset_motion()) {}

Workspace::Workspace(const ModelData& model)
    : links(model.links.size()),
      multi(model.multi_count),
      kinematics(model),
      tau(model.u_count, kUnset),
      external(model.links.size(), Force<double>::zero()),
      diag(model.armature),
      du(model.u_count, kUnset),
      actuator_control(model.actuators.size(), kUnset),
      link_force(model.links.size(), Force<double>::zero()),
      motor_force(model.motors.size(), kUnset),
      tendon_force(model.tendons.size(), 0.0),
      joint_force(model.joints.size(), {{{kUnset, kUnset, kUnset}}, {{kUnset, kUnset, kUnset}}}),
      energy_terms(kEnergyTermCount, kUnset),
      momentum_terms(6 * kMomentumTermCount, kUnset),
      slots(slot_count(model), kUnset),
      slot_rates(slots) {}

}  // namespace lipkin
