#include "papers_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine_process.hpp"
#include "papers_solvers.hpp"
#include "smooth_curve.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

// Mikhaylyuk, Strashnov, Timokhin (the second paper), Table 1: 3 GHz Pentium D, steps of at most 10 ms, epsilon 1e-6.
struct Published {
  double iterations, ms;
};
struct TableScene {
  const char* name;
  Published maximal, generalized;
};
constexpr std::array kTable{TableScene{"five-link-chain", {100, 0.5}, {6, 0.1}},
                            TableScene{"peaucellier", {2300, 16}, {40, 1.2}}, TableScene{"grasp", {200, 3}, {10, 0.6}}};

// The paper stops where no impulse changes by more than epsilon; the cap is far above what that takes.
json paper_settings(const char* coordinates) {
  return {{"coordinates", coordinates},
          {"solver", "impulses"},
          {"stabilization", "split"},
          {"impulse_epsilon", 1e-6},
          {"max_iterations", 100000}};
}

struct Algorithm {
  const char* name;
  json settings;
};

std::vector<Algorithm> algorithms() {
  return {{"SIMMC", paper_settings("maximal")},
          {"SIMGC", paper_settings("generalized")},
          {"hybrid, projection", {{"solver", "hybrid"}, {"stabilization", "projection"}}}};
}

struct Row {
  std::string scene, algorithm;
  json reply;  // null where it failed
  std::string error;

  double iterations() const { return reply.is_null() ? NAN : reply.at("iterations").get<double>(); }
  double us() const { return reply.is_null() ? NAN : reply.at("us_mean").get<double>(); }
  bool converged() const { return !reply.is_null() && reply.at("unconverged_steps") == 0; }
};

// A process for each row: one that fails takes no other with it.
EngineProcess start_engine() { return EngineProcess(EngineCommand{engine_program("lipkin-engine-scenes"), {}, {}}); }

// The best of a few runs: disturbances only ever add time.
Row run_row(const std::string& scene, const Algorithm& algorithm, int rounds) {
  Row row{scene, algorithm.name, nullptr, {}};
  EngineProcess engine = start_engine();
  for (int round = 0; round < rounds; ++round) {
    show_progress(fmt::format("{}: {}", scene, algorithm.name));
    try {
      json reply = engine.ask(
          {{"command", "run"}, {"case", scene}, {"dt", 0.01}, {"clock", "cpu"}, {"settings", algorithm.settings}});
      if (row.reply.is_null() || reply.at("us_mean") < row.reply.at("us_mean")) row.reply = std::move(reply);
    } catch (const EngineError& error) {
      row.error = error.what();
      break;
    }
  }
  show_progress("");
  return row;
}

struct TableResult {
  TableScene scene;
  std::vector<Row> rows;  // SIMMC, SIMGC, hybrid

  const Row& maximal() const { return rows[0]; }
  const Row& generalized() const { return rows[1]; }
  bool pass() const {
    return maximal().converged() && generalized().converged() && generalized().iterations() < maximal().iterations() &&
           generalized().us() < maximal().us();
  }
};

void print_table(const std::vector<TableResult>& results) {
  fmt::print(
      "\nTable 1 of the second paper: sequential impulses, dt 10 ms, epsilon 1e-6; means over all steps, CPU time\n\n");
  Table table({"", "iterations", "paper", "most", "us/step", "paper", "not converged", "residual", "state hash"});
  for (const TableResult& result : results) {
    for (const Row& row : result.rows) {
      const bool maximal = &row == &result.maximal(), generalized = &row == &result.generalized();
      const Published& paper = maximal ? result.scene.maximal : result.scene.generalized;
      const bool published = maximal || generalized;
      table.add_row({fmt::format("{}, {}", row.scene, row.algorithm), fmt::format("{:.1f}", row.iterations()),
                     published ? fmt::format("{:g}", paper.iterations) : "",
                     row.reply.is_null() ? "" : fmt::format("{}", row.reply.value("iterations_max", 0)),
                     fmt::format("{:.2f}", row.us()), published ? fmt::format("{:g}", 1000 * paper.ms) : "",
                     row.reply.is_null() ? "error" : fmt::format("{}", row.reply.value("unconverged_steps", 0)),
                     row.reply.is_null() ? "" : fmt::format("{:.1e}", row.reply.value("residual", -1.0)),
                     row.reply.is_null() ? "" : row.reply.value("state_hash", "")});
    }
  }
  fmt::print("{}\n", table.text());
  Table ratios({"SIMMC / SIMGC", "iterations", "paper", "time", "paper", ""});
  for (const TableResult& result : results) {
    const auto& [name, maximal, generalized] = result.scene;
    ratios.add_row({name, fmt::format("{:.1f}", result.maximal().iterations() / result.generalized().iterations()),
                    fmt::format("{:.1f}", maximal.iterations / generalized.iterations),
                    fmt::format("{:.1f}", result.maximal().us() / result.generalized().us()),
                    fmt::format("{:.1f}", maximal.ms / generalized.ms), result.pass() ? "pass" : "SHORT"});
  }
  fmt::print("{}", ratios.text());
  for (const TableResult& result : results) {
    for (const Row& row : result.rows) {
      if (!row.error.empty()) fmt::print("error: {}, {}: {}\n", row.scene, row.algorithm, row.error);
    }
  }
}

// The third paper's spheres: frictionless, dt 5e-5, time stepping.
constexpr double kMostPenetration = 2e-4;  // [m]

Row run_spheres(bool quick) {
  show_progress("spheres-in-cup: moreau, newton");
  Row row{"spheres-in-cup", "moreau, newton", nullptr, {}};
  EngineProcess engine = start_engine();
  try {
    row.reply = engine.ask({{"command", "run"},
                            {"case", "spheres-in-cup"},
                            {"dt", 5e-5},
                            {"duration", quick ? 0.6 : 1.5},
                            {"settings", {{"stepper", "moreau"}, {"solver", "newton"}}}});
  } catch (const EngineError& error) {
    row.error = error.what();
  }
  show_progress("");
  return row;
}

bool spheres_pass(const Row& row) {
  return !row.reply.is_null() && row.reply.at("position_violation") < kMostPenetration && row.converged();
}

void print_spheres(const Row& row) {
  fmt::print("\nSpheres in a cup of the third paper: 96 spheres, no friction, dt 5e-5 s, moreau, newton\n\n");
  if (row.reply.is_null()) {
    fmt::print("error: {}\n", row.error);
    return;
  }
  const json &reply = row.reply, &falling = reply.at("falling"), &settled = reply.at("settled");
  fmt::print("falling {:.1f} us/step, settled {:.1f} us/step (medians); {} contacts at the end, {} at most\n",
             falling.value("us_per_step", 0.0), settled.value("us_per_step", 0.0), reply.value("contacts", 0),
             reply.value("contacts_max", 0));
  fmt::print("{} gaps near enough to be computed in {:.1f} us, {:.1f} ns each (the paper: 3 to 7 us each)\n",
             reply.value("gaps", 0), reply.value("gaps_us", 0.0), reply.value("ns_per_gap", 0.0));
  fmt::print("{:.2f} iterations a step, {} at most, {} steps not converged, residual {:.1e}, state hash {}\n",
             row.iterations(), reply.value("iterations_max", 0), reply.value("unconverged_steps", 0),
             reply.value("residual", 0.0), reply.value("state_hash", ""));
  fmt::print("bar: penetration [m]: {:.3g}, at most {:.3g}: {}\n", reply.value("position_violation", 0.0),
             kMostPenetration, spheres_pass(row) ? "pass" : "SHORT");
}

json json_row(const Row& row, bool pass) {
  json entry = row.reply.is_null() ? json::object() : row.reply;
  entry["case"] = row.scene;
  entry["engine"] = entry.value("engine", "lipkin");
  entry["setting"] = row.algorithm;
  entry["pass"] = pass;
  if (!row.error.empty()) entry["error"] = row.error;
  return entry;
}

void print_json(const std::vector<TableResult>& results, const std::vector<Row>& spheres, const SmoothCurve& curve,
                const std::vector<SolverRow>& solvers, bool pass) {
  json report{{"benchmark", "papers"}, {"machine", machine()}, {"pass", pass}, {"rows", json::array()}};
  for (const TableResult& result : results) {
    for (const Row& row : result.rows) {
      json entry = json_row(row, result.pass());
      if (&row == &result.maximal()) {
        entry["paper"] = {{"iterations", result.scene.maximal.iterations}, {"ms", result.scene.maximal.ms}};
      } else if (&row == &result.generalized()) {
        entry["paper"] = {{"iterations", result.scene.generalized.iterations}, {"ms", result.scene.generalized.ms}};
      }
      report["rows"].push_back(entry);
    }
  }
  for (const Row& row : spheres) report["rows"].push_back(json_row(row, spheres_pass(row)));
  add_json_rows(curve, report["rows"]);
  for (const json& entry : solver_json_rows(solvers)) report["rows"].push_back(entry);
  fmt::print("{}\n", report.dump(2));
}

bool chosen(const std::string& name, const Options& options) {
  return options.cases.empty() || std::ranges::find(options.cases, name) != options.cases.end();
}

}  // namespace

std::vector<std::string> paper_case_names() {
  std::vector<std::string> names;
  for (const TableScene& scene : kTable) names.emplace_back(scene.name);
  names.emplace_back("spheres-in-cup");
  names.emplace_back(kSmoothCurveName);
  names.emplace_back("cup-contacts");
  return names;
}

int run_papers_benchmark(const Options& options) {
  std::vector<TableResult> results;
  for (const TableScene& scene : kTable) {
    if (!chosen(scene.name, options)) continue;
    TableResult result{scene, {}};
    for (const Algorithm& algorithm : algorithms()) {
      result.rows.push_back(run_row(scene.name, algorithm, options.quick ? 1 : 3));
    }
    results.push_back(std::move(result));
  }
  std::vector<Row> spheres;
  if (chosen("spheres-in-cup", options)) spheres.push_back(run_spheres(options.quick));
  SmoothCurve curve;
  if (chosen(kSmoothCurveName, options)) curve = measure_smooth_curve(options);
  std::vector<SolverRow> solvers;
  if (chosen("cup-contacts", options)) solvers = measure_solvers(options.quick);
  const bool pass = std::ranges::all_of(results, &TableResult::pass) && std::ranges::all_of(spheres, spheres_pass) &&
                    std::ranges::all_of(solvers, &SolverRow::pass);
  if (options.json) {
    print_json(results, spheres, curve, solvers, pass);
    return pass ? kSuccess : kFellShort;
  }
  fmt::print("{}; double, one thread\n", machine());
  if (!results.empty()) print_table(results);
  for (const Row& row : spheres) print_spheres(row);
  if (!curve.points.empty()) print(curve);
  if (!solvers.empty()) print_solvers(solvers);
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
