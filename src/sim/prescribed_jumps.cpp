#include "sim/prescribed_jumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assembly/bilateral_rows.hpp"
#include "forces/channel_values.hpp"
#include "lipkin/error.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr int kHalvings = 50;

const ChannelExpression* target_of(const MotorData& motor) {
  const bool prescribes = motor.kind == MotorKind::kPosition && is_prescribed(motor);
  return prescribes && motor.activation.kind == ActivationKind::kNone ? std::get_if<ChannelExpression>(&motor.target)
                                                                      : nullptr;
}

bool is_length(const ModelData& model, const DofRef& dof) {
  if (dof.tendon >= 0) return true;
  for (const JointData& joint : model.joints) {
    const int k = dof.is_in_tree() ? dof.u_index - joint.u_index : dof.k;
    const bool is_it =
        dof.is_in_tree() ? joint.u_index >= 0 && k >= 0 && k < u_count(joint.type) : joint.closure == dof.closure;
    if (!is_it) continue;
    return joint.type == JointType::kPrismatic || (joint.type == JointType::kCylindrical && k == 1) ||
           (joint.type == JointType::kPlanar && k < 2) || (joint.type == JointType::kFree && k < 3);
  }
  return false;
}

bool follows_control(const MotorData& motor, const State& state) {
  return motor.control_index >= 0 && !std::isnan(state.control[motor.control_index]);
}

}  // namespace

PrescribedJumps::PrescribedJumps(const ModelData& model, double length, double angle) {
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const ChannelExpression* target = target_of(model.motors[i]);
    if (!target || target->expression.is_continuous()) continue;
    const std::vector<double> none(target->channels.size(), 0.0);
    const double tolerance = is_length(model, model.motors[i].dof) ? length : angle;
    motions_.push_back({static_cast<int>(i), none, none, none, tolerance});
    needs_kinematics_ = needs_kinematics_ || target->need() != ChannelNeed::kState;
  }
}

void PrescribedJumps::read(const ModelData& model, const State& state, Workspace& work, bool after) {
  if (needs_kinematics_) update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (Motion& m : motions_) {
    const ChannelExpression* target = target_of(model.motors[m.motor]);  // null: it was set to a constant
    for (std::size_t k = 0; target && k < m.before.size(); ++k) {
      const double value = channel_value(model, state, work, target->channels[k]);
      (after ? m.change[k] : m.before[k]) = after ? value - m.before[k] : value;
    }
  }
}

void PrescribedJumps::begin(const ModelData& model, const State& state, Workspace& work) {
  if (motions_.empty()) return;
  t_ = state.t;
  read(model, state, work, false);
}

// Along the straight way of its variables through the step. What is smooth follows its rates at both ends but for terms
// of third order; where it does not, halving the way closes in on the largest change: a jump stays as large as it is.
void PrescribedJumps::check(const ModelData& model, const State& state, Workspace& work) {
  if (motions_.empty()) return;
  read(model, state, work, true);
  for (Motion& m : motions_) {
    const MotorData& motor = model.motors[m.motor];
    const ChannelExpression* target = target_of(motor);
    if (!target || follows_control(motor, state)) continue;
    const auto at = [&](double s) {
      for (std::size_t k = 0; k < m.before.size(); ++k) m.there[k] = m.before[k] + s * m.change[k];
      return target->expression.evaluate_with_rate(m.there, m.change);
    };
    auto low = at(0), high = at(1);
    if (std::abs(high.value - low.value - 0.5 * (low.rate + high.rate)) < 0.5 * m.tolerance) continue;
    double from = 0, to = 1;
    for (int i = 0; i < kHalvings && std::abs(high.value - low.value) >= m.tolerance; ++i) {
      const double half = 0.5 * (from + to);
      const auto middle = at(half);
      const bool first = std::abs(middle.value - low.value) >= std::abs(high.value - middle.value);
      (first ? to : from) = half;
      (first ? high : low) = middle;
    }
    if (!(std::abs(high.value - low.value) >= m.tolerance)) continue;
    throw SimulationError(fmt::format(
        "at t = {:.9g} s the position that motor '{}' prescribes jumps by {:.4g} {}, which no motion can follow; let "
        "it "
        "rise over a time, as with smoothstep, or give the motor a max_force or a stiffness",
        t_ + from * (state.t - t_), motor.name, high.value - low.value, is_length(model, motor.dof) ? "m" : "rad"));
  }
}

}  // namespace lipkin
