// One command: from its line to its effect, its place in the timeline, and its answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

namespace {

template <Json (Session::Impl::*function)(Arguments&)>
Json call(Session::Impl& session, Arguments& arguments) {
  return (session.*function)(arguments);
}

template <IconKind kind>
Json call_icon(Session::Impl& session, Arguments& arguments) {
  return session.apply_icon(kind, arguments);
}

const std::vector<CommandEntry>& commands() {
  using I = Session::Impl;
  static const std::vector<CommandEntry> entries = {{"play", CommandKind::kRun, call<&I::play>},
                                                    {"pause", CommandKind::kRun, call<&I::pause>},
                                                    {"speed", CommandKind::kRun, call<&I::set_speed>},
                                                    {"step", CommandKind::kRun, call<&I::step_once>},
                                                    {"reset", CommandKind::kTimeline, call<&I::reset>},
                                                    {"seek", CommandKind::kTimeline, call<&I::seek>},
                                                    {"branch", CommandKind::kTimeline, call<&I::switch_branch>},
                                                    {"undo", CommandKind::kTimeline, call<&I::undo>},
                                                    {"redo", CommandKind::kTimeline, call<&I::redo>},
                                                    {"settings", CommandKind::kEdit, call<&I::change_settings>},
                                                    {"apply_force", CommandKind::kEdit, call_icon<IconKind::kForce>},
                                                    {"apply_torque", CommandKind::kEdit, call_icon<IconKind::kTorque>},
                                                    {"apply_motion", CommandKind::kEdit, call_icon<IconKind::kMotion>},
                                                    {"edit_icon", CommandKind::kEdit, call<&I::edit_icon>},
                                                    {"delete_icon", CommandKind::kEdit, call<&I::delete_icon>},
                                                    {"drag_begin", CommandKind::kEdit, call<&I::drag_begin>},
                                                    {"drag_move", CommandKind::kEdit, call<&I::drag_move>},
                                                    {"drag_end", CommandKind::kEdit, call<&I::drag_end>},
                                                    {"pose", CommandKind::kEdit, call<&I::pose>},
                                                    {"set", CommandKind::kEdit, call<&I::set>},
                                                    {"reset_parameter", CommandKind::kEdit, call<&I::reset_parameter>},
                                                    {"set_freedoms", CommandKind::kEdit, call<&I::set_freedoms>},
                                                    {"add_joint", CommandKind::kEdit, call<&I::add_joint>},
                                                    {"delete_joint", CommandKind::kEdit, call<&I::delete_joint>},
                                                    {"set_limits", CommandKind::kEdit, call<&I::set_limits>},
                                                    {"set_friction", CommandKind::kEdit, call<&I::set_friction>},
                                                    {"set_drive", CommandKind::kEdit, call<&I::set_drive>},
                                                    {"set_break", CommandKind::kEdit, call<&I::set_break>},
                                                    {"set_controller", CommandKind::kEdit, call<&I::set_controller>},
                                                    {"watch", CommandKind::kLook, call<&I::watch>},
                                                    {"unwatch", CommandKind::kLook, call<&I::unwatch>},
                                                    {"history", CommandKind::kLook, call<&I::history>},
                                                    {"measure", CommandKind::kLook, call<&I::measure>},
                                                    {"save", CommandKind::kLook, call<&I::save>},
                                                    {"hash", CommandKind::kLook, call<&I::hash>}};
  return entries;
}

Json arguments_of(const Json& line) { return line.contains("args") ? line["args"] : Json::object(); }

// What a person reads in the timeline: "apply_torque crank".
std::string label_of(const Json& line) {
  const Json args = arguments_of(line);
  std::string label = line.at("cmd");
  for (const char* key : {"name", "body", "joint", "path", "drag"})
    if (args.contains(key)) {
      label += " " + (args[key].is_string() ? args[key].get<std::string>() : args[key].dump());
      break;
    }
  if (args.contains("value")) label += " = " + args["value"].dump();
  return label;
}

// Pedals, and controls from outside: there may be one every step.
bool is_control(const Json& line) {
  const std::string path = line.at("cmd") == "set" ? arguments_of(line).value("path", "") : "";
  const bool drives = path.starts_with("actuator.") || path.starts_with("motor.");
  return path.starts_with("input.") || path.starts_with("control.") || (drives && path.ends_with(".control"));
}

constexpr double kControlsTogether = 2;  // [s]

// Steps of one gesture are undone together, controls those of a while.
std::string group_of(const Json& line, double t) {
  const std::string cmd = line.at("cmd");
  const Json args = arguments_of(line);
  const std::string step = line.at("step").dump();
  if (cmd.starts_with("drag_")) return fmt::format("drag {}", args.value("drag", 0));
  if (cmd == "pose") return fmt::format("pose {} {}", args.value("body", ""), step);
  if (is_control(line)) return fmt::format("controls {}", std::floor(t / kControlsTogether));
  if (cmd == "set") return fmt::format("set {} {}", args.value("path", ""), step);
  if (cmd == "edit_icon") return fmt::format("icon {} {}", args.value("name", ""), step);
  return {};
}

}  // namespace

const CommandEntry& command_named(const std::string& name) {
  std::vector<std::string> known;
  for (const CommandEntry& entry : commands()) {
    if (entry.name == name) return entry;
    known.push_back(entry.name);
  }
  const std::string hint = did_you_mean(name, known);
  throw InvalidArgument(fmt::format("there is no command '{}'{}", name, hint.empty() ? "" : "; " + hint));
}

Json Session::Impl::run_handler(const Json& line) {
  const CommandEntry& entry = command_named(line.at("cmd"));
  Arguments arguments(entry.name, arguments_of(line));
  return entry.handle(*this, arguments);
}

void Session::Impl::tell(const Json& line, const std::string& label, int client, std::uint64_t step, double t,
                         double energy_jump) {
  const AppliedCommand applied{line.dump(), label, client, timeline.current_index(), step, t, energy_jump};
  for (const auto& listener : applied_listeners) listener(applied);
}

CommandAnswer Session::Impl::apply(Json line, int client) {
  line.erase("at");
  const CommandEntry& entry = command_named(line.at("cmd"));
  if (entry.kind == CommandKind::kEdit) return apply_edit(line, client);
  if (entry.kind == CommandKind::kTimeline) return travel(std::move(line), client);
  const Json result = run_handler(line);
  return {true, "", result.is_null() ? "{}" : result.dump(), now(), time(), 0};
}

// Whatever goes wrong, the session is where it was, and all branches are as they were.
CommandAnswer Session::Impl::travel(Json line, int client) {
  const Place before = place();
  const std::uint64_t step = now();
  const double t = time();
  Json result;
  try {
    result = run_handler(line);
  } catch (const Error&) {
    put_back(before);
    throw;
  }
  line["step"] = step;
  ++versions.timeline;
  ++versions.run;
  tell(line, label_of(line), client, step, t, 0);
  drop_passed(step, t, line["cmd"]);
  return {true, "", result.is_null() ? "{}" : result.dump(), now(), time(), 0};
}

// Whatever goes wrong, everything is as before, the history of a multistep code included: a replay does not know of it.
CommandAnswer Session::Impl::apply_edit(const Json& given, int client) {
  if (steps_lie_ahead()) timeline.check_room();
  const Place place_before = place();
  const std::shared_ptr<const Snapshot>& before = place_before.state;
  const double energy = simulation.energy().total();
  Json line = given, result;
  try {
    result = run_handler(given);
  } catch (const Error&) {
    put_back(place_before);
    throw;
  }
  simulation.begin_anew();
  if (steps_lie_ahead()) timeline.fork(now(), time(), next_edit);
  redo_stack.clear();
  if (!failure.empty()) failure.clear(), ++versions.run;  // what failed is another now; the next step will tell
  line["step"] = now();
  if (line.contains("args") || result.contains("name") || result.contains("drag")) {
    Json& args = line["args"];
    for (const char* key : {"name", "drag"})
      if (result.contains(key)) args[key] = result[key];
  }
  const double jump = simulation.energy().total() - energy;
  const std::string label = label_of(line);
  const std::vector<TimelineEdit>& edits = timeline.current().edits;
  const bool in_gesture = given["cmd"] == "drag_move" || given["cmd"] == "drag_end" ||
                          (is_control(line) && !edits.empty() && edits.back().group == group_of(line, time()));
  record_edit(line, label, in_gesture ? nullptr : before);
  tell(line, label, client, now(), time(), jump);
  return {true, "", result.is_null() ? "{}" : result.dump(), now(), time(), jump};
}

void Session::Impl::record_edit(Json line, std::string label, std::shared_ptr<const Snapshot> before) {
  Branch& branch = timeline.current();
  const std::string group = group_of(line, time());
  branch.edits.push_back({std::move(line), now(), time(), std::move(label), group, std::move(before)});
  next_edit = branch.edits.size();
  ++versions.timeline;
}

Json Session::Impl::repeat_edit(const Json& line) {
  const Json result = run_handler(line);
  simulation.begin_anew();
  return result;
}

// Those of the branch that are due, up to a number of them.
void Session::Impl::repeat_edits(std::size_t edit_count) {
  const std::vector<TimelineEdit>& edits = timeline.current().edits;
  while (next_edit < edit_count && edits[next_edit].step <= now()) {
    const Json line = edits[next_edit++].line;
    repeat_edit(line);
  }
}

}  // namespace lipkin
