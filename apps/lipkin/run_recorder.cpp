#include "run_recorder.hpp"

#include <algorithm>
#include <cmath>

#include "failure.hpp"
#include "interrupt.hpp"
#include "lipkin/plot.hpp"

namespace lipkin::cli {
namespace {

std::vector<Trace> labels_of(const Model& model) {
  std::vector<Trace> labels = {{"t", "s", {}}};
  for (int i = 0; i < model.output_count(); ++i) labels.push_back({model.output_name(i), model.output_unit(i), {}});
  return labels;
}

}  // namespace

RunRecorder::RunRecorder(const Model& model, const RunOptions& options, double duration)
    : labels_(labels_of(model)), plot_path_(options.plot), plot_title_(model.name()), progress_(duration) {
  const std::size_t output_count = labels_.size() - 1;
  if (!options.plot.empty()) {
    check_plot_path(options.plot);
    if (output_count == 0) throw UsageError("--plot: the scene watches no outputs");
    trace_buffer_.emplace(output_count);
  }
  if (!options.csv.empty()) csv_.emplace(options.csv, labels_);
  extremes_.assign(output_count, {INFINITY, -INFINITY, std::nan(""), {}});
  row_.resize(output_count + 1);
  for (int i = 0; i < model.output_count(); ++i) is_on_request_.push_back(model.is_output_on_request(i));
}

bool RunRecorder::looks_on_request() const {
  return std::find(is_on_request_.begin(), is_on_request_.end(), true) != is_on_request_.end();
}

void RunRecorder::start(const Simulation& simulation) {
  update_extremes(simulation.outputs(), simulation.sample_time());
  start_ = last_ = Clock::now();
}

// The clock runs for the step alone: looking at the outputs and writing them are left out.
bool RunRecorder::watch_step(const Simulation& simulation) {
  const Clock::time_point now = Clock::now();
  step_times_.add(static_cast<std::uint64_t>(std::chrono::nanoseconds(now - last_).count()));
  wall_time_ = std::chrono::duration<double>(now - start_).count();
  update_extremes(simulation.outputs_at_hand(), simulation.sample_time());
  progress_.update(simulation.state().t, now);
  last_ = Clock::now();
  return !InterruptWatch::requested();
}

void RunRecorder::update_extremes(std::span<const double> outputs, double t) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    OutputExtremes& extremes = extremes_[i];
    if (std::isnan(outputs[i]) && is_on_request_[i]) continue;
    if (std::isnan(outputs[i]) && !extremes.first_nan) extremes.first_nan = t;
    extremes.lowest = std::min(extremes.lowest, outputs[i]);
    extremes.highest = std::max(extremes.highest, outputs[i]);
    extremes.last = outputs[i];
  }
}

void RunRecorder::look_once_more(const Simulation& simulation) {
  if (looks_on_request()) update_extremes(simulation.outputs(), simulation.sample_time());
}

bool RunRecorder::record(const Simulation& simulation) {
  const std::span<const double> outputs = simulation.outputs();
  if (looks_on_request()) update_extremes(outputs, simulation.sample_time());
  row_[0] = simulation.sample_time();
  std::copy(outputs.begin(), outputs.end(), row_.begin() + 1);
  if (csv_) csv_->write_row(row_);
  if (trace_buffer_) trace_buffer_->add(row_[0], outputs);
  last_ = Clock::now();
  return !InterruptWatch::requested();
}

void RunRecorder::finish_files() {
  progress_.clear();
  if (csv_) csv_->finish();
  if (!trace_buffer_) return;
  std::vector<Trace> traces = trace_buffer_->traces(labels_);
  PlotOptions plot;
  plot.title = plot_title_;
  write_plot(plot_path_, traces.front(), std::span(traces).subspan(1), plot);
}

}  // namespace lipkin::cli
