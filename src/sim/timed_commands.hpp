// The timed commands of an experiment: made ready before the run, carried out between two steps without the heap.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lipkin/scene.hpp"
#include "lipkin/state.hpp"
#include "model/settings.hpp"

namespace lipkin {

class TimedCommands {
 public:
  explicit TimedCommands(std::vector<Command> commands) : commands_(std::move(commands)) {}

  const std::vector<Command>& list() const { return commands_; }  // those done first, then by time

  // Throws InputError with every command that cannot be carried out, one after the other in the order of their times,
  // with the values of this data at the start.
  void check(const Model& model, ModelData data) const;

  // Throws InputError when it cannot be carried out whatever other values are at its time.
  void add(Command command, const Model& model, ModelData& data);

  // Sorts what is still to come and makes it ready; the state gets room for what it will take. `edited`: commands whose
  // target is no longer part of the model do nothing.
  void prepare(const Model& model, ModelData& data, bool edited, State& state);

  // Those still to come whose target is no longer part of the model, with the reason.
  std::vector<Diagnostic> idle(const State& state) const;

  // Whether apply_due() would do something.
  bool is_due(double slack, const State& state) const;

  struct Due {
    bool changed = false;
    const SettingEdit* builds = nullptr;    // due, not carried out: the model has to be built anew with it
    const SourceLocation* where = nullptr;  // of that one
  };
  // Carries out what is due, up to the first that needs another model, and ends the pushes that have run out. Throws
  // InputError where a value passes another one as it is by now: those before it are carried out then.
  Due apply_due(double slack, ModelData& data, State& state);

  // A push that ends within the next step, of this length [s], acts with the part of its force that gives its impulse;
  // steps that end where pushes do have length 0 here.
  // Without those that end now, the others whole: what acts from now on.
  static void leave_acting_pushes(double slack, State& state);
  static void share_pushes(double step, double slack, State& state);

  // When the next command or the end of a push is due [s].
  double next_event(const State& state) const;

 private:
  struct ReadySet {
    std::optional<Setting> setting;  // none: the value has no place of its own
    SettingEdit edit;

    bool is_in_place() const { return setting && fits_in_place(*setting, edit.value); }
  };
  struct Idle {
    std::string reason;
  };
  // A push that has not begun: `until` counts from its begin.
  using Ready = std::variant<Idle, ReadySet, ActivePush>;

  static Ready made_ready(const Command& command, const Model& model, ModelData& data);
  static Ready made_ready_if_possible(const Command& command, const Model& model, ModelData& data);
  static void execute(ReadySet& set, const Command& command, ModelData& data, State& state);

  std::vector<Command> commands_;
  std::vector<Ready> ready_;  // one per command
};

}  // namespace lipkin
