#include "python_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine_process.hpp"
#include "lipkin/batch.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/version.hpp"
#include "stopwatch.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

constexpr double kDt = 1e-3;              // [s]
constexpr int kCopies = 1024;             // of seven joints
constexpr double kMostNsPerCall = 2000;   // what a call from Python may cost more than one from C++
constexpr double kMostTimeOfBatch = 1.1;  // times C++'s: a call takes some 100 us, the rest is the machine's noise

// One thing measured from C++ and from Python in turn, with as many calls from the same start in each round.
struct Case {
  std::string name;
  json request;  // for the process of Python
  int calls = 0;
  Clock clock = Clock::kCpu;
  int states_per_call = 1;
};

struct Result {
  Case what;
  double cpp = std::numeric_limits<double>::infinity();     // least time per call [ns]
  double python = std::numeric_limits<double>::infinity();  // likewise
  std::string cpp_hash, python_hash, error;

  bool is_batch() const { return what.states_per_call > 1; }
  double excess() const { return python - cpp; }
  double ratio() const { return python / cpp; }
  bool same_bits() const { return cpp_hash == python_hash; }
  bool passes() const {
    return error.empty() && same_bits() && (is_batch() ? ratio() <= kMostTimeOfBatch : excess() <= kMostNsPerCall);
  }
};

// The same chain as the benchmark `batch` has, from the scene.
Scene chain(const json& settings) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const auto& [name, value] : settings.items()) overrides.emplace_back(name, value.dump());
  Scene scene = load_scene("chain", overrides);
  scene.experiment.stepper = StepperKind::kEuler;
  scene.experiment.dt = kDt;
  return scene;
}

// Least time per call [ns]: each round begins at the same start.
double least_ns(const Case& what, double seconds, const std::function<void()>& restart,
                const std::function<void(int)>& call) {
  double least = std::numeric_limits<double>::infinity();
  const double end = seconds_on(Clock::kWall) + seconds;
  do {
    restart();
    const double begin = seconds_on(what.clock);
    call(what.calls);
    least = std::min(least, 1e9 * (seconds_on(what.clock) - begin) / what.calls);
  } while (seconds_on(Clock::kWall) < end);
  return least;
}

// C++'s side of a case.
class CppSide {
 public:
  explicit CppSide(const Case& what) {
    Scene scene = chain(what.request.at("set"));
    if (what.states_per_call > 1) {
      batch_.emplace(scene.model, what.states_per_call, what.request.at("threads").get<int>());
    } else {
      simulation_.emplace(std::move(scene));
      start_ = simulation_->state();
    }
  }

  double measure(const Case& what, double seconds) {
    if (!batch_) {
      return least_ns(
          what, seconds, [&] { simulation_->restore(start_); },
          [&](int count) {
            for (int i = 0; i < count; ++i) simulation_->step();
          });
    }
    const State start = initial_state(batch_->model());
    const auto restart = [&] {
      for (int copy = 0; copy < batch_->copy_count(); ++copy) {
        batch_->set_q(copy, start.q);
        batch_->set_u(copy, start.u);
      }
      batch_->set_dt(kDt);
    };
    return least_ns(what, seconds, restart, [&](int count) {
      for (int i = 0; i < count; ++i) batch_->step();
    });
  }

  std::string hash() const { return simulation_ ? hash_text(simulation_->hash()) : ""; }

 private:
  std::optional<Simulation> simulation_;
  std::optional<Batch> batch_;
  State start_;
};

std::vector<Case> cases(const Options& options) {
  std::vector<Case> all;
  for (const int n : {2, 7, 30})
    all.push_back(
        {fmt::format("chain-{}", n), {{"command", "steps"}, {"set", {{"n", n}}}, {"dt", kDt}}, 500, Clock::kCpu, 1});
  const int most = options.threads > 0 ? options.threads : core_count();
  for (const int threads : most > 1 ? std::vector{1, most} : std::vector{1}) {
    const json request{{"command", "batch"}, {"set", {{"n", 7}}}, {"copies", kCopies}, {"threads", threads}};
    all.push_back({fmt::format("batch-{}", threads), request, 10, threads == 1 ? Clock::kCpu : Clock::kWall, kCopies});
  }
  return all;
}

void measure(Result& result, EngineProcess& python, const Options& options) {
  const Case& what = result.what;
  CppSide cpp(what);
  python.ask(what.request);
  const double seconds = 2 * options.seconds_per_round();
  const json request{{"command", "measure"},
                     {"dt", kDt},
                     {"calls", what.calls},
                     {"seconds", seconds},
                     {"clock", what.clock == Clock::kCpu ? "cpu" : "wall"}};
  for (int round = 0; round < options.rounds(); ++round) {
    show_progress(fmt::format("{}: round {} of {}", what.name, round + 1, options.rounds()));
    result.cpp = std::min(result.cpp, cpp.measure(what, seconds));
    const json reply = python.ask(request);
    result.python = std::min(result.python, reply.at("ns").get<double>());
    result.python_hash = reply.value("state_hash", "");
    if (!reply.at("finite").get<bool>()) result.error = "the motion does not stay finite";
  }
  result.cpp_hash = cpp.hash();
}

void print_text(const std::vector<Result>& results, const Options& options) {
  fmt::print("{}; {}; best of {} rounds in turn\n\n", machine(), instruction_set(), options.rounds());
  Table table({"a call", "C++ ns", "Python ns", "difference ns", "ratio", "bar", "", "state hash"});
  for (const Result& result : results) {
    const std::string bar = result.is_batch() ? fmt::format("ratio {}", kMostTimeOfBatch) : "2000 ns";
    table.add_row({result.what.name, ns_text(result.cpp), ns_text(result.python),
                   fmt::format("{:.0f}", result.excess()), fmt::format("{:.3f}", result.ratio()), bar,
                   result.passes() ? "pass" : "SHORT", result.python_hash});
  }
  fmt::print("{}", table.text());
  for (const Result& result : results) {
    if (!result.same_bits()) fmt::print("error: {}: C++ ends at {}\n", result.what.name, result.cpp_hash);
    if (!result.error.empty()) fmt::print("error: {}: {}\n", result.what.name, result.error);
  }
}

void print_json(const std::vector<Result>& results, const Options& options, bool pass) {
  json rows = json::array();
  for (const Result& result : results) {
    json row{{"case", result.what.name},     {"engine", fmt::format("lipkin python {}", version())},
             {"setting", instruction_set()}, {"ns", result.python},
             {"ns_cpp", result.cpp},         {"difference_ns", result.excess()},
             {"ratio", result.ratio()},      {"pass", result.passes()}};
    if (!result.python_hash.empty()) row["state_hash"] = result.python_hash;
    if (!result.error.empty()) row["error"] = result.error;
    rows.push_back(row);
  }
  const json report{
      {"benchmark", "python"}, {"machine", machine()}, {"rounds", options.rounds()}, {"pass", pass}, {"rows", rows}};
  fmt::print("{}\n", report.dump(2));
}

}  // namespace

std::vector<std::string> python_case_names() {
  std::vector<std::string> names;
  for (const Case& each : cases({})) names.push_back(each.name);
  return names;
}

int run_python_benchmark(const Options& options) {
  const std::filesystem::path folder = engine_program("../python");
  if (!std::filesystem::exists(folder / "lipkin")) {
    fmt::print(stderr, "error: the Python module was not built; it needs python3-dev and pybind11-dev\n");
    return kWrongUsage;
  }
  EngineProcess python({LIPKIN_PYTHON, {LIPKIN_PYTHON_ENGINE}, {"PYTHONPATH=" + folder.string()}});
  std::vector<Result> results;
  for (const Case& each : cases(options)) {
    if (!options.cases.empty() && std::ranges::find(options.cases, each.name) == options.cases.end()) continue;
    Result& result = results.emplace_back();
    result.what = each;
    measure(result, python, options);
  }
  show_progress("");
  const bool pass = std::ranges::all_of(results, [](const Result& result) { return result.passes(); });
  if (options.json) {
    print_json(results, options, pass);
  } else {
    print_text(results, options);
  }
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
