#include "formulation/prescribed_jumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/audited_coordinate.hpp"
#include "constraints/bilateral_rows.hpp"
#include "forces/actuators.hpp"
#include "forces/channel_values.hpp"
#include "lipkin/error.hpp"
#include "model/tendon_path.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr int kHalvings = 50;
// A table may rise as steeply as its rows say: what it does within this part of a step, no step sees.
constexpr double kUnseen = 1.0 / 64;

bool follows_control(const MotorData& motor, const State& state) {
  return motor.control_index >= 0 && !std::isnan(state.control[motor.control_index]);
}

// What the motor was given as a number; NaN: it follows a law.
double given_to(const MotorData& motor, const State& state) {
  if (follows_control(motor, state)) return state.control[motor.control_index];
  const double* constant = std::get_if<double>(&motor.target);
  return constant ? *constant : std::numeric_limits<double>::quiet_NaN();
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

[[noreturn]] void throw_jump(const ModelData& model, const MotorData& motor, double t, double size, const char* by) {
  throw SimulationError(
      fmt::format("at t = {:.9g} s the position that motor '{}' prescribes jumps by {:.4g} {}{}, which no motion can "
                  "follow; let it "
                  "rise over a time, as with smoothstep, or give the motor a max_force or a stiffness",
                  t, motor.name, size, is_length(model, motor.dof) ? "m" : "rad", by));
}

struct Jump {
  double t, size;
};

// The largest change of a table within a part of a step that nothing sees, where it is none of a motion: what is before
// and after it does not go on likewise.
Jump jump_of(const Table& table, double t, double t_end, double tolerance) {
  const double least = kUnseen * (t_end - t);
  double low = table_value(table, t), high = table_value(table, t_end);
  while (std::abs(high - low) >= tolerance) {
    if (t_end - t <= least) {
      const double before = std::abs(low - table_value(table, t - least));
      const double after = std::abs(table_value(table, t_end + least) - high);
      return {t, std::abs(high - low) >= std::max(before, after) + tolerance ? high - low : 0};
    }
    const double half = 0.5 * (t + t_end), middle = table_value(table, half);
    const bool first = std::abs(middle - low) >= std::abs(high - middle);
    (first ? t_end : t) = half;
    (first ? high : low) = middle;
  }
  return {t, 0};
}

}  // namespace

PrescribedJumps::PrescribedJumps(const ModelData& model) {
  look_at_gears(model);
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorData& motor = model.motors[i];
    if (motor.kind != MotorKind::kPosition || !is_prescribed(motor)) continue;
    Motion m = {static_cast<int>(i), is_length(model, motor.dof), {}, false, {}, {}, {}};
    m.follows = Motion::Follows::kNothing;
    if (motor.activation.kind == ActivationKind::kNone) {
      if (std::holds_alternative<Table>(motor.target)) m.follows = Motion::Follows::kTable;
      if (const auto* e = std::get_if<ChannelExpression>(&motor.target)) {
        if (!e->expression.is_continuous()) m.follows = Motion::Follows::kExpression;
        m.looks_outside = std::any_of(e->channels.begin(), e->channels.end(),
                                      [](const Channel& c) { return c.kind == ChannelKind::kInput; });
        m.before.assign(e->channels.size(), 0.0);
        m.change = m.there = m.before;
        needs_kinematics_ = needs_kinematics_ || e->need() != ChannelNeed::kState;
      }
    }
    looks_in_steps_ = looks_in_steps_ || m.follows == Motion::Follows::kExpression;
    motions_.push_back(std::move(m));
  }
}

void PrescribedJumps::read(const ModelData& model, const State& state, Workspace& work, bool after) {
  if (!looks_in_steps_) return;
  if (needs_kinematics_) update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (Motion& m : motions_) {
    if (m.follows != Motion::Follows::kExpression) continue;
    const auto* target = std::get_if<ChannelExpression>(&model.motors[m.motor].target);  // null: set to a constant
    for (std::size_t k = 0; target && k < m.before.size(); ++k) {
      const double value = channel_value(model, state, work, target->channels[k]);
      (after ? m.change[k] : m.before[k]) = after ? value - m.before[k] : value;
    }
  }
}

// The coordinate is where the motor wanted it at the end of the last step, or, where nothing holds it there, as far off
// as it was then: what it wants now is elsewhere only if something else than time has changed what it follows. Looked
// at where that may be.
void PrescribedJumps::check_since(const ModelData& model, const State& state, Workspace& work) {
  const bool goes_on = state.t == t_end_;
  bool has_kinematics = false;
  for (Motion& m : motions_) {
    const MotorData& motor = model.motors[m.motor];
    const bool may_differ = !goes_on || m.looks_outside || !is_same(given_to(motor, state), m.given);
    if (!may_differ) continue;
    if (needs_kinematics_ && !has_kinematics) update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
    has_kinematics = true;
    const double at = coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data());
    if (drifts_ && at != m.at) continue;  // put here by something else than a step: how far off it was is not known
    const double size = acting_target_value(model, motor, state, 0, work) - at - (drifts_ ? m.off : 0);
    if (std::abs(size) >= tolerance(m)) throw_jump(model, motor, state.t, size, " by a command");
  }
}

void PrescribedJumps::look_at_gears(const ModelData& model) { gears_.assign(model.gears.begin(), model.gears.end()); }

// Another ratio or offset asks for another place at once. A state that came along with them stands there already, and
// where nothing closes gaps, what was open before is no jump.
void PrescribedJumps::check_gears(const ModelData& model, const State& state) const {
  const auto value = [&](const DofRef& dof) {
    return coordinate_of(dof, model, state.q.data(), state.closure_q.data());
  };
  for (std::size_t i = 0; i < gears_.size(); ++i) {
    const GearData& gear = model.gears[i];
    if (gear.ratio == gears_[i].ratio && gear.offset == gears_[i].offset) continue;
    const double of = value(gear.of), gap = gear.value(of) - value(gear.dof);
    const double change = gear.value(of) - gears_[i].value(of);
    const double size = std::abs(gap) < std::abs(change) ? gap : change;
    const bool length = is_length(model, gear.dof);
    if (std::abs(size) < (length ? tolerable_.length : tolerable_.angle)) continue;
    throw SimulationError(fmt::format(
        "at t = {:.9g} s gear '{}' has been given a ratio of {:g} and an offset of {:g}, by which what it drives jumps "
        "by {:.4g} {}, and no motion can follow that; with this ratio it stays where it is with an offset of {:.9g}",
        state.t, gear.name, gear.ratio, gear.offset, size, length ? "m" : "rad", gear.offset - size));
  }
}

void PrescribedJumps::begin(const ModelData& model, const State& state, Workspace& work,
                            const TolerableViolation& tolerable, bool forgive, bool drifts) {
  if (empty()) return;
  t_ = state.t;
  tolerable_ = tolerable;
  drifts_ = drifts;
  forgive ? look_at_gears(model) : check_gears(model, state);
  if (!forgive) check_since(model, state, work);
  read(model, state, work, false);
}

// Along the straight way of its variables through the step. What is smooth follows its rates at both ends but for terms
// of third order; where it does not, halving the way closes in on the largest change: a jump stays as large as it is.
void PrescribedJumps::check(const ModelData& model, const State& state, Workspace& work) {
  look_at_gears(model);
  if (motions_.empty()) return;
  t_end_ = state.t;
  read(model, state, work, true);
  if (drifts_ && needs_kinematics_ && !looks_in_steps_)
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (Motion& m : motions_) {
    const MotorData& motor = model.motors[m.motor];
    m.given = given_to(motor, state);
    if (drifts_) {
      m.at = coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data());
      m.off = acting_target_value(model, motor, state, 0, work) - m.at;
    }
    if (m.follows == Motion::Follows::kNothing || follows_control(motor, state)) continue;
    if (const auto* table = std::get_if<Table>(&motor.target)) {
      const Jump jump = jump_of(*table, t_, state.t, tolerance(m));
      if (jump.size != 0) throw_jump(model, motor, jump.t, jump.size, "");
      continue;
    }
    const auto* target = std::get_if<ChannelExpression>(&motor.target);
    if (!target) continue;
    const auto at = [&](double s) {
      for (std::size_t k = 0; k < m.before.size(); ++k) m.there[k] = m.before[k] + s * m.change[k];
      return target->expression.evaluate_with_rate(m.there, m.change);
    };
    auto low = at(0), high = at(1);
    if (std::abs(high.value - low.value - 0.5 * (low.rate + high.rate)) < 0.5 * tolerance(m)) continue;
    double from = 0, to = 1;
    for (int i = 0; i < kHalvings && std::abs(high.value - low.value) >= tolerance(m); ++i) {
      const double half = 0.5 * (from + to);
      const auto middle = at(half);
      const bool first = std::abs(middle.value - low.value) >= std::abs(high.value - middle.value);
      (first ? to : from) = half;
      (first ? high : low) = middle;
    }
    if (std::abs(high.value - low.value) >= tolerance(m))
      throw_jump(model, motor, t_ + from * (state.t - t_), high.value - low.value, "");
  }
}

}  // namespace lipkin
