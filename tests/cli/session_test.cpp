// Commands from a file, recordings and replays, through the program.
#include <random>

#include "lipkin/recording.hpp"
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

// Whatever keys a command has, the answer is the whole line to write, once.
TEST_F(SessionCli, MistakesInCommandsAreAnsweredByTheLineToWrite) {
  const std::string scene = write("p.yaml", kPendulum);
  const std::string line = R"({"cmd": "set", "args": {"path": "body.arm.mass", "value": 5}, "at": 1.5})";
  for (const char* wrong :
       {"[\n  {\"time\": 1.5, \"set\": {\"body.arm.mass\": 5}}\n]\n", R"({"at": 1.5, "set": {"body.arm.mass": 5}})",
        R"({"cmd": "set", "path": "body.arm.mass", "value": 5, "at": 1.5})",
        R"({"cmd": "set", "args": {"body.arm.mass": 5}, "at": 1.5})",
        R"({"cmd": "set", "args": {"path": "body.arm.mass", "value": 5}, "time": 1.5})",
        R"({"cmd": "set", "args": {"path": "body.arm.mass", "value": 5}, "at": {"t": 1.5}})"}) {
    const Outcome run = lipkin({"run", scene, "--commands", write("c", wrong)});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_TRUE(is_one_line(run.err)) << run.err;
    EXPECT_TRUE(contains(run.err, "(write " + line + ")")) << wrong << "\n" << run.err;
  }
  EXPECT_TRUE(contains(lipkin({"run", scene, "--commands", write("c", "nonsense")}).err,
                       R"((write {"cmd": "set", "args": {"path": "motor.drive.target", "value": 5}, "at": 1.0}))"));
}

TEST_F(SessionCli, CommandsAfterTheEndAreToldInSeconds) {
  const std::string scene = write("p.yaml", kPendulum);
  const Outcome run =
      lipkin({"run", scene, "--duration", "1", "--commands", write("c", R"({"cmd":"hash","at":1000})")});
  EXPECT_TRUE(
      contains(run.err, "1 command is due after the end of the run ('at' is in seconds, and the run ends at t = 1 s)"))
      << run.err;
  const Outcome json =
      lipkin({"run", scene, "--duration", "1", "--json", "--commands", write("c", R"({"cmd":"hash","at":1000})")});
  EXPECT_TRUE(contains(json.out, "\"message\": \"1 command is due after the end of the run\"")) << json.out;
}

// An older file of that name would look like the result.
TEST_F(SessionCli, ARefusedCommandLeavesTheRowsUpToThere) {
  const std::string scene = write("p.yaml", kPendulum);
  const std::string file = path("o.csv");
  const std::vector<std::string> words = {"run", scene, "--duration", "1", "--dt", "0.01", "--csv", file};
  ASSERT_EQ(lipkin(words).exit_code, 0);
  const std::string whole = read_text(file);
  std::vector<std::string> with = words;
  with.insert(with.end(), {"--json", "--record", path("o.mcap"), "--commands",
                           write("c", R"({"cmd":"set","args":{"path":"body.nobody.mass","value":1},"at":0.5})")});
  const Outcome refused = lipkin(with);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "c:1: error: there is nothing to set at 'body.nobody.mass'"));
  EXPECT_TRUE(contains(refused.err, "o.csv: has what was recorded up to t = 0.5 s"));
  EXPECT_TRUE(contains(refused.json()["error"]["message"], "body.nobody.mass"));
  const std::string rows = read_text(file);
  EXPECT_EQ(rows, whole.substr(0, rows.size()));  // the bits that the run without the command has
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 52);
  EXPECT_EQ(lipkin({"replay", path("o.mcap")}).exit_code, 0);
}

// Nobody waits for the answer of a motion that begins later.
TEST_F(SessionCli, AMotionThatCannotBeginIsAWarning) {
  const std::string scene = write("p.yaml", kPendulum);
  const Json motion = {
      {"cmd", "apply_motion"},
      {"args", {{"joint", "bob"}, {"motion", "position"}, {"value", 1}, {"start", 0.3}, {"name", "leap"}}}};
  const Outcome run = lipkin({"run", scene, "--duration", "0.5", "--json", "--commands", write("c", motion.dump())});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "at t = 0.3 s: motion 'leap' cannot begin: 'leap'"));
  ASSERT_EQ(run.json()["warnings"].size(), 1u);
  EXPECT_TRUE(contains(run.json()["warnings"][0]["message"], "a jump that no motion can follow"));
  const Outcome plain = lipkin({"run", scene, "--duration", "0.5", "--json"});
  EXPECT_EQ(run.json()["state_hash"], plain.json()["state_hash"]);
}

// What happens by itself in a run is told: a hinge that breaks, and one that cannot.
TEST_F(SessionCli, BreaksAreTold) {
  const std::string scene = write("hinges.yaml", R"(lipkin: 1
bodies:
  - {name: left, mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y}}
  - {name: right, mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, at: [0, 1, 0]}}
forces: [{name: f, body: right, force: [0, 0, "0.1*joint.left.u"]}]
experiment: {stepper: euler, duration: 0.5, dt: 0.001}
)");
  const std::string commands = write("c.jsonl", R"({"cmd":"set_break","args":{"joint":"left","force":20}})"
                                                "\n"
                                                R"({"cmd":"set_break","args":{"joint":"right","force":25}})"
                                                "\n");
  const Outcome run = lipkin({"run", scene, "--commands", commands, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "s: joint 'left' cannot break: "));
  EXPECT_TRUE(contains(run.err, "s joint 'right' broke, under 25"));
  const Json events = run.json()["events"];
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["event"], "refused");
  EXPECT_EQ(events[1]["event"], "broke");
  EXPECT_EQ(events[1]["joint"], "right");
  EXPECT_GE(events[1]["force"], 25);
  const Outcome plain = lipkin({"run", scene, "--json"});
  EXPECT_EQ(plain.json()["events"], Json::array());
  EXPECT_EQ(plain.err, "");
}

// What an output looks at may break in the run: that is no mistake in its expression.
TEST_F(SessionCli, OutputsOfBrokenJointsSaySo) {
  const std::string scene = write("hinge.yaml", R"(lipkin: 1
bodies: [{name: a, mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y}}]
outputs: {load: joint.a.tau, z: body.a.z}
experiment: {stepper: euler, duration: 0.5, dt: 0.001}
)");
  const std::string commands = write("c.jsonl", R"({"cmd":"set_break","args":{"joint":"a","force":1},"at":0.1})");
  const Outcome run = lipkin({"run", scene, "--commands", commands, "--csv", path("o.csv")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "output 'load' is not a number at t = 0.1"));
  EXPECT_TRUE(contains(run.err, "(what it looks at is no longer part of the model)"));
  EXPECT_FALSE(contains(run.err, "roots"));
  EXPECT_FALSE(contains(run.out, "-nan")) << run.out;
  EXPECT_FALSE(contains(read_text(path("o.csv")), "-nan"));
  EXPECT_TRUE(contains(read_text(path("o.csv")), ",nan,"));
}

// A step that is chosen ends where a command is due, in the repetition too.
TEST_F(SessionCli, ChosenStepsReplay) {
  const std::string commands =
      write("c.jsonl", R"({"cmd":"apply_force","args":{"body":"rod1","force":[1,0,0]},"at":0.3333})");
  for (const std::string stepper : {"dopri5", "adams", "bdf"}) {
    const Outcome run = lipkin({"run", "double-pendulum", "--stepper", stepper, "--duration", "1", "--commands",
                                commands, "--record", path("r.mcap"), "--json"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Outcome replay = lipkin({"replay", path("r.mcap"), "--json"});
    EXPECT_EQ(replay.exit_code, 0) << stepper << ": " << replay.err;
    EXPECT_EQ(replay.json()["state_hash"], run.json()["state_hash"]) << stepper;
  }
}

// A refused stepper used to free what the running one works on: the program crashed.
TEST_F(SessionCli, RefusedSteppersAreSaidInWords) {
  for (const std::string stepper : {"rk4", "dopri5", "adams", "bdf"}) {
    const Json settings = {{"cmd", "settings"}, {"args", {{"stepper", stepper}, {"dt", 0.5}}}, {"at", 0.02}};
    for (const std::string scene : {"peaucellier", "tendon-finger"}) {
      const Outcome run =
          lipkin({"run", scene, "--duration", "0.06", "--json", "--commands", write("c", settings.dump())});
      EXPECT_EQ(run.exit_code, 2) << scene << " " << stepper << ": " << run.err;
      EXPECT_NE(run.err.find("stepper '" + stepper + "' takes forces only"), std::string::npos) << run.err;
    }
  }
}

TEST_F(SessionCli, BushingsAreSetWhileTheyAct) {
  const auto run = [&](const std::string& path, double value) {
    const Json line = {{"cmd", "set"}, {"args", {{"path", path}, {"value", value}}}, {"at", 0.1}};
    return lipkin({"run", "spring-bushing", "--duration", "0.3", "--json", "--commands", write("c", line.dump())});
  };
  const Outcome stiff = run("bushing.mount.stiffness.z", 9000), soft = run("bushing.mount.stiffness.z", 3000);
  ASSERT_EQ(stiff.exit_code, 0) << stiff.err;
  ASSERT_EQ(soft.exit_code, 0) << soft.err;
  EXPECT_NE(stiff.json()["state_hash"], soft.json()["state_hash"]);
  EXPECT_EQ(run("bushing.mount.angular_damping.x", -1).exit_code, 2);
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

// Records until it is killed; after each step tells how many there are, when what they gave is written.
[[noreturn]] void record_and_tell(const std::string& file, int pipe) {
  const SceneSource source{"peaucellier", {{"experiment.dt", "0.01"}}};
  Session session(load_scene(source.scene, source.overrides), source);
  SessionRecorder recorder(file, session, source);
  for (std::uint64_t steps = 1;; ++steps) {
    session.step();
    recorder.after_step();
    if (write(pipe, &steps, sizeof steps) != sizeof steps) _exit(1);
  }
}

// Kills such a writer some time after it has told of `least` steps; returns the last number it told.
std::uint64_t record_and_kill(const std::string& file, std::uint64_t least, std::chrono::microseconds later) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) record_and_tell(file, ends[1]);
  close(ends[1]);
  std::uint64_t told = 0;
  while (told < least && read(ends[0], &told, sizeof told) == sizeof told) {
  }
  std::this_thread::sleep_for(later);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  while (read(ends[0], &told, sizeof told) == sizeof told) {
  }
  close(ends[0]);
  return told;
}

// Every one of them replays bit for bit, with all that its writer had told but at most one frame.
TEST_F(SessionCli, KilledRecordingsReplay) {
  std::uint64_t frames_told = 0, frames_lost = 0;
  const std::uint32_t seed = 11;
  std::mt19937 random(seed);
  for (int i = 0; i < 50; ++i) {
    const std::string file = path("k" + std::to_string(i) + ".mcap");
    const std::uint64_t steps = record_and_kill(file, 1 + random() % 500, std::chrono::microseconds(random() % 500));
    const std::uint64_t frames = 1 + steps / 2;  // a row every 0.02 s, and the first
    const Outcome replay = lipkin({"replay", file, "--json"});
    ASSERT_EQ(replay.exit_code, 0) << i << ": " << replay.err;
    EXPECT_EQ(replay.json()["same"], true);
    EXPECT_EQ(replay.json()["complete"], false);
    const std::uint64_t rows = replay.json()["rows"], checkpoints = replay.json()["checkpoints"];
    EXPECT_GE(rows + 1, frames) << i;
    EXPECT_GE(checkpoints, 1 + (steps - 1) / 50) << i;  // one every 0.5 s, and the first
    frames_told += frames;
    frames_lost += rows < frames ? frames - rows : 0;
    std::filesystem::remove(file);
  }
  std::cout << "[figure] 50 recordings killed after " << frames_told << " frames, " << frames_lost << " of them lost\n";
  EXPECT_GT(frames_told, 50u * 100u);  // they were killed in the middle, not at the start
}

// A tetrahedron that falls onto a plane: whether its mesh was found decides where it goes.
constexpr const char* kTetrahedron =
    "v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv 0 0.1 -0.1\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

std::string falling_urdf(const std::string& mesh) {
  return R"(<robot name="stone"><link name="stone"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename=")" +
         mesh + R"("/></geometry></collision></link></robot>)";
}

// Recorded, then replayed when the files that it was read from are gone.
class RecordedModel : public ProgramTest {
 protected:
  Outcome record(const std::string& model, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"run", model, "--duration", "0.3", "--record", path("r.mcap"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return lipkin(words);
  }
  void write_below(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    write(name, text);
  }
  void expect_replay(const Outcome& run, const std::string& folder) {
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::filesystem::remove_all(path(folder));
    const Outcome replay = lipkin({"replay", path("r.mcap"), "--json"});
    ASSERT_EQ(replay.exit_code, 0) << replay.err;
    EXPECT_EQ(replay.json()["state_hash"], run.json()["state_hash"]);
  }
};

TEST_F(RecordedModel, UrdfInAPackageOfItsOwn) {
  write_below("ws/stones/urdf/stone.urdf", falling_urdf("package://stones/meshes/stone.obj"));
  write_below("ws/stones/meshes/stone.obj", kTetrahedron);
  const std::vector<std::string> options = {"--base", "floating", "--ground"};
  const Outcome run = record(path("ws/stones/urdf/stone.urdf"), options);
  const Outcome plain =
      lipkin({"run", path("ws/stones/urdf/stone.urdf"), "--duration", "0.3", "--json", "--base", "floating"});
  EXPECT_NE(run.json()["state_hash"], plain.json()["state_hash"]) << "the mesh does not touch the plane";
  expect_replay(run, "ws");
}

TEST_F(RecordedModel, UrdfWithAPackageElsewhere) {
  write_below("ws/robots/a/stone.urdf", falling_urdf("package://stones/meshes/stone.obj"));
  write_below("ws/deep/packages/stones/meshes/stone.obj", kTetrahedron);
  expect_replay(record(path("ws/robots/a/stone.urdf"),
                       {"--base", "floating", "--ground", "--package-path", path("ws/deep/packages")}),
                "ws");
}

TEST_F(RecordedModel, MjcfWithMeshesAndIncludes) {
  write_below("ws/stone.xml", R"(<mujoco><compiler meshdir="assets"/><include file="parts/ground.xml"/>
<asset><mesh name="m" file="stone.obj"/></asset><worldbody><body pos="0 0 0.11"><freejoint/>
<geom type="mesh" mesh="m" density="1000"/></body></worldbody></mujoco>)");
  write_below("ws/parts/ground.xml",
              R"(<mujocoinclude><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujocoinclude>)");
  write_below("ws/assets/stone.obj", kTetrahedron);
  expect_replay(record(path("ws/stone.xml")), "ws");
}

// By a reader of its own, made from the specification.
TEST_F(RecordedModel, IsWhatTheSpecificationOfMcapSays) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const std::string commands =
      write("c.jsonl", R"({"cmd":"apply_force","args":{"body":"crank","force":[1,2,0]},"at":0.1})"
                       "\n"
                       R"({"cmd":"watch","args":{"channels":[{"name":"w","expr":"body.crank.vx"}]},"at":0.2})");
  const Outcome run =
      lipkin({"run", "peaucellier", "--duration", "0.5", "--commands", commands, "--record", path("r.mcap")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string call = "python3 '" LIPKIN_SOURCE_DIR "/tests/support/check_mcap.py' '" + path("r.mcap") + "' > '" +
                           path("said") + "' 2>&1";
  ASSERT_EQ(std::system(call.c_str()), 0) << read_text(path("said"));
  const Json said = Json::parse(read_text(path("said")));
  EXPECT_EQ(said["messages"]["/commands"], 1);
  EXPECT_GE(said["messages"]["/tf"], 25);
  EXPECT_EQ(said["schemas"]["/tf"], "foxglove.FrameTransforms");  // by this name the 3D panel knows it
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
