#include "lipkin/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "assembly/balance_ledger.hpp"
#include "assembly/carry_state.hpp"
#include "assembly/change_coordinates.hpp"
#include "assembly/constraints.hpp"
#include "assembly/motion_freedom.hpp"
#include "exec/thread_pool.hpp"
#include "forces/actuators.hpp"
#include "forces/channel_values.hpp"
#include "forces/controllers.hpp"
#include "forces/elements.hpp"
#include "forces/evaluate_forces.hpp"
#include "forces/regularised_forces.hpp"
#include "forces/switching_times.hpp"
#include "forces/tyre.hpp"
#include "model/cut_joints.hpp"
#include "model/eigen_convert.hpp"
#include "model/settings.hpp"
#include "sim/prescribed_jumps.hpp"
#include "sim/steady_memory.hpp"
#include "sim/step_failure.hpp"
#include "sim/timed_commands.hpp"
#include "sim/watches.hpp"
#include "steppers/state_backup.hpp"
#include "steppers/stepper.hpp"
#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Times closer than this fraction of a step are the same step boundary.
constexpr double kTimeSlack = 1e-6;
constexpr double kSampleSlack = 1e-9;  // the same of the time between two samples

constexpr double kMostSamples = 1e15;  // of a run: more are closer to each other than rounding
constexpr double kNever = std::numeric_limits<double>::infinity();  // [s]

constexpr double kTolerated = 1e-4;  // gap that counts as followed, over the size of the mechanism
constexpr int kContactsEvery = 64;   // steps between two looks at the laws of contacts

// Full steps of one size end at multiples of it, whether a run ends there or not: sums of rounded steps would drift
// away from the times that people write down. A clock that did not start at a multiple ends where it is told to.
double end_of_full_step(double t, double dt, double limit) {
  const double multiple = std::round(t / dt) * dt;
  const auto is_here = [&](double time) { return std::abs(t - time) <= kTimeSlack * dt; };
  return is_here(multiple) ? multiple : is_here(limit) ? limit : t;
}

// What controllers and activations put out is held until they act again: once a step, or every dt of the run where the
// stepper chooses its steps, since no error estimate sees what is held.
bool holds_between_samples(const ModelData& data) {
  const auto is_active = [](const auto& item) { return item.activation.kind != ActivationKind::kNone; };
  return !data.controllers.empty() || std::any_of(data.actuators.begin(), data.actuators.end(), is_active) ||
         std::any_of(data.motors.begin(), data.motors.end(), is_active);
}

void check_finite_positive(double x, const char* what) {
  if (!(std::isfinite(x) && x > 0)) throw InvalidArgument(fmt::format("{} is {}; expected a number > 0", what, x));
}

bool chooses_first_step(const Experiment& e) {
  const bool may_vary = e.stepper == StepperKind::kEuler || e.stepper == StepperKind::kMoreau;
  return is_adaptive(e.stepper) || (may_vary && e.step == StepKind::kVariable);
}

void check_settings(const Experiment& e) {
  if (e.dt != 0 || !chooses_first_step(e)) check_finite_positive(e.dt, "dt");
  check_finite_positive(e.dt_min, "dt_min");
  check_finite_positive(e.dt_max, "dt_max");
  if (e.dt_min > e.dt_max)
    throw InvalidArgument(fmt::format("dt_min is {} s; expected at most dt_max, {} s", e.dt_min, e.dt_max));
  check_finite_positive(e.relative_tolerance, "the relative tolerance");
  check_finite_positive(e.absolute_tolerance, "the absolute tolerance");
  check_finite_positive(e.solver_options.tolerance, "the tolerance of the solver");
  if (e.solver_options.max_iterations < 1)
    throw InvalidArgument(fmt::format("max_iterations is {}; expected at least 1", e.solver_options.max_iterations));
  if (!(e.tolerated.length >= 0 && e.tolerated.angle >= 0 && e.tolerated.rate >= 0))
    throw InvalidArgument("what is tolerated must not be below 0");
}

void check_solver(const Experiment& e, const Constraints& constraints) {
  const bool solves = e.stepper == StepperKind::kEuler || e.stepper == StepperKind::kMoreau;
  if (solves && e.solver == SolverKind::kDirect && constraints.has_laws())
    throw InvalidArgument(
        "solver direct: it takes bilateral rows only, and there is a contact, a limit, a motor or friction; choose "
        "hybrid");
}

void require(bool condition, const char* message) {
  if (!condition) throw InvalidArgument(message);
}

// False where one has no direction.
bool normalize_quaternions(const ModelData& data, double* q) {
  for (const JointData& joint : data.joints) {
    if (joint.q_index < 0 || (joint.type != JointType::kBall && joint.type != JointType::kFree)) continue;
    double* at = q + joint.q_index + (joint.type == JointType::kFree ? 3 : 0);
    const double squared = at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3];
    if (squared == 0) return false;
    constexpr double kRounding = 1e-14;  // a unit quaternion as the steppers leave it keeps its bits
    if (std::abs(squared - 1) > kRounding) normalized(Quaternion<double>::from(at)).store(at);
  }
  return true;
}

BodyMotion motion_of(const BodyData& body, const KinematicsWork& kinematics) {
  const Transform<double> X_WB = kinematics.X_WL[body.link] * body.X_LB;
  return {to_eigen(X_WB), to_eigen(point_velocity(kinematics, body.link, X_WB.p)),
          to_eigen(kinematics.V_WL[body.link].w)};
}

bool has_sizes_of(const ModelData& data, const State& state) {
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  return state.q.size() == count(data.q_count) && state.u.size() == count(data.u_count) &&
         state.applied.size() == count(data.u_count) && state.control.size() == data.controls.size() &&
         state.inputs.size() == data.inputs.size() && state.memory.size() == count(data.memory_count) &&
         state.closure_q.size() == count(data.closure_coordinate_count);
}

// Whether a state is one of this model, by all that it points to.
bool fits(const ModelData& data, const Model& model, const State& state) {
  const auto is_body = [&](int body) { return body >= 0 && body < model.body_count(); };
  const auto is_shape = [&](int shape) {
    return shape >= 0 && static_cast<std::size_t>(shape) < data.contact_shapes.size();
  };
  const auto all = [](const auto& list, const auto& condition) {
    return std::all_of(list.begin(), list.end(), condition);
  };
  return has_sizes_of(data, state) && all(state.pushes, [&](const ActivePush& p) { return is_body(p.body); }) &&
         all(state.drags, [&](const ActiveDrag& d) { return is_body(d.body); }) &&
         all(state.contacts, [&](const ContactMemory& c) { return is_shape(c.shape_a) && is_shape(c.shape_b); });
}

}  // namespace

struct Simulation::Impl {
  // was_edited: the model is no longer that of the scene, and commands may have lost their target.
  explicit Impl(Scene s, bool was_edited = false)
      : scene(std::move(s)),
        active(scene.model),
        data(active.data()),
        state(initial_state(active)),
        outputs(data.outputs.size(), 0.0),
        commands(scene.experiment.commands),
        edited(was_edited) {
    take(make_stages(data, scene.experiment));
    if (!edited) commands.check(scene.model, data);
    commands.prepare(scene.model, data, edited, state);
    work->diag = data.armature;
    if (data.massless_joints.empty()) assemble();
    update_kinematics(data, state.q.data(), state.u.data(), work->kinematics);
    update_dependent_coordinates(data, state.q.data(), work->kinematics, state.closure_q.data());
    sample_state = state;
    if (scene.experiment.coordinates == CoordinateKind::kMaximal) change_coordinates_to(scene.experiment);
    if (data.massless_joints.empty()) find_first_reactions();
    statistics.energy_initial = statistics.energy_final = energy_of(state).total();
    const auto asks = [](const OutputData& output) { return output.value.needs_balance(); };
    if (std::any_of(data.outputs.begin(), data.outputs.end(), asks)) watch_balance();
  }

  void watch_balance() {
    ledger = std::make_unique<BalanceLedger>(data);
    ledger->start(data, state);
    ask_for_reactions();
  }

  void ask_for_reactions() {
    constraints->want_reactions(ledger || watches.need() >= ChannelNeed::kDynamics ||
                                (looks_at_all && need_on_request >= ChannelNeed::kDynamics));
  }

  // From the first look at the outputs that are worked out on request.
  void look_at_all() {
    if (looks_at_all || !has_outputs_on_request()) return;
    looks_at_all = true;
    ask_for_reactions();
    if (state.step_count > 0 || first_step || !data.massless_joints.empty()) return;
    find_first_reactions();
    sampled = false;
  }

  bool has_outputs_on_request() const {
    return std::any_of(data.outputs.begin(), data.outputs.end(), [](const OutputData& o) { return o.on_request; });
  }

  // ---- coordinates ----

  // What is made for a model and for the settings of the run. Complete before the simulation takes any of it: what is
  // refused changes nothing.
  struct Stages {
    std::unique_ptr<Workspace> work, sample_work;
    std::unique_ptr<Constraints> constraints;
    std::unique_ptr<Stepper> stepper;
  };

  static Stages make_stages(const ModelData& model, const Experiment& e) {
    Stages made{std::make_unique<Workspace>(model), std::make_unique<Workspace>(model), make_constraints(model, e), {}};
    if (has_forces_for_rows(model, e)) {
      made.work->regularised = std::make_shared<RegularisedForces>(model, e.slip_speed);
      made.sample_work->regularised = std::make_shared<RegularisedForces>(model, e.slip_speed);
    }
    made.stepper = make_stepper(e.stepper, e.step, model, *made.constraints);
    if (made.stepper->chooses_steps() && e.dt == 0 && holds_between_samples(model))
      throw InvalidArgument(
          "controllers and activations act at fixed times where the stepper chooses its steps; expected dt > 0, the "
          "time "
          "between two of them [s]");
    check_solver(e, *made.constraints);
    return made;
  }

  // The stages of the model in `data`.
  void take(Stages made) {
    stepper = std::move(made.stepper);  // before the constraints that the old one works on
    constraints = std::move(made.constraints);
    work = std::move(made.work);
    sample_work = std::move(made.sample_work);
    work->threads = threads.get();
    jumps = std::make_unique<PrescribedJumps>(data, tolerated_length(), scene.experiment.tolerated.angle);
    signals_changed();
    holds = holds_between_samples(data);
    before_step.keep(state);  // so that steps find the room
    output_need = need_on_request = ChannelNeed::kState;
    for (const OutputData& output : data.outputs) {
      ChannelNeed& need = output.on_request ? need_on_request : output_need;
      need = std::max(need, output.value.need());
    }
    watches.compile(data);
    ask_for_reactions();
  }

  static Model in_coordinates(const Model& model, CoordinateKind kind) {
    return kind == CoordinateKind::kMaximal ? cut_joints(model) : model;
  }

  // Contact and joint friction are rows, or forces.
  static bool has_forces_for_rows(const ModelData& model, const Experiment& e) {
    if (model.contact_shapes.empty() && model.joint_frictions.empty()) return false;
    const bool rows = e.stepper == StepperKind::kEuler || e.stepper == StepperKind::kMoreau;
    return e.contact == ContactKind::kRegularised || (e.contact == ContactKind::kByStepper && !rows);
  }

  static std::unique_ptr<Constraints> make_constraints(const ModelData& model, const Experiment& e) {
    return has_forces_for_rows(model, e) ? std::make_unique<Constraints>(without_regularised_rows(model))
                                         : std::make_unique<Constraints>(model);
  }

  // ---- settings ----

  // Settings of the run, all at once or none. `anew`: the stepper starts anew even where it is the same.
  void change_settings(Experiment next, bool anew = false) {
    check_settings(next);
    const Experiment& now = scene.experiment;
    if (next.coordinates != now.coordinates) return change_coordinates_to(std::move(next));
    if (anew || next.stepper != now.stepper || next.step != now.step || next.contact != now.contact ||
        next.slip_speed != now.slip_speed) {
      take(make_stages(data, next));
      state.step_size = state.step_error = 0;
    } else if (check_solver(next, *constraints); next.solver != now.solver || next.stabilization != now.stabilization) {
      stepper->invalidate();
    }
    scene.experiment = std::move(next);
  }

  void change_coordinates_to(Experiment next) {
    Model running = in_coordinates(scene.model, next.coordinates);
    State carried = change_coordinates(data, state, running.data());
    if (next.stepper != scene.experiment.stepper || next.step != scene.experiment.step)
      carried.step_size = carried.step_error = 0;
    adopt({scene.model, std::move(next), std::move(running), std::move(carried), commands, edited});
  }

  // What goes on in place of what runs.
  struct Successor {
    Model model;  // of the scene
    Experiment experiment;
    Model active;
    State state;  // of `active`
    TimedCommands commands;
    bool edited = false;
  };

  // Builds all of it before it assigns any: where it throws, nothing has changed.
  void adopt(Successor next) {
    ModelData next_data = next.active.data();
    std::erase_if(next.state.edits, [&](const SettingEdit& edit) { return !apply_edit(next_data, edit); });
    Stages made = make_stages(next_data, next.experiment);
    next.commands.prepare(next.model, next_data, next.edited, next.state);
    std::unique_ptr<BalanceLedger> next_ledger;
    if (ledger) {
      next_ledger = std::make_unique<BalanceLedger>(next_data);
      next_ledger->start(next_data, next.state);
      next_ledger->take_over(*ledger, next_data, next.state);
    }
    scene.model = std::move(next.model);
    scene.experiment = std::move(next.experiment);
    active = std::move(next.active);
    data = std::move(next_data);
    commands = std::move(next.commands);
    edited = next.edited;
    ledger = std::move(next_ledger);
    memory.replace(state, std::move(next.state));
    commands.prepare(scene.model, data, edited, state);  // as before, but where the values are now
    sample_state = state;
    outputs.assign(data.outputs.size(), 0.0);
    sampled = false;
    first_step.reset();
    take(std::move(made));
  }

  // False where what it changed is no longer part of the model.
  static bool apply_edit(ModelData& to, const SettingEdit& edit) {
    try {
      apply_setting(to, edit.path, edit.value);
    } catch (const InvalidArgument&) {
      return false;
    }
    return true;
  }

  void change_model(Model next) {
    const Experiment& e = scene.experiment;
    const bool maximal = e.coordinates == CoordinateKind::kMaximal;
    const ModelData& before = scene.model.data();
    State carried = carry_state(before, maximal ? change_coordinates(data, state, before) : state, next.data());
    const std::unique_ptr<Constraints> rows = make_constraints(next.data(), e);
    make_stepper(e.stepper, e.step, next.data(), *rows);  // throws where it cannot handle the constraints
    if (!holds_alike(before, next.data())) close_what_is_new(next.data(), *rows, carried);
    Model running = in_coordinates(next, e.coordinates);
    if (maximal) carried = change_coordinates(next.data(), carried, running.data());
    adopt({std::move(next), e, std::move(running), std::move(carried), commands, true});
  }

  // Brings a carried state onto the rows of an edited model. What only takes away is never refused, also where the
  // mechanism cannot be closed from where it is: it stands no worse than before.
  void close_what_is_new(const ModelData& next, Constraints& rows, State& carried) {
    const ModelData& before = scene.model.data();
    const bool maximal = scene.experiment.coordinates == CoordinateKind::kMaximal;
    const bool only_takes_away = asks_for_nothing_new(before, next);
    const auto check = [&] {
      if (only_takes_away) return;
      check_motion_freedoms(before, maximal ? change_coordinates(data, state, before) : state, next, carried);
    };
    const bool has_old_joints = has_same_joints(before, next);  // so that its loops are closed already
    if (has_old_joints) check();
    State closed = carried;
    Workspace scratch(next);
    scratch.diag = next.armature;
    try {
      rows.assemble(next, closed, scratch);
    } catch (const InputError&) {
      if (only_takes_away) return;
      throw;
    }
    carried = std::move(closed);
    if (!has_old_joints) check();
  }

  // As a new simulation of the scene, with the memory and the threads of the one before.
  void begin_in_place_of(Impl& before) {
    watches = std::move(before.watches);
    watches.compile(data);
    checks_all = before.checks_all;
    memory = std::move(before.memory);
    State initial = std::move(state);
    state = std::move(before.state);
    memory.replace(state, std::move(initial));
    threads = std::move(before.threads);
    work->threads = threads.get();
    ask_for_reactions();
  }

  // Closes loops and other bilateral rows from the coordinates given.
  void assemble() {
    const Constraints::Assembled assembled = constraints->assemble(data, state, *work);
    statistics.assembly_gap = assembled.was_open;
    statistics.assembly_worst = assembled.worst;
    statistics.assembly_moved = assembled.moved;
  }

  void require_inertia() const {
    if (data.massless_joints.empty()) return;
    const JointData& joint = data.joints[data.massless_joints[0]];
    throw SimulationError(
        fmt::format("joint '{}' carries '{}', which has no inertia about it: the model cannot be stepped", joint.name,
                    data.bodies[joint.child].name));
  }

  // Reactions are those of the last step; before the first one, those of a trial, which the run knows nothing of.
  void find_first_reactions() {
    const ChannelNeed need = looks_at_all ? std::max(output_need, need_on_request) : output_need;
    if (constraints->empty() || need < ChannelNeed::kDynamics) return;
    first_step = state;
    StepOptions options = step_options(std::numeric_limits<double>::infinity());
    options.tolerate = true;
    const StepReport report = stepper->step(data, options, *first_step, *work);
    if (report.finite) add_velocity_terms(options, *first_step);
    stepper->invalidate();
    if (!report.finite) first_step.reset();
  }

  // Of what bilateral rows do in a step of `euler`, the part that turns the velocities with the rows comes behind its
  // solve: with projection in the impulses that make the velocities fit, else in the solve of the step after it.
  void add_velocity_terms(const StepOptions& options, State& first) {
    if (scene.experiment.stepper != StepperKind::kEuler || first.reactions.empty()) return;
    if (options.constraints.stabilization == StabilizationKind::kProjection) {
      if (first.carried_impulses.size() != first.reactions.size()) return;
      for (std::size_t r = 0; r < first.reactions.size(); ++r) first.reactions[r] += first.carried_impulses[r];
      return;
    }
    State second = first;
    stepper->step(data, options, second, *work);
    if (second.reactions.size() == first.reactions.size()) first.reactions = second.reactions;
  }

  // Carries out what is due between two steps and ends the pushes that have run out.
  void apply_due_commands() {
    if (commands.apply_due(time_slack(), data, state)) {
      stepper->invalidate();
      signals_changed();
      if (ledger) ledger->model_changed(data, state);
    }
  }

  // ---- stepping ----

  double time_slack() const { return kTimeSlack * std::max(scene.experiment.dt, 1e-9); }

  double tolerated_length() const {
    const double given = scene.experiment.tolerated.length;
    return given > 0 ? given : kTolerated * constraints->length_scale();
  }

  // Contacts are many: their laws are looked at now and then, at the ends of a run, and where outputs are.
  bool checks_contacts(double limit) const {
    return checks_all || state.step_count % kContactsEvery == 0 || state.t + scene.experiment.dt >= next_look ||
           state.t + scene.experiment.dt >= limit;
  }

  StepOptions step_options(double limit) const {
    const Experiment& e = scene.experiment;
    return {e.dt,
            e.relative_tolerance,
            e.absolute_tolerance,
            limit,
            {e.solver, e.solver_options, e.stabilization},
            nullptr,
            e.dt_min,
            e.dt_max,
            {tolerated_length(), e.tolerated.angle, e.tolerated.rate},
            e.tolerated.anything,
            checks_contacts(limit)};
  }

  bool lies_ahead(double t) const {
    return stepper->chooses_steps() ? state.t < t : state.t < t - kTimeSlack * scene.experiment.dt;
  }

  void check_jumps() {
    if (!scene.experiment.tolerated.anything) jumps->check(data, state, *sample_work);
  }

  // ---- when controllers and activations act ----

  bool samples_at_times() const { return holds && stepper->chooses_steps(); }

  bool is_sample(double t) const {
    const double dt = scene.experiment.dt;
    return !samples_at_times() || std::abs(t - std::round(t / dt) * dt) <= kTimeSlack * dt;
  }

  double next_sample(double t) const {
    const double dt = scene.experiment.dt;
    return samples_at_times() ? (std::floor(t / dt + kTimeSlack) + 1) * dt : kNever;
  }

  // What fails leaves the state, and what is booked, as they were before.
  template <class Work>
  auto whole_or_not_at_all(const Work& work_on_state) {
    before_step.keep(state);
    if (ledger) books_before_step = ledger->books();
    try {
      return work_on_state();
    } catch (...) {
      before_step.restore(state);
      if (ledger) ledger->restore(books_before_step);
      stepper->invalidate();
      sampled = false;
      throw;
    }
  }

  void step(double limit) {
    require(!std::isnan(limit), "the limit of a step is not a number");
    if (!lies_ahead(limit)) return;
    if (ledger && ledger->time() != state.t) book_until(state);  // samples within the last step turned it back
    const bool adaptive = stepper->chooses_steps();
    if (adaptive) pass_switching_time(limit);
    if (!lies_ahead(limit)) return;
    require_inertia();
    apply_due_commands();
    const Experiment& e = scene.experiment;
    StepOptions options = step_options(limit);
    options.ledger = ledger.get();
    const double begin = state.t;
    if (adaptive) {
      options.limit = std::min({limit, commands.next_event(state), switching_time().before, next_sample(state.t)});
    } else if (limit - begin < e.dt * (1 - kTimeSlack)) {
      options.dt = limit - begin;
    } else {
      options.limit = std::numeric_limits<double>::infinity();  // a full step, to the last bit
    }
    if (adaptive && state.step_count == 0 && state.step_size == 0 && e.dt > 0) state.step_size = e.dt;
    TimedCommands::share_pushes(adaptive ? 0 : options.dt, time_slack(), state);
    const StepReport report = whole_or_not_at_all([&] { return take_step(options, limit, adaptive); });
    if (state.t != options.limit) count_step(state.t - begin);
    ++statistics.steps;
    statistics.rejected_steps += report.rejected;
    statistics.evaluations += report.evaluations;
    count(report);
    if (work->regularised) statistics.contacts = static_cast<int>(work->regularised->touching().size());
    if (ledger) book_until(state);
  }

  StepReport take_step(const StepOptions& options, double limit, bool adaptive) {
    const double begin = state.t, dt = scene.experiment.dt;
    if (is_sample(begin)) {
      work_controllers(data, state, *sample_work);
      begin_activations(data, state, *sample_work);
    }
    jumps->begin(data, state, *sample_work, scene.experiment.tolerated.anything);
    const StepReport report = stepper->step(data, options, state, *work);
    std::vector<double> worked;  // what controllers made of it, for the reason
    if (!report.is_good() || report.too_small) {
      worked = state.memory;
      before_step.restore(state);
    }
    if (!(report.excess.times <= 1)) throw_cannot_follow(data, *constraints, report, options, state);
    if (!report.finite || report.too_small) {
      State failed = state;
      failed.memory = worked;
      throw_failure(data, report, options.dt, failed, *work);
    }
    if (!adaptive) state.t = options.dt == dt ? end_of_full_step(state.t, dt, limit) : limit;
    if (work->saw_nan || sample_work->saw_nan) look_for_nan();
    check_jumps();
    shear_tyres(state.t - begin);
    ++state.step_count;
    return report;
  }

  // Steps that were tried and taken back may have seen what the motion never does.
  void look_for_nan() {
    work->saw_nan = sample_work->saw_nan = false;
    check_signals(data, state, *sample_work);
    work->saw_nan = sample_work->saw_nan = false;
  }

  // ---- times at which signals switch ----

  SwitchingTime switching_time() {
    return switches.next(data, state.t, is_time_stepping() ? scene.experiment.dt_max : state.step_size);
  }

  // From the last moment before a switch to the first one behind it: nothing moves meanwhile.
  void pass_switching_time(double limit) {
    for (SwitchingTime next = switching_time(); state.t < limit && state.t >= next.before; next = switching_time()) {
      whole_or_not_at_all([&] {
        jumps->begin(data, state, *sample_work, scene.experiment.tolerated.anything);
        state.t = std::min(next.after, limit);
        check_jumps();
      });
      stepper->invalidate();
      if (ledger) book_until(state);
    }
  }

  void signals_changed() {
    switches.start(data);
    if (jumps) jumps->model_changed();
  }

  void shear_tyres(double h) {
    if (data.tyres.empty()) return;
    update_kinematics(data, state.q.data(), state.u.data(), sample_work->kinematics);
    advance_tyres(data, sample_work->kinematics, h, state);
  }

  // Time stepping has booked its impulses; the others are smooth between any two states.
  void book_until(const State& s) {
    if (is_time_stepping()) {
      ledger->finish(data, s);
    } else {
      ledger->finish_smooth(data, s);
    }
  }

  bool is_time_stepping() const {
    const StepperKind kind = scene.experiment.stepper;
    return kind == StepperKind::kEuler || kind == StepperKind::kMoreau;
  }

  void count_step(double h) {
    statistics.shortest_step = statistics.shortest_step > 0 ? std::min(statistics.shortest_step, h) : h;
    statistics.longest_step = std::max(statistics.longest_step, h);
  }

  void count(const StepReport& step) {
    const ConstraintReport& report = step.constraints;
    statistics.iterations += report.iterations;
    statistics.max_iterations = std::max(statistics.max_iterations, report.iterations);
    statistics.unconverged_steps += !report.converged;
    statistics.residual = worse(statistics.residual, report.residual);
    statistics.position_violation = worse(statistics.position_violation, report.penetration);
    if (step.audit) {
      statistics.residual = worse(statistics.residual, step.audit->law.value);
      statistics.position_violation = worse(statistics.position_violation, step.audit->position());
      statistics.velocity_violation = worse(statistics.velocity_violation, step.audit->velocity());
    }
    statistics.contacts = report.contacts;
    if (report.undetermined > 0) note_undetermined();
  }

  void note_undetermined() {
    ++statistics.undetermined_steps;
    // Names are looked up where they may be new: in the first steps, then ever more rarely.
    if (!std::has_single_bit(statistics.undetermined_steps)) return;
    for (std::string& name : constraints->undetermined_laws(data))
      if (std::find(statistics.undetermined.begin(), statistics.undetermined.end(), name) ==
          statistics.undetermined.end())
        statistics.undetermined.push_back(std::move(name));
  }

  void state_written() {
    if (!normalize_quaternions(data, state.q.data())) throw InvalidArgument("q has a quaternion of length zero");
    if (data.closure_coordinate_count > 0) {
      update_kinematics(data, state.q.data(), state.u.data(), sample_work->kinematics);
      update_dependent_coordinates(data, state.q.data(), sample_work->kinematics, state.closure_q.data());
    }
    forces_written();
    if (ledger) ledger->start(data, state);
  }

  void forces_written() {
    sampled = false;
    stepper->invalidate();
  }

  // Values that change often take the room of one edit.
  void set(std::string_view path, double value) {
    const Setting setting = find_setting(data, path);
    check_setting(setting, path, value);
    if (setting.control >= 0) {
      state.control[setting.control] = value;
    } else if (setting.input >= 0) {
      state.inputs[setting.input] = value;
    } else {
      put_setting(data, setting, value);
      signals_changed();
      if (setting.overrides >= 0) state.control[setting.overrides] = std::numeric_limits<double>::quiet_NaN();
      std::erase_if(state.edits, [&](const SettingEdit& edit) { return edit.path == path; });
      state.edits.push_back({std::string(path), value});
      if (ledger) ledger->model_changed(data, state);
    }
    forces_written();
  }

  // ---- looking ----

  Energy energy_of(const State& s) {
    update_kinematics(data, s.q.data(), s.u.data(), sample_work->kinematics);
    if (sample_work->regularised) evaluate_forces(data, s, 0, *sample_work);  // the contacts, for what they store
    return {kinetic_energy(data, sample_work->kinematics, s.u.data()),
            gravitational_energy(data, sample_work->kinematics),
            elastic_energy(data, s.q.data(), s.closure_q.data(), sample_work->kinematics) +
                contact_energy(data, *sample_work) + tyre_energy(data, sample_work->kinematics, s.memory.data())};
  }

  // Accelerations with the reactions of the last step, and the forces in the joints.
  void sample_dynamics(ChannelNeed need) {
    sample_work->diag = data.armature;
    update_kinematics(data, sample_state.q.data(), sample_state.u.data(), sample_work->kinematics);
    evaluate_forces(data, sample_state, 0, *sample_work);
    if (sample_work->regularised) sample_work->regularised->remember(sample_state);
    if (!constraints->empty()) constraints->react(data, sample_state, *sample_work);
    accelerate(data, sample_state, *sample_work);
    if (need == ChannelNeed::kReactions) update_joint_forces(data, *sample_work);
  }

  void sample_outputs() {
    prepare_sample(output_need);
    sampled = sampled_all = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const OutputData& output = data.outputs[i];
      sampled_all = sampled_all && !output.on_request;
      outputs[i] = output.on_request ? std::numeric_limits<double>::quiet_NaN()
                                     : expression_value(data, sample_state, *sample_work, output.value);
    }
  }

  // What loops do is known from the first step on after somebody asked.
  bool knows_reactions() const {
    const auto rows = static_cast<std::size_t>(constraints->bilateral().row_count());
    return rows == 0 || sample_state.reactions.size() == rows;
  }

  void sample_outputs_on_request() {
    look_at_all();
    if (!sampled) sample_now();
    if (sampled_all) return;
    prepare_sample(need_on_request);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const OutputData& output = data.outputs[i];
      if (output.on_request && (output.value.need() < ChannelNeed::kDynamics || knows_reactions()))
        outputs[i] = expression_value(data, sample_state, *sample_work, output.value);
    }
    sampled_all = true;
  }

  void prepare_sample(ChannelNeed need) {
    if (ledger) ledger->write(*sample_work);
    if (need >= ChannelNeed::kDynamics) {
      sample_dynamics(need);
    } else if (sample_work->regularised && need != ChannelNeed::kState) {
      evaluate_forces(data, sample_state, 0, *sample_work);  // the contacts, for what they store
    }
    if (need != ChannelNeed::kState)
      update_kinematics(data, sample_state.q.data(), sample_state.u.data(), sample_work->kinematics);
  }

  std::span<const double> sample_watches() {
    if (!sampled) sample_now();
    prepare_sample(watches.need());
    return watches.values(data, sample_state, *sample_work);
  }

  // t: when the row stands, if not at the state's own time; closer to it than the motion can tell.
  void sample_now(std::optional<double> t = {}) {
    sample_state = state;
    sample_state.t = t.value_or(state.t);
    if (ledger && ledger->time() != state.t) book_until(state);
    if (first_step && state.step_count == 0) {
      sample_state.impulse_step = first_step->impulse_step;
      sample_state.row_impulses = first_step->row_impulses;
      sample_state.reactions = first_step->reactions;
      sample_state.contacts = first_step->contacts;
    }
    sample_outputs();
  }

  void sample_within_step(double t) {
    sample_state = state;
    stepper->interpolate(data, t, sample_state);
    if (data.closure_coordinate_count > 0) {
      update_kinematics(data, sample_state.q.data(), sample_state.u.data(), sample_work->kinematics);
      update_dependent_coordinates(data, sample_state.q.data(), sample_work->kinematics, sample_state.closure_q.data());
    }
    if (ledger && !is_time_stepping()) book_until(sample_state);  // impulses are booked by whole steps
    sample_outputs();
  }

  Scene scene;
  Model active;    // the scene's model, or the same with every joint cut
  ModelData data;  // the active model with the edits made while it runs
  State state;
  std::unique_ptr<ThreadPool> threads;  // null: the calling one alone
  SteadyMemory memory;
  std::unique_ptr<Workspace> work, sample_work;
  std::unique_ptr<Constraints> constraints;
  StateBackup before_step;
  BalanceLedger::Books books_before_step;
  State sample_state;
  std::optional<State> first_step;  // a trial from the initial state, for its impulses
  std::vector<double> outputs;
  bool sampled = false, sampled_all = false;  // all: what is worked out on request too
  bool looks_at_all = false;
  ChannelNeed output_need = ChannelNeed::kState, need_on_request = ChannelNeed::kState;
  TimedCommands commands;
  std::unique_ptr<Stepper> stepper;
  std::unique_ptr<PrescribedJumps> jumps;
  SwitchingSearch switches;
  Statistics statistics;
  Watches watches;
  std::unique_ptr<BalanceLedger> ledger;  // where the balance is watched
  bool edited = false;                    // the model is no longer that of the scene
  bool checks_all = false;                // the laws of contacts are checked at every step
  bool holds = false;                     // controllers or activations are there
  double next_look = kNever;              // when outputs will be looked at next [s]
};

Simulation::Simulation(Scene scene) : impl_(std::make_unique<Impl>(std::move(scene))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Model& Simulation::model() const { return impl_->scene.model; }
const Experiment& Simulation::experiment() const { return impl_->scene.experiment; }
const State& Simulation::state() const { return impl_->state; }

void Simulation::reset() {
  const bool watched = watches_balance();
  auto initial = std::make_unique<Impl>(impl_->scene, impl_->edited);  // where it throws, what runs goes on
  initial->begin_in_place_of(*impl_);
  impl_ = std::move(initial);
  if (watched && !watches_balance()) watch_balance();
}

void Simulation::restore(const State& state) {
  Impl& s = *impl_;
  if (!fits(s.data, model(), state) || state.commands_done > s.commands.list().size())
    throw InvalidArgument("the state to restore belongs to another model or experiment");
  ModelData data = s.active.data();
  for (const SettingEdit& edit : state.edits) apply_setting(data, edit.path, edit.value);
  State restored = state;
  if (!std::isfinite(state.t) || !all_finite(state.q) || !all_finite(state.u))
    throw InvalidArgument("the state to restore is not finite");
  if (std::vector<double> q = state.q; !normalize_quaternions(s.active.data(), q.data()))
    throw InvalidArgument("the state to restore has a quaternion of length zero");
  TimedCommands commands = s.commands;
  commands.prepare(s.scene.model, data, s.edited, restored);
  s.data = std::move(data);
  s.memory.replace(s.state, std::move(restored));
  s.commands = std::move(commands);
  s.commands.prepare(s.scene.model, s.data, s.edited, s.state);  // as before, but where the values are now
  s.sampled = false;
  s.stepper->invalidate();
  s.signals_changed();
  if (s.ledger) s.ledger->start(s.data, s.state);
}

void Simulation::exchange(State& state) {
  require(has_sizes_of(impl_->data, state), "the state to exchange belongs to another model");
  std::swap(impl_->state, state);
  impl_->forces_written();
}

Checkpoint Simulation::checkpoint() const {
  begin_anew();
  return peek();
}

void Simulation::begin_anew() const { impl_->stepper->mark_checkpoint(); }

Checkpoint Simulation::peek() const {
  const Impl& s = *impl_;
  Experiment experiment = s.scene.experiment;
  experiment.commands = s.commands.list();
  return {s.scene.model, std::move(experiment), s.state, s.statistics};
}

void Simulation::restore(const Checkpoint& checkpoint) {
  Impl& s = *impl_;
  s.adopt({checkpoint.model, checkpoint.experiment,
           Impl::in_coordinates(checkpoint.model, checkpoint.experiment.coordinates), checkpoint.state,
           TimedCommands(checkpoint.experiment.commands), true});
  s.statistics = checkpoint.statistics;
  if (s.ledger) s.ledger->start(s.data, s.state);
}

void Simulation::change_model(Model model) { impl_->change_model(std::move(model)); }
const Model& Simulation::running_model() const { return impl_->active; }

void Simulation::set_drags(std::vector<ActiveDrag> drags) {
  for (const ActiveDrag& drag : drags) {
    model().body_name(drag.body);  // range check
    require(drag.point.allFinite() && drag.target.allFinite(), "a drag is not finite");
  }
  impl_->state.drags = std::move(drags);
  impl_->stepper->invalidate();
}

std::vector<std::string> Simulation::set_watches(std::vector<std::string> expressions) {
  impl_->watches.set(std::move(expressions));
  std::vector<std::string> mistakes = impl_->watches.compile(impl_->data);
  impl_->ask_for_reactions();
  if (impl_->watches.needs_balance() && !impl_->ledger) impl_->watch_balance();
  return mistakes;
}

std::span<const double> Simulation::watched() { return impl_->sample_watches(); }

void Simulation::set_experiment(Experiment experiment) {
  experiment.commands = impl_->scene.experiment.commands;
  impl_->change_settings(std::move(experiment));
}

void Simulation::set_stepper(StepperKind kind) {
  Experiment next = experiment();
  next.stepper = kind;
  impl_->change_settings(std::move(next), true);
}

void Simulation::set_coordinates(CoordinateKind kind) {
  Experiment next = experiment();
  next.coordinates = kind;
  impl_->change_settings(std::move(next));
}

void Simulation::set_solver(SolverKind kind, const SolverOptions& options) {
  Experiment next = experiment();
  next.solver = kind;
  next.solver_options = options;
  impl_->change_settings(std::move(next));
  impl_->stepper->invalidate();
}

void Simulation::check_all(bool every_step) { impl_->checks_all = every_step; }

void Simulation::tolerate(bool anything) { impl_->scene.experiment.tolerated.anything = anything; }

void Simulation::set_stabilization(StabilizationKind kind) {
  Experiment next = experiment();
  next.stabilization = kind;
  impl_->change_settings(std::move(next));
}

void Simulation::set_dt(double dt) {
  Experiment next = experiment();
  next.dt = dt;
  check_finite_positive(dt, "dt");
  impl_->change_settings(std::move(next));
}

void Simulation::set_step(StepKind kind, double dt_min, double dt_max) {
  Experiment next = experiment();
  next.step = kind;
  next.dt_min = dt_min;
  next.dt_max = dt_max;
  impl_->change_settings(std::move(next), true);
}

void Simulation::set_tolerances(double relative, double absolute) {
  Experiment next = experiment();
  next.relative_tolerance = relative;
  next.absolute_tolerance = absolute;
  impl_->change_settings(std::move(next));
}

void Simulation::apply(Command command) {
  Impl& s = *impl_;
  s.commands.add(std::move(command), s.scene.model, s.data);
  s.commands.prepare(s.scene.model, s.data, s.edited, s.state);
}

void Simulation::set_control(int actuator, double value) {
  if (actuator < 0 || actuator >= model().actuator_count())
    throw InvalidArgument(
        fmt::format("actuator {} is out of range; the model has {}", actuator, model().actuator_count()));
  impl_->state.control[model().control_of_actuator(actuator)] = value;
  impl_->stepper->invalidate();
}

void Simulation::set(std::string_view path, double value) { impl_->set(path, value); }
void Simulation::set_input(std::string_view input, double value) { set(fmt::format("input.{}", input), value); }

std::span<double> Simulation::applied_forces() { return impl_->state.applied; }
std::span<double> Simulation::coordinates() { return impl_->state.q; }
std::span<double> Simulation::velocities() { return impl_->state.u; }
std::span<double> Simulation::controls() { return impl_->state.control; }
void Simulation::state_written() { impl_->state_written(); }
void Simulation::forces_written() { impl_->forces_written(); }

void Simulation::step(double limit) {
  impl_->step(limit);
  impl_->sampled = false;
}

void Simulation::run(double duration, double every, const Observer& on_sample, const Observer& on_step,
                     const std::function<double()>& before_step) {
  Impl& s = *impl_;
  if (!(duration >= 0)) throw InvalidArgument(fmt::format("duration is {} s; expected a number >= 0", duration));
  if (every > 0 && !(s.state.t + every > s.state.t && duration / every < kMostSamples))
    throw InvalidArgument(fmt::format("samples every {} s are more than can be told apart in {} s", every, duration));
  const double start = s.state.t, end = start + duration;
  std::uint64_t next = 1;
  const auto next_time = [&] { return start + static_cast<double>(next) * every; };
  const auto look = [&] { return !on_sample || on_sample(*this); };
  s.sample_now();
  bool go_on = look();
  while (go_on && s.lies_ahead(end)) {
    s.next_look = every > 0 ? next_time() : s.state.t;
    step(before_step ? std::min(end, before_step()) : end);
    if (on_step && !on_step(*this)) break;
    const bool dense = s.stepper->has_dense_output() && every > 0;
    const double slack = s.stepper->chooses_steps() ? 0 : 0.5 * s.scene.experiment.dt;
    if (every <= 0) {
      if (!s.sampled) s.sample_now();
      go_on = look();
    } else {
      while (go_on && next_time() <= s.state.t + slack + kSampleSlack * every) {
        if (dense && next_time() < s.state.t) {
          s.sample_within_step(next_time());
        } else {
          s.sample_now(dense ? std::optional(next_time()) : std::nullopt);
        }
        go_on = look();
        while (next_time() <= s.sample_state.t + slack + kSampleSlack * every) ++next;
      }
    }
  }
  s.next_look = kNever;
  s.sample_now();
  s.statistics.energy_final = s.energy_of(s.state).total();
}

std::span<const double> Simulation::outputs() const {
  impl_->sample_outputs_on_request();
  return impl_->outputs;
}

std::span<const double> Simulation::outputs_at_hand() const {
  if (!impl_->sampled) impl_->sample_now();
  return impl_->outputs;
}

double Simulation::output(std::string_view name) const { return outputs()[model().output(name)]; }

double Simulation::sample_time() const { return impl_->sample_state.t; }

Energy Simulation::energy() const { return impl_->energy_of(impl_->state); }

void Simulation::use_threads(int count) {
  if (count < 1) throw InvalidArgument(fmt::format("{} threads: expected 1 or more", count));
  impl_->threads = count > 1 ? std::make_unique<ThreadPool>(count) : nullptr;
  impl_->work->threads = impl_->threads.get();
}

int Simulation::thread_count() const { return thread_count_of(impl_->threads.get()); }

void Simulation::watch_balance() { impl_->watch_balance(); }
bool Simulation::watches_balance() const { return impl_->ledger != nullptr; }

const EnergyBalance& Simulation::energy_balance() const {
  require(watches_balance(), "the balance is not watched; call watch_balance() first");
  return impl_->ledger->energy();
}

const MomentumBalance& Simulation::momentum_balance() const {
  require(watches_balance(), "the balance is not watched; call watch_balance() first");
  return impl_->ledger->momentum();
}

BodyMotion Simulation::body_motion(int body) const {
  Impl& s = *impl_;
  model().body_name(body);  // range check
  update_kinematics(s.data, s.state.q.data(), s.state.u.data(), s.sample_work->kinematics);
  return motion_of(s.data.bodies[body], s.sample_work->kinematics);
}

void Simulation::body_motions(std::vector<BodyMotion>& motions) const {
  Impl& s = *impl_;
  update_kinematics(s.data, s.state.q.data(), s.state.u.data(), s.sample_work->kinematics);
  motions.clear();
  for (const BodyData& body : s.data.bodies) motions.push_back(motion_of(body, s.sample_work->kinematics));
}

const Statistics& Simulation::statistics() const { return impl_->statistics; }

}  // namespace lipkin
