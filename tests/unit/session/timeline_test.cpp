// What was simulated once is simulated again to the same bits: by going back and on along the timeline, and from a
// recording.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/temporary_folder.hpp"
#include "lipkin/recording.hpp"
#include "unit/session/desk.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::Desk;

Desk desk_with(const std::string& stepper) {
  Desk desk("double-pendulum", {{"experiment.stepper", stepper}, {"experiment.dt", "0.001"}});
  return desk;
}

std::uint64_t steps_of(const Desk& desk) { return desk.session.simulation().state().step_count; }
double time_of(const Desk& desk) { return desk.session.simulation().state().t; }

const char* const kChosen[] = {"dopri5", "adams", "bdf"};

// A multistep code begins anew where snapshots are kept; so it does where they are passed again.
TEST(Timeline, StepsThatAreTakenAgainBeginAnewAtTheSamePlaces) {
  for (const char* stepper : kChosen) {
    Desk desk = desk_with(stepper);
    desk.run(900);
    const std::uint64_t end = desk.hash();
    const double t = time_of(desk);
    desk.tell("seek", {{"step", 100}});
    desk.run(800);
    EXPECT_EQ(desk.hash(), end) << stepper;
    EXPECT_EQ(time_of(desk), t) << stepper;
  }
}

// The new branch begins where the code did: at the edit that was undone.
TEST(Timeline, WhatFollowsAnUndoIsTakenAgainToTheBit) {
  for (const char* stepper : kChosen) {
    Desk desk = desk_with(stepper);
    const std::string body = desk.session.simulation().model().body_name(0);
    desk.run(60);
    desk.tell("apply_torque", {{"body", body}, {"torque", {0, 1, 0}}});
    desk.run(30);
    desk.tell("undo");
    ASSERT_EQ(steps_of(desk), 60u);
    desk.run(100);
    const std::uint64_t end = desk.hash();
    desk.tell("seek", {{"step", 10}});
    desk.run(150);
    EXPECT_EQ(desk.hash(), end) << stepper;
    desk.tell("seek", {{"step", 10}});
    desk.tell("seek", {{"step", 160}});
    EXPECT_EQ(desk.hash(), end) << stepper;
  }
}

// Steps end with the run that takes them, and where a command is due: both belong to what is repeated.
TEST(Timeline, StepsEndAgainWhereTheyEnded) {
  for (const char* stepper : {"dopri5", "adams", "bdf", "euler"}) {
    Desk desk = desk_with(stepper);
    const std::string body = desk.session.simulation().model().body_name(0);
    const Json force = {{"cmd", "apply_force"}, {"args", {{"body", body}, {"force", {1, 0, 0}}}}, {"at", 0.3333}};
    desk.session.submit(force.dump());
    desk.session.run(0.50037);
    const std::uint64_t middle = desk.hash(), count = steps_of(desk);
    desk.session.run(0.4);
    const std::uint64_t end = desk.hash();
    desk.tell("seek", {{"t", 0.2}});
    desk.tell("seek", {{"t", 0.50037}});
    EXPECT_EQ(steps_of(desk), count) << stepper;
    EXPECT_EQ(desk.hash(), middle) << stepper;
    desk.tell("seek", {{"t", 2}});
    EXPECT_EQ(desk.hash(), end) << stepper;
    EXPECT_EQ(Json::parse(desk.session.timeline_json())["branches"].size(), 1u) << stepper;
  }
}

// Steps that go elsewhere than those that are known are a branch of their own, and leave the others their bits.
TEST(Timeline, OtherStepsAlongABranchBeginOne) {
  Desk desk = desk_with("dopri5");
  desk.session.run(1);
  const std::uint64_t end = desk.hash();
  desk.tell("seek", {{"t", 0.2}});
  desk.session.run(0.05);
  const std::uint64_t aside = desk.hash();
  EXPECT_EQ(desk.session.branch(), 1);
  desk.tell("branch", {{"branch", 0}});
  EXPECT_EQ(desk.hash(), end);
  desk.tell("branch", {{"branch", 1}});
  EXPECT_EQ(desk.hash(), aside);
}

TEST(Timeline, AStepThatIsNotTakenMovesNoHand) {
  Desk desk("peaucellier");
  desk.tell("drag_begin", {{"body", "crank"}, {"point", {0.1, 0, 0}}, {"target", {0.3, 0.3, 0}}});
  desk.run(20);
  const std::uint64_t hash = desk.hash();
  desk.session.step(time_of(desk));
  EXPECT_EQ(desk.hash(), hash);
}

TEST(Timeline, StepsBeyondAllNumbersAreRefused) {
  Desk desk("peaucellier");
  desk.run(3);
  for (const double step : {0x1p64, 1e30}) EXPECT_TRUE(desk.tell("seek", {{"step", step}}).contains("error")) << step;
  EXPECT_EQ(steps_of(desk), 3u);
}

class RecordedSession : public testing::Test {
 protected:
  // Worked on by a hand, or, where a hand would let a multistep code begin anew at every step, by a force; pushed at a
  // time between steps, run for times that no step ends at by itself, and rewound.
  static void work_on(Desk& desk, bool by_hand, const std::function<void(double)>& run) {
    const std::string body = desk.session.simulation().model().body_name(0);
    const Json hold = {{"body", body}, {"point", {0.1, 0, 0}}, {"target", {0.3, 0.3, 0}}};
    const Json push = {{"body", body}, {"force", {1, 0, 0}}};
    const auto begin = [&] { by_hand ? desk.tell("drag_begin", hold) : desk.tell("apply_force", push); };
    run(0.1003);
    begin();
    run(0.1);
    by_hand ? desk.tell("drag_end", {{"drag", 1}}) : desk.tell("delete_icon", {{"name", "force1"}});
    desk.session.submit(Json{{"cmd", "apply_force"}, {"args", push}, {"at", 0.3333}}.dump());
    run(0.2);
    desk.tell("seek", {{"t", 0.05}});
    run(0.2);
    begin();
    run(0.05);
  }

  // What is different in the repetition; empty: nothing.
  std::string difference() const {
    const Recording recording(file_);
    Session session = recording.open();
    Replay replay(recording, session);
    for (replay.catch_up(); !replay.done() && replay.difference().empty(); replay.catch_up())
      session.step(replay.limit());
    return replay.difference();
  }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "r.mcap";
};

TEST_F(RecordedSession, HasTheBitsOfOneThatIsNotAndRepeatsThem) {
  for (const std::string stepper : {"euler", "dopri5", "adams", "bdf"}) {
    const Desk::Overrides overrides = {{"experiment.stepper", stepper}, {"experiment.dt", "0.001"}};
    const bool by_hand = stepper == "euler" || stepper == "dopri5";
    Desk plain("double-pendulum", overrides), recorded("double-pendulum", overrides);
    work_on(plain, by_hand, [&](double duration) { plain.session.run(duration); });
    std::optional<SessionRecorder> recorder;
    recorder.emplace(file_, recorded.session, SceneSource{"double-pendulum", overrides});
    work_on(recorded, by_hand, [&](double duration) {
      recorded.session.run(duration, 0.01, {}, [&](const Simulation&) {
        recorder->after_step();
        return true;
      });
    });
    recorder->finish();
    EXPECT_EQ(recorded.hash(), plain.hash()) << stepper;
    EXPECT_EQ(difference(), "") << stepper;
  }
}

}  // namespace
}  // namespace lipkin
