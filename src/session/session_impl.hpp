// The inside of a Session: stepping, the queue of commands, edits of the model, and the way back in time.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lipkin/session.hpp"
#include "session/arguments.hpp"
#include "session/design.hpp"
#include "session/kept_scene.hpp"
#include "session/model_picture.hpp"
#include "session/timeline.hpp"

namespace lipkin {

struct Session::Impl {
  Impl(Scene from, const SceneSource& source);

  // ---- session.cpp: the queue and stepping ----
  struct Pending {
    Json line;
    Done done;
    int client = 0;
  };
  double time_slack() const;  // [s]
  bool is_due(const Json& line) const;
  void apply_due();
  void answer(Pending& pending);
  void drop_passed(std::uint64_t from_step, double from_t, const std::string& by);
  double up_to_commands(double limit) const;
  double next_of_icons() const;  // when one begins or ends [s]
  void step(double limit);
  void run(double duration, double every, const Simulation::Observer& on_sample, const Simulation::Observer& on_step,
           const std::function<double()>& user_before_step);
  void begin_step();
  double prepare_step(double limit);
  void take_step(double limit);
  void take_back_begin();
  void after_step();
  bool may_limit_matter() const;
  bool limit_may_have_mattered() const;
  void keep_limit();
  void tell_limit();
  void fail(const SimulationError& error);
  void keep_history();
  void begin_anew();
  bool steps_lie_ahead() const;
  void event(Json event);

  // ---- session_motions.cpp: what comes by itself ----
  bool has_come(const Icon& icon) const;  // the time at which a motion begins or ends
  void turn(Icon& icon) const;
  void turn_alone(const std::string& name);
  void start_and_end_motions();
  void break_joints();
  bool break_alone(const std::string& joint);
  bool change_or_give_up(Design next, const std::string& refusal, const std::function<void(Design&)>& take_back);

  // ---- session_apply.cpp: one command ----
  // Throws InvalidArgument, InputError or SimulationError. An edit, and what moves along the timeline, changes nothing
  // then.
  CommandAnswer apply(Json line, int client);
  Json run_handler(const Json& line);
  CommandAnswer apply_edit(const Json& line, int client);
  CommandAnswer travel(Json line, int client);
  Json repeat_edit(const Json& line);  // one that is part of the timeline already
  void repeat_edits(std::size_t edit_count);
  void record_edit(Json line, std::string label, std::shared_ptr<const Snapshot> before);
  void tell(const Json& line, const std::string& label, int client, std::uint64_t step, double t, double energy_jump);

  // ---- session_timeline.cpp ----
  // Where the session is, to come back to when a command is refused.
  struct Place {
    std::shared_ptr<const Snapshot> state;
    Timeline::Mark mark;
    std::string failure;
    std::uint64_t restores = 0;
  };
  Place place() const;
  void put_back(const Place& place);
  std::shared_ptr<const Snapshot> snapshot() const;
  void restore(const Snapshot& snapshot);
  void go_to(std::uint64_t step, double t, std::size_t edit_count);
  void advance_along(std::uint64_t step, double t, std::size_t edit_count);
  Json seek(Arguments& arguments);
  Json switch_branch(Arguments& arguments);
  Json undo(Arguments& arguments);
  Json redo(Arguments& arguments);
  void do_again(const std::vector<TimelineEdit>& edits);
  Json reset(Arguments& arguments);

  // ---- session_run.cpp: running and looking ----
  Json play(Arguments& arguments);
  Json pause(Arguments& arguments);
  Json set_speed(Arguments& arguments);
  Json step_once(Arguments& arguments);
  Json change_settings(Arguments& arguments);
  void put_channel(WatchedChannel channel);
  void check_channel(const WatchedChannel& channel) const;
  Json watch(Arguments& arguments);
  Json unwatch(Arguments& arguments);
  Json history(Arguments& arguments);
  Json measure(Arguments& arguments);
  Json save(Arguments& arguments);
  std::string scene_text(bool from_now) const;
  std::vector<std::string> lost_in_scene(bool from_now) const;
  Json hash(Arguments& arguments);
  void update_watches();
  std::vector<std::string> look_at(std::vector<std::string> expressions);
  std::string with_parameters(const std::string& expression) const;
  std::span<const double> values();

  // ---- session_edits.cpp: icons, drags, parameters ----
  void change(Design next, const std::vector<std::string>& overruled = {});
  ModelParts parts_in_force() const;
  void tell_idle_commands(const std::vector<Diagnostic>& known);
  std::string numbered(Design& design, const std::string& word) const;
  Json apply_icon(IconKind kind, Arguments& arguments);
  Json edit_icon(Arguments& arguments);
  void check_motion(const Icon& icon, const Arguments& arguments) const;
  void check_duration(const Icon& icon, const Arguments& arguments) const;
  Json delete_icon(Arguments& arguments);
  double hold(ActiveDrag& drag, double frequency) const;
  void hold_on();
  Json drag_begin(Arguments& arguments);
  Json drag_move(Arguments& arguments);
  Json drag_end(Arguments& arguments);
  Json pose(Arguments& arguments);
  Json set(Arguments& arguments);
  void release_control(const std::string& motor);
  Json reset_parameter(Arguments& arguments);
  void set_scene_parameter(const std::string& name, std::optional<double> value);

  // ---- session_joints.cpp ----
  const JointSpec& joint_named(const std::string& name) const;
  Pose body_pose(const std::string& name) const;
  Json set_freedoms(Arguments& arguments);
  Json add_joint(Arguments& arguments);
  Json delete_joint(Arguments& arguments);
  void remove_joint(const std::string& name, Design& design) const;
  Json set_limits(Arguments& arguments);
  Json set_friction(Arguments& arguments);
  MotorSpec drive_of(const JointSpec& joint, int dof) const;
  Json set_drive(Arguments& arguments);
  Json set_break(Arguments& arguments);

  // ---- session_controllers.cpp ----
  Json set_controller(Arguments& arguments);

  // ---- session_describe.cpp, frame.cpp ----
  ModelPicture picture() const;
  Json settings_json() const;
  Json run_json() const;
  Json timeline_json() const;
  void write_frame(std::uint32_t flags, float real_time_factor, std::string& bytes);

  std::uint64_t now() const { return simulation.state().step_count; }
  double time() const { return simulation.state().t; }
  const ModelParts& parts() const { return *simulation.model().data().parts; }

  Simulation simulation;
  const Experiment as_given;
  KeptScene scene;
  std::string description;
  std::map<std::string, double> scene_parameters;  // as given, by path
  std::shared_ptr<const Design> design;
  Timeline timeline;
  std::size_t next_edit = 0;  // of the current branch: those before it have been applied
  std::vector<std::vector<TimelineEdit>> redo_stack;

  struct Coming {
    std::uint64_t step = 0;
    double t = 0, limit = 0;             // [s]
    std::vector<ActiveDrag> drags = {};  // as they were before it
  };
  Coming coming;                                                // the step prepared last
  std::shared_ptr<const Snapshot> before_motions;               // of the step to come; none: none began or ended
  std::uint64_t restores = 0;                                   // how often another state was taken
  double told_limit = std::numeric_limits<double>::infinity();  // [s]

  std::deque<Pending> queue;
  bool playing = false;
  double speed = 1;
  std::string failure;
  bool looks_at_history = true;

  std::vector<WatchedChannel> channels;  // the scene's outputs, then those asked for
  std::size_t output_count = 0;
  std::vector<std::size_t> output_index;        // of the first channels: which outputs of the model they are
  std::size_t icon_watch = 0, break_watch = 0;  // where the factors of icons and reactions begin among the watches
  std::vector<double> channel_values;
  std::vector<BodyMotion> motions;  // of the last frame

  SessionVersions versions;
  std::vector<std::function<void(const AppliedCommand&)>> applied_listeners;
  std::vector<std::function<void(const std::string&)>> event_listeners;
  std::vector<std::function<void(std::uint64_t, double)>> limit_listeners;
};

// What kinds of command there are: those that only steer the clock or look; edits, which are part of the timeline; and
// those that move along it.
enum class CommandKind { kRun, kLook, kEdit, kTimeline };

struct CommandEntry {
  std::string name;
  CommandKind kind;
  Json (*handle)(Session::Impl&, Arguments&);
};

bool is_multistep(StepperKind kind);

// A number or an expression; none where it is not given.
std::optional<Signal> signal_of(Arguments& arguments, const char* key);

// The control that `set` sets at a path; -1: none.
int control_at(const Model& model, const std::string& path);

// Throws InvalidArgument with the nearest name.
const CommandEntry& command_named(const std::string& name);

}  // namespace lipkin
