#include "audit/motor_signals.hpp"

#include <algorithm>
#include <cmath>

#include "forces/actuators.hpp"
#include "forces/channel_rates.hpp"
#include "model/rated_channels.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {

namespace {

const ChannelExpression* expression_of(const MotorData& motor) { return std::get_if<ChannelExpression>(&motor.target); }

bool lags(const MotorData& motor) {
  const ChannelExpression* e = expression_of(motor);
  return e && !std::all_of(e->channels.begin(), e->channels.end(), [](const Channel& c) { return has_rate(c.kind); });
}

}  // namespace

bool prescribes(const MotorData& motor) { return !std::isfinite(motor.max_force) && !motor.servo; }

MotorSignals::MotorSignals(const ModelData& model) {
  const std::size_t count = model.motors.size();
  for (std::vector<double>* values : {&value_, &rate_, &here_value_, &here_rate_}) values->assign(count, 0.0);
  effort_.assign(count, 1.0);
  for (const MotorData& motor : model.motors) {
    const Is speed = lags(motor) ? Is::kLaggingSpeed : Is::kSpeed;
    is_.push_back(!prescribes(motor) ? Is::kLimited : motor.kind == MotorKind::kPosition ? Is::kPosition : speed);
    const ChannelExpression* e = expression_of(motor);
    needs_kinematics_ = needs_kinematics_ || (prescribes(motor) && e && e->need() != ChannelNeed::kState);
  }
}

void MotorSignals::read_aim(const ModelData& model, const State& state, double h, const Aim& aim, Workspace& work) {
  const bool ahead = aim.ahead;
  for (std::size_t i = 0; i < is_.size(); ++i) {
    const MotorData& motor = model.motors[i];
    effort_[i] = std::clamp(signal_value_ahead(model, state, h, work, motor.effort), 0.0, 1.0);
    if (motor.kind == MotorKind::kVelocity) {
      value_[i] = rate_[i] = acting_target_value(model, motor, state, ahead ? h : 0, work);
    } else if (motor.servo) {
      const SignalMotion target = acting_target(model, motor, state, h, work);
      value_[i] = target.value, rate_[i] = target.rate;
    } else if (is_[i] == Is::kLimited) {
      if (aim.settling_time > 0) {
        const SignalMotion target = acting_target(model, motor, state, 0, work);
        const double q = coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data());
        value_[i] = q + h * target.rate + h / aim.settling_time * (target.value - q);
      } else {
        value_[i] = acting_target_value(model, motor, state, h, work);
      }
    } else if (ahead) {
      value_[i] = acting_target_value(model, motor, state, h, work);
      rate_[i] = (value_[i] - coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data())) / h;
    } else {
      const SignalMotion target = acting_target(model, motor, state, 0, work);
      value_[i] = target.value, rate_[i] = target.rate;
    }
  }
}

void MotorSignals::read_here(const ModelData& model, const State& state, Workspace& work) {
  for (std::size_t i = 0; i < is_.size(); ++i) {
    const MotorData& motor = model.motors[i];
    if (is_[i] == Is::kPosition) {
      const SignalMotion target = acting_target(model, motor, state, 0, work);
      here_value_[i] = target.value, here_rate_[i] = target.rate;
    } else if (is_[i] == Is::kSpeed) {
      here_rate_[i] = acting_target_value(model, motor, state, 0, work);
    } else if (is_[i] == Is::kLaggingSpeed) {
      here_rate_[i] = rate_[i];
    }
  }
}

}  // namespace lipkin
