// Every published robot as copies of a batch: what a Simulation can step, a batch steps to the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "lipkin/batch.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin::test {
namespace {

namespace fs = std::filesystem;

bool has_same_q(const Batch& batch, const State& state) {
  for (int copy = 0; copy < batch.copy_count(); ++copy)
    for (std::size_t k = 0; k < state.q.size(); ++k)
      if (batch.q(copy, static_cast<int>(k)) != state.q[k]) return false;
  return true;
}

// "lanes", "copies", or why it is refused.
std::string verdict(const fs::path& model) {
  constexpr int kSteps = 3;
  std::optional<Scene> scene;
  try {
    scene = load_scene(model.string());
  } catch (const InputError& error) {
    return "not a model";
  }
  try {
    Batch batch(*scene, 2, 1);
    Simulation simulation(*scene);
    batch.step(kSteps);
    for (int n = 0; n < kSteps; ++n) simulation.step();
    if (!batch.kept_out_of_lanes().empty()) return has_same_q(batch, simulation.state()) ? "copies" : "differs";
    return "lanes";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(BatchOfModels, StepsWhateverASimulationSteps) {
  const fs::path folder = fs::path(LIPKIN_SOURCE_DIR).parent_path() / "shared" / "models";
  if (!fs::exists(folder / "index.json")) GTEST_SKIP() << "no " << folder << ": no published models to step";
  const Json index = Json::parse(read_text(folder / "index.json"));
  int count = 0, stepped = 0;
  for (const Json& model : index["models"]) {
    const std::string result = verdict(folder / model["nomesh_path"].get<std::string>());
    if (result == "not a model") continue;
    ++count;
    stepped += result == "lanes" || result == "copies" ? 1 : 0;
    fmt::print("{:<28} {}\n", model["id"].get<std::string>(), result);
    EXPECT_NE(result, "differs") << model["id"];
    if (result != "lanes" && result != "copies") {
      EXPECT_NE(result.find("has no inertia about it"), std::string::npos) << result;
    }
  }
  fmt::print("{} of {} models run in a batch\n", stepped, count);
  EXPECT_GT(stepped, count / 2);
}

}  // namespace
}  // namespace lipkin::test
