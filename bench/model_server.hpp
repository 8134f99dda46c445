// The engine's side of `bench models`: a process that answers one JSON line on stdout for each JSON line on stdin.
//
//   {"command": "model", ...}            makes a model, see the engines -> {"engine", ...}
//   {"command": "settle", "seconds"}     before it is measured -> {"q": {joint: [...]}} where it lies
//   {"command": "advance", "steps"}      -> {"us_per_step", "penetration_m", "moved_m", "contacts", ...}
//   {"command": "run", "seconds"}        Lipkin alone: from the start, every step watched -> {"beyond", "speed", ...}
//
// or {"refused": reason} where the engine cannot take the model, or {"error": what happened}.
#pragma once

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "step_clock.hpp"

namespace lipkin::bench {

using BodyPositions = std::vector<std::array<double, 3>>;  // of the bodies' origins, world [m]

inline double largest_distance(const BodyPositions& a, const BodyPositions& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::hypot(a[i][0] - b[i][0], a[i][1] - b[i][1], a[i][2] - b[i][2]));
  return largest;
}

// Engine: json model(json request), json settle(double seconds), void step(), BodyPositions positions(),
// void report(json& reply), json run(double seconds).
template <class Engine>
class ModelServer {
 public:
  // Until the end of the input; the exit status. Libraries print to stdout as they like; only replies reach the reader.
  int run() {
    const int replies = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    for (std::string line; std::getline(std::cin, line);) {
      const std::string reply = answer(line).dump() + '\n';
      for (std::size_t sent = 0; sent < reply.size();) {  // a pipe takes 64 KiB at a time
        const ssize_t count = write(replies, reply.data() + sent, reply.size() - sent);
        if (count <= 0) return 1;
        sent += static_cast<std::size_t>(count);
      }
    }
    return 0;
  }

 private:
  nlohmann::json answer(const std::string& line) {
    try {
      const nlohmann::json request = nlohmann::json::parse(line);
      const auto command = request.at("command").get<std::string>();
      if (command == "model") return engine_.model(request);
      if (command == "settle") return engine_.settle(request.at("seconds"));
      if (command == "advance") return advance(request.at("steps"));
      if (command == "run") return engine_.run(request.at("seconds"));
      return {{"error", "unknown command " + command}};
    } catch (const Refusal& refusal) {
      return {{"refused", refusal.what()}};
    } catch (const std::exception& error) {
      return {{"error", error.what()}};
    }
  }

  // CPU time: steps of large robots are as long as a scheduler's time slice.
  nlohmann::json advance(int steps) {
    const BodyPositions before = engine_.positions();
    StepClock clock(steps, Clock::kCpu);
    for (int i = 0; i < steps; ++i) clock.time([this] { engine_.step(); });
    nlohmann::json reply;
    clock.report(reply);
    reply["moved_m"] = largest_distance(before, engine_.positions());
    engine_.report(reply);
    return reply;
  }

  Engine engine_;
};

}  // namespace lipkin::bench
