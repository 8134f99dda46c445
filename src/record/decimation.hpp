// Fewer points that draw the same picture.
#pragma once

#include <span>
#include <vector>

#include "record/axis.hpp"

namespace lipkin {

struct PlotPoint {
  double x = 0;
  double y = 0;  // NaN: a gap in the line
};

// The points of the line y(x) that matter when it is drawn `column_count` columns wide. Where x never decreases, each
// column keeps its first, lowest, highest and last point, which draws the same pixels as all points do (Jugel et al.,
// "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014). Otherwise every point is kept.
std::vector<PlotPoint> decimate(std::span<const double> x, std::span<const double> y, AxisRange x_range,
                                int column_count);

}  // namespace lipkin
