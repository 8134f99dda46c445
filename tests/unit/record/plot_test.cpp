#include "lipkin/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/temporary_folder.hpp"
#include "lipkin/error.hpp"

namespace lipkin {
namespace {

namespace fs = std::filesystem;

class Plot : public ::testing::Test {
 protected:
  std::string bytes(const fs::path& path) const {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
  const Trace t_{"t", "s", {0, 1, 2, 3}};
  const std::vector<Trace> y_ = {{"a", "m", {0, 1, 0, 1}}, {"b", "m", {1, 0, 1, 0}}, {"c", "N", {5, 6, 7, 8}}};
};

TEST_F(Plot, PanelsFollowTheUnits) {
  const PlotSize by_unit = write_plot(folder_ / "u.svg", t_, y_, {});
  PlotOptions each, one;
  each.panels = PlotPanels::kEach;
  one.panels = PlotPanels::kOne;
  EXPECT_GT(write_plot(folder_ / "e.svg", t_, y_, each).height, by_unit.height);
  EXPECT_LT(write_plot(folder_ / "o.svg", t_, y_, one).height, by_unit.height);
}

TEST_F(Plot, PathOfAPointKeepsItsShape) {
  Trace x{"x", "m", {}}, y{"y", "m", {}};
  for (int i = 0; i <= 100; ++i) {
    x.values.push_back(std::cos(i * 0.0628));
    y.values.push_back(std::sin(i * 0.0628));
  }
  const PlotSize circle = write_plot(folder_ / "circle.svg", x, std::span(&y, 1), {});
  EXPECT_NEAR(circle.height, circle.width, 0.01 * circle.width);  // 100 points miss the extremes by 0.0005
  y.unit = "N";
  const PlotSize plane = write_plot(folder_ / "plane.svg", x, std::span(&y, 1), {});
  EXPECT_LT(plane.height, plane.width);
}

TEST_F(Plot, SameDataGivesTheSameBytes) {
  write_plot(folder_ / "a.png", t_, y_, {});
  write_plot(folder_ / "b.png", t_, y_, {});
  EXPECT_TRUE(bytes(folder_ / "a.png") == bytes(folder_ / "b.png"));
}

TEST_F(Plot, OddDataIsDrawnAllTheSame) {
  const auto draw = [&](std::vector<double> values) {
    Trace x{"x", "", {}};
    for (std::size_t i = 0; i < values.size(); ++i) x.values.push_back(static_cast<double>(i));
    const Trace y{"y", "", std::move(values)};
    write_plot(folder_ / "o.png", x, std::span(&y, 1), {});
    EXPECT_GT(fs::file_size(folder_ / "o.png"), 1000u);
  };
  draw({1});
  draw({0, 0, 0});
  draw({NAN, NAN});
  draw({1e-300, 2e-300});
  draw({1e300, -1e300});
  draw({1, INFINITY, 2, NAN, 3});
  draw({1e15, 1e15 + 1});
}

TEST_F(Plot, WrongDataIsRefused) {
  EXPECT_THROW(write_plot(folder_ / "o.gif", t_, y_, {}), InvalidArgument);
  EXPECT_THROW(write_plot(folder_ / "o.svg", t_, {}, {}), InvalidArgument);
  EXPECT_THROW(write_plot(folder_ / "o.svg", Trace{"t", "", {}}, y_, {}), InvalidArgument);
  EXPECT_THROW(write_plot(folder_ / "o.svg", Trace{"t", "", {1}}, y_, {}), InvalidArgument);
  const std::vector<Trace> wide = {{"w", "", {-1.7e308, 1.7e308, 0, 0}}};
  EXPECT_THROW(write_plot(folder_ / "o.svg", t_, wide, {}), InvalidArgument);
  const std::vector<Trace> latin = {{"\xe9", "", {1, 2, 3, 4}}, {"b", "", {1, 2, 3, 4}}};
  EXPECT_THROW(write_plot(folder_ / "o.svg", t_, latin, {}), InvalidArgument);
  PlotOptions tiny;
  tiny.width = tiny.height = 10;
  EXPECT_THROW(write_plot(folder_ / "o.svg", t_, y_, tiny), InvalidArgument);
  EXPECT_THROW(write_plot(folder_ / "no" / "o.svg", t_, y_, {}), InputError);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Plot, AMillionPointsMakeASmallFile) {
  Trace t{"t", "s", {}}, y{"y", "V", {}};
  for (int i = 0; i < 1000000; ++i) {
    t.values.push_back(i * 1e-6);
    y.values.push_back(std::sin(i * 0.01) + (i % 997) * 1e-3);
  }
  write_plot(folder_ / "o.svg", t, std::span(&y, 1), {});
  EXPECT_LT(fs::file_size(folder_ / "o.svg"), 400000u);  // 4 points in each of 1500 columns, 50 bytes each
}

}  // namespace
}  // namespace lipkin
