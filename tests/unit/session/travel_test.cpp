// Going back and on along the timeline while commands wait, and what is left when a way, an edit or a step is refused:
// the session as it was, to the bit, so that a recording repeats it.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "base/temporary_folder.hpp"
#include "lipkin/recording.hpp"
#include "unit/session/desk.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::Desk;

Desk pendulum_with(const std::string& stepper) {
  return Desk("double-pendulum", {{"experiment.stepper", stepper}, {"experiment.dt", "0.001"}});
}

std::uint64_t steps_of(const Desk& desk) { return desk.session.simulation().state().step_count; }
double time_of(const Desk& desk) { return desk.session.simulation().state().t; }
Json timeline_of(const Desk& desk) { return Json::parse(desk.session.timeline_json()); }

Json gravity(const char* axis, double value) { return {{"path", std::string("gravity.") + axis}, {"value", value}}; }

std::vector<std::uint64_t> edit_steps(const Desk& desk) {
  std::vector<std::uint64_t> steps;
  const Json timeline = timeline_of(desk);
  for (const Json& edit : timeline["branches"][desk.session.branch()]["edits"]) steps.push_back(edit["step"]);
  return steps;
}

TEST(Travel, PendingCommandsNeitherEndStepsNorActWhileHistoryIsRepeated) {
  for (const char* stepper : {"dopri5", "adams", "bdf", "euler"}) {
    Desk desk = pendulum_with(stepper), plain = pendulum_with(stepper);
    for (Desk* each : {&desk, &plain}) {
      each->session.run(0.3);
      each->tell("seek", {{"t", 0.05}});
    }
    std::string passed, waits;
    const auto submit = [&](double at, std::string& error) {
      desk.session.submit(Json{{"cmd", "set"}, {"args", gravity("x", 1)}, {"at", at}}.dump(),
                          [&error](const CommandAnswer& answer) { error = answer.error; });
    };
    submit(0.15, passed), submit(1, waits);
    for (Desk* each : {&desk, &plain}) each->tell("seek", {{"t", 0.24}});
    EXPECT_EQ(time_of(desk), time_of(plain)) << stepper;
    EXPECT_EQ(desk.hash(), plain.hash()) << stepper;
    EXPECT_EQ(timeline_of(desk)["branches"].size(), 1u) << stepper;
    EXPECT_EQ(passed, "set: its time, t = 0.15 s, was passed over by 'seek'") << stepper;
    EXPECT_EQ(desk.session.pending_count(), 1u) << stepper;
    EXPECT_EQ(waits, "") << stepper;
    for (Desk* each : {&desk, &plain}) each->session.run(0.3);
    EXPECT_EQ(desk.hash(), plain.hash()) << stepper;
  }
}

// A pending command ends a step that somebody takes along the branch: there the branch is left.
TEST(Travel, PendingCommandsActWhereStepsAreTaken) {
  Desk desk = pendulum_with("dopri5");
  desk.session.run(0.3);
  desk.tell("seek", {{"t", 0.05}});
  double t = 0;
  desk.session.submit(Json{{"cmd", "set"}, {"args", gravity("x", 1)}, {"at", 0.15}}.dump(),
                      [&](const CommandAnswer& answer) { t = answer.t; });
  desk.session.run(0.2);
  EXPECT_EQ(t, 0.15);
  EXPECT_EQ(desk.session.branch(), 1);
}

TEST(Travel, ARefusedRedoLeavesEverythingToTheBit) {
  for (const char* stepper : {"euler", "adams"}) {
    Desk desk = pendulum_with(stepper), plain = pendulum_with(stepper);
    for (Desk* each : {&desk, &plain}) {
      each->run(5);
      each->tell("apply_motion", {{"joint", "rod1"}, {"value", 0.1}, {"start", 5}, {"name", "m"}});
      each->run(30);
      each->tell("undo");
      each->tell("branch", {{"branch", 0}});
      each->run(10);
    }
    const Json before = timeline_of(desk);
    const std::string error = desk.tell("redo").value("error", "");
    EXPECT_NE(error.find("'m' already"), std::string::npos) << error;
    EXPECT_EQ(steps_of(desk), 45u) << stepper;
    EXPECT_EQ(desk.hash(), plain.hash()) << stepper;
    EXPECT_EQ(timeline_of(desk), before) << stepper;
    for (Desk* each : {&desk, &plain}) each->run(40);
    EXPECT_EQ(desk.hash(), plain.hash()) << stepper;
    EXPECT_EQ(timeline_of(desk), timeline_of(plain)) << stepper;
    desk.tell("branch", {{"branch", 1}});
    EXPECT_FALSE(desk.tell("redo").contains("error")) << stepper << ": where it can be, it is";
  }
}

TEST(Travel, RedoKeepsTheEditsBeforeIt) {
  Desk desk = pendulum_with("euler");
  desk.run(10), desk.tell("set", gravity("x", 3));
  desk.run(10), desk.tell("set", gravity("y", 1));
  const std::uint64_t then = desk.hash();
  desk.run(10), desk.tell("undo");
  desk.tell("seek", {{"step", 5}});
  EXPECT_EQ(desk.tell("redo").value("step", 0), 20);
  EXPECT_EQ(edit_steps(desk), (std::vector<std::uint64_t>{10, 20}));
  EXPECT_EQ(desk.hash(), then);
}

TEST(Travel, WithoutRoomForABranchNothingIsEditedAndNoStepTaken) {
  Desk desk = pendulum_with("dopri5");
  for (int i = 0; i < 999; ++i) {
    desk.session.run(0.001);
    desk.tell("seek", {{"step", 0}});
    ASSERT_FALSE(desk.tell("set", gravity("x", 0.001 * i)).contains("error")) << i;
  }
  desk.session.run(0.001);
  const std::uint64_t end = desk.hash();
  desk.tell("seek", {{"step", 0}});
  const std::uint64_t begin = desk.hash();
  EXPECT_NE(desk.tell("set", gravity("x", 3)).value("error", "").find("1000 branches"), std::string::npos);
  EXPECT_EQ(desk.hash(), begin);
  EXPECT_THROW(desk.session.step(0.0001), InvalidArgument);
  EXPECT_EQ(desk.hash(), begin);
  desk.session.run(0.001);
  EXPECT_EQ(desk.hash(), end);
}

// ---- steps that fail ----

// A drive into a limit, which stops the run after 70 steps; the free joint is for hands.
const char* kIntoALimit = R"(
lipkin: 1
bodies:
  - {name: b, joint: {type: revolute, axis: y, q: 0.3, limits: [-1, 1]}, mass: 1, com: [0.3, 0, 0],
     inertia: [0.01, 0.01, 0.01]}
  - {name: c, joint: {type: revolute, axis: y, at: [0, 1, 0]}, mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}
motors: [{name: m, joint: b, position: "0.3+10*t"}]
)";

class FailedStep : public testing::Test {
 protected:
  std::string write(const std::string& experiment) const {
    const std::string path = (folder_.path() / "scene.yaml").string();
    std::ofstream(path) << kIntoALimit << "experiment: " << experiment << "\n";
    return path;
  }

  // Runs into the limit, recorded, and gives the file.
  static void run_into_it(Session& session, SessionRecorder& recorder) {
    EXPECT_THROW(session.run(1, 0, {},
                             [&](const Simulation&) {
                               recorder.after_step();
                               return true;
                             }),
                 SimulationError);
  }

  std::string difference() const {
    const Recording recording(file_);
    Session session = recording.open();
    Replay replay(recording, session);
    for (replay.catch_up(); !replay.done() && replay.difference().empty(); replay.catch_up())
      session.step(replay.limit());
    return replay.difference();
  }

  // Whether the run up to the failure, and what comes after it, is repeated to the bit.
  void expect_repeated(const std::string& experiment, const std::function<void(Desk&)>& before, const char* what) {
    const std::string path = write(experiment);
    for (const bool goes_on : {false, true}) {
      Desk desk(path);
      SessionRecorder recorder(file_, desk.session, {path, {}});
      before(desk);
      run_into_it(desk.session, recorder);
      EXPECT_THROW(desk.session.step(), SimulationError) << "it would fail again";
      if (goes_on) desk.tell("set_drive", {{"joint", "b"}, {"kind", "off"}});
      for (int i = 0; goes_on && i < 20; ++i) desk.session.step(), recorder.after_step();
      recorder.finish();
      EXPECT_EQ(difference(), "") << what;
    }
  }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "r.mcap";
};

TEST_F(FailedStep, LeavesWhatARecordingRepeats) {
  const std::string euler = "{dt: 0.001, duration: 1}";
  const Json hold = {{"body", "c"}, {"point", {0.3, 0, 0}}, {"target", {0.2, 1, -0.2}}};
  const auto drag = [&](Desk& desk) { desk.tell("drag_begin", hold); };
  const auto nothing = [](Desk&) {};
  expect_repeated(euler, drag, "a hand");
  expect_repeated("{dt: 0.001, duration: 1, stepper: moreau}", drag, "a hand");
  // The limit is tolerated for 10^-3 rad, so that the step from 0.07 s on fails.
  expect_repeated(
      euler,
      [](Desk& desk) {
        desk.tell("apply_motion", {{"joint", "c"}, {"value", 1}, {"start", 0.07}, {"max_force", 5}});
        desk.tell("apply_motion",
                  {{"joint", "c"}, {"value", 2}, {"start", 0.02}, {"duration", 0.05}, {"max_force", 4}});
      },
      "motions that begin and end there");
  expect_repeated(
      "{dt: 0.001, duration: 1, commands: [{at: 0.07, set: {gravity.x: 2}}, {at: 0.07, set: {body.c.mass: 2}},"
      " {at: 0.05, push: {body: c, force: [1, 0, 0], duration: 0.02}}]}",
      nothing, "timed commands of the scene");
}

// Multistep codes begin anew where a step has failed; so they do where it was repaired.
TEST_F(FailedStep, IsRepeatedWhereStepsAreChosen) {
  for (const std::string stepper : {"rk4", "dopri5", "adams", "bdf"}) {
    const std::string path = (folder_.path() / "scene.yaml").string();
    std::ofstream(path) << "lipkin: 1\n"
                           "bodies: [{name: b, joint: {type: revolute, axis: y}, mass: 1, com: [0.3, 0, 0], inertia: "
                           "[0.1, 0.1, 0.1]}]\n"
                           "inputs: [{name: i, value: 1}]\n"
                           "forces: [{name: f, body: b, force: [\"sqrt(input.i)\", 0, 0]}]\n"
                           "experiment: {dt: 0.001, stepper: "
                        << stepper << ", commands: [{at: 0.0713, set: {input.i: -1}}]}\n";
    Desk desk(path);
    SessionRecorder recorder(file_, desk.session, {path, {}});
    run_into_it(desk.session, recorder);
    desk.tell("set", {{"path", "gravity.x"}, {"value", 1}});
    EXPECT_THROW(desk.session.step(), SimulationError);
    desk.tell("undo");
    desk.tell("settings", {{"dt", 0.002}});
    EXPECT_THROW(desk.session.run(0.1), SimulationError);
    recorder.finish();
    EXPECT_EQ(difference(), "") << stepper;
  }
}

TEST_F(FailedStep, IsSaidAsLongAsNothingHasChanged) {
  Desk desk(write("{dt: 0.001, duration: 1}"));
  desk.tell("apply_motion", {{"joint", "c"}, {"value", 1}, {"start", 5}, {"name", "later"}});
  desk.run(1);
  desk.tell("undo");
  desk.tell("branch", {{"branch", 0}});
  EXPECT_THROW(desk.session.run(1), SimulationError);
  const std::string failure = desk.session.failure();
  ASSERT_FALSE(failure.empty());
  const Json refused[] = {desk.tell("set", {{"path", "joint.b.lower"}, {"value", 5}}), desk.tell("redo"),
                          desk.tell("pose", {{"body", "nobody"}, {"target", {0, 0, 0}}}),
                          desk.tell("seek", {{"t", 0.01}, {"branch", 7}})};
  for (const Json& answer : refused) EXPECT_TRUE(answer.contains("error"));
  EXPECT_EQ(desk.session.failure(), failure);
  desk.tell("seek", {{"t", 0.01}});
  EXPECT_EQ(desk.session.failure(), "");
}

TEST(RecordingOf, ASessionThatHasGoneOnIsRefused) {
  const TemporaryFolder folder;
  const auto record = [&](Desk& desk) {
    const SessionRecorder recorder(folder.path() / "r.mcap", desk.session, {"double-pendulum", {}});
  };
  Desk fresh("double-pendulum"), moved("double-pendulum"), edited("double-pendulum"), reset("double-pendulum");
  EXPECT_NO_THROW(record(fresh));
  moved.run(1);
  edited.tell("set", gravity("x", 1));
  reset.run(1), reset.tell("reset");
  for (Desk* desk : {&moved, &edited, &reset}) EXPECT_THROW(record(*desk), InvalidArgument);
}

}  // namespace
}  // namespace lipkin
