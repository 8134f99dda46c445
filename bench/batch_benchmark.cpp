#include "batch_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "table.hpp"
#include "tree_task.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

constexpr std::array kMeasures{Measure::kForwardDynamics, Measure::kStep};

// Enough that waking the threads does not count, few enough that a thread's states stay in its cache.
constexpr int kCopiesPerThread = 1024;

std::string_view name_of(Measure what) { return what == Measure::kStep ? "step" : "forward dynamics"; }

// Times MuJoCo's single-thread rate, for forward dynamics; 0: no bar.
double bar_of(const std::string& instruction_set, Measure what) {
  if (what == Measure::kStep) return 0;
  return instruction_set == "avx512" ? 14 : instruction_set == "avx2" ? 9 : 0;
}

// LIPKIN_ISA keeps the program to one instruction set; else each is measured.
std::vector<std::string> instruction_sets() {
  if (const char* chosen = std::getenv("LIPKIN_ISA")) return {chosen};
  return {"avx512", "avx2", "baseline"};
}

Competitor make_batch(const std::string& instruction_set, int threads) {
  const std::vector<std::string> arguments{std::to_string(threads), std::to_string(threads * kCopiesPerThread)};
  return {"lipkin batch", {engine_program("lipkin-engine-batch"), arguments, {"LIPKIN_ISA=" + instruction_set}}};
}

// Batches over 1, 2, 4, ... threads up to the most.
std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

struct ScalingPoint {
  int threads;
  Competitor batch;
};

struct CaseResult {
  std::string name;
  std::vector<Competitor> single;   // Lipkin one state at a time; MuJoCo where it is there
  std::vector<Competitor> batches;  // one thread, one per instruction set the machine has
  std::vector<ScalingPoint> scaling;

  const Competitor* mujoco() const { return single.size() > 1 && single[1].takes_part() ? &single[1] : nullptr; }
  bool compared(const Competitor& batch) const { return batch.takes_part() && mujoco() != nullptr; }
  double ratio(const Competitor& engine, Measure what) const {
    return mujoco()->speed(what).best() / engine.speed(what).best();
  }
  bool passes(const Competitor& batch) const {
    constexpr Measure kJudged = Measure::kForwardDynamics;
    return !compared(batch) || ratio(batch, kJudged) >= bar_of(batch.description().setting, kJudged);
  }
};

// Engines that fail keep their place, to be reported; instruction sets this machine lacks are left out.
void add_batches(CaseResult& result, const TreeTask& task) {
  for (const std::string& instruction_set : instruction_sets()) {
    Competitor batch = make_batch(instruction_set, 1);
    batch.load(task);
    if (batch.takes_part() && batch.description().setting != instruction_set) continue;
    result.batches.push_back(std::move(batch));
  }
}

void check(CaseResult& result, const TreeTask& task) {
  for (auto* group : {&result.single, &result.batches}) {
    for (Competitor& engine : *group) engine.move(task);
  }
  Competitor& reference = result.single.front();
  reference.move_in_half_steps(task);
  reference.take_fingerprint();
  for (std::size_t i = 1; i < result.single.size(); ++i) result.single[i].check_against(reference);
  for (Competitor& batch : result.batches) {
    batch.check_against(reference);
    batch.take_fingerprint();
  }
}

void measure_in_turn(CaseResult& result, const TreeTask& task, const Options& options) {
  for (int round = 0; round < options.rounds(); ++round) {
    show_progress(fmt::format("{}: round {} of {}", result.name, round + 1, options.rounds()));
    if (round > 0 && options.begins_launch(round, task.model.u_count())) {
      for (auto* group : {&result.single, &result.batches}) {
        for (Competitor& engine : *group) engine.relaunch(task);
      }
    }
    for (const Measure what : kMeasures) {
      for (auto* group : {&result.single, &result.batches}) {
        for (Competitor& engine : *group) engine.measure(what, options.seconds_per_round());
      }
    }
  }
}

// Wall time: what counts is when the last thread is done.
void measure_scaling(CaseResult& result, const TreeTask& task, const Options& options) {
  for (const int threads : thread_counts(options.threads > 0 ? options.threads : core_count())) {
    result.scaling.push_back({threads, make_batch(result.batches.front().description().setting, threads)});
    result.scaling.back().batch.load(task);
  }
  for (int round = 1; round <= options.rounds(); ++round) {
    show_progress(fmt::format("{}: threads, round {} of {}", result.name, round, options.rounds()));
    for (ScalingPoint& point : result.scaling) {
      for (const Measure what : kMeasures) point.batch.measure(what, options.seconds_per_round(), Clock::kWall);
    }
  }
}

CaseResult measure_case(const std::string& name, const Options& options) {
  const TreeTask task = make_tree_task(name);
  CaseResult result{name, {}, {}, {}};
  show_progress(name + ": checking");
  result.single.emplace_back("lipkin", EngineCommand{engine_program("lipkin-engine-tree"), {}, {}});
  if (std::ranges::find(options.peers, "mujoco") != options.peers.end()) {
    result.single.emplace_back("mujoco", EngineCommand{peer_program("mujoco", "tree"), {}, {}});
  }
  for (Competitor& engine : result.single) engine.load(task);
  add_batches(result, task);
  check(result, task);
  measure_in_turn(result, task, options);
  if (!result.batches.empty()) measure_scaling(result, task, options);
  show_progress("");
  return result;
}

std::string rate_text(double ns) { return fmt::format("{:.3g}", 1e9 / ns); }

void add_speed_row(Table& table, const CaseResult& result, const Competitor& engine, Measure what, bool judged) {
  const std::string label = (engine.name() + " " + engine.description().setting);
  if (!engine.takes_part()) {
    table.add_row({label, engine.error().empty() ? "-" : "error"});
    return;
  }
  const double ns = engine.speed(what).best();
  std::vector<std::string> row{
      label, ns_text(ns), rate_text(ns), "", "", "", fmt::format("{:.1e}", engine.residual(what)), engine.hash(what)};
  if (result.mujoco()) row[3] = fmt::format("{:.2f}", result.ratio(engine, what));
  const double bar = bar_of(engine.description().setting, what);
  if (judged && bar > 0 && result.compared(engine)) {
    row[4] = fmt::format("{:.0f}", bar);
    row[5] = result.passes(engine) ? "pass" : "SHORT";
  }
  table.add_row(row);
}

std::string speed_table(const CaseResult& result, Measure what) {
  Table table({"one thread", "ns per state", "states per s", "ratio to mujoco", "bar", "", "residual", "state hash"});
  for (const Competitor& engine : result.single) add_speed_row(table, result, engine, what, false);
  for (const Competitor& batch : result.batches) add_speed_row(table, result, batch, what, true);
  return table.text();
}

std::string scaling_table(const CaseResult& result) {
  Table table(
      {"threads", "forward dynamics per s", "per core", "of one thread", "steps per s", "per core", "of one thread"});
  for (const ScalingPoint& point : result.scaling) {
    if (!point.batch.takes_part()) continue;
    std::vector<std::string> row{std::to_string(point.threads)};
    for (const Measure what : kMeasures) {
      const double ns = point.batch.speed(what).best();
      const double one = result.scaling.front().batch.speed(what).best();
      row.push_back(rate_text(ns));
      row.push_back(rate_text(ns * point.threads));
      row.push_back(fmt::format("{:.0f} %", 100 * one / (ns * point.threads)));
    }
    table.add_row(row);
  }
  return table.text();
}

std::vector<const Competitor*> everyone(const CaseResult& result) {
  std::vector<const Competitor*> engines;
  for (const auto* group : {&result.single, &result.batches}) {
    for (const Competitor& engine : *group) engines.push_back(&engine);
  }
  for (const ScalingPoint& point : result.scaling) engines.push_back(&point.batch);
  return engines;
}

void print_text(const std::vector<CaseResult>& results, const Options& options) {
  fmt::print("{}; double; {} copies per thread; best of {} rounds in turn\n", machine(), kCopiesPerThread,
             options.rounds());
  for (const CaseResult& result : results) {
    for (const Measure what : kMeasures) {
      fmt::print("\n{}, {}\n\n{}", result.name, name_of(what), speed_table(result, what));
    }
    fmt::print("\n{}, threads (wall time)\n\n{}", result.name, scaling_table(result));
    for (const Competitor* engine : everyone(result)) {
      if (!engine->error().empty()) fmt::print("error: {}: {}: {}\n", result.name, engine->name(), engine->error());
    }
    if (!result.mujoco()) fmt::print("no MuJoCo to compare with (./lipkin bench batch --install-peers)\n");
  }
}

json row_of(const CaseResult& result, const Competitor& engine, Measure what, int threads) {
  json row{{"case", result.name}, {"engine", engine.name()}, {"setting", name_of(what)}, {"threads", threads}};
  if (!engine.description().setting.empty()) row["instruction_set"] = engine.description().setting;
  if (!engine.error().empty()) row["error"] = engine.error();
  if (!engine.takes_part()) return row;
  const double ns = engine.speed(what).best();
  row["ns"] = ns;
  row["ns_median"] = engine.speed(what).median();
  row["states_per_s"] = 1e9 / ns;
  row["states_per_s_per_core"] = 1e9 / (ns * threads);
  return row;
}

json judged_row(const CaseResult& result, const Competitor& engine, Measure what, bool judged) {
  json row = row_of(result, engine, what, 1);
  if (!engine.takes_part()) return row;
  row["residual"] = engine.residual(what);
  if (!engine.hash(what).empty()) row["state_hash"] = engine.hash(what);
  if (result.mujoco()) row["ratio"] = result.ratio(engine, what);
  const double bar = bar_of(engine.description().setting, what);
  if (judged && bar > 0 && result.compared(engine)) {
    row["bar"] = bar;
    row["pass"] = result.passes(engine);
  }
  return row;
}

void print_json(const std::vector<CaseResult>& results, const Options& options, bool pass) {
  json rows = json::array();
  for (const CaseResult& result : results) {
    for (const Measure what : kMeasures) {
      for (const Competitor& engine : result.single) rows.push_back(judged_row(result, engine, what, false));
      for (const Competitor& batch : result.batches) rows.push_back(judged_row(result, batch, what, true));
      for (const ScalingPoint& point : result.scaling) {
        json row = row_of(result, point.batch, what, point.threads);
        row["clock"] = "wall";
        rows.push_back(row);
      }
    }
  }
  const json report{{"benchmark", "batch"},
                    {"machine", machine()},
                    {"rounds", options.rounds()},
                    {"copies_per_thread", kCopiesPerThread},
                    {"pass", pass},
                    {"rows", rows}};
  fmt::print("{}\n", report.dump(2));
}

bool passes(const CaseResult& result) {
  return std::ranges::all_of(everyone(result), [](const Competitor* engine) { return engine->error().empty(); }) &&
         std::ranges::all_of(result.batches, [&](const Competitor& batch) { return result.passes(batch); });
}

}  // namespace

int run_batch_benchmark(const Options& options) {
  const std::vector<std::string> names =
      options.cases.empty() ? std::vector<std::string>{"chain-7", "humanoid-tree"} : options.cases;
  std::vector<CaseResult> results;
  for (const std::string& name : names) results.push_back(measure_case(name, options));
  const bool pass = std::ranges::all_of(results, passes);
  if (options.json) {
    print_json(results, options, pass);
  } else {
    print_text(results, options);
  }
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
