#include "record/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lipkin {
namespace {

constexpr const char* kMinus = "\u2212";
// Labels read without a factor within these limits.
constexpr double kPlainSmallest = 1e-2;
constexpr double kPlainLargest = 1e4;
// Labels that differ only beyond this many steps from zero get an offset instead of more digits.
constexpr double kOffsetRatio = 5e3;
// A variation below this part of the values is rounding, not signal.
constexpr double kFlatRatio = 64 * std::numeric_limits<double>::epsilon();

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

// 10^exponent with the last bit right, as a literal would have it: pow() is exact for these in glibc.
double power_of_ten(int exponent) { return exponent >= 0 ? std::pow(10.0, exponent) : 1 / std::pow(10.0, -exponent); }

// The smallest 1, 2 or 5 times a power of ten that is not below `least`.
double nice_step(double least) {
  const double power = power_of_ten(exponent_of(least));
  for (const double mantissa : {1.0, 2.0, 5.0}) {
    if (mantissa * power >= least * (1 - 1e-9)) return mantissa * power;
  }
  return 10 * power;
}

std::string superscript(int number) {
  static const std::array<const char*, 10> kDigits = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                                      "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = number < 0 ? "\u207b" : "";
  for (const char digit : std::to_string(std::abs(number))) text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string fixed_text(double value, int decimals) {
  std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !is_zero ? kMinus : "") + digits;
}

// The number with the fewest digits inside the range.
double roundest_inside(AxisRange range) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const int finest = exponent_of(range.span()) - 1;
  for (int exponent = exponent_of(largest) + 1; exponent > finest; --exponent) {
    const double unit = power_of_ten(exponent);
    const double candidate = std::ceil(range.low / unit) * unit;
    if (candidate <= range.high) return candidate;
  }
  return range.low;
}

struct LabelScale {
  double offset = 0;
  int exponent = 0;  // a multiple of 3
};

LabelScale choose_scale(AxisRange range, double step) {
  LabelScale scale;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (largest > kOffsetRatio * step) scale.offset = roundest_inside(range);
  const double shown = std::max(std::abs(range.low - scale.offset), std::abs(range.high - scale.offset));
  if (shown >= kPlainLargest || shown < kPlainSmallest) {
    scale.exponent = 3 * static_cast<int>(std::floor(exponent_of(shown) / 3.0));
  }
  return scale;
}

std::string note_of(const LabelScale& scale) {
  const std::string factor = scale.exponent == 0 ? "" : "\u00d710" + superscript(scale.exponent);
  if (scale.offset == 0) return factor;
  std::string offset = fmt::format("{:.12g}", std::abs(scale.offset));
  return (scale.offset < 0 ? kMinus : "") + offset + " + \u2026" + factor;
}

}  // namespace

AxisRange range_of(const std::vector<const std::vector<double>*>& value_lists) {
  AxisRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto* values : value_lists) {
    for (const double value : *values) {
      if (!std::isfinite(value)) continue;
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  return range.low <= range.high ? range : AxisRange{};
}

AxisRange widened_if_flat(AxisRange range) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (range.span() > kFlatRatio * largest && range.span() > std::numeric_limits<double>::min()) return range;
  const double half_height = largest > std::numeric_limits<double>::min() ? 0.1 * largest : 1;
  return {range.low - half_height, range.high + half_height};
}

AxisRange with_margin(AxisRange range, double fraction) {
  return {range.low - fraction * range.span(), range.high + fraction * range.span()};
}

AxisRange with_span(AxisRange range, double span) {
  const double center = range.low + range.span() / 2;
  return {center - span / 2, center + span / 2};
}

AxisTicks choose_ticks(AxisRange range, int max_count) {
  const double step = nice_step(range.span() / std::max(1, max_count));
  const LabelScale scale = choose_scale(range, step);
  const double factor = power_of_ten(scale.exponent);
  const int decimals = std::max(0, scale.exponent - exponent_of(step));
  AxisTicks ticks;
  const double slack = 1e-9;  // a tick that rounding pushed over the end still counts
  const double last = std::floor(range.high / step + slack);
  for (double k = std::ceil(range.low / step - slack); k <= last; k += 1) {
    ticks.positions.push_back(k * step);
    ticks.labels.push_back(fixed_text((k * step - scale.offset) / factor, decimals));
  }
  ticks.note = note_of(scale);
  return ticks;
}

}  // namespace lipkin
