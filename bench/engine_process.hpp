// The driver's side of a measurement: an engine in a process of its own, asked over a pair of pipes.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "stopwatch.hpp"
#include "tree_task.hpp"

namespace lipkin::bench {

// The engine ended, or answered with an error; what() says which and why.
class EngineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Measure { kForwardDynamics, kStep };

struct EngineDescription {
  std::string engine;   // name and version
  std::string setting;  // such as the instruction set; may be empty
  std::string refusal;  // why the engine cannot take this model; empty: it can
  int states_per_call = 1;
  double residual = -1;                            // of the equations of motion at state 0, relative; -1: not computed
  std::vector<std::vector<double>> accelerations;  // [state][joint], revolute joints only [rad/s^2]
};

// How to start an engine.
struct EngineCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // NAME=value settings added to this process's own
};

class EngineProcess {
 public:
  explicit EngineProcess(const EngineCommand& command);
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  // One request, one reply; throws EngineError where the reply is an error.
  nlohmann::json ask(const nlohmann::json& request);

  EngineDescription load(const TreeTask& task);

  // Angles of the revolute joints [rad] after `steps` steps of `dt` [s] from the task's start.
  std::vector<double> move(double dt, int steps);

  // Least time per call [ns] while measuring for `seconds`.
  double measure(Measure what, double seconds, Clock clock = Clock::kCpu);

 private:
  std::string program_name_;
  pid_t process_ = -1;
  std::FILE* requests_ = nullptr;
  std::FILE* replies_ = nullptr;
};

}  // namespace lipkin::bench
