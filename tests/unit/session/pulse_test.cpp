// A force over some time is the same pulse however it is said: as a push of a scene, an icon of a session, a law of
// time. Each row shows the forces that led to it: what begins or ends at its time comes behind it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "lipkin/session.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

constexpr double kForce = 10, kMass = 2, kStep = 0.01;
constexpr int kFirst = 5, kSteps = 11;  // it acts from the sixth step on, for eleven

std::string scene_text(const std::string& stepper, const std::string& force, const std::string& commands) {
  return fmt::format(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{{name: body, joint: {{type: free}}, mass: {}, inertia: [1, 1, 1]}}]
forces: [{{name: given, body: body, force: [{}, 0, 0]}}]
outputs: {{vx: {{expr: body.body.vx, unit: m/s}}, ax: {{expr: body.body.ax, unit: m/s^2}}}}
experiment: {{stepper: {}, duration: 0.3, dt: {}, commands: [{}]}}
)",
                     kMass, force, stepper, kStep, commands);
}

using Rows = std::vector<std::array<double, 2>>;  // velocity and acceleration

Rows rows_of(const std::string& text, const std::string& command_line = "") {
  Session session(test::scene_from(text), {});
  if (!command_line.empty())
    session.submit(command_line, [](const CommandAnswer& answer) { ASSERT_TRUE(answer.ok) << answer.error; });
  Rows rows;
  session.run(0.3, 0, [&](const Simulation& now) {
    rows.push_back({now.outputs()[0], now.outputs()[1]});
    return true;
  });
  return rows;
}

// The first and last row that show the force.
void expect_pulse(const Rows& rows, int first, int last, const std::string& how) {
  ASSERT_EQ(rows.size(), 31u) << how;
  for (int i = 0; i < 31; ++i) {
    const int steps = std::clamp(i - kFirst, 0, kSteps);
    EXPECT_NEAR(rows[i][0], steps * kStep * kForce / kMass, 1e-12) << how << ", velocity in row " << i;
    EXPECT_NEAR(rows[i][1], i >= first && i <= last ? kForce / kMass : 0, 1e-12)
        << how << ", acceleration in row " << i;
  }
}

TEST(Pulse, IsTheSameHoweverItIsSaid) {
  const double begin = kFirst * kStep, duration = kSteps * kStep;
  for (const std::string stepper : {"euler", "moreau"}) {
    const int last = stepper == "moreau" ? kFirst + kSteps : kFirst + kSteps - 1;
    const std::string push =
        fmt::format("{{at: {}, push: {{body: body, force: [{}, 0, 0], duration: {}}}}}", begin, kForce, duration);
    expect_pulse(rows_of(scene_text(stepper, "0", push)), kFirst + 1, last, stepper + ", push");
    const std::string icon = fmt::format(
        R"({{"at": {}, "cmd": "apply_force", "args": {{"body": "body", "force": [{}, 0, 0], "duration": {}}}}})", begin,
        kForce, duration);
    expect_pulse(rows_of(scene_text(stepper, "0", ""), icon), kFirst + 1, last, stepper + ", icon");
    const std::string law = fmt::format("\"t >= {} && t < {} ? {} : 0\"", begin, begin + duration, kForce);
    expect_pulse(rows_of(scene_text(stepper, law, "")), stepper == "moreau" ? kFirst + 1 : kFirst, last,
                 stepper + ", law of time");
  }
}

// Fixed steps would see it whole or not at all.
TEST(Pulse, ShorterThanAStepIsRefusedAsAnIcon) {
  Session session(test::scene_from(scene_text("euler", "0", "")), {});
  CommandAnswer answer;
  session.submit(R"({"cmd": "apply_force", "args": {"body": "body", "force": [1, 0, 0], "duration": 0.0033}})",
                 [&](const CommandAnswer& a) { answer = a; });
  session.apply_due();
  EXPECT_FALSE(answer.ok);
  EXPECT_NE(answer.error.find("at least a step, 0.01 s"), std::string::npos) << answer.error;
}

// A knot of a table that has nothing to do with it, close to the jump, does not hide it.
TEST(Pulse, IsNotHiddenByAKnotBesideIt) {
  const std::string law =
      fmt::format("\"t >= {} && t < {} ? {} : 0\"", kFirst * kStep, (kFirst + kSteps) * kStep, kForce);
  std::string text = scene_text("moreau", law, "");
  text.replace(text.find("forces: ["), 9,
               "forces: [{name: other, body: body, force: [0, {table: [[0, 0], [0.0499999999, 1], [1, 2]]}, 0]}, ");
  expect_pulse(rows_of(text), kFirst + 1, kFirst + kSteps, "beside a knot");
}

}  // namespace
}  // namespace lipkin
