// Runs the real program, as a user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_folder.hpp"

namespace lipkin::test {

using Json = nlohmann::json;

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Outcome {
  int exit_code = -1;  // 128 + signal when one ended it
  std::string out;
  std::string err;

  // All of stdout as one JSON value; a test fails when it is not.
  Json json() const {
    Json value = Json::parse(out, nullptr, false);
    EXPECT_FALSE(value.is_discarded()) << "stdout is not one JSON object:\n" << out;
    return value;
  }
};

// A test with a folder of its own, removed afterwards.
class ProgramTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Writes a file into the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
    return path(name);
  }

  std::size_t file_count() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  Outcome lipkin(const std::vector<std::string>& arguments) { return wait_for(start(arguments)); }

  // Starts the program with stdout and stderr going to files outside the test's folder.
  pid_t start(const std::vector<std::string>& arguments) {
    std::vector<char*> words = {const_cast<char*>("lipkin")};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      redirect(out_file(), STDOUT_FILENO);
      redirect(err_file(), STDERR_FILENO);
      execv(LIPKIN_PROGRAM, words.data());
      _exit(127);
    }
    return child;
  }

  Outcome wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    Outcome outcome;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read_text(out_file());
    outcome.err = read_text(err_file());
    std::filesystem::remove(out_file());
    std::filesystem::remove(err_file());
    return outcome;
  }

  // What the program that runs has written to stdout so far.
  std::string printed() const { return read_text(out_file()); }

 private:
  std::string out_file() const { return folder_.path().string() + ".out"; }
  std::string err_file() const { return folder_.path().string() + ".err"; }

  static void redirect(const std::string& file, int descriptor) {
    dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
  }

  TemporaryFolder folder_;
};

// Exactly one line.
inline ::testing::AssertionResult is_one_line(const std::string& text) {
  if (!text.empty() && text.find('\n') == text.size() - 1) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected one line, got:\n" << text;
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected '" << part << "' in:\n" << text;
}

// A point mass m = 2 kg at l = 0.5 m below a hinge about y; turned by q, it stands at (-l sin q, 0, -l cos q).
inline const char* const kPendulum = R"(lipkin: 1
name: pendulum
parameters:
  length: {value: 0.5, unit: m, description: of the rod}
gravity: [0, 0, -9.81]
bodies:
  - name: bob
    joint: {type: revolute, axis: y, q: 1.0}
    mass: 2
    com: [0, 0, -length]
outputs:
  angle: {expr: joint.bob.q, unit: rad}
  speed: {expr: joint.bob.u, unit: rad/s}
experiment: {stepper: euler, dt: 0.001, duration: 2}
)";

}  // namespace lipkin::test
