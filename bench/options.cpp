#include "options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

namespace lipkin::bench {

std::vector<std::string> known_peers() { return {"mujoco", "ode", "bullet", "dart", "simbody"}; }

std::vector<std::string> built_peers() {
  std::vector<std::string> built;
  for (const std::string& peer : known_peers()) {
    const bool trees = std::filesystem::exists(peer_program(peer, "tree"));
    if (trees || std::filesystem::exists(peer_program(peer, "scenes"))) built.push_back(peer);
  }
  return built;
}

std::filesystem::path engine_program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::filesystem::path peer_program(const std::string& peer, const std::string& kind) {
  return engine_program("lipkin-peer-" + peer + "-" + kind);
}

std::string machine() {
  std::string processor = "unknown processor";
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    if (!line.starts_with("model name")) continue;
    processor = line.substr(std::min(line.find(':') + 2, line.size()));
    break;
  }
  return fmt::format("{}, {} core{}", processor, core_count(), core_count() == 1 ? "" : "s");
}

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void show_progress(const std::string& text) {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  if (!terminal) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

}  // namespace lipkin::bench
