// What actuators and motors are told: controls from outside, signals of their own, activations; and how actuators push.
#pragma once

#include "forces/channel_rates.hpp"
#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Activation at a time at or after the begin of the step, and its rate.
double activation_at(const ActivationData& activation, const State& state, double t);
double activation_rate(const ActivationData& activation, const State& state, double t);

// Before every step: activations go on from here with the controls there are now. Updates work.kinematics where a
// control looks at them.
void begin_activations(const ModelData& model, State& state, Workspace& work);

// What acts at state.t: an actuator's control.
double acting_control(const ModelData& model, const ActuatorData& actuator, const State& state, Workspace& work);

// A motor's target and its rate a time `ahead` of the state (signal_ahead); a jump of the target has no rate.
SignalMotion acting_target(const ModelData& model, const MotorData& motor, const State& state, double ahead,
                           Workspace& work);
double acting_target_value(const ModelData& model, const MotorData& motor, const State& state, double ahead,
                           Workspace& work);

// Rate of what an actuator of a control of one works against: its power is control times this.
double actuator_rate(const ModelData& model, const ActuatorData& actuator, const KinematicsWork& kinematics,
                     const double* u);

// Adds the loads of actuators on bodies, on joints that close loops and on tendons (by work.actuator_control) to
// work.external and work.tau.
void load_actuators(const ModelData& model, Workspace& work);

}  // namespace lipkin
