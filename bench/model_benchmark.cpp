#include "model_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine_process.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Robots with a floating base and shapes of their own that touch: two- and four-legged ones, humanoids, wheels.
// `--cases all` has every other one as well.
constexpr const char* kChoice =
    "ten robots that float and have shapes: four legs, two legs, wheels (--cases all: every model that floats)";
constexpr const char* kTen[] = {"anymal_b", "unitree_go2", "unitree_laikago", "bolt",        "r2d2",
                                "minitaur", "mj_humanoid", "gym_ant",         "robotis_op3", "unitree_go1"};

constexpr double kSettling = 5;       // [s] of Lipkin from the start, or until it lies; the peer takes over there
constexpr double kPeerSettling = 1;   // [s] of each engine after that, its own way
constexpr double kWindow = 1;         // [s] measured
constexpr double kStill = 1e-6;       // [m] that what stands still may move in that time
constexpr double kLimitSlack = 1e-3;  // [rad] or [m]
constexpr double kRestSpeed = 1e-3;   // [m/s] of the fastest body
constexpr double kRunSeconds = 5;

fs::path models_folder(const Options& options) {
  return options.models.empty() ? fs::path(LIPKIN_SOURCE_DIR).parent_path() / "shared" / "models" : options.models;
}

std::vector<json> read_index(const Options& options) {
  const fs::path file = models_folder(options) / "index.json";
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(fmt::format("{} is not there: no models to run (see --models)", file.string()));
  return json::parse(stream).at("models").get<std::vector<json>>();
}

bool is_chosen(const Options& options, const std::string& id) {
  return options.cases.empty() || std::ranges::find(options.cases, id) != options.cases.end();
}

// An engine that is started again after it ended.
class Asker {
 public:
  explicit Asker(fs::path program) : program_(std::move(program)) {}

  json ask(const json& request) {
    try {
      if (!process_) process_ = std::make_unique<EngineProcess>(EngineCommand{program_, {}, {}});
      return process_->ask(request);
    } catch (const EngineError&) {
      process_.reset();
      throw;
    }
  }

 private:
  fs::path program_;
  std::unique_ptr<EngineProcess> process_;
};

bool is_floating(const json& model) {
  if (model.at("format") == "urdf") return model.value("floating_base_in_use", false);
  const auto features = model.at("features").get<std::vector<std::string>>();
  return std::ranges::any_of(features, [](const std::string& f) { return f == "freejoint" || f == "joint_free"; });
}

json model_request(const Options& options, const json& model, bool on_ground) {
  return {{"command", "model"},
          {"file", (models_folder(options) / model.at("path").get<std::string>()).string()},
          {"base", on_ground ? "floating" : "fixed"},
          {"ground", on_ground}};
}

// ---- beside MuJoCo

struct Measured {
  std::string engine;
  double us = 0, penetration = 0, moved = 0;
  json last;
};

struct Comparison {
  std::string id, problem, refused;  // why there is no peer
  int dof = 0;
  bool lies_still = true;
  std::vector<Measured> engines;  // Lipkin first

  bool has_peer() const { return engines.size() > 1; }
  bool is_fast() const { return engines[0].us <= engines[1].us; }
  bool is_shallow() const { return engines[0].penetration <= engines[1].penetration; }
  bool is_still() const { return !lies_still || engines[0].moved <= kStill; }
  bool pass() const { return problem.empty() && is_still() && (!has_peer() || (is_fast() && is_shallow())); }
};

Comparison compare(const json& model, const Options& options, Asker& lipkin, Asker* mujoco) {
  Comparison result;
  result.id = model.at("id");
  show_progress(result.id);
  json request = model_request(options, model, true);
  request["mjcf"] = mujoco != nullptr;
  const json made = lipkin.ask(request);
  result.dof = made.at("dof");
  const double dt = made.at("dt");
  const json lying = lipkin.ask({{"command", "settle"}, {"seconds", kSettling}});
  result.lies_still = lying.at("lies_still");
  std::vector<Asker*> engines{&lipkin};
  result.engines.push_back({made.at("engine"), 1e99, 0, 0, {}});
  if (mujoco) {
    const json peer = mujoco->ask({{"command", "model"}, {"mjcf", made.at("mjcf")}, {"q", lying.at("q")}});
    result.refused = peer.value("refused", "");
    if (result.refused.empty()) {
      engines.push_back(mujoco);
      result.engines.push_back({peer.at("engine"), 1e99, 0, 0, {}});
    }
  }
  for (Asker* engine : engines) engine->ask({{"command", "settle"}, {"seconds", kPeerSettling}});
  const int rounds = options.quick ? 2 : 5;
  const auto steps = static_cast<int>(std::lround(kWindow / dt / rounds));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t e = 0; e < engines.size(); ++e) {
      Measured& measured = result.engines[e];
      measured.last = engines[e]->ask({{"command", "advance"}, {"steps", steps}});
      measured.us = std::min(measured.us, measured.last.at("us_per_step").get<double>());
      measured.moved += measured.last.at("moved_m").get<double>();
      measured.penetration = std::max(measured.penetration, measured.last.at("penetration_m").get<double>());
    }
  }
  return result;
}

std::string comparison_table(const std::vector<Comparison>& all) {
  Table table({"", "dof", "contacts", "us/step", "MuJoCo", "faster by", "depth [m]", "MuJoCo", "moved in 1 s [m]",
               "MuJoCo", "unconverged", "hash"});
  for (const Comparison& c : all) {
    if (!c.problem.empty()) continue;
    const Measured& own = c.engines[0];
    const auto peer = [&](const char* format, double Measured::*value) {
      return c.has_peer() ? fmt::format(fmt::runtime(format), c.engines[1].*value) : "";
    };
    table.add_row({c.id, fmt::format("{}", c.dof), fmt::format("{}", own.last.value("contacts", 0)),
                   fmt::format("{:.1f}", own.us), peer("{:.1f}", &Measured::us),
                   c.has_peer() ? fmt::format("{:.2f}", c.engines[1].us / own.us) : "",
                   fmt::format("{:.1e}", own.penetration), peer("{:.1e}", &Measured::penetration),
                   fmt::format("{}{:.1e}", c.lies_still ? "" : "moves: ", own.moved), peer("{:.1e}", &Measured::moved),
                   fmt::format("{}", own.last.value("unconverged_steps", 0)), own.last.value("state_hash", "")});
  }
  return table.text();
}

void print_bars(const std::vector<Comparison>& all) {
  const auto count = [&](bool (Comparison::*reached)() const, bool needs_peer) {
    return std::ranges::count_if(
        all, [&](const Comparison& c) { return c.problem.empty() && (c.has_peer() || !needs_peer) && (c.*reached)(); });
  };
  const auto bar = [&](const char* text, long reached, long most) {
    fmt::print("bar: {}: {} of {}: {}\n", text, reached, most, reached == most ? "pass" : "SHORT");
  };
  const auto refused = std::ranges::count_if(all, [](const Comparison& c) { return !c.refused.empty(); });
  const auto most = static_cast<long>(all.size());
  if (!all.empty() && std::ranges::any_of(all, &Comparison::has_peer)) {
    bar("no slower than MuJoCo", count(&Comparison::is_fast, true), most - refused);
    bar("no deeper than MuJoCo", count(&Comparison::is_shallow, true), most - refused);
  }
  bar("what lies still moves at most 1e-6 m in 1 s", count(&Comparison::is_still, false), most);
}

json comparison_rows(const std::vector<Comparison>& all) {
  json rows = json::array();
  for (const Comparison& c : all) {
    if (!c.problem.empty()) rows.push_back({{"case", c.id}, {"engine", "lipkin"}, {"error", c.problem}});
    for (const Measured& measured : c.engines) {
      json row = measured.last;
      row["case"] = c.id;
      row["engine"] = measured.engine;
      row["setting"] = "on a plane, after 6 s";
      row["us_per_step"] = measured.us;
      row["penetration_m"] = measured.penetration;
      row["moved_m"] = measured.moved;
      rows.push_back(row);
    }
  }
  return rows;
}

// ---- every model alone

struct ModelRun {
  std::string id, kind, problem;
  json reply;

  bool has_ended() const { return problem.empty(); }
  bool is_within() const { return has_ended() && reply.at("beyond").get<double>() <= kLimitSlack; }
  bool rests() const { return has_ended() && reply.at("speed").get<double>() < kRestSpeed; }
};

ModelRun run_model(const json& model, const Options& options, bool on_ground, Asker& lipkin) {
  ModelRun run{model.at("id"), on_ground ? "dropped" : "as it is", "", {}};
  show_progress(run.id);
  try {
    const json made = lipkin.ask(model_request(options, model, on_ground));
    run.reply = lipkin.ask({{"command", "run"}, {"seconds", kRunSeconds}});
    run.reply["dof"] = made.at("dof");
    run.reply["shapes"] = made.at("shapes");
  } catch (const EngineError& error) {
    run.problem = error.what();
  }
  return run;
}

std::string run_table(const std::vector<ModelRun>& runs) {
  Table table({"", "", "dof", "us/step", "contacts", "beyond limits", "speed at the end", "", "unconverged"});
  for (const ModelRun& run : runs) {
    if (!run.has_ended()) {
      table.add_row({run.id, run.kind, "", "", "", "", "", "STOPPED"});
      continue;
    }
    const json& r = run.reply;
    const bool touches = r.at("contacts").get<int>() > 0;
    table.add_row({run.id, run.kind, fmt::format("{}", r.at("dof").get<int>()),
                   fmt::format("{:.1f}", r.at("us_per_step").get<double>()),
                   fmt::format("{}", r.at("contacts").get<int>()), fmt::format("{:.1e}", r.at("beyond").get<double>()),
                   fmt::format("{:.1e} m/s", r.at("speed").get<double>()),
                   run.rests()                         ? "rests"
                   : touches || run.kind == "as it is" ? "moves"
                                                       : "falls",
                   fmt::format("{}", r.at("unconverged_steps").get<long>())});
  }
  return table.text();
}

bool is_refused_by_design(const json& model) { return model.value("expect", "").starts_with("reject"); }

// The ten, those named, or all.
bool is_compared(const Options& options, const json& model) {
  const std::string id = model.at("id");
  if (options.cases.empty()) return std::ranges::find(kTen, id) != std::end(kTen);
  if (options.cases.front() == "all") return is_floating(model) && !is_refused_by_design(model);
  return is_chosen(options, id);
}

}  // namespace

int run_model_benchmark(const Options& options) {
  const bool has_mujoco =
      std::ranges::find(options.peers, "mujoco") != options.peers.end() && fs::exists(peer_program("mujoco", "models"));
  if (!options.json)
    fmt::print(
        "{}; double, one thread; robots on a plane, medians over the steps of a round, best of the rounds in "
        "turn\n{}\n\n",
        machine(), kChoice);
  Asker lipkin(engine_program("lipkin-engine-models")), mujoco(peer_program("mujoco", "models"));
  std::vector<Comparison> all;
  for (const json& model : read_index(options)) {
    if (!is_compared(options, model)) continue;
    try {
      all.push_back(compare(model, options, lipkin, has_mujoco ? &mujoco : nullptr));
    } catch (const std::exception& error) {
      Comparison failed;
      failed.id = model.at("id");
      failed.problem = error.what();
      all.push_back(std::move(failed));
    }
  }
  show_progress("");
  const bool pass = std::ranges::all_of(all, &Comparison::pass);
  if (options.json) {
    fmt::print(
        "{}\n",
        json{{"benchmark", "models"}, {"machine", machine()}, {"pass", pass}, {"rows", comparison_rows(all)}}.dump(2));
  } else {
    fmt::print("{}", comparison_table(all));
    for (const Comparison& c : all)
      if (!c.problem.empty() || !c.refused.empty())
        fmt::print("{}: {}: {}\n", c.problem.empty() ? "refused by MuJoCo" : "error", c.id,
                   c.problem.empty() ? c.refused : c.problem);
    print_bars(all);
  }
  return pass ? kSuccess : kFellShort;
}

int run_model_runs(const Options& options) {
  Asker lipkin(engine_program("lipkin-engine-models"));
  std::vector<ModelRun> runs;
  for (const json& model : read_index(options)) {
    if (!is_chosen(options, model.at("id")) || is_refused_by_design(model)) continue;
    runs.push_back(run_model(model, options, false, lipkin));
    if (is_floating(model)) runs.push_back(run_model(model, options, true, lipkin));
  }
  show_progress("");
  const auto ended = std::ranges::count_if(runs, &ModelRun::has_ended);
  const auto within = std::ranges::count_if(runs, &ModelRun::is_within);
  if (options.json) {
    json rows = json::array();
    for (const ModelRun& run : runs) {
      json row = run.has_ended() ? run.reply : json{{"error", run.problem}};
      row.update({{"case", run.id}, {"engine", "lipkin"}, {"setting", run.kind}, {"rests", run.rests()}});
      rows.push_back(row);
    }
    fmt::print("{}\n", json{{"benchmark", "model-runs"}, {"machine", machine()}, {"rows", rows}}.dump(2));
  } else {
    fmt::print("{}\n", run_table(runs));
    for (const ModelRun& run : runs)
      if (!run.has_ended()) fmt::print("{} ({}): {}\n", run.id, run.kind, run.problem);
    fmt::print("{} runs of {} s, {} ended, {} within their limits to {} rad\n", runs.size(), kRunSeconds, ended, within,
               kLimitSlack);
  }
  return within == static_cast<long>(runs.size()) ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
