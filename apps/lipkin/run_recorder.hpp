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
};

class RunRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  // Opens the files; throws InputError when one cannot be written.
  RunRecorder(const Model& model, const RunOptions& options, double duration);

  // Begins to measure.
  void start();

  // Called with each sample; false to stop because the user asked for it. Allocates nothing but what a file needs.
  bool sample(const Simulation& simulation);

  // Completes the files with what was recorded so far.
  void finish_files();

  double wall_time() const { return wall_time_; }  // [s], from start() to the last sample
  bool interrupted() const { return interrupted_; }
  const StepTimes& step_times() const { return step_times_; }
  const std::vector<OutputExtremes>& extremes() const { return extremes_; }

 private:
  void measure(const Simulation& simulation, Clock::time_point now);
  void update_extremes(std::span<const double> outputs);
  void record(const Simulation& simulation);

  std::vector<Trace> labels_;  // time, then the outputs
  std::optional<CsvWriter> csv_;
  std::optional<TraceBuffer> trace_buffer_;
  std::string plot_path_, plot_title_;
  ProgressBar progress_;

  Clock::time_point start_, last_;
  std::uint64_t last_step_ = 0;
  double wall_time_ = 0;
  bool interrupted_ = false;
  StepTimes step_times_;
  std::vector<OutputExtremes> extremes_;
  std::vector<double> row_;
};

}  // namespace lipkin::cli
