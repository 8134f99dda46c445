#include "constraints/drive_targets.hpp"

#include <algorithm>

#include "forces/actuators.hpp"
#include "forces/channel_values.hpp"

namespace lipkin {

namespace {

// A prescribed motion whose target changes with more than the time.
bool follows_motion(const MotorData& motor) {
  const auto* e = std::get_if<ChannelExpression>(&motor.target);
  const auto is_motion = [](const Channel& c) { return c.kind != ChannelKind::kTime; };
  return is_prescribed(motor) && e && std::any_of(e->channels.begin(), e->channels.end(), is_motion);
}

}  // namespace

DriveTargets::DriveTargets(const ModelData& model) {
  values_.value.assign(model.motors.size(), 0.0);
  values_.rate.assign(model.motors.size(), 0.0);
  values_.effort.assign(model.motors.size(), 1.0);
  end_rate_.assign(model.motors.size(), 0.0);
  has_prescribed_ = std::any_of(model.motors.begin(), model.motors.end(), is_prescribed);
  follows_poses_ = std::any_of(model.motors.begin(), model.motors.end(), follows_motion);
}

void DriveTargets::evaluate(const ModelData& model, double ahead, const State& state, Workspace& work) {
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorData& motor = model.motors[i];
    evaluate_effort(model, ahead, i, state, work);
    if (motor.kind == MotorKind::kVelocity) {
      values_.rate[i] = acting_target_value(model, motor, state, ahead, work);
    } else {
      const SignalMotion target = acting_target(model, motor, state, ahead, work);
      values_.value[i] = target.value, values_.rate[i] = target.rate;
    }
  }
}

void DriveTargets::evaluate_anew(const ModelData& model, const State& state, Workspace& work) {
  evaluate(model, 0, state, work);
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (model.motors[i].kind == MotorKind::kVelocity) values_.value[i] = std::numeric_limits<double>::quiet_NaN();
  aimed_at_ = kNever;
}

void DriveTargets::evaluate_effort(const ModelData& model, double ahead, std::size_t motor, const State& state,
                                   Workspace& work) {
  const double effort = signal_value_ahead(model, state, ahead, work, model.motors[motor].effort);
  values_.effort[motor] = std::clamp(effort, 0.0, 1.0);
}

// How far limited motors of a position are off their targets at the state.
void DriveTargets::measure_offsets(const ModelData& model, const State& state, Workspace& work,
                                   std::vector<double>& offsets) const {
  offsets.assign(model.motors.size(), 0.0);
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorData& motor = model.motors[i];
    if (motor.kind == MotorKind::kPosition && !is_prescribed(motor))
      offsets[i] = acting_target(model, motor, state, 0, work).value -
                   coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data());
  }
}

// Limited motors aim at the end of the step that follows the new velocities. So do prescribed motions where the
// positions follow; where these came first, the motion's own rate is asked for, and speeds are those of the state's own
// time, the end of the step. Where steps are extrapolated, limited ones ask for the rate of now, and what they are off
// over a time that does not depend on the step: the velocities have a limit then, which those of steps of different
// lengths approach in powers of the length.
void DriveTargets::aim(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h,
                       const State& state, Workspace& work) {
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorData& motor = model.motors[i];
    evaluate_effort(model, h, i, state, work);
    double &value = values_.value[i], &rate = values_.rate[i];
    if (motor.kind == MotorKind::kVelocity) {
      rate = acting_target_value(model, motor, state, timing == ContactTiming::kClosed ? 0 : h, work);
      if (!is_prescribed(motor)) value = rate;
    } else if (!is_prescribed(motor)) {
      if (options.off_target && !motor.servo) {
        rate = acting_target(model, motor, state, 0, work).rate;
        value = coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data()) + h * rate +
                (*options.off_target)[i];
        continue;
      }
      const bool settles = options.settling_time > 0 && !motor.servo;
      if (!settles && !motor.servo) {
        value = acting_target_value(model, motor, state, h, work);
        continue;
      }
      const SignalMotion target = acting_target(model, motor, state, settles ? 0 : h, work);
      value = target.value, rate = target.rate;
      if (!settles) continue;
      const double q = coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data());
      value = q + h * (rate + (target.value - q) / options.settling_time);
    } else if (timing == ContactTiming::kClosed) {
      const SignalMotion target = acting_target(model, motor, state, 0, work);
      value = target.value, rate = target.rate;
    } else {
      const SignalMotion target = acting_target(model, motor, state, h, work);
      value = target.value, end_rate_[i] = target.rate;
      rate = (value - coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data())) / h;
    }
  }
  aimed_at_ = timing == ContactTiming::kAhead ? state.t + h : kNever;
}

// Where they follow the time alone, the step has asked for them already.
void DriveTargets::evaluate_at_end(const ModelData& model, const State& state, Workspace& work) {
  if (follows_poses_ || state.t != aimed_at_) return evaluate(model, 0, state, work);
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (is_prescribed(model.motors[i]) && model.motors[i].kind == MotorKind::kPosition) values_.rate[i] = end_rate_[i];
}

void DriveTargets::have_no_gap(const ModelData& model, ContactTiming timing, const State& state) {
  const auto has_gap = [&](const MotorData& motor) {
    return timing == ContactTiming::kClosed && motor.kind == MotorKind::kPosition;
  };
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (is_prescribed(model.motors[i]) && !has_gap(model.motors[i]))
      values_.value[i] = coordinate_of(model.motors[i].dof, model, state.q.data(), state.closure_q.data());
}

void DriveTargets::follow(const ModelData& model, State& state, Workspace& work) {
  update_dependent_coordinates(model, state.q.data(), work.kinematics, state.closure_q.data());
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (follows_motion(model.motors[i]) && model.motors[i].kind == MotorKind::kPosition)
      values_.value[i] = acting_target(model, model.motors[i], state, 0, work).value;
}

}  // namespace lipkin
