// The numbers beside an axis: where the ticks stand and how they read.
#pragma once

#include <string>
#include <vector>

namespace lipkin {

struct AxisRange {
  double low = 0;
  double high = 1;
  double span() const { return high - low; }
};

// The smallest range that holds all finite values; [0, 1] when there are none.
AxisRange range_of(const std::vector<const std::vector<double>*>& value_lists);

// A range that can be drawn: data that varies by no more than rounding gets a height of its own.
AxisRange widened_if_flat(AxisRange range);

// With a margin on both sides, as a fraction of the span.
AxisRange with_margin(AxisRange range, double fraction);

// The same centre, another span.
AxisRange with_span(AxisRange range, double span);

struct AxisTicks {
  std::vector<double> positions;    // multiples of 1, 2 or 5 times a power of ten
  std::vector<std::string> labels;  // UTF-8
  // How to read the labels when they are shortened: "×10⁻³", "−19.62 + …×10⁻⁹"; else empty.
  std::string note;
};

// About max_count ticks, never more.
AxisTicks choose_ticks(AxisRange range, int max_count);

}  // namespace lipkin
