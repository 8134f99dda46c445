#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "lipkin/plot.hpp"
#include "lipkin/recording.hpp"
#include "lipkin/version.hpp"
#include "progress_bar.hpp"

namespace lipkin::cli {
namespace {

void write_csv(const std::string& file, const std::vector<Trace>& traces) {
  CsvWriter csv(file, traces);
  std::vector<double> row(traces.size());
  for (std::size_t i = 0; i < traces.front().values.size(); ++i) {
    for (std::size_t k = 0; k < traces.size(); ++k) row[k] = traces[k].values[i];
    csv.write_row(row);
  }
  csv.finish();
}

void draw(const std::string& file, const std::vector<Trace>& traces, const std::string& title) {
  if (traces.size() < 2) throw UsageError("--plot: the recording has no channels");
  PlotOptions plot;
  plot.title = title;
  write_plot(file, traces.front(), std::span(traces).subspan(1), plot);
}

// Steps through to the last thing recorded; what stopped it before, if anything did.
std::string repeat(const Recording& recording, Session& session, Replay& replay) {
  const InterruptWatch watch;
  const double end = recording.items().empty() ? 0 : recording.items().back().t;
  ProgressBar progress(end);
  try {
    for (replay.catch_up(); !replay.done() && replay.difference().empty(); replay.catch_up()) {
      if (InterruptWatch::requested()) return "interrupted";
      session.step(replay.limit());
      progress.update(session.simulation().state().t, std::chrono::steady_clock::now());
    }
  } catch (const SimulationError& error) {
    return error.what();
  }
  progress.clear();
  return replay.difference();
}

Json report_json(const ReplayOptions& options, const Recording& recording, const Session& session, const Replay& replay,
                 const std::string& failure) {
  Json json = {{"file", options.file},
               {"scene", recording.scene_name()},
               {"complete", recording.complete()},
               {"version", recording.version()},
               {"instruction_set", recording.instruction_set()},
               {"steps", session.simulation().state().step_count},
               {"sim_time", session.simulation().state().t},
               {"checkpoints", replay.checkpoints()},
               {"rows", recording.traces().front().values.size()},
               {"same", failure.empty()},
               {"state_hash", hash_text(session.simulation().hash())}};
  if (!failure.empty()) json["error"] = {{"message", failure}};
  return json;
}

void print_summary(const Recording& recording, const Session& session, const Replay& replay) {
  fmt::print("scene        {}{}\n", recording.scene_name(),
             recording.complete() ? "" : " (the recording was not ended properly; all of it was read)");
  fmt::print("replayed     {} steps, t = {:.6g} s\n", session.simulation().state().step_count,
             session.simulation().state().t);
  fmt::print("same bits    at {} checkpoint{}\n", replay.checkpoints(), replay.checkpoints() == 1 ? "" : "s");
  fmt::print("state hash   {}\n", hash_text(session.simulation().hash()));
}

}  // namespace

int replay_recording(const ReplayOptions& options) {
  if (options.view || !options.viewer.screenshot.empty() || !options.viewer.video.empty())
    return view_recording(options.file, options.viewer);
  if (!options.plot.empty()) check_plot_path(options.plot);
  if (options.json && options.csv == "-") throw UsageError("--json and --csv - both write to standard output");
  const Recording recording(options.file);
  if (!options.csv.empty()) write_csv(options.csv, recording.traces());
  if (!options.plot.empty()) draw(options.plot, recording.traces(), recording.scene_name());
  if (recording.instruction_set() != instruction_set())
    fmt::print(stderr, "lipkin: warning: recorded with {}, replayed with {}: the last bits may differ\n",
               recording.instruction_set(), instruction_set());
  Session session = recording.open();
  Replay replay(recording, session);
  const std::string failure = repeat(recording, session, replay);
  if (!failure.empty()) fmt::print(stderr, "lipkin: error: {}: {}\n", options.file, failure);
  if (options.json) {
    print_json(report_json(options, recording, session, replay, failure));
  } else if (failure.empty() && options.csv != "-") {
    print_summary(recording, session, replay);
  }
  return failure.empty() ? kSuccess : kFailed;
}

}  // namespace lipkin::cli
