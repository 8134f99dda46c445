// Motions put on joints while a mechanism runs: each needs a freedom of its own, one that has none is refused with what
// holds it and leaves the run to the bit, and every motion can be deleted, however the mechanism stands.
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.hpp"
#include "unit/session/desk.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::Desk;

constexpr const char* kHinges[] = {"crank", "OA", "OB", "AC", "AD", "BC", "BD"};

void expect_refused(const Json& answer, const std::string& names, const std::string& what) {
  ASSERT_TRUE(answer.contains("error")) << what;
  EXPECT_NE(answer["error"].get<std::string>().find(names), std::string::npos) << what << ": " << answer["error"];
}

// The linkage has one freedom. Its drive has it, with a limited force in one scene and without a limit in the other:
// whichever hinge gets a motion, there is nothing left for it.
TEST(Motions, OnADrivenLinkageAreRefusedAndLeaveTheRunToTheBit) {
  for (const char* scene : {"peaucellier", "peaucellier-driven"}) {
    for (const char* coordinates : {"generalized", "maximal"}) {
      Desk desk(scene), plain(scene);
      for (Desk* each : {&desk, &plain}) {
        each->tell("settings", {{"coordinates", coordinates}});
        each->run(20);  // away from the middle, where some hinges stand still
      }
      for (const char* hinge : kHinges) {
        const Json answer = desk.tell("apply_motion", {{"joint", hinge}, {"value", 1}});
        expect_refused(answer, "'drive'", std::string(scene) + ", " + coordinates + ", " + hinge);
        EXPECT_EQ(desk.hash(), plain.hash());
      }
      EXPECT_EQ(desk.session.icons_json(), "[]");
      desk.run(100), plain.run(100);
      EXPECT_EQ(desk.hash(), plain.hash()) << scene << ", " << coordinates;
    }
  }
}

TEST(Motions, TwoOnOneFreedomAreRefusedWithTheNameOfTheFirst) {
  Desk desk("peaucellier");
  desk.run(20);
  ASSERT_TRUE(desk.tell("set_drive", {{"joint", "crank"}, {"kind", "off"}}).is_object());
  const Json first = desk.tell("apply_motion", {{"joint", "OA"}, {"value", 0.2}});
  ASSERT_FALSE(first.contains("error")) << first;
  for (const char* hinge : kHinges)
    expect_refused(desk.tell("apply_motion", {{"joint", hinge}, {"value", 1}}), "'motion1'", hinge);
  expect_refused(desk.tell("set_drive", {{"joint", "crank"}, {"kind", "velocity"}, {"target", 1}}), "'motion1'",
                 "a drive without a limit is a motion too");
  // With a limit it gives way.
  EXPECT_FALSE(desk.tell("apply_motion", {{"joint", "crank"}, {"value", 1}, {"max_force", 0.5}}).contains("error"));
  desk.tell("watch", {{"channels", {{{"name", "rate"}, {"expr", "joint.OA.u"}}}}});
  desk.run(20);
  EXPECT_NEAR(desk.value("rate"), 0.2, 1e-9);  // a bilateral row
}

TEST(Motions, OfAJointThatLoopsHoldIsRefused) {
  Desk desk("double-pendulum");
  desk.tell("settings", {{"stepper", "euler"}, {"dt", 0.001}});
  const auto& model = desk.session.simulation().model();
  const std::string upper = model.joint_name(0), body = model.body_name(1);
  desk.run(20);
  ASSERT_FALSE(desk.tell("add_joint", {{"parent", "world"}, {"child", body}, {"type", "fixed"}, {"point", {0, 0, 0}}})
                   .contains("error"));
  expect_refused(desk.tell("apply_motion", {{"joint", upper}, {"value", 1}}), "no freedom", upper);
}

TEST(Motions, AreNotLeftWithoutAFreedomByAnotherEdit) {
  Desk desk("double-pendulum");
  desk.tell("settings", {{"stepper", "euler"}, {"dt", 0.001}});
  const auto& model = desk.session.simulation().model();
  const std::string upper = model.joint_name(0), body = model.body_name(0);
  desk.run(20);
  ASSERT_FALSE(desk.tell("apply_motion", {{"joint", upper}, {"value", 0.5}}).contains("error"));
  const Json held =
      desk.tell("add_joint", {{"parent", "world"}, {"child", body}, {"type", "fixed"}, {"point", {0, 0, 0}}});
  expect_refused(held, "'motion1'", "a joint that holds what is moved");
  desk.tell("watch", {{"channels", {{{"name", "rate"}, {"expr", "joint." + upper + ".u"}}}}});
  desk.run(50);
  EXPECT_NEAR(desk.value("rate"), 0.5, 1e-9);
}

// Two independent freedoms take two motions.
TEST(Motions, OnFreedomsOfTheirOwnAreTaken) {
  Desk desk("double-pendulum");
  desk.tell("settings", {{"stepper", "euler"}, {"dt", 0.001}});
  const auto& model = desk.session.simulation().model();
  for (const int j : {0, 1}) {
    const std::string joint = model.joint_name(j);
    const Json answer = desk.tell("apply_motion", {{"joint", joint}, {"value", 1 + j}});
    EXPECT_FALSE(answer.contains("error")) << answer;
    expect_refused(desk.tell("apply_motion", {{"joint", joint}, {"value", 1}}), "motion" + std::to_string(j + 1),
                   joint);
  }
  desk.run(50);
  EXPECT_NEAR(desk.session.simulation().state().u[0], 1, 1e-9);
  EXPECT_NEAR(desk.session.simulation().state().u[1], 2, 1e-9);
}

// Brakes resist a motion and decide none: a wheel of the car is turned against its own, as its page of the guide says.
TEST(Motions, AreTakenAgainstBrakes) {
  Desk desk("minibaja");
  desk.run(10);
  const Json made = desk.tell("apply_motion", {{"joint", "front_left_wheel"}, {"value", 2}});
  ASSERT_FALSE(made.contains("error")) << made;
  desk.tell("watch", {{"channels", {{{"name", "rate"}, {"expr", "joint.front_left_wheel.u"}}}}});
  desk.run(10);
  EXPECT_NEAR(desk.value("rate"), 2, 1e-9);
}

constexpr const char* kSled = R"(lipkin: 1
name: sled
gravity: [0, 0, 0]
bodies:
  - {name: sled, mass: 2, inertia: [0.1, 0.1, 0.1], joint: {type: prismatic, axis: x, q: 0.4, u: 0.1}}
  - {name: arm, parent: sled, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: z}}
motors: [{name: turn, joint: arm, position: '0.2*t*t'}]
)";

struct JumpingEdit {
  std::string cmd;
  Json args;
  std::string names;
};

std::vector<JumpingEdit> jumping_edits() {
  const Json there = {{"joint", "sled"}, {"motion", "position"}, {"value", 1}};
  const auto by_law = [&](Json law) {
    Json args = there;
    args["law"] = std::move(law);
    return args;
  };
  return {{"apply_motion", there, "1 m"},
          {"apply_motion", by_law({{"kind", "sine"}, {"frequency", 1}, {"phase", 1.5707963267948966}}), "1 m"},
          {"apply_motion", by_law({{"kind", "expression"}, {"expr", "cos(s)"}}), "1 m"},
          {"set_drive", {{"joint", "sled"}, {"kind", "position"}, {"target", 5}}, "'sled'"},
          {"set_drive", {{"joint", "sled"}, {"kind", "position"}, {"target", "t + 3"}}, "'sled'"},
          {"set_drive", {{"joint", "arm"}, {"target", 0.5}}, "'turn'"}};
}

// What a scene may not ask for, no command does: the sled was at 0.4 m in one step and at 1.4 m in the next, at 0.1
// m/s.
TEST(Motions, ThatWouldBeginSomewhereElseAreRefusedAndLeaveTheRunToTheBit) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "sled.yaml").string();
  std::ofstream(scene) << kSled;
  for (const char* coordinates : {"generalized", "maximal"}) {
    Desk desk(scene), plain(scene);
    for (Desk* each : {&desk, &plain}) {
      each->tell("settings", {{"coordinates", coordinates}});
      each->run(20);
    }
    for (const JumpingEdit& edit : jumping_edits()) {
      const std::string what = edit.args.dump() + ", " + coordinates;
      const Json answer = desk.tell(edit.cmd, edit.args);
      expect_refused(answer, "a jump that no motion can follow", what);
      expect_refused(answer, edit.names, what);
      EXPECT_EQ(desk.hash(), plain.hash()) << what;
      desk.run(5), plain.run(5);
      EXPECT_EQ(desk.hash(), plain.hash()) << what;
    }
    EXPECT_EQ(desk.session.icons_json(), "[]");
    EXPECT_EQ(desk.session.timeline_json(), plain.session.timeline_json());
    EXPECT_EQ(desk.shown("motors").size(), 1u);
  }
}

// From where the joint is, along a way, or with a force that has a bound: these are motions.
TEST(Motions, ThatBeginWhereTheJointIsAreTaken) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "sled.yaml").string();
  std::ofstream(scene) << kSled;
  const Json ramp = {{"kind", "ramp"}, {"rise", 0.02}};
  const std::pair<std::string, Json> taken[] = {
      {"apply_motion", {{"joint", "sled"}, {"motion", "position"}, {"value", 1}, {"law", ramp}}},
      {"apply_motion", {{"joint", "sled"}, {"motion", "position"}, {"value", 1}, {"max_force", 50}}},
      {"set_drive", {{"joint", "sled"}, {"kind", "position"}, {"target", 5}, {"max_force", 3}}},
      {"set_drive", {{"joint", "sled"}, {"kind", "position"}, {"target", 0.4}}},
      {"set_drive", {{"joint", "sled"}, {"kind", "position"}, {"target", 5}, {"stiffness", 3}}}};
  for (const auto& [cmd, args] : taken) {
    Desk desk(scene);
    EXPECT_FALSE(desk.tell(cmd, args).contains("error")) << args << ": " << desk.last.error;
    EXPECT_NO_THROW(desk.run(50)) << args;
  }
  Desk desk(scene);
  desk.tell("watch", {{"channels", {{{"name", "x"}, {"expr", "joint.sled.q"}}}}});
  desk.tell(taken[0].first, taken[0].second);
  EXPECT_TRUE(desk.tell("edit_icon", {{"name", "motion1"}, {"value", 2}, {"law", {{"kind", "constant"}}}})
                  .contains("error"));  // and one that runs does not jump ahead
  desk.run(50);
  EXPECT_NEAR(desk.value("x"), 1.4, 1e-9);  // a bilateral row
}

// One that begins later is refused when its time has come, also one that would begin with a jump.
TEST(Motions, ThatWouldJumpLaterAreTakenBackAndSaid) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "sled.yaml").string();
  std::ofstream(scene) << kSled;
  Desk desk(scene), plain(scene);
  std::vector<std::string> events;
  desk.session.on_event([&](const std::string& event) { events.push_back(event); });
  const double dt = desk.session.simulation().experiment().dt;
  desk.tell("apply_motion", {{"joint", "sled"}, {"motion", "position"}, {"value", 1}, {"start", 20 * dt}});
  desk.run(60), plain.run(60);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].find("a jump that no motion can follow"), std::string::npos) << events[0];
  EXPECT_EQ(desk.hash(), plain.hash());
}

// One that begins later is refused when its time has come.
TEST(Motions, ThatCannotBeginAreTakenBackAndSaid) {
  Desk desk("peaucellier"), plain("peaucellier");
  std::vector<std::string> events;
  desk.session.on_event([&](const std::string& event) { events.push_back(event); });
  const double dt = desk.session.simulation().experiment().dt;
  ASSERT_FALSE(desk.tell("apply_motion", {{"joint", "OA"}, {"value", 1}, {"start", 20 * dt}}).contains("error"));
  desk.run(60), plain.run(60);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].find("refused"), std::string::npos);
  EXPECT_NE(events[0].find("'drive'"), std::string::npos) << events[0];
  EXPECT_EQ(desk.session.icons_json(), "[]");
  EXPECT_EQ(desk.hash(), plain.hash());
}

// One ends where another begins, on the same freedom: the first must be gone before.
TEST(Motions, FollowOneAnother) {
  Desk desk("peaucellier");
  desk.run(20);
  desk.tell("set_drive", {{"joint", "crank"}, {"kind", "off"}});
  const double t = desk.session.simulation().state().t;
  desk.tell("watch", {{"channels", {{{"name", "rate"}, {"expr", "joint.crank.u"}}}}});
  desk.tell("apply_motion", {{"joint", "crank"}, {"value", 0.5}, {"duration", 0.2}});
  desk.tell("apply_motion", {{"joint", "crank"}, {"value", -0.5}, {"start", t + 0.2}});
  desk.run(10);
  EXPECT_NEAR(desk.value("rate"), 0.5, 1e-9);
  desk.run(30);
  EXPECT_NEAR(desk.value("rate"), -0.5, 1e-9);
}

// A crank that goes on beyond the reach of the linkage, with 83 degrees after 0.83 s. Wherever that has led, its motion
// can be deleted; where the linkage is whole, it goes on.
TEST(Motions, CanBeDeletedHoweverTheMechanismStands) {
  for (const double end : {0.8, 1.0, 2.5}) {
    Desk desk("peaucellier");
    desk.tell("set_drive", {{"joint", "crank"}, {"kind", "off"}});
    ASSERT_FALSE(desk.tell("apply_motion", {{"joint", "crank"}, {"value", 3}}).contains("error"));
    try {
      while (desk.session.simulation().state().t < end) desk.session.step();
    } catch (const SimulationError&) {  // where it was found out
    }
    const Json deleted = desk.tell("delete_icon", {{"name", "motion1"}});
    EXPECT_FALSE(deleted.contains("error")) << end << ": " << deleted;
    EXPECT_EQ(desk.session.icons_json(), "[]");
    EXPECT_TRUE(desk.shown("motors").empty());
    EXPECT_EQ(desk.session.failure(), "");
    EXPECT_FALSE(desk.tell("play").contains("error"));
    if (end > 0.8) continue;
    desk.run(20);
    EXPECT_LT(desk.value("gap_C_left"), 1e-9);
    EXPECT_LT(desk.value("gap_D"), 1e-9);
  }
}

}  // namespace
}  // namespace lipkin
