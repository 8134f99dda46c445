#include <cmath>

#include "cli/program.hpp"

namespace lipkin::test {
namespace {

// Values of order one computed by a handful of operations: a few units in the last place.
constexpr double kRounding = 1e-14;
constexpr double g = 9.81;

class EvalCommand : public ProgramTest {
 protected:
  Json first_case(const std::string& scene, const Json& state, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"eval", scene, "--states",
                                      write("states.json", Json{{"cases", {state}}, {"ignored", 1}}.dump())};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = lipkin(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["cases"][0];
  }

  void expect_states_refused(const std::string& states, const std::string& part) {
    const Outcome outcome = lipkin({"eval", write("p.yaml", kPendulum), "--states", write("states.json", states)});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(contains(outcome.err, "states.json"));
    EXPECT_TRUE(contains(outcome.err, part));
    EXPECT_EQ(outcome.out, "");
  }

  static void expect_near(const Json& list, const std::vector<double>& expected, double tolerance) {
    ASSERT_EQ(list.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(list[i], expected[i], tolerance) << i;
  }
};

TEST_F(EvalCommand, PendulumInClosedForm) {
  const double m = 2, l = 0.5, q = 0.7, u = -1.3, tau = 0.4;
  const Json answer = first_case(write("p.yaml", kPendulum), {{"qpos", {q}}, {"qvel", {u}}, {"tau", {tau}}});
  expect_near(answer["M_lower"], {m * l * l}, kRounding);
  expect_near(answer["bias"], {m * g * l * std::sin(q)}, kRounding * 10);
  expect_near(answer["qacc"], {(tau - m * g * l * std::sin(q)) / (m * l * l)}, kRounding * 100);
  EXPECT_NEAR(answer["kinetic"], 0.5 * m * l * l * u * u, kRounding);
  EXPECT_NEAR(answer["potential"], -m * g * l * std::cos(q), kRounding * 10);
  expect_near(answer["com"], {-l * std::sin(q), 0, -l * std::cos(q)}, kRounding);
  expect_near(answer["poses"]["bob"], {0, 0, 0, std::cos(q / 2), 0, std::sin(q / 2), 0}, kRounding);
  EXPECT_EQ(answer["qpos"][0], q);
  EXPECT_EQ(answer["tau"][0], tau);
}

// Two point masses on massless rods, the second angle relative to the first: Craig, Introduction to Robotics, 6.7,
// with the angles measured from the vertical.
TEST_F(EvalCommand, DoublePendulumInClosedForm) {
  const std::string scene = write("d.yaml", R"(lipkin: 1
bodies:
  - {name: a, joint: {type: revolute, axis: y}, mass: 1.5, com: [0, 0, -0.8]}
  - {name: b, parent: a, joint: {type: revolute, axis: y, at: [0, 0, -0.8]}, mass: 0.7, com: [0, 0, -1.1]}
)");
  const double m1 = 1.5, m2 = 0.7, l1 = 0.8, l2 = 1.1, q1 = 0.4, q2 = -1.2, u1 = 0.9, u2 = 1.7;
  const Json answer = first_case(scene, {{"qpos", {q1, q2}}, {"qvel", {u1, u2}}});
  const double c2 = std::cos(q2), s2 = std::sin(q2);
  const double m11 = l2 * l2 * m2 + 2 * l1 * l2 * m2 * c2 + l1 * l1 * (m1 + m2);
  const double m12 = l2 * l2 * m2 + l1 * l2 * m2 * c2;
  const double m22 = l2 * l2 * m2;
  const double h1 = -m2 * l1 * l2 * s2 * (u2 * u2 + 2 * u1 * u2) + m2 * l2 * g * std::sin(q1 + q2) +
                    (m1 + m2) * l1 * g * std::sin(q1);
  const double h2 = m2 * l1 * l2 * s2 * u1 * u1 + m2 * l2 * g * std::sin(q1 + q2);
  expect_near(answer["M_lower"], {m11, m12, m22}, kRounding);
  expect_near(answer["bias"], {h1, h2}, kRounding * 10);
  const double determinant = m11 * m22 - m12 * m12;
  expect_near(answer["qacc"], {(-m22 * h1 + m12 * h2) / determinant, (m12 * h1 - m11 * h2) / determinant},
              kRounding * 1000);
}

// Position, quaternion w x y z (any length); velocity along the world, angular velocity along the body: Euler's
// equations.
TEST_F(EvalCommand, FreeBodyInClosedForm) {
  const std::string scene =
      write("f.yaml", "lipkin: 1\nbodies:\n  - {name: b, joint: free, mass: 3, inertia: [0.2, 0.3, 0.4]}\n");
  const double wx = 1, wy = -2, wz = 0.5;
  const Json state = {{"qpos", {1, 2, 3, 0, 3, 0, 0}}, {"qvel", {0.1, 0.2, 0.3, wx, wy, wz}}};
  const Json answer = first_case(scene, state);
  const Json& M = answer["M_lower"];
  const std::vector<double> diagonal = {3, 3, 3, 0.2, 0.3, 0.4};
  for (std::size_t row = 0, k = 0; row < 6; ++row) {
    for (std::size_t column = 0; column <= row; ++column, ++k) {
      EXPECT_NEAR(M[k], row == column ? diagonal[row] : 0, kRounding) << row << ' ' << column;
    }
  }
  const double ax = (0.3 - 0.4) * wy * wz / 0.2, ay = (0.4 - 0.2) * wz * wx / 0.3, az = (0.2 - 0.3) * wx * wy / 0.4;
  expect_near(answer["qacc"], {0, 0, -g, ax, ay, az}, kRounding * 10);
  EXPECT_NEAR(answer["kinetic"], 0.5 * (3 * 0.14 + 0.2 * wx * wx + 0.3 * wy * wy + 0.4 * wz * wz), kRounding);
  expect_near(answer["poses"]["b"], {1, 2, 3, 0, 1, 0, 0}, kRounding);
  EXPECT_NEAR(answer["potential"], 3 * g * 3, kRounding * 100);
}

// Sliders whose masses tell them apart: a (1 kg) carries c (100 kg), b (10 kg) stands alone.
TEST_F(EvalCommand, JointsComeDepthFirst) {
  const std::string scene = write("t.yaml", R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: prismatic, axis: x}, mass: 1, inertia: [1, 1, 1]}
  - {name: b, joint: {type: prismatic, axis: x}, mass: 10, inertia: [1, 1, 1]}
  - {name: c, parent: a, joint: {type: prismatic, axis: y}, mass: 100, inertia: [1, 1, 1]}
)");
  const Json answer = first_case(scene, {{"qpos", {0.1, 0.2, 0.3}}, {"qvel", {0, 0, 0}}, {"tau", {101, 200, 30}}});
  expect_near(answer["M_lower"], {101, 0, 100, 0, 0, 10}, kRounding);
  expect_near(answer["qacc"], {1, 2, 3}, kRounding);
  expect_near(answer["poses"]["c"], {0.1, 0.2, 0, 1, 0, 0, 0}, kRounding);
  expect_near(answer["poses"]["b"], {0.3, 0, 0, 1, 0, 0, 0}, kRounding);
}

TEST_F(EvalCommand, FullAddsSpringsAndDampers) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: prismatic, axis: x, stiffness: 8, damping: 3}, mass: 2, inertia: [1, 1, 1]}
)");
  const Json state = {{"qpos", {0.5}}, {"qvel", {2}}};
  expect_near(first_case(scene, state)["qacc"], {0}, 0);
  const Json full = first_case(scene, state, {"--full"});
  expect_near(full["qacc"], {-(8 * 0.5 + 3 * 2) / 2.0}, kRounding);
  EXPECT_NEAR(full["potential"], 0.5 * 8 * 0.25, kRounding);
}

TEST_F(EvalCommand, ParametersCanBeSet) {
  const Json answer = first_case(write("p.yaml", kPendulum), {{"qpos", {0}}, {"qvel", {0}}}, {"--set", "length=2"});
  expect_near(answer["M_lower"], {8}, kRounding);
}

TEST_F(EvalCommand, WrongStatesAreRefused) {
  expect_states_refused(R"({"cases": [{"qpos": [0], "qvel": [0]}, {"qpos": [0, 1], "qvel": [0]}]})",
                        "case 2: 'qpos' has 2 numbers, expected 1");
  expect_states_refused(R"({"cases": [{"qpos": [0]}]})", "case 1: has no list 'qvel'");
  expect_states_refused(R"({"cases": [{"qpos": [null], "qvel": [0]}]})", "expected a finite number");
  expect_states_refused(R"({"cases": [{"qpos": ["1"], "qvel": [0]}]})", "expected a finite number");
  expect_states_refused(R"({"cases": [{"qpos": [0], "qvel": [0], "tau": [1, 2]}]})", "'tau' has 2 numbers");
  expect_states_refused(R"({"cases": 3})", "no list 'cases'");
  expect_states_refused(R"([])", "no list 'cases'");
  expect_states_refused("{\"cases\":\n [oops]}", "states.json:2:");
  expect_states_refused(R"({"cases": [{"qpos": [1e999], "qvel": [0]}]})", "states.json");
  expect_states_refused("", "states.json:1:1");
}

TEST_F(EvalCommand, QuaternionWithoutLengthIsRefused) {
  const std::string scene =
      write("b.yaml", "lipkin: 1\nbodies:\n  - {name: b, joint: ball, mass: 1, inertia: [1, 1, 1]}\n");
  const Outcome outcome =
      lipkin({"eval", scene, "--states", write("s.json", R"({"cases": [{"qpos": [0, 0, 0, 0], "qvel": [0, 0, 0]}]})")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "case 1"));
  EXPECT_TRUE(contains(outcome.err, "quaternion"));
}

TEST_F(EvalCommand, BaseIsForOtherFormats) {
  const Outcome outcome =
      lipkin({"eval", write("p.yaml", kPendulum), "--states", write("s.json", R"({"cases": []})"), "--base", "fixed"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "URDF"));
}

// I = 1 kg m^2: (10 (0.3 - 0.1) - 2 * 0.5) = 1 rad/s^2 of the servo, 2 rad/s^2 less the friction that a step would
// know.
TEST_F(EvalCommand, FullHasServosAndSaysWhatIsLeftOut) {
  const std::string scene = write("s.yaml", R"(lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, joint: {type: revolute, friction: 0.1}, mass: 1, inertia: [1, 1, 1]}]
motors: [{name: m, joint: a, position: 0.3, stiffness: 10, damping: 2}]
)");
  const Json state = {{"qpos", {0.1}}, {"qvel", {0.5}}};
  expect_near(first_case(scene, state)["qacc"], {0}, kRounding);
  const Json full = first_case(scene, state, {"--full"});
  expect_near(full["qacc"], {1}, kRounding);
  EXPECT_EQ(full["left_out"], Json::array({"1 joint or tendon with friction"}));
}

TEST_F(EvalCommand, ClosedLoopsAreRefusedUnlessTheyAreOpened) {
  const std::string states =
      write("states.json", Json{{"cases", {{{"qpos", {0, 0, 0, 0, 0}}, {"qvel", {0, 0, 0, 0, 0}}}}}}.dump());
  const Outcome refused = lipkin({"eval", "four-bar", "--states", states});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(is_one_line(refused.err));
  EXPECT_TRUE(contains(refused.err, "closed loops"));
  const Outcome open = lipkin({"eval", "four-bar", "--states", states, "--open-loops"});
  EXPECT_EQ(open.exit_code, 0) << open.err;
  EXPECT_TRUE(contains(open.err, "left open"));
}

}  // namespace
}  // namespace lipkin::test
