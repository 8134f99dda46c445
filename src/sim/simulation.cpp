#include "lipkin/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "forces/channel_values.hpp"
#include "forces/elements.hpp"
#include "model/eigen_convert.hpp"
#include "model/settings.hpp"
#include "steppers/stepper.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Times closer than this fraction of a step are the same step boundary.
constexpr double kTimeSlack = 1e-9;

void check_finite_positive(double x, const char* what) {
  if (!(std::isfinite(x) && x > 0)) throw InvalidArgument(fmt::format("{} is {}; expected a number > 0", what, x));
}

}  // namespace

struct Simulation::Impl {
  explicit Impl(Scene s)
      : scene(std::move(s)),
        data(scene.model.data()),
        state(initial_state(scene.model)),
        work(data),
        sample_work(data),
        sample_state(state),
        outputs(data.outputs.size(), 0.0),
        commands(scene.experiment.commands) {
    for (const OutputData& output : data.outputs) output_need = std::max(output_need, output.value.need());
    sort_commands();
    for (const Command& command : commands) check(command);
    stepper = make_stepper(scene.experiment.stepper, data);
    statistics.energy_initial = statistics.energy_final = energy_of(state).total();
  }

  // ---- commands ----

  void sort_commands() {
    const auto from = commands.begin() + static_cast<std::ptrdiff_t>(state.commands_done);
    std::stable_sort(from, commands.end(), [](const Command& a, const Command& b) { return a.at < b.at; });
  }

  // Throws InputError when a command cannot be carried out.
  void check(const Command& command) {
    try {
      if (const auto* set = std::get_if<CommandSet>(&command.action)) {
        ModelData copy = data;
        apply_setting(copy, set->path, set->value);
      } else {
        scene.model.body(std::get<CommandPush>(command.action).body);
      }
    } catch (const InvalidArgument& e) {
      throw InputError(command.where, e.what());
    }
  }

  void execute(const CommandSet& set) {
    const Setting setting = find_setting(data, set.path);
    if (setting.actuator >= 0) {
      state.control[setting.actuator] = set.value;
    } else {
      apply_setting(data, set.path, set.value);
      state.edits.push_back({set.path, set.value});
    }
  }

  void execute(const CommandPush& push) {
    state.pushes.push_back({scene.model.body(push.body), push.point, push.force, push.torque,
                            push.frame == ForceFrame::kBody, state.t + push.duration});
  }

  // Carries out what is due between two steps and ends the pushes that have run out.
  void apply_due_commands() {
    const double slack = kTimeSlack * std::max(scene.experiment.dt, 1e-9);
    const auto ended = [&](const ActivePush& p) { return p.until <= state.t + slack; };
    bool changed = std::erase_if(state.pushes, ended) > 0;
    while (state.commands_done < commands.size() && commands[state.commands_done].at <= state.t + slack) {
      std::visit([this](const auto& action) { execute(action); }, commands[state.commands_done].action);
      ++state.commands_done;
      changed = true;
    }
    if (changed) stepper->invalidate();
  }

  // An adaptive step ends where the next command or the end of a push is due.
  double next_event() const {
    double t = std::numeric_limits<double>::infinity();
    if (state.commands_done < commands.size()) t = commands[state.commands_done].at;
    for (const ActivePush& push : state.pushes) t = std::min(t, push.until);
    return t;
  }

  // ---- stepping ----

  void step(double limit) {
    apply_due_commands();
    const Experiment& e = scene.experiment;
    StepOptions options{e.dt, e.relative_tolerance, e.absolute_tolerance, limit};
    const bool adaptive = stepper->has_dense_output();
    if (adaptive) {
      options.limit = std::min(limit, next_event());
    } else if (limit - state.t < e.dt * (1 + kTimeSlack)) {
      options.dt = std::max(limit - state.t, 0.0);
    }
    if (adaptive && state.step_count == 0 && state.step_size == 0 && e.dt > 0) state.step_size = e.dt;
    const StepReport report = stepper->step(data, options, state, work);
    if (!report.finite || report.too_small) fail(report);
    if (!adaptive && options.dt != e.dt) state.t = limit;
    ++state.step_count;
    ++statistics.steps;
    statistics.rejected_steps += report.rejected;
    statistics.evaluations += report.evaluations;
  }

  [[noreturn]] void fail(const StepReport& report) {
    if (report.too_small)
      throw SimulationError(
          fmt::format("at t = {:.9g} s the step fell below what the time resolves; the motion may be "
                      "singular there, or the tolerance too tight",
                      state.t));
    for (const JointData& joint : data.joints) {
      if (joint.link < 0) continue;
      for (int k = 0; k < lipkin::u_count(joint.type); ++k)
        if (!std::isfinite(work.du[joint.u_index + k]))
          throw SimulationError(fmt::format(
              "at t = {:.9g} s the acceleration of joint '{}' (body '{}') stops being finite; try a smaller "
              "step, or look for forces that grow without bound",
              state.t, joint.name, data.bodies[joint.child].name));
    }
    throw SimulationError(fmt::format("at t = {:.9g} s the state stops being finite; try a smaller step", state.t));
  }

  // ---- looking ----

  Energy energy_of(const State& s) {
    update_kinematics(data, s.q.data(), s.u.data(), sample_work.kinematics);
    return {kinetic_energy(data, sample_work.kinematics, s.u.data()),
            gravitational_energy(data, sample_work.kinematics),
            elastic_energy(data, s.q.data(), sample_work.kinematics)};
  }

  void sample_outputs() {
    if (output_need == ChannelNeed::kDynamics) {
      sample_work.diag = data.armature;
      evaluate_accelerations(data, sample_state, 0, sample_work);
    }
    if (output_need != ChannelNeed::kState)
      update_kinematics(data, sample_state.q.data(), sample_state.u.data(), sample_work.kinematics);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = expression_value(data, sample_state, sample_work, data.outputs[i].value);
    sampled = true;
  }

  void sample_now() {
    sample_state = state;
    sample_outputs();
  }

  void sample_within_step(double t) {
    sample_state = state;
    stepper->interpolate(data, t, sample_state);
    sample_outputs();
  }

  Scene scene;
  ModelData data;  // the scene's model with the edits made while it runs
  State state;
  Workspace work;
  Workspace sample_work;
  State sample_state;
  std::vector<double> outputs;
  bool sampled = false;
  ChannelNeed output_need = ChannelNeed::kState;
  std::vector<Command> commands;
  std::unique_ptr<Stepper> stepper;
  Statistics statistics;
};

Simulation::Simulation(Scene scene) : impl_(std::make_unique<Impl>(std::move(scene))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Model& Simulation::model() const { return impl_->scene.model; }
const Experiment& Simulation::experiment() const { return impl_->scene.experiment; }
const State& Simulation::state() const { return impl_->state; }

void Simulation::reset() { *this = Simulation(std::move(impl_->scene)); }

void Simulation::restore(const State& state) {
  Impl& s = *impl_;
  if (state.q.size() != s.state.q.size() || state.u.size() != s.state.u.size() ||
      state.control.size() != s.state.control.size() || state.applied.size() != s.state.applied.size())
    throw InvalidArgument("the state to restore belongs to another model");
  s.data = s.scene.model.data();
  for (const SettingEdit& edit : state.edits) apply_setting(s.data, edit.path, edit.value);
  s.state = state;
  s.sampled = false;
  s.stepper->invalidate();
}

void Simulation::set_stepper(StepperKind kind) {
  impl_->scene.experiment.stepper = kind;
  impl_->stepper = make_stepper(kind, impl_->data);
  impl_->state.step_size = impl_->state.step_error = 0;
}

void Simulation::set_dt(double dt) {
  check_finite_positive(dt, "dt");
  impl_->scene.experiment.dt = dt;
}

void Simulation::set_tolerances(double relative, double absolute) {
  check_finite_positive(relative, "the relative tolerance");
  check_finite_positive(absolute, "the absolute tolerance");
  impl_->scene.experiment.relative_tolerance = relative;
  impl_->scene.experiment.absolute_tolerance = absolute;
}

void Simulation::apply(Command command) {
  impl_->check(command);
  impl_->commands.push_back(std::move(command));
  impl_->sort_commands();
}

void Simulation::set_control(int actuator, double value) {
  if (actuator < 0 || actuator >= model().actuator_count())
    throw InvalidArgument(
        fmt::format("actuator {} is out of range; the model has {}", actuator, model().actuator_count()));
  impl_->state.control[actuator] = value;
}

std::span<double> Simulation::applied_forces() { return impl_->state.applied; }

void Simulation::step(double limit) {
  impl_->step(limit);
  impl_->sampled = false;
}

void Simulation::run(double duration, double every, const Observer& on_sample, const Observer& on_step) {
  Impl& s = *impl_;
  if (!(duration >= 0)) throw InvalidArgument(fmt::format("duration is {} s; expected a number >= 0", duration));
  const double start = s.state.t, end = start + duration;
  std::uint64_t next = 1;
  const auto next_time = [&] { return start + static_cast<double>(next) * every; };
  const auto look = [&] { return !on_sample || on_sample(*this); };
  s.sample_now();
  bool go_on = look();
  while (go_on && s.state.t < end) {
    step(end);
    if (on_step && !on_step(*this)) break;
    const bool dense = s.stepper->has_dense_output() && every > 0;
    const double slack = dense ? 0 : 0.5 * s.scene.experiment.dt;
    if (every <= 0) {
      if (!s.sampled) s.sample_now();
      go_on = look();
    } else {
      while (go_on && next_time() <= s.state.t + slack + kTimeSlack * every) {
        if (dense && next_time() < s.state.t) {
          s.sample_within_step(next_time());
        } else {
          s.sample_now();
        }
        go_on = look();
        while (next_time() <= s.sample_state.t + slack + kTimeSlack * every) ++next;
      }
    }
  }
  s.sample_now();
  s.statistics.energy_final = s.energy_of(s.state).total();
}

std::span<const double> Simulation::outputs() const {
  if (!impl_->sampled) impl_->sample_now();
  return impl_->outputs;
}

double Simulation::output(std::string_view name) const { return outputs()[model().output(name)]; }

double Simulation::sample_time() const { return impl_->sample_state.t; }

Energy Simulation::energy() const { return impl_->energy_of(impl_->state); }

BodyMotion Simulation::body_motion(int body) const {
  Impl& s = *impl_;
  model().body_name(body);  // range check
  const BodyData& b = s.data.bodies[body];
  KinematicsWork& k = s.sample_work.kinematics;
  update_kinematics(s.data, s.state.q.data(), s.state.u.data(), k);
  const Transform<double> X_WB = k.X_WL[b.link] * b.X_LB;
  return {to_eigen(X_WB), to_eigen(point_velocity(k, b.link, X_WB.p)), to_eigen(k.V_WL[b.link].w)};
}

const Statistics& Simulation::statistics() const { return impl_->statistics; }

}  // namespace lipkin
