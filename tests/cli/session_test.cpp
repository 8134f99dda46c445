// Commands from a file, recordings and replays, through the program.
#include <random>

#include "program.hpp"

namespace lipkin::test {
namespace {

class SessionCli : public ProgramTest {};

TEST_F(SessionCli, CommandsFromAFileChangeTheRun) {
  const std::string commands = write("c.jsonl",
                                     "# a torque after half a second\n\n"
                                     R"({"cmd":"apply_torque","args":{"body":"crank","torque":[0,0,2]},"at":0.5})"
                                     "\n");
  const auto hash = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"run", "peaucellier", "--duration", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome run = lipkin(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.json()["state_hash"].get<std::string>();
  };
  const std::string with = hash({"--commands", commands});
  EXPECT_EQ(with, hash({"--commands", commands}));
  EXPECT_NE(with, hash({}));
  EXPECT_EQ(hash({}), hash({"--commands", write("empty.jsonl", "\n")}));
}

TEST_F(SessionCli, MistakesInCommandsAreNamed) {
  const std::string commands = write("c.jsonl", "{\"cmd\":\"play\"}\nnonsense\n{\"cmd\":\"apply_forse\"}\n");
  const Outcome run = lipkin({"run", "peaucellier", "--commands", commands});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("c.jsonl:2"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("c.jsonl:3"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("apply_force"), std::string::npos) << run.err;
  const std::string late = write("d.jsonl", R"({"cmd":"set","args":{"path":"body.nobody.mass","value":1},"at":0.1})");
  const Outcome refused = lipkin({"run", "peaucellier", "--commands", late});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("d.jsonl:1"), std::string::npos) << refused.err;
  EXPECT_EQ(lipkin({"run", "peaucellier", "--commands", path("none")}).exit_code, 2);
}

TEST_F(SessionCli, ReplayGivesTheSameBits) {
  const std::string commands =
      write("c.jsonl",
            R"({"cmd":"apply_force","args":{"body":"crank","force":[1,2,0],"law":{"kind":"ramp","rise":0.3}},"at":0.2})"
            "\n"
            R"({"cmd":"set","args":{"path":"body.crank.mass","value":3},"at":0.7})"
            "\n");
  const Outcome run = lipkin({"run", "peaucellier", "--set", "swing=0.9", "--dt", "0.004", "--duration", "2",
                              "--commands", commands, "--record", path("r.mcap"), "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::filesystem::remove(commands);
  const Outcome replay = lipkin({"replay", path("r.mcap"), "--json", "--csv", path("r.csv"), "--plot", path("r.svg")});
  ASSERT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_EQ(replay.json()["state_hash"], run.json()["state_hash"]);
  EXPECT_EQ(replay.json()["complete"], true);
  EXPECT_GE(replay.json()["checkpoints"].get<int>(), 4);
  EXPECT_EQ(read_text(path("r.csv")).substr(0, 14), "t [s],D_x [m],");
  EXPECT_NE(read_text(path("r.svg")).find("<svg"), std::string::npos);
}

TEST_F(SessionCli, DamagedRecordingsAreRefused) {
  ASSERT_EQ(lipkin({"run", "peaucellier", "--duration", "0.2", "--record", path("r.mcap")}).exit_code, 0);
  const std::string whole = read_text(path("r.mcap"));
  EXPECT_EQ(lipkin({"replay", path("nothing.mcap")}).exit_code, 2);
  EXPECT_EQ(lipkin({"replay", write("text.mcap", "hello")}).exit_code, 2);
  std::string changed = whole;
  changed[whole.size() / 2] = static_cast<char>(changed[whole.size() / 2] ^ 1);
  EXPECT_NE(lipkin({"replay", write("changed.mcap", changed)}).exit_code, 0);
  const std::uint32_t seed = 7;
  std::mt19937 random(seed);
  for (int i = 0; i < 20; ++i) {  // whatever is cut off or changed: an answer, never a crash
    std::string broken = whole.substr(0, random() % whole.size());
    if (i % 2 && !broken.empty()) broken[random() % broken.size()] = static_cast<char>(random());
    EXPECT_LE(lipkin({"replay", write("broken.mcap", broken)}).exit_code, 2) << i;
  }
}

TEST_F(SessionCli, KilledRecordingsReplay) {
  int replayed = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string file = path("k" + std::to_string(i) + ".mcap");
    const pid_t child = start({"run", "peaucellier", "--duration", "100000", "--record", file});
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + i % 10));
    kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child).exit_code, 128 + SIGKILL);
    const auto rows = std::filesystem::file_size(file);
    const Outcome replay = lipkin({"replay", file, "--json"});
    if (replay.exit_code == 2) {  // killed before the first row was written
      EXPECT_LT(rows, 40000u);
      continue;
    }
    ++replayed;
    ASSERT_EQ(replay.exit_code, 0) << replay.err;
    EXPECT_EQ(replay.json()["same"], true);
    EXPECT_EQ(replay.json()["complete"], false);
    std::filesystem::remove(file);
  }
  std::cout << "[figure] " << replayed << " of 50 killed recordings replayed bit for bit\n";
  EXPECT_GT(replayed, 0);  // how many get as far as a row depends on the machine
}

// The car's commands from a file, and the same run from its recording: one hash.
TEST_F(SessionCli, ATorqueOnTheCarReplaysToTheSameBits) {
  const std::string commands = write(
      "c.jsonl",
      R"({"cmd":"set","args":{"path":"input.throttle","value":0.3},"at":8})"
      "\n"
      R"({"cmd":"set","args":{"path":"tyre.front_left_wheel.friction","value":0.7},"at":9})"
      "\n"
      R"({"cmd":"apply_torque","args":{"body":"rear_left_wheel","torque":[0,150,0],"frame":"body","duration":1},"at":10})"
      "\n"
      R"({"cmd":"set_controller","args":{"name":"engine","law":"60"},"at":10.5})"
      "\n");
  const std::vector<std::string> words = {"run", "minibaja", "--duration", "12", "--commands", commands, "--json"};
  std::vector<std::string> recorded = words;
  recorded.insert(recorded.end(), {"--record", path("r.mcap")});
  const Outcome run = lipkin(words), record = lipkin(recorded), replay = lipkin({"replay", path("r.mcap"), "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(record.exit_code, 0) << record.err;
  ASSERT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_EQ(run.json()["state_hash"], record.json()["state_hash"]);
  EXPECT_EQ(run.json()["state_hash"], replay.json()["state_hash"]);
  const Outcome without = lipkin({"run", "minibaja", "--duration", "12", "--json"});
  EXPECT_NE(run.json()["state_hash"], without.json()["state_hash"]);
  EXPECT_LT(run.json()["violation"]["position"].get<double>(), 1e-9);
}

// The example of the guide as it stands, against a running program: it balances, and what it sent is in the recording.
TEST_F(SessionCli, AControllerOutsideBalancesInStep) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const std::string recording = path("c.mcap");
  const pid_t view = start({"view", "cart-pole", "--no-browser", "--paused", "--record", recording});
  std::string address;
  for (int i = 0; i < 500 && address.find('\n') == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    address = printed();
  }
  ASSERT_EQ(address.rfind("http://127.0.0.1:", 0), 0u) << address;
  address.pop_back();
  const std::string said = path("controller.txt");
  const std::string call =
      "python3 '" LIPKIN_SOURCE_DIR "/examples/controller.py' '" + address + "' 1200 > '" + said + "' 2>&1";
  EXPECT_EQ(std::system(call.c_str()), 0) << read_text(said);
  kill(view, SIGINT);
  EXPECT_EQ(wait_for(view).exit_code, 0);
  const std::string text = read_text(said);
  double angle = 1, place = 1;
  char hash[17] = {};
  ASSERT_EQ(std::sscanf(text.c_str(), "angle %lf rad, place %lf m, hash %16s", &angle, &place, hash), 3) << text;
  EXPECT_NEAR(angle, 0, 1e-3);  // 6 s: e^-18 times t^3 of 0.1 rad
  EXPECT_NEAR(place, 0, 1e-3);
  const Outcome replay = lipkin({"replay", recording, "--json"});
  ASSERT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_EQ(replay.json()["state_hash"], std::string(hash));
}

TEST_F(SessionCli, ViewServesUntilItsTimeIsOver) {
  const Outcome view = lipkin({"view", "--no-browser", "--quit-after", "0.3", "--record", path("v.mcap")});
  EXPECT_EQ(view.exit_code, 0) << view.err;
  EXPECT_EQ(view.out.rfind("http://127.0.0.1:", 0), 0u) << view.out;
  EXPECT_NE(view.err.find("deadlines missed"), std::string::npos);
  EXPECT_EQ(lipkin({"replay", path("v.mcap")}).exit_code, 0);
  EXPECT_EQ(lipkin({"replay", path("v.mcap"), "--view", "--no-browser", "--quit-after", "0.2"}).exit_code, 0);
  EXPECT_EQ(lipkin({"view", "--port", "70000"}).exit_code, 2);
  EXPECT_EQ(lipkin({"view", "--token", "short"}).exit_code, 2);
  EXPECT_EQ(lipkin({"view", "nosuchscene", "--no-browser"}).exit_code, 2);
}

}  // namespace
}  // namespace lipkin::test
