// What the user asked for, and where and on what the benchmarks run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lipkin::bench {

struct Options {
  bool json = false;
  bool quick = false;
  std::filesystem::path models;    // where published robots lie; empty: ../shared/models beside the checkout
  std::string plot;                // where the curves of `papers` are drawn; empty: nowhere
  std::vector<std::string> cases;  // empty: the benchmark's own choice
  std::vector<std::string> peers;  // built ones only, see built_peers()
  int threads = 0;                 // most threads of a batch; 0: one per core

  // How long and how often each engine is measured in turn; in how many launches, where a launch is cheap.
  int rounds() const { return quick ? 3 : 12; }
  int launches(int u_count) const { return u_count > 100 ? 1 : quick ? 3 : 6; }
  bool begins_launch(int round, int u_count) const { return round % (rounds() / launches(u_count)) == 0; }
  double seconds_per_round() const { return quick ? 0.008 : 0.02; }
};

// Exit codes of the program (DESIGN: success; a comparison fell short; wrong usage).
inline constexpr int kSuccess = 0;
inline constexpr int kFellShort = 1;
inline constexpr int kWrongUsage = 2;

// Every peer there is a program for in bench/peers, and those whose library was there when Lipkin was built.
std::vector<std::string> known_peers();
std::vector<std::string> built_peers();

// The measuring programs lie beside this one.
std::filesystem::path engine_program(const std::string& name);
// What a peer takes part with: "tree", "scenes" or "rigid_scenes"; the program may not be there.
std::filesystem::path peer_program(const std::string& peer, const std::string& kind);

// Processor and number of cores, as text.
std::string machine();
int core_count();

// One line on stderr that overwrites itself, on a terminal only; an empty text removes it.
void show_progress(const std::string& text);

}  // namespace lipkin::bench
