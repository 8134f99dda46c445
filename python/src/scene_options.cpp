#include "scene_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <vector>

#include "lipkin/error.hpp"

namespace lipkin::python {
namespace {

namespace py = pybind11;

constexpr std::array kSteppers = {StepperKind::kEuler,  StepperKind::kMoreau, StepperKind::kRk4,
                                  StepperKind::kDopri5, StepperKind::kAdams,  StepperKind::kBdf};
constexpr std::array kSolvers = {SolverKind::kHybrid, SolverKind::kImpulses, SolverKind::kProx,
                                 SolverKind::kNewton, SolverKind::kDirect,   SolverKind::kLemke};
constexpr std::array kCoordinates = {CoordinateKind::kGeneralized, CoordinateKind::kMaximal};
constexpr std::array kStabilizations = {StabilizationKind::kProjection, StabilizationKind::kSplit,
                                        StabilizationKind::kBaumgarte, StabilizationKind::kNone};
constexpr std::array kSteps = {StepKind::kFixed, StepKind::kVariable};
constexpr std::array kContacts = {ContactKind::kByStepper, ContactKind::kRigid, ContactKind::kRegularised};

template <class Kind, std::size_t n>
Kind named(const char* what, const std::array<Kind, n>& kinds, const std::string& name) {
  std::vector<std::string_view> known;
  for (const Kind kind : kinds) {
    if (name_of(kind) == name) return kind;
    known.push_back(name_of(kind));
  }
  throw InvalidArgument(
      fmt::format("{} '{}' does not exist in this version; values are {}", what, name, fmt::join(known, ", ")));
}

double number(const char* what, const py::handle& value, bool zero_allowed) {
  const double x = py::cast<double>(value);
  if (!(std::isfinite(x) && (x > 0 || (zero_allowed && x == 0))))
    throw InvalidArgument(
        fmt::format("{} is {}; expected a finite number {}", what, x, zero_allowed ? "not below 0" : "above 0"));
  return x;
}

// Reads options by name.
class Options {
 public:
  explicit Options(const py::dict& values) : values_(values) {}

  bool has(const char* key) const { return values_.contains(key) && !values_[key].is_none(); }

  template <class Kind, std::size_t n>
  void choose(const char* key, const std::array<Kind, n>& kinds, Kind& chosen) const {
    if (has(key)) chosen = named(key, kinds, py::cast<std::string>(values_[key]));
  }

  void set(const char* key, double& value, bool zero_allowed = false) const {
    if (has(key)) value = number(key, values_[key], zero_allowed);
  }

  void set(const char* key, int& value) const {
    if (!has(key)) return;
    value = py::cast<int>(values_[key]);
    if (value < 1) throw InvalidArgument(fmt::format("{} is {}; expected at least 1", key, value));
  }

 private:
  const py::dict& values_;
};

}  // namespace

StepperKind stepper_named(const std::string& name) { return named("stepper", kSteppers, name); }
SolverKind solver_named(const std::string& name) { return named("solver", kSolvers, name); }
CoordinateKind coordinates_named(const std::string& name) { return named("coordinates", kCoordinates, name); }
StabilizationKind stabilization_named(const std::string& name) { return named("stabilization", kStabilizations, name); }
StepKind step_named(const std::string& name) { return named("step", kSteps, name); }

void apply_options(const py::dict& values, Experiment& experiment) {
  const Options options(values);
  options.choose("stepper", kSteppers, experiment.stepper);
  options.choose("solver", kSolvers, experiment.solver);
  options.choose("coordinates", kCoordinates, experiment.coordinates);
  options.choose("stabilization", kStabilizations, experiment.stabilization);
  options.choose("contact", kContacts, experiment.contact);
  options.choose("step", kSteps, experiment.step);
  options.set("duration", experiment.duration, true);
  options.set("dt", experiment.dt, true);
  options.set("dt_min", experiment.dt_min);
  options.set("dt_max", experiment.dt_max);
  options.set("every", experiment.every, true);
  options.set("slip_speed", experiment.slip_speed);
  options.set("solver_tolerance", experiment.solver_options.tolerance);
  options.set("max_iterations", experiment.solver_options.max_iterations);
  options.set("tolerance", experiment.relative_tolerance);
  if (options.has("tolerance")) experiment.absolute_tolerance = experiment.relative_tolerance / 100;
  options.set("absolute_tolerance", experiment.absolute_tolerance);
  if (!is_built(experiment.stepper))
    throw InvalidArgument(fmt::format("{} is not part of this build: it needs SUNDIALS", name_of(experiment.stepper)));
  if (!is_adaptive(experiment.stepper) && experiment.dt == 0)
    throw InvalidArgument(fmt::format("{} needs a step above 0: give dt", name_of(experiment.stepper)));
}

py::dict options_of(const Experiment& experiment) {
  using namespace py::literals;
  const auto text = [](auto kind) { return std::string(name_of(kind)); };
  return py::dict("stepper"_a = text(experiment.stepper), "solver"_a = text(experiment.solver),
                  "coordinates"_a = text(experiment.coordinates), "stabilization"_a = text(experiment.stabilization),
                  "contact"_a = text(experiment.contact), "step"_a = text(experiment.step),
                  "duration"_a = experiment.duration, "dt"_a = experiment.dt, "dt_min"_a = experiment.dt_min,
                  "dt_max"_a = experiment.dt_max, "every"_a = experiment.every, "slip_speed"_a = experiment.slip_speed,
                  "solver_tolerance"_a = experiment.solver_options.tolerance,
                  "max_iterations"_a = experiment.solver_options.max_iterations,
                  "tolerance"_a = experiment.relative_tolerance,
                  "absolute_tolerance"_a = experiment.absolute_tolerance);
}

}  // namespace lipkin::python
