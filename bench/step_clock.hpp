// Times steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "stopwatch.hpp"

namespace lipkin::bench {

// Steps one after the other, each timed alone: a median is deaf to whoever else uses the machine.
class StepClock {
 public:
  explicit StepClock(long steps, Clock clock = Clock::kWall) : clock_(clock) {
    times_.reserve(static_cast<std::size_t>(steps));
  }

  template <class Step>
  void time(Step&& step) {
    const double begin = seconds_on(clock_);
    step();
    times_.push_back(seconds_on(clock_) - begin);
  }

  // Adds steps, us_per_step (the median) and us_mean.
  void report(nlohmann::json& reply) {
    std::ranges::sort(times_);
    reply["steps"] = times_.size();
    reply["us_per_step"] = 1e6 * times_[times_.size() / 2];
    reply["us_mean"] = 1e6 * std::accumulate(times_.begin(), times_.end(), 0.0) / static_cast<double>(times_.size());
  }

 private:
  Clock clock_;
  std::vector<double> times_;  // [s]
};

}  // namespace lipkin::bench
