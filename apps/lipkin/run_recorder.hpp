// Watches a run: how long its steps take, the extremes of its outputs, and the files it writes.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "lipkin/csv.hpp"
#include "lipkin/simulation.hpp"
#include "progress_bar.hpp"
#include "step_times.hpp"
#include "trace_buffer.hpp"

namespace lipkin::cli {

struct OutputExtremes {
  double lowest = 0;
  double highest = 0;
  double last = 0;
  std::optional<double> first_nan{};  // when it was not a number for the first time [s]
};

class RunRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  // Opens the files; throws InputError when one cannot be written.
  RunRecorder(const Model& model, const RunOptions& options, double duration);

  // Begins to measure.
  void start(const Simulation& simulation);

  // Called after each step; false to stop because the user asked for it. Allocates nothing.
  bool watch_step(const Simulation& simulation);

  // Called with each row to record, and where outputs that are worked out on request are looked at.
  bool record(const Simulation& simulation);

  bool records() const { return csv_ || trace_buffer_; }
  bool looks_on_request() const;

  // Before something is printed during the run.
  void clear_progress() { progress_.clear(); }

  // At the end of a run.
  void look_once_more(const Simulation& simulation);

  // Completes the files with what was recorded so far.
  void finish_files();

  double wall_time() const { return wall_time_; }  // [s], from start() to the last step
  const StepTimes& step_times() const { return step_times_; }
  const std::vector<OutputExtremes>& extremes() const { return extremes_; }

 private:
  void update_extremes(std::span<const double> outputs, double t);

  std::vector<Trace> labels_;  // time, then the outputs
  std::optional<CsvWriter> csv_;
  std::optional<TraceBuffer> trace_buffer_;
  std::string plot_path_, plot_title_;
  ProgressBar progress_;

  Clock::time_point start_, last_;
  double wall_time_ = 0;
  StepTimes step_times_;
  std::vector<OutputExtremes> extremes_;
  std::vector<double> row_;
  std::vector<bool> is_on_request_;  // per output
};

}  // namespace lipkin::cli
