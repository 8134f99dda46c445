#include "formulation/formulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forces/regularised_forces.hpp"
#include "formulation/setting_checks.hpp"
#include "model/cut_joints.hpp"
#include "model/parameters.hpp"
#include "model/settings.hpp"

namespace lipkin {

namespace {

// What controllers and activations put out is held until they act again: once a step, or every dt of the run where the
// stepper chooses its steps, since no error estimate sees what is held.
bool has_held_values(const ModelData& data) {
  const auto is_active = [](const auto& item) { return item.activation.kind != ActivationKind::kNone; };
  return !data.controllers.empty() || std::any_of(data.actuators.begin(), data.actuators.end(), is_active) ||
         std::any_of(data.motors.begin(), data.motors.end(), is_active);
}

void check_finite_positive(double x, const char* what) {
  if (!(std::isfinite(x) && x > 0)) throw InvalidArgument(fmt::format("{} is {}; expected a number > 0", what, x));
}

const SettingEdit* find_edit(const std::vector<SettingEdit>& edits, const std::string& path) {
  const auto found = std::find_if(edits.begin(), edits.end(), [&](const SettingEdit& e) { return e.path == path; });
  return found == edits.end() ? nullptr : &*found;
}

// False where what it changed is no longer part of the model.
bool make(const SettingEdit& edit, const Model& model, ModelData& data) {
  try {
    return apply_in_place(data, edit) || is_parameter(*model.data().parts, edit.path);
  } catch (const InvalidArgument&) {
    return false;
  }
}

ModelData edited_data(const RunningModel& running, std::vector<SettingEdit>& edits) {
  ModelData data = running.model.data();
  std::erase_if(edits, [&](const SettingEdit& edit) { return !make(edit, running.model, data); });
  return data;
}

}  // namespace

Model in_coordinates(const Model& model, CoordinateKind kind) {
  return kind == CoordinateKind::kMaximal ? cut_joints(model) : model;
}

RunningModel build_running(const Model& model, CoordinateKind kind, const std::vector<SettingEdit>& values) {
  return {in_coordinates(with_values(model, values), kind), values};
}

bool is_time_stepping(StepperKind kind) { return kind == StepperKind::kEuler || kind == StepperKind::kMoreau; }

void check_experiment(const Experiment& e) {
  const bool chooses_first_step =
      is_adaptive(e.stepper) || (is_time_stepping(e.stepper) && e.step == StepKind::kVariable);
  if (e.dt != 0 || !chooses_first_step) check_finite_positive(e.dt, "dt");
  check_finite_positive(e.dt_min, "dt_min");
  check_finite_positive(e.dt_max, "dt_max");
  if (e.dt_min > e.dt_max)
    throw InvalidArgument(fmt::format("dt_min is {} s; expected at most dt_max, {} s", e.dt_min, e.dt_max));
  check_finite_positive(e.relative_tolerance, "the relative tolerance");
  check_finite_positive(e.absolute_tolerance, "the absolute tolerance");
  check_finite_positive(e.solver_options.tolerance, "the tolerance of the solver");
  if (e.solver_options.max_iterations < 1)
    throw InvalidArgument(fmt::format("max_iterations is {}; expected at least 1", e.solver_options.max_iterations));
  if (!(e.tolerated.length >= 0))
    throw InvalidArgument(fmt::format("the tolerated length is {} m; expected a number >= 0", e.tolerated.length));
  for (const auto& [what, x] : {std::pair{"angle", e.tolerated.angle}, std::pair{"rate", e.tolerated.rate}})
    if (!(x > 0)) throw InvalidArgument(fmt::format("the tolerated {} is {}; expected a number > 0", what, x));
}

bool regularises(const ModelData& model, const Experiment& e) {
  if (model.contact_shapes.empty() && model.joint_frictions.empty()) return false;
  return e.contact == ContactKind::kRegularised ||
         (e.contact == ContactKind::kByStepper && !is_time_stepping(e.stepper));
}

ConstraintSystem constraints_of(const ModelData& model, const Experiment& e) {
  return regularises(model, e) ? ConstraintSystem(without_regularised_rows(model)) : ConstraintSystem(model);
}

Formulation::Formulation(RunningModel running, const Experiment& e, std::vector<SettingEdit>& edits)
    : model(running.model),
      built_with(running.values),
      data(edited_data(running, edits)),
      work(data),
      sample_work(data),
      constraints(constraints_of(data, e)),
      jumps(data),
      holds_between_samples(has_held_values(data)) {
  if (regularises(data, e)) {
    check_materials_give_way(data, e);
    work.regularised = std::make_shared<RegularisedForces>(data, e.slip_speed);
    sample_work.regularised = std::make_shared<RegularisedForces>(data, e.slip_speed);
  }
  stepper = make_stepper(e.stepper, e.step, data, constraints);
  chooses_steps = stepper->chooses_steps();
  solves_once = !work.regularised && is_time_stepping(e.stepper) &&
                (e.stepper == StepperKind::kEuler || e.step == StepKind::kFixed);
  switches.start(data);
  check(e);
  for (const OutputData& output : data.outputs) {
    ChannelNeed& need = output.on_request ? need_on_request : output_need;
    need = std::max(need, output.value.need());
  }
}

bool Formulation::serves(const std::vector<SettingEdit>& edits) const {
  ModelData scratch = model.data();
  const auto changes_numbers = [&](const SettingEdit& edit) {
    const std::optional<Setting> setting = find_setting(scratch, edit.path);
    if (!setting || !fits_in_place(*setting, edit.value)) return false;
    put_setting(scratch, *setting, edit.value);
    return true;
  };
  const auto is_built = [&](const SettingEdit& edit) {
    const SettingEdit* built = find_edit(built_with, edit.path);
    return built && built->value == edit.value;
  };
  return std::all_of(built_with.begin(), built_with.end(),
                     [&](const SettingEdit& built) { return find_edit(edits, built.path) != nullptr; }) &&
         std::all_of(edits.begin(), edits.end(),
                     [&](const SettingEdit& edit) { return changes_numbers(edit) || is_built(edit); });
}

ModelData Formulation::data_with(const std::vector<SettingEdit>& edits) const {
  ModelData result = model.data();
  for (const SettingEdit& edit : edits) apply_in_place(result, edit);
  return result;
}

bool Formulation::is_shared(const Experiment& a, const Experiment& b) {
  return a.coordinates == b.coordinates && a.stepper == b.stepper && a.step == b.step && a.contact == b.contact &&
         a.slip_speed == b.slip_speed;
}

void Formulation::check(const Experiment& e) const {
  if (stepper->chooses_steps() && e.dt == 0 && holds_between_samples)
    throw InvalidArgument(
        "controllers and activations act at fixed times where the stepper chooses its steps; expected dt > 0, the "
        "time between two of them [s]");
  if (is_time_stepping(e.stepper) && e.solver == SolverKind::kDirect && constraints.has_laws())
    refuse_direct_solver(data);
}

}  // namespace lipkin
