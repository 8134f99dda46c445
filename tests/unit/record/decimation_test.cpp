#include "record/decimation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lipkin {
namespace {

TEST(Decimation, KeepsEveryPeakInFewPoints) {
  std::vector<double> x, y;
  for (int i = 0; i < 1000000; ++i) {
    x.push_back(i);
    y.push_back(std::sin(i * 1e-4));
  }
  y[123456] = 7;
  y[654321] = -9;
  const auto points = decimate(x, y, {0, 999999}, 1000);
  EXPECT_LE(points.size(), 4004u);  // four points per column and one column for the right edge
  const auto has = [&](double px, double py) {
    return std::any_of(points.begin(), points.end(), [&](const PlotPoint& p) { return p.x == px && p.y == py; });
  };
  EXPECT_TRUE(has(123456, 7));
  EXPECT_TRUE(has(654321, -9));
  EXPECT_TRUE(has(0, 0));
  EXPECT_TRUE(has(999999, y.back()));
  EXPECT_TRUE(
      std::is_sorted(points.begin(), points.end(), [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; }));
}

TEST(Decimation, LeavesGapsWhereValuesAreNotFinite) {
  const std::vector<double> x = {0, 1, 2, 3, 4};
  const std::vector<double> y = {1, 2, std::nan(""), INFINITY, 5};
  const auto points = decimate(x, y, {0, 4}, 100);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_TRUE(std::isnan(points[2].y));
  EXPECT_EQ(points[3].y, 5);
  std::vector<double> many_x, many_y;
  for (int i = 0; i < 10000; ++i) {
    many_x.push_back(i);
    many_y.push_back(i == 5000 ? NAN : 1);
  }
  const auto decimated = decimate(many_x, many_y, {0, 9999}, 10);
  EXPECT_EQ(std::count_if(decimated.begin(), decimated.end(), [](const PlotPoint& p) { return std::isnan(p.y); }), 1);
}

TEST(Decimation, KeepsEveryPointOfACurveThatTurnsBack) {
  std::vector<double> x, y;
  for (int i = 0; i < 5000; ++i) {
    x.push_back(std::cos(i * 0.01));
    y.push_back(std::sin(i * 0.01));
  }
  EXPECT_EQ(decimate(x, y, {-1, 1}, 10).size(), 5000u);
}

}  // namespace
}  // namespace lipkin
