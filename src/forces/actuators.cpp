#include "forces/actuators.hpp"

#include <algorithm>
#include <cmath>

#include "forces/channel_rates.hpp"
#include "forces/channel_values.hpp"
#include "forces/evaluate_forces.hpp"
#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// The control set from outside; NaN: none.
double given_control(const ModelData& model, int index, const State& state) {
  if (index < 0 || std::isnan(state.control[index])) return std::numeric_limits<double>::quiet_NaN();
  const ControlData& control = model.controls[index];
  return control.scale * std::clamp(state.control[index], control.min, control.max) + control.offset;
}

double wanted_control(const ModelData& model, const ActuatorData& a, const State& state, Workspace& work) {
  const double given = given_control(model, a.control_index, state);
  return std::clamp(std::isnan(given) ? signal_value(model, state, work, a.control) : given, a.min, a.max);
}

SignalMotion wanted_target(const ModelData& model, const MotorData& motor, const State& state, double ahead,
                           Workspace& work) {
  const double given = given_control(model, motor.control_index, state);
  return std::isnan(given) ? signal_ahead(model, state, ahead, work, motor.target) : SignalMotion{given, 0};
}

double wanted_target_value(const ModelData& model, const MotorData& motor, const State& state, double ahead,
                           Workspace& work) {
  const double given = given_control(model, motor.control_index, state);
  return std::isnan(given) ? signal_value_ahead(model, state, ahead, work, motor.target) : given;
}

void begin(const ActivationData& activation, double control, State& state) {
  const double value = activation_at(activation, state, state.t);
  double* memory = &state.memory[activation.memory];
  memory[kActivationValue] = value;
  memory[kActivationControl] = control;
  memory[kActivationTime] = state.t;
}

void load_body(const BodyPullData& pull, double control, Workspace& work) {
  const Mat3<double>& R = work.kinematics.X_WL[pull.axes_link].R;
  const Vec3<double> p = work.kinematics.X_WL[pull.link] * pull.p_L;
  const Vec3<double> force = control * (R * pull.force), torque = control * (R * pull.torque);
  load_link(work, pull.link, p, force, torque);
  if (pull.against > 0) load_link(work, pull.against, p, -force, -torque);
}

// Power of a control of one on a body.
double body_rate(const BodyPullData& pull, const KinematicsWork& kinematics) {
  const Mat3<double>& R = kinematics.X_WL[pull.axes_link].R;
  const Vec3<double> p = kinematics.X_WL[pull.link] * pull.p_L;
  Vec3<double> v = point_velocity(kinematics, pull.link, p), w = kinematics.V_WL[pull.link].w;
  if (pull.against > 0) {
    v = v - point_velocity(kinematics, pull.against, p);
    w = w - kinematics.V_WL[pull.against].w;
  }
  return dot(R * pull.force, v) + dot(R * pull.torque, w);
}

}  // namespace

double activation_at(const ActivationData& activation, const State& state, double t) {
  const double* memory = &state.memory[activation.memory];
  const double value = memory[kActivationValue], control = memory[kActivationControl];
  const double passed = t - memory[kActivationTime];
  const double now = activation.kind == ActivationKind::kFilter
                         ? value - (control - value) * std::expm1(-passed / activation.time_constant)
                         : value + passed * control;
  return std::clamp(now, activation.min, activation.max);
}

double activation_rate(const ActivationData& activation, const State& state, double t) {
  const double control = state.memory[activation.memory + kActivationControl];
  const double now = activation_at(activation, state, t);
  const double rate = activation.kind == ActivationKind::kFilter ? (control - now) / activation.time_constant : control;
  const bool is_held = (now >= activation.max && rate > 0) || (now <= activation.min && rate < 0);
  return is_held ? 0.0 : rate;
}

void begin_activations(const ModelData& model, State& state, Workspace& work) {
  const auto is_active = [](const auto& item) { return item.activation.kind != ActivationKind::kNone; };
  const auto looks = [&](const auto& item, const SignalData& signal) {
    return is_active(item) && looks_at_kinematics(signal);
  };
  bool needs_kinematics = false;
  for (const ActuatorData& a : model.actuators) needs_kinematics = needs_kinematics || looks(a, a.control);
  for (const MotorData& m : model.motors) needs_kinematics = needs_kinematics || looks(m, m.target);
  if (needs_kinematics) update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (const ActuatorData& a : model.actuators)
    if (is_active(a)) begin(a.activation, wanted_control(model, a, state, work), state);
  for (const MotorData& m : model.motors)
    if (is_active(m)) begin(m.activation, wanted_target_value(model, m, state, 0, work), state);
}

double acting_control(const ModelData& model, const ActuatorData& actuator, const State& state, Workspace& work) {
  return actuator.activation.kind == ActivationKind::kNone ? wanted_control(model, actuator, state, work)
                                                           : activation_at(actuator.activation, state, state.t);
}

// A servo's damper holds against the joint's own speed where the target comes from a control or an activation.
SignalMotion acting_target(const ModelData& model, const MotorData& motor, const State& state, double ahead,
                           Workspace& work) {
  if (motor.activation.kind == ActivationKind::kNone) return wanted_target(model, motor, state, ahead, work);
  const double t = state.t + ahead;
  return {activation_at(motor.activation, state, t), motor.servo ? 0.0 : activation_rate(motor.activation, state, t)};
}

double acting_target_value(const ModelData& model, const MotorData& motor, const State& state, double ahead,
                           Workspace& work) {
  if (motor.activation.kind == ActivationKind::kNone) return wanted_target_value(model, motor, state, ahead, work);
  return activation_at(motor.activation, state, state.t + ahead);
}

double actuator_rate(const ModelData& model, const ActuatorData& actuator, const KinematicsWork& kinematics,
                     const double* u) {
  if (actuator.on_body.link >= 0) return body_rate(actuator.on_body, kinematics);
  double rate = 0;
  for (const DofPull& pull : actuator.pulls) rate += pull.gear * coordinate_rate(pull.dof, model, u, kinematics);
  return rate;
}

void load_actuators(const ModelData& model, Workspace& work) {
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const ActuatorData& a = model.actuators[i];
    if (a.on_body.link >= 0) load_body(a.on_body, work.actuator_control[i], work);
    for (const DofPull& pull : a.pulls)
      if (!pull.dof.is_in_tree())
        load_dependent_coordinate(model, pull.dof, pull.gear * work.actuator_control[i], work);
  }
}

}  // namespace lipkin
