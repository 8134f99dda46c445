#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "commands.hpp"
#include "failure.hpp"
#include "lipkin/plot.hpp"
#include "names.hpp"

namespace lipkin::cli {
namespace {

std::vector<std::string> names_of(const std::vector<Trace>& traces) {
  std::vector<std::string> names;
  for (const Trace& trace : traces) names.push_back(trace.name);
  return names;
}

const Trace& trace_named(const std::vector<Trace>& traces, const std::string& name, const std::string& file) {
  const auto found = std::find_if(traces.begin(), traces.end(), [&](const Trace& trace) { return trace.name == name; });
  if (found != traces.end()) return *found;
  const std::vector<std::string> names = names_of(traces);
  throw UsageError(fmt::format("{} has no column '{}'{}; it has {}", file == "-" ? "<stdin>" : file, name,
                               suggestion(name, names), joined(names)));
}

std::vector<Trace> chosen_traces(const std::vector<Trace>& traces, const Trace& x, const PlotCommandOptions& options) {
  std::vector<Trace> chosen;
  if (options.columns.empty()) {
    std::copy_if(traces.begin(), traces.end(), std::back_inserter(chosen),
                 [&](const Trace& trace) { return trace.name != x.name; });
  }
  for (const std::string& name : options.columns) chosen.push_back(trace_named(traces, name, options.csv));
  if (chosen.empty()) throw UsageError(fmt::format("{} has no column besides '{}' to plot", options.csv, x.name));
  return chosen;
}

bool parse_size(const std::string& text, PlotOptions& plot) {
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, plot.width);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return false;
  const auto height = std::from_chars(width.ptr + 1, end, plot.height);
  return height.ec == std::errc() && height.ptr == end && plot.width > 0 && plot.height > 0;
}

PlotOptions plot_options(const PlotCommandOptions& options) {
  PlotOptions plot;
  plot.title = options.title;
  plot.dark = options.dark;
  plot.grid = options.grid;
  plot.panels = options.subplots == "unit"   ? PlotPanels::kByUnit
                : options.subplots == "each" ? PlotPanels::kEach
                                             : PlotPanels::kOne;
  if (!options.size.empty() && !parse_size(options.size, plot)) {
    throw UsageError(fmt::format("--size {}: expected WxH in pixels, such as 1600x900", options.size));
  }
  return plot;
}

}  // namespace

int plot_csv(const PlotCommandOptions& options) {
  const PlotOptions plot = plot_options(options);
  const std::vector<Trace> traces = read_csv(options.csv);
  const Trace& x = options.x.empty() ? traces.front() : trace_named(traces, options.x, options.csv);
  const std::vector<Trace> chosen = chosen_traces(traces, x, options);
  const PlotSize size = write_plot(options.output, x, chosen, plot);
  if (options.json) {
    print_json(Json{{"file", options.output},
                    {"width", size.width},
                    {"height", size.height},
                    {"x", x.name},
                    {"columns", names_of(chosen)},
                    {"rows", x.values.size()}});
  } else {
    fmt::print("{}: {} x {} pixels, {} over {}, {} rows\n", options.output, size.width, size.height,
               joined(names_of(chosen)), x.name, x.values.size());
  }
  return kSuccess;
}

}  // namespace lipkin::cli
