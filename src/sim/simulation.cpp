#include "lipkin/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "assembly/change_coordinates.hpp"
#include "assembly/constraints.hpp"
#include "forces/channel_values.hpp"
#include "forces/elements.hpp"
#include "forces/evaluate_forces.hpp"
#include "model/cut_joints.hpp"
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

void require(bool condition, const char* message) {
  if (!condition) throw InvalidArgument(message);
}

// Commands made ready: carrying them out takes nothing from the heap.
struct ReadySet {
  Setting setting;
  SettingEdit edit;
};
using ReadyCommand = std::variant<ReadySet, ActivePush>;  // a push that has not begun: `until` counts from its begin

}  // namespace

struct Simulation::Impl {
  explicit Impl(Scene s)
      : scene(std::move(s)),
        active(scene.model),
        data(active.data()),
        state(initial_state(active)),
        outputs(data.outputs.size(), 0.0),
        commands(scene.experiment.commands) {
    build_stages();
    check_commands();
    prepare_commands();
    work->diag = data.armature;
    const Constraints::Assembled assembled = constraints->assemble(data, state, *work);
    statistics.assembly_gap = assembled.was_open;
    statistics.assembly_worst = assembled.worst;
    statistics.assembly_moved = assembled.moved;
    sample_state = state;
    if (scene.experiment.coordinates == CoordinateKind::kMaximal) change_to(CoordinateKind::kMaximal);
    find_first_reactions();
    statistics.energy_initial = statistics.energy_final = energy_of(state).total();
  }

  // ---- coordinates ----

  // What is sized by the model that runs.
  void build_stages() {
    work = std::make_unique<Workspace>(data);
    sample_work = std::make_unique<Workspace>(data);
    constraints = std::make_unique<Constraints>(data);
    stepper = make_stepper(scene.experiment.stepper, data, *constraints);
    output_need = ChannelNeed::kState;
    for (const OutputData& output : data.outputs) output_need = std::max(output_need, output.value.need());
  }

  void change_to(CoordinateKind kind) {
    Model next = kind == CoordinateKind::kMaximal ? cut_joints(scene.model) : scene.model;
    State carried = change_coordinates(data, state, next.data());
    ModelData next_data = next.data();
    for (const SettingEdit& edit : carried.edits) apply_setting(next_data, edit.path, edit.value);
    active = std::move(next);
    data = std::move(next_data);
    state = std::move(carried);
    sample_state = state;
    sampled = false;
    scene.experiment.coordinates = kind;
    build_stages();
    prepare_commands();
  }

  // Reactions are those of the last step; before the first one, those of a trial.
  void find_first_reactions() {
    if (constraints->empty() || output_need < ChannelNeed::kDynamics) return;
    State trial = state;
    stepper->step(data, step_options(std::numeric_limits<double>::infinity()), trial, *work);
    stepper->invalidate();
    state.impulse_step = trial.impulse_step;
    state.row_impulses = trial.row_impulses;
    state.contacts = trial.contacts;
  }

  // ---- commands ----

  // Throws InvalidArgument when the command cannot be carried out.
  ReadyCommand made_ready(const Command& command) {
    require(!std::isnan(command.at), "the time of a command is not a number");
    if (const auto* set = std::get_if<CommandSet>(&command.action)) {
      const Setting setting = find_setting(data, set->path);
      check_setting(setting, set->path, set->value);
      return ReadySet{setting, {set->path, set->value}};
    }
    const auto& push = std::get<CommandPush>(command.action);
    require(push.point.allFinite() && push.force.allFinite() && push.torque.allFinite(), "a push is not finite");
    require(std::isfinite(push.duration) && push.duration >= 0, "the duration of a push is not a number >= 0 [s]");
    return ActivePush{scene.model.body(push.body),     push.point,   push.force, push.torque,
                      push.frame == ForceFrame::kBody, push.duration};
  }

  void check_commands() {
    std::vector<Diagnostic> mistakes;
    for (const Command& command : commands) {
      try {
        made_ready(command);
      } catch (const InvalidArgument& e) {
        mistakes.push_back({command.where, e.what(), {}, Severity::kError});
      }
    }
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
  }

  // Sorts what is still to come and makes it ready; the state gets room for what it will take.
  void prepare_commands() {
    const auto from = commands.begin() + static_cast<std::ptrdiff_t>(state.commands_done);
    std::stable_sort(from, commands.end(), [](const Command& a, const Command& b) { return a.at < b.at; });
    ready.clear();
    for (const Command& command : commands) ready.push_back(made_ready(command));
    state.pushes.reserve(state.pushes.size() + commands.size());
    state.edits.reserve(state.edits.size() + commands.size());
  }

  void execute(ReadySet& set) {
    if (set.setting.actuator >= 0) {
      state.control[set.setting.actuator] = set.edit.value;
    } else {
      put_setting(data, set.setting, set.edit.value);
      state.edits.push_back(std::move(set.edit));
    }
  }

  void execute(ActivePush push) {
    push.until += state.t;
    state.pushes.push_back(push);
  }

  // Carries out what is due between two steps and ends the pushes that have run out.
  void apply_due_commands() {
    const double slack = kTimeSlack * std::max(scene.experiment.dt, 1e-9);
    const auto ended = [&](const ActivePush& p) { return p.until <= state.t + slack; };
    bool changed = std::erase_if(state.pushes, ended) > 0;
    while (state.commands_done < commands.size() && commands[state.commands_done].at <= state.t + slack) {
      std::visit([this](auto& command) { execute(command); }, ready[state.commands_done]);
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

  StepOptions step_options(double limit) const {
    const Experiment& e = scene.experiment;
    return {e.dt, e.relative_tolerance, e.absolute_tolerance, limit, {e.solver, e.solver_options, e.stabilization}};
  }

  void step(double limit) {
    require(!std::isnan(limit), "the limit of a step is not a number");
    if (limit <= state.t) return;
    apply_due_commands();
    const Experiment& e = scene.experiment;
    StepOptions options = step_options(limit);
    const bool adaptive = stepper->has_dense_output();
    if (adaptive) {
      options.limit = std::min(limit, next_event());
    } else if (limit - state.t < e.dt * (1 + kTimeSlack)) {
      options.dt = std::max(limit - state.t, 0.0);
    }
    if (adaptive && state.step_count == 0 && state.step_size == 0 && e.dt > 0) state.step_size = e.dt;
    const StepReport report = stepper->step(data, options, state, *work);
    if (!report.finite || report.too_small) fail(report);
    if (!adaptive && options.dt != e.dt) state.t = limit;
    ++state.step_count;
    ++statistics.steps;
    statistics.rejected_steps += report.rejected;
    statistics.evaluations += report.evaluations;
    count(report.constraints);
  }

  void count(const ConstraintReport& report) {
    statistics.iterations += report.iterations;
    statistics.max_iterations = std::max(statistics.max_iterations, report.iterations);
    statistics.unconverged_steps += !report.converged;
    statistics.residual = std::max(statistics.residual, report.residual);
    statistics.position_violation = std::max(statistics.position_violation, report.position_violation);
    statistics.contacts = report.contacts;
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
        if (!std::isfinite(work->du[joint.u_index + k]))
          throw SimulationError(fmt::format(
              "at t = {:.9g} s the acceleration of joint '{}' (body '{}') stops being finite; try a smaller "
              "step, or look for forces that grow without bound",
              state.t, joint.name, data.bodies[joint.child].name));
    }
    throw SimulationError(fmt::format("at t = {:.9g} s the state stops being finite; try a smaller step", state.t));
  }

  // ---- looking ----

  Energy energy_of(const State& s) {
    update_kinematics(data, s.q.data(), s.u.data(), sample_work->kinematics);
    return {kinetic_energy(data, sample_work->kinematics, s.u.data()),
            gravitational_energy(data, sample_work->kinematics),
            elastic_energy(data, s.q.data(), sample_work->kinematics)};
  }

  // Accelerations with the reactions of the last step, and the forces in the joints.
  void sample_dynamics() {
    sample_work->diag = data.armature;
    update_kinematics(data, sample_state.q.data(), sample_state.u.data(), sample_work->kinematics);
    evaluate_forces(data, sample_state, 0, *sample_work);
    if (!constraints->empty()) constraints->react(data, sample_state, *sample_work);
    accelerate(data, sample_state, *sample_work);
    if (output_need == ChannelNeed::kReactions) update_joint_forces(data, *sample_work);
  }

  void sample_outputs() {
    if (output_need >= ChannelNeed::kDynamics) sample_dynamics();
    if (output_need != ChannelNeed::kState)
      update_kinematics(data, sample_state.q.data(), sample_state.u.data(), sample_work->kinematics);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = expression_value(data, sample_state, *sample_work, data.outputs[i].value);
    sampled = true;
  }

  void sample_now() {
    sample_state = state;
    sample_outputs();
    if (constraints->bilateral().row_count() == 0 || state.step_count == 0) return;
    update_kinematics(data, state.q.data(), state.u.data(), sample_work->kinematics);
    statistics.velocity_violation =
        std::max(statistics.velocity_violation, constraints->rate_violation(data, state, sample_work->kinematics));
  }

  void sample_within_step(double t) {
    sample_state = state;
    stepper->interpolate(data, t, sample_state);
    sample_outputs();
  }

  Scene scene;
  Model active;    // the scene's model, or the same with every joint cut
  ModelData data;  // the active model with the edits made while it runs
  State state;
  std::unique_ptr<Workspace> work, sample_work;
  std::unique_ptr<Constraints> constraints;
  State sample_state;
  std::vector<double> outputs;
  bool sampled = false;
  ChannelNeed output_need = ChannelNeed::kState;
  std::vector<Command> commands;    // those done first, then by time
  std::vector<ReadyCommand> ready;  // one per command
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
  const bool pushes_fit = std::all_of(state.pushes.begin(), state.pushes.end(), [&](const ActivePush& push) {
    return push.body >= 0 && push.body < model().body_count();
  });
  if (state.q.size() != s.state.q.size() || state.u.size() != s.state.u.size() ||
      state.control.size() != s.state.control.size() || state.applied.size() != s.state.applied.size() ||
      state.commands_done > s.commands.size() || !pushes_fit)
    throw InvalidArgument("the state to restore belongs to another model or experiment");
  ModelData data = s.active.data();
  for (const SettingEdit& edit : state.edits) apply_setting(data, edit.path, edit.value);
  s.data = std::move(data);
  s.state = state;
  s.prepare_commands();
  s.sampled = false;
  s.stepper->invalidate();
}

void Simulation::set_stepper(StepperKind kind) {
  impl_->scene.experiment.stepper = kind;
  impl_->stepper = make_stepper(kind, impl_->data, *impl_->constraints);
  impl_->state.step_size = impl_->state.step_error = 0;
}

void Simulation::set_coordinates(CoordinateKind kind) {
  if (kind != impl_->scene.experiment.coordinates) impl_->change_to(kind);
}

void Simulation::set_solver(SolverKind kind, const SolverOptions& options) {
  impl_->scene.experiment.solver = kind;
  impl_->scene.experiment.solver_options = options;
  impl_->stepper->invalidate();
}

void Simulation::set_stabilization(StabilizationKind kind) {
  impl_->scene.experiment.stabilization = kind;
  impl_->stepper->invalidate();
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
  try {
    impl_->made_ready(command);
  } catch (const InvalidArgument& e) {
    throw InputError(command.where, e.what());
  }
  impl_->commands.push_back(std::move(command));
  impl_->prepare_commands();
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
  KinematicsWork& k = s.sample_work->kinematics;
  update_kinematics(s.data, s.state.q.data(), s.state.u.data(), k);
  const Transform<double> X_WB = k.X_WL[b.link] * b.X_LB;
  return {to_eigen(X_WB), to_eigen(point_velocity(k, b.link, X_WB.p)), to_eigen(k.V_WL[b.link].w)};
}

const Statistics& Simulation::statistics() const { return impl_->statistics; }

}  // namespace lipkin
