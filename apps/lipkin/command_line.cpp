#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commands.hpp"
#include "completion.hpp"
#include "experiment_choices.hpp"
#include "failure.hpp"
#include "names.hpp"

namespace lipkin::cli {
namespace {

using Words = std::vector<std::string>;

// Promised commands that this version does not have, and what to do instead.
const std::map<std::string, std::string> kLaterCommands = {
    {"verify", "this version does not verify yet; compare 'lipkin run SCENE' at two values of --dt or --tolerance"},
    {"sweep", "this version has no sweeps yet; call 'lipkin run SCENE --set path=value' for each value"}};

constexpr const char* kNoCommand = "no command given; lipkin --help lists them";

// "--dt = abc" of "Could not convert: --dt = abc".
std::string value_of(const CLI::ConversionError& error) {
  const std::string text = error.what();
  const auto colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

// The definition of the command line, and what is read from it.
class CommandLine {
 public:
  CommandLine() {
    app_.name("lipkin");
    app_.add_flag("--version", version_, "Version, build and what is built in");
    app_.add_flag("--json", json_, "With --version: one JSON object");
    app_.add_option("--completion", shell_, "Print a completion script")->type_name("bash|zsh|fish");
    define_run();
    define_view();
    define_replay();
    define_inspect();
    define_eval();
    define_convert();
    define_check();
    define_scenes();
    define_plot();
    add_command("bench", "Measure, beside the peers found here; without NAME: list what there is", [] {
      return 0;
    })->prefix_command();
    add_command("schema", "The JSON Schema of the scene format", print_schema);
  }

  int run(const Words& words) {
    check_words(words);
    try {
      app_.parse(Words(words.rbegin(), words.rend()));
    } catch (const CLI::CallForHelp&) {
      fmt::print("{}", app_.help());
      return kSuccess;
    } catch (const CLI::ConversionError& error) {
      throw UsageError(fmt::format("{}: not a value of this option: {}", words.front(), value_of(error)));
    } catch (const CLI::ParseError& error) {
      throw UsageError(fmt::format("{}: {}", words.front(), error.what()));
    }
    if (version_) return print_version(json_);
    if (!shell_.empty()) return print_completion();
    if (app_.get_subcommands().empty()) throw UsageError(kNoCommand);
    return actions_.at(app_.get_subcommands().front()->get_name())();
  }

 private:
  CLI::App* add_command(const std::string& name, const std::string& description, std::function<int()> action) {
    actions_[name] = std::move(action);
    return app_.add_subcommand(name, description);
  }

  static void add_overrides(CLI::App* command, Overrides& overrides) {
    command->add_option("--set", overrides, "Change a parameter or a place in the scene; repeatable")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
  }

  static void add_model_options(CLI::App* command, ModelOptions& options) {
    command->add_option("--base", options.base, "How the root of a URDF model is held; default: fixed")
        ->type_name("fixed|floating");
    command
        ->add_option("--package-path", options.package_paths,
                     "Folder that ROS packages and meshes of a model may lie in; repeatable")
        ->type_name("FOLDER")
        ->allow_extra_args(false);
    command->add_flag("--ground", options.ground, "Put a model file on a plane");
    command->add_flag("--self-contact", options.self_contact, "Links of a URDF model touch each other");
    command
        ->add_option("--mesh-contact", options.mesh_contact,
                     "How meshes of a model touch: as one convex hull (default), several, or their triangles")
        ->type_name("hull|decompose|mesh");
    command
        ->add_option("--mesh-tolerance", options.mesh_tolerance,
                     "With --mesh-contact decompose: how far hulls may reach beyond a mesh, in terms of its diagonal; "
                     "default: 0.01")
        ->type_name("NUMBER");
    command
        ->add_option("--mesh-hulls", options.mesh_hulls,
                     "With --mesh-contact decompose: how many hulls a mesh may become; default: 32")
        ->type_name("COUNT");
  }

  void define_run();
  void define_view();
  void define_replay();
  static void add_experiment(CLI::App* command, RunOptions& options);
  static void add_viewer(CLI::App* command, ViewOptions& options);
  void define_inspect();
  void define_eval();
  void define_convert();
  void define_check();
  void define_scenes();
  void define_plot();

  Words command_names() const {
    Words names;
    for (const auto& [name, action] : actions_) names.push_back(name);
    return names;
  }

  void check_words(const Words& words) const;
  void check_options(const CLI::App& app, Words::const_iterator word, Words::const_iterator end) const;
  int print_completion() const;

  CLI::App app_{"Lipkin simulates mechanisms, robots and machines."};
  std::map<std::string, std::function<int()>> actions_;
  bool version_ = false;
  bool json_ = false;
  std::string shell_;
  RunOptions run_;
  ViewOptions view_;
  ReplayOptions replay_;
  InspectOptions inspect_;
  EvalOptions eval_;
  ConvertOptions convert_;
  CheckOptions check_;
  ScenesOptions scenes_;
  PlotCommandOptions plot_;
};

constexpr const char* kJsonHelp = "Print one JSON object on stdout and nothing else";

void CommandLine::add_experiment(CLI::App* command, RunOptions& options) {
  command->add_option("--dt", options.dt, "Step; for adaptive steppers the first one")->type_name("SECONDS");
  command->add_option("--stepper", options.stepper, "How to step")->type_name(alternatives(kSteppers));
  command
      ->add_option("--tolerance", options.tolerance, "Relative tolerance of an adaptive stepper; absolute: 1/100 of it")
      ->type_name("NUMBER");
  command->add_option("--absolute-tolerance", options.absolute_tolerance, "Absolute tolerance of an adaptive stepper")
      ->type_name("NUMBER");
  command->add_option("--coordinates", options.coordinates, "How bodies are described")
      ->type_name(alternatives(kCoordinates));
  command->add_option("--solver", options.solver, "How constraints are solved; a tree has none")
      ->type_name(alternatives(kSolvers));
  command->add_option("--stabilization", options.stabilization, "How constraints are kept; a tree has none")
      ->type_name(alternatives(kStabilizations));
  command->add_flag("--tolerate", options.tolerate, "Go on where joints, loops, limits or drives are violated");
}

void CommandLine::add_viewer(CLI::App* command, ViewOptions& options) {
  command->add_option("--port", options.port, "Port on the loopback interface; default: any that is free")
      ->type_name("NUMBER");
  command->add_option("--token", options.token, "What a client must know; default: new for every start")
      ->type_name("TEXT");
  command->add_option("--viewer-dir", options.viewer_dir, "Folder of the built viewer")->type_name("DIR");
  command->add_flag("--browser,!--no-browser", options.browser, "Open the browser; on unless --no-browser");
  command->add_flag("--paused", options.paused, "Wait for play");
  command->add_option("--quit-after", options.quit_after, "End after this time on the clock")->type_name("SECONDS");
  command->add_flag("--headless", options.headless, "Open nothing; with --screenshot or --video: make it and end");
  command->add_option("--screenshot", options.screenshot, "Draw a picture (PNG) and end")->type_name("FILE");
  command->add_option("--video", options.video, "Make a film (.mp4, .webm) and end")->type_name("FILE");
  command->add_option("--until", options.until, "Simulated time of the picture (2) or of the film's end (10, or less)")
      ->type_name("SECONDS");
  command->add_flag("--light", options.light, "Picture and film on a light ground");
}

void CommandLine::define_view() {
  view_.run.scene = "peaucellier";
  CLI::App* view = add_command("view", "Real-time simulation in the browser", [this] { return view_scene(view_); });
  view->add_option("scene", view_.run.scene, "Name of a scene or a file; default: the Peaucellier-Lipkin linkage")
      ->type_name("SCENE");
  add_viewer(view, view_);
  add_experiment(view, view_.run);
  add_overrides(view, view_.run.overrides);
  view->add_option("--commands", view_.run.commands, "Commands to apply, one JSON object a line")->type_name("FILE");
  view->add_option("--record", view_.run.record, "Write a recording (MCAP) that replay repeats")->type_name("FILE");
  view->add_flag("--json", view_.run.json, "Print the address as one JSON object");
}

void CommandLine::define_replay() {
  CLI::App* replay = add_command("replay", "Repeat a recording and compare every checkpoint, bit for bit",
                                 [this] { return replay_recording(replay_); });
  replay->add_option("file", replay_.file, "Recording as written by run or view --record")
      ->required()
      ->type_name("FILE");
  replay->add_option("--csv", replay_.csv, "Write the recorded channels to a file, - for stdout")->type_name("FILE");
  replay->add_option("--plot", replay_.plot, "Draw them into an .svg, .png or .pdf file")->type_name("FILE");
  replay->add_flag("--view", replay_.view, "In the browser, in real time");
  add_viewer(replay, replay_.viewer);
  replay->add_flag("--json", replay_.json, kJsonHelp);
}

void CommandLine::define_run() {
  CLI::App* run = add_command("run", "Simulate a scene; a summary at the end", [this] { return run_scene(run_); });
  run->add_option("scene", run_.scene, "Name of a scene (see lipkin scenes) or a file")->required()->type_name("SCENE");
  run->add_option("--duration", run_.duration, "Simulated time")->type_name("SECONDS");
  add_experiment(run, run_);
  run->add_option("--threads", run_.threads, "Threads to use at most; the result does not depend on it")
      ->type_name("COUNT");
  add_overrides(run, run_.overrides);
  add_model_options(run, run_.model_options);
  run->add_option("--csv", run_.csv, "Write the outputs to a file, - for stdout")->type_name("FILE");
  run->add_option("--check", run_.check, "all: check the laws of contacts after every step, not now and then")
      ->type_name("all");
  run->add_flag("--balance", run_.balance, "Where energy and momentum come from and go to, in the summary");
  run->add_option("--commands", run_.commands, "Commands to apply, one JSON object a line, as a viewer sends them")
      ->type_name("FILE");
  run->add_option("--record", run_.record, "Write a recording (MCAP) that replay repeats")->type_name("FILE");
  run->add_option("--every", run_.every, "Time between recorded rows; default: as the scene says, or every step")
      ->type_name("SECONDS");
  run->add_option("--plot", run_.plot, "Draw the outputs into an .svg, .png or .pdf file")->type_name("FILE");
  run->add_flag("--json", run_.json, kJsonHelp);
}

void CommandLine::define_inspect() {
  CLI::App* inspect =
      add_command("inspect", "What is in a model: tree, masses, totals", [this] { return inspect_model(inspect_); });
  inspect->add_option("model", inspect_.model, "Name of a scene or a file")->required()->type_name("SCENE");
  add_overrides(inspect, inspect_.overrides);
  add_model_options(inspect, inspect_.model_options);
  inspect->add_flag("--json", inspect_.json, kJsonHelp);
}

void CommandLine::define_eval() {
  CLI::App* eval = add_command("eval", "Inertia matrix, bias, accelerations, poses and energy at given states, as JSON",
                               [this] { return evaluate_states(eval_); });
  eval->add_option("model", eval_.model, "Name of a scene or a file")->required()->type_name("SCENE");
  eval->add_option("--states", eval_.states, "JSON file with cases of qpos, qvel and optionally tau")
      ->required()
      ->type_name("FILE");
  eval->add_flag("--full", eval_.full, "Springs, dampers, actuators, forces and servos too; says what is left out");
  eval->add_flag("--open-loops", eval_.open_loops, "Of the tree alone, as if nothing closed its loops");
  add_model_options(eval, eval_.model_options);
  add_overrides(eval, eval_.overrides);
  eval->add_flag("--json", json_, "As always: the answer is JSON");
}

void CommandLine::define_convert() {
  CLI::App* convert = add_command("convert", "Write a model as a scene, as URDF or as MJCF",
                                  [this] { return convert_model(convert_); });
  convert->add_option("model", convert_.model, "Name of a scene or a file")->required()->type_name("SCENE");
  convert
      ->add_option("-o,--output", convert_.output, "File to write: .yaml (a scene), .urdf or .xml (MJCF); - for stdout")
      ->required()
      ->type_name("FILE");
  convert->add_option("--to", convert_.to, "Format, where the ending does not say it")->type_name("scene|urdf|mjcf");
  add_overrides(convert, convert_.overrides);
  add_model_options(convert, convert_.model_options);
  convert->add_flag("--json", convert_.json, kJsonHelp);
}

void CommandLine::define_check() {
  CLI::App* check = add_command("check", "Find every mistake in scenes", [this] { return check_scenes(check_); });
  check->add_option("scenes", check_.scenes, "Files or names of scenes")->required()->type_name("SCENE");
  add_model_options(check, check_.model_options);
  check->add_flag("--json", check_.json, kJsonHelp);
}

void CommandLine::define_scenes() {
  CLI::App* scenes = add_command("scenes", "List the scenes that come along", [this] { return print_scenes(scenes_); });
  scenes->add_flag("--names", scenes_.names_only, "Only the names, one per line");
  scenes->add_flag("--json", scenes_.json, kJsonHelp);
}

void CommandLine::define_plot() {
  CLI::App* plot = add_command("plot", "Draw a CSV file as an SVG, PNG or PDF", [this] { return plot_csv(plot_); });
  plot->add_option("csv", plot_.csv, "File as written by run --csv, - for stdin")->required()->type_name("FILE");
  plot->add_option("-o,--output", plot_.output, "Picture; its ending is .svg, .png or .pdf")
      ->required()
      ->type_name("FILE");
  plot->add_option("--columns", plot_.columns, "Columns to draw, by name; default: all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B,...");
  plot->add_option("--x", plot_.x, "Column along the x axis; default: the first")->type_name("NAME");
  plot->add_option("--title", plot_.title, "Title above the plot")->type_name("TEXT");
  plot->add_option("--size", plot_.size, "Width and height in pixels")->type_name("WxH");
  plot->add_option("--subplots", plot_.subplots, "One panel per unit, per column, or one for all")
      ->type_name("unit|each|one")
      ->check(CLI::IsMember({"unit", "each", "one"}));
  plot->add_flag("--dark", plot_.dark, "Light lines on a dark page");
  plot->add_flag("--grid,!--no-grid", plot_.grid, "Grid lines; on unless --no-grid");
  plot->add_flag("--json", plot_.json, kJsonHelp);
}

// Words that CLI11 would report without a suggestion.
void CommandLine::check_words(const Words& words) const {
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
  if (words.empty()) throw UsageError(kNoCommand);
  if (is_option(words.front())) return check_options(app_, words.begin(), words.end());
  const std::string& name = words.front();
  if (const auto later = kLaterCommands.find(name); later != kLaterCommands.end()) {
    throw UsageError(fmt::format("{}: {}", name, later->second));
  }
  if (actions_.count(name) == 0) {
    throw UsageError(
        fmt::format("there is no command '{}'{}; lipkin --help lists them", name, suggestion(name, command_names())));
  }
  check_options(*app_.get_subcommand(name), words.begin() + 1, words.end());
}

void CommandLine::check_options(const CLI::App& app, Words::const_iterator word, Words::const_iterator end) const {
  for (; word != end && *word != "--"; ++word) {
    const bool is_number = word->size() > 1 && (std::isdigit((*word)[1]) != 0 || (*word)[1] == '.');
    if (word->size() < 2 || word->front() != '-' || is_number) continue;
    const std::string name = word->starts_with("--") ? word->substr(0, word->find('=')) : word->substr(0, 2);
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr) {
      Words known;
      for (const CLI::Option* each : app.get_options()) {
        for (const std::string& known_name : each->get_lnames()) known.push_back("--" + known_name);
      }
      const std::string command = app.get_parent() == nullptr ? "lipkin" : "lipkin " + app.get_name();
      throw UsageError(fmt::format("{} has no option '{}'{}; {} --help lists them", command, name,
                                   suggestion(name, known), command));
    }
    const bool takes_next = option->get_items_expected_max() > 0 && name.size() == word->size();
    if (takes_next && word + 1 != end) ++word;
  }
}

int CommandLine::print_completion() const {
  if (std::find(kShells.begin(), kShells.end(), shell_) == kShells.end()) {
    throw UsageError(fmt::format("--completion {}: expected one of {}", shell_, joined(kShells)));
  }
  fmt::print("{}", completion_script(app_, shell_));
  return kSuccess;
}

}  // namespace

int run_program(int argc, char** argv) {
  const Words words(argv + std::min(argc, 1), argv + argc);
  const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
  if (!words.empty() && words.front() == "bench") return forward_to_bench({words.begin() + 1, words.end()}, json);
  return guarded(json, [&] { return CommandLine().run(words); });
}

}  // namespace lipkin::cli
