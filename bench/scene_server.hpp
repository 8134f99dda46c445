// The engine's side of `bench scenes` and `bench papers`: a process that answers one JSON line on stdout for each JSON
// line on stdin.
//
//   {"command": "run", "case", "dt", "duration", ...}      a whole run -> {"engine", "setting", "us_per_step", ...}
//   {"command": "cup", "count", "positions"}               sets up a cup -> {"engine", "setting"}
//   {"command": "settle", "steps"}                         of that cup, before it is measured -> {"held_speed", ...}
//   {"command": "advance", "steps"}                        of that cup -> {"us_per_step", "penetration_m", ...}
//   {"command": "positions"}                               of its spheres -> {"positions": [sphere][xyz]}
//
// or {"engine", "refused": reason} where the engine cannot take the scene, or {"error": what happened}.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "scene_engine.hpp"

namespace lipkin::bench {

class SceneServer {
 public:
  explicit SceneServer(SceneEngine& engine) : engine_(engine) {}

  // Until the end of the input; the exit status.
  int run();

  nlohmann::json answer(const std::string& line);

 private:
  nlohmann::json run_scene(const nlohmann::json& request);
  nlohmann::json run_mechanism(const nlohmann::json& request);
  nlohmann::json run_grasp(const nlohmann::json& request);
  nlohmann::json make_cup(const nlohmann::json& request);
  nlohmann::json settle(int steps);
  std::vector<SphereState> spheres() const;
  nlohmann::json advance(int steps);
  nlohmann::json positions();

  SceneEngine& engine_;
  std::unique_ptr<Cup> cup_;
  std::unique_ptr<CupRun> cup_run_;
  long cup_steps_ = 0;
  int reply_fd_ = -1;
};

}  // namespace lipkin::bench
