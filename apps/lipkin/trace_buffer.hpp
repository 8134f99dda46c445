// The course of a run in bounded memory, for a picture.
#pragma once

#include <span>
#include <vector>

#include "lipkin/csv.hpp"

namespace lipkin::cli {

// Keeps intervals of time, each with the two extremes of every quantity in the order they came. When it is full,
// neighbouring intervals merge: peaks survive however long the run is.
class TraceBuffer {
 public:
  explicit TraceBuffer(std::size_t quantity_count);

  void add(double time, std::span<const double> values);

  // Time first, then the quantities, two rows per interval.
  std::vector<Trace> traces(const std::vector<Trace>& labels) const;

 private:
  struct Extremes {
    double earlier = 0;
    double later = 0;
  };
  struct Interval {
    double begin = 0;
    double end = 0;
    std::uint64_t sample_count = 0;
  };

  static constexpr std::size_t kMaxIntervals = 1 << 14;

  static Extremes merged(const Extremes& a, const Extremes& b);
  void merge_neighbours();

  std::size_t quantity_count_;
  std::uint64_t samples_per_interval_ = 1;
  std::vector<Interval> intervals_;
  std::vector<Extremes> extremes_;  // quantity_count_ per interval
};

}  // namespace lipkin::cli
