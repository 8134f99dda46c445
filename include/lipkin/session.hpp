// A simulation that a person, a script or a recording works on while it runs: everything they do is a command, applied
// between two steps, and the same commands give the same bits. docs/guide/viewer-protocol.md lists the commands.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lipkin/simulation.hpp"

namespace lipkin {

// Where a scene came from, so that it can be read again with other parameters.
struct SceneSource {
  std::string scene;                                           // as for load_scene; empty: cannot be read again
  std::vector<std::pair<std::string, std::string>> overrides;  // likewise
  ImportOptions import_options = {};                           // likewise
};

// What became of a command.
struct CommandAnswer {
  bool ok = true;
  std::string error;       // one line
  std::string result;      // a JSON object
  std::uint64_t step = 0;  // the boundary from which on it acts
  double t = 0;            // [s]
  double energy_jump = 0;  // what the edit itself did to the energy [J]
};

// A command as it is logged: applying the same lines at the same steps repeats the session.
struct AppliedCommand {
  std::string line;   // JSON on one line, names filled in, with "step"
  std::string label;  // for a person
  int client = 0;
  int branch = 0;
  std::uint64_t step = 0;
  double t = 0;            // [s]
  double energy_jump = 0;  // [J]
};

// Count up when what they describe has changed.
struct SessionVersions {
  std::uint32_t model = 1, watches = 1, settings = 1, run = 1, timeline = 1;
};

struct WatchedChannel {
  std::string name, expression, unit;
  std::string error;  // why it has no value now
};

// What is wrong with a command's line, without applying it, and the line to write: no JSON object, an unknown key or
// command, no value to set. Of several commands in one text, a list or lines, it speaks of the first. Empty: nothing.
std::string command_mistake(const std::string& line);

class Session {
 public:
  Session(Scene scene, SceneSource source);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Puts a command, one JSON object, into the queue; `done` is called when it has been applied or refused, from within
  // apply_due() or step(). One whose time a way along the timeline passes over is refused. Never throws.
  using Done = std::function<void(const CommandAnswer&)>;
  void submit(std::string line, Done done = {}, int client = 0);

  // Applies what is due at this boundary; also while paused.
  void apply_due();
  std::size_t pending_count() const;

  // Applies what is due, then takes one step, not beyond `limit` [s]; none where a pause was due. Throws
  // SimulationError as Simulation::step; the session can be rewound then.
  void step(double limit = std::numeric_limits<double>::infinity());

  // Steps until t = now + duration, as Simulation::run, with commands applied when they are due; `before_step` may
  // submit some.
  void run(double duration, double every = 0, const Simulation::Observer& on_sample = {},
           const Simulation::Observer& on_step = {}, const std::function<double()>& before_step = {});

  // As of Simulation.
  void use_threads(int count);
  void watch_balance();
  void check_all(bool every_step);

  const Simulation& simulation() const;
  bool playing() const;                // as the commands play and pause left it
  double speed() const;                // of real time
  const std::string& failure() const;  // of the last step; empty: none
  int branch() const;
  bool is_untouched() const;  // no step was taken and nothing edited
  const SessionVersions& versions() const;

  // Adds a listener: for every command that was applied and matters to a replay; for every event (a JSON object).
  void on_applied(std::function<void(const AppliedCommand&)> listener);
  void on_event(std::function<void(const std::string&)> listener);
  // For every step that may go to another time than the one before it [s]: from the step on, those of a repetition may
  // go as far. Nothing told: without end.
  void on_limit(std::function<void(std::uint64_t step, double limit)> listener);

  // The scene's outputs, then what was asked for by the command `watch`.
  const std::vector<WatchedChannel>& channels() const;
  std::span<const double> channel_values();  // now; NaN where there is none

  // JSON texts of docs/guide/viewer-protocol.md.
  std::string model_json() const;
  // The same, written when it is called, from any thread: for large models that takes longer than a step.
  std::function<std::string()> model_writer() const;
  std::string icons_json() const;
  std::string settings_json() const;
  std::string run_json() const;
  std::string timeline_json() const;
  std::string watches_json() const;

  // A binary frame; flags beyond those the session knows itself (playing, failed) and the factor reached are the
  // caller's.
  void write_frame(std::uint32_t flags, float real_time_factor, std::string& bytes);

  // The edited model as a scene file that starts as the scene does, or, where joints were changed, where it is now.
  std::string scene_text() const;

  struct Impl;  // src/session

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
