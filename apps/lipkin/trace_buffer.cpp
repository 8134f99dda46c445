#include "trace_buffer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lipkin::cli {

TraceBuffer::TraceBuffer(std::size_t quantity_count) : quantity_count_(quantity_count) {
  intervals_.reserve(kMaxIntervals);
  extremes_.reserve(kMaxIntervals * quantity_count_);
}

void TraceBuffer::add(double time, std::span<const double> values) {
  const bool begins_new = intervals_.empty() || intervals_.back().sample_count == samples_per_interval_;
  if (begins_new && intervals_.size() == kMaxIntervals) {
    merge_neighbours();
    return add(time, values);
  }
  if (begins_new) {
    intervals_.push_back({time, time, 1});
    for (const double value : values) extremes_.push_back({value, value});
    return;
  }
  intervals_.back().end = time;
  ++intervals_.back().sample_count;
  const auto last = extremes_.end() - static_cast<std::ptrdiff_t>(quantity_count_);
  for (std::size_t i = 0; i < quantity_count_; ++i) {
    Extremes& extremes = last[static_cast<std::ptrdiff_t>(i)];
    extremes = merged(extremes, {values[i], values[i]});
  }
}

// The lowest and the highest of four values, in their order; a NaN stays visible.
TraceBuffer::Extremes TraceBuffer::merged(const Extremes& a, const Extremes& b) {
  const std::array<double, 4> values = {a.earlier, a.later, b.earlier, b.later};
  for (const double value : values) {
    if (std::isnan(value)) return {value, value};
  }
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  return lowest < highest ? Extremes{*lowest, *highest} : Extremes{*highest, *lowest};
}

void TraceBuffer::merge_neighbours() {
  for (std::size_t k = 0; k < kMaxIntervals / 2; ++k) {
    const Interval &a = intervals_[2 * k], &b = intervals_[2 * k + 1];
    intervals_[k] = {a.begin, b.end, a.sample_count + b.sample_count};
    for (std::size_t i = 0; i < quantity_count_; ++i) {
      extremes_[k * quantity_count_ + i] =
          merged(extremes_[2 * k * quantity_count_ + i], extremes_[(2 * k + 1) * quantity_count_ + i]);
    }
  }
  intervals_.resize(kMaxIntervals / 2);
  extremes_.resize(kMaxIntervals / 2 * quantity_count_);
  samples_per_interval_ *= 2;
}

std::vector<Trace> TraceBuffer::traces(const std::vector<Trace>& labels) const {
  std::vector<Trace> traces = labels;
  for (std::size_t k = 0; k < intervals_.size(); ++k) {
    traces[0].values.push_back(intervals_[k].begin);
    traces[0].values.push_back(intervals_[k].end);
    for (std::size_t i = 0; i < quantity_count_; ++i) {
      traces[i + 1].values.push_back(extremes_[k * quantity_count_ + i].earlier);
      traces[i + 1].values.push_back(extremes_[k * quantity_count_ + i].later);
    }
  }
  return traces;
}

}  // namespace lipkin::cli
