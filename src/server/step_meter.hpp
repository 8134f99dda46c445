// Wall times of steps, in bins a hundredth of an octave wide, 0.7 %: percentiles without keeping every step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace lipkin {

class StepMeter {
 public:
  void add(double seconds) {
    const double octaves = std::log2(std::max(seconds, kShortest) / kShortest);
    const auto bin = static_cast<std::size_t>(octaves * kBinsPerOctave);
    ++bins_[std::min(bin, bins_.size() - 1)];
    ++count_;
    longest_ = std::max(longest_, seconds);
  }

  std::uint64_t count() const { return count_; }
  double longest() const { return longest_; }  // [s]

  // The time that a part of the steps does not exceed [s].
  double quantile(double part) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      seen += bins_[i];
      if (seen >= wanted && seen > 0) return kShortest * std::exp2((static_cast<double>(i) + 0.5) / kBinsPerOctave);
    }
    return 0;
  }

 private:
  static constexpr double kShortest = 1e-8;  // [s]
  static constexpr double kBinsPerOctave = 100;
  std::array<std::uint32_t, 3500> bins_{};  // to 35 octaves: five minutes
  std::uint64_t count_ = 0;
  double longest_ = 0;
};

}  // namespace lipkin
