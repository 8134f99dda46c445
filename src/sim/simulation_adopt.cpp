// What replaces what runs, whole or not at all, and what becomes of everything that depends on it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "constraints/carry_state.hpp"
#include "constraints/change_coordinates.hpp"
#include "constraints/motion_freedom.hpp"
#include "model/parameters.hpp"
#include "model/settings.hpp"
#include "sim/simulation_impl.hpp"
#include "sim/state_checks.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

Simulation::Impl::Impl(Scene s) : scene(std::move(s)) {
  Statistics assembled;
  Successor next = beginning(assembled);
  begin(std::move(next), std::move(assembled));
}

// The initial state, with loops and other bilateral rows closed from the coordinates given.
Successor Simulation::Impl::beginning(Statistics& assembled) const {
  const Experiment& e = scene.experiment;
  check_experiment(e);
  Successor next(scene.model, e, TimedCommands(e.commands), edited);
  next.state = initial_state(scene.model);
  next.formulation = std::make_unique<Formulation>(RunningModel{scene.model, {}}, e, next.state.edits);
  Formulation& own = *next.formulation;
  if (!edited) next.commands.check(scene.model, own.data);
  if (own.data.massless_joints.empty()) {
    const Assembled closed = own.constraints.assembly().assemble(own.data, next.state, own.work);
    assembled.assembly_gap = closed.was_open;
    assembled.assembly_worst = closed.worst;
    assembled.assembly_moved = closed.moved;
  }
  update_kinematics(own.data, next.state.q.data(), next.state.u.data(), own.work.kinematics);
  update_dependent_coordinates(own.data, next.state.q.data(), own.work.kinematics, next.state.closure_q.data());
  if (e.coordinates == CoordinateKind::kMaximal) {
    RunningModel running = build_running(scene.model, e.coordinates, {});
    next.state = change_coordinates(own.data, next.state, running.model.data());
    next.formulation = std::make_unique<Formulation>(std::move(running), e, next.state.edits);
  }
  return next;
}

void Simulation::Impl::begin(Successor next, Statistics assembled) {
  const bool was_watched = ledger != nullptr;
  adopt(std::move(next));
  looks_at_all = false;
  ask_for_reactions();
  statistics = std::move(assembled);
  statistics.energy_initial = statistics.energy_final = energy_of(state).total();
  look_at_energy();
  strings_inside.clear();
  note_strings_inside(true);
  const auto asks = [](const OutputData& output) { return output.value.needs_balance(); };
  if (was_watched || std::any_of(data().outputs.begin(), data().outputs.end(), asks)) watch_balance();
}

// Makes all that may fail before it takes any of it: where it throws, nothing has changed.
void Simulation::Impl::adopt(Successor next) {
  const ModelData& next_data = next.formulation->data;
  next.commands.prepare(next.model, next.formulation->data, next.edited, next.state);
  std::unique_ptr<BalanceLedger> next_ledger;
  next.state.balance.clear();
  if (ledger) {
    next_ledger = std::make_unique<BalanceLedger>(next_data);
    next_ledger->use(next.formulation->sample_work.regularised);
    next_ledger->start(next_data, next.state);
    next_ledger->take_over(*ledger, next_data, next.state);
    next_ledger->keep(next.state);
  }
  std::string held_slip_of = this->held_slip_of();  // its number means something else in another model
  Watches next_watches = watches;
  next_watches.compile(next_data);
  std::vector<double> next_outputs(next_data.outputs.size(), 0.0);
  State next_sample = next.state;
  memory.make_room();
  before_step.keep(next.state);  // so that steps find the room
  before_commands.make_room(next.state, next.commands.list());
  take(next, next_watches, next_ledger, next_outputs, next_sample);
  statistics.held_slip_of.swap(held_slip_of);
  statistics.held_item = -1;
}

void Simulation::Impl::take(Successor& next, Watches& next_watches, std::unique_ptr<BalanceLedger>& next_ledger,
                            std::vector<double>& next_outputs, State& next_sample) noexcept {
  scene.model = std::move(next.model);
  scene.experiment = std::move(next.experiment);
  formulation.swap(next.formulation);
  commands = std::move(next.commands);
  edited = next.edited;
  ledger = std::move(next_ledger);
  watches = std::move(next_watches);
  outputs = std::move(next_outputs);
  sample_state = std::move(next_sample);
  memory.replace(state, next.state);
  formulation->work.threads = threads.get();
  energy_watch = EnergyWatch(data());
  ask_for_reactions();
  sampled = step_has_reactions = false;
  take_options();
}

// Everything that somebody keeps beside the state and that may hold no longer.
void Simulation::Impl::changed(Changed what) {
  sampled = false;
  step_has_reactions = step_has_reactions && what == Changed::kOptions;
  stepper().invalidate();
  if (what != Changed::kOptions) energy_watch.start_anew();
  if (what == Changed::kLoads || what == Changed::kOptions) return;
  const bool moved = what != Changed::kValues;
  if (what != Changed::kMotion) formulation->switches.start(data());
  formulation->jumps.forget();
  if (!ledger) return state.balance.clear();
  moved ? ledger->resume(data(), state) : ledger->model_changed(data(), state);
  ledger->keep(state);
}

void Simulation::Impl::reset() {
  Statistics assembled;
  Successor next = beginning(assembled);
  begin(std::move(next), std::move(assembled));
}

void Simulation::Impl::restore(const State& from) {
  if (!formulation->serves(from.edits)) return restore_by_building(from);
  check_restorable(data(), from);
  ModelData values = formulation->data_with(from.edits);
  State restored = from;
  TimedCommands next = commands;
  next.prepare(scene.model, values, edited, restored);
  memory.make_room();
  formulation->data = std::move(values);
  memory.replace(state, restored);
  commands = std::move(next);
  commands.prepare(scene.model, data(), edited, state);  // as before, but where the values are now
  before_commands.make_room(state, commands.list());
  changed(Changed::kState);
}

void Simulation::Impl::check_restorable(const ModelData& next, const State& from) const {
  if (!fits(next, from) || from.commands_done > commands.list().size())
    throw InvalidArgument("the state to restore belongs to another model or experiment");
  if (!std::isfinite(from.t) || !all_finite(from.q) || !all_finite(from.u))
    throw InvalidArgument("the state to restore is not finite");
  if (std::vector<double> q = from.q; !normalize_quaternions(next, q.data()))
    throw InvalidArgument("the state to restore has a quaternion of length zero");
}

void Simulation::Impl::restore_by_building(const State& from) {
  Successor next(scene.model, scene.experiment, commands, edited);
  next.state = from;
  next.formulation = std::make_unique<Formulation>(build_running(scene.model, scene.experiment.coordinates, from.edits),
                                                   scene.experiment, next.state.edits);
  check_restorable(next.formulation->data, from);
  std::vector<double> booked = from.balance;
  adopt(std::move(next));
  state.balance.swap(booked);
  changed(Changed::kState);
}

void Simulation::Impl::restore(const Checkpoint& checkpoint) {
  check_experiment(checkpoint.experiment);
  Successor next(checkpoint.model, checkpoint.experiment, TimedCommands(checkpoint.experiment.commands),
                 checkpoint.edited);
  next.state = checkpoint.state;
  next.formulation = std::make_unique<Formulation>(
      build_running(checkpoint.model, checkpoint.experiment.coordinates, checkpoint.state.edits), checkpoint.experiment,
      next.state.edits);
  Statistics counted = checkpoint.statistics;
  std::vector<double> booked = checkpoint.state.balance;
  adopt(std::move(next));
  state.balance.swap(booked);
  statistics = std::move(counted);
  changed(Changed::kState);
}

// Settings of the run, all at once or none. `anew`: the stepper starts anew even where it is the same.
void Simulation::Impl::change_settings(Experiment e, bool anew) {
  check_experiment(e);
  const Experiment& now = scene.experiment;
  if (!anew && Formulation::is_shared(now, e)) {
    formulation->check(e);
    scene.experiment = std::move(e);
    take_options();
    return changed(Changed::kOptions);
  }
  Successor next(scene.model, e, commands, edited);
  const bool same_coordinates = e.coordinates == now.coordinates;
  const bool same_stepper = e.stepper == now.stepper && e.step == now.step;
  RunningModel running = same_coordinates ? RunningModel{formulation->model, formulation->built_with}
                                          : build_running(scene.model, e.coordinates, state.edits);
  const std::string lost = same_coordinates ? "" : applied_without_place(data(), state, running.model.data());
  if (!lost.empty())
    throw InvalidArgument(
        fmt::format("the forces applied to joint '{}' have no place in {} coordinates; set them to 0 first, and apply "
                    "others there",
                    lost, name_of(e.coordinates)));
  next.state = same_coordinates ? state : change_coordinates(data(), state, running.model.data());
  if (same_coordinates || !same_stepper) next.state.step_size = next.state.step_error = 0;
  next.formulation = std::make_unique<Formulation>(std::move(running), e, next.state.edits);
  adopt(std::move(next));
}

void Simulation::Impl::change_model(const Model& model, const std::vector<std::string>& forgotten) {
  std::vector<SettingEdit> edits = state.edits;
  for (const std::string& path : forgotten) forget_values(*model.data().parts, path, edits);
  build_anew(model, std::move(edits), true, state.commands_done);
}

// What runs, in the joints' own coordinates.
Model Simulation::Impl::own_model() const {
  const bool is_own = scene.experiment.coordinates == CoordinateKind::kGeneralized && formulation->built_with.empty() &&
                      state.edits.empty();
  return is_own ? scene.model : with_values(scene.model, state.edits);
}

// Goes on with another model, or other values of its parameters.
void Simulation::Impl::build_anew(const Model& model, std::vector<SettingEdit> edits, bool was_edited,
                                  std::uint64_t commands_done) {
  const Experiment& e = scene.experiment;
  const bool maximal = e.coordinates == CoordinateKind::kMaximal;
  const Model before = own_model(), valued = with_values(model, edits);
  const State was = maximal ? change_coordinates(data(), state, before.data()) : state;
  Successor next(model, e, commands, was_edited);
  next.state = carry_state(before.data(), was, valued.data());
  ConstraintSystem rows = constraints_of(valued.data(), e);
  make_stepper(e.stepper, e.step, valued.data(), rows);  // throws where it cannot handle the constraints
  if (!holds_alike(before.data(), valued.data()))
    close_what_is_new(before.data(), was, valued.data(), rows, next.state);
  Model running = in_coordinates(valued, e.coordinates);
  if (maximal) {
    next.state = change_coordinates(valued.data(), next.state, running.data());
    keep_applied(data(), state, running.data(), next.state);
  }
  next.state.edits = edits;
  next.state.commands_done = commands_done;
  next.formulation =
      std::make_unique<Formulation>(RunningModel{std::move(running), std::move(edits)}, e, next.state.edits);
  adopt(std::move(next));
}

// Brings a carried state onto the rows of an edited model. What only takes away is never refused, also where the
// mechanism cannot be closed from where it is: it stands no worse than before.
void Simulation::Impl::close_what_is_new(const ModelData& before, const State& was, const ModelData& next,
                                         ConstraintSystem& rows, State& carried) const {
  const bool only_takes_away = asks_for_nothing_new(before, next);
  const auto check = [&] {
    if (!only_takes_away) check_motion_freedoms(before, was, next, carried);
  };
  const bool has_old_joints = has_same_joints(before, next);  // so that its loops are closed already
  if (has_old_joints) check();
  State closed = carried;
  Workspace scratch(next);
  scratch.diag = next.armature;
  try {
    rows.assembly().assemble(next, closed, scratch);
  } catch (const InputError&) {
    if (only_takes_away) return;
    throw;
  }
  carried = std::move(closed);
  if (!has_old_joints) check();
}

void put_last(std::vector<SettingEdit>& edits, SettingEdit edit) {
  std::erase_if(edits, [&](const SettingEdit& other) { return other.path == edit.path; });
  edits.push_back(std::move(edit));
}

// Values that change often take the room of one edit.
void Simulation::Impl::set(std::string_view path, double value) {
  const std::optional<Setting> setting = find_setting(data(), path);
  if (!setting) check_value(*scene.model.data().parts, std::string(path), value);
  if (setting) check_setting(*setting, path, value), check_beside_others(*setting, path, value);
  if (setting && setting->control >= 0) {
    state.control[setting->control] = value;
  } else if (setting && setting->input >= 0) {
    state.inputs[setting->input] = value;
  } else if (setting && fits_in_place(*setting, value)) {
    put_setting(data(), *setting, value);
    if (setting->overrides >= 0) state.control[setting->overrides] = std::numeric_limits<double>::quiet_NaN();
    put_last(state.edits, {std::string(path), value});
    changed(Changed::kValues);
    return note_set_beyond(path);
  } else {
    std::vector<SettingEdit> edits = state.edits;
    put_last(edits, {std::string(path), value});
    build_anew(scene.model, std::move(edits), edited, state.commands_done);
    return note_set_beyond(path);
  }
  changed(Changed::kLoads);
}

void Simulation::Impl::state_written() {
  if (!normalize_quaternions(data(), state.q.data())) throw InvalidArgument("q has a quaternion of length zero");
  if (data().closure_coordinate_count > 0) {
    update_kinematics(data(), state.q.data(), state.u.data(), formulation->sample_work.kinematics);
    find_screw_turns(data(), formulation->sample_work.kinematics, state.closure_q.data());
    update_dependent_coordinates(data(), state.q.data(), formulation->sample_work.kinematics, state.closure_q.data());
  }
  state.carried_impulses.clear();  // they made other velocities fit
  state.balance.clear();           // what was written comes from nowhere: it begins anew
  changed(Changed::kMotion);
}

void Simulation::Impl::use(std::unique_ptr<ThreadPool> pool) {
  threads = std::move(pool);
  formulation->work.threads = threads.get();
}

}  // namespace lipkin
