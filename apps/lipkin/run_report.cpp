#include "run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "balance_report.hpp"
#include "lipkin/version.hpp"
#include "lipkin/warnings.hpp"
#include "text.hpp"

namespace lipkin::cli {
namespace {

struct EnergyDrift {
  double initial = 0, final = 0, drift = 0;  // [J]
};

EnergyDrift energy_of(const Simulation& simulation) {
  const double initial = simulation.statistics().energy_initial;
  const double final = simulation.energy().total();
  return {initial, final, final - initial};
}

std::string energy_text(const EnergyDrift& energy) {
  return fmt::format("{:.9g} J at the start, {:.9g} J at the end, drift {:+.3g} J", energy.initial, energy.final,
                     energy.drift);
}

double real_time_factor(const RunReport& report) {
  const double wall_time = report.recorder.wall_time();
  return wall_time > 0 ? report.simulation.state().t / wall_time : 0;
}

Json outputs_json(const RunReport& report) {
  const Model& model = report.simulation.model();
  Json outputs = Json::object();
  for (int i = 0; i < model.output_count(); ++i) {
    const OutputExtremes& extremes = report.recorder.extremes()[static_cast<std::size_t>(i)];
    outputs[model.output_name(i)] = {
        {"min", extremes.lowest}, {"max", extremes.highest}, {"final", extremes.last}, {"unit", model.output_unit(i)}};
  }
  return outputs;
}

// A run that stopped because it grew without bound: its last numbers say nothing.
bool has_left_all_bounds(const RunReport& report) {
  return !report.failure.empty() && !std::isfinite(report.simulation.energy().total());
}

std::string outputs_text(const RunReport& report) {
  const Model& model = report.simulation.model();
  if (model.output_count() == 0 || has_left_all_bounds(report)) return {};
  std::vector<std::vector<std::string>> rows = {{"output", "final", "min", "max", "unit"}};
  for (int i = 0; i < model.output_count(); ++i) {
    const OutputExtremes& extremes = report.recorder.extremes()[static_cast<std::size_t>(i)];
    rows.push_back({model.output_name(i), number_text(extremes.last), number_text(extremes.lowest),
                    number_text(extremes.highest), model.output_unit(i)});
  }
  return table_text(rows, {true, false, false, false, true}) + '\n';
}

std::string stepper_text(const Experiment& experiment) {
  const std::string name(name_of(experiment.stepper));
  const bool variable = !is_adaptive(experiment.stepper) && experiment.step == StepKind::kVariable;
  const std::string range =
      variable ? fmt::format(", steps from {:.3g} to {:.3g} s", experiment.dt_min, experiment.dt_max) : "";
  if (variable && experiment.stepper == StepperKind::kEuler) return name + range;
  if (!chooses_steps(experiment)) {
    return fmt::format("{}, dt = {:.6g} s", name, experiment.dt);
  }
  return fmt::format("{}{}, tolerance {:.3g} relative, {:.3g} absolute", name, range, experiment.relative_tolerance,
                     experiment.absolute_tolerance);
}

std::string steps_text(const Simulation& simulation) {
  const Statistics& statistics = simulation.statistics();
  const Experiment& experiment = simulation.experiment();
  const bool chosen = chooses_steps(experiment);
  const std::string rejected =
      statistics.rejected_steps == 0 ? "" : fmt::format(" ({} rejected)", statistics.rejected_steps);
  const std::string range = chosen ? fmt::format(" of {} to {}", duration_text(statistics.shortest_step),
                                                 duration_text(statistics.longest_step))
                                   : "";
  return fmt::format("{}{}{}, {} evaluations of the accelerations", statistics.steps, range, rejected,
                     statistics.evaluations);
}

constexpr double kWorthTelling = 1e-9;  // gaps of rounding are not worth a line

double mean_iterations(const Statistics& statistics) {
  return statistics.steps == 0 ? 0 : static_cast<double>(statistics.iterations) / static_cast<double>(statistics.steps);
}

bool has_constraints(const Model& model) {
  return model.closure_count() + model.motor_count() + model.gear_count() + model.distance_count() +
             model.tendon_count() + model.contact_shape_count() >
         0;
}

constexpr std::size_t kMostNames = 4;

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

// How well loops, motors, limits and contacts are met.
std::vector<std::vector<std::string>> constraint_rows(const RunReport& report) {
  const Statistics& s = report.simulation.statistics();
  const Experiment& e = report.simulation.experiment();
  if (!has_constraints(report.simulation.model()) && s.iterations == 0) return {};
  const bool smooth = is_adaptive(e.stepper) || e.stepper == StepperKind::kRk4;
  if (smooth) return {{"contact", fmt::format("regularised, {} touch at the end", s.contacts)}};
  const std::string unconverged =
      s.unconverged_steps == 0 ? "all steps converged" : fmt::format("{} steps NOT CONVERGED", s.unconverged_steps);
  std::vector<std::vector<std::string>> rows;
  if (s.assembly_gap > kWorthTelling)
    rows.push_back({"assembly", fmt::format("{} was open by {:.3g} m or rad; coordinates moved by up to {:.3g}",
                                            s.assembly_worst, s.assembly_gap, s.assembly_moved)});
  rows.insert(rows.end(), {{"solver", fmt::format("{}, {}, {}: {:.3g} iterations per step, at most {}; {}",
                                                  name_of(e.solver), name_of(e.coordinates), name_of(e.stabilization),
                                                  mean_iterations(s), s.max_iterations, unconverged)},
                           {"violation", fmt::format("{:.3g} m or rad, {:.3g} m/s or rad/s; laws met to {:.3g} m/s",
                                                     s.position_violation, s.velocity_violation, s.residual)}});
  if (s.undetermined_steps > 0)
    rows.push_back({"undetermined", fmt::format("{} in {} steps: nothing slides and drives hold it; taken as none",
                                                joined_names(s.undetermined), s.undetermined_steps)});
  return rows;
}

std::string step_time_text(const StepTimes& times) {
  return fmt::format("mean {}, median {}, 99 % within {}, longest {}", duration_text(times.mean()),
                     duration_text(times.percentile(50)), duration_text(times.percentile(99)),
                     duration_text(times.longest()));
}

}  // namespace

std::vector<Diagnostic> warnings_of_outputs(const Simulation& simulation, const RunRecorder& recorder,
                                            const std::vector<std::string>& lost) {
  std::vector<Diagnostic> warnings;
  for (std::size_t i = 0; i < recorder.extremes().size(); ++i) {
    const OutputExtremes& extremes = recorder.extremes()[i];
    if (!extremes.first_nan) continue;
    const bool is_always = std::isinf(extremes.lowest) && extremes.lowest > 0;
    const std::string& name = simulation.model().output_name(static_cast<int>(i));
    const bool is_lost = std::find(lost.begin(), lost.end(), name) != lost.end();
    warnings.push_back({place_of_output(simulation.model(), static_cast<int>(i)),
                        fmt::format("output '{}' is not a number {} t = {:.6g} s", name, is_always ? "from" : "at",
                                    *extremes.first_nan),
                        is_lost ? "what it looks at is no longer part of the model"
                                : "look for roots and logarithms of negative numbers and for 0/0 in it",
                        Severity::kWarning});
  }
  return warnings;
}

std::vector<Diagnostic> warnings_of_energy(const Simulation& simulation) {
  const Statistics& s = simulation.statistics();
  if (!invents_energy(s)) return {};
  const char* finer =
      chooses_steps(simulation.experiment()) ? "smaller tolerances or a smaller dt_max" : "a smaller dt";
  return {{{},
           fmt::format("energy grew by {:.3g} J although nothing drives the mechanism, in which at most {:.3g} J moved",
                       std::max(s.energy_invented, s.energy_swing), s.energy_moving),
           fmt::format("the steps have invented it: the motion is wrong; take {}", finer),
           Severity::kWarning}};
}

std::vector<Diagnostic> warnings_of_slip(const Simulation& simulation) {
  const Statistics& s = simulation.statistics();
  // Times what is tolerated of drives, and [m] or [rad]: less is lost in the motion.
  constexpr double kFast = 10, kFar = 1e-2;
  if (!(s.held_slip > kFast * simulation.experiment().tolerated.rate) && !(s.held_travel > kFar)) return {};
  return {{{},
           fmt::format("{} holds, and slips by up to {:.3g} m/s or rad/s all the same, {:.3g} m or rad in sum: what it "
                       "holds turns within a step",
                       simulation.held_slip_of(), s.held_slip, s.held_travel),
           "take a smaller dt, stepper: moreau, or stabilization: split",
           Severity::kWarning}};
}

std::vector<Diagnostic> warnings_of_motion(const Simulation& simulation) {
  std::vector<Diagnostic> warnings;
  constexpr double kFar = 10;  // times what is tolerated
  if (simulation.statistics().limit_passed > kFar)
    warnings.push_back(
        {{},
         fmt::format("limits were passed by up to {:.3g} times what is tolerated: moreau sees them behind "
                     "the step that passes them",
                     simulation.statistics().limit_passed),
         "take a smaller dt, or stepper: euler",
         Severity::kWarning});
  for (const std::string& what : simulation.statistics().strings_inside)
    warnings.push_back({{}, what, "keep its points outside, with limits or farther away", Severity::kWarning});
  for (const std::string& what : simulation.statistics().set_beyond)
    warnings.push_back({{},
                        what + ", and the steps behind it push the mechanism there",
                        "let the value change over a time, or set it where the mechanism is within",
                        Severity::kWarning});
  return warnings;
}

std::string event_text(const Json& event) {
  const auto number = [&](const char* key) {  // JSON has no infinity
    return event[key].is_number() ? event[key].get<double>() : std::numeric_limits<double>::infinity();
  };
  if (event["event"] == "broke")
    return fmt::format("at t = {:.6g} s joint '{}' broke, under {:.4g} N and {:.4g} N m", number("t"),
                       event["joint"].get<std::string>(), number("force"), number("torque"));
  return fmt::format("at t = {:.6g} s: {}; the run goes on without it", number("t"),
                     event["message"].get<std::string>());
}

bool misses_laws(const Simulation& simulation) {
  const Tolerated& tolerated = simulation.experiment().tolerated;
  return !(simulation.statistics().residual <= tolerated.rate) && !tolerated.anything;
}

std::string unconverged_text(const Simulation& simulation) {
  const Statistics& s = simulation.statistics();
  if (s.unconverged_steps == 0 && misses_laws(simulation))
    return fmt::format(
        "laws are met to {:.3g} m/s only, and {:.3g} m/s is tolerated, although all steps count as converged; give the "
        "solver a smaller tolerance or more iterations, or take a smaller step",
        s.residual, simulation.experiment().tolerated.rate);
  if (s.unconverged_steps == 0) return {};
  return fmt::format(
      "{} of {} steps did not converge: laws are met to {:.3g} m/s; take a smaller step, or allow the "
      "solver more iterations",
      s.unconverged_steps, s.steps, s.residual);
}

Json report_json(const RunReport& report) {
  const Simulation& simulation = report.simulation;
  const Statistics& statistics = simulation.statistics();
  const StepTimes& times = report.recorder.step_times();
  const EnergyDrift energy = energy_of(simulation);
  Json json;
  json["scene"] = report.scene;
  json["stepper"] = name_of(simulation.experiment().stepper);
  json["dt"] = simulation.experiment().dt;
  json["outputs"] = outputs_json(report);
  json["steps"] = statistics.steps;
  json["rejected_steps"] = statistics.rejected_steps;
  json["evaluations"] = statistics.evaluations;
  json["step_size"] = {{"min", statistics.shortest_step}, {"max", statistics.longest_step}};
  json["sim_time"] = simulation.state().t;
  json["wall_time"] = report.recorder.wall_time();
  json["real_time_factor"] = real_time_factor(report);
  json["step_time"] = {
      {"mean", times.mean()}, {"p50", times.percentile(50)}, {"p99", times.percentile(99)}, {"max", times.longest()}};
  json["coordinates"] = name_of(simulation.experiment().coordinates);
  json["solver"] = name_of(simulation.experiment().solver);
  json["stabilization"] = name_of(simulation.experiment().stabilization);
  json["iterations"] = {{"mean", mean_iterations(statistics)}, {"max", statistics.max_iterations}};
  json["residual"] = statistics.residual;
  json["violation"] = {{"position", statistics.position_violation}, {"velocity", statistics.velocity_violation}};
  json["held_slip"] = {
      {"value", statistics.held_slip}, {"travel", statistics.held_travel}, {"of", simulation.held_slip_of()}};
  json["contacts"] = statistics.contacts;
  json["assembly"] = {{"gap", statistics.assembly_gap}, {"moved", statistics.assembly_moved}};
  json["energy"] = {{"initial", energy.initial},
                    {"final", energy.final},
                    {"drift", energy.drift},
                    {"invented", statistics.energy_invented}};
  if (simulation.watches_balance()) {
    add_balance(simulation.energy_balance(), json["energy"]);
    json["momentum"] = balance_json(simulation.momentum_balance());
  }
  json["undetermined"] = {{"steps", statistics.undetermined_steps}, {"forces", statistics.undetermined}};
  json["converged"] = report.failure.empty() && statistics.unconverged_steps == 0 && !misses_laws(simulation);
  json["unconverged_steps"] = statistics.unconverged_steps;
  json["threads"] = simulation.thread_count();
  json["instruction_set"] = instruction_set();
  json["state_hash"] = hash_text(simulation.hash());
  json["warnings"] = to_json(report.warnings);
  json["events"] = report.events;
  const std::string unconverged = unconverged_text(simulation);
  const std::string& message = report.failure.empty() ? unconverged : report.failure;
  if (!message.empty()) json["error"] = {{"message", message}, {"diagnostics", Json::array()}};
  return json;
}

std::string report_text(const RunReport& report) {
  const Simulation& simulation = report.simulation;
  std::vector<std::vector<std::string>> rows = {
      {"steps", steps_text(simulation)},
      {"wall time", fmt::format("{}, {} times real time", duration_text(report.recorder.wall_time()),
                                factor_text(real_time_factor(report)))},
      {"step time", step_time_text(report.recorder.step_times())},
      {"energy", has_left_all_bounds(report) ? "grew without bound" : energy_text(energy_of(simulation))}};
  if (simulation.watches_balance())
    for (auto& row : balance_rows(simulation.energy_balance(), simulation.momentum_balance()))
      rows.push_back(std::move(row));
  for (auto& row : constraint_rows(report)) rows.push_back(std::move(row));
  rows.push_back({"state hash", fmt::format("{} ({})", hash_text(simulation.hash()), instruction_set())});
  return fmt::format("{}: {:.9g} s simulated ({})\n\n{}{}", report.scene, simulation.state().t,
                     stepper_text(simulation.experiment()), outputs_text(report), table_text(rows, {true, true}));
}

}  // namespace lipkin::cli
