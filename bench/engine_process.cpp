#include "engine_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace lipkin::bench {
namespace {

using nlohmann::json;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw EngineError(std::string("cannot make a pipe: ") + std::strerror(errno));
  return ends;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// getenv() finds the first entry of a name: ours go in front.
std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> merged = added;
  for (char** entry = environ; *entry != nullptr; ++entry) merged.emplace_back(*entry);
  return merged;
}

pid_t spawn(const EngineCommand& command, int input, int output) {
  std::vector<std::string> words = command.arguments;
  words.insert(words.begin(), command.program.string());
  std::vector<std::string> settings = merged_environment(command.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t process = -1;
  const int error = posix_spawn(&process, command.program.c_str(), &actions, nullptr, pointers_to(words).data(),
                                pointers_to(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw EngineError("cannot start " + command.program.string() + ": " + std::strerror(error));
  return process;
}

}  // namespace

EngineProcess::EngineProcess(const EngineCommand& command) : program_name_(command.program.filename().string()) {
  const auto [request_read, request_write] = make_pipe();
  const auto [reply_read, reply_write] = make_pipe();
  requests_ = fdopen(request_write, "w");
  replies_ = fdopen(reply_read, "r");
  process_ = spawn(command, request_read, reply_write);
  close(request_read);
  close(reply_write);
}

// The end of its input ends the engine.
EngineProcess::~EngineProcess() {
  std::fclose(requests_);
  std::fclose(replies_);
  waitpid(process_, nullptr, 0);
}

json EngineProcess::ask(const json& request) {
  const std::string line = request.dump() + '\n';
  std::fwrite(line.data(), 1, line.size(), requests_);
  std::fflush(requests_);
  char* reply = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = getline(&reply, &capacity, replies_);
  const std::string text = length > 0 ? std::string(reply, static_cast<std::size_t>(length)) : std::string();
  std::free(reply);
  if (text.empty()) throw EngineError(program_name_ + " ended without an answer");
  json answer = json::parse(text);
  if (answer.contains("error")) throw EngineError(program_name_ + ": " + answer["error"].get<std::string>());
  return answer;
}

EngineDescription EngineProcess::load(const TreeTask& task) {
  const json reply = ask({{"command", "load"}, {"task", task}});
  EngineDescription description;
  description.engine = reply.at("engine");
  description.refusal = reply.value("refused", "");
  if (!description.refusal.empty()) return description;
  description.setting = reply.value("setting", "");
  description.states_per_call = reply.value("states_per_call", 1);
  description.residual = reply.value("residual", -1.0);
  reply.at("accelerations").get_to(description.accelerations);
  return description;
}

std::vector<double> EngineProcess::move(double dt, int steps) {
  return ask({{"command", "move"}, {"dt", dt}, {"steps", steps}}).at("q");
}

double EngineProcess::measure(Measure what, double seconds, Clock clock) {
  return ask({{"command", "measure"},
              {"what", what == Measure::kStep ? "step" : "forward dynamics"},
              {"seconds", seconds},
              {"clock", clock == Clock::kWall ? "wall" : "cpu"}})
      .at("ns");
}

}  // namespace lipkin::bench
