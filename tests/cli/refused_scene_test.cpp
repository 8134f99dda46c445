#include "cli/program.hpp"

namespace lipkin::test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// Wrong scenes: one clear line each, exit 2, never a crash, from every command that reads scenes.
class RefusedScene : public ProgramTest {
 protected:
  void expect_refused(const std::string& scene, const std::string& part) {
    for (const char* command : {"run", "check", "inspect"}) {
      const Outcome outcome = lipkin({command, scene});
      EXPECT_EQ(outcome.exit_code, 2) << command;
      EXPECT_TRUE(is_one_line(outcome.err)) << command;
      EXPECT_TRUE(contains(outcome.err, "error: ")) << command;
      EXPECT_TRUE(contains(outcome.err, part)) << command;
      EXPECT_EQ(outcome.out, "") << command;
    }
    const Json error = lipkin({"run", scene, "--json"}).json()["error"];
    ASSERT_EQ(error["diagnostics"].size(), 1u);
    EXPECT_EQ(error["diagnostics"][0]["severity"], "error");
  }

  // With the place of the mistake.
  void expect_refused_at(const std::string& scene, int line, const std::string& part) {
    expect_refused(scene, part);
    const std::string err = lipkin({"check", scene}).err;
    EXPECT_TRUE(contains(err, scene + ":" + std::to_string(line) + ":"));
  }
};

TEST_F(RefusedScene, MisspelledKey) {
  expect_refused_at(write("s.yaml", replaced(kPendulum, "    mass: 2", "    mas: 2\n    mass: 2")), 9, "mass");
}

TEST_F(RefusedScene, NegativeMass) {
  expect_refused_at(write("s.yaml", replaced(kPendulum, "mass: 2", "mass: -2")), 9, "-2");
}

TEST_F(RefusedScene, NotANumber) {
  expect_refused_at(write("s.yaml", replaced(kPendulum, "mass: 2", "mass: .nan")), 9, "nan");
}

TEST_F(RefusedScene, LoopInTheTree) {
  expect_refused(write("s.yaml",
                       "lipkin: 1\nbodies:\n"
                       "  - {name: a, parent: b, joint: revolute, mass: 1, inertia: [1, 1, 1]}\n"
                       "  - {name: b, parent: a, joint: revolute, mass: 1, inertia: [1, 1, 1]}\n"),
                 "a");
}

TEST_F(RefusedScene, MissingFile) { expect_refused(path("missing.yaml"), "missing.yaml"); }

TEST_F(RefusedScene, EmptyFile) { expect_refused(write("empty.yaml", ""), "empty"); }

TEST_F(RefusedScene, Folder) { expect_refused(path("."), "."); }

TEST_F(RefusedScene, NotYaml) { expect_refused(write("s.yaml", "bodies: [1, 2\nname: }"), "s.yaml"); }

TEST_F(RefusedScene, BinaryFile) { expect_refused(write("s.yaml", std::string("\x00\xff\x7f", 3)), "s.yaml"); }

TEST_F(RefusedScene, UnknownSceneGetsTheNearest) { expect_refused("double-pendelum", "double-pendulum"); }

TEST_F(RefusedScene, EveryMistakeIsReportedAtOnce) {
  const std::string scene =
      write("s.yaml", replaced(replaced(kPendulum, "mass: 2", "mass: -2"), "axis: y", "axis: y, dampng: 1"));
  const Outcome outcome = lipkin({"check", scene});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "s.yaml:8:"));
  EXPECT_TRUE(contains(outcome.err, "damping"));
  EXPECT_TRUE(contains(outcome.err, "s.yaml:9:"));
  const Json answer = lipkin({"check", scene, "--json"}).json();
  EXPECT_EQ(answer["scenes"][0]["diagnostics"].size(), 2u);
  for (const Json& diagnostic : answer["scenes"][0]["diagnostics"]) {
    EXPECT_GT(diagnostic["line"], 0);
    EXPECT_GT(diagnostic["column"], 0);
  }
}

TEST_F(RefusedScene, WrongOverrides) {
  const std::string scene = write("p.yaml", kPendulum);
  const auto expect_set_refused = [&](const std::string& override, const std::string& part) {
    const Outcome outcome = lipkin({"run", scene, "--set", override});
    EXPECT_EQ(outcome.exit_code, 2) << override;
    EXPECT_TRUE(is_one_line(outcome.err)) << override;
    EXPECT_TRUE(contains(outcome.err, part));
  };
  expect_set_refused("length", "path=value");
  expect_set_refused("=3", "path=value");
  expect_set_refused("lenght=1", "length");
  expect_set_refused("bodies.bob.mass=-1", "-1");
  expect_set_refused("bodies.bob.mass=abc", "abc");
}

TEST_F(RefusedScene, GoodAndBadFilesInOneCheck) {
  const Outcome outcome = lipkin({"check", write("good.yaml", kPendulum), write("bad.yaml", "lipkin: 2\n")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.out, "good.yaml: ok"));
  EXPECT_TRUE(contains(outcome.err, "bad.yaml:1:"));
}

}  // namespace
}  // namespace lipkin::test
