#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <thread>

#include "commands.hpp"
#include "experiment_choices.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "lipkin/recording.hpp"
#include "names.hpp"
#include "run_recorder.hpp"
#include "run_report.hpp"
#include "run_setup.hpp"
#include "scene_input.hpp"

namespace lipkin::cli {
namespace {

constexpr int kMaxThreads = 4096;
constexpr double kMaxSteps = 1e12;  // days of computing; far beyond, the clock could not tell two steps apart
constexpr double kMaxRows = 1e9;
constexpr double kLeastOfAStep = 1e-6;  // times nearer than this part of a step are the same: a run is longer
constexpr double kLooksEvery = 0.01;    // at outputs that are worked out on request, where nothing is recorded [s]

// A choice of which this version has only some values.
void check_choice(const char* option, const std::optional<std::string>& value, const std::vector<std::string>& known) {
  if (!value || std::find(known.begin(), known.end(), *value) != known.end()) return;
  throw UsageError(fmt::format("{} {} does not exist in this version{}; {}", option, *value, suggestion(*value, known),
                               known.size() == 1 ? fmt::format("the only value is {}", known.front())
                                                 : fmt::format("values are {}", joined(known))));
}

void check_positive(const char* option, const std::optional<double>& value) {
  if (value && !(*value > 0 && std::isfinite(*value))) {
    throw UsageError(fmt::format("{} {}: expected a finite number above 0", option, *value));
  }
}

void check_not_negative(const char* option, const std::optional<double>& value) {
  if (value && !(*value >= 0 && std::isfinite(*value))) {
    throw UsageError(fmt::format("{} {}: expected a finite number, not below 0", option, *value));
  }
}

void check_options(const RunOptions& options) {
  check_not_negative("--duration", options.duration);
  check_not_negative("--dt", options.dt);
  check_positive("--tolerance", options.tolerance);
  check_positive("--absolute-tolerance", options.absolute_tolerance);
  check_not_negative("--every", options.every);
  check_choice("--stepper", options.stepper, names_in(kSteppers));
  check_choice("--coordinates", options.coordinates, names_in(kCoordinates));
  check_choice("--stabilization", options.stabilization, names_in(kStabilizations));
  check_choice("--solver", options.solver, names_in(kSolvers));
  if (options.threads && (*options.threads < 1 || *options.threads > kMaxThreads)) {
    throw UsageError(fmt::format("--threads {}: expected a number from 1 to {}", *options.threads, kMaxThreads));
  }
  if (options.every && options.csv.empty() && options.plot.empty()) {
    throw UsageError("--every says how often to record: it needs --csv or --plot");
  }
  check_choice("--check", options.check.empty() ? std::nullopt : std::optional(options.check), {"all"});
  if (options.json && options.csv == "-") throw UsageError("--json and --csv - both write to standard output");
}

// Sets a choice that check_options() has found among the known names.
template <class Kind, std::size_t n>
void choose(const std::optional<std::string>& name, const std::array<Kind, n>& kinds, Kind& chosen) {
  for (const Kind kind : kinds) {
    if (name && name_of(kind) == *name) chosen = kind;
  }
}

// The absolute tolerance follows the relative one, as in the defaults, unless it is given.
void apply_tolerances(const RunOptions& options, Experiment& experiment) {
  if (!options.tolerance && !options.absolute_tolerance) return;
  if (!chooses_steps(experiment)) {
    throw UsageError(
        fmt::format("--tolerance is for adaptive steppers; {} takes steps of --dt", name_of(experiment.stepper)));
  }
  if (options.tolerance) {
    experiment.relative_tolerance = *options.tolerance;
    experiment.absolute_tolerance = *options.tolerance / 100;
  }
  if (options.absolute_tolerance) experiment.absolute_tolerance = *options.absolute_tolerance;
}

void apply_options(const RunOptions& options, Experiment& experiment) {
  choose(options.stepper, kSteppers, experiment.stepper);
  choose(options.coordinates, kCoordinates, experiment.coordinates);
  choose(options.solver, kSolvers, experiment.solver);
  choose(options.stabilization, kStabilizations, experiment.stabilization);
  if (options.duration) experiment.duration = *options.duration;
  if (options.dt) experiment.dt = *options.dt;
  if (options.every) experiment.every = *options.every;
  experiment.tolerated.anything = experiment.tolerated.anything || options.tolerate;
  apply_tolerances(options, experiment);
  if (!is_adaptive(experiment.stepper) && experiment.dt == 0) {
    throw UsageError(fmt::format("{} needs a step above 0: give --dt", name_of(experiment.stepper)));
  }
}

void check_counts(const Experiment& experiment, bool records) {
  const double steps = is_adaptive(experiment.stepper) ? 0 : experiment.duration / experiment.dt;
  if (steps > kMaxSteps) {
    throw UsageError(fmt::format("{:.3g} s in steps of {:.3g} s are {:.0e} steps, at most {:.0e} are taken",
                                 experiment.duration, experiment.dt, steps, kMaxSteps));
  }
  if (!is_adaptive(experiment.stepper) && experiment.duration > 0 &&
      experiment.duration <= kLeastOfAStep * experiment.dt) {
    throw UsageError(fmt::format(
        "{:.3g} s in steps of {:.3g} s: no step would be taken in so short a time; give a --dt of at most the duration",
        experiment.duration, experiment.dt));
  }
  const double rows = records && experiment.every > 0 ? experiment.duration / experiment.every : 0;
  if (rows > kMaxRows) {
    throw UsageError(fmt::format("{:.3g} s recorded every {:.3g} s are {:.0e} rows, at most {:.0e} are written",
                                 experiment.duration, experiment.every, rows, kMaxRows));
  }
}

// What stopped the run before its end; empty when nothing did. after_step: false to stop.
template <class Runner>
std::string simulate(Runner& runner, const Simulation& simulation, RunRecorder& recorder,
                     const std::function<bool()>& after_step = {}) {
  const InterruptWatch watch;
  const Experiment& experiment = simulation.experiment();
  const Simulation::Observer watch_step = [&](const Simulation& now) {
    const bool go_on = recorder.watch_step(now);
    return (!after_step || after_step()) && go_on;
  };
  const Simulation::Observer record = [&](const Simulation& now) { return recorder.record(now); };
  recorder.start(simulation);
  try {
    if (recorder.records()) {
      runner.run(experiment.duration, experiment.every, record, watch_step);
    } else if (recorder.looks_on_request()) {
      const double every = experiment.every > 0 ? experiment.every : kLooksEvery;
      runner.run(experiment.duration, every, record, watch_step);
    } else {
      runner.run(experiment.duration, experiment.duration, {}, watch_step);
    }
    recorder.look_once_more(simulation);
  } catch (const SimulationError& error) {
    return error.what();
  }
  if (watch.requested()) return fmt::format("interrupted at t = {:.6g} s", simulation.state().t);
  return {};
}

void tell_files(const RunOptions& options, const std::string& up_to) {
  for (const std::string& file : {options.csv, options.plot}) {
    if (!file.empty() && file != "-") fmt::print(stderr, "{}: has what was recorded up to {}\n", file, up_to);
  }
}

void tell_failure(const RunReport& report, const RunOptions& options) {
  fmt::print(stderr, "lipkin: error: {}\n", report.failure);
  tell_files(options, "there");
}

// Steps that did not converge are told; where laws are missed by more than is tolerated, the run has failed.
bool has_failed(const RunReport& report) { return !report.failure.empty() || misses_laws(report.simulation); }

int tell(RunReport report, const RunOptions& options) {
  const auto warn = [&report](const std::vector<Diagnostic>& of_run) {
    print_diagnostics(of_run);
    report.warnings.insert(report.warnings.end(), of_run.begin(), of_run.end());
  };
  warn(warnings_of_outputs(report.simulation, report.recorder, report.lost_outputs));
  warn(warnings_of_motion(report.simulation));
  warn(warnings_of_energy(report.simulation));
  warn(warnings_of_slip(report.simulation));
  if (!report.failure.empty()) tell_failure(report, options);
  if (report.failure.empty() && has_failed(report))
    fmt::print(stderr, "lipkin: error: {}\n", unconverged_text(report.simulation));
  if (options.json) {
    print_json(report_json(report));
  } else {
    fmt::print(options.csv == "-" ? stderr : stdout, "{}", report_text(report));
  }
  return has_failed(report) ? kFailed : kSuccess;
}

// One per core where nothing else is said; more than a few per core would only wait for each other.
int threads_for(const RunOptions& options) {
  constexpr int kMostUnasked = 8, kMostPerCore = 4;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return options.threads ? std::min(*options.threads, kMostPerCore * cores) : std::min(cores, kMostUnasked);
}

// What the options ask of whoever takes the steps: a simulation, or a session around one.
template <class Runner>
void prepare(const RunOptions& options, Runner& runner) {
  runner.use_threads(threads_for(options));
  if (options.balance) runner.watch_balance();
  if (options.check == "all") runner.check_all(true);
}

// Tells of what happens by itself in a session, as it happens, and keeps it; what nobody waits for and could not be
// done, such as a motion that begins later, is a warning of the run. What stops the run is told as its failure.
void listen(Session& session, RunRecorder& recorder, Json& events, std::vector<Diagnostic>& told) {
  session.on_event([&recorder, &events, &told](const std::string& text) {
    Json event = Json::parse(text);
    event.erase("type");
    if (event["event"] != "broke" && event["event"] != "refused") return;
    recorder.clear_progress();
    const std::string message = event_text(event);
    fmt::print(stderr, "lipkin: warning: {}\n", message);
    if (event["event"] == "refused") told.push_back({{}, message, {}, Severity::kWarning});
    events.push_back(std::move(event));
  });
}

// Whose joint broke, or was deleted by a command.
std::vector<std::string> lost_outputs(const Session& session) {
  std::vector<std::string> names;
  for (const WatchedChannel& channel : session.channels())
    if (!channel.error.empty()) names.push_back(channel.name);
  return names;
}

std::string late_commands(std::size_t count) {
  return count == 1 ? "1 command is" : fmt::format("{} commands are", count);
}

// A table of times alone is rarely meant.
void warn_of_no_outputs(const RunOptions& options, const Model& model, std::vector<Diagnostic>& told) {
  if (options.csv.empty() || model.output_count() > 0) return;
  told.push_back({{},
                  "--csv: the scene watches no outputs, so that the file has times alone",
                  options.commands.empty() ? "list some under 'outputs'"
                                           : "list some under 'outputs'; what 'watch' adds is in recordings alone",
                  Severity::kWarning});
  print_diagnostics({told.back()});
}

// With commands from a file, or a recording: the same steps, driven by a session.
int run_session(Scene scene, const RunOptions& options) {
  const std::string name = scene.name;
  const SceneSource source = source_of(options.scene, options.overrides, options.model_options);
  const SceneWarnings warnings(scene);
  Session session(std::move(scene), source);
  std::vector<Diagnostic> told = warnings.with_start(session.simulation());
  warn_of_no_outputs(options, session.simulation().model(), told);
  prepare(options, session);
  std::optional<InputError> refused;
  double refused_at = 0;
  if (!options.commands.empty())
    submit_commands(options.commands, session, [&](const InputError& error) {
      if (refused) return;
      refused = error;
      refused_at = session.simulation().state().t;
    });
  std::optional<SessionRecorder> recording;
  if (!options.record.empty())
    recording.emplace(options.record, session, source, session.simulation().experiment().duration);
  RunRecorder recorder(session.simulation().model(), options, session.simulation().experiment().duration);
  Json events = Json::array();
  listen(session, recorder, events, told);
  const std::string failure = simulate(session, session.simulation(), recorder, [&] {
    if (recording) recording->after_step();
    return !refused;
  });
  if (recording) recording->finish();
  recorder.finish_files();
  if (refused) {
    tell_files(options, fmt::format("t = {:.6g} s, where a command was refused", refused_at));
    throw *refused;
  }
  if (session.pending_count() > 0) {
    told.push_back({{options.commands},
                    late_commands(session.pending_count()) + " due after the end of the run",
                    fmt::format("'at' is in seconds, and the run ends at t = {:g} s", session.simulation().state().t),
                    Severity::kWarning});
    print_diagnostics({told.back()});
  }
  return tell(
      {name, session.simulation(), recorder, failure, std::move(told), std::move(events), lost_outputs(session)},
      options);
}

}  // namespace

Scene prepared_scene(const RunOptions& options) {
  check_options(options);
  Scene scene = open_scene(options.scene, options.overrides, options.model_options);
  if (!scene.report.format().empty()) {
    fmt::print(stderr, "{}; lipkin inspect lists them\n", scene.report.summary());
  }
  apply_options(options, scene.experiment);
  check_counts(scene.experiment, !options.csv.empty() || !options.plot.empty());
  return scene;
}

namespace {

int run_prepared(Scene scene, const RunOptions& options) {
  if (!options.commands.empty() || !options.record.empty()) return run_session(std::move(scene), options);
  const std::string name = scene.name;
  const SceneWarnings warnings(scene);
  Simulation simulation(std::move(scene));
  std::vector<Diagnostic> told = warnings.with_start(simulation);
  warn_of_no_outputs(options, simulation.model(), told);
  prepare(options, simulation);
  RunRecorder recorder(simulation.model(), options, simulation.experiment().duration);
  const std::string failure = simulate(simulation, simulation, recorder);
  recorder.finish_files();
  return tell({name, simulation, recorder, failure, std::move(told)}, options);
}

}  // namespace

int run_scene(const RunOptions& options) {
  try {
    return run_prepared(prepared_scene(options), options);
  } catch (const SettingError& error) {
    const bool is_option = error.setting() == "stepper" ? options.stepper.has_value() : options.solver.has_value();
    if (is_option) throw;
    throw at_its_place(error, source_of(options.scene, options.overrides, options.model_options));
  }
}

}  // namespace lipkin::cli
