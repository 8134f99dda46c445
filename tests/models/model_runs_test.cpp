// Models run: our own small ones, and the published ones where they are beside the checkout.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace lipkin::test {
namespace {

namespace fs = std::filesystem;

constexpr double kLimitSlack = 1e-3;  // [rad] or [m] beyond a joint's limit

struct RunResult {
  bool has_loaded = false, has_ended = false;
  double violation = 0, energy = 0;
  int contacts = 0;
  std::string message;
};

class ModelRuns : public ProgramTest {
 protected:
  // From coordinates within the limits.
  RunResult run(const fs::path& model, const std::vector<std::string>& options = {},
                const std::string& duration = "5") {
    std::vector<std::string> arguments = {"run", model.string(), "--duration", duration, "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = lipkin(arguments);
    RunResult result;
    result.message = outcome.err;
    result.has_loaded = outcome.exit_code != 2;
    if (!result.has_loaded) return result;
    const Json report = outcome.json();
    result.has_ended = outcome.exit_code == 0;
    const auto number = [](const Json& x) { return x.is_number() ? x.get<double>() : 1e99; };
    result.violation = number(report["violation"]["position"]);
    result.energy = number(report["energy"]["final"]);
    result.contacts = report["contacts"];
    return result;
  }

  void expect_good(const RunResult& run, const std::string& what) {
    EXPECT_TRUE(run.has_ended) << what << ": " << run.message;
    EXPECT_LE(run.violation, kLimitSlack) << what;
  }
};

TEST_F(ModelRuns, OurOwnUrdfStaysWithinItsLimits) {
  const fs::path model = fs::path(LIPKIN_SOURCE_DIR) / "tests" / "data" / "urdf" / "every_feature.urdf";
  expect_good(run(model), "fixed");
  expect_good(run(model, {"--base", "floating"}), "floating");
}

TEST_F(ModelRuns, AFloatingModelComesToRestOnTheGround) {
  const std::string model = write("box.urdf", R"(<robot name="box"><link name="box">
<inertial><mass value="2"/><inertia ixx="0.0133" iyy="0.0133" izz="0.0133" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>)");
  const RunResult result = run(model, {"--base", "floating", "--ground"});
  expect_good(result, "box");
  EXPECT_GE(result.contacts, 3);
  EXPECT_NEAR(result.energy, 2 * 9.81 * 0.1, 1e-4);  // potential energy of a box that lies still
}

// Published robots: fixed as given for 5 s, and dropped onto a plane for 0.5 s where they are made to move about.
TEST_F(ModelRuns, PublishedUrdf) {
  const fs::path folder = fs::path(LIPKIN_SOURCE_DIR).parent_path() / "shared" / "models";
  if (!fs::exists(folder / "index.json")) GTEST_SKIP() << "no " << folder << ": no published models to run";
  fmt::print("{:<22} {:>10} {:>10}   {:>10} {:>9} {:>10}\n", "model", "fixed", "beyond", "dropped", "contacts",
             "beyond");
  const auto verdict = [](const RunResult& run) {
    return !run.has_loaded ? "refused" : !run.has_ended ? "stopped" : "ran";
  };
  const Json index = Json::parse(read_text(folder / "index.json"));
  for (const Json& model : index["models"]) {
    if (model["format"] != "urdf" || model.value("expect", "").rfind("reject", 0) == 0) continue;
    const std::string id = model["id"];
    const RunResult fixed = run(folder / model["path"].get<std::string>());
    fmt::print("{:<22} {:>10} {:10.1e}", id, verdict(fixed), fixed.violation);
    expect_good(fixed, id);
    if (model.value("floating_base_in_use", false)) {
      const RunResult dropped =
          run(folder / model["path"].get<std::string>(), {"--base", "floating", "--ground", "--tolerate"}, "0.5");
      fmt::print("   {:>10} {:>9} {:10.1e}", verdict(dropped), dropped.contacts, dropped.violation);
      EXPECT_TRUE(dropped.has_ended) << id << ": " << dropped.message;
    }
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace lipkin::test
