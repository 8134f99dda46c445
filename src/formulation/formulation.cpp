#include "formulation/formulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forces/regularised_forces.hpp"
#include "formulation/setting_checks.hpp"
#include "model/cut_joints.hpp"
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

// False where what it changed is no longer part of the model.
bool apply_edit(ModelData& to, const SettingEdit& edit) {
  try {
    apply_setting(to, edit.path, edit.value);
  } catch (const InvalidArgument&) {
    return false;
  }
  return true;
}

ModelData edited_data(const Model& model, std::vector<SettingEdit>& edits) {
  ModelData data = model.data();
  std::erase_if(edits, [&](const SettingEdit& edit) { return !apply_edit(data, edit); });
  return data;
}

}  // namespace

Model in_coordinates(const Model& model, CoordinateKind kind) {
  return kind == CoordinateKind::kMaximal ? cut_joints(model) : model;
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

Constraints constraints_of(const ModelData& model, const Experiment& e) {
  return regularises(model, e) ? Constraints(without_regularised_rows(model)) : Constraints(model);
}

Formulation::Formulation(Model running, const Experiment& e, std::vector<SettingEdit>& edits)
    : model(std::move(running)),
      data(edited_data(model, edits)),
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
  switches.start(data);
  check(e);
  for (const OutputData& output : data.outputs) {
    ChannelNeed& need = output.on_request ? need_on_request : output_need;
    need = std::max(need, output.value.need());
  }
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
