#include "forces/switching_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/infinity.hpp"
#include "model/signals.hpp"

namespace lipkin {

namespace {

constexpr SwitchingTime kNever = {kInfinity, kInfinity};

constexpr int kFinest = -46, kCoarsest = 40;  // cells of 2^-46 s (1.4e-14 s) to 2^40 s
constexpr int kMostLooks = 4000;              // before a search is given up
constexpr int kMostCells = 4;                 // that one switch may take, by rounding

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

// Walks through cells in which the expression is smooth, larger after each, and smaller where it is not.
SwitchingTime switching_of(const Expression& e, std::size_t slot, double t) {
  int level = kCoarsest, looks = 0;
  while (level <= kCoarsest) {
    const double end = end_of_cell(t, level);
    if (++looks > kMostLooks) return kNever;
    if (e.is_smooth(slot, t, end)) {
      t = end;
      ++level;
    } else if (level > finest_level(t)) {
      --level;
    } else {
      double after = end;
      int cells = 1;
      while (!e.is_smooth(slot, after, end_of_cell(after, level))) {
        if (++cells > kMostCells) return kNever;
        after = end_of_cell(after, level);
      }
      return {t, after};
    }
  }
  return kNever;
}

SwitchingTime switching_of(const SignalData& signal, double t) {
  if (const Table* table = std::get_if<Table>(&signal)) {
    const auto next = std::upper_bound(table->times.begin(), table->times.end(), t);
    return next == table->times.end() ? kNever : SwitchingTime{*next, *next};
  }
  const auto* e = std::get_if<ChannelExpression>(&signal);
  if (!e) return kNever;
  const auto is_time = [](const Channel& c) { return c.kind == ChannelKind::kTime; };
  const auto found = std::find_if(e->channels.begin(), e->channels.end(), is_time);
  if (found == e->channels.end()) return kNever;
  return switching_of(e->expression, static_cast<std::size_t>(found - e->channels.begin()), t);
}

}  // namespace

SwitchingTime next_switching_time(const ModelData& model, double t) {
  SwitchingTime first = kNever;
  for_each_signal(model, [&](const SignalPlace&, const SignalData& signal) {
    const SwitchingTime next = switching_of(signal, t);
    if (next.before < first.before || (next.before == first.before && next.after > first.after)) first = next;
  });
  return first;
}

}  // namespace lipkin
