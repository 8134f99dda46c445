#include "cli/program.hpp"

namespace lipkin::test {
namespace {

class Usage : public ProgramTest {
 protected:
  // Exit 2, one line on stderr with this part, nothing on stdout.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& part) {
    const Outcome outcome = lipkin(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(contains(outcome.err, part));
    EXPECT_EQ(outcome.out, "");
  }
};

TEST_F(Usage, NoCommandIsRefused) { expect_refused({}, "no command"); }

TEST_F(Usage, UnknownCommandGetsTheNearest) { expect_refused({"rnu"}, "did you mean 'run'?"); }

TEST_F(Usage, UnknownOptionGetsTheNearest) {
  expect_refused({"run", "x.yaml", "--drution", "5"}, "did you mean '--duration'?");
  expect_refused({"--versoin"}, "did you mean '--version'?");
}

TEST_F(Usage, MissingAndSuperfluousArgumentsAreRefused) {
  expect_refused({"run"}, "scene is required");
  expect_refused({"run", "a", "b"}, "b");
  expect_refused({"run", "a", "--dt"}, "--dt");
  expect_refused({"eval", "a"}, "--states");
}

TEST_F(Usage, CommandsOfLaterVersionsSaySo) {
  for (const char* command : {"verify", "sweep"}) expect_refused({command, "x"}, "yet");
}

TEST_F(Usage, ValuesThatDoNotExistAreRefusedWithThoseThatDo) {
  const std::string scene = write("p.yaml", kPendulum);
  expect_refused({"run", scene, "--coordinates", "polar"}, "generalized, maximal");
  expect_refused({"run", scene, "--stabilization", "gaffer"}, "none, baumgarte, projection, split");
  expect_refused({"run", scene, "--stepper", "leapfrog"}, "euler, moreau, rk4, dopri5, adams, bdf");
  expect_refused({"run", scene, "--solver", "hybird"}, "hybrid, impulses, prox, newton, direct, lemke");
  EXPECT_EQ(lipkin({"run", scene, "--coordinates", "maximal", "--stabilization", "none"}).exit_code, 0);
}

TEST_F(Usage, EveryChoiceOfAMechanismWithLoopsIsMadeOnItsOwn) {
  for (const char* coordinates : {"generalized", "maximal"}) {
    for (const char* stepper : {"euler", "moreau"}) {
      const Outcome run = lipkin({"run", "peaucellier", "--duration", "0.05", "--coordinates", coordinates, "--stepper",
                                  stepper, "--solver", "hybrid", "--stabilization", "projection", "--json"});
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_LT(run.json()["violation"]["position"], 1e-10);
      EXPECT_TRUE(run.json()["converged"]);
    }
  }
  expect_refused({"run", "peaucellier", "--stepper", "rk4"}, "expected 'euler' or 'moreau'");
}

TEST_F(Usage, NumbersOutOfRangeAreRefused) {
  const std::string scene = write("p.yaml", kPendulum);
  for (const char* value : {"-1", "nan", "inf"}) expect_refused({"run", scene, "--duration", value}, "--duration");
  for (const char* value : {"0", "-1", "nan"}) expect_refused({"run", scene, "--dt", value}, "--dt");
  expect_refused({"run", scene, "--dt", "fast"}, "fast");
  expect_refused({"run", scene, "--threads", "0"}, "--threads");
  expect_refused({"run", scene, "--tolerance", "1e-9"}, "adaptive");
  expect_refused({"run", scene, "--every", "0.1"}, "--csv or --plot");
  expect_refused({"run", scene, "--dt", "1e-300"}, "steps");
  expect_refused({"run", scene, "--csv", path("o.csv"), "--every", "1e-300"}, "rows");
}

TEST_F(Usage, ErrorsAreJsonWhereJsonIsAskedFor) {
  const Outcome outcome = lipkin({"rnu", "--json"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.json()["error"]["message"], "'rnu'"));
}

TEST_F(Usage, VersionNamesBuildAndOptionalParts) {
  const Outcome text = lipkin({"--version"});
  EXPECT_EQ(text.exit_code, 0);
  for (const char* part : {"lipkin ", "compiler", "instruction set", "CUDA", "MPI", "SUNDIALS"}) {
    EXPECT_TRUE(contains(text.out, part));
  }
  const Json json = lipkin({"--version", "--json"}).json();
  EXPECT_TRUE(json["version"].is_string());
  EXPECT_TRUE(json["instruction_set"].is_string());
}

// What is compiled in decides, not what lies on the machine: a stepper that is told is there.
TEST_F(Usage, VersionSaysWhatIsBuiltIn) {
  const Json parts = lipkin({"--version", "--json"}).json()["optional_parts"];
  EXPECT_EQ(parts["CUDA"], false);
  EXPECT_EQ(parts["MPI"], false);
  const Outcome bdf = lipkin({"run", write("p.yaml", kPendulum), "--stepper", "bdf", "--duration", "0.1"});
  EXPECT_EQ(bdf.exit_code == 0, parts["SUNDIALS"].get<bool>());
  EXPECT_TRUE(contains(lipkin({"--version"}).out, "not built in (batches on a GPU)"));
}

TEST_F(Usage, HelpHasEveryValueThatIsTaken) {
  const std::string scene = write("p.yaml", kPendulum);
  for (const char* command : {"run", "view"}) {
    const std::string help = lipkin({command, "--help"}).out;
    for (const char* option : {"--stepper", "--coordinates", "--solver", "--stabilization"}) {
      const std::string refused = lipkin({"run", scene, option, "nonsense"}).err;
      std::string values = refused.substr(refused.find("values are ") + 11);
      values.erase(values.find('\n'));
      for (std::size_t at = values.find(", "); at != std::string::npos; at = values.find(", "))
        values.replace(at, 2, "|");
      EXPECT_TRUE(contains(help, std::string(option) + " " + values)) << option << " " << values;
    }
  }
}

TEST_F(Usage, ConvertSaysWhatItWrites) {
  const std::string help = lipkin({"convert", "--help"}).out;
  for (const char* part : {".yaml", ".urdf", ".xml", "MJCF", "scene|urdf|mjcf"}) EXPECT_TRUE(contains(help, part));
}

TEST_F(Usage, HelpListsCommandsAndOptions) {
  EXPECT_TRUE(contains(lipkin({"--help"}).out, "inspect"));
  EXPECT_TRUE(contains(lipkin({"run", "--help"}).out, "--stepper euler|moreau|rk4|dopri5|adams|bdf"));
}

TEST_F(Usage, SchemaIsJson) {
  const Outcome outcome = lipkin({"schema"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.json().contains("properties"));
}

TEST_F(Usage, CompletionKnowsTheOptions) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = lipkin({"--completion", shell});
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* part : {"inspect", "stabilization", "euler moreau rk4 dopri5", "scenes --names"}) {
      EXPECT_TRUE(contains(outcome.out, part)) << shell;
    }
  }
  expect_refused({"--completion", "tcsh"}, "bash, zsh, fish");
}

// The script as bash runs it: words so far in, proposals out.
TEST_F(Usage, BashCompletesCommandsOptionsAndValues) {
  const std::string script = write("completion", lipkin({"--completion", "bash"}).out);
  const auto proposals = [&](const std::string& words, int last) {
    const std::string command = "source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=" + std::to_string(last) + "; _lipkin; echo \"${COMPREPLY[*]}\" >" +
                                path("answer");
    EXPECT_EQ(std::system(("bash -c '" + command + "'").c_str()), 0);
    return read_text(path("answer"));
  };
  EXPECT_EQ(proposals("lipkin ins", 1), "inspect\n");
  EXPECT_EQ(proposals("lipkin run --dur", 2), "--duration\n");
  EXPECT_EQ(proposals("lipkin run x --stepper r", 4), "rk4\n");
}

TEST_F(Usage, ScenesAreListedAndPassTheirCheck) {
  const Json scenes = lipkin({"scenes", "--json"}).json()["scenes"];
  ASSERT_FALSE(scenes.empty());
  std::vector<std::string> check = {"check"};
  std::string names;
  for (const Json& scene : scenes) {
    EXPECT_NE(scene["description"], "") << scene["name"];
    check.push_back(scene["name"]);
    names += scene["name"].get<std::string>() + "\n";
  }
  EXPECT_EQ(lipkin({"scenes", "--names"}).out, names);
  const Outcome outcome = lipkin(check);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

}  // namespace
}  // namespace lipkin::test
