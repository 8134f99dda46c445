#include "sim/timed_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/parameters.hpp"
#include "sim/require.hpp"

namespace lipkin {

// Throws InvalidArgument when the command cannot be carried out.
TimedCommands::Ready TimedCommands::made_ready(const Command& command, const Model& model, ModelData& data) {
  require(!std::isnan(command.at), "the time of a command is not a number");
  if (const auto* set = std::get_if<CommandSet>(&command.action)) {
    ReadySet ready{find_setting(data, set->path), {set->path, set->value}};
    if (ready.setting) check_setting(*ready.setting, set->path, set->value);
    if (!ready.setting) check_value(*model.data().parts, set->path, set->value);
    return ready;
  }
  const auto& push = std::get<CommandPush>(command.action);
  require(push.point.allFinite() && push.force.allFinite() && push.torque.allFinite(), "a push is not finite");
  require(std::isfinite(push.duration) && push.duration > 0, "the duration of a push is not a number above 0 [s]");
  return ActivePush{model.body(push.body),           push.point,   push.force, push.torque,
                    push.frame == ForceFrame::kBody, push.duration};
}

TimedCommands::Ready TimedCommands::made_ready_if_possible(const Command& command, const Model& model,
                                                           ModelData& data) {
  try {
    return made_ready(command, model, data);
  } catch (const InvalidArgument& e) {
    return Idle{e.what()};
  }
}

void TimedCommands::check(const Model& model, ModelData data) const {
  std::vector<Diagnostic> mistakes;
  std::vector<Command> in_order = commands_;
  std::stable_sort(in_order.begin(), in_order.end(), [](const Command& a, const Command& b) { return a.at < b.at; });
  std::vector<SettingEdit> edits;
  for (const Command& command : in_order) {
    try {
      Ready ready = made_ready(command, model, data);
      const auto* set = std::get_if<ReadySet>(&ready);
      if (!set) continue;
      if (set->setting) check_beside_others(*set->setting, set->edit.path, set->edit.value);
      edits.push_back(set->edit);
      if (set->is_in_place()) {
        put_setting(data, *set->setting, set->edit.value);
      } else {
        data = with_values(model, edits).data();
      }
    } catch (const Error& e) {
      mistakes.push_back({command.where, e.what(), {}, Severity::kError});
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

void TimedCommands::add(Command command, const Model& model, ModelData& data) {
  try {
    made_ready(command, model, data);
  } catch (const InvalidArgument& e) {
    throw InputError(command.where, e.what());
  }
  commands_.push_back(std::move(command));
}

void TimedCommands::prepare(const Model& model, ModelData& data, bool edited, State& state) {
  const auto from = commands_.begin() + static_cast<std::ptrdiff_t>(state.commands_done);
  std::stable_sort(from, commands_.end(), [](const Command& a, const Command& b) { return a.at < b.at; });
  ready_.clear();
  for (const Command& command : commands_)
    ready_.push_back(edited ? made_ready_if_possible(command, model, data) : made_ready(command, model, data));
  state.pushes.reserve(state.pushes.size() + commands_.size());
  state.edits.reserve(state.edits.size() + commands_.size());
}

std::vector<Diagnostic> TimedCommands::idle(const State& state) const {
  std::vector<Diagnostic> result;
  for (std::size_t i = state.commands_done; i < ready_.size(); ++i) {
    const auto* idle = std::get_if<Idle>(&ready_[i]);
    if (!idle) continue;
    result.push_back({commands_[i].where,
                      fmt::format("the command for t = {:g} s will do nothing: {}", commands_[i].at, idle->reason),
                      {},
                      Severity::kWarning});
  }
  return result;
}

void TimedCommands::execute(ReadySet& set, const Command& command, ModelData& data, State& state) {
  const Setting& setting = *set.setting;
  if (setting.control >= 0) {
    state.control[setting.control] = set.edit.value;
  } else if (setting.input >= 0) {
    state.inputs[setting.input] = set.edit.value;
  } else {
    try {
      check_beside_others(setting, set.edit.path, set.edit.value);
    } catch (const InvalidArgument& e) {
      throw InputError(command.where, fmt::format("{}, at t = {:g} s", e.what(), state.t));
    }
    put_setting(data, setting, set.edit.value);
    if (setting.overrides >= 0) state.control[setting.overrides] = std::numeric_limits<double>::quiet_NaN();
    std::erase_if(state.edits, [&](const SettingEdit& edit) { return edit.path == set.edit.path; });
    state.edits.push_back(std::move(set.edit));
  }
}

bool TimedCommands::is_due(double slack, const State& state) const {
  if (state.commands_done == commands_.size() && state.pushes.empty()) return false;
  const double now = state.t + slack;
  return (state.commands_done < commands_.size() && commands_[state.commands_done].at <= now) ||
         std::any_of(state.pushes.begin(), state.pushes.end(), [&](const ActivePush& p) { return p.until <= now; });
}

TimedCommands::Due TimedCommands::apply_due(double slack, ModelData& data, State& state) {
  const auto ended = [&](const ActivePush& p) { return p.until <= state.t + slack; };
  Due due{std::erase_if(state.pushes, ended) > 0};
  while (state.commands_done < commands_.size() && commands_[state.commands_done].at <= state.t + slack) {
    const Command& command = commands_[state.commands_done];
    Ready& ready = ready_[state.commands_done];
    if (auto* set = std::get_if<ReadySet>(&ready)) {
      if (!set->is_in_place()) return {due.changed, &set->edit, &command.where};
      execute(*set, command, data, state);
    } else if (const auto* push = std::get_if<ActivePush>(&ready)) {
      state.pushes.push_back(*push);
      state.pushes.back().until += state.t;
    }
    ++state.commands_done;
    due.changed = true;
  }
  return due;
}

void TimedCommands::leave_acting_pushes(double slack, State& state) {
  std::erase_if(state.pushes, [&](const ActivePush& p) { return p.until <= state.t + slack; });
  for (ActivePush& push : state.pushes) push.share = 1;
}

void TimedCommands::share_pushes(double step, double slack, State& state) {
  for (ActivePush& push : state.pushes) {
    const double rest = push.until - state.t;
    push.share = rest < step - slack ? rest / step : 1;
  }
}

double TimedCommands::next_event(const State& state) const {
  double t = std::numeric_limits<double>::infinity();
  if (state.commands_done < commands_.size()) t = commands_[state.commands_done].at;
  for (const ActivePush& push : state.pushes) t = std::min(t, push.until);
  return t;
}

}  // namespace lipkin
