#include "session/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "lipkin/session.hpp"

namespace lipkin {

namespace {

constexpr std::size_t kMaxRows = 20000;
constexpr std::size_t kMaxSnapshots = 128;
constexpr int kMaxBranches = 1000;

Json branch_json(int index, const Branch& branch) {
  Json edits = Json::array();
  for (const TimelineEdit& edit : branch.edits)
    if (edit.before)
      edits.push_back({{"step", edit.step}, {"t", edit.t}, {"cmd", edit.line.at("cmd")}, {"label", edit.label}});
  return {{"branch", index},
          {"parent", branch.parent ? Json(*branch.parent) : Json(nullptr)},
          {"fork_step", branch.fork_step},
          {"fork_t", branch.fork_t},
          {"end_step", branch.end_step},
          {"end_t", branch.end_t},
          {"name", branch.name},
          {"edits", std::move(edits)}};
}

}  // namespace

void History::sample(double t, const std::vector<WatchedChannel>& channels, std::span<const double> values) {
  times_.push_back(t);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    std::vector<double>& column = columns_[channels[i].name];
    column.resize(times_.size() - 1, std::numeric_limits<double>::quiet_NaN());
    column.push_back(values[i]);
  }
  for (auto& [name, column] : columns_) column.resize(times_.size(), std::numeric_limits<double>::quiet_NaN());
  if (times_.size() >= kMaxRows) thin();
}

void History::thin() {
  const auto halve = [](std::vector<double>& values) {
    for (std::size_t i = 0; 2 * i < values.size(); ++i) values[i] = values[2 * i];
    values.resize((values.size() + 1) / 2);
  };
  halve(times_);
  for (auto& [name, column] : columns_) halve(column);
  interval_ *= 2;
}

void History::cut_after(double t) {
  const std::size_t count = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin();
  times_.resize(count);
  for (auto& [name, column] : columns_) column.resize(count);
}

Json History::json(const std::vector<std::string>& names, double from, double to, int rows) const {
  const std::size_t begin = std::lower_bound(times_.begin(), times_.end(), from) - times_.begin();
  const std::size_t end = std::upper_bound(times_.begin(), times_.end(), to) - times_.begin();
  const std::size_t stride = std::max<std::size_t>(1, (end - std::min(begin, end) + rows - 1) / rows);
  Json t = Json::array(), values = Json::object();
  for (std::size_t i = begin; i < end; i += stride) t.push_back(times_[i]);
  for (const std::string& name : names) {
    const auto column = columns_.find(name);
    Json& list = values[name] = Json::array();
    for (std::size_t i = begin; i < end; i += stride)
      list.push_back(column == columns_.end() ? Json(nullptr) : number_json(column->second[i]));
  }
  return {{"t", std::move(t)}, {"values", std::move(values)}};
}

bool Branch::restarts_at(std::uint64_t step) const {
  return std::binary_search(restarts.begin(), restarts.end(), step);
}

double Branch::limit_at(std::uint64_t step) const {
  const auto later = [](std::uint64_t at, const StepLimit& limit) { return at < limit.step; };
  const auto next = std::upper_bound(limits.begin(), limits.end(), step, later);
  return next == limits.begin() ? std::numeric_limits<double>::infinity() : std::prev(next)->t;
}

Timeline::Timeline(std::shared_ptr<const Snapshot> start) {
  branches_.emplace_back();
  branches_.back().snapshots.push_back(std::move(start));
}

Branch& Timeline::branch(int index) {
  if (index < 0 || index >= static_cast<int>(branches_.size()))
    throw InvalidArgument(fmt::format("there is no branch {}; there are {}", index, branches_.size()));
  return branches_[index];
}

std::shared_ptr<const Snapshot> Timeline::nearest(std::uint64_t step, double t, std::size_t edit_count) const {
  const Branch& branch = current();
  std::shared_ptr<const Snapshot> best = branch.snapshots.front();
  const auto look_at = [&](const std::shared_ptr<const Snapshot>& s) {
    if (!s || s->step() > step || s->simulation.state.t > t || s->edit_count > edit_count) return;
    if (std::pair(s->step(), s->edit_count) >= std::pair(best->step(), best->edit_count)) best = s;
  };
  for (const auto& snapshot : branch.snapshots) look_at(snapshot);
  for (const TimelineEdit& edit : branch.edits) look_at(edit.before);
  return best;
}

void Timeline::back_to(const Mark& mark) {
  branches_.resize(mark.count);
  current_ = mark.current;
}

void Timeline::check_room() const {
  if (static_cast<int>(branches_.size()) >= kMaxBranches)
    throw InvalidArgument(fmt::format("there are {} branches already; no more fit", kMaxBranches));
}

void Timeline::fork(std::uint64_t step, double t, std::size_t edit_count) {
  check_room();
  Branch next = current();
  next.parent = current_;
  next.name.clear();
  next.fork_step = next.end_step = step;
  next.fork_t = next.end_t = t;
  next.edits.resize(edit_count);
  std::erase_if(next.snapshots, [&](const auto& s) { return s->step() > step || s->edit_count > edit_count; });
  std::erase_if(next.restarts, [&](std::uint64_t at) { return at > step; });
  std::erase_if(next.limits, [&](const StepLimit& limit) { return limit.step >= step; });
  next.history.cut_after(t);
  branches_.push_back(std::move(next));
  current_ = static_cast<int>(branches_.size()) - 1;
}

void Timeline::fork_from_start() {
  const std::shared_ptr<const Snapshot> start = current().snapshots.front();
  fork(start->step(), start->simulation.state.t, 0);
}

void Timeline::keep(std::shared_ptr<const Snapshot> snapshot) {
  Branch& branch = current();
  if (branch.snapshots.size() >= kMaxSnapshots) {
    std::vector<std::shared_ptr<const Snapshot>> kept;
    for (std::size_t i = 0; i < branch.snapshots.size(); i += 2) kept.push_back(branch.snapshots[i]);
    branch.snapshots = std::move(kept);
    branch.snapshot_interval *= 2;
  }
  keep_restart(snapshot->step());
  branch.snapshots.push_back(std::move(snapshot));
}

void Timeline::keep_restart(std::uint64_t step) {
  if (!current().restarts_at(step)) current().restarts.push_back(step);
}

std::size_t Timeline::group_begin(std::size_t end) const {
  const std::vector<TimelineEdit>& edits = current().edits;
  std::size_t begin = end - 1;
  while (begin > 0 && !edits[begin].group.empty() && edits[begin - 1].group == edits[begin].group) --begin;
  return begin;
}

Json Timeline::json(const Json& can_undo, const Json& can_redo) const {
  Json branches = Json::array();
  for (std::size_t i = 0; i < branches_.size(); ++i) branches.push_back(branch_json(static_cast<int>(i), branches_[i]));
  return {{"branch", current_}, {"branches", std::move(branches)}, {"can_undo", can_undo}, {"can_redo", can_redo}};
}

}  // namespace lipkin
