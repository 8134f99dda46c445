// What happened in a session: branches of edits, and snapshots from which any step of them can be reached again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lipkin/session.hpp"
#include "session/design.hpp"

namespace lipkin {

struct Snapshot {
  Checkpoint simulation;
  std::shared_ptr<const Design> design;
  std::size_t edit_count = 0;  // edits of the branch that are in it

  std::uint64_t step() const { return simulation.state.step_count; }
};

struct TimelineEdit {
  Json line;  // with "step"
  std::uint64_t step = 0;
  double t = 0;  // [s]
  std::string label;
  std::string group;                       // edits in a row of one group are undone together; empty: alone
  std::shared_ptr<const Snapshot> before;  // none for those in the middle of a gesture
};

// Sampled channels over time, thinned when there are too many rows.
class History {
 public:
  // A row where the last one is older than the interval.
  void sample(double t, const std::vector<WatchedChannel>& channels, std::span<const double> values);
  void cut_after(double t);
  Json json(const std::vector<std::string>& names, double from, double to, int rows) const;
  bool wants(double t) const { return times_.empty() || t >= times_.back() + interval_; }

 private:
  void thin();

  double interval_ = 0.005;  // [s]
  std::vector<double> times_;
  std::map<std::string, std::vector<double>> columns_;  // as long as times_
};

// How far steps may go, from one of them on.
struct StepLimit {
  std::uint64_t step = 0;  // taken before
  double t = 0;            // [s]
};

struct Branch {
  bool restarts_at(std::uint64_t step) const;
  double limit_at(std::uint64_t step) const;  // of the step from there [s]

  std::optional<int> parent;
  std::uint64_t fork_step = 0, end_step = 0;
  double fork_t = 0, end_t = 0;  // [s]
  std::string name;
  std::vector<TimelineEdit> edits;                         // from the beginning on
  std::vector<std::shared_ptr<const Snapshot>> snapshots;  // by step
  std::uint64_t snapshot_interval = 256;                   // [steps]
  // What else decides steps, so that they are repeated to the bit. Both by step.
  std::vector<std::uint64_t> restarts;  // where multistep codes began anew otherwise than by an edit
  std::vector<StepLimit> limits;        // none: steps go as far as they want
  History history;
};

class Timeline {
 public:
  explicit Timeline(std::shared_ptr<const Snapshot> start);

  Branch& current() { return branches_[current_]; }
  const Branch& current() const { return branches_[current_]; }
  int current_index() const { return current_; }
  const std::vector<Branch>& branches() const { return branches_; }
  Branch& branch(int index);  // throws InvalidArgument
  void switch_to(int index) { current_ = index; }

  // The newest snapshot of the current branch that is not after `step` (or the time `t`) and has at most `edit_count`
  // edits.
  std::shared_ptr<const Snapshot> nearest(std::uint64_t step, double t, std::size_t edit_count) const;

  // Which branches there are, and which is the current one.
  struct Mark {
    int current = 0;
    std::size_t count = 0;
  };
  Mark mark() const { return {current_, branches_.size()}; }
  void back_to(const Mark& mark);

  // Throws InvalidArgument where no more branches fit.
  void check_room() const;

  // A new branch that shares the current one up to here, with its first `edit_count` edits.
  void fork(std::uint64_t step, double t, std::size_t edit_count);
  void fork_from_start();

  // Room for one more; thins the old ones where there are many.
  void keep(std::shared_ptr<const Snapshot> snapshot);

  // Multistep codes have begun anew here.
  void keep_restart(std::uint64_t step);

  // First of the edits that are undone together with the one before `end`.
  std::size_t group_begin(std::size_t end) const;

  Json json(const Json& can_undo, const Json& can_redo) const;

 private:
  int current_ = 0;
  std::vector<Branch> branches_;
};

}  // namespace lipkin
