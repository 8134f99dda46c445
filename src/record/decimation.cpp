#include "record/decimation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lipkin {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// The extremes of the points that fall into one column.
class ColumnExtremes {
 public:
  bool empty() const { return first_ == kNone; }

  void add(std::size_t i, std::span<const double> y) {
    if (empty()) first_ = lowest_ = highest_ = i;
    last_ = i;
    if (y[i] < y[lowest_]) lowest_ = i;
    if (y[i] > y[highest_]) highest_ = i;
  }

  void move_to(std::vector<PlotPoint>& points, std::span<const double> x, std::span<const double> y) {
    if (empty()) return;
    std::array<std::size_t, 4> kept = {first_, lowest_, highest_, last_};
    std::sort(kept.begin(), kept.end());
    const auto end = std::unique(kept.begin(), kept.end());
    for (auto i = kept.begin(); i != end; ++i) points.push_back({x[*i], y[*i]});
    *this = {};
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t first_ = kNone, lowest_ = kNone, highest_ = kNone, last_ = kNone;
};

void add_gap(std::vector<PlotPoint>& points) {
  if (!points.empty() && !std::isnan(points.back().y)) points.push_back({points.back().x, kGap});
}

bool is_drawable(double x, double y) { return std::isfinite(x) && std::isfinite(y); }

std::vector<PlotPoint> every_point(std::span<const double> x, std::span<const double> y) {
  std::vector<PlotPoint> points;
  points.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_drawable(x[i], y[i])) {
      points.push_back({x[i], y[i]});
    } else {
      add_gap(points);
    }
  }
  return points;
}

std::vector<PlotPoint> column_extremes(std::span<const double> x, std::span<const double> y, AxisRange x_range,
                                       int column_count) {
  std::vector<PlotPoint> points;
  points.reserve(4 * static_cast<std::size_t>(column_count));
  ColumnExtremes extremes;
  double current_column = -1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double column = std::floor((x[i] - x_range.low) / x_range.span() * column_count);
    if (column != current_column || !is_drawable(x[i], y[i])) extremes.move_to(points, x, y);
    current_column = column;
    if (is_drawable(x[i], y[i])) {
      extremes.add(i, y);
    } else {
      add_gap(points);
    }
  }
  extremes.move_to(points, x, y);
  return points;
}

}  // namespace

std::vector<PlotPoint> decimate(std::span<const double> x, std::span<const double> y, AxisRange x_range,
                                int column_count) {
  const bool few = x.size() <= 4 * static_cast<std::size_t>(column_count);
  return few || !std::is_sorted(x.begin(), x.end()) ? every_point(x, y) : column_extremes(x, y, x_range, column_count);
}

}  // namespace lipkin
