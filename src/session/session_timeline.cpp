// Back and forth in time: snapshots restored, and edits repeated at their steps.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "session/session_impl.hpp"

namespace lipkin {

namespace {

constexpr double kAnyTime = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kAnyStep = std::numeric_limits<std::uint64_t>::max();
constexpr double kStepsEnd = 0x1p64;  // no count of steps is as large

std::size_t edits_up_to(const Branch& branch, std::uint64_t step, double t) {
  return static_cast<std::size_t>(std::count_if(branch.edits.begin(), branch.edits.end(),
                                                [&](const TimelineEdit& e) { return e.step <= step && e.t <= t; }));
}

}  // namespace

std::shared_ptr<const Snapshot> Session::Impl::snapshot() const {
  return std::make_shared<const Snapshot>(Snapshot{simulation.checkpoint(), design, next_edit});
}

void Session::Impl::restore(const Snapshot& snapshot) {
  const bool other_model = &simulation.model().data() != &snapshot.simulation.model.data();
  simulation.restore(snapshot.simulation);
  design = snapshot.design;
  next_edit = snapshot.edit_count;
  ++restores;
  update_watches();
  if (other_model) ++versions.model;
  ++versions.settings;
}

Session::Impl::Place Session::Impl::place() const {
  return {std::make_shared<const Snapshot>(Snapshot{simulation.peek(), design, next_edit}), timeline.mark(), failure,
          restores};
}

// The history of a multistep code is no part of a snapshot: the steps that made it are taken again.
void Session::Impl::put_back(const Place& to) {
  timeline.back_to(to.mark);
  const bool is_there = restores == to.restores && design == to.state->design &&
                        simulation.hash() == state_hash(to.state->simulation.state);
  if (is_there) return;
  if (is_multistep(to.state->simulation.experiment.stepper)) {
    go_to(to.state->step(), kAnyTime, to.state->edit_count);
  } else {
    restore(*to.state);
  }
  failure = to.failure;
}

// Along the current branch to the first boundary at or after a step or a time, with its first `edit_count` edits.
void Session::Impl::go_to(std::uint64_t step, double t, std::size_t edit_count) {
  restore(*timeline.nearest(step, t, edit_count));
  failure.clear();
  advance_along(step, t, edit_count);
}

void Session::Impl::advance_along(std::uint64_t step, double t, std::size_t edit_count) {
  for (;;) {
    repeat_edits(edit_count);
    if (now() >= std::min(step, timeline.current().end_step) || time() >= t - time_slack()) return;
    take_step(kAnyTime);
  }
}

Json Session::Impl::seek(Arguments& arguments) {
  const int index = arguments.integer_or("branch", timeline.current_index());
  const bool by_time = arguments.has("t");
  const double t = by_time ? arguments.number("t") : kAnyTime;
  const double step = by_time ? 0 : arguments.number("step");
  arguments.finish();
  if (step < 0 || t < 0) throw InvalidArgument("seek: the beginning is 0");
  if (step >= kStepsEnd) arguments.refuse("step", "a number of steps");
  const Branch& branch = timeline.branch(index);
  timeline.switch_to(index);
  const std::uint64_t wanted = by_time ? kAnyStep : static_cast<std::uint64_t>(step);
  go_to(wanted, t, edits_up_to(branch, wanted, t + time_slack()));
  return {{"step", now()}, {"t", time()}, {"branch", index}};
}

Json Session::Impl::switch_branch(Arguments& arguments) {
  const int index = arguments.integer_or("branch", timeline.current_index());
  const bool named = arguments.has("name");
  const std::string name = arguments.text_or("name", "");
  arguments.finish();
  Branch& branch = timeline.branch(index);
  if (index != timeline.current_index()) {
    timeline.switch_to(index);
    go_to(branch.end_step, kAnyTime, branch.edits.size());
  }
  if (named) branch.name = name;
  return {{"branch", index}, {"step", now()}, {"t", time()}};
}

Json Session::Impl::reset(Arguments& arguments) {
  arguments.finish();
  timeline.fork_from_start();
  restore(*timeline.current().snapshots.front());
  failure.clear();
  redo_stack.clear();
  return {{"branch", timeline.current_index()}};
}

// To the state before the last edit. What was simulated since stays on the branch it is on.
Json Session::Impl::undo(Arguments& arguments) {
  arguments.finish();
  if (next_edit == 0) throw InvalidArgument("there is nothing to undo");
  const std::size_t end = next_edit, begin = timeline.group_begin(end);
  const Branch& branch = timeline.current();
  const std::vector<TimelineEdit> undone(branch.edits.begin() + static_cast<std::ptrdiff_t>(begin),
                                         branch.edits.begin() + static_cast<std::ptrdiff_t>(end));
  const bool nothing_since = branch.end_step == undone.front().step && end == branch.edits.size();
  if (!nothing_since) timeline.check_room();
  go_to(undone.front().step, kAnyTime, begin);
  if (nothing_since) {
    timeline.current().edits.resize(begin);
  } else {
    timeline.fork(now(), time(), begin);
  }
  begin_anew();
  const std::string label = undone.front().label;
  redo_stack.push_back(undone);
  return {{"undone", label}, {"step", now()}, {"t", time()}};
}

Json Session::Impl::redo(Arguments& arguments) {
  arguments.finish();
  if (redo_stack.empty()) throw InvalidArgument("there is nothing to do again");
  const std::vector<TimelineEdit> edits = redo_stack.back();
  const int index = timeline.current_index();
  Branch before = timeline.current();
  try {
    do_again(edits);
  } catch (const Error&) {
    timeline.branch(index) = std::move(before);
    throw;
  }
  redo_stack.pop_back();
  return {{"redone", edits.front().label}, {"step", now()}, {"t", time()}};
}

// At their steps, after the edits that the branch has until there.
void Session::Impl::do_again(const std::vector<TimelineEdit>& edits) {
  const std::uint64_t first = edits.front().step;
  const std::size_t count = edits_up_to(timeline.current(), first, kAnyTime);
  if (now() > first) {
    go_to(first, kAnyTime, count);
  } else {
    advance_along(first, kAnyTime, count);
  }
  while (now() < first) take_step(kAnyTime);
  if (steps_lie_ahead()) timeline.fork(now(), time(), next_edit);
  for (const TimelineEdit& edit : edits) {
    while (now() < edit.step) take_step(kAnyTime);
    const std::shared_ptr<const Snapshot> before = edit.before ? snapshot() : nullptr;
    repeat_edit(edit.line);
    record_edit(edit.line, edit.label, before);
  }
}

Json Session::Impl::timeline_json() const {
  const auto last = [](const std::vector<TimelineEdit>& edits, std::size_t end) {
    return end == 0 ? Json(nullptr) : Json(edits[end - 1].label);
  };
  const Json can_undo = last(timeline.current().edits, next_edit);
  const Json can_redo = redo_stack.empty() ? Json(nullptr) : last(redo_stack.back(), redo_stack.back().size());
  return timeline.json(can_undo, can_redo);
}

}  // namespace lipkin
