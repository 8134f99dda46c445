// One panel of a plot: axes, grid, legend and lines.
#pragma once

#include <string>
#include <vector>

#include "lipkin/csv.hpp"
#include "lipkin/plot.hpp"
#include "record/axis.hpp"
#include "record/canvas.hpp"
#include "record/plot_theme.hpp"

namespace lipkin {

// An entry of the legend and where it stands, relative to the panel's left edge and the legend's first row.
struct LegendEntry {
  std::string text;
  double x = 0;
  int row = 0;
};

struct PlotPanel {
  std::vector<const Trace*> traces;
  std::string label;  // of the y axis
  std::vector<LegendEntry> legend;
  int header_rows = 0;  // rows of text above the panel: legend, note of the y axis
  AxisRange range;
  AxisTicks ticks;
  PageBox box;
};

struct XAxis {
  const Trace* trace = nullptr;
  AxisRange range;
  AxisTicks ticks;
};

inline constexpr double kHeaderRowHeight = 18;

// Distributes the traces over panels; labels and ranges are set, places are not.
std::vector<PlotPanel> make_panels(std::span<const Trace> traces, PlotPanels grouping);

// Sets the legend and its rows for a panel of this width.
void lay_out_header(PlotPanel& panel, const Canvas& canvas, double width);

struct PanelStyle {
  PlotTheme theme;
  bool grid = true;
  double pixels_per_unit = 1;
};

void draw_panel(Canvas& canvas, const PlotPanel& panel, const XAxis& x_axis, const PanelStyle& style);

}  // namespace lipkin
