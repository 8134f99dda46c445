// The same mechanism built in the program's memory, read from a scene by the command line, driven by a command file,
// and in Python: the same motion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/program.hpp"
#include "equivalence/random_mechanism.hpp"
#include "equivalence/restatements.hpp"
#include "lipkin/export.hpp"

namespace lipkin::test {
namespace {

constexpr int kMechanisms = 12;

// Values that JSON can say.
using Values = std::map<std::string, double>;

Values finals_of(const Json& told) {
  Values values;
  for (const auto& [name, output] : told.at("outputs").items())
    values[name] = output.is_object() ? output.at("final").get<double>() : output.get<double>();
  return values;
}

// Random ones may jam: a motion that cannot be followed stops.
bool can_be_followed(const Mechanism& mechanism) {
  try {
    Simulation(build(mechanism, {})).run(mechanism.experiment.duration);
    return true;
  } catch (const SimulationError&) {
    return false;
  }
}

// Of mechanisms with commands that every way can say; how a joint's friction is set differs with its directions.
std::vector<Mechanism> mechanisms() {
  std::vector<Mechanism> all;
  for (std::uint64_t seed = 1; static_cast<int>(all.size()) < kMechanisms; ++seed) {
    Mechanism m = random_mechanism(seed);
    std::erase_if(m.experiment.commands, [](const Command& c) {
      const auto* set = std::get_if<CommandSet>(&c.action);
      return set && set->path.starts_with("joint.");
    });
    if (m.experiment.commands.empty() || !can_be_followed(m)) continue;
    all.push_back(m);
  }
  return all;
}

class SaidElsewhere : public ProgramTest {
 protected:
  // Positions and velocities; forces and the energies booked are those of a moment.
  static Outputs outputs_of(const Mechanism& mechanism) {
    std::vector<Entry> entries;
    for (const Entry& entry : entries_of(mechanism))
      if (!is_force(entry.quantity) && entry.quantity != Quantity::kEnergy) entries.push_back(entry);
    return outputs_for(entries);
  }

  std::string write_scene_file(const std::string& name, const Mechanism& mechanism) {
    const Outputs outputs = outputs_of(mechanism);
    Json names = Json::array();
    for (const OutputSpec& output : outputs) names.push_back(output.name);
    write(name + ".names", names.dump());
    return write(name, write_scene(build(mechanism, outputs)).text);
  }

  std::string write_commands(const Mechanism& mechanism) {
    std::string lines;
    for (const Command& command : mechanism.experiment.commands) lines += command_line(command) + '\n';
    return write("commands.jsonl", lines);
  }

  Json run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.push_back("--json");
    const Outcome outcome = lipkin(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json();
  }
};

Mechanism without_commands(Mechanism mechanism) {
  mechanism.experiment.commands.clear();
  return mechanism;
}

void expect_same(const Values& a, const Values& b, const std::string& how) {
  ASSERT_EQ(a.size(), b.size()) << how;
  // Quaternions become unit when they are read, and a force by command is added up in another order: rounding, after
  // fifty steps.
  for (const auto& [name, value] : a)
    EXPECT_NEAR(value, b.at(name), 1e-10 * std::max(1.0, std::abs(value))) << how << ": " << name;
}

TEST_F(SaidElsewhere, ByTheCommandLineAndCommandFiles) {
  for (const Mechanism& mechanism : mechanisms()) {
    Simulation here(build(mechanism, outputs_of(mechanism)));
    here.run(mechanism.experiment.duration);
    Values values;
    for (int i = 0; i < here.model().output_count(); ++i) values[here.model().output_name(i)] = here.outputs()[i];
    const Json scene = run({write_scene_file("scene.yaml", mechanism)});
    expect_same(values, finals_of(scene), "scene");
    const std::string bare = write_scene_file("bare.yaml", without_commands(mechanism));
    expect_same(values, finals_of(run({bare, "--commands", write_commands(mechanism)})), "command file");
  }
}

#ifdef LIPKIN_PYTHON
Json in_python(const std::string& arguments) {
  const std::string line =
      fmt::format("PYTHONPATH='{}' PYTHONDONTWRITEBYTECODE=1 '{}' '{}/tests/equivalence/run_in_python.py' {}",
                  LIPKIN_PYTHON_PATH, LIPKIN_PYTHON, LIPKIN_SOURCE_DIR, arguments);
  std::string text;
  FILE* pipe = popen(line.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  return Json::parse(text, nullptr, false);
}

TEST_F(SaidElsewhere, InPython) {
  for (const Mechanism& mechanism : mechanisms()) {
    const std::string scene = write_scene_file("scene.yaml", mechanism);
    const Json told = run({scene});
    const Json in_scene = in_python("'" + scene + "'");
    ASSERT_FALSE(in_scene.is_discarded());
    EXPECT_EQ(told.at("state_hash"), in_scene.at("hash"));
    expect_same(finals_of(told), finals_of(in_scene), "Python");
    const std::string bare = write_scene_file("bare.yaml", without_commands(mechanism));
    const Json by_calls = in_python(fmt::format("'{}' '{}'", bare, write_commands(mechanism)));
    expect_same(finals_of(told), finals_of(by_calls), "calls in Python");
  }
}
#endif

}  // namespace
}  // namespace lipkin::test
