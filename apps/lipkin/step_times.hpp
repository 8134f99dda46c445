// How long steps took: exact mean and maximum, percentiles from a histogram of fixed size.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace lipkin::cli {

class StepTimes {
 public:
  // `count` steps that took `nanoseconds` each. Allocates nothing.
  void add(std::uint64_t nanoseconds, std::uint64_t count = 1) {
    counts_[bucket_of(nanoseconds)] += count;
    count_ += count;
    sum_ += nanoseconds * count;
    if (nanoseconds > longest_) longest_ = nanoseconds;
  }

  double mean() const;                      // [s]
  double longest() const;                   // [s]
  double percentile(double percent) const;  // [s], within 1/32

 private:
  // Values below 2^kBits have a bucket each; above, every power of two is divided into 2^(kBits - 1) buckets.
  static constexpr int kBits = 6;
  static constexpr int kBucketsPerOctave = 1 << (kBits - 1);
  static constexpr int kBucketCount = (64 - kBits + 2) * kBucketsPerOctave;

  static std::size_t bucket_of(std::uint64_t nanoseconds) {
    const int excess = std::max(0, static_cast<int>(std::bit_width(nanoseconds)) - kBits);
    return static_cast<std::size_t>(excess) * kBucketsPerOctave + (nanoseconds >> excess);
  }
  static double middle_of(std::size_t bucket);  // [ns]

  std::array<std::uint64_t, kBucketCount> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;      // [ns]
  std::uint64_t longest_ = 0;  // [ns]
};

}  // namespace lipkin::cli
