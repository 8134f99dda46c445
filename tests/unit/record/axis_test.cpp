#include "record/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace lipkin {
namespace {

using Labels = std::vector<std::string>;

TEST(Axis, TicksStandAtRoundNumbers) {
  EXPECT_EQ(choose_ticks({0, 10}, 5).labels, (Labels{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(choose_ticks({-1.1, 1.1}, 5).labels, (Labels{"\u22121.0", "\u22120.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(choose_ticks({0.9, 2.1}, 3).labels, (Labels{"1.0", "1.5", "2.0"}));
}

TEST(Axis, LargeAndSmallNumbersGetAFactorOfThousands) {
  const AxisTicks large = choose_ticks({0, 25e6}, 5);
  EXPECT_EQ(large.labels, (Labels{"0", "5", "10", "15", "20", "25"}));
  EXPECT_EQ(large.note, "\u00d710\u2076");
  const AxisTicks small = choose_ticks({0, 4e-4}, 4);
  EXPECT_EQ(small.labels, (Labels{"0", "100", "200", "300", "400"}));
  EXPECT_EQ(small.note, "\u00d710\u207b\u2076");
}

TEST(Axis, SmallVariationOfALargeNumberGetsAnOffset) {
  const AxisTicks ticks = choose_ticks({-19.62 - 4.5e-9, -19.62 + 4.5e-9}, 5);
  EXPECT_EQ(ticks.note, "\u221219.62 + \u2026\u00d710\u207b\u2079");
  EXPECT_EQ(ticks.labels, (Labels{"\u22124", "\u22122", "0", "2", "4"}));
}

// What a reader relies on, at any magnitude: inside the range, evenly spaced by 1, 2 or 5 times a power of ten, not
// more than asked for (both ends may add one), labels short and all different.
TEST(Axis, TicksOfAnyRangeAreReadable) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-30, 30), unit(-1, 1);
  for (int i = 0; i < 20000; ++i) {
    const double center = unit(random) * std::pow(10, exponent(random));
    const double span = std::max(std::pow(10, exponent(random)), 1e-12 * std::abs(center));
    const AxisRange range{center - span / 2, center + span / 2};
    const AxisTicks ticks = choose_ticks(range, 6);
    ASSERT_GE(ticks.positions.size(), 2u) << range.low << ' ' << range.high;
    ASSERT_LE(ticks.positions.size(), 7u) << range.low << ' ' << range.high;
    const double step = (ticks.positions.back() - ticks.positions.front()) / double(ticks.positions.size() - 1);
    const double mantissa = step / std::pow(10, std::floor(std::log10(step * 1.01)));
    const double nearest = mantissa < 1.5 ? 1 : (mantissa < 3.5 ? 2 : 5);
    EXPECT_NEAR(mantissa, nearest, 1e-2) << range.low << ' ' << range.high;  // positions carry the rounding of center
    for (std::size_t k = 0; k < ticks.positions.size(); ++k) {
      EXPECT_GE(ticks.positions[k], range.low - 1e-3 * step);
      EXPECT_LE(ticks.positions[k], range.high + 1e-3 * step);
      EXPECT_LE(ticks.labels[k].size(), 11u) << ticks.labels[k];  // nine characters; a minus sign has three bytes
      EXPECT_TRUE(k == 0 || ticks.labels[k] != ticks.labels[k - 1]) << range.low << ' ' << range.high;
    }
  }
}

TEST(Axis, RangeLeavesOutWhatIsNotFinite) {
  const std::vector<double> values = {std::nan(""), 3, -2, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(range_of({&values}).low, -2);
  EXPECT_EQ(range_of({&values}).high, 3);
  EXPECT_EQ(range_of({}).span(), 1);
}

TEST(Axis, FlatDataGetsAHeight) {
  EXPECT_GT(widened_if_flat({5, 5}).span(), 0.5);
  EXPECT_GT(widened_if_flat({0, 0}).span(), 1);
  EXPECT_GT(widened_if_flat({1, 1 + 1e-15}).span(), 0.1);  // rounding is not a signal
  EXPECT_EQ(widened_if_flat({1, 1 + 1e-9}).high, 1 + 1e-9);
}

}  // namespace
}  // namespace lipkin
