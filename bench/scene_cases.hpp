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
  double duration = 0;   // of a cup: how long Lipkin lets the spheres fall [s]
  int sphere_count = 0;  // of a cup; 0: not a cup
  std::vector<Column> columns;

  std::string title() const;
  bool is_cup() const { return sphere_count > 0; }
  bool takes_minutes() const;
};

std::vector<SceneCase> scene_cases();

// How a cup is measured: every engine goes on for `settle` steps from where Lipkin's spheres lie, then it is timed.
struct CupSchedule {
  int settle, rounds, steps;  // steps: of a round
};
CupSchedule cup_schedule(const SceneCase& scene, bool quick);

// What one engine did in one case: its reply, or why there is none.
struct SceneRow {
  std::string engine;    // as asked for: "lipkin", "mujoco"
  nlohmann::json reply;  // empty where it did not take part
  std::string error, refusal;
  std::vector<double> us_rounds;  // median of each round [us]

  bool took_part() const { return error.empty() && refusal.empty() && !us_rounds.empty(); }

  // Adds the reply of one round; of a cup the worst of all rounds counts.
  void add_round(const nlohmann::json& round_reply);
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

struct CupTime {
  int spheres;
  double us;
};

// How the time of a step grows with the number of spheres: exponent between the first and the last; NaN with fewer than
// two. The bar is for 96 to 10,000 spheres.
double growth_exponent(const std::vector<CupTime>& cups);
inline constexpr double kMostGrowth = 1.1;
inline constexpr int kFewestSpheres = 96, kMostSpheres = 10000;

}  // namespace lipkin::bench
