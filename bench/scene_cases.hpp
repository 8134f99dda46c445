// The cases of `bench scenes`: which runs, which of their errors are shown, and the bars that Lipkin has to reach.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lipkin::bench {

struct Column {
  const char* key;     // of an engine's reply
  const char* header;  // with its unit
};

struct SceneCase {
  std::string name;      // five-link-chain, ..., cup-96
  double dt = 0;         // [s]
  double duration = 0;   // [s]
  int sphere_count = 0;  // of a cup; 0: not a cup
  std::vector<Column> columns;

  std::string title() const;
  bool is_cup() const { return sphere_count > 0; }
};

std::vector<SceneCase> scene_cases();

// What one engine did in one case: its reply, or why there is none.
struct SceneRow {
  std::string engine;    // as asked for: "lipkin", "mujoco"
  nlohmann::json reply;  // empty where it did not take part
  std::string error, refusal;
  std::vector<double> us_rounds;  // median of each round [us]

  bool took_part() const { return error.empty() && refusal.empty() && !us_rounds.empty(); }
  double us() const;                    // of the fastest round
  double value(const char* key) const;  // NaN where the reply has none
};

struct Bar {
  std::string text;  // "slip [m]"
  double value = 0, limit = 0;
  bool pass = false;
};

// Lipkin's row first. Bars that compare with a peer that is not there are left out.
std::vector<Bar> bars_of(const SceneCase& scene, const std::vector<SceneRow>& rows);

// How the time of a step grows with the number of spheres: exponent between the first and the last cup.
inline constexpr double kMostGrowth = 1.1;

}  // namespace lipkin::bench
