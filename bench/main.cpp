// lipkin-bench: Lipkin's speed beside the peers found on this machine. The user calls it as `lipkin bench`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "batch_benchmark.hpp"
#include "coordinates_benchmark.hpp"
#include "maximal_benchmark.hpp"
#include "model_benchmark.hpp"
#include "options.hpp"
#include "papers_benchmark.hpp"
#include "python_benchmark.hpp"
#include "scene_benchmark.hpp"
#include "server_benchmark.hpp"
#include "tree_benchmark.hpp"
#include "tree_models.hpp"

namespace lipkin::bench {
namespace {

struct Benchmark {
  const char* name;
  const char* summary;
  std::vector<std::string> (*case_names)();  // null: known only once its files are read
  int (*run)(const Options& options);
};

const std::array kBenchmarks{
    Benchmark{"tree", "forward dynamics and one step of chains of 5 to 1000 joints and a humanoid, beside every peer",
              tree_case_names, run_tree_benchmark},
    Benchmark{"batch", "forward dynamics and steps per second and core of many copies, beside MuJoCo's",
              tree_case_names, run_batch_benchmark},
    Benchmark{"scenes", "step time and errors of mechanisms with loops, friction and contact, beside every peer",
              scene_names, run_scene_benchmark},
    Benchmark{"papers", "the tables of the papers Lipkin is built on, measured here", paper_case_names,
              run_papers_benchmark},
    Benchmark{"server", "step times of a viewed simulation without clients and with sixteen, four of them stalled",
              server_case_names, run_server_benchmark},
    Benchmark{"coordinates",
              "generalized against maximal on every smooth scene: the difference at three steps, its order",
              coordinate_case_names, run_coordinates_benchmark},
    Benchmark{"maximal",
              "chains of 25 to 1000 rods in maximal coordinates, with loops and contacts: how the time grows",
              maximal_case_names, run_maximal_benchmark},
    Benchmark{"models", "ten published robots lying on a plane: step time, penetration and creep, beside MuJoCo",
              nullptr, run_model_benchmark},
    Benchmark{"model-runs",
              "each published robot for 5 s, as it is and dropped onto a plane: limits, rest, convergence", nullptr,
              run_model_runs},
    Benchmark{"python", "steps and batches called from Python, beside the same calls from C++", python_case_names,
              run_python_benchmark}};

int list_benchmarks() {
  for (const Benchmark& benchmark : kBenchmarks) fmt::print("{:<13}{}\n", benchmark.name, benchmark.summary);
  return kSuccess;
}

class WrongUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// "all" and "none" stand for lists; a peer asked for by name must be there.
std::vector<std::string> chosen_peers(const std::vector<std::string>& asked) {
  if (asked == std::vector<std::string>{"all"}) return built_peers();
  if (asked == std::vector<std::string>{"none"}) return {};
  for (const std::string& peer : asked) {
    if (!contains(known_peers(), peer)) {
      throw WrongUsage(
          fmt::format("--peers: no peer '{}', expected all, none or some of {}", peer, joined(known_peers())));
    }
    if (!contains(built_peers(), peer)) {
      throw WrongUsage(
          fmt::format("--peers: {} was not installed when Lipkin was built "
                      "(hint: ./lipkin bench --install-peers)",
                      peer));
    }
  }
  return asked;
}

void check_cases(const std::vector<std::string>& cases, const std::vector<std::string>& known) {
  for (const std::string& name : cases) {
    if (!contains(known, name)) {
      throw WrongUsage(fmt::format("--cases: no case '{}', expected some of {}", name, joined(known)));
    }
  }
}

const Benchmark& benchmark_named(const std::string& name) {
  for (const Benchmark& benchmark : kBenchmarks) {
    if (name == benchmark.name) return benchmark;
  }
  std::vector<std::string> names;
  for (const Benchmark& benchmark : kBenchmarks) names.emplace_back(benchmark.name);
  throw WrongUsage(fmt::format("no benchmark '{}', expected one of {}", name, joined(names)));
}

int run(int argc, char** argv) {
  CLI::App app("Lipkin's speed beside the peers found on this machine, measured in one run.", "lipkin bench");
  Options options;
  std::string name;
  std::vector<std::string> peers{"all"};
  bool list = false, install_peers = false;
  app.add_option("benchmark", name, "Which one (see --list)");
  app.add_flag("--list", list, "List the benchmarks");
  app.add_flag("--json", options.json, "Print one JSON object on stdout");
  app.add_flag("--quick", options.quick, "Fewer and shorter rounds, for a first look");
  app.add_option("--plot", options.plot, "papers: draw error over computing time into FILE (.svg, .png, .pdf)")
      ->type_name("FILE");
  app.add_option("--cases", options.cases, "Only these, separated by commas: chain-7,humanoid-tree")->delimiter(',');
  app.add_option("--peers", peers, "all, none, or names separated by commas: " + joined(known_peers()))->delimiter(',');
  app.add_option("--threads", options.threads, "batch: most threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--models", options.models, "models: the folder of published robots, with its index.json")
      ->type_name("FOLDER");
  app.add_flag("--install-peers", install_peers, "Install Debian's peers first (done by ./lipkin)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kWrongUsage;
  }
  if (install_peers) {
    fmt::print(stderr, "--install-peers is done by ./lipkin at the root of the checkout, before it builds\n");
    return kWrongUsage;
  }
  if (list || name.empty()) return list_benchmarks();
  const Benchmark& benchmark = benchmark_named(name);
  if (benchmark.case_names) check_cases(options.cases, benchmark.case_names());
  options.peers = chosen_peers(peers);
  return benchmark.run(options);
}

}  // namespace
}  // namespace lipkin::bench

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // an engine that ended is reported, not fatal
  try {
    return lipkin::bench::run(argc, argv);
  } catch (const lipkin::bench::WrongUsage& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return lipkin::bench::kWrongUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return lipkin::bench::kFellShort;
  }
}
