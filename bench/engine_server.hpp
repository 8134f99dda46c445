// The engine's side of a measurement: a process that answers one JSON line on stdout for each JSON line on stdin.
//
//   {"command": "load", "task": {...}}                     -> {"engine", "accelerations": [state][joint], ...}
//   {"command": "move", "dt", "steps"}                     -> {"q": [joint]} after steps from the task's start
//   {"command": "measure", "what", "seconds", "clock"}     -> {"ns"} per call
//
// or {"engine", "refused": reason} where the engine cannot take the model, or {"error": what happened}.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "stopwatch.hpp"
#include "tree_task.hpp"

namespace lipkin::bench {

// Everything the server needs of an engine. The calls that are timed are small: engines are final classes and the
// server is a template over them, so that no virtual call is measured.
//
//   static std::string name();                            name and version
//   explicit Engine(const TreeTask&);                     throws Refusal
//   void forward_dynamics(std::size_t state);             sets state `state` of the task and computes accelerations
//   std::vector<double> joint_accelerations() const;      of the last forward_dynamics()
//   void restart(double dt);                              back to the task's start, with joint damping
//   void step();
//   std::vector<double> joint_angles() const;             after the last step()
//   void describe(nlohmann::json& reply);                 may add to the reply of "load"
template <class Engine>
class EngineServer {
 public:
  // Until the end of the input; the exit status.
  int run() {
    reserve_stdout();
    for (std::string line; std::getline(std::cin, line);) {
      const std::string reply = answer(line).dump() + '\n';
      if (write(reply_fd_, reply.data(), reply.size()) != static_cast<ssize_t>(reply.size())) return 1;
    }
    return 0;
  }

 private:
  // Libraries print to stdout as they like; only replies may reach the reader.
  void reserve_stdout() {
    reply_fd_ = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }

  nlohmann::json answer(const std::string& line) {
    try {
      const auto request = nlohmann::json::parse(line);
      const auto command = request.at("command").get<std::string>();
      if (command == "load") return load(request.at("task"));
      if (command == "move") return move(request.at("dt"), request.at("steps"));
      if (command == "measure") return measure(request.at("what"), request.at("seconds"), request.at("clock"));
      return {{"error", "unknown command " + command}};
    } catch (const Refusal& refusal) {
      return {{"engine", Engine::name()}, {"refused", refusal.what()}};
    } catch (const std::exception& error) {
      return {{"error", error.what()}};
    }
  }

  nlohmann::json load(const nlohmann::json& task) {
    engine_.reset();
    task_ = task.get<TreeTask>();
    engine_ = std::make_unique<Engine>(task_);
    nlohmann::json reply{{"engine", Engine::name()}};
    auto& accelerations = reply["accelerations"] = nlohmann::json::array();
    for (std::size_t state = 0; state < task_.states.size(); ++state) {
      engine_->forward_dynamics(state);
      accelerations.push_back(finite(engine_->joint_accelerations()));
    }
    engine_->describe(reply);
    return reply;
  }

  nlohmann::json move(double dt, int steps) {
    engine_->restart(dt);
    for (int i = 0; i < steps; ++i) engine_->step();
    return {{"q", finite(engine_->joint_angles())}};
  }

  nlohmann::json measure(const std::string& what, double seconds, const std::string& clock_name) {
    const Clock clock = clock_name == "wall" ? Clock::kWall : Clock::kCpu;
    const double ns = what == "step" ? measure_steps(seconds, clock) : measure_forward_dynamics(seconds, clock);
    return {{"ns", ns}};
  }

  double measure_forward_dynamics(double seconds, Clock clock) {
    std::size_t state = 0;
    const auto call = [&] {
      engine_->forward_dynamics(state);
      if (++state == task_.states.size()) state = 0;
    };
    return least_ns_per_call(call, seconds, clock);
  }

  double measure_steps(double seconds, Clock clock) {
    int steps = 0;
    engine_->restart(kTimeStep);
    const auto call = [&] {
      engine_->step();
      if (++steps < kStepsPerRun) return;  // the restart keeps the motion moderate; its cost does not show
      engine_->restart(kTimeStep);
      steps = 0;
    };
    const double ns = least_ns_per_call(call, seconds, clock);
    finite(engine_->joint_angles());
    return ns;
  }

  // The time of a motion that blew up means nothing.
  static std::vector<double> finite(std::vector<double> values) {
    for (const double value : values) {
      if (!std::isfinite(value)) throw std::runtime_error("the motion does not stay finite");
    }
    return values;
  }

  int reply_fd_ = -1;
  TreeTask task_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace lipkin::bench
