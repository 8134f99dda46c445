// What actuators and motors are told: controls from outside, signals of their own, activations; and how actuators push.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Activation at a time at or after the begin of the step, and its rate.
double activation_at(const ActivationData& activation, const State& state, double t);
double activation_rate(const ActivationData& activation, const State& state, double t);

// Before every step: activations go on from here with the controls there are now. Updates work.kinematics where a
// control looks at them.
void begin_activations(const ModelData& model, State& state, Workspace& work);

// What acts at state.t: an actuator's control, a motor's target and its rate.
double acting_control(const ModelData& model, const ActuatorData& actuator, const State& state, Workspace& work);
double acting_target(const ModelData& model, const MotorData& motor, const State& state, Workspace& work);
double acting_target_rate(const ModelData& model, const MotorData& motor, State& state, Workspace& work);

// Rate of what an actuator of a control of one works against: its power is control times this.
double actuator_rate(const ModelData& model, const ActuatorData& actuator, const KinematicsWork& kinematics,
                     const double* u);

// Adds the loads of actuators on bodies, on joints that close loops and on tendons (by work.actuator_control) to
// work.external and work.tau.
void load_actuators(const ModelData& model, Workspace& work);

// Whether any of them loads links.
bool actuators_load_links(const ModelData& model);

}  // namespace lipkin
