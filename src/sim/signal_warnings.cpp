#include "sim/signal_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "forces/channel_values.hpp"
#include "forces/switching_times.hpp"
#include "model/model_compiler.hpp"
#include "model/model_data.hpp"
#include "sim/step_failure.hpp"
#include "sim/step_warnings.hpp"

namespace lipkin {
namespace {

// Of all that a table does: a row that is farther off what the steps on both sides of it see does something else.
constexpr double kSeen = 0.1;
constexpr double kStepsInSpacing = 5;  // steps between two rows that show what is between them
// A control that is held is late by half of that: less than this part of what its activation takes is as good as none.
constexpr double kLate = 0.01;

struct Unseen {
  double t, value, before, after, spacing;  // of the row, of the steps around it, to the nearer row
};

// The first row between two steps whose value neither comes near: what rises and falls back within a step. What goes on
// from there, as a jump does, is only seen up to a step later.
std::optional<Unseen> unseen_row(const Table& table, double dt, double end) {
  const auto [least, most] = std::minmax_element(table.values.begin(), table.values.end());
  const double visible = kSeen * (*most - *least);
  if (!(visible > 0)) return std::nullopt;
  for (std::size_t i = 1; i + 1 < table.times.size() && table.times[i] < end; ++i) {
    const double t = table.times[i], value = table.values[i];
    const double spacing = std::min(t - table.times[i - 1], table.times[i + 1] - t);
    if (t < 0 || !(spacing < dt * (1 - 1e-9))) continue;
    const double step = std::floor(t / dt) * dt;
    const double before = table_value(table, step), after = table_value(table, step + dt);
    if (value > std::max(before, after) + visible || value < std::min(before, after) - visible)
      return Unseen{t, value, before, after, spacing};
  }
  return std::nullopt;
}

class TableWarnings {
 public:
  TableWarnings(const Experiment& experiment, std::vector<Diagnostic>& warnings)
      : dt_(experiment.dt), duration_(experiment.duration), warnings_(warnings) {}

  void look(const std::string& part, const Signal& signal, const SourceLocation& where) {
    const Table* table = std::get_if<Table>(&signal.source);
    const std::optional<Unseen> row = table ? unseen_row(*table, dt_, duration_) : std::nullopt;
    if (!row) return;
    warnings_.push_back(
        {signal.where.line > 0 ? signal.where : where,
         fmt::format("the table of {} is {:g} at t = {:.9g} s, {:.3g} s from its next row, and steps of "
                     "{:g} s see only the {:.4g} and {:.4g} on both sides of it",
                     part, row->value, row->t, row->spacing, dt_, row->before, row->after),
         fmt::format("write dt: {:g}", rounded_down(row->spacing / kStepsInSpacing)), Severity::kWarning});
  }

 private:
  double dt_, duration_;
  std::vector<Diagnostic>& warnings_;
};

void warn_of_rows_between_steps(const ModelParts& parts, const Experiment& experiment,
                                std::vector<Diagnostic>& warnings) {
  TableWarnings tables(experiment, warnings);
  for (const ForceSpec& force : parts.forces)
    for (const auto* signals : {&force.force, &force.torque})
      for (const Signal& signal : *signals) tables.look(fmt::format("force '{}'", force.name), signal, force.where);
  for (const ActuatorSpec& actuator : parts.actuators)
    tables.look(fmt::format("actuator '{}'", actuator.name), actuator.control, actuator.where);
  for (const MotorSpec& motor : parts.motors) {
    tables.look(fmt::format("motor '{}'", motor.name), motor.target, motor.where);
    tables.look(fmt::format("the effort of motor '{}'", motor.name), motor.effort, motor.where);
  }
  for (const ControllerSpec& controller : parts.controllers)
    tables.look(fmt::format("controller '{}'", controller.name), controller.target, controller.where);
}

// A pulse of a law of time alone that lies between two steps: it acts nowhere.
void warn_of_pulse_between_steps(const ModelData& model, const SignalPlace& place, const SignalData& signal, double dt,
                                 double end, std::vector<Diagnostic>& warnings) {
  constexpr int kMostSwitches = 64;  // that are looked at
  const auto* e = std::get_if<ChannelExpression>(&signal);
  if (!e || e->channels.size() != 1 || e->channels[0].kind != ChannelKind::kTime) return;
  const auto value_at = [&](double t) { return e->expression.evaluate(std::span<const double>(&t, 1)); };
  SwitchingTime rise = find_switch(signal, 0).next;
  for (int i = 0; i < kMostSwitches && rise.before < end; ++i) {
    const SwitchingTime fall = find_switch(signal, rise.after).next;
    if (!(fall.before < end)) return;
    const double step = std::floor(rise.after / dt * (1 + 1e-12)) * dt;
    if (rise.after > step && fall.before < step + dt) {
      const double value = value_at(0.5 * (rise.after + fall.before));
      const double before = value_at(step), after = value_at(step + dt);
      const double seen = std::max(std::abs(before), std::abs(after));
      if (std::abs(value - before) > kSeen * seen && std::abs(value - after) > kSeen * seen &&
          (value > before) == (value > after) && value != before) {
        warnings.push_back(
            {{},
             fmt::format("{} is {:.4g} from t = {:.9g} s to {:.9g} s, and steps of {:g} s see only the {:.4g} and "
                         "{:.4g} on both sides of it",
                         described(model, place), value, rise.after, fall.before, dt, before, after),
             fmt::format("write dt: {:g}, or give a force as a command: push",
                         rounded_down((fall.before - rise.after) / kStepsInSpacing)),
             Severity::kWarning});
        return;
      }
    }
    rise = fall;
  }
}

// An activation takes the control of the begin of a step, and a stepper that chooses its steps makes such a begin every
// dt, whatever its tolerances: no error estimate sees what is held.
void warn_of_held_controls(const ModelParts& parts, const Experiment& experiment, std::vector<Diagnostic>& warnings) {
  const auto look = [&](const std::string& part, const Signal& control, const ActivationSpec& activation) {
    if (activation.kind == ActivationKind::kNone || std::holds_alternative<double>(control.source)) return;
    const double time =
        activation.kind == ActivationKind::kFilter ? activation.time_constant : 0.1 * experiment.duration;
    if (!(time > 0) || !std::isfinite(time) || experiment.dt <= kLate * time) return;
    warnings.push_back(
        {control.where,
         fmt::format(
             "{} has an activation, which holds its control for dt = {:g} s each, however small the steps of {} "
             "are: it acts {:.2g} s late",
             part, experiment.dt, name_of(experiment.stepper), 0.5 * experiment.dt),
         fmt::format("write dt: {:g}", rounded_down(kLate * time)), Severity::kWarning});
  };
  for (const ActuatorSpec& actuator : parts.actuators)
    look(fmt::format("actuator '{}'", actuator.name), actuator.control, actuator.activation);
  for (const MotorSpec& motor : parts.motors)
    look(fmt::format("motor '{}'", motor.name), motor.target, motor.activation);
}

}  // namespace

void warn_of_unseen_signals(const Simulation& simulation, std::vector<Diagnostic>& warnings) {
  const Experiment& e = simulation.experiment();
  if (!(e.dt > 0)) return;
  const ModelParts& parts = *simulation.model().data().parts;
  if (chooses_steps(e)) {
    warn_of_held_controls(parts, e, warnings);
  } else {
    warn_of_rows_between_steps(parts, e, warnings);
    const ModelData& model = simulation.model().data();
    for_each_signal(model, [&](const SignalPlace& place, const SignalData& signal) {
      warn_of_pulse_between_steps(model, place, signal, e.dt, e.duration, warnings);
    });
  }
}

}  // namespace lipkin
