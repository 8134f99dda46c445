#include "forces/switching_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/infinity.hpp"
#include "model/signals.hpp"

namespace lipkin {

namespace {

constexpr SwitchingTime kNever = {kInfinity, kInfinity};
constexpr FoundSwitch kNone = {kNever, kInfinity};

constexpr int kFinest = -46, kCoarsest = 40;  // cells of 2^-46 s (1.4e-14 s) to 2^40 s
constexpr int kMostCells = 4;                 // that one switch may take, by rounding

constexpr int kMostLooks = 1000;  // of one search
// Where as many looks as would find any switch lead no further than `kNowhere`, intervals cannot tell what is there:
// the search goes on behind a cell of this level (1 us), behind a larger one where that does not help.
constexpr int kFewLooks = 128, kBlind = -20, kBlinder = 2;
constexpr double kNowhere = 1e-6;  // [s]

// What is known bounds a step where it is at least this part of it: otherwise signals that switch for ever without
// doing so would bring the run to a stand. Some steps ahead it is far away.
constexpr double kLeastOfStep = 1.0 / 64, kStepsAhead = 2;

// Cells of the clock: multiples of a power of two, so that the result does not depend on where a search begins.
double end_of_cell(double t, int level) {
  const double size = std::ldexp(1.0, level);
  return (std::floor(t / size) + 1) * size;
}

// The finest level whose cells the clock tells apart at t.
int finest_level(double t) {
  int exponent = 0;
  std::frexp(t, &exponent);
  return std::max(kFinest, exponent - std::numeric_limits<double>::digits + 1);
}

// The end of a switch whose first cell ends at t; infinite: the cells that are not smooth go on.
double end_of_switch(const Expression& e, std::size_t slot, double t, int level) {
  for (int cells = 1; cells <= kMostCells; ++cells) {
    const double end = end_of_cell(t, level);
    if (e.is_smooth(slot, t, end)) return t;
    t = end;
  }
  return kInfinity;
}

// Walks through cells in which the expression is smooth, larger after each, and smaller where it is not.
FoundSwitch switching_of(const Expression& e, std::size_t slot, double t) {
  int level = kCoarsest, blind = kBlind;
  double from = t;  // since when `few` looks were made
  for (int looks = 0, few = 0; level <= kCoarsest; ++looks, ++few) {
    if (looks == kMostLooks) return {kNever, t};
    bool is_lost = few == kFewLooks && t - from < kNowhere;
    if (few == kFewLooks) {
      if (!is_lost) blind = kBlind;
      few = 0, from = t;
    }
    const double end = end_of_cell(t, level);
    if (e.is_smooth(slot, t, end)) {
      t = end;
      ++level;
    } else if (level > finest_level(t)) {
      --level;
    } else {
      const double after = end_of_switch(e, slot, end, level);
      if (after < kInfinity) return {{t, after}, kInfinity};
      is_lost = true;
    }
    if (!is_lost) continue;
    level = std::max(blind, finest_level(t));
    t = end_of_cell(t, level);
    blind += kBlinder;
    few = 0, from = t;
  }
  return kNone;
}

// Of the variables of an expression, the time.
std::optional<std::size_t> slot_of_time(const ChannelExpression& e) {
  const auto is_time = [](const Channel& c) { return c.kind == ChannelKind::kTime; };
  const auto found = std::find_if(e.channels.begin(), e.channels.end(), is_time);
  if (found == e.channels.end()) return {};
  return static_cast<std::size_t>(found - e.channels.begin());
}

}  // namespace

FoundSwitch find_switch(const SignalData& signal, double t) {
  if (const Table* table = std::get_if<Table>(&signal)) {
    const auto next = std::upper_bound(table->times.begin(), table->times.end(), t);
    return next == table->times.end() ? kNone : FoundSwitch{{*next, *next}, kInfinity};
  }
  const auto* e = std::get_if<ChannelExpression>(&signal);
  if (!e) return kNone;
  const std::optional<std::size_t> slot = slot_of_time(*e);
  return slot ? switching_of(e->expression, *slot, t) : kNone;
}

double jump_between(const ModelData& model, double from, double to) {
  double first = kInfinity;
  for_each_signal(model, [&](const SignalPlace&, const SignalData& signal) {
    const auto* e = std::get_if<ChannelExpression>(&signal);  // tables have knots only
    if (!e) return;
    const std::optional<std::size_t> slot = slot_of_time(*e);
    if (!slot || e->expression.is_smooth(*slot, from, to)) return;
    const SwitchingTime next = switching_of(e->expression, *slot, from).next;
    if (next.before <= to) first = std::min(first, next.before);
  });
  return first;
}

bool SwitchingSearch::Part::suffices(double t, double step) const {
  return found.until == kInfinity || (step > 0 && t + kStepsAhead * step <= found.until);
}

SwitchingTime SwitchingSearch::Part::next(const SignalData& signal, double t, double step) {
  const bool applies = from <= t && t < found.next.before;
  if (!applies || (from < t && !suffices(t, step))) {
    found = find_switch(signal, t);
    from = t;
  }
  const bool bounds = !suffices(t, step) && found.until - t >= std::max(kLeastOfStep * step, kNowhere);
  return bounds ? SwitchingTime{found.until, found.until} : found.next;
}

void SwitchingSearch::start(const ModelData& model) {
  std::size_t count = 0;
  for_each_signal(model, [&](const SignalPlace&, const SignalData&) { ++count; });
  parts_.assign(count, {});
  all_known_ = false;
}

SwitchingTime SwitchingSearch::next(const ModelData& model, double t, double step) {
  if (all_known_ && from_ <= t && t < first_.before) return first_;
  first_ = kNever;
  all_known_ = true;
  from_ = t;
  std::size_t i = 0;
  for_each_signal(model, [&](const SignalPlace&, const SignalData& signal) {
    Part& part = parts_[i++];
    const SwitchingTime next = part.next(signal, t, step);
    all_known_ = all_known_ && part.found.until == kInfinity;
    if (next.before < first_.before || (next.before == first_.before && next.after > first_.after)) first_ = next;
  });
  return first_;
}

}  // namespace lipkin
