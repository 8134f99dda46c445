// What timed commands change in a state, kept so that a step which is refused leaves those that were due with it for
// later.
#pragma once

#include "lipkin/scene.hpp"
#include "lipkin/state.hpp"

namespace lipkin {

// Of a command that builds the model anew the whole state is kept. Keeping takes nothing from the heap once there is
// room.
class CommandBackup {
 public:
  // What is kept stays.
  void make_room(const State& state, const std::vector<Command>& commands);
  void keep(const State& state);
  void restore(State& state) const;

 private:
  double t_ = 0, step_size_ = 0;
  std::uint64_t commands_done_ = 0;
  std::vector<double> control_, inputs_, balance_;
  std::vector<ActivePush> pushes_;
  std::vector<SettingEdit> edits_;  // as many as there may be, so that their paths have room
  std::size_t edit_count_ = 0;
};

}  // namespace lipkin
