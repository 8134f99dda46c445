// One step: what is due before it, how long it is, and what is counted of it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "forces/actuators.hpp"
#include "forces/controllers.hpp"
#include "forces/regularised_forces.hpp"
#include "forces/tyre.hpp"
#include "sim/simulation_impl.hpp"
#include "sim/step_failure.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr double kTolerated = 1e-4;    // gap that counts as followed, over the size of the mechanism
constexpr int kContactsEvery = 64;     // steps between two looks at the laws of contacts
constexpr double kSwitchSlack = 2e-9;  // a law that jumps as close to the end of a step jumps there [s]

// To the nearest integer; halves to the even one. Without a call, which std::round takes on the oldest processors.
double rounded(double x) {
  constexpr double kNoFraction = 0x1.0p52;  // from here on there are integers only
  return std::abs(x) < kNoFraction ? std::copysign(std::abs(x) + kNoFraction - kNoFraction, x) : x;
}

// Full steps of one size end at multiples of it, whether a run ends there or not: sums of rounded steps would drift
// away from the times that people write down. A clock that did not start at a multiple ends where it is told to.
double end_of_full_step(double t, double dt, double limit) {
  const double multiple = rounded(t / dt) * dt;
  const auto is_here = [&](double time) { return std::abs(t - time) <= kTimeSlack * dt; };
  return is_here(multiple) ? multiple : is_here(limit) ? limit : t;
}

}  // namespace

void Simulation::Impl::require_inertia() const {
  if (data().massless_joints.empty()) return;
  const JointData& joint = data().joints[data().massless_joints[0]];
  throw SimulationError(
      fmt::format("joint '{}' carries '{}', which has no inertia about it: the model cannot be stepped", joint.name,
                  data().bodies[joint.child].name));
}

// Carries out what is due between two steps and ends the pushes that have run out.
void Simulation::Impl::apply_due_commands() {
  const std::uint64_t first = state.commands_done;
  try {
    for (TimedCommands::Due due{true, nullptr}; due.changed;) {
      due = commands.apply_due(time_slack(), data(), state);
      if (due.changed) changed(Changed::kValues);
      if (due.builds) due.changed = true, carry_out_by_building(*due.builds, *due.where);
    }
  } catch (const InputError&) {
    changed(Changed::kValues);  // by those that were due before the one that cannot be
    throw;
  }
  note_set_beyond_by_commands(first);
}

void Simulation::Impl::carry_out_by_building(SettingEdit edit, SourceLocation where) {
  try {
    std::vector<SettingEdit> edits = state.edits;
    put_last(edits, std::move(edit));
    if (!before_building) before_building = state;
    build_anew(scene.model, std::move(edits), edited, state.commands_done + 1);
  } catch (const Error& e) {
    throw InputError(where, fmt::format("{}, at t = {:g} s", e.what(), state.t));
  }
}

double Simulation::Impl::tolerated_length() const {
  const double given = scene.experiment.tolerated.length;
  return given > 0 ? given : kTolerated * formulation->constraints.length_scale();
}

// Contacts are many: their laws are looked at now and then, at the ends of a run, and where outputs are.
bool Simulation::Impl::checks_contacts(double limit) const {
  return checks_all || state.step_count % kContactsEvery == 0 || state.t + scene.experiment.dt >= next_look ||
         state.t + scene.experiment.dt >= limit;
}

void Simulation::Impl::take_options() noexcept {
  const Experiment& e = scene.experiment;
  options = {.dt = e.dt,
             .relative_tolerance = e.relative_tolerance,
             .absolute_tolerance = e.absolute_tolerance,
             .constraints = {e.solver, e.solver_options, e.stabilization},
             .dt_min = e.dt_min,
             .dt_max = e.dt_max,
             .tolerable = {tolerated_length(), e.tolerated.angle, e.tolerated.rate},
             .tolerate = e.tolerated.anything};
}

bool Simulation::Impl::lies_ahead(double t) const {
  return chooses_steps() ? state.t < t : state.t < t - kTimeSlack * scene.experiment.dt;
}

void Simulation::Impl::begin_jumps() {
  if (formulation->jumps.empty()) return;
  const Experiment& e = scene.experiment;
  // Where the positions come before the velocities, only projection makes them meet what is prescribed.
  const bool drifts = e.stepper == StepperKind::kMoreau && e.stabilization != StabilizationKind::kProjection;
  formulation->jumps.begin(data(), state, formulation->sample_work, options.tolerable, options.tolerate, drifts);
}

void Simulation::Impl::check_jumps() {
  if (!options.tolerate && !formulation->jumps.empty())
    formulation->jumps.check(data(), state, formulation->sample_work);
}

bool Simulation::Impl::is_sample(double t) const {
  const double dt = scene.experiment.dt;
  return !samples_at_times() || std::abs(t - std::round(t / dt) * dt) <= kTimeSlack * dt;
}

double Simulation::Impl::next_sample(double t) const {
  const double dt = scene.experiment.dt;
  return samples_at_times() ? (std::floor(t / dt + kTimeSlack) + 1) * dt : kNever;
}

void Simulation::Impl::restore_before_step() {
  before_step.restore(state);
  if (!before_step.has_contacts) constraints().put_back_contacts(state);
}

// What fails leaves the state, and what is booked, as they were before.
template <class Work>
auto Simulation::Impl::whole_or_not_at_all(const Work& work_on_state) {
  before_step.keep(state, !constraints().empty() || !state.closure_q.empty(), !formulation->solves_once);
  constraints().begin_step();
  if (ledger) books_before_step = ledger->books();
  try {
    return work_on_state();
  } catch (...) {
    restore_before_step();
    if (ledger) ledger->restore(books_before_step);
    stepper().invalidate();
    sampled = false;
    throw;
  }
}

void Simulation::Impl::step(double limit) {
  if (std::isnan(limit)) throw InvalidArgument("the limit of a step is not a number");
  if (!lies_ahead(limit)) return;
  const double t = state.t, step_size = state.step_size;
  const bool more_is_due = commands.is_due(time_slack(), state);
  before_building.reset();
  if (more_is_due) before_commands.keep(state);
  try {
    step_with_what_is_due(limit, more_is_due);
  } catch (...) {
    if (more_is_due) {
      take_back_commands();
    } else if (state.t != t || state.step_size != step_size) {
      state.t = t, state.step_size = step_size;
      stepper().invalidate();
    }
    throw;
  }
}

void Simulation::Impl::take_back_commands() {
  State before = before_building ? *std::exchange(before_building, {}) : state;
  before_commands.restore(before);
  restore(before);
}

void Simulation::Impl::step_with_what_is_due(double limit, bool more_is_due) {
  if (ledger && ledger->time() != state.t) book_until(state);  // samples within the last step turned it back
  const bool adaptive = chooses_steps();
  if (adaptive) pass_switching_time(limit);
  if (adaptive && !lies_ahead(limit)) return;
  require_inertia();
  if (more_is_due || adaptive) apply_due_commands();
  const Experiment& e = scene.experiment;
  options.ledger = ledger.get();
  options.dt = e.dt;
  options.check_contacts = checks_contacts(limit);
  const double begin = state.t;
  if (adaptive) {
    options.limit = std::min({limit, commands.next_event(state), switching_time().before, next_sample(state.t)});
  } else if (limit - begin < e.dt * (1 - kTimeSlack)) {
    options.dt = limit - begin;
    options.limit = limit;
  } else {
    options.limit = std::numeric_limits<double>::infinity();  // a full step, to the last bit
  }
  if (!adaptive && e.stepper == StepperKind::kMoreau) options.before_jump = before_jump(begin + options.dt);
  if (adaptive && state.step_count == 0 && state.step_size == 0 && e.dt > 0) state.step_size = e.dt;
  TimedCommands::share_pushes(adaptive ? 0 : options.dt, time_slack(), state);
  const StepReport report = whole_or_not_at_all([&] { return take_step(limit); });
  if (state.t != options.limit) count_step(state.t - begin);
  step_has_reactions = constraints().wants_reactions() || constraints().bilateral().row_count() == 0;
  ++statistics.steps;
  statistics.rejected_steps += report.rejected;
  statistics.evaluations += report.evaluations;
  count(report, state.t - begin);
  if (formulation->work.regularised)
    statistics.contacts = static_cast<int>(formulation->work.regularised->touching().size());
  if (!state.pushes.empty() || !state.drags.empty()) energy_watch.start_anew();
  if (statistics.steps % EnergyWatch::kEvery == 0) look_at_energy(), note_strings_inside(false);
  if (ledger) book_until(state);
}

void Simulation::Impl::look_at_energy() {
  if (energy_watch.is_passive()) energy_watch.look(data(), state, energy_of(state), statistics);
}

StepReport Simulation::Impl::take_step(double limit) {
  const double begin = state.t, dt = scene.experiment.dt;
  if (formulation->holds_between_samples && is_sample(begin)) {
    work_controllers(data(), state, formulation->sample_work);
    begin_activations(data(), state, formulation->sample_work);
  }
  begin_jumps();
  const StepReport report = stepper().step(data(), options, state, formulation->work);
  std::vector<double> worked;  // what controllers made of it, for the reason
  if (!report.is_good() || report.too_small) {
    worked = state.memory;
    restore_before_step();
  }
  if (!(report.excess.times <= 1)) throw_cannot_follow(data(), constraints(), report, options, state);
  if (!report.finite || report.too_small) {
    State failed = state;
    failed.memory = worked;
    throw_failure(data(), report, options.dt, failed, formulation->work);
  }
  if (!chooses_steps()) state.t = options.dt == dt ? end_of_full_step(state.t, dt, limit) : limit;
  if (formulation->work.saw_nan || formulation->sample_work.saw_nan) look_for_nan();
  check_jumps();
  shear_tyres(state.t - begin);
  ++state.step_count;
  return report;
}

// Steps that were tried and taken back may have seen what the motion never does.
void Simulation::Impl::look_for_nan() {
  Formulation& f = *formulation;
  f.work.saw_nan = f.sample_work.saw_nan = false;
  check_signals(f.data, state, f.sample_work);
  f.work.saw_nan = f.sample_work.saw_nan = false;
}

SwitchingTime Simulation::Impl::switching_time() {
  const Experiment& e = scene.experiment;
  return formulation->switches.next(data(), state.t, is_time_stepping(e.stepper) ? e.dt_max : state.step_size);
}

// Where a law of time jumps at the end of a step: the last time before it, else infinity. What looks at the end of a
// step wants what held until then, as of commands, which are carried out behind it.
double Simulation::Impl::before_jump(double end) const {
  const double slack = std::max(time_slack(), kSwitchSlack);
  return jump_between(data(), end - slack, end + slack);
}

// From the last moment before a switch to the first one behind it: nothing moves meanwhile.
void Simulation::Impl::pass_switching_time(double limit) {
  for (SwitchingTime next = switching_time(); state.t < limit && state.t >= next.before; next = switching_time()) {
    whole_or_not_at_all([&] {
      begin_jumps();
      state.t = std::min(next.after, limit);
      check_jumps();
    });
    stepper().invalidate();
    if (ledger) book_until(state);
  }
}

void Simulation::Impl::shear_tyres(double h) {
  if (data().tyres.empty()) return;
  update_kinematics(data(), state.q.data(), state.u.data(), formulation->sample_work.kinematics);
  advance_tyres(data(), formulation->sample_work.kinematics, h, state);
}

// Time stepping has booked its impulses; the others are smooth between any two states.
void Simulation::Impl::book_until(const State& s) {
  if (is_time_stepping(scene.experiment.stepper)) {
    ledger->finish(data(), s);
  } else {
    ledger->finish_smooth(data(), s);
  }
  if (&s == &state) ledger->keep(state);
}

void Simulation::Impl::count_step(double h) {
  statistics.shortest_step = statistics.shortest_step > 0 ? std::min(statistics.shortest_step, h) : h;
  statistics.longest_step = std::max(statistics.longest_step, h);
}

void Simulation::Impl::count(const StepReport& step, double h) {
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
    note_slip(*step.audit, h);
    if (scene.experiment.stepper == StepperKind::kMoreau)
      statistics.limit_passed =
          std::max({statistics.limit_passed, step.audit->limit_length.value / options.tolerable.length,
                    step.audit->limit_angle.value / options.tolerable.angle});
  }
  statistics.contacts = report.contacts;
  if (report.undetermined > 0) note_undetermined();
}

void Simulation::Impl::note_slip(const AuditReport& audit, double h) {
  const bool is_contact = audit.held_contact.value > audit.held.value;
  const Worst& held = is_contact ? audit.held_contact : audit.held;
  statistics.held_travel += held.value * h;
  if (!(held.value > statistics.held_slip)) return;
  statistics.held_slip = held.value;
  statistics.held_item = held.item;
  statistics.held_shape_a = is_contact ? state.contacts[static_cast<std::size_t>(held.item)].shape_a : -1;
  statistics.held_shape_b = is_contact ? state.contacts[static_cast<std::size_t>(held.item)].shape_b : -1;
}

void Simulation::Impl::note_undetermined() {
  ++statistics.undetermined_steps;
  // Names are looked up where they may be new: in the first steps, then ever more rarely.
  if (!std::has_single_bit(statistics.undetermined_steps)) return;
  for (std::string& name : constraints().undetermined_laws(data()))
    if (std::find(statistics.undetermined.begin(), statistics.undetermined.end(), name) ==
        statistics.undetermined.end())
      statistics.undetermined.push_back(std::move(name));
}

}  // namespace lipkin
