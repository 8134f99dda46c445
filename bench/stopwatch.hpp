// Times a call that is too short to be timed alone.
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace lipkin::bench {

// kCpu: time this process computed, all its threads together; others on a shared machine then only disturb the caches.
// kWall: for work spread over threads.
enum class Clock { kCpu, kWall };

inline double seconds_on(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::kCpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Least time per call [ns] over batches of calls that fill `seconds`: disturbances only ever add time.
template <class Call>
double least_ns_per_call(Call&& call, double seconds, Clock clock) {
  constexpr double kBatchSeconds = 1e-3;  // far above the clock's resolution, below a scheduler's time slice
  const auto time_of_batch = [&](long count) {
    const double begin = seconds_on(clock);
    for (long i = 0; i < count; ++i) call();
    return seconds_on(clock) - begin;
  };
  time_of_batch(1);  // warms caches and branch predictors
  long count = 1;
  double batch = time_of_batch(count);
  while (batch < 0.25 * kBatchSeconds) batch = time_of_batch(count *= 2);
  count = std::max(1L, static_cast<long>(static_cast<double>(count) * kBatchSeconds / batch));

  double least = std::numeric_limits<double>::infinity();
  const double end = seconds_on(clock) + seconds;
  do least = std::min(least, time_of_batch(count));
  while (seconds_on(clock) < end);
  return 1e9 * least / static_cast<double>(count);
}

}  // namespace lipkin::bench
