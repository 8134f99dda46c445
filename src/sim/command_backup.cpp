#include "sim/command_backup.hpp"

#include <algorithm>

namespace lipkin {

void CommandBackup::make_room(const State& state, const std::vector<Command>& commands) {
  std::size_t longest = 0;
  for (const SettingEdit& edit : state.edits) longest = std::max(longest, edit.path.size());
  for (const Command& command : commands)
    if (const auto* set = std::get_if<CommandSet>(&command.action)) longest = std::max(longest, set->path.size());
  edits_.resize(std::max(edits_.size(), state.edits.size() + commands.size()));
  for (SettingEdit& edit : edits_) edit.path.reserve(longest);
  pushes_.reserve(state.pushes.size() + commands.size());
  control_.reserve(state.control.size()), inputs_.reserve(state.inputs.size());
  balance_.reserve(state.balance.size());
}

void CommandBackup::keep(const State& state) {
  t_ = state.t, step_size_ = state.step_size, commands_done_ = state.commands_done;
  control_ = state.control, inputs_ = state.inputs, balance_ = state.balance;
  pushes_ = state.pushes;
  edit_count_ = state.edits.size();
  if (edits_.size() < edit_count_) edits_.resize(edit_count_);
  for (std::size_t i = 0; i < edit_count_; ++i)
    edits_[i].path.assign(state.edits[i].path), edits_[i].value = state.edits[i].value;
}

void CommandBackup::restore(State& state) const {
  state.t = t_, state.step_size = step_size_, state.commands_done = commands_done_;
  state.control = control_, state.inputs = inputs_, state.balance = balance_;
  state.pushes = pushes_;
  state.edits.assign(edits_.begin(), edits_.begin() + static_cast<std::ptrdiff_t>(edit_count_));
}

}  // namespace lipkin
