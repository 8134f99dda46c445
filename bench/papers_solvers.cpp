#include "papers_solvers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine_process.hpp"
#include "options.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

constexpr double kPaperRatio = 50;

SolverRow measure_row(int spheres, bool friction, double seconds) {
  show_progress(fmt::format("cup-contacts: {} spheres{}", spheres, friction ? ", friction" : ""));
  SolverRow row{spheres, friction, nullptr, {}};
  try {
    EngineProcess engine(EngineCommand{engine_program("lipkin-engine-scenes"), {}, {}});
    row.reply = engine.ask({{"command", "run"},
                            {"case", "cup-contacts"},
                            {"spheres", spheres},
                            {"friction", friction},
                            {"seconds", seconds}});
  } catch (const EngineError& error) {
    row.error = error.what();
  }
  show_progress("");
  return row;
}

std::vector<std::string> cells_of(const SolverRow& row) {
  const json &prox = row.reply.at("prox"), &lemke = row.reply.at("lemke");
  const auto number = [](const json& solver, const char* key) { return solver.at(key).get<double>(); };
  return {fmt::format("{} spheres, {}", row.spheres, row.friction ? "friction" : "no friction"),
          fmt::format("{}", row.reply.at("contacts").get<int>()),
          fmt::format("{:.1f}", number(prox, "us")),
          fmt::format("{:g}", number(prox, "iterations")),
          fmt::format("{:.1e}", number(prox, "residual")),
          fmt::format("{:.1f}", number(lemke, "us")),
          fmt::format("{:g}", number(lemke, "iterations")),
          lemke.at("converged") == true ? fmt::format("{:.1e}", number(lemke, "residual")) : "failed",
          fmt::format("{:.1f}", row.ratio()),
          fmt::format("{:g}", kPaperRatio)};
}

}  // namespace

bool SolverRow::pass() const { return !reply.is_null() && reply.at("prox").at("converged") == true; }

double SolverRow::ratio() const {
  if (reply.is_null()) return NAN;
  return reply.at("lemke").at("us").get<double>() / reply.at("prox").at("us").get<double>();
}

// The pyramids of 96 spheres make up 2500 unknowns, whose pivots take 20 s; those of 48 take 3 s.
std::vector<SolverRow> measure_solvers(bool quick) {
  std::vector<SolverRow> rows;
  for (const bool friction : {false, true}) {
    for (const int spheres : {24, 48, 96}) {
      if (quick && friction && spheres > 24) continue;
      rows.push_back(measure_row(spheres, friction, quick ? 0.05 : 0.5));
    }
  }
  return rows;
}

void print_solvers(const std::vector<SolverRow>& rows) {
  fmt::print(
      "\nContacts of spheres at rest in a cup, solved from zero impulses to 1e-6 m/s: proximal points (prox) against a "
      "linear\ncomplementarity problem with friction as pyramids of eight sides (lemke); CPU time, residual against "
      "the disc [m/s]\n\n");
  Table table({"", "contacts", "prox us", "sweeps", "residual", "lemke us", "pivots", "residual", "lemke / prox",
               "paper, about"});
  for (const SolverRow& row : rows) {
    if (!row.reply.is_null()) table.add_row(cells_of(row));
  }
  fmt::print("{}", table.text());
  for (const SolverRow& row : rows) {
    if (!row.error.empty()) fmt::print("error: {} spheres: {}\n", row.spheres, row.error);
  }
}

std::vector<json> solver_json_rows(const std::vector<SolverRow>& rows) {
  std::vector<json> entries;
  for (const SolverRow& row : rows) {
    json common{{"case", "cup-contacts"}, {"engine", "lipkin"}, {"spheres", row.spheres}, {"friction", row.friction}};
    common["pass"] = row.pass();
    if (!row.error.empty()) common["error"] = row.error;
    for (const char* solver : {"prox", "lemke"}) {
      json entry = common;
      entry["setting"] = solver;
      if (!row.reply.is_null()) {
        entry.update(row.reply.at(solver));
        entry["contacts"] = row.reply.at("contacts");
        entry["engine"] = row.reply.at("engine");
        entry["state_hash"] = row.reply.at("state_hash");
        entry["ratio"] = row.ratio();
        entry["paper"] = {{"ratio", kPaperRatio}};
      }
      entries.push_back(entry);
    }
  }
  return entries;
}

}  // namespace lipkin::bench
