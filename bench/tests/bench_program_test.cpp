// The program as a user calls it, without peers and at its quickest.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace lipkin::bench {
namespace {

using nlohmann::json;

struct Outcome {
  int exit_code = -1;
  std::string out;
};

Outcome bench(const std::string& arguments) {
  Outcome outcome;
  std::FILE* pipe = popen((std::string(LIPKIN_BENCH_PROGRAM) + ' ' + arguments + " 2>&1").c_str(), "r");
  char text[4096];
  while (const std::size_t count = std::fread(text, 1, sizeof text, pipe)) outcome.out.append(text, count);
  outcome.exit_code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

TEST(BenchProgram, ListsItsBenchmarks) {
  const Outcome outcome = bench("--list");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* name : {"tree ", "batch ", "scenes ", "papers "}) {
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
  }
}

TEST(BenchProgram, UnknownNamesAreWrongUsage) {
  EXPECT_EQ(bench("moon").exit_code, 2);
  EXPECT_EQ(bench("scenes --cases chain-7").exit_code, 2);
  EXPECT_EQ(bench("tree --cases grasp").exit_code, 2);
  EXPECT_EQ(bench("scenes --peers jolt").exit_code, 2);
}

TEST(BenchProgram, ScenesAsJson) {
  const Outcome outcome = bench("scenes --json --quick --peers none --cases slider-crank");
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report.at("benchmark"), "scenes");
  EXPECT_EQ(outcome.exit_code, report.at("pass") == true ? 0 : 1);
  ASSERT_EQ(report.at("rows").size(), 2u);  // two time steps
  for (const json& row : report.at("rows")) {
    EXPECT_EQ(row.at("case"), "slider-crank");
    EXPECT_EQ(row.at("engine").get<std::string>().substr(0, 7), "lipkin ");
    for (const char* key : {"setting", "us_per_step", "gap_m", "drift_J", "state_hash", "residual", "bars"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
}

// A robot of our own in a folder as published ones come in.
TEST(BenchProgram, ModelsOfAFolder) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("lipkin-models-{}", getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "box.urdf")
      << "<robot name='box'><link name='box'><inertial><mass value='2'/><inertia "
         "ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial><collision>"
         "<geometry><box size='0.2 0.2 0.2'/></geometry></collision></link></robot>";
  std::ofstream(folder / "index.json") << R"({"models": [{"id": "box", "path": "box.urdf", "format": "urdf",
    "floating_base_in_use": true}]})";
  const std::string arguments = " --json --quick --models " + folder.string();
  const Outcome outcome = bench("models --cases box --peers none" + arguments);
  const json report = json::parse(outcome.out);
  ASSERT_EQ(report.at("rows").size(), 1u) << outcome.out;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(report.at("rows")[0].at("contacts"), 4);
  EXPECT_LT(report.at("rows")[0].at("penetration_m"),
            1e-6);  // the solver closes gaps to 1e-9; 1e-6 is the bar of creep
  const json runs = json::parse(bench("model-runs" + arguments).out);
  ASSERT_EQ(runs.at("rows").size(), 2u);
  EXPECT_EQ(runs.at("rows")[1].at("rests"), true);
  std::filesystem::remove_all(folder);
}

TEST(BenchProgram, ModelsThatAreNotThereAreNamed) {
  const Outcome outcome = bench("models --models /no-such-folder");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("/no-such-folder/index.json"), std::string::npos) << outcome.out;
}

TEST(BenchProgram, PythonAsJson) {
  const Outcome outcome = bench("python --json --quick --cases chain-2,batch-1");
  if (outcome.exit_code == 2) GTEST_SKIP() << outcome.out;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(outcome.exit_code, report.at("pass") == true ? 0 : 1);
  ASSERT_EQ(report.at("rows").size(), 2u);
  for (const json& row : report.at("rows")) {
    for (const char* key : {"case", "engine", "setting", "ns", "ns_cpp", "difference_ns", "ratio"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_EQ(report.at("rows")[0].at("state_hash").get<std::string>().size(), 16u);
}

TEST(BenchProgram, PapersAsJson) {
  const Outcome outcome = bench("papers --json --quick --cases five-link-chain");
  const json report = json::parse(outcome.out);
  EXPECT_EQ(outcome.exit_code, report.at("pass") == true ? 0 : 1);
  ASSERT_EQ(report.at("rows").size(), 3u);
  EXPECT_EQ(report.at("rows")[0].at("setting"), "SIMMC");
  EXPECT_EQ(report.at("rows")[1].at("setting"), "SIMGC");
  EXPECT_EQ(report.at("rows")[0].at("paper").at("iterations"), 100);
  EXPECT_GT(report.at("rows")[0].at("iterations"), 0);
}

TEST(BenchProgram, SolversOnTheSameContacts) {
  const Outcome outcome = bench("papers --json --quick --cases cup-contacts");
  const json report = json::parse(outcome.out);
  EXPECT_EQ(outcome.exit_code, report.at("pass") == true ? 0 : 1);
  ASSERT_EQ(report.at("rows").size(), 8u);  // three piles without friction, one with, each solved twice
  for (const json& row : report.at("rows")) {
    EXPECT_EQ(row.at("case"), "cup-contacts");
    EXPECT_EQ(row.at("converged"), true) << row;
    EXPECT_GT(row.at("us"), 0);
    EXPECT_GT(row.at("contacts"), row.at("spheres")) << "at rest most spheres have three contacts";
    EXPECT_EQ(row.at("paper").at("ratio"), 50);
    for (const char* key : {"engine", "setting", "iterations", "residual", "ratio", "state_hash"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
}

}  // namespace
}  // namespace lipkin::bench
