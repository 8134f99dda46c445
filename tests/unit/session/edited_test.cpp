// What edits are made of, what takes them back, and what a scene keeps of them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "base/temporary_folder.hpp"
#include "unit/session/desk.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::Desk;

class Edited : public testing::Test {
 protected:
  std::string write(const std::string& text) const {
    const std::string path = (folder_.path() / "scene.yaml").string();
    std::ofstream(path) << text;
    return path;
  }
  TemporaryFolder folder_;
};

constexpr const char* kLength = R"(
lipkin: 1
parameters: {length: %}
bodies: [{name: b, joint: {type: revolute, axis: y}, mass: 1, com: [length, 0, 0], inertia: [0.1, 0.1, 0.1]}]
outputs: {q: joint.b.q}
experiment: {dt: 0.001}
)";

std::string with_length(const std::string& length) {
  std::string text = kLength;
  return text.replace(text.find('%'), 1, length);
}

// Whatever becomes of its file while it runs.
TEST_F(Edited, ASceneKeepsTheTextThatTheSessionBeganWith) {
  Desk desk(write(with_length("0.5")));
  desk.run(5), desk.tell("set", {{"path", "parameter.length"}, {"value", 0.7}});
  desk.run(5);
  const std::uint64_t end = desk.hash();
  write("lipkin: 1\nparameters: {length: 1}\nbodies: [{name: b, mass: length, joint: {type: prismatic, axis: x}}]\n");
  desk.tell("seek", {{"step", 0}});
  desk.tell("seek", {{"step", 10}});
  EXPECT_EQ(desk.hash(), end);
  Desk fresh(write(with_length("0.5")));
  std::filesystem::remove(folder_.path() / "scene.yaml");
  const Json answer = fresh.tell("set", {{"path", "parameter.length"}, {"value", 0.7}});
  EXPECT_FALSE(answer.contains("error")) << answer;
}

TEST_F(Edited, FrictionAndLimitsAreParameters) {
  Desk desk("double-pendulum", {{"experiment.stepper", "euler"}, {"experiment.dt", "0.001"}});
  const Json path = {{"path", "joint.rod1.friction"}};
  desk.tell("watch", {{"channels", {{{"name", "f"}, {"expr", "joint.rod1.friction"}}}}});
  desk.tell("set", {{"path", "joint.rod1.friction"}, {"value", 5}});
  desk.tell("set_friction", {{"joint", "rod1"}, {"force", 0.2}});
  EXPECT_EQ(desk.value("f"), 0.2);
  desk.tell("reset_parameter", path);
  EXPECT_EQ(desk.value("f"), 0);
  EXPECT_EQ(desk.shown("joints")[0]["dofs"][0]["friction"], 0);
  EXPECT_FALSE(desk.tell("set_limits", {{"joint", "rod1"}, {"lower", -3}, {"upper", 4}}).contains("error"));
  EXPECT_FALSE(desk.tell("set", {{"path", "joint.rod1.upper"}, {"value", 3.5}}).contains("error"));
  EXPECT_FALSE(desk.tell("set_limits", {{"joint", "rod1"}, {"lower", nullptr}}).contains("error"));
  EXPECT_EQ(desk.shown("joints")[0]["dofs"][0]["lower"], nullptr);
  EXPECT_EQ(desk.shown("joints")[0]["dofs"][0]["upper"], 3.5);
  desk.tell("reset_parameter", {{"path", "joint.rod1.upper"}});
  EXPECT_EQ(desk.shown("joints")[0]["dofs"][0]["upper"], nullptr);
}

// Those of parts that were set as a whole too.
TEST_F(Edited, ParametersOfDrivesAndControllersGoBackToTheScene) {
  Desk desk(write(R"(
lipkin: 1
bodies: [{name: b, joint: {type: revolute, axis: z}, mass: 1, inertia: [0.1, 0.1, 0.1]}]
motors: [{name: m, joint: b, velocity: 1, max_force: 3}]
controllers: [{name: c, measured: joint.b.q, target: 1, p: 2}]
experiment: {dt: 0.001}
)"));
  const auto max_force = [&] { return desk.shown("motors")[0]["max_force"]; };
  desk.tell("set_drive", {{"joint", "b"}, {"max_force", 7}, {"target", 4}});
  EXPECT_EQ(max_force(), 7);
  desk.tell("reset_parameter", {{"path", "motor.m.max_force"}});
  EXPECT_EQ(max_force(), 3);
  EXPECT_EQ(desk.shown("motors")[0]["target"], 4);
  desk.tell("set_drive", {{"joint", "b"}, {"max_force", 8}});
  EXPECT_EQ(max_force(), 8);
  desk.tell("watch", {{"channels", {{{"name", "p"}, {"expr", "controller.c.p"}}}}});
  desk.tell("set_controller", {{"name", "c"}, {"p", 5}});
  EXPECT_EQ(desk.value("p"), 5);
  desk.tell("reset_parameter", {{"path", "controller.c.p"}});
  EXPECT_EQ(desk.value("p"), 2);
}

// Nothing but the hand acts: no command of the scene, no spring of a tendon, no tyre.
TEST_F(Edited, PosingCarriesNothingElseOut) {
  const std::string body =
      "lipkin: 1\nbodies: [{name: rod, joint: {type: revolute, axis: y}, mass: 1, "
      "com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}]\n";
  const std::string commands =
      "experiment: {dt: 0.001, commands: [{at: 1.5, push: {body: rod, force: [1000, 0, 0], point: [0, 0, -1], "
      "duration: 0.5}}, {at: 3, set: {joint.rod.stiffness: 500}}]}\n";
  const std::string tendon = "tendons: [{name: t, joints: [{joint: rod}], stiffness: 300}]\n";
  const Json to = {{"body", "rod"}, {"point", {0, 0, -1}}, {"target", {0.7, 0, -0.7}}};
  double first = 0;
  for (const std::string& more : {std::string(), commands, tendon}) {
    Desk desk(write(body + more));
    const double distance = desk.tell("pose", to).value("distance", 9.0);
    if (more.empty()) first = distance;
    EXPECT_NEAR(distance, first, 1e-9) << more;
    EXPECT_EQ(desk.session.simulation().state().commands_done, 0u) << more;
    desk.run(1);
  }
  // A stiffness that a timed command has set acts on no pose either.
  Desk desk(write(body + "experiment: {dt: 0.001, commands: [{at: 0, set: {joint.rod.stiffness: 500}}]}\n"));
  desk.run(2);
  EXPECT_NEAR(desk.tell("pose", to).value("distance", 9.0), first, 1e-5);
  ASSERT_EQ(desk.session.simulation().state().edits.size(), 1u);
}

class SavedNow : public Edited {
 protected:
  // How far the saved scene, run on for a while, is from the session that goes on.
  double distance(const std::string& text, const std::function<void(Desk&)>& work = {}) {
    Desk desk(write(text));
    desk.run(200);
    if (work) work(desk);
    const Json saved = desk.tell("save", {{"from", "now"}});
    lost = saved.value("lost", std::vector<std::string>());
    desk.run(200);
    Desk other(write(saved.value("text", "")));
    other.run(200);
    return std::abs(desk.value("q") - other.value("q"));
  }
  std::vector<std::string> lost;
};

const std::string kCart = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: d, joint: {type: prismatic, axis: x, u: 1}, mass: 1}]
outputs: {q: joint.d.q}
experiment: {dt: 0.001}
)";

TEST_F(SavedNow, SpringsKeepTheirLengthsAndLawsTheirTimes) {
  EXPECT_LT(distance(kCart + "springs: [{name: s, from: {at: [-1,0,0]}, to: {body: d}, stiffness: 20}]\n"), 1e-12);
  EXPECT_LT(distance(kCart + "tendons: [{name: s, joints: [{joint: d}], stiffness: 20}]\n"), 1e-12);
  EXPECT_LT(distance(kCart + "controllers: [{name: c, measured: \"joint.d.q - t\", target: 0, p: 10}]\n"
                             "actuators: [{name: a, joint: d, control: controller.c.output}]\n"),
            1e-9);
  EXPECT_TRUE(lost.empty());
}

TEST_F(SavedNow, SaysWhatNoSceneKeeps) {
  distance(kCart +
               "controllers: [{name: c, measured: joint.d.q, target: 1, p: 10, i: 5}]\n"
               "actuators: [{name: a, joint: d, control: controller.c.output}]\n",
           [](Desk& desk) {
             const auto move = [&](const char* name, double start) {
               return desk.tell(
                   "apply_motion",
                   {{"joint", "d"}, {"value", 1}, {"start", start}, {"duration", 1}, {"max_force", 1}, {"name", name}});
             };
             move("now", 0), move("later", 5);
             desk.tell("drag_begin", {{"body", "d"}, {"target", {1, 0, 0}}});
             desk.tell("set_break", {{"joint", "d"}, {"force", 1e6}});
           });
  EXPECT_EQ(lost, (std::vector<std::string>{"motion 'now' acts from the start and does not end",
                                            "motion 'later', which begins at t = 5 s, is left out",
                                            "joint 'd' does not break", "drag 1 is left out",
                                            "controller 'c' begins without its integral and rate"}));
}

}  // namespace
}  // namespace lipkin
