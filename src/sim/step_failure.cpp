#include "sim/step_failure.hpp"

#include <fmt/format.h>

#include <cmath>

#include "forces/channel_rates.hpp"
#include "model/bilateral_laws.hpp"
#include "model/model_compiler.hpp"
#include "model/signals.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

std::string described(const ModelData& model, const SignalPlace& place) {
  const auto told = [](const char* what, const char* owner, const auto& spec, const Signal& signal) {
    const auto* text = std::get_if<ExpressionText>(&signal.source);
    return fmt::format("{} {} '{}'{}", what, owner, spec.name, text ? fmt::format(", '{}',", text->text) : "");
  };
  const ModelParts& parts = *model.parts;
  switch (place.role) {
    case SignalRole::kForce:
      return told("the force of", "force", parts.forces[place.index], parts.forces[place.index].force[place.component]);
    case SignalRole::kTorque:
      return told("the torque of", "force", parts.forces[place.index],
                  parts.forces[place.index].torque[place.component]);
    case SignalRole::kControl:
      return told("the control of", "actuator", parts.actuators[place.index], parts.actuators[place.index].control);
    case SignalRole::kTarget: {
      const MotorSpec& motor = parts.motors[place.index];
      const bool position = motor.kind == MotorKind::kPosition;
      return told(position ? "the position of" : "the velocity of", "motor", motor, motor.target);
    }
    case SignalRole::kEffort:
      return told("the effort of", "motor", parts.motors[place.index], parts.motors[place.index].effort);
    case SignalRole::kLaw:
      return told("the law of", "controller", parts.controllers[place.index], *parts.controllers[place.index].law);
    default:
      return told("the target of", "controller", parts.controllers[place.index], parts.controllers[place.index].target);
  }
}

namespace {

bool is_overridden(const ModelData& model, const SignalPlace& place, const State& state) {
  const int control = place.role == SignalRole::kControl  ? model.actuators[place.index].control_index
                      : place.role == SignalRole::kTarget ? model.motors[place.index].control_index
                                                          : -1;
  return control >= 0 && !std::isnan(state.control[control]);
}

// The first signal that is not finite, or not a number, a time `ahead` of the state.
void throw_where_not_finite(const ModelData& model, double ahead, bool may_be_infinite, const State& state,
                            Workspace& work) {
  const auto check = [&](double value, auto&& name) {
    if (std::isfinite(value) || (may_be_infinite && !std::isnan(value))) return;
    throw SimulationError(fmt::format("at t = {:.9g} s {} is {}", state.t + ahead, name(),
                                      std::isnan(value) ? "not a number" : "infinite"));
  };
  for (std::size_t i = 0; i < model.controllers.size(); ++i) {
    if (!model.controllers[i].is_pid) continue;
    check(signal_ahead(model, state, ahead, work, model.controllers[i].measured).value, [&] {
      return fmt::format("what controller '{}' measures, '{}',", model.controllers[i].name,
                         model.parts->controllers[i].measured);
    });
  }
  for_each_signal(model, [&](const SignalPlace& place, const SignalData& signal) {
    if (std::holds_alternative<double>(signal) || is_overridden(model, place, state)) return;
    const SignalMotion motion = signal_ahead(model, state, ahead, work, signal);
    check(motion.value, [&] { return described(model, place); });
    if (place.role == SignalRole::kTarget) check(motion.rate, [&] { return "the rate of " + described(model, place); });
  });
}

}  // namespace

void check_signals(const ModelData& model, const State& state, Workspace& work) {
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  throw_where_not_finite(model, 0, true, state, work);
}

void throw_failure(const ModelData& model, const StepReport& report, double dt, const State& state, Workspace& work) {
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  const double soon = 1e-9 * std::max(1.0, std::abs(state.t));  // an adaptive stepper has come as close as it can
  const double step = report.too_small ? 0.0 : dt;              // what aims at the end of the next step looks two ahead
  for (const double ahead : {0.0, soon, 1e3 * soon, step, 2 * step})
    throw_where_not_finite(model, ahead, report.too_small, state, work);
  if (report.too_small)
    throw SimulationError(
        fmt::format("at t = {:.9g} s the step fell below what the time resolves; the motion may be "
                    "singular there, or the tolerance too tight",
                    state.t));
  for (const JointData& joint : model.joints) {
    if (joint.link < 0) continue;
    for (int k = 0; k < u_count(joint.type); ++k)
      if (!std::isfinite(work.du[joint.u_index + k]))
        throw SimulationError(
            fmt::format("at t = {:.9g} s the acceleration of joint '{}' (body '{}') stops being finite; try a smaller "
                        "step, or look for forces that grow without bound",
                        state.t, joint.name, model.bodies[joint.child].name));
  }
  throw SimulationError(fmt::format("at t = {:.9g} s the state stops being finite; try a smaller step", state.t));
}

namespace {

// "motor 'a'" or "motors 'a', 'b' and 3 more": those that prescribe a motion whatever it takes.
std::string prescribing_motors(const ModelData& model) {
  constexpr std::size_t kMostNamed = 3;
  std::string names;
  std::size_t count = 0;
  for (const MotorData& motor : model.motors) {
    if (!is_prescribed(motor)) continue;
    if (++count <= kMostNamed) names += fmt::format("{}'{}'", count > 1 ? ", " : "", motor.name);
  }
  if (count == 0) return {};
  if (count > kMostNamed) names += fmt::format(" and {} more", count - kMostNamed);
  return fmt::format("{} {}", count == 1 ? "motor" : "motors", names);
}

// Gaps of a step grow with its square: one that would hold, with a margin, to one digit.
double step_that_may_hold(double dt, double times) {
  const double step = 0.5 * dt / std::sqrt(times), digit = std::pow(10, std::floor(std::log10(step)));
  return std::floor(step / digit) * digit;
}

}  // namespace

[[noreturn]] static void throw_jump(const ModelData& model, const Excess& excess, const State& state) {
  throw SimulationError(fmt::format(
      "at t = {:.9g} s the length of tendon '{}' {} {:.4g} {}, and {:.4g} {} is tolerated: its string goes "
      "the other way round what it wraps around, or one of its ends goes into that; check its 'side', its "
      "points and the motion (--tolerate goes on)",
      state.t, model.tendons[excess.item].name, excess.what, excess.value, excess.unit, excess.tolerated, excess.unit));
}

void throw_cannot_follow(const ModelData& model, const ConstraintSystem& constraints, const StepReport& report,
                         const StepOptions& options, const State& state) {
  const Excess& excess = report.excess;
  if (excess.of == Excess::Of::kTendon) throw_jump(model, excess, state);
  const std::string name = excess.of == Excess::Of::kContact
                               ? "the contact of " + constraints.name_of_contact(model, excess.item)
                               : MotionAudit(model).name_of(model, excess.item);
  const std::string motors = prescribing_motors(model);
  const std::string remedy =
      motors.empty() ? fmt::format("a step of {:.1g} s may hold it", step_that_may_hold(options.dt, excess.times))
                     : fmt::format(
                           "{} {} more than the rest can give: check the motion, the limits and the loops, or "
                           "give max_force",
                           motors, motors.starts_with("motors") ? "ask for" : "asks for");
  throw SimulationError(
      fmt::format("at t = {:.9g} s the motion cannot be followed: {} {} {:.4g} {}, and {:.4g} {} is "
                  "tolerated; {} (--tolerate goes on)",
                  state.t, name, excess.what, excess.value, excess.unit, excess.tolerated, excess.unit, remedy));
}

}  // namespace lipkin
