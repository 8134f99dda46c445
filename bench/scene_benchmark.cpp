#include "scene_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>

#include "engine_process.hpp"
#include "scene_cases.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

// A row and the process it is asked of.
struct Contender {
  explicit Contender(const std::string& name, const std::filesystem::path& program)
      : process(EngineCommand{program, {}, {}}) {
    row.engine = name;
  }

  // Null where the engine refused or failed, which the row then says.
  json ask(const json& request) {
    if (!row.error.empty() || !row.refusal.empty()) return nullptr;
    try {
      json reply = process.ask(request);
      row.refusal = reply.value("refused", "");
      return row.refusal.empty() ? reply : json(nullptr);
    } catch (const EngineError& error) {
      row.error = error.what();
      return nullptr;
    }
  }

  void ask_for_round(const json& request) {
    const double begin = seconds_on(Clock::kWall);
    const json reply = ask(request);
    spent += seconds_on(Clock::kWall) - begin;
    if (!reply.is_null()) row.add_round(reply);
  }

  EngineProcess process;
  SceneRow row;
  double spent = 0;  // in rounds [s]
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

// Piles are of rigid bodies in any case.
Contenders start_engines(const SceneCase& scene, const Options& options) {
  Contenders contenders;
  const auto add = [&](const std::string& name, const std::filesystem::path& program) {
    if (std::filesystem::exists(program)) contenders.push_back(std::make_unique<Contender>(name, program));
  };
  add("lipkin", engine_program("lipkin-engine-scenes"));
  for (const std::string& peer : options.peers) {
    add(peer, peer_program(peer, "scenes"));
    if (!scene.is_cup()) add(peer + " rigid", peer_program(peer, "rigid_scenes"));
  }
  return contenders;
}

// A slow engine's runs are long: its median needs no more of them.
void measure_runs(const SceneCase& scene, const Options& options, Contenders& contenders) {
  constexpr double kEnough = 5;  // [s]
  const int rounds = scene.takes_minutes() ? 1 : options.quick ? 2 : 7;
  for (int round = 0; round < rounds; ++round) {
    for (auto& contender : contenders) {
      if (contender->spent > kEnough) continue;
      show_progress(fmt::format("{}: {}, round {} of {}", scene.title(), contender->row.engine, round + 1, rounds));
      contender->ask_for_round(
          {{"command", "run"}, {"case", scene.name}, {"dt", scene.dt}, {"duration", scene.duration}});
    }
  }
}

// Until no sphere that others hold moves any more: after the fall some roll on top for a while, and push what they
// meet. How long that takes is a matter of luck, so there is an end to the patience.
void let_fall(const SceneCase& scene, Contender& lipkin) {
  constexpr double kAtRest = 1e-5;  // a hundredth of what the bar allows [m/s]
  constexpr int kLookEvery = 250, kPatience = 3;
  const long fall = std::lround(scene.duration / scene.dt);
  json seen = lipkin.ask({{"command", "settle"}, {"steps", fall}});
  for (long step = fall; step < kPatience * fall && seen.is_object() && seen.at("held_speed") > kAtRest;
       step += kLookEvery)
    seen = lipkin.ask({{"command", "settle"}, {"steps", kLookEvery}});
}

// Lipkin lets the spheres fall; the peers take over where they lie, at rest. Then all settle for the same time, each
// its own way.
void measure_cup(const SceneCase& scene, const Options& options, Contenders& contenders) {
  const CupSchedule schedule = cup_schedule(scene, options.quick);
  Contender& lipkin = *contenders.front();
  show_progress(scene.title() + ": lipkin lets them fall");
  lipkin.row.reply = lipkin.ask({{"command", "cup"}, {"count", scene.sphere_count}});
  let_fall(scene, lipkin);
  const json lying = lipkin.ask({{"command", "positions"}});
  if (lying.is_null()) return;
  for (auto& contender : contenders) {
    show_progress(fmt::format("{}: {} settles", scene.title(), contender->row.engine));
    if (contender != contenders.front()) {
      contender->row.reply =
          contender->ask({{"command", "cup"}, {"count", scene.sphere_count}, {"positions", lying.at("positions")}});
    }
    contender->ask({{"command", "settle"}, {"steps", schedule.settle}});
  }
  for (int round = 0; round < schedule.rounds; ++round) {
    for (auto& contender : contenders) {
      show_progress(fmt::format("{}: {}, round {}", scene.title(), contender->row.engine, round + 1));
      contender->ask_for_round({{"command", "advance"}, {"steps", schedule.steps}});
    }
  }
  for (auto& contender : contenders) {
    if (!contender->row.took_part()) continue;
    contender->row.reply["spheres"] = scene.sphere_count;
    contender->row.reply["settle_s"] = schedule.settle * scene.dt;
    contender->row.reply["steps"] = schedule.rounds * schedule.steps;
  }
}

struct SceneResult {
  SceneCase scene;
  std::vector<SceneRow> rows;
  std::vector<Bar> bars;

  bool pass() const {
    return std::ranges::all_of(bars, &Bar::pass) &&
           std::ranges::all_of(rows, [](const SceneRow& row) { return row.error.empty(); });
  }
};

SceneResult measure(const SceneCase& scene, const Options& options) {
  Contenders contenders = start_engines(scene, options);
  if (scene.is_cup()) {
    measure_cup(scene, options, contenders);
  } else {
    measure_runs(scene, options, contenders);
  }
  show_progress("");
  SceneResult result{scene, {}, {}};
  for (auto& contender : contenders) result.rows.push_back(contender->row);
  result.bars = bars_of(scene, result.rows);
  return result;
}

std::string error_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e9 ? fmt::format("{:g}", value)
                                                             : fmt::format("{:.2e}", value);
}

std::string value_text(const SceneRow& row, const Column& column) {
  const double value = row.value(column.key);
  if (std::string_view(column.key) == "rest_s") return value < 0 ? "never" : fmt::format("{:.2f}", value);
  if (!row.reply.value("held", true)) return "lost";
  return error_text(value);
}

std::string table_of(const SceneResult& result) {
  std::vector<std::string> header{"", "us/step", "lipkin is faster by"};
  for (const Column& column : result.scene.columns) header.emplace_back(column.header);
  header.emplace_back("setting");
  Table table(header);
  for (const SceneRow& row : result.rows) {
    if (!row.took_part()) continue;
    const bool own = &row == &result.rows.front();
    std::vector<std::string> cells{row.reply.value("engine", row.engine), fmt::format("{:.2f}", row.us()),
                                   own ? "" : fmt::format("{:.2f}", row.us() / result.rows.front().us())};
    for (const Column& column : result.scene.columns) cells.push_back(value_text(row, column));
    cells.push_back(row.reply.value("setting", ""));
    table.add_row(cells);
  }
  return table.text();
}

void print_lipkin(const SceneResult& result) {
  const SceneRow& lipkin = result.rows.front();
  if (!lipkin.took_part()) return;
  const json& reply = lipkin.reply;
  fmt::print("lipkin: state hash {}, worst residual {:.1e}, {:.2f} iterations a step, {} steps not converged\n",
             reply.value("state_hash", "?"), reply.value("residual", -1.0), reply.value("iterations", -1.0),
             reply.value("unconverged_steps", 0));
  if (!result.scene.is_cup()) return;
  const double gaps_us = lipkin.value("gaps_us");
  fmt::print("        {} gaps in {:.1f} us, {:.1f} ns each; all else of a step {:.1f} us, {:.0f} %\n",
             reply.value("gaps", 0), gaps_us, lipkin.value("ns_per_gap"), lipkin.us() - gaps_us,
             100 * (1 - gaps_us / lipkin.us()));
}

void print_case(const SceneResult& result) {
  fmt::print("\n{}\n\n{}", result.scene.title(), table_of(result));
  print_lipkin(result);
  for (const SceneRow& row : result.rows) {
    if (!row.error.empty()) fmt::print("error: {}\n", row.error);
    if (!row.refusal.empty()) fmt::print("not taken by {}: {}\n", row.engine, row.refusal);
  }
  for (const Bar& bar : result.bars) {
    fmt::print("bar: {}: {:.3g}, at most {:.3g}: {}\n", bar.text, bar.value, bar.limit, bar.pass ? "pass" : "SHORT");
  }
}

json json_row(const SceneResult& result, const SceneRow& row) {
  json entry = row.reply.is_object() ? row.reply : json::object();
  entry["case"] = result.scene.name;
  entry["engine"] = entry.value("engine", row.engine);
  entry["dt"] = result.scene.dt;
  entry["duration"] = result.scene.duration;
  if (!row.error.empty()) entry["error"] = row.error;
  if (!row.refusal.empty()) entry["refused"] = row.refusal;
  if (!row.took_part()) return entry;
  entry["us_per_step"] = row.us();
  if (&row != &result.rows.front()) {
    entry["ratio"] = row.us() / result.rows.front().us();
    return entry;
  }
  entry["bars"] = json::array();
  for (const Bar& bar : result.bars) {
    entry["bars"].push_back({{"what", bar.text}, {"value", bar.value}, {"limit", bar.limit}, {"pass", bar.pass}});
  }
  return entry;
}

// An engine's step times over the cups, and what they say about larger ones.
struct Growth {
  std::string engine;
  std::vector<CupTime> cups;

  double exponent() const { return growth_exponent(cups); }
  bool judged() const {
    return engine == "lipkin" && cups.front().spheres == kFewestSpheres && cups.back().spheres == kMostSpheres;
  }
  bool pass() const { return !judged() || exponent() <= kMostGrowth; }
};

// Of the engines that took at least two cups.
std::vector<Growth> growths(const std::vector<SceneResult>& results) {
  std::vector<Growth> found;
  for (const SceneResult& result : results) {
    for (const SceneRow& row : result.rows) {
      if (!result.scene.is_cup() || !row.took_part()) continue;
      auto growth = std::ranges::find(found, row.engine, &Growth::engine);
      if (growth == found.end()) growth = found.insert(found.end(), {row.engine, {}});
      growth->cups.push_back({result.scene.sphere_count, row.us()});
    }
  }
  std::erase_if(found, [](const Growth& growth) { return growth.cups.size() < 2; });
  return found;
}

void print_growths(const std::vector<Growth>& found) {
  if (!found.empty()) fmt::print("\n");
  for (const Growth& growth : found) {
    fmt::print("{}{}: time of a step grows as N^{:.2f} from {} to {} spheres", growth.judged() ? "bar: " : "",
               growth.engine, growth.exponent(), growth.cups.front().spheres, growth.cups.back().spheres);
    fmt::print("{}\n", !growth.judged() ? ""
                       : growth.pass()  ? fmt::format(", at most N^{}: pass", kMostGrowth)
                                        : fmt::format(", at most N^{}: SHORT", kMostGrowth));
  }
}

void print_report(const std::vector<SceneResult>& results, const std::vector<Growth>& found, bool pass) {
  json report{{"benchmark", "scenes"}, {"machine", machine()}, {"pass", pass}, {"rows", json::array()}};
  for (const Growth& growth : found) report["growth_exponents"][growth.engine] = growth.exponent();
  for (const SceneResult& result : results) {
    for (const SceneRow& row : result.rows) report["rows"].push_back(json_row(result, row));
  }
  fmt::print("{}\n", report.dump(2));
}

bool chosen(const SceneCase& scene, const Options& options) {
  if (options.cases.empty()) return !(options.quick && scene.takes_minutes());
  return std::ranges::find(options.cases, scene.name) != options.cases.end();
}

}  // namespace

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const SceneCase& scene : scene_cases()) {
    if (std::ranges::find(names, scene.name) == names.end()) names.push_back(scene.name);
  }
  return names;
}

int run_scene_benchmark(const Options& options) {
  if (!options.json)
    fmt::print("{}; double, one thread; medians over the steps of a run, best of the runs in turn\n", machine());
  std::vector<SceneResult> results;
  for (const SceneCase& scene : scene_cases()) {
    if (!chosen(scene, options)) continue;
    results.push_back(measure(scene, options));
    if (!options.json) print_case(results.back());
  }
  const std::vector<Growth> found = growths(results);
  const bool pass = std::ranges::all_of(found, &Growth::pass) && std::ranges::all_of(results, &SceneResult::pass);
  if (options.json) {
    print_report(results, found, pass);
  } else {
    print_growths(found);
  }
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
