#include "tree_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
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

std::string_view name_of(Measure what) { return what == Measure::kStep ? "step" : "forward dynamics"; }

std::string_view explain(Measure what) {
  return what == Measure::kStep ? "semi-implicit Euler, 1 ms, every joint damped by 0.1 N m s/rad"
                                : "state set, accelerations computed";
}

// At five joints the fixed cost of a call weighs most.
double bar_of(const std::string& case_name) { return case_name == "chain-5" ? 2.8 : 3.0; }

// One case, measured: Lipkin first, then the peers.
struct CaseResult {
  std::string name;
  int u_count = 0;
  std::vector<Competitor> engines;

  const Competitor& lipkin() const { return engines.front(); }

  // Null where no peer takes part.
  const Competitor* fastest_peer(Measure what) const {
    const Competitor* fastest = nullptr;
    for (std::size_t i = 1; i < engines.size(); ++i) {
      if (!engines[i].takes_part()) continue;
      if (!fastest || engines[i].speed(what).best() < fastest->speed(what).best()) fastest = &engines[i];
    }
    return fastest;
  }

  bool compared(Measure what) const { return lipkin().takes_part() && fastest_peer(what) != nullptr; }
  double ratio(Measure what) const { return fastest_peer(what)->speed(what).best() / lipkin().speed(what).best(); }
  bool passes(Measure what) const { return !compared(what) || ratio(what) >= bar_of(name); }
  bool has_errors() const {
    return std::ranges::any_of(engines, [](const Competitor& engine) { return !engine.error().empty(); });
  }
};

// Engines take turns so that a slow moment of the machine meets them all.
CaseResult measure_case(const std::string& name, const Options& options) {
  const TreeTask task = make_tree_task(name);
  CaseResult result{name, task.model.u_count(), {}};
  result.engines.emplace_back("lipkin", EngineCommand{engine_program("lipkin-engine-tree"), {}, {}});
  for (const std::string& peer : options.peers) {
    const auto program = peer_program(peer, "tree");
    if (std::filesystem::exists(program)) result.engines.emplace_back(peer, EngineCommand{program, {}, {}});
  }

  for (Competitor& engine : result.engines) {
    show_progress(fmt::format("{}: checking {}", name, engine.name()));
    engine.load(task);
    engine.move(task);
  }
  result.engines.front().move_in_half_steps(task);
  result.engines.front().take_fingerprint();
  for (std::size_t i = 1; i < result.engines.size(); ++i) result.engines[i].check_against(result.lipkin());

  for (int round = 0; round < options.rounds(); ++round) {
    show_progress(fmt::format("{}: round {} of {}", name, round + 1, options.rounds()));
    if (round > 0 && options.begins_launch(round, result.u_count)) {
      for (Competitor& engine : result.engines) engine.relaunch(task);
    }
    for (const Measure what : kMeasures) {
      for (Competitor& engine : result.engines) engine.measure(what, options.seconds_per_round());
    }
  }
  show_progress("");
  return result;
}

std::string cell(const Competitor& engine, Measure what) {
  if (!engine.error().empty()) return "error";
  return engine.takes_part() ? ns_text(engine.speed(what).best()) : "-";
}

std::string speed_table(const std::vector<CaseResult>& results, Measure what) {
  std::vector<std::string> header{""};
  for (const CaseResult& result : results) header.push_back(result.name);
  Table table(header);
  for (std::size_t engine = 0; engine < results.front().engines.size(); ++engine) {
    std::vector<std::string> row{results.front().engines[engine].name()};
    for (const CaseResult& result : results) row.push_back(cell(result.engines[engine], what));
    table.add_row(row);
  }
  std::vector<std::string> ratios{"ratio to fastest peer"}, bars{"bar"}, verdicts{""};
  bool any_compared = false;
  for (const CaseResult& result : results) {
    const bool compared = result.compared(what);
    any_compared = any_compared || compared;
    ratios.push_back(compared ? fmt::format("{:.2f}", result.ratio(what)) : "-");
    bars.push_back(fmt::format("{:.1f}", bar_of(result.name)));
    verdicts.push_back(!compared ? "-" : result.passes(what) ? "pass" : "SHORT");
  }
  if (any_compared) {
    for (const auto& row : {ratios, bars, verdicts}) table.add_row(row);
  }
  return table.text();
}

std::string quality_table(const std::vector<CaseResult>& results, Measure what) {
  Table table({"lipkin", "ns", "ns per dof", "residual", "state hash", "farthest peer"});
  for (const CaseResult& result : results) {
    if (!result.lipkin().takes_part()) continue;
    double farthest = 0;
    for (std::size_t i = 1; i < result.engines.size(); ++i) {
      if (result.engines[i].takes_part()) farthest = std::max(farthest, result.engines[i].residual(what));
    }
    const double ns = result.lipkin().speed(what).best();
    table.add_row({result.name, ns_text(ns), fmt::format("{:.1f}", ns / result.u_count),
                   fmt::format("{:.1e}", result.lipkin().residual(what)), result.lipkin().hash(what),
                   result.fastest_peer(what) ? fmt::format("{:.1e}", farthest) : "-"});
  }
  return table.text();
}

// The exponent of the growth of Lipkin's time from the first to the last chain; NaN with fewer than two.
double growth_exponent(const std::vector<CaseResult>& results, Measure what) {
  std::vector<const CaseResult*> chains;
  for (const CaseResult& result : results) {
    if (result.name.starts_with("chain-") && result.lipkin().takes_part()) chains.push_back(&result);
  }
  if (chains.size() < 2) return NAN;
  const CaseResult &first = *chains.front(), &last = *chains.back();
  return std::log(last.lipkin().speed(what).best() / first.lipkin().speed(what).best()) /
         std::log(static_cast<double>(last.u_count) / first.u_count);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

void print_notes(const std::vector<CaseResult>& results) {
  std::map<std::string, std::string> refusals;  // engine and reason -> cases
  for (const CaseResult& result : results) {
    for (const Competitor& engine : result.engines) {
      if (!engine.error().empty()) fmt::print("error: {}: {}: {}\n", result.name, engine.name(), engine.error());
      if (engine.description().refusal.empty()) continue;
      refusals[engine.name() + ": " + one_line(engine.description().refusal)] += " " + result.name;
    }
  }
  for (const auto& [reason, cases] : refusals) fmt::print("not taken:{} by {}\n", cases, reason);
}

void print_text(const std::vector<CaseResult>& results, const Options& options) {
  fmt::print("{}; {}; double, one thread; best of {} rounds in turn\n", machine(),
             results.front().lipkin().description().setting, options.rounds());
  for (const Measure what : kMeasures) {
    fmt::print("\n{} [ns]: {}\n\n{}\n{}", name_of(what), explain(what), speed_table(results, what),
               quality_table(results, what));
    const double exponent = growth_exponent(results, what);
    if (std::isfinite(exponent)) fmt::print("time grows as N^{:.2f} over the chains\n", exponent);
  }
  fmt::print("\n");
  print_notes(results);
  if (options.peers.empty()) fmt::print("no peer to compare with (./lipkin bench tree --install-peers)\n");
}

json row_of(const CaseResult& result, const Competitor& engine, Measure what) {
  json row{{"case", result.name}, {"engine", engine.name()}, {"setting", name_of(what)}};
  if (!engine.description().setting.empty()) row["instruction_set"] = engine.description().setting;
  if (!engine.error().empty()) row["error"] = engine.error();
  if (!engine.description().refusal.empty()) row["refused"] = one_line(engine.description().refusal);
  if (!engine.takes_part()) return row;
  row["ns"] = engine.speed(what).best();
  row["ns_median"] = engine.speed(what).median();
  row["ns_per_dof"] = engine.speed(what).best() / result.u_count;
  row["residual"] = engine.residual(what);
  if (!engine.hash(what).empty()) row["state_hash"] = engine.hash(what);
  if (&engine != &result.lipkin() || !result.compared(what)) return row;
  row["fastest_peer"] = result.fastest_peer(what)->name();
  row["ratio"] = result.ratio(what);
  row["bar"] = bar_of(result.name);
  row["pass"] = result.passes(what);
  return row;
}

void print_json(const std::vector<CaseResult>& results, const Options& options, bool pass) {
  json report{{"benchmark", "tree"}, {"machine", machine()}, {"rounds", options.rounds()}, {"pass", pass}};
  report["rows"] = json::array();
  for (const Measure what : kMeasures) {
    for (const CaseResult& result : results) {
      for (const Competitor& engine : result.engines) report["rows"].push_back(row_of(result, engine, what));
    }
    const double exponent = growth_exponent(results, what);
    if (std::isfinite(exponent)) report["growth_exponent"][std::string(name_of(what))] = exponent;
  }
  fmt::print("{}\n", report.dump(2));
}

}  // namespace

int run_tree_benchmark(const Options& options) {
  std::vector<CaseResult> results;
  for (const std::string& name : options.cases.empty() ? tree_case_names() : options.cases) {
    results.push_back(measure_case(name, options));
  }
  const bool pass = std::ranges::all_of(results, [](const CaseResult& result) {
    return !result.has_errors() && result.passes(Measure::kForwardDynamics) && result.passes(Measure::kStep);
  });
  if (options.json) {
    print_json(results, options, pass);
  } else {
    print_text(results, options);
  }
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
