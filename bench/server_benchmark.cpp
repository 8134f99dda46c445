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

// One scene with one crowd: a number for each time it was measured.
struct Measured {
  std::vector<double> wall_p50, wall_p99, work_p50, work_p99;  // [s]
  std::uint64_t steps = 0, deadline_misses = 0, messages = 0;  // of all times together
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void measure(const std::string& scene, double seconds, const Crowding& crowding, Measured& measured) {
  ServerOptions options;
  options.token = kToken;
  const std::vector<std::pair<std::string, std::string>> rate = {{"experiment.dt", fmt::format("{}", step_of(scene))}};
  Server server(Session(load_scene(scene, rate), {scene, rate}), options);
  std::thread thread([&] { server.run(); });
  {
    Crowd crowd(server.port(), crowding.readers, crowding.stalled);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    measured.messages += crowd.messages();
  }
  server.stop();
  thread.join();
  const RealTimeReport report = server.report();
  measured.wall_p50.push_back(report.step_p50), measured.wall_p99.push_back(report.step_p99);
  measured.work_p50.push_back(report.work_p50), measured.work_p99.push_back(report.work_p99);
  measured.steps += report.steps, measured.deadline_misses += report.deadline_misses;
}

// With every crowd in turn, several times: what the machine does besides comes to all of them.
std::vector<Measured> measure_crowds(const std::string& scene, int rounds, double seconds) {
  std::vector<Measured> all(std::size(kCrowdings));
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) measure(scene, seconds, kCrowdings[i], all[i]);
  return all;
}

nlohmann::ordered_json row_json(const std::string& scene, const char* setting, const Measured& m) {
  return {{"case", scene},
          {"engine", "lipkin"},
          {"setting", setting},
          {"rate_hz", 1 / step_of(scene)},
          {"step_p50_us", 1e6 * median(m.wall_p50)},
          {"step_p99_us", 1e6 * median(m.wall_p99)},
          {"work_p50_us", 1e6 * median(m.work_p50)},
          {"work_p99_us", 1e6 * median(m.work_p99)},
          {"steps", m.steps},
          {"deadline_misses", m.deadline_misses},
          {"messages", m.messages}};
}

std::vector<std::string> row_text(const std::string& scene, const char* setting, const Measured& m) {
  const auto microseconds = [](const std::vector<double>& values) {
    return fmt::format("{:.2f}", 1e6 * median(values));
  };
  return {scene,
          fmt::format("{:.0f}", 1 / step_of(scene)),
          setting,
          microseconds(m.wall_p50),
          microseconds(m.wall_p99),
          microseconds(m.work_p50),
          microseconds(m.work_p99),
          std::to_string(m.steps),
          std::to_string(m.deadline_misses),
          std::to_string(m.messages)};
}

}  // namespace

std::vector<std::string> server_case_names() {
  std::vector<std::string> names;
  for (const ServerCase& each : kCases) names.emplace_back(each.name);
  return names;
}

int run_server_benchmark(const Options& options) {
  const int rounds = options.quick ? 1 : 5;
  const double seconds = 1.6;  // a round of one crowd
  const std::vector<std::string> cases =
      options.cases.empty() ? std::vector<std::string>{"peaucellier", "minibaja"} : options.cases;
  Table table({"scene", "rate [Hz]", "clients", "step p50 [us]", "step p99 [us]", "work p50 [us]", "work p99 [us]",
               "steps", "deadlines missed", "messages read"});
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  bool good = true;
  std::string verdicts;
  for (const std::string& scene : cases) {
    const std::vector<Measured> all = measure_crowds(scene, rounds, seconds);
    for (std::size_t i = 0; i < all.size(); ++i) {
      table.add_row(row_text(scene, kCrowdings[i].setting, all[i]));
      rows.push_back(row_json(scene, kCrowdings[i].setting, all[i]));
    }
    const double ratio = median(all.back().wall_p99) / median(all.front().wall_p99);
    const double work_ratio = median(all.back().work_p99) / median(all.front().work_p99);
    good = good && ratio <= kMostRatio;
    verdicts += fmt::format("{}: p99 with clients over p99 without {:.3f}, at most {}: {}; of the work alone {:.3f}\n",
                            scene, ratio, kMostRatio, ratio <= kMostRatio ? "pass" : "SHORT", work_ratio);
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
