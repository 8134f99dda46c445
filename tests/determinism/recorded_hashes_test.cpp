// Every scene with every stepper and both coordinates leads to the state that tests/data/state-hashes.txt says, bit for
// bit. scripts/renew-hashes records them anew.
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "lipkin/simulation.hpp"
#include "lipkin/version.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using test::figure;

constexpr const char* kFile = LIPKIN_SOURCE_DIR "/tests/data/state-hashes.txt";
constexpr double kDuration = 0.1;  // [s]
constexpr int kStepsMost = 2000;   // of steppers that a scene makes take tiny ones
constexpr StepperKind kSteppers[] = {StepperKind::kEuler,  StepperKind::kMoreau, StepperKind::kRk4,
                                     StepperKind::kDopri5, StepperKind::kAdams,  StepperKind::kBdf};
constexpr CoordinateKind kCoordinates[] = {CoordinateKind::kGeneralized, CoordinateKind::kMaximal};
const std::array<std::string, 3> kInstructionSets = {"baseline", "avx2", "avx512"};

// What the bits may depend on beside the instruction set: compilers contract differently, sines are the C library's.
std::string recorder() { return fmt::format("{}, glibc {}", LIPKIN_MADE_WITH, gnu_get_libc_version()); }

// Per instruction set; "-": not recorded.
using Line = std::array<std::string, 3>;

struct Record {
  std::string made_with;
  std::map<std::string, Line> lines;  // by "scene stepper coordinates"
};

Record read_record() {
  Record record;
  std::ifstream file(kFile);
  for (std::string text; std::getline(file, text);) {
    if (constexpr std::string_view kIntroduction = "# recorded with "; text.starts_with(kIntroduction))
      record.made_with = text.substr(kIntroduction.size());
    if (text.empty() || text[0] == '#') continue;
    std::istringstream words(text);
    std::string scene, stepper, coordinates;
    words >> scene >> stepper >> coordinates;
    Line& line = record.lines[scene + ' ' + stepper + ' ' + coordinates];
    for (std::string& hash : line) words >> hash;
  }
  return record;
}

void write_record(const Record& record) {
  std::ofstream file(kFile);
  file << "# State hashes after " << kDuration << " s, or " << kStepsMost
       << " steps where those are less: scene, stepper, "
       << "coordinates, then the hash on";
  for (const std::string& set : kInstructionSets) file << ' ' << set;
  file << ".\n# scripts/renew-hashes writes this file.\n# recorded with " << record.made_with << '\n';
  for (const auto& [key, line] : record.lines) {
    file << key;
    for (const std::string& hash : line) file << ' ' << hash;
    file << '\n';
  }
}

std::string outcome(Scene scene, std::optional<StepperKind> stepper, CoordinateKind coordinates) {
  if (stepper) scene.experiment.stepper = *stepper;
  scene.experiment.coordinates = coordinates;
  if (!is_adaptive(scene.experiment.stepper) && scene.experiment.dt == 0) return "no-step";
  std::optional<Simulation> simulation;
  try {
    simulation.emplace(scene);
  } catch (const Error&) {
    return "refused";
  }
  try {
    for (int n = 0; n < kStepsMost && simulation->state().t < kDuration; ++n) simulation->step();
  } catch (const Error&) {
    return "failed";
  }
  return hash_text(simulation->hash());
}

std::map<std::string, std::string> outcomes() {
  std::map<std::string, std::string> found;
  for (const SceneInfo& info : list_scenes()) {
    const Scene scene = load_scene(info.name);
    for (const CoordinateKind coordinates : kCoordinates) {
      const std::string end = ' ' + std::string(name_of(coordinates));
      found[info.name + " own" + end] = outcome(scene, {}, coordinates);
      for (const StepperKind stepper : kSteppers)
        found[info.name + ' ' + std::string(name_of(stepper)) + end] = outcome(scene, stepper, coordinates);
    }
  }
  return found;
}

TEST(RecordedHashes, NoSceneMovesABit) {
  if (std::string_view(LIPKIN_MADE_WITH).empty()) GTEST_SKIP() << "recorded are releases without sanitizers";
  const std::size_t set = static_cast<std::size_t>(
      std::find(kInstructionSets.begin(), kInstructionSets.end(), instruction_set()) - kInstructionSets.begin());
  ASSERT_LT(set, kInstructionSets.size()) << "unknown instruction set " << instruction_set();
  const bool renews = std::getenv("LIPKIN_RENEW_HASHES") != nullptr;
  Record record = read_record();
  if (record.made_with != recorder()) {
    if (!renews) GTEST_SKIP() << "recorded with " << record.made_with << ", this is " << recorder();
    record = {recorder(), {}};
  }
  const std::map<std::string, std::string> found = outcomes();
  int moved = 0;
  std::map<std::string, Line> lines;
  for (const auto& [key, hash] : found) {
    const auto before = record.lines.find(key);
    const Line line = before == record.lines.end() ? Line{"-", "-", "-"} : before->second;
    if (line[set] != hash) {
      ++moved;
      if (renews)
        fmt::print("{}, {}: {} before, {} now\n", key, instruction_set(), line[set], hash);
      else
        ADD_FAILURE() << key << ", " << instruction_set() << ": " << line[set] << " recorded, " << hash << " now";
    }
    lines[key] = line;
    lines[key][set] = hash;
  }
  for (const auto& [key, line] : record.lines) {
    if (found.contains(key)) continue;
    ++moved;
    if (renews)
      fmt::print("{}: gone\n", key);
    else
      ADD_FAILURE() << key << ": recorded, but there is no such scene now";
  }
  if (renews) write_record({record.made_with, lines});
  figure("{} states on {}, {} moved", found.size(), instruction_set(), moved);
}

}  // namespace
}  // namespace lipkin
