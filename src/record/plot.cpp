#include "lipkin/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lipkin/error.hpp"
#include "record/atomic_file.hpp"
#include "record/plot_panel.hpp"

namespace lipkin {
namespace {

// Layout units: a page of this area has a text size for reading in a report; larger pages scale everything.
constexpr double kLayoutWidth = 800;
constexpr double kLayoutHeight = 450;
constexpr double kPanelHeight = 190;
constexpr double kFlattestPath = 0.45;  // height of the page by its width
constexpr double kTallestPath = 1.1;
constexpr double kMinPanelHeight = 40;
constexpr double kMinPanelWidth = 80;
constexpr int kDefaultPngScale = 2;
constexpr int kMaxPixels = 16384;

constexpr int kLayoutPasses = 3;
constexpr double kMargin = 16;
constexpr double kTitleHeight = 30;
constexpr double kPanelGap = 14;
constexpr double kXAxisHeight = 46;  // tick labels and the axis label
constexpr double kYLabelWidth = 24;  // the y axis label, standing upright
constexpr double kTickLabelGap = 8;
constexpr double kXTickSpacing = 64;  // at least, so that labels do not touch
constexpr double kYTickSpacing = 32;
constexpr double kLoopMargin = 0.05;  // left and right of a curve that turns back, as a part of its width

PageFormat format_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".svg") return PageFormat::kSvg;
  if (ending == ".png") return PageFormat::kPng;
  if (ending == ".pdf") return PageFormat::kPdf;
  throw InvalidArgument(
      fmt::format("'{}' has no ending that names a picture format, expected .svg, .png or .pdf", path.string()));
}

void check_trace(const Trace& trace, std::size_t row_count) {
  if (trace.values.size() != row_count) {
    throw InvalidArgument(
        fmt::format("trace '{}' has {} values, expected {}", trace.name, trace.values.size(), row_count));
  }
  if (!std::isfinite(range_of({&trace.values}).span())) {
    throw InvalidArgument(fmt::format("trace '{}' spans more than a double can hold", trace.name));
  }
}

void check_data(const Trace& x, std::span<const Trace> y) {
  if (y.empty()) throw InvalidArgument("there is no trace to plot");
  if (x.values.empty()) throw InvalidArgument(fmt::format("trace '{}' has no values", x.name));
  check_trace(x, x.values.size());
  for (const Trace& trace : y) check_trace(trace, x.values.size());
}

bool turns_back(const Trace& x) { return !std::is_sorted(x.values.begin(), x.values.end()); }

AxisRange x_range_of(const Trace& x) {
  const AxisRange range = widened_if_flat(range_of({&x.values}));
  return turns_back(x) ? with_margin(range, kLoopMargin) : range;
}

// The path of a point: a curve in a plane whose axes have one unit.
bool is_path(const Trace& x, const std::vector<PlotPanel>& panels) {
  const auto same_unit = [&](const Trace* trace) { return trace->unit == x.unit; };
  const auto& traces = panels.front().traces;
  return panels.size() == 1 && turns_back(x) && !x.unit.empty() && std::all_of(traces.begin(), traces.end(), same_unit);
}

// As high as the panels need; for a path, as its shape asks for.
double natural_height(const Trace& x, const std::vector<PlotPanel>& panels) {
  if (is_path(x, panels)) {
    const double shape = panels.front().range.span() / x_range_of(x).span();
    return std::clamp(shape, kFlattestPath, kTallestPath) * kLayoutWidth;
  }
  return kLayoutHeight + static_cast<double>(panels.size() - 1) * kPanelHeight;
}

PlotSize choose_size(const PlotOptions& options, PageFormat format, double natural_height) {
  const int scale = format == PageFormat::kPng ? kDefaultPngScale : 1;
  PlotSize size;
  size.width = options.width > 0 ? options.width : static_cast<int>(kLayoutWidth) * scale;
  size.height = options.height > 0 ? options.height : static_cast<int>(natural_height) * scale;
  if (size.width > kMaxPixels || size.height > kMaxPixels) {
    throw InvalidArgument(
        fmt::format("a plot of {} x {} pixels is too large, at most {} each way", size.width, size.height, kMaxPixels));
  }
  return size;
}

// Everything keeps its proportion on pages larger or smaller than the natural one.
double choose_scale(const PlotSize& size, const PlotOptions& options, PageFormat format) {
  if (options.width <= 0 && options.height <= 0) return format == PageFormat::kPng ? kDefaultPngScale : 1;
  const double by_width = size.width / kLayoutWidth;
  const double by_area = std::sqrt(by_width * size.height / kLayoutHeight);
  return std::max(std::min(by_width, by_area), 0.5);
}

class PlotPage {
 public:
  PlotPage(Canvas& canvas, const PlotOptions& options, PlotSize size, double scale)
      : canvas_(canvas),
        options_(options),
        style_{options.dark ? dark_theme() : light_theme(), options.grid, scale},
        width_(size.width / scale),
        height_(size.height / scale) {}

  void draw(const Trace& x, std::vector<PlotPanel> panels) {
    x_axis_.trace = &x;
    x_axis_.range = x_range_of(x);
    equal_scales_ = is_path(x, panels);
    lay_out(panels);
    canvas_.fill(style_.theme.background);
    if (!options_.title.empty()) {
      canvas_.text(left_, kMargin + 4, options_.title, kTitleFont, style_.theme.text, {0, 1});
    }
    for (const PlotPanel& panel : panels) {
      draw_panel(canvas_, panel, x_axis_, style_);
      const double middle = (panel.box.top + panel.box.bottom) / 2;
      canvas_.text_upwards(kMargin, middle, panel.label, kLabelFont, style_.theme.text);
    }
    draw_x_labels(panels.back().box);
  }

 private:
  // Heights depend on the header rows, those on the width, the width on the tick labels, and those on the height:
  // a few passes settle it.
  void lay_out(std::vector<PlotPanel>& panels) {
    const double top = options_.title.empty() ? kMargin : kMargin + kTitleHeight;
    const auto panel_count = static_cast<double>(panels.size());
    const double free_height = height_ - top - kXAxisHeight - kPanelGap * (panel_count - 1);
    double panel_height = free_height / panel_count;
    for (int pass = 0; pass < kLayoutPasses; ++pass) {
      choose_y_ticks(panels, panel_height);
      place_left_edge(panels);
      panel_height = (free_height - lay_out_headers(panels)) / panel_count;
      check_room(panel_height);
      if (equal_scales_) equalize_scales(panels.front().range, panel_height);
    }
    place_panels(panels, top, panel_height);
    const int x_tick_count = static_cast<int>(panel_width() / kXTickSpacing);
    x_axis_.ticks = choose_ticks(x_axis_.range, std::max(2, x_tick_count));
  }

  double panel_width() const { return width_ - kMargin - left_; }

  double lay_out_headers(std::vector<PlotPanel>& panels) {
    double height = 0;
    for (PlotPanel& panel : panels) {
      lay_out_header(panel, canvas_, panel_width());
      height += panel.header_rows * kHeaderRowHeight;
    }
    return height;
  }

  // A metre is as long along x as along y: the axis with room to spare shows more.
  void equalize_scales(AxisRange& y_range, double panel_height) {
    const double per_unit = std::max(x_axis_.range.span() / panel_width(), y_range.span() / panel_height);
    x_axis_.range = with_span(x_axis_.range, per_unit * panel_width());
    y_range = with_span(y_range, per_unit * panel_height);
  }

  void choose_y_ticks(std::vector<PlotPanel>& panels, double panel_height) {
    const int count = std::max(2, static_cast<int>(panel_height / kYTickSpacing));
    for (PlotPanel& panel : panels) panel.ticks = choose_ticks(panel.range, count);
  }

  void place_left_edge(const std::vector<PlotPanel>& panels) {
    double widest = 0;
    for (const PlotPanel& panel : panels) {
      for (const std::string& label : panel.ticks.labels) {
        widest = std::max(widest, canvas_.text_width(label, kTickFont));
      }
    }
    left_ = kMargin + kYLabelWidth + widest + kTickLabelGap;
  }

  void check_room(double panel_height) const {
    if (panel_height >= kMinPanelHeight && panel_width() >= kMinPanelWidth) return;
    throw InvalidArgument(fmt::format("a plot of {} x {} pixels is too small for its panels and legends",
                                      std::lround(width_ * style_.pixels_per_unit),
                                      std::lround(height_ * style_.pixels_per_unit)));
  }

  void place_panels(std::vector<PlotPanel>& panels, double top, double panel_height) {
    for (PlotPanel& panel : panels) {
      top += panel.header_rows * kHeaderRowHeight;
      panel.box = {left_, top, width_ - kMargin, top + panel_height};
      top = panel.box.bottom + kPanelGap;
    }
  }

  void draw_x_labels(const PageBox& box) {
    for (std::size_t i = 0; i < x_axis_.ticks.positions.size(); ++i) {
      const double x = box.left + (x_axis_.ticks.positions[i] - x_axis_.range.low) / x_axis_.range.span() * box.width();
      canvas_.text(x, box.bottom + 8, x_axis_.ticks.labels[i], kTickFont, style_.theme.text, {0.5, 1});
    }
    const double label_y = box.bottom + 28;
    canvas_.text((box.left + box.right) / 2, label_y, x_axis_.trace->label(), kLabelFont, style_.theme.text, {0.5, 1});
    canvas_.text(box.right, label_y, x_axis_.ticks.note, kTickFont, style_.theme.faint_text, {1, 1});
  }

  Canvas& canvas_;
  const PlotOptions& options_;
  PanelStyle style_;
  double width_, height_;  // of the page, in layout units
  double left_ = 0;        // of the panels
  XAxis x_axis_;
  bool equal_scales_ = false;
};

}  // namespace

void check_plot_path(const std::filesystem::path& path) { format_of(path); }

PlotSize write_plot(const std::filesystem::path& path, const Trace& x, std::span<const Trace> y,
                    const PlotOptions& options) {
  const PageFormat format = format_of(path);
  check_data(x, y);
  std::vector<PlotPanel> panels = make_panels(y, options.panels);
  const PlotSize size = choose_size(options, format, natural_height(x, panels));
  const double scale = choose_scale(size, options, format);
  Canvas canvas(format, size.width, size.height, scale);
  PlotPage(canvas, options, size, scale).draw(x, std::move(panels));
  AtomicFile file(path);
  file.write(canvas.finish());
  file.commit();
  return size;
}

}  // namespace lipkin
