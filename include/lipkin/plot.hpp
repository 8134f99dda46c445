// Line plots of recorded traces as SVG, PNG or PDF.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "lipkin/csv.hpp"

namespace lipkin {

// How traces share the panels, which are stacked above one x axis.
enum class PlotPanels { kByUnit, kEach, kOne };

struct PlotOptions {
  std::string title;
  int width = 0;   // [px]; 0: chosen
  int height = 0;  // [px]; 0: chosen by the number of panels
  bool dark = false;
  bool grid = true;
  PlotPanels panels = PlotPanels::kByUnit;
};

struct PlotSize {
  int width = 0;   // [px]
  int height = 0;  // [px]
};

// Throws InvalidArgument unless the ending of the path names a format: .svg, .png or .pdf.
void check_plot_path(const std::filesystem::path& path);

// Draws `y` over `x` into a file whose ending (.svg, .png, .pdf) gives the format; the file appears when it is
// complete. Values that are not finite leave a gap. Any number of rows: each pixel column shows its extremes.
// Throws InvalidArgument for data that cannot be drawn, InputError when the file cannot be written.
PlotSize write_plot(const std::filesystem::path& path, const Trace& x, std::span<const Trace> y,
                    const PlotOptions& options = {});

}  // namespace lipkin
