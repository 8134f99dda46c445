#include <cmath>
#include <set>

#include "cli/program.hpp"

namespace lipkin::test {
namespace {

// A body falling from rest, to watch: z = -g t^2 / 2.
const char* const kFall = R"(lipkin: 1
name: fall
bodies:
  - {name: stone, joint: {type: prismatic, axis: z}, mass: 1, inertia: [1, 1, 1]}
outputs:
  height: {expr: joint.stone.q, unit: m}
experiment: {stepper: rk4, dt: 0.01, duration: 2}
)";

// A motor whose torque grows until no double can hold it, near t = 0.7 s.
const char* const kBlowUp = R"(lipkin: 1
name: blow-up
bodies:
  - {name: rotor, joint: {type: revolute, axis: z}, mass: 1, inertia: [1, 1, 1]}
actuators:
  - {name: motor, joint: rotor, control: exp(1000*t)}
outputs:
  angle: {expr: joint.rotor.q, unit: rad}
experiment: {stepper: rk4, dt: 0.01, duration: 2}
)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) numbers.push_back(std::strtod(field.c_str(), nullptr));
  return numbers;
}

using RunCommand = ProgramTest;

TEST_F(RunCommand, JsonHasWhatWasPromised) {
  const Outcome outcome = lipkin({"run", write("p.yaml", kPendulum), "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = outcome.json();
  for (const char* key : {"min", "max", "final"}) EXPECT_TRUE(json["outputs"]["angle"][key].is_number()) << key;
  EXPECT_EQ(json["outputs"]["angle"]["unit"], "rad");
  EXPECT_EQ(json["steps"], 2000);
  EXPECT_EQ(json["sim_time"], 2.0);
  for (const char* key : {"wall_time", "real_time_factor", "dt"}) EXPECT_GT(json[key], 0) << key;
  for (const char* key : {"mean", "p50", "p99", "max"}) EXPECT_GT(json["step_time"][key], 0) << key;
  EXPECT_LE(json["step_time"]["p50"], json["step_time"]["p99"]);
  EXPECT_LE(json["step_time"]["p99"], json["step_time"]["max"]);
  for (const char* key : {"mean", "max"}) EXPECT_EQ(json["iterations"][key], 0) << key;
  for (const char* key : {"position", "velocity"}) EXPECT_EQ(json["violation"][key], 0) << key;
  EXPECT_EQ(json["converged"], true);
  EXPECT_EQ(json["stepper"], "euler");
  EXPECT_EQ(json["scene"], "pendulum");
  EXPECT_EQ(json["state_hash"].get<std::string>().size(), 16u);
  for (const char* key : {"rejected_steps", "evaluations", "instruction_set"}) EXPECT_TRUE(json.contains(key)) << key;
}

TEST_F(RunCommand, EnergyAndOutputsAreThoseOfTheMotion) {
  const Json json = lipkin({"run", write("p.yaml", kPendulum), "--json", "--stepper", "dopri5"}).json();
  // -m g l cos(1) at rest; the pendulum swings between -1 and 1 rad. Sampled at steps, the turning points are met to
  // the square of the step, about 0.01.
  EXPECT_NEAR(json["energy"]["initial"], -2 * 9.81 * 0.5 * std::cos(1.0), 1e-12);
  EXPECT_NEAR(json["energy"]["drift"], 0, 1e-6);
  EXPECT_NEAR(json["outputs"]["angle"]["max"], 1, 1e-6);
  EXPECT_NEAR(json["outputs"]["angle"]["min"], -1, 0.02);
}

TEST_F(RunCommand, OptionsChangeTheExperiment) {
  const std::string scene = write("f.yaml", kFall);
  const Json json = lipkin({"run", scene, "--json", "--duration", "3", "--dt", "0.5"}).json();
  EXPECT_EQ(json["steps"], 6);
  // RK4 is exact for a parabola.
  EXPECT_NEAR(json["outputs"]["height"]["final"], -9.81 * 4.5, 1e-12);
  const Json set =
      lipkin({"run", scene, "--json", "--set", "gravity=[0,0,-2]", "--set", "experiment.duration=1"}).json();
  EXPECT_NEAR(set["outputs"]["height"]["final"], -1, 1e-12);
  EXPECT_EQ(lipkin({"run", "--set", "gravity=[0,0,-2]", scene}).exit_code, 0);  // takes one word
  const Json tight = lipkin({"run", scene, "--json", "--stepper", "dopri5", "--tolerance", "1e-10"}).json();
  EXPECT_EQ(tight["stepper"], "dopri5");
  EXPECT_NEAR(tight["outputs"]["height"]["final"], -9.81 * 2, 1e-10);
}

TEST_F(RunCommand, SameBitsOverRunsThreadsAndRecordings) {
  const std::string scene = write("p.yaml", kPendulum);
  for (const char* stepper : {"euler", "rk4", "dopri5"}) {
    std::set<std::string> hashes;
    const auto add = [&](std::vector<std::string> more) {
      std::vector<std::string> words = {"run", scene, "--json", "--stepper", stepper};
      words.insert(words.end(), more.begin(), more.end());
      hashes.insert(lipkin(words).json()["state_hash"]);
    };
    for (int i = 0; i < 10; ++i) add({});
    for (const char* threads : {"1", "2", "4"}) add({"--threads", threads});
    add({"--csv", path("o.csv"), "--every", "0.0137"});
    add({"--plot", path("o.svg")});
    EXPECT_EQ(hashes.size(), 1u) << stepper;
  }
}

TEST_F(RunCommand, OutputsDoNotDependOnHowOftenTheyAreRecorded) {
  const std::string scene = write("p.yaml", kPendulum);
  const Json plain = lipkin({"run", scene, "--json"}).json();
  const Json recorded = lipkin({"run", scene, "--json", "--csv", path("o.csv"), "--every", "0.9"}).json();
  EXPECT_EQ(plain["outputs"], recorded["outputs"]);
}

TEST_F(RunCommand, SummaryIsForPeople) {
  const Outcome outcome = lipkin({"run", write("p.yaml", kPendulum)});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part : {"angle", "rad/s", "step time", "energy", "state hash"}) {
    EXPECT_TRUE(contains(outcome.out, part));
  }
  EXPECT_EQ(outcome.err, "");  // no progress bar where stderr is no terminal
}

TEST_F(RunCommand, CsvHasUnitsAndNumbersThatReadBack) {
  const Outcome outcome =
      lipkin({"run", write("p.yaml", kPendulum), "--json", "--csv", path("o.csv"), "--every", "0.1"});
  const std::vector<std::string> lines = lines_of(read_text(path("o.csv")));
  ASSERT_EQ(lines.size(), 22u);  // header, start, 20 samples
  EXPECT_EQ(lines[0], "t [s],angle [rad],speed [rad/s]");
  EXPECT_EQ(numbers_of(lines[1]), (std::vector<double>{0, 1, 0}));
  const Json outputs = outcome.json()["outputs"];
  EXPECT_EQ(numbers_of(lines[21]), (std::vector<double>{2, outputs["angle"]["final"], outputs["speed"]["final"]}));
  for (std::size_t i = 2; i < lines.size(); ++i) {
    // Times are sums of steps of 1 ms: 2000 roundings at most.
    EXPECT_NEAR(numbers_of(lines[i])[0], 0.1 * static_cast<double>(i - 1), 1e-12);
  }
}

// As the key of a scene: 0 is every step.
TEST_F(RunCommand, CsvOfNoOutputsIsWarnedOf) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
bodies: [{name: a, mass: 1, joint: {type: prismatic, axis: x, u: 1}}]
experiment: {stepper: euler, duration: 0.1, dt: 0.01}
)");
  for (const bool commanded : {false, true}) {
    std::vector<std::string> line = {"run", scene, "--csv", path("o.csv"), "--json"};
    if (commanded) line.insert(line.end(), {"--commands", write("c.jsonl", "")});
    const Outcome run = lipkin(line);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.err.find("warning: --csv: the scene watches no outputs"), std::string::npos) << run.err;
    EXPECT_EQ(run.json()["warnings"].size(), 1u);
  }
  EXPECT_EQ(lipkin({"run", scene}).err, "");
}

TEST_F(RunCommand, EveryStepIsRecordedWhereTheSpacingIsZero) {
  const std::string scene = write("p.yaml", std::string(kPendulum) + "\n");
  for (const std::string every : {"0", "0.5"}) {
    const Outcome run =
        lipkin({"run", scene, "--duration", "0.01", "--dt", "0.001", "--csv", path("o.csv"), "--every", every});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(lines_of(read_text(path("o.csv"))).size(), every == "0" ? 12u : 2u);  // header, start, 10 steps
  }
  EXPECT_EQ(lipkin({"run", scene, "--csv", path("o.csv"), "--every", "-1"}).exit_code, 2);
}

// A run of no step that says nothing looks like a result.
TEST_F(RunCommand, DurationsBelowTheRoundingOfAStepAreRefused) {
  const std::string scene = write("f.yaml", kFall);
  const std::vector<std::string> times[] = {
      {"--duration", "1e-9", "--dt", "1e-3"}, {"--dt", "1e9"}, {"--stepper", "moreau", "--dt", "1e300"}};
  for (std::vector<std::string> words : times) {
    words.insert(words.begin(), {"run", scene, "--csv", path("o.csv")});
    const Outcome run = lipkin(words);
    EXPECT_EQ(run.exit_code, 2) << words.back();
    EXPECT_TRUE(contains(run.err, "no step would be taken"));
    EXPECT_EQ(file_count(), 1u);
  }
  const Outcome short_run = lipkin({"run", scene, "--duration", "1e-5", "--dt", "1", "--json"});
  EXPECT_EQ(short_run.json()["steps"], 1);
  const Outcome none = lipkin({"run", scene, "--duration", "0", "--dt", "1e9", "--json"});
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_EQ(none.json()["steps"], 0);
}

TEST_F(RunCommand, CsvOfAnAdaptiveStepperIsEvenlySpaced) {
  lipkin({"run", write("f.yaml", kFall), "--stepper", "dopri5", "--csv", path("o.csv"), "--every", "0.25"});
  const std::vector<std::string> lines = lines_of(read_text(path("o.csv")));
  ASSERT_EQ(lines.size(), 10u);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const double t = 0.25 * static_cast<double>(i - 1);
    EXPECT_NEAR(numbers_of(lines[i])[0], t, 1e-14);
    EXPECT_NEAR(numbers_of(lines[i])[1], -9.81 * t * t / 2, 1e-9);  // within the stepper's tolerance of 1e-8 relative
  }
}

TEST_F(RunCommand, CsvToStdoutLeavesTheSummaryToStderr) {
  const Outcome outcome = lipkin({"run", write("f.yaml", kFall), "--csv", "-", "--every", "1"});
  EXPECT_EQ(lines_of(outcome.out).size(), 4u);
  EXPECT_TRUE(contains(outcome.err, "state hash"));
  const Outcome both = lipkin({"run", path("f.yaml"), "--csv", "-", "--json"});
  EXPECT_EQ(both.exit_code, 2);
}

TEST_F(RunCommand, FilesThatCannotBeWrittenAreRefusedBeforeTheRun) {
  const std::string scene = write("f.yaml", kFall);
  for (const std::string& file : {path("no/such/folder.csv"), path(".")}) {
    const Outcome outcome = lipkin({"run", scene, "--csv", file});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(lipkin({"run", scene, "--plot", path("o.gif")}).exit_code, 2);
  EXPECT_EQ(file_count(), 1u);  // the scene: nothing half-written is left
}

TEST_F(RunCommand, FullDiskIsNotASuccess) {
  const Outcome outcome = lipkin({"run", write("p.yaml", kPendulum), "--csv", "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.err, "/dev/full"));
}

TEST_F(RunCommand, StateThatStopsBeingFiniteStopsTheRunAndKeepsTheRecording) {
  const std::string scene = write("b.yaml", kBlowUp);
  const Outcome outcome = lipkin({"run", scene, "--json", "--csv", path("o.csv")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.err, "actuator 'motor'"));
  EXPECT_TRUE(contains(outcome.err, "o.csv"));
  const Json json = outcome.json();
  EXPECT_EQ(json["converged"], false);
  EXPECT_TRUE(contains(json["error"]["message"], "actuator 'motor'"));
  const std::vector<std::string> lines = lines_of(read_text(path("o.csv")));
  ASSERT_GT(lines.size(), 60u);
  EXPECT_NEAR(numbers_of(lines.back())[0], 0.7, 0.02);  // exp(1000 t) overflows at t = 0.7097
  for (const double value : numbers_of(lines.back())) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(RunCommand, InterruptKeepsTheRecording) {
  const pid_t child = start({"run", write("p.yaml", kPendulum), "--duration", "1e7", "--csv", path("o.csv")});
  while (file_count() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // until it has begun to write
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(child, SIGINT);
  const Outcome outcome = wait_for(child);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.err, "interrupted at t = "));
  const std::string csv = read_text(path("o.csv"));
  EXPECT_TRUE(contains(csv, "t [s],angle [rad]"));
  EXPECT_EQ(csv.back(), '\n');
}

TEST_F(RunCommand, PlotIsAPicture) {
  const std::string scene = write("p.yaml", kPendulum);
  EXPECT_EQ(lipkin({"run", scene, "--plot", path("o.png")}).exit_code, 0);
  EXPECT_EQ(read_text(path("o.png")).substr(0, 8), "\x89PNG\r\n\x1a\n");
}

// A recording, or commands from a file, change nothing of what was asked for.
TEST_F(RunCommand, RecordsWithTheSameOptions) {
  const std::vector<std::string> asked = {"run",     "four-bar", "--duration", "0.2", "--balance",
                                          "--check", "all",      "--threads",  "3",   "--json"};
  const auto with = [&](const char* option, const std::string& file) {
    std::vector<std::string> words = asked;
    words.insert(words.end(), {option, file});
    return lipkin(words).json();
  };
  const Json plain = lipkin(asked).json();
  for (const Json& other : {with("--record", path("r.mcap")), with("--commands", write("none.jsonl", "\n"))})
    for (const char* key : {"state_hash", "energy", "momentum", "threads"}) {
      ASSERT_TRUE(plain.contains(key)) << key;
      EXPECT_EQ(other[key], plain[key]) << key;
    }
}

TEST_F(RunCommand, InspectTellsTheTree) {
  const std::string scene = write("p.yaml", kPendulum);
  const Outcome text = lipkin({"inspect", scene});
  EXPECT_EQ(text.exit_code, 0);
  for (const char* part : {"world", "bob", "revolute", "1 dof", "2 kg", "loops", "length"}) {
    EXPECT_TRUE(contains(text.out, part));
  }
  const Json json = lipkin({"inspect", scene, "--json", "--set", "bodies.bob.mass=7"}).json();
  EXPECT_EQ(json["bodies"], 1);
  EXPECT_EQ(json["dof"], 1);
  EXPECT_EQ(json["mass"], 7.0);
  EXPECT_EQ(json["loops"], 0);
  EXPECT_EQ(json["tree"][0]["type"], "revolute");
  EXPECT_EQ(json["tree"][0]["parent"], "world");
  EXPECT_EQ(json["parameters"][0]["name"], "length");
  EXPECT_EQ(json["outputs"].size(), 2u);
}

}  // namespace
}  // namespace lipkin::test
