#include "step_times.hpp"

#include <cmath>

namespace lipkin::cli {
namespace {

constexpr double kNanosecond = 1e-9;

}  // namespace

double StepTimes::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_) * kNanosecond;
}

double StepTimes::longest() const { return static_cast<double>(longest_) * kNanosecond; }

double StepTimes::percentile(double percent) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank && seen > 0) return std::min(middle_of(bucket) * kNanosecond, longest());
  }
  return 0;
}

double StepTimes::middle_of(std::size_t bucket) {
  if (bucket < 2 * kBucketsPerOctave) return static_cast<double>(bucket);
  const auto excess = static_cast<int>(bucket / kBucketsPerOctave) - 1;
  const auto mantissa = static_cast<double>(bucket % kBucketsPerOctave + kBucketsPerOctave);
  return std::ldexp(mantissa + 0.5, excess);
}

}  // namespace lipkin::cli
