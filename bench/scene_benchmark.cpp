#include "scene_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "engine_process.hpp"
#include "scene_cases.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

struct Settling {
  int warm, rounds, steps;  // steps of each engine before it is timed, timed rounds, steps of a round
};

Settling settling_of(int spheres, bool quick) {
  if (spheres > 5000) return {20, 3, 10};
  return quick ? Settling{50, 2, 50} : Settling{200, 4, 100};
}

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

  EngineProcess process;
  SceneRow row;
};

std::vector<std::unique_ptr<Contender>> start_engines(const Options& options) {
  std::vector<std::unique_ptr<Contender>> contenders;
  contenders.push_back(std::make_unique<Contender>("lipkin", engine_program("lipkin-engine-scenes")));
  for (const std::string& peer : options.peers) {
    const auto program = peer_program(peer, "scenes");
    if (std::filesystem::exists(program)) contenders.push_back(std::make_unique<Contender>(peer, program));
  }
  return contenders;
}

void add_round(Contender& contender, const json& reply) {
  if (reply.is_null()) return;
  contender.row.us_rounds.push_back(reply.at("us_per_step"));
  contender.row.reply.update(reply);
}

void measure_runs(const SceneCase& scene, const Options& options, std::vector<std::unique_ptr<Contender>>& contenders) {
  const int rounds = scene.duration > 100 ? 1 : options.quick ? 2 : 7;
  for (int round = 0; round < rounds; ++round) {
    for (auto& contender : contenders) {
      show_progress(fmt::format("{}: {}, round {} of {}", scene.title(), contender->row.engine, round + 1, rounds));
      add_round(
          *contender,
          contender->ask({{"command", "run"}, {"case", scene.name}, {"dt", scene.dt}, {"duration", scene.duration}}));
    }
  }
}

// Lipkin lets the spheres fall and settle; the peers start from where they lie, and settle once more their own way.
void measure_cup(const SceneCase& scene, const Options& options, std::vector<std::unique_ptr<Contender>>& contenders) {
  const Settling settling = settling_of(scene.sphere_count, options.quick);
  Contender& lipkin = *contenders.front();
  show_progress(scene.title() + ": lipkin settles");
  lipkin.row.reply = lipkin.ask({{"command", "cup"}, {"count", scene.sphere_count}});
  lipkin.ask({{"command", "advance"}, {"steps", std::lround(scene.duration / scene.dt)}});
  const json lying = lipkin.ask({{"command", "positions"}});
  for (auto& contender : contenders) {
    if (lying.is_null() || contender == contenders.front()) continue;
    show_progress(fmt::format("{}: {} settles", scene.title(), contender->row.engine));
    contender->row.reply =
        contender->ask({{"command", "cup"}, {"count", scene.sphere_count}, {"positions", lying.at("positions")}});
    contender->ask({{"command", "advance"}, {"steps", settling.warm}});
  }
  for (int round = 0; round < settling.rounds; ++round) {
    for (auto& contender : contenders) {
      show_progress(fmt::format("{}: {}, round {}", scene.title(), contender->row.engine, round + 1));
      add_round(*contender, contender->ask({{"command", "advance"}, {"steps", settling.steps}}));
    }
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
  auto contenders = start_engines(options);
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

// NaN with fewer than two cups.
double growth_exponent(const std::vector<SceneResult>& results) {
  std::vector<const SceneResult*> cups;
  for (const SceneResult& result : results) {
    if (result.scene.is_cup() && result.rows.front().took_part()) cups.push_back(&result);
  }
  if (cups.size() < 2) return NAN;
  const SceneResult &first = *cups.front(), &last = *cups.back();
  return std::log(last.rows.front().us() / first.rows.front().us()) /
         std::log(static_cast<double>(last.scene.sphere_count) / first.scene.sphere_count);
}

bool chosen(const SceneCase& scene, const Options& options) {
  if (!options.cases.empty()) return std::ranges::find(options.cases, scene.name) != options.cases.end();
  return options.full || scene.sphere_count <= 1000;
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
  const double growth = growth_exponent(results);
  const bool grows_little = !(growth > kMostGrowth);
  const bool pass = grows_little && std::ranges::all_of(results, &SceneResult::pass);
  if (options.json) {
    json report{{"benchmark", "scenes"}, {"machine", machine()}, {"pass", pass}, {"rows", json::array()}};
    if (std::isfinite(growth)) report["growth_exponent"] = growth;
    for (const SceneResult& result : results) {
      for (const SceneRow& row : result.rows) report["rows"].push_back(json_row(result, row));
    }
    fmt::print("{}\n", report.dump(2));
  } else if (std::isfinite(growth)) {
    fmt::print("\nbar: time of a step grows as N^{:.2f} over the cups, at most N^{}: {}\n", growth, kMostGrowth,
               grows_little ? "pass" : "SHORT");
  }
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
