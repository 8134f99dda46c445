// What replaces what runs, whole or not at all, and what becomes of everything that depends on it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assembly/carry_state.hpp"
#include "assembly/change_coordinates.hpp"
#include "assembly/motion_freedom.hpp"
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
  next.formulation = std::make_unique<Formulation>(scene.model, e, next.state.edits);
  Formulation& own = *next.formulation;
  if (!edited) next.commands.check(scene.model, own.data);
  if (own.data.massless_joints.empty()) {
    const Constraints::Assembled closed = own.constraints.assemble(own.data, next.state, own.work);
    assembled.assembly_gap = closed.was_open;
    assembled.assembly_worst = closed.worst;
    assembled.assembly_moved = closed.moved;
  }
  update_kinematics(own.data, next.state.q.data(), next.state.u.data(), own.work.kinematics);
  update_dependent_coordinates(own.data, next.state.q.data(), own.work.kinematics, next.state.closure_q.data());
  if (e.coordinates == CoordinateKind::kMaximal) {
    Model running = in_coordinates(scene.model, e.coordinates);
    next.state = change_coordinates(own.data, next.state, running.data());
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
  Watches next_watches = watches;
  next_watches.compile(next_data);
  std::vector<double> next_outputs(next_data.outputs.size(), 0.0);
  State next_sample = next.state;
  memory.make_room();
  before_step.keep(next.state);  // so that steps find the room
  take(next, next_watches, next_ledger, next_outputs, next_sample);
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
  ask_for_reactions();
  sampled = step_has_reactions = false;
}

// Everything that somebody keeps beside the state and that may hold no longer.
void Simulation::Impl::changed(Changed what) {
  sampled = false;
  step_has_reactions = step_has_reactions && what == Changed::kOptions;
  stepper().invalidate();
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

// Those of the model but for these.
ModelData Simulation::Impl::values_with(const std::vector<SettingEdit>& edits) const {
  ModelData values = formulation->model.data();
  for (const SettingEdit& edit : edits) apply_setting(values, edit.path, edit.value);
  return values;
}

void Simulation::Impl::restore(const State& from) {
  if (!fits(data(), from) || from.commands_done > commands.list().size())
    throw InvalidArgument("the state to restore belongs to another model or experiment");
  ModelData values = values_with(from.edits);
  State restored = from;
  if (!std::isfinite(from.t) || !all_finite(from.q) || !all_finite(from.u))
    throw InvalidArgument("the state to restore is not finite");
  if (std::vector<double> q = from.q; !normalize_quaternions(data(), q.data()))
    throw InvalidArgument("the state to restore has a quaternion of length zero");
  TimedCommands next = commands;
  next.prepare(scene.model, values, edited, restored);
  memory.make_room();
  formulation->data = std::move(values);
  memory.replace(state, restored);
  commands = std::move(next);
  commands.prepare(scene.model, data(), edited, state);  // as before, but where the values are now
  changed(Changed::kState);
}

void Simulation::Impl::restore(const Checkpoint& checkpoint) {
  check_experiment(checkpoint.experiment);
  Successor next(checkpoint.model, checkpoint.experiment, TimedCommands(checkpoint.experiment.commands), true);
  next.state = checkpoint.state;
  next.formulation = std::make_unique<Formulation>(in_coordinates(checkpoint.model, checkpoint.experiment.coordinates),
                                                   checkpoint.experiment, next.state.edits);
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
    return changed(Changed::kOptions);
  }
  Successor next(scene.model, e, commands, edited);
  const bool same_coordinates = e.coordinates == now.coordinates;
  const bool same_stepper = e.stepper == now.stepper && e.step == now.step;
  Model running = same_coordinates ? formulation->model : in_coordinates(scene.model, e.coordinates);
  next.state = same_coordinates ? state : change_coordinates(data(), state, running.data());
  if (same_coordinates || !same_stepper) next.state.step_size = next.state.step_error = 0;
  next.formulation = std::make_unique<Formulation>(std::move(running), e, next.state.edits);
  adopt(std::move(next));
}

void Simulation::Impl::change_model(Model model) {
  const Experiment& e = scene.experiment;
  const bool maximal = e.coordinates == CoordinateKind::kMaximal;
  const ModelData& before = scene.model.data();
  Successor next(model, e, commands, true);
  next.state = carry_state(before, maximal ? change_coordinates(data(), state, before) : state, model.data());
  Constraints rows = constraints_of(model.data(), e);
  make_stepper(e.stepper, e.step, model.data(), rows);  // throws where it cannot handle the constraints
  if (!holds_alike(before, model.data())) close_what_is_new(model.data(), rows, next.state);
  Model running = in_coordinates(model, e.coordinates);
  if (maximal) next.state = change_coordinates(model.data(), next.state, running.data());
  next.formulation = std::make_unique<Formulation>(std::move(running), e, next.state.edits);
  adopt(std::move(next));
}

// Brings a carried state onto the rows of an edited model. What only takes away is never refused, also where the
// mechanism cannot be closed from where it is: it stands no worse than before.
void Simulation::Impl::close_what_is_new(const ModelData& next, Constraints& rows, State& carried) const {
  const ModelData& before = scene.model.data();
  const bool maximal = scene.experiment.coordinates == CoordinateKind::kMaximal;
  const bool only_takes_away = asks_for_nothing_new(before, next);
  const auto check = [&] {
    if (only_takes_away) return;
    check_motion_freedoms(before, maximal ? change_coordinates(data(), state, before) : state, next, carried);
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

// Values that change often take the room of one edit.
void Simulation::Impl::set(std::string_view path, double value) {
  const Setting setting = find_setting(data(), path);
  check_setting(setting, path, value);
  check_beside_others(setting, path, value);
  if (setting.control >= 0) {
    state.control[setting.control] = value;
  } else if (setting.input >= 0) {
    state.inputs[setting.input] = value;
  } else {
    put_setting(data(), setting, value);
    if (setting.overrides >= 0) state.control[setting.overrides] = std::numeric_limits<double>::quiet_NaN();
    std::erase_if(state.edits, [&](const SettingEdit& edit) { return edit.path == path; });
    state.edits.push_back({std::string(path), value});
    return changed(Changed::kValues);
  }
  changed(Changed::kLoads);
}

void Simulation::Impl::unset(std::string_view path) {
  std::vector<SettingEdit> left = state.edits;
  if (std::erase_if(left, [&](const SettingEdit& edit) { return edit.path == path; }) == 0) return;
  ModelData values = values_with(left);
  TimedCommands next = commands;
  next.prepare(scene.model, values, edited, state);
  formulation->data = std::move(values);
  state.edits = std::move(left);
  commands = std::move(next);
  commands.prepare(scene.model, data(), edited, state);  // where the values are now
  changed(Changed::kValues);
}

void Simulation::Impl::state_written() {
  if (!normalize_quaternions(data(), state.q.data())) throw InvalidArgument("q has a quaternion of length zero");
  if (data().closure_coordinate_count > 0) {
    update_kinematics(data(), state.q.data(), state.u.data(), formulation->sample_work.kinematics);
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
