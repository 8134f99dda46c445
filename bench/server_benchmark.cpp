#include "server_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "lipkin/server.hpp"
#include "support/websocket_client.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

constexpr int kReaders = 12, kStalled = 4;
constexpr double kMostRatio = 1.05;  // of the 99th percentile with clients to that without
constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

// Clients that read everything, each in a thread, and some that never read.
class Crowd {
 public:
  Crowd(int port, int readers, int stalled) {
    for (int i = 0; i < stalled; ++i)
      stalled_.push_back(std::make_unique<test::WebSocketClient>(port, kToken, "", 4096));
    for (int i = 0; i < readers; ++i)
      threads_.emplace_back([this, port] {
        test::WebSocketClient client(port, kToken);
        while (!done_)
          if (client.receive(0.1)) ++messages_;
      });
  }
  ~Crowd() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  std::uint64_t messages() const { return messages_; }

 private:
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> messages_{0};
  std::vector<std::unique_ptr<test::WebSocketClient>> stalled_;
  std::vector<std::thread> threads_;
};

// Scenes and the rates at which they are to hold real time [s].
struct ServerCase {
  const char* name;
  double dt;
};
constexpr ServerCase kCases[] = {{"peaucellier", 1e-3}, {"minibaja", 2e-3}, {"grasp", 1e-2}, {"cup", 1e-3}};

double step_of(const std::string& scene) {
  for (const ServerCase& each : kCases)
    if (scene == each.name) return each.dt;
  return 1e-3;
}

struct Crowding {
  const char* setting;
  int readers, stalled;
};
constexpr Crowding kCrowdings[] = {{"none", 0, 0}, {"1", 1, 0}, {"16, 4 stalled", kReaders, kStalled}};

struct Measured {
  RealTimeReport report;
  std::uint64_t messages = 0;
};

Measured measure(const std::string& scene, double seconds, int readers, int stalled) {
  ServerOptions options;
  options.token = kToken;
  const std::vector<std::pair<std::string, std::string>> rate = {{"experiment.dt", fmt::format("{}", step_of(scene))}};
  Server server(Session(load_scene(scene, rate), {scene, rate}), options);
  std::thread thread([&] { server.run(); });
  Measured result;
  {
    Crowd crowd(server.port(), readers, stalled);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    result.messages = crowd.messages();
  }
  server.stop();
  thread.join();
  result.report = server.report();
  return result;
}

nlohmann::ordered_json row_json(const std::string& scene, const char* setting, const Measured& m) {
  return {{"case", scene},
          {"engine", "lipkin"},
          {"setting", setting},
          {"rate_hz", 1 / step_of(scene)},
          {"step_p50_us", 1e6 * m.report.step_p50},
          {"step_p99_us", 1e6 * m.report.step_p99},
          {"steps", m.report.steps},
          {"deadline_misses", m.report.deadline_misses},
          {"messages", m.messages}};
}

}  // namespace

std::vector<std::string> server_case_names() {
  std::vector<std::string> names;
  for (const ServerCase& each : kCases) names.emplace_back(each.name);
  return names;
}

int run_server_benchmark(const Options& options) {
  const double seconds = options.quick ? 2 : 10;
  const std::vector<std::string> cases =
      options.cases.empty() ? std::vector<std::string>{"peaucellier", "minibaja"} : options.cases;
  Table table({"scene", "rate [Hz]", "clients", "step p50 [us]", "step p99 [us]", "steps", "deadlines missed",
               "messages read"});
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  bool good = true;
  std::string verdicts;
  for (const std::string& scene : cases) {
    std::vector<double> p99;
    for (const auto& [setting, readers, stalled] : kCrowdings) {
      const Measured m = measure(scene, seconds, readers, stalled);
      p99.push_back(m.report.step_p99);
      table.add_row({scene, fmt::format("{:.0f}", 1 / step_of(scene)), setting,
                     fmt::format("{:.2f}", 1e6 * m.report.step_p50), fmt::format("{:.2f}", 1e6 * m.report.step_p99),
                     std::to_string(m.report.steps), std::to_string(m.report.deadline_misses),
                     std::to_string(m.messages)});
      rows.push_back(row_json(scene, setting, m));
    }
    const double ratio = p99.back() / p99.front();
    good = good && ratio <= kMostRatio;
    verdicts += fmt::format("{}: p99 with clients over p99 without {:.3f}, at most {}: {}\n", scene, ratio, kMostRatio,
                            ratio <= kMostRatio ? "pass" : "SHORT");
  }
  if (options.json) {
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"benchmark", "server"}, {"machine", machine()}, {"rows", rows}, {"pass", good}}.dump(
            2));
  } else {
    fmt::print("{}\n{}", table.text(), verdicts);
  }
  return good ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
