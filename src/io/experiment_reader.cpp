#include "io/experiment_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/nearest_name.hpp"
#include "io/repetition.hpp"

namespace lipkin {
namespace {

constexpr std::array kSteppers = {StepperKind::kEuler,  StepperKind::kMoreau, StepperKind::kRk4,
                                  StepperKind::kDopri5, StepperKind::kAdams,  StepperKind::kBdf};
constexpr std::array kSteps = {StepKind::kFixed, StepKind::kVariable};
constexpr std::array kContacts = {ContactKind::kByStepper, ContactKind::kRigid, ContactKind::kRegularised};
constexpr std::array kCoordinates = {CoordinateKind::kGeneralized, CoordinateKind::kMaximal};
constexpr std::array kSolvers = {SolverKind::kImpulses, SolverKind::kProx,   SolverKind::kNewton,
                                 SolverKind::kDirect,   SolverKind::kHybrid, SolverKind::kLemke};
constexpr std::array kStabilizations = {StabilizationKind::kNone, StabilizationKind::kBaumgarte,
                                        StabilizationKind::kProjection, StabilizationKind::kSplit};

template <typename Kinds>
auto named_kind(const Kinds& kinds, const MappingReader& experiment, const std::string& key) {
  const std::string name = experiment.text(key);
  for (const auto kind : kinds)
    if (name_of(kind) == name) return kind;
  throw InternalError("scene reader: the schema has '" + key + ": " + name + "' that the program has not");
}

void require_known(const std::string& what, const std::string& name, const std::unordered_set<std::string>& known,
                   const SourceLocation& where, DiagnosticList& diagnostics) {
  if (known.contains(name)) return;
  std::vector<std::string> names(known.begin(), known.end());
  std::sort(names.begin(), names.end());
  diagnostics.error(where, fmt::format("the scene has no {} '{}'", what, name), did_you_mean(name, names));
}

const std::unordered_set<std::string>& names_of_kind(const SceneNames& names, const std::string& kind) {
  if (kind == "body") return names.bodies;
  if (kind == "joint") return names.joints;
  if (kind == "spring") return names.springs;
  if (kind == "bushing") return names.bushings;
  if (kind == "motor") return names.motors;
  if (kind == "gear") return names.gears;
  if (kind == "control") return names.controls;
  if (kind == "tendon") return names.tendons;
  if (kind == "input") return names.inputs;
  if (kind == "tyre") return names.tyres;
  if (kind == "controller") return names.controllers;
  if (kind == "distance") return names.distances;
  return kind == "material" ? names.materials : names.actuators;
}

// The schema has seen to the form of the path: actuator.NAME.control, gravity.x, input.NAME, joint.NAME.damping.
CommandSet read_set(const Node& key, const Node& value, const MappingReader& command, const SceneNames& names) {
  ValueReader& values = command.values();
  CommandSet set;
  set.path = values.text(key, command.scope());
  set.value = values.number(value, scene_format().definition("number"), command.scope(), "'" + key.text + "'");
  const std::size_t begin = set.path.find('.'), end = set.path.find('.', begin + 1);
  const std::string kind = set.path.substr(0, begin);
  if (kind == "gravity") return set;
  const std::string name = set.path.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
  require_known(kind, name, names_of_kind(names, kind), key.where(), values.diagnostics());
  return set;
}

CommandPush read_push(const MappingReader& push, const SceneNames& names) {
  CommandPush result;
  result.body = push.name("body");
  result.point = push.vector("point");
  result.force = push.vector("force");
  result.torque = push.vector("torque");
  result.frame = read_force_frame(push);
  result.duration = push.number("duration");
  require_known("body", result.body, names.bodies, push.where("body"), push.values().diagnostics());
  return result;
}

void read_command(const MappingReader& command, const SceneNames& names, Experiment& experiment) {
  const double at = command.number("at");
  if (at > experiment.duration)
    command.values().diagnostics().warning(
        command.where("at"), fmt::format("the experiment ends at {} s, before this command", experiment.duration));
  if (command.has("push")) {
    experiment.commands.push_back({at, read_push(command.below("push"), names), command.where()});
    return;
  }
  const Node& settings = command.at("set");
  for (std::size_t i = 0; i < settings.keys.size(); ++i)
    experiment.commands.push_back(
        {at, read_set(settings.keys[i], settings.items[i], command, names), settings.keys[i].where()});
}

void read_tolerances(const MappingReader& experiment, Experiment& result) {
  result.relative_tolerance = experiment.number("relative_tolerance");
  result.absolute_tolerance = experiment.number("absolute_tolerance");
  if (!experiment.has("tolerance")) return;
  result.relative_tolerance = experiment.number("tolerance");
  result.absolute_tolerance = 1e-2 * result.relative_tolerance;
  for (const char* other : {"relative_tolerance", "absolute_tolerance"})
    if (experiment.has(other))
      experiment.values().diagnostics().error(experiment.where(other),
                                              fmt::format("'{}' cannot stand beside 'tolerance'", other));
}

SolverOptions read_solver_options(const MappingReader& options) {
  return {options.integer("iterations"), options.number("tolerance"), options.number("impulse_epsilon"),
          options.number("time_limit")};
}

Tolerated read_tolerated(const MappingReader& tolerated) {
  return {tolerated.number("length"), tolerated.number("angle"), tolerated.number("rate"),
          tolerated.text("beyond") == "go-on"};
}

// Settings of the steps that nobody looks at with the stepper chosen, and which steppers do.
void warn_of_idle_settings(const MappingReader& experiment, const Experiment& result) {
  const bool varies = result.step == StepKind::kVariable;
  const bool by_tolerance = is_adaptive(result.stepper) || (varies && result.stepper == StepperKind::kMoreau);
  const std::string chosen = is_adaptive(result.stepper) || result.stepper == StepperKind::kRk4
                                 ? std::string(name_of(result.stepper))
                                 : fmt::format("the {} steps of {}", name_of(result.step), name_of(result.stepper));
  const auto warn = [&](std::initializer_list<const char*> keys, const char* who_does) {
    for (const char* key : keys)
      if (experiment.has(key))
        return experiment.values().diagnostics().warning(
            experiment.where(key), fmt::format("'{}' has no effect with {}", key, chosen), who_does);
  };
  if (!varies) warn({"dt_min", "dt_max"}, "it is for euler and moreau with step: variable");
  if (!by_tolerance)
    warn({"tolerance", "relative_tolerance", "absolute_tolerance"},
         "it is for dopri5, adams and bdf, and for moreau with step: variable");
}

void warn_of_times(const MappingReader& experiment, const Experiment& result) {
  if (!(result.duration > 0)) return;
  const auto warn = [&](const char* key, double value, const char* effect, const char* hint) {
    if (experiment.has(key) && value > result.duration)
      experiment.values().diagnostics().warning(
          experiment.where(key),
          fmt::format("'{}' is {:g} s, longer than the duration of {:g} s: {}", key, value, result.duration, effect),
          hint);
  };
  if (!chooses_steps(result))
    warn("dt", result.dt, "the whole run is one step", "a step is part of the duration: dt: 0.001");
  warn("every", result.every, "nothing between the start and the end is recorded",
       "it is the time between two samples: every: 0.01");
}

}  // namespace

Experiment read_experiment(const MappingReader& experiment, const SceneNames& names) {
  Experiment result;
  result.stepper = named_kind(kSteppers, experiment, "stepper");
  result.coordinates = named_kind(kCoordinates, experiment, "coordinates");
  result.solver = named_kind(kSolvers, experiment, "solver");
  result.stabilization = named_kind(kStabilizations, experiment, "stabilization");
  result.step = named_kind(kSteps, experiment, "step");
  result.contact = named_kind(kContacts, experiment, "contact");
  result.slip_speed = experiment.number("slip_speed");
  if (experiment.has("solver_options")) result.solver_options = read_solver_options(experiment.below("solver_options"));
  if (experiment.has("tolerated")) result.tolerated = read_tolerated(experiment.below("tolerated"));
  result.duration = experiment.number("duration");
  result.dt = experiment.number("dt");
  result.dt_min = experiment.number("dt_min");
  result.dt_max = experiment.number("dt_max");
  result.every = experiment.number("every");
  if (result.dt_min > result.dt_max)
    experiment.values().diagnostics().error(
        experiment.where(experiment.has("dt_min") ? "dt_min" : "dt_max"),
        fmt::format("'dt_min' is {:g} s, above 'dt_max', {:g} s", result.dt_min, result.dt_max));
  const bool steps_vary = result.stepper == StepperKind::kEuler || result.stepper == StepperKind::kMoreau;
  if (result.step == StepKind::kVariable && !steps_vary)
    experiment.values().diagnostics().error(
        experiment.where("step"),
        fmt::format("'step: variable' is for euler and moreau, not for {}", name_of(result.stepper)));
  if (result.dt == 0 && !is_adaptive(result.stepper))
    experiment.values().diagnostics().error(
        experiment.where("dt"), fmt::format("'dt' must be greater than 0 for the stepper {}", name_of(result.stepper)));
  read_tolerances(experiment, result);
  warn_of_idle_settings(experiment, result);
  warn_of_times(experiment, result);
  if (!experiment.has("commands")) return result;
  for (const Node& item : experiment.at("commands").items)
    for_each_copy(item, experiment.scope(), experiment.values(), [&](const Scope& scope) {
      read_command(MappingReader(item, "command", scope, experiment.values()), names, result);
    });
  return result;
}

}  // namespace lipkin
