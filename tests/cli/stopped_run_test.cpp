// Runs that stop because a number is none, or a motion cannot be: exit code 1 and one clear line.
#include "program.hpp"

namespace lipkin::test {
namespace {

class StoppedRun : public ProgramTest {
 protected:
  std::string one_body(const std::string& motor) {
    return write("s.yaml",
                 "lipkin: 1\nbodies: [{name: a, joint: {type: prismatic, axis: x}, mass: 1}]\nmotors: [{name: m, "
                 "joint: a, " +
                     motor + "}]\nexperiment: {duration: 1, dt: 0.001}\n");
  }
};

TEST_F(StoppedRun, ByAnExpressionThatIsNotANumber) {
  const Outcome run = lipkin({"run", one_body("velocity: 1, max_force: 10, effort: 'sqrt(0.5-t)'")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("at t = 0.501 s the effort of motor 'm', 'sqrt(0.5-t)', is not a number"), std::string::npos)
      << run.err;
}

TEST_F(StoppedRun, ByAPrescribedPositionThatJumps) {
  const Outcome run = lipkin({"run", one_body("position: 't > 0.25 ? 1 : 0'")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("motor"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("'m'"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("at t = 0.25"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace lipkin::test
