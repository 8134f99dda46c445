// The commands: each takes its options, prints its result and returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lipkin::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;
inline constexpr int kRefused = 2;

// "path=value" as given to --set.
using Overrides = std::vector<std::string>;

// How a model file (URDF, MJCF) is read; scenes have no use for it.
struct ModelOptions {
  std::optional<std::string> base;         // "fixed" or "floating"
  std::optional<std::string> usual_base;   // where `base` is not given and the model leaves it open
  std::vector<std::string> package_paths;  // folders of ROS packages and meshes
  bool ground = false;
  bool self_contact = false;
  std::string mesh_contact = "hull";  // "hull", "decompose" or "mesh"
  // Of "decompose": how far hulls may reach beyond a mesh, in terms of its diagonal, and how many there may be.
  std::optional<double> mesh_tolerance;
  std::optional<int> mesh_hulls;
};

struct RunOptions {
  std::string scene;
  ModelOptions model_options;
  std::optional<double> duration;            // [s]
  std::optional<double> dt;                  // [s]
  std::optional<double> tolerance;           // relative
  std::optional<double> absolute_tolerance;  // in the unit of each coordinate
  std::optional<std::string> stepper;
  std::optional<std::string> solver;
  std::optional<std::string> coordinates;
  std::optional<std::string> stabilization;
  std::optional<int> threads;
  Overrides overrides;
  std::string csv;              // empty: none; "-": standard output
  std::string plot;             // empty: none
  std::optional<double> every;  // [s]
  bool balance = false;         // terms of the energy and momentum balance in the report
  bool tolerate = false;        // violations that would stop the run
  std::string check;            // empty or "all": contacts' laws at every step
  std::string commands;         // file of commands; empty: none
  std::string record;           // recording to write; empty: none
  bool json = false;
};
int run_scene(const RunOptions& options);

struct ViewOptions {
  RunOptions run;  // the scene and its experiment
  int port = 0;    // 0: any
  std::string token;
  std::string viewer_dir;
  bool browser = true;
  bool paused = false;
  std::optional<double> quit_after;  // [s]
  bool headless = false;             // no browser of the desktop
  std::string screenshot;            // empty: none
  std::string video;                 // empty: none
  std::optional<double> until;       // simulated time of the picture, or of the film's end [s]
  bool light = false;                // the picture on a light ground
  bool single_steps = false;         // a recording: its commands act between steps
};
int view_scene(const ViewOptions& options);
int view_recording(const std::string& file, const ViewOptions& options);

struct ReplayOptions {
  std::string file;
  std::string csv;   // empty: none; "-": standard output
  std::string plot;  // empty: none
  bool view = false;
  ViewOptions viewer;
  bool json = false;
};
int replay_recording(const ReplayOptions& options);

struct InspectOptions {
  std::string model;
  ModelOptions model_options;
  Overrides overrides;
  bool json = false;
};
int inspect_model(const InspectOptions& options);

struct EvalOptions {
  std::string model;
  ModelOptions model_options;
  std::string states;
  Overrides overrides;
  bool full = false;
  bool open_loops = false;
};
int evaluate_states(const EvalOptions& options);

struct ConvertOptions {
  std::string model;
  ModelOptions model_options;
  Overrides overrides;
  std::string output;             // "-": standard output
  std::optional<std::string> to;  // "scene" or "urdf"; not given: by the ending of the output
  bool json = false;
};
int convert_model(const ConvertOptions& options);

struct CheckOptions {
  std::vector<std::string> scenes;
  ModelOptions model_options;
  bool json = false;
};
int check_scenes(const CheckOptions& options);

struct ScenesOptions {
  bool names_only = false;
  bool json = false;
};
int print_scenes(const ScenesOptions& options);

struct PlotCommandOptions {
  std::string csv;
  std::string output;
  std::vector<std::string> columns;  // empty: all but x
  std::string x;                     // empty: the first column
  std::string title;
  std::string size;  // "WxH"; empty: chosen
  std::string subplots = "unit";
  bool dark = false;
  bool grid = true;
  bool json = false;
};
int plot_csv(const PlotCommandOptions& options);

// Replaces this process by lipkin-bench; returns only when that cannot be started.
int forward_to_bench(std::vector<std::string> arguments, bool json);

int print_schema();
int print_version(bool json);

}  // namespace lipkin::cli
