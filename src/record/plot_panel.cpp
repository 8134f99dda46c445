#include "record/plot_panel.hpp"

#include <algorithm>
#include <cmath>

namespace lipkin {
namespace {

constexpr double kValueMargin = 0.05;  // between the extremes and the edge, as a part of the span
constexpr double kSwatchLength = 22;
constexpr double kSwatchGap = 6;
constexpr double kEntryGap = 18;
constexpr double kTickLength = 4;
constexpr int kColumnsPerPixel = 2;

std::string label_of(const std::vector<const Trace*>& traces) {
  if (traces.size() == 1) return traces.front()->label();
  const std::string& unit = traces.front()->unit;
  const auto same_unit = [&](const Trace* trace) { return trace->unit == unit; };
  const bool has_unit = !unit.empty() && std::all_of(traces.begin(), traces.end(), same_unit);
  return has_unit ? "[" + unit + "]" : "";
}

void complete(PlotPanel& panel) {
  panel.label = label_of(panel.traces);
  std::vector<const std::vector<double>*> values;
  for (const Trace* trace : panel.traces) values.push_back(&trace->values);
  panel.range = with_margin(widened_if_flat(range_of(values)), kValueMargin);
}

std::string shortened_to(const Canvas& canvas, std::string text, double width) {
  if (canvas.text_width(text, kTickFont) <= width) return text;
  while (!text.empty() && canvas.text_width(text + "\u2026", kTickFont) > width) {
    text.pop_back();
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0u) == 0x80u) text.pop_back();
  }
  return text + "\u2026";
}

double to_page_x(const PlotPanel& panel, AxisRange range, double x) {
  return panel.box.left + (x - range.low) / range.span() * panel.box.width();
}

double to_page_y(const PlotPanel& panel, double y) {
  return panel.box.bottom - (y - panel.range.low) / panel.range.span() * panel.box.height();
}

void draw_grid(Canvas& canvas, const PlotPanel& panel, const XAxis& x_axis, const PanelStyle& style) {
  const Pen pen{style.theme.grid, 0.8, {}};
  for (const double x : x_axis.ticks.positions) {
    const double page_x = to_page_x(panel, x_axis.range, x);
    canvas.line(page_x, panel.box.top, page_x, panel.box.bottom, pen);
  }
  for (const double y : panel.ticks.positions) {
    const double page_y = to_page_y(panel, y);
    canvas.line(panel.box.left, page_y, panel.box.right, page_y, y == 0 ? Pen{style.theme.zero_line, 0.8, {}} : pen);
  }
}

void draw_lines(Canvas& canvas, const PlotPanel& panel, const XAxis& x_axis, const PanelStyle& style) {
  const int columns = static_cast<int>(panel.box.width() * style.pixels_per_unit * kColumnsPerPixel);
  const PageBox clip{panel.box.left - 1, panel.box.top, panel.box.right + 1, panel.box.bottom};
  for (std::size_t i = 0; i < panel.traces.size(); ++i) {
    auto points = decimate(x_axis.trace->values, panel.traces[i]->values, x_axis.range, columns);
    for (PlotPoint& point : points) {
      point = {to_page_x(panel, x_axis.range, point.x), to_page_y(panel, point.y)};
    }
    canvas.polyline(points, line_pen(style.theme, i), clip);
  }
}

void draw_axes(Canvas& canvas, const PlotPanel& panel, const XAxis& x_axis, const PanelStyle& style) {
  const Pen pen{style.theme.axis, 1, {}};
  const PageBox& box = panel.box;
  canvas.line(box.left, box.top, box.left, box.bottom, pen);
  canvas.line(box.left - 0.5, box.bottom, box.right, box.bottom, pen);
  for (const double x : x_axis.ticks.positions) {
    const double page_x = to_page_x(panel, x_axis.range, x);
    canvas.line(page_x, box.bottom, page_x, box.bottom + kTickLength, pen);
  }
  for (std::size_t i = 0; i < panel.ticks.positions.size(); ++i) {
    const double page_y = to_page_y(panel, panel.ticks.positions[i]);
    canvas.line(box.left - kTickLength, page_y, box.left, page_y, pen);
    canvas.text(box.left - kTickLength - 4, page_y, panel.ticks.labels[i], kTickFont, style.theme.text, {1, 0.5});
  }
}

void draw_header(Canvas& canvas, const PlotPanel& panel, const PanelStyle& style) {
  const double top = panel.box.top - panel.header_rows * kHeaderRowHeight;
  for (std::size_t i = 0; i < panel.legend.size(); ++i) {
    const LegendEntry& entry = panel.legend[i];
    const double x = panel.box.left + entry.x;
    const double y = top + (entry.row + 0.5) * kHeaderRowHeight - 2;
    Pen pen = line_pen(style.theme, i);
    pen.width = 2;
    canvas.line(x, y, x + kSwatchLength, y, pen);
    canvas.text(x + kSwatchLength + kSwatchGap, y, entry.text, kTickFont, style.theme.text, {0, 0.5});
  }
  if (panel.ticks.note.empty()) return;
  canvas.text(panel.box.left, panel.box.top - 6, panel.ticks.note, kTickFont, style.theme.faint_text, {0, 0});
}

void add_legend_entries(PlotPanel& panel, const Canvas& canvas, double width) {
  const bool units_differ = panel.label.empty();
  for (const Trace* trace : panel.traces) {
    const std::string name = units_differ ? trace->label() : trace->name;
    panel.legend.push_back({shortened_to(canvas, name, width - kSwatchLength - kSwatchGap)});
  }
}

// Side by side where they fit into one row, else in columns.
void place_legend_entries(std::vector<LegendEntry>& legend, const Canvas& canvas, double width) {
  double x = 0;
  double widest = 0;
  for (LegendEntry& entry : legend) {
    const double length = kSwatchLength + kSwatchGap + canvas.text_width(entry.text, kTickFont) + kEntryGap;
    entry.x = x;
    x += length;
    widest = std::max(widest, length);
  }
  if (x - kEntryGap <= width) return;
  const auto column_count = std::max(1, static_cast<int>((width + kEntryGap) / widest));
  for (int i = 0; i < static_cast<int>(legend.size()); ++i) {
    legend[static_cast<std::size_t>(i)].row = i / column_count;
    legend[static_cast<std::size_t>(i)].x = i % column_count * widest;
  }
}

}  // namespace

std::vector<PlotPanel> make_panels(std::span<const Trace> traces, PlotPanels grouping) {
  std::vector<PlotPanel> panels;
  for (const Trace& trace : traces) {
    const auto fits = [&](const PlotPanel& panel) {
      return grouping == PlotPanels::kOne ||
             (grouping == PlotPanels::kByUnit && panel.traces.front()->unit == trace.unit);
    };
    const auto panel = std::find_if(panels.begin(), panels.end(), fits);
    (panel == panels.end() ? panels.emplace_back() : *panel).traces.push_back(&trace);
  }
  for (PlotPanel& panel : panels) complete(panel);
  return panels;
}

void lay_out_header(PlotPanel& panel, const Canvas& canvas, double width) {
  panel.legend.clear();
  if (panel.traces.size() > 1) {
    add_legend_entries(panel, canvas, width);
    place_legend_entries(panel.legend, canvas, width);
  }
  const int legend_rows = panel.legend.empty() ? 0 : panel.legend.back().row + 1;
  panel.header_rows = legend_rows + (panel.ticks.note.empty() ? 0 : 1);
}

void draw_panel(Canvas& canvas, const PlotPanel& panel, const XAxis& x_axis, const PanelStyle& style) {
  if (style.grid) draw_grid(canvas, panel, x_axis, style);
  draw_axes(canvas, panel, x_axis, style);
  draw_lines(canvas, panel, x_axis, style);
  draw_header(canvas, panel, style);
}

}  // namespace lipkin
