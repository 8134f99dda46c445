#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "lipkin/recording.hpp"
#include "lipkin/server.hpp"
#include "run_setup.hpp"
#include "scene_input.hpp"

namespace lipkin::cli {
namespace {

constexpr int kMaxPort = 65535;
constexpr double kLongestFilm = 10;  // of a recording, unless asked for [s]

bool has_screen() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

// Hands the address to the desktop; its own trouble is not ours.
void open_browser(const std::string& url) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::fork() != 0) ::_exit(0);  // the browser is nobody's child
    std::freopen("/dev/null", "w", stdout);
    std::freopen("/dev/null", "w", stderr);
    ::execlp("xdg-open", "xdg-open", url.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

void check_options(const ViewOptions& options) {
  if (options.port < 0 || options.port > kMaxPort)
    throw UsageError(fmt::format("--port {}: expected a number from 0 to {}", options.port, kMaxPort));
  const bool plain = options.token.find_first_not_of(
                         "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == std::string::npos;
  if (!options.token.empty() && (!plain || options.token.size() < 16))
    throw UsageError("--token: expected at least 16 letters, digits, - or _");
}

// Stops the server on Ctrl-C, or when its time is over.
class Watchman {
 public:
  Watchman(Server& server, std::optional<double> seconds)
      : thread_([this, &server, seconds] {
          const auto begin = std::chrono::steady_clock::now();
          const auto over = [&] {
            return seconds &&
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > *seconds;
          };
          while (!InterruptWatch::requested() && !done_ && !over())
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          server.stop();
        }) {}
  ~Watchman() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

void announce(const Server& server, const ViewOptions& options) {
  if (options.run.json) {
    print_json({{"url", server.url()}, {"port", server.port()}}, -1);
  } else {
    fmt::print("{}\n", server.url());
  }
  std::fflush(stdout);
  if (server.viewer_dir().empty())
    fmt::print(stderr, "lipkin: the viewer is not built; the page says how, the socket answers\n");
  if (options.browser && !options.headless && has_screen()) open_browser(server.url());
}

void print_report(const RealTimeReport& report) {
  fmt::print(stderr, "lipkin: {} steps, {} deadlines missed, step {:.3g} ms for half of them, {:.3g} ms for 99 %\n",
             report.steps, report.deadline_misses, 1e3 * report.step_p50, 1e3 * report.step_p99);
}

bool makes_pictures(const ViewOptions& options) { return !options.screenshot.empty() || !options.video.empty(); }

// The script that opens the page in Chromium, beside the sources of the page.
std::filesystem::path capture_script(const Server& server) {
  std::filesystem::path viewer = (server.viewer_dir() / "../../viewer").lexically_normal();
  if (!std::filesystem::exists(viewer / "node_modules/playwright-core"))
    throw UsageError(
        "--screenshot and --video need the viewer's packages: call ./lipkin in the checkout, or npm ci in its viewer/");
  return viewer / "scripts/capture.mjs";
}

int capture(const Server& server, const ViewOptions& options) {
  std::vector<std::string> line = {"node", capture_script(server).string(), server.url()};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) line.insert(line.end(), {name, std::filesystem::absolute(value).string()});
  };
  add("--screenshot", options.screenshot);
  add("--video", options.video);
  if (options.until) line.insert(line.end(), {"--until", fmt::format("{}", *options.until)});
  if (options.light) line.push_back("--light");
  if (options.single_steps) line.push_back("--single");
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp("node", arguments.data());
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return kFailed;
  if (WEXITSTATUS(status) == 127) throw UsageError("--screenshot and --video need node: apt-get install nodejs");
  return WEXITSTATUS(status) == 0 ? kSuccess : kFailed;
}

int make_pictures(Session session, ServerOptions server_options, const ViewOptions& options) {
  server_options.plays = false;
  Server server(std::move(session), std::move(server_options));
  std::thread running([&server] { server.run(); });
  const auto stop = [&] {
    server.stop();
    running.join();
  };
  try {
    const int code = capture(server, options);
    stop();
    return code;
  } catch (...) {
    stop();
    throw;
  }
}

// The page plots the energy balance from the start of the run, however late it comes.
void watch_energies(Session& session) {
  std::string channels;
  for (const char* part : {"kinetic", "gravitational", "elastic", "total", "residual"})
    channels +=
        fmt::format(R"({0}{{"name":"energy.{1}","expr":"energy.{1}","unit":"J"}})", channels.empty() ? "" : ",", part);
  session.submit(R"({"cmd":"watch","args":{"channels":[)" + channels + "]}}");
}

int serve(Session session, ServerOptions server_options, const ViewOptions& options) {
  if (makes_pictures(options)) return make_pictures(std::move(session), std::move(server_options), options);
  const InterruptWatch watch;
  if (!options.headless) watch_energies(session);
  Server server(std::move(session), std::move(server_options));
  announce(server, options);
  {
    const Watchman watchman(server, options.quit_after);
    server.run();
  }
  print_report(server.report());
  return kSuccess;
}

ServerOptions server_options_of(const ViewOptions& options) {
  ServerOptions result;
  result.port = options.port;
  result.token = options.token;
  result.viewer_dir = options.viewer_dir;
  result.plays = !options.paused;
  return result;
}

}  // namespace

int view_scene(const ViewOptions& options) {
  check_options(options);
  Scene scene = prepared_scene(options.run);
  const SceneSource source = source_of(options.run.scene, options.run.overrides, options.run.model_options);
  const SceneWarnings warnings(scene);
  Session session(std::move(scene), source);
  warnings.with_start(session.simulation());
  if (!options.run.commands.empty())
    submit_commands(options.run.commands, session, [](const InputError& error) { print_error(error); });
  ServerOptions server = server_options_of(options);
  auto recorder = std::make_shared<std::unique_ptr<SessionRecorder>>();
  if (!options.run.record.empty()) {
    server.on_start = [recorder, file = options.run.record, source](Session& running) {
      *recorder = std::make_unique<SessionRecorder>(file, running, source);
    };
    server.on_step = [recorder](Session&) { (*recorder)->after_step(); };
    server.on_stop = [recorder](Session&) { (*recorder)->finish(); };
  }
  return serve(std::move(session), std::move(server), options);
}

int view_recording(const std::string& file, const ViewOptions& given) {
  ViewOptions options = given;
  options.single_steps = true;
  check_options(options);
  const Recording recording(file);
  ServerOptions server = server_options_of(options);
  auto replay = std::make_shared<std::unique_ptr<Replay>>();
  server.limit = [replay] { return (*replay)->limit(); };
  server.on_start = [replay, &recording](Session& session) {
    *replay = std::make_unique<Replay>(recording, session);
    (*replay)->catch_up();
  };
  server.on_step = [replay](Session& session) {
    if ((*replay)->done()) return;
    (*replay)->catch_up();
    if ((*replay)->done()) session.submit(R"({"cmd":"pause"})");
  };
  server.on_command = [replay](Session&) { (*replay)->catch_up(); };
  Session session = recording.open();
  // Steps of a viewer's own do not end early, as the last one of a run may have.
  const double last = recording.end() - session.simulation().experiment().dt;
  if (makes_pictures(options)) options.until = std::min(options.until.value_or(kLongestFilm), last);
  const int code = serve(std::move(session), std::move(server), options);
  if (*replay && !(*replay)->difference().empty()) {
    fmt::print(stderr, "lipkin: error: {}: {}\n", file, (*replay)->difference());
    return kFailed;
  }
  return code;
}

}  // namespace lipkin::cli
