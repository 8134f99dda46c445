// What a person does to a running mechanism: each command against what mechanics says, and back in time to the same
// bits.
#include "lipkin/session.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "unit/session/desk.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::Desk;

double x_of(const Desk& desk, const std::string& body) {
  return desk.session.simulation().body_motion(desk.session.simulation().model().body(body)).pose.position.x();
}

TEST(Session, WithoutCommandsItIsThePlainRun) {
  for (const char* scene : {"peaucellier", "double-pendulum", "grasp"}) {
    Desk desk(scene);
    Simulation plain(load_scene(scene));
    for (int i = 0; i < 200; ++i) desk.session.step(), plain.step();
    EXPECT_EQ(desk.hash(), plain.hash()) << scene;
  }
}

// A stone in free fall gets F/m more while the force acts: the velocity after it is F T / m.
TEST(Session, ForceIconActsForItsTime) {
  Desk desk("bouncing-ball");
  const auto& simulation = desk.session.simulation();
  const int body = 0;
  const double mass = simulation.model().body_mass(body), dt = simulation.experiment().dt;
  Desk without("bouncing-ball");
  const std::string name = simulation.model().body_name(body);
  const Json made = desk.tell("apply_force", {{"body", name}, {"force", {3, 0, 0}}, {"duration", 10 * dt}});
  EXPECT_EQ(made["name"], "force1");
  desk.run(30), without.run(30);
  const double gained =
      simulation.body_motion(body).velocity.x() - without.session.simulation().body_motion(body).velocity.x();
  EXPECT_NEAR(gained, 3 * 10 * dt / mass, 1e-6 * 3 * 10 * dt / mass);  // the stepper's own error of smooth forces
}

// A hand that holds is felt alike whoever counts the steps.
TEST(Session, HoldsAlikeByStepAndByRun) {
  const auto held = [] {
    Desk desk("peaucellier");
    desk.tell("drag_begin", {{"body", "crank"}, {"point", {0.1, 0, 0}}, {"target", {0.3, 0.3, 0}}});
    EXPECT_TRUE(desk.last.ok) << desk.last.error;
    return desk;
  };
  Desk by_step = held(), by_run = held(), free("peaucellier");
  by_step.run(50), free.run(50);
  by_run.session.run(50 * by_run.session.simulation().experiment().dt);
  EXPECT_EQ(by_run.hash(), by_step.hash());
  EXPECT_NE(by_step.hash(), free.hash());
}

TEST(Session, SameCommandsAtTheSameTimeGiveTheSameBits) {
  const char* torque = R"({"cmd":"apply_torque","args":{"body":"crank","torque":[0,0,2]},"at":0.5})";
  Desk scripted("peaucellier");
  scripted.session.submit(torque);
  scripted.run(100);
  Desk by_hand("peaucellier");
  by_hand.run(50);
  by_hand.tell("apply_torque", {{"body", "crank"}, {"torque", {0, 0, 2}}});
  EXPECT_EQ(by_hand.last.step, 50u);
  by_hand.run(50);
  EXPECT_EQ(scripted.hash(), by_hand.hash());
  Desk without("peaucellier");
  without.run(100);
  EXPECT_NE(scripted.hash(), without.hash());
}

// At 10 s, where a thousand steps of 0.01 s have added up to something else, and at the end of a run.
TEST(Session, RunWithCommandsIsTheSessionByHand) {
  for (const auto& [scene, body] : {std::pair("peaucellier", "crank"), std::pair("minibaja", "rear_left_wheel")}) {
    Desk scripted(scene), by_hand(scene);
    const double dt = scripted.session.simulation().experiment().dt;
    const Json args = {{"body", body}, {"torque", {0, 2, 2}}};
    scripted.session.submit(Json{{"cmd", "apply_torque"}, {"args", args}, {"at", 10}}.dump());
    scripted.session.run(10.5);
    by_hand.run(static_cast<int>(std::lround(10 / dt)));
    EXPECT_EQ(by_hand.session.simulation().state().t, 10);
    by_hand.tell("apply_torque", args);
    by_hand.run(static_cast<int>(std::lround(0.5 / dt)));
    EXPECT_EQ(scripted.session.simulation().state().step_count, by_hand.session.simulation().state().step_count);
    EXPECT_EQ(scripted.hash(), by_hand.hash()) << scene;
  }
}

TEST(Session, PauseStopsAtItsStep) {
  Desk desk("peaucellier");
  desk.tell("play");
  desk.session.submit(R"({"cmd":"pause","step":7})");
  while (desk.session.playing()) desk.session.step();
  EXPECT_EQ(desk.session.simulation().state().step_count, 7u);
  desk.session.step();  // paused: by itself, one step is one step
  EXPECT_EQ(desk.session.simulation().state().step_count, 8u);
}

TEST(Session, LogRepeatsTheSession) {
  std::vector<std::string> log;
  Desk desk("peaucellier");
  desk.session.on_applied([&](const AppliedCommand& command) { log.push_back(command.line); });
  desk.run(20);
  desk.tell("drag_begin", {{"body", "crank"}, {"point", {0.1, 0, 0}}, {"target", {0.3, 0.3, 0}}});
  desk.run(5);
  desk.tell("drag_move", {{"drag", 1}, {"target", {0.2, 0.4, 0}}});
  desk.run(5);
  desk.tell("drag_end", {{"drag", 1}});
  desk.tell("set", {{"path", "gravity.y"}, {"value", -3}});
  desk.run(10);
  desk.tell("undo");
  desk.run(3);
  desk.tell("apply_force", {{"body", "crank"}, {"force", {1, 0, 0}}, {"law", {{"kind", "sine"}, {"frequency", 5}}}});
  desk.run(10);
  desk.tell("seek", {{"step", 12}});
  desk.run(7);
  Desk again("peaucellier");
  for (const std::string& line : log) {
    const auto step = Json::parse(line)["step"].get<std::uint64_t>();
    while (again.session.simulation().state().step_count < step) again.session.step();
    ASSERT_EQ(again.session.simulation().state().step_count, step) << line;
    again.session.submit(line);
    again.session.apply_due();
  }
  again.run(7);
  EXPECT_EQ(again.hash(), desk.hash());
}

// A hand that goes to and fro between four places, as fast as a hand can, and jumps far away: the chain is stretched,
// folded and whipped, and comes to rest when it is let go, as it does without a hand.
TEST(Session, AHandDoesNotTearAChainApart) {
  const double places[4][2] = {{1.5, 0.5}, {-1.5, 0.5}, {1.5, -1.5}, {-1, 1.5}};
  for (const double way_per_move : {0.15, 1.0}) {
    Desk desk("five-link-chain");
    desk.run(100);
    Eigen::Vector3d hand(-1.4, -1.2, 0);
    const auto target = [&] { return Json{hand.x(), hand.y(), hand.z()}; };
    desk.tell("drag_begin", {{"body", "link5"}, {"point", {0.2, 0, 0}}, {"target", target()}});
    for (int move = 0; move < 240; ++move) {
      const double* place = places[move / 15 % 4];
      hand += way_per_move * (Eigen::Vector3d(place[0], place[1], 0) - hand);
      desk.tell("drag_move", {{"drag", 1}, {"target", target()}});
      ASSERT_NO_THROW(desk.run(2)) << way_per_move << ", move " << move;
    }
    desk.tell("drag_end", {{"drag", 1}});
    desk.run(3000);
    for (const double u : desk.session.simulation().state().u) EXPECT_LT(std::abs(u), 1e-6) << way_per_move;
  }
}

TEST(Session, UndoRestoresTheHashAndRedoRepeats) {
  Desk desk("peaucellier");
  desk.run(30);
  const std::uint64_t before = desk.hash();
  desk.tell("set", {{"path", "body.crank.mass"}, {"value", 2.5}});
  desk.run(10);
  const std::uint64_t after = desk.hash();
  desk.tell("undo");
  EXPECT_EQ(desk.hash(), before);
  EXPECT_EQ(desk.last.step, 30u);
  desk.tell("redo");
  desk.run(10);
  EXPECT_EQ(desk.hash(), after);
  EXPECT_NE(after, before);
  EXPECT_EQ(desk.tell("redo")["error"], "there is nothing to do again");
}

TEST(Session, BranchesKeepTheirBits) {
  Desk desk("peaucellier");
  desk.run(600);  // beyond the first snapshots
  const std::uint64_t first = desk.hash();
  desk.tell("seek", {{"step", 300}});
  EXPECT_EQ(desk.session.simulation().state().step_count, 300u);
  desk.tell("set", {{"path", "gravity.y"}, {"value", -20}});
  EXPECT_EQ(desk.session.branch(), 1);
  desk.run(300);
  const std::uint64_t second = desk.hash();
  EXPECT_NE(first, second);
  desk.tell("branch", {{"branch", 0}});
  EXPECT_EQ(desk.hash(), first);
  desk.tell("branch", {{"branch", 1}});
  EXPECT_EQ(desk.hash(), second);
  const Json rows = desk.tell("history", {{"names", {"D_y"}}, {"branch", 0}, {"from", 1.0}, {"to", 2.0}});
  EXPECT_GT(rows["t"].size(), 50u);
}

TEST(Session, CylindricalBecomesRevoluteAndBack) {
  Desk desk("cylinder-screw");
  const auto& simulation = desk.session.simulation();
  std::string joint, body;
  for (int j = 0; j < simulation.model().joint_count(); ++j)
    if (simulation.model().joint_type(j) == JointType::kCylindrical) {
      joint = simulation.model().joint_name(j);
      body = simulation.model().body_name(simulation.model().joint_child(j));
    }
  ASSERT_FALSE(joint.empty());
  desk.run(100);
  const auto motion = [&] { return simulation.body_motion(simulation.model().body(body)); };
  const BodyMotion before = motion();
  const Json locked =
      desk.tell("set_freedoms", {{"joint", joint}, {"freedoms", {false, false, true, false, false, false}}});
  EXPECT_EQ(locked["type"], "revolute") << locked;
  EXPECT_LE(locked["energy_jump"].get<double>(), 1e-12);
  EXPECT_LT((motion().pose.position - before.pose.position).norm(), 1e-12);
  desk.run(50);
  const Json freed =
      desk.tell("set_freedoms", {{"joint", joint}, {"freedoms", {false, false, true, false, false, true}}});
  EXPECT_EQ(freed["type"], "cylindrical");
  EXPECT_NEAR(freed["energy_jump"].get<double>(), 0, 1e-9);  // nothing is locked: rounding of the energy
  desk.run(10);
  desk.tell("undo"), desk.tell("undo");
  EXPECT_EQ(desk.last.step, 100u);
  EXPECT_TRUE(desk.tell("set_freedoms", {{"joint", joint}, {"freedoms", {false, false, false, true, true, false}}})
                  .contains("error"));
}

TEST(Session, PosingKeepsTheLinkageClosed) {
  Desk desk("peaucellier");
  desk.run(10);
  const double t = desk.session.simulation().state().t;
  const Json posed = desk.tell("pose", {{"body", "crank"}, {"point", {0.1, 0, 0}}, {"target", {0.2, 0.2, 0}}});
  ASSERT_FALSE(posed.contains("error")) << posed;
  EXPECT_EQ(desk.session.simulation().state().t, t);
  EXPECT_LT(desk.value("gap_C_left"), 1e-9);          // the tolerance to which loops are projected, times the size
  EXPECT_LT(std::abs(desk.value("off_line")), 1e-8);  // the Peaucellier point stays on its line
  desk.run(1);
}

TEST(Session, JointThatBreaksLetsGo) {
  Desk desk("double-pendulum");
  const auto& model = desk.session.simulation().model();
  std::vector<std::string> events;
  desk.session.on_event([&](const std::string& event) { events.push_back(event); });
  const std::string joint = model.joint_name(1);
  ASSERT_FALSE(desk.tell("set_break", {{"joint", joint}, {"force", 1e-3}}).contains("error"));
  desk.run(3);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].find("broke"), std::string::npos);
  EXPECT_EQ(desk.session.simulation().model().joint_type(1), JointType::kFree);
}

// A pendulum leans on the limit of its ball joint with 8.6 N m.
TEST(Session, BallJointBreaksByTheMomentOfItsLimit) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "ball.yaml").string();
  std::ofstream(scene) << R"(lipkin: 1
gravity: [9.81, 0, 0]
bodies:
  - name: b
    mass: 1
    com: [0, 0, -1]
    inertia: [0.1, 0.1, 0.1]
    joint: {type: ball, max_angle: 0.5, damping: 3, q: [0.96891242171, 0, -0.24740395925, 0]}
experiment: {stepper: euler, dt: 0.001, duration: 1}
)";
  for (const double torque : {8.0, 9.0}) {
    Desk desk(scene);
    std::vector<std::string> events;
    desk.session.on_event([&](const std::string& event) { events.push_back(event); });
    ASSERT_FALSE(desk.tell("set_break", {{"joint", "b"}, {"torque", torque}}).contains("error"));
    desk.run(200);
    EXPECT_EQ(events.size(), torque < 8.6 ? 1u : 0u);
  }
}

// Two doors swing down; a force on one looks at the hinge of the other, which can therefore not go. Hinges that can
// break do so all the same, in the same step and in later ones, and none is said to have broken that holds.
TEST(Session, JointThatCannotBreakLeavesTheOthers) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "doors.yaml").string();
  std::ofstream(scene) << R"(lipkin: 1
bodies:
  - {name: seen, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, q: 1.2}}
  - {name: soon, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, q: 1.2, at: [0, 1, 0]}}
  - {name: late, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, q: 1.2, at: [0, 2, 0]}}
forces: [{name: push, body: late, force: ["0.01*joint.seen.q", 0, 0]}]
experiment: {stepper: euler, dt: 0.001, duration: 1}
)";
  Desk desk(scene);
  std::vector<Json> events;
  desk.session.on_event([&](const std::string& event) { events.push_back(Json::parse(event)); });
  for (const auto& [joint, force] : {std::pair("seen", 8.0), std::pair("soon", 8.0), std::pair("late", 12.0)})
    ASSERT_FALSE(desk.tell("set_break", {{"joint", joint}, {"force", force}}).contains("error"));
  desk.run(600);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["event"], "refused");
  const std::string message = events[0]["message"];
  EXPECT_NE(message.find("joint 'seen' cannot break"), std::string::npos) << message;
  EXPECT_NE(message.find("force 'push'"), std::string::npos) << message;
  EXPECT_EQ(events[1]["event"], "broke");
  EXPECT_EQ(events[1]["joint"], "soon");
  EXPECT_EQ(events[1]["step"], events[0]["step"]);
  EXPECT_EQ(events[2]["event"], "broke");
  EXPECT_EQ(events[2]["joint"], "late");
  EXPECT_GT(events[2]["step"], events[1]["step"]);
  EXPECT_GE(events[2]["force"], 12.0);
  const Model& model = desk.session.simulation().model();
  EXPECT_EQ(model.joint_type(model.joint("seen")), JointType::kRevolute);
  EXPECT_EQ(model.joint_type(model.joint("free_soon")), JointType::kFree);
  EXPECT_EQ(model.joint_type(model.joint("free_late")), JointType::kFree);
}

// Somebody types one value right after another: neither command says what the other one has set.
TEST(Session, WhatAnEditLeavesOutStays) {
  Desk desk("double-pendulum");
  desk.tell("settings", {{"stepper", "euler"}, {"dt", 0.001}});  // one that takes drives
  const auto shown = [&](const char* list, int i) { return Json::parse(desk.session.model_json())[list].at(i); };
  const std::string joint = desk.session.simulation().model().joint_name(1);
  const auto told = [&](const char* cmd, Json args) {
    args["joint"] = joint;
    const Json answer = desk.tell(cmd, args);
    EXPECT_FALSE(answer.contains("error")) << answer;
  };
  told("set_drive", {{"kind", "velocity"}, {"target", 1}, {"max_force", 10}});
  told("set_drive", {{"target", -2}});
  told("set_drive", {{"max_force", 100}});
  EXPECT_EQ(shown("motors", 0)["target"], -2);
  EXPECT_EQ(shown("motors", 0)["max_force"], 100);
  desk.tell("set", {{"path", "motor." + shown("motors", 0)["name"].get<std::string>() + ".target"}, {"value", -3}});
  told("set_drive", {{"max_force", nullptr}});
  EXPECT_EQ(shown("motors", 0)["target"], -3);
  EXPECT_EQ(shown("motors", 0)["max_force"], nullptr);
  told("set_drive", {{"kind", "position"}, {"stiffness", 5}, {"damping", 1}});
  told("set_drive", {{"target", "0.1*t"}});
  EXPECT_EQ(shown("motors", 0)["kind"], "position");
  EXPECT_EQ(shown("motors", 0)["stiffness"], 5);
  told("set_drive", {{"kind", "velocity"}});
  EXPECT_EQ(shown("motors", 0)["stiffness"], nullptr);
  told("set_drive", {{"kind", "off"}});
  EXPECT_TRUE(Json::parse(desk.session.model_json())["motors"].empty());

  told("set_limits", {{"lower", -9}, {"upper", 8}});
  told("set_limits", {{"upper", 7}});
  EXPECT_EQ(shown("joints", 1)["dofs"][0]["lower"], -9);
  told("set_limits", {{"lower", nullptr}});
  EXPECT_EQ(shown("joints", 1)["dofs"][0]["lower"], nullptr);
  EXPECT_EQ(shown("joints", 1)["dofs"][0]["upper"], 7);

  told("set_break", {{"force", 1e6}});
  told("set_break", {{"torque", 2e6}});
  EXPECT_EQ(shown("joints", 1)["break_force"], 1e6);
  EXPECT_EQ(shown("joints", 1)["break_torque"], 2e6);
}

TEST(Session, AnIconKeepsWhatIsNotEdited) {
  Desk desk("double-pendulum");
  const std::string body = desk.session.simulation().model().body_name(1);
  desk.tell("apply_force", {{"body", body}, {"force", {3, 0, 0}}, {"law", {{"kind", "sine"}, {"frequency", 1}}}});
  const auto edit = [&](Json args) {
    args["name"] = "force1";
    return desk.tell("edit_icon", args);
  };
  edit({{"force", {nullptr, 4, nullptr}}});
  edit({{"point", {nullptr, nullptr, 0.5}}});
  edit({{"law", {{"phase", 0.25}}}});
  edit({{"law", {{"frequency", 2}}}});
  const auto icon = [&] { return Json::parse(desk.session.icons_json())[0]; };
  EXPECT_EQ(icon()["vector"], Json({3, 4, 0}));
  EXPECT_EQ(icon()["point"], Json({0, 0, 0.5}));
  EXPECT_EQ(icon()["law"], Json({{"kind", "sine"}, {"frequency", 2}, {"phase", 0.25}}));
  edit({{"size", 10}});
  EXPECT_EQ(icon()["vector"], Json({6, 8, 0}));
  EXPECT_TRUE(edit({{"law", {{"kind", "ramp"}}}}).contains("error")) << "nothing to keep for the rise";
  EXPECT_TRUE(edit({{"force", {1, 2}}}).contains("error"));
}

TEST(Session, JointsComeAndGo) {
  Desk desk("double-pendulum");
  const auto& simulation = desk.session.simulation();
  const std::string lower = simulation.model().body_name(1);
  EXPECT_TRUE(desk.tell("add_joint", {{"parent", "world"}, {"child", lower}, {"point", {0, 0, 0}}}).contains("error"));
  desk.tell("settings", {{"stepper", "euler"}, {"dt", 0.001}});
  desk.run(20);
  const BodyMotion before = simulation.body_motion(1);
  const Json added =
      desk.tell("add_joint", {{"parent", "world"}, {"child", lower}, {"type", "fixed"}, {"point", {0, 0, 0}}});
  ASSERT_FALSE(added.contains("error")) << added;
  desk.run(50);
  EXPECT_LT((simulation.body_motion(1).pose.position - before.pose.position).norm(), 1e-8);
  desk.tell("delete_joint", {{"joint", added["name"]}});
  desk.run(50);
  EXPECT_GT((simulation.body_motion(1).pose.position - before.pose.position).norm(), 1e-3);
}

TEST(Session, PrescribedMotionIsFollowed) {
  Desk desk("double-pendulum");
  const auto& simulation = desk.session.simulation();
  const std::string joint = simulation.model().joint_name(0);
  desk.run(10);
  desk.tell("watch", {{"channels", {{{"name", "rate"}, {"expr", "joint." + joint + ".u"}}}}});
  desk.tell("settings", {{"stepper", "euler"}, {"dt", 0.001}});
  desk.tell("apply_motion", {{"joint", joint}, {"value", 2.0}, {"duration", 0.02}});
  desk.run(10);
  EXPECT_NEAR(desk.value("rate"), 2.0, 1e-9);  // a bilateral row
  desk.run(30);
  EXPECT_NE(desk.value("rate"), 2.0);
}

// The law is replaced by a PID on the rod's angle alone, and put back: the rod stays up, and the same lines give the
// same bits.
TEST(Session, ControllersAreSwappedWhileItRuns) {
  std::uint64_t hashes[2];
  for (std::uint64_t& hash : hashes) {
    Desk desk("cart-pole");
    desk.run(400);
    desk.tell("set_controller",
              {{"name", "balance"}, {"measured", "-joint.pole.q"}, {"target", 0}, {"p", 60}, {"d", 10}, {"i", 20}});
    EXPECT_TRUE(desk.last.ok) << desk.last.error;
    desk.run(100);
    EXPECT_LT(std::abs(desk.value("lean")), 0.02);
    EXPECT_TRUE(desk.tell("set", {{"path", "controller.balance.p"}, {"value", 80}}).is_object());
    desk.run(50);
    desk.tell("set_controller", {{"name", "balance"},
                                 {"law",
                                  "3.468*joint.cart.q + 4.624*joint.cart.u + "
                                  "35.84*joint.pole.q + 6.890*joint.pole.u"}});
    EXPECT_TRUE(desk.last.ok) << desk.last.error;
    desk.run(2000);
    EXPECT_NEAR(desk.value("place"), 0, 1e-6);
    EXPECT_NEAR(desk.value("lean"), 0, 1e-6);
    hash = desk.hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  Desk desk("cart-pole");
  EXPECT_TRUE(desk.tell("set_controller", {{"name", "balance"}, {"law", "joint.poel.q"}}).contains("error"));
  EXPECT_TRUE(desk.tell("set_controller", {{"name", "new"}, {"p", 3}}).contains("error"));
}

// Twenty controls a second would otherwise be twenty models a second.
TEST(Session, AControlNeedsNoNewModel) {
  Desk desk("cart-pole");
  desk.tell("watch", {{"channels", {{{"name", "control"}, {"expr", "actuator.push.control"}}}}});
  const auto model = desk.session.versions().model;
  desk.tell("set", {{"path", "actuator.push.control"}, {"value", 1.25}});
  EXPECT_TRUE(desk.last.ok) << desk.last.error;
  EXPECT_EQ(desk.session.versions().model, model);
  EXPECT_EQ(desk.value("control"), 1.25);
}

// A servo and a thruster of an MJCF file, by their names there; controls go with what they drive.
TEST(Session, ControlsDriveServosAndActuatorsAlike) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "arm.xml")
      << "<mujoco><worldbody><body name='arm'><joint name='a' axis='0 0 1'/>"
         "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body><body name='rocket'><freejoint name='f'/>"
         "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><site name='jet'/></body></worldbody>"
         "<option timestep='0.01'/><actuator><position name='servo' joint='a' kp='100' kv='20' gear='2'/>"
         "<motor name='jet' site='jet' gear='0 0 1'/></actuator></mujoco>";
  Desk desk((folder.path() / "arm.xml").string());
  const auto model = desk.session.versions().model;
  desk.tell("set", {{"path", "control.servo"}, {"value", 0.6}});
  EXPECT_TRUE(desk.last.ok) << desk.last.error;
  desk.tell("set", {{"path", "control.jet"}, {"value", 2 * 9.81}});
  EXPECT_TRUE(desk.last.ok) << desk.last.error;
  EXPECT_EQ(desk.session.versions().model, model);
  desk.run(400);
  const std::vector<double>& q = desk.session.simulation().state().q;
  EXPECT_NEAR(q[0], 0.3, 1e-6);
  EXPECT_NEAR(q[3], 0, 1e-12);
  desk.tell("set", {{"path", "motor.servo.control"}, {"value", -0.2}});
  desk.run(400);
  EXPECT_NEAR(q[0], -0.1, 1e-6);
  desk.tell("set", {{"path", "motor.servo.target"}, {"value", 0.7}});
  EXPECT_TRUE(desk.last.ok) << desk.last.error;
  desk.run(400);
  EXPECT_NEAR(desk.session.simulation().state().q[0], 0.7, 1e-6);
  desk.tell("delete_joint", {{"joint", "a"}});
  EXPECT_TRUE(desk.last.ok) << desk.last.error;
  EXPECT_EQ(desk.session.simulation().model().control_count(), 1);
  desk.tell("undo");
  EXPECT_EQ(desk.session.simulation().model().control_count(), 2);
}

// A controller outside names its controls in one message: where one of them is wrong, none is set and no step is taken.
TEST(Session, ARefusedStepSetsNoneOfItsControls) {
  Desk desk("cart-pole"), plain("cart-pole");
  for (Desk* each : {&desk, &plain}) each->run(10), each->tell("play");
  const std::string control = desk.session.simulation().model().control_name(0);
  const Json wrong[] = {{{control, 0.5}, {"zzz", 1}}, {{control, 0.5}, {"zzz", "fast"}}, {{control, nullptr}},
                        {{control, "fast"}},          {{"", 1}, {control, 0.5}},         {{control, {1, 2}}}};
  for (const Json& controls : wrong) {
    EXPECT_TRUE(desk.tell("step", {{"controls", controls}}).contains("error")) << controls;
    EXPECT_EQ(desk.hash(), plain.hash()) << controls;
  }
  EXPECT_TRUE(desk.tell("step", {{"count", -1}, {"controls", {{control, 0.5}}}}).contains("error"));
  EXPECT_TRUE(desk.session.playing());
  EXPECT_EQ(desk.session.timeline_json(), plain.session.timeline_json());
  desk.run(50), plain.run(50);
  EXPECT_EQ(desk.hash(), plain.hash());
  EXPECT_FALSE(desk.tell("step", {{"controls", {{control, 0.5}}}}).contains("error")) << desk.last.error;
  EXPECT_EQ(desk.session.simulation().state().control[0], 0.5);
}

TEST(Session, ParametersAreWatchedByTheirPaths) {
  Desk desk("peaucellier");
  const Json channels = {{{"name", "twice"}, {"expr", "2 * body.crank.mass"}},
                         {{"name", "limit"}, {"expr", "joint.crank.upper"}}};
  desk.tell("watch", {{"channels", channels}});
  EXPECT_TRUE(desk.last.ok) << desk.last.error;
  const double mass = desk.session.simulation().model().body_mass(desk.session.simulation().model().body("crank"));
  EXPECT_EQ(desk.value("twice"), 2 * mass);
  EXPECT_TRUE(std::isnan(desk.value("limit")));  // there is none
  desk.tell("set", {{"path", "body.crank.mass"}, {"value", 3}});
  EXPECT_EQ(desk.value("twice"), 6);
  desk.tell("undo");
  EXPECT_EQ(desk.value("twice"), 2 * mass);
  EXPECT_TRUE(desk.tell("watch", {{"channels", {{{"expr", "body.crank.maas"}}}}}).contains("error"));
}

// What is watched by the name of an output would be taken for it, in plots and recordings too.
TEST(Session, WatchesLeaveOutputsTheirNamesAndValues) {
  Desk desk("double-pendulum");
  desk.run(30);
  const auto shown = [&] {
    std::vector<std::pair<std::string, double>> all;
    for (const WatchedChannel& channel : desk.session.channels())
      all.emplace_back(channel.name, desk.value(channel.name));
    return all;
  };
  const auto before = shown();
  ASSERT_GE(before.size(), 2u);
  const WatchedChannel first = desk.session.channels().front();
  const auto watch = [&](const std::string& name, const std::string& expression) {
    return desk.tell("watch", {{"channels", {{{"name", name}, {"expr", expression}}}}});
  };
  EXPECT_NE(watch(first.name, "7").value("error", "").find("'" + first.name + "' is an output"), std::string::npos);
  EXPECT_EQ(shown(), before);
  EXPECT_FALSE(watch(first.name, first.expression).contains("error"));  // it is watched already
  EXPECT_EQ(shown(), before);
  EXPECT_FALSE(watch("own", "7").contains("error"));
  EXPECT_FALSE(watch("own", "8").contains("error"));  // replaced
  EXPECT_EQ(desk.value("own"), 8);
  EXPECT_EQ(shown().size(), before.size() + 1);
  desk.tell("unwatch", {{"names", {"own"}}});
  EXPECT_EQ(shown(), before);
}

// A page that comes late asks for what it has just begun to watch, too.
TEST(Session, HistoryHasGapsWhereNothingWasWatched) {
  Desk desk("peaucellier");
  desk.run(50);
  const std::string output = desk.session.channels().front().name;
  desk.tell("watch", {{"channels", {{{"name", "late"}, {"expr", "energy.total"}}}}});
  const Json past = desk.tell("history", {{"names", {output, "late"}}});
  ASSERT_TRUE(past.contains("values")) << past;
  ASSERT_FALSE(past["t"].empty());
  EXPECT_TRUE(past["values"][output].front().is_number());
  EXPECT_TRUE(past["values"]["late"].front().is_null());
  EXPECT_TRUE(desk.tell("history", {{"names", {"nobody"}}}).contains("error"));
}

TEST(Session, AMotionBecomesAWayToGo) {
  Desk desk("double-pendulum");
  const std::string joint = desk.session.simulation().model().joint_name(0);
  desk.tell("watch", {{"channels", {{{"name", "angle"}, {"expr", "joint." + joint + ".q"}}}}});
  desk.tell("settings", {{"stepper", "euler"}, {"dt", 0.001}});
  desk.tell("apply_motion", {{"joint", joint}, {"value", 1.0}});
  desk.run(100);
  const double angle = desk.value("angle"), t = desk.session.simulation().state().t;
  desk.tell("edit_icon", {{"name", "motion1"},
                          {"motion", "position"},
                          {"value", 0.3},
                          {"start", t},
                          {"law", {{"kind", "ramp"}, {"rise", 0.1}}}});
  EXPECT_TRUE(desk.last.ok) << desk.last.error;
  desk.run(200);
  EXPECT_NEAR(desk.value("angle"), angle + 0.3, 1e-6);  // a bilateral row, and its stabilization
}

TEST(Session, InputsAreSetUndoneAndReset) {
  Desk desk("minibaja");
  desk.run(10);
  const std::uint64_t before = desk.hash();
  desk.tell("set", {{"path", "input.steer"}, {"value", 0.5}});
  desk.run(5);
  desk.tell("set", {{"path", "input.steer"}, {"value", 0.6}});
  desk.run(5);
  EXPECT_NE(desk.hash(), before);
  desk.tell("undo");  // what a hand does within a while is undone together
  EXPECT_EQ(desk.hash(), before);
  EXPECT_TRUE(desk.tell("set", {{"path", "input.steer"}, {"value", 1.5}}).contains("error"));
  EXPECT_TRUE(desk.tell("set", {{"path", "input.stear"}, {"value", 0.5}}).contains("error"));
  desk.tell("set", {{"path", "input.steer"}, {"value", 0.5}});
  desk.tell("reset_parameter", {{"path", "input.steer"}});
  EXPECT_EQ(desk.session.simulation().state().inputs[2], 0);
}

TEST(Session, WhatIsNotThereIsNotReset) {
  Desk desk("double-pendulum");
  for (const char* path : {"zz", "parameter.zz", "input.zz", "control.zz", "joint.rod1.zz", "joint.zz.damping"})
    EXPECT_FALSE(desk.tell("reset_parameter", {{"path", path}})["error"].is_null()) << path;
  EXPECT_FALSE(desk.tell("reset_parameter", {{"path", "gravity.z"}}).contains("error")) << desk.last.error;
}

TEST(Session, SceneParametersAreReadAgain) {
  Desk desk("peaucellier");
  desk.run(10);
  const double x = x_of(desk, "crank");
  ASSERT_FALSE(desk.tell("set", {{"path", "parameter.swing"}, {"value", 0.5}}).contains("error")) << desk.last.error;
  EXPECT_EQ(x_of(desk, "crank"), x);
  desk.run(200);
  EXPECT_FALSE(desk.tell("set", {{"path", "parameter.swong"}, {"value", 0.5}})["error"].is_null());
}

// Everything that the viewer offers under the scene's parameters, with what it follows from.
TEST(Session, EveryParameterThatIsOfferedCanBeSet) {
  Desk desk("peaucellier");
  desk.run(3);
  const Json list = Json::parse(desk.session.model_json())["parameters"];
  int offered = 0;
  std::string derived;
  for (const Json& p : list) {
    const std::string path = p.value("path", "");  // none: like another group
    if (!path.starts_with("parameter.")) continue;
    ++offered;
    if (path == "parameter.crank_angle") derived = p.value("derived_from", "");
    const Json answer = desk.tell("set", {{"path", path}, {"value", p["value"]}});
    EXPECT_FALSE(answer.contains("error")) << path << ": " << desk.last.error;
  }
  EXPECT_GT(offered, 20);
  EXPECT_EQ(derived, "-swing");
}

TEST(Session, MistakesAreNamedAndChangeNothing) {
  Desk desk("peaucellier");
  desk.run(5);
  const std::uint64_t hash = desk.hash();
  const auto error = [&](const std::string& cmd, Json args) {
    const Json answer = desk.tell(cmd, std::move(args));
    EXPECT_EQ(desk.hash(), hash);
    return answer.value("error", "");
  };
  EXPECT_NE(error("apply_forse", {}).find("apply_force"), std::string::npos);
  EXPECT_NE(error("apply_force", {{"body", "crnak"}, {"force", {0, 0, 1}}}).find("crank"), std::string::npos);
  EXPECT_NE(error("apply_force", {{"body", "crank"}, {"forse", {0, 0, 1}}}).find("'force'"), std::string::npos);
  EXPECT_NE(error("set", {{"path", "body.crank.mas"}, {"value", 1}}).find("body.crank.mass"), std::string::npos);
  EXPECT_NE(error("set", {{"path", "body.crank.mass"}, {"value", -1}}), "");
  EXPECT_NE(error("set", {{"path", "body.crank.mass"}, {"value", "heavy"}}), "");
  EXPECT_NE(error("speed", {{"factor", 1000}}), "");
  EXPECT_NE(error("seek", {{"step", -1}}), "");
  EXPECT_NE(error("branch", {{"branch", 7}}), "");
  EXPECT_NE(error("undo", {}), "");
  EXPECT_NE(error("drag_move", {{"drag", 3}, {"target", {0, 0, 0}}}), "");
  for (const char* line : {"", "{", "[]", "{\"cmd\":1}", "{\"cmd\":\"play\",\"at\":\"now\"}",
                           "{\"cmd\":\"play\",\"when\":1}", "{\"cmd\":\"play\",\"args\":[]}"}) {
    bool refused = false;
    desk.session.submit(line, [&](const CommandAnswer& answer) { refused = !answer.ok; });
    desk.session.apply_due();
    EXPECT_TRUE(refused) << line;
  }
}

// A multistep code begins anew with a command; one that is refused is none.
TEST(Session, ARefusedCommandLeavesMultistepCodesTheirHistory) {
  Desk desk("double-pendulum"), plain("double-pendulum");
  for (Desk* each : {&desk, &plain}) {
    if (each->tell("settings", {{"stepper", "adams"}}).contains("error")) GTEST_SKIP() << each->last.error;
    each->run(20);
  }
  const std::string joint = desk.session.simulation().model().joint_name(0);
  EXPECT_TRUE(desk.tell("apply_force", {{"body", "nobody"}, {"force", {0, 0, 1}}}).contains("error"));
  EXPECT_TRUE(desk.tell("apply_motion", {{"joint", joint}, {"value", 1}}).contains("error"));  // it has no rows
  desk.run(20), plain.run(20);
  EXPECT_EQ(desk.hash(), plain.hash());
}

// What was saved, read again, moves as the session does.
TEST(Session, SavedSceneIsTheEditedOne) {
  Desk desk("peaucellier");
  desk.tell("set", {{"path", "body.crank.mass"}, {"value", 2.5}});
  desk.tell("apply_torque", {{"body", "crank"}, {"torque", {0, 0, 2}}, {"start", 0.2}, {"duration", 0.3}});
  const std::string text = desk.tell("save")["text"];
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "saved.yaml") << text;
  Simulation saved(load_scene((folder.path() / "saved.yaml").string()));
  desk.run(100);
  for (int i = 0; i < 100; ++i) saved.step();
  const BodyMotion a = desk.session.simulation().body_motion(0), b = saved.body_motion(0);
  EXPECT_LT((a.pose.position - b.pose.position).norm(), 1e-9);  // frames are rounded once more in the text
  EXPECT_LT((a.velocity - b.velocity).norm(), 1e-7);
  EXPECT_TRUE(desk.tell("save", {{"path", "../x.yaml"}}).contains("error"));
  EXPECT_TRUE(desk.tell("save", {{"path", "/tmp/x.yaml"}}).contains("error"));
}

constexpr const char* kDriven = R"(lipkin: 1
name: driven
gravity: [0, 0, 0]
inputs: [{name: wind, value: 0.1}]
bodies:
  - {name: sled, mass: 2, inertia: [0.1, 0.1, 0.1], joint: {type: prismatic, axis: x, damping: 1}}
  - {name: arm, mass: 1, inertia: [0.2, 0.2, 0.2], joint: {type: revolute, axis: z}}
  - {name: lid, mass: 1, inertia: [0.2, 0.2, 0.2], joint: {type: revolute, axis: y, friction: 0.01}}
  - {name: knob, mass: 1, inertia: [0.2, 0.2, 0.2], joint: {type: revolute, axis: y}}
forces: [{name: blow, body: sled, force: [10*input.wind, 0, 0]}]
actuators: [{name: push, joint: arm, control: 0.3*sin(9*t), min: -1, max: 1}, {name: other, joint: lid, control: 0}]
motors: [{name: turn, joint: knob, position: 0}]
controls:
  - {name: c, actuator: push, scale: 2, offset: 0.1, max: 3}
  - {name: knob, motor: turn}
experiment:
  dt: 0.001
  commands:
    - {at: 0.14, set: {joint.lid.friction: 0.05}}
    - {at: 0.02, set: {joint.sled.damping: 4}}
    - {at: 0.03, push: {body: sled, force: [20, 0, 0], duration: 0.1}}
)";

void expect_same_motion(const Simulation& a, const Simulation& b, const std::string& what) {
  constexpr double kRounded = 1e-9;  // times that began anew
  for (std::size_t i = 0; i < a.state().q.size(); ++i)
    EXPECT_NEAR(a.state().q[i], b.state().q[i], kRounded) << what << ", coordinate " << i;
  for (std::size_t i = 0; i < a.state().u.size(); ++i)
    EXPECT_NEAR(a.state().u[i], b.state().u[i], kRounded) << what << ", velocity " << i;
}

Simulation read_again(const TemporaryFolder& folder, const std::string& text) {
  const std::string file = (folder.path() / "saved.yaml").string();
  std::ofstream(file) << text;
  return Simulation(load_scene(file));
}

void set_all(Desk& desk) {
  const std::pair<const char*, double> values[] = {
      {"input.wind", 0.7}, {"control.c", 0.2}, {"actuator.other.control", -0.4}, {"control.knob", 5e-4}};
  for (const auto& [path, value] : values) {
    desk.tell("set", {{"path", path}, {"value", value}});
    EXPECT_TRUE(desk.last.ok) << path << ": " << desk.last.error;
  }
}

// Inputs and controls are set without an edit of the parts; so is what timed commands have done by now.
TEST(Session, SavedSceneHasWhatWasSet) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "driven.yaml").string();
  std::ofstream(scene) << kDriven;
  for (const char* coordinates : {"generalized", "maximal"}) {
    Desk desk(scene), begun(scene);
    for (Desk* each : {&desk, &begun}) each->tell("settings", {{"coordinates", coordinates}});
    desk.run(60);
    set_all(desk), set_all(begun);
    Simulation start = read_again(folder, desk.tell("save", {{"from", "start"}})["text"]);
    begun.run(200);
    for (int i = 0; i < 200; ++i) start.step();
    expect_same_motion(start, begun.session.simulation(), std::string("start, ") + coordinates);
    desk.run(10);
    Simulation now = read_again(folder, desk.tell("save", {{"from", "now"}})["text"]);
    desk.run(200);
    for (int i = 0; i < 200; ++i) now.step();
    expect_same_motion(now, desk.session.simulation(), std::string("now, ") + coordinates);
  }
}

// A value that a timed command has set is set by it again; one whose place an edit took away is none for a scene.
TEST(Session, SavedSceneLeavesToCommandsWhatTheyDo) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "driven.yaml").string();
  std::ofstream(scene) << std::string(kDriven) + "    - {at: 0.01, set: {input.wind: 0.9, control.c: 0.5}}\n";
  Desk desk(scene);
  desk.run(60);
  const Simulation start = read_again(folder, desk.tell("save", {{"from", "start"}})["text"]);
  EXPECT_EQ(start.state().inputs[0], 0.1);
  EXPECT_EQ(start.experiment().commands.size(), 5u);
  const Simulation now = read_again(folder, desk.tell("save", {{"from", "now"}})["text"]);
  EXPECT_EQ(now.state().inputs[0], 0.9);
  EXPECT_EQ(now.experiment().commands.size(), 2u);  // the rest of the push, and the friction that is to come
  ASSERT_FALSE(desk.tell("delete_joint", {{"joint", "lid"}}).contains("error")) << desk.last.error;
  EXPECT_EQ(read_again(folder, desk.tell("save")["text"]).experiment().commands.size(), 1u);
}

// A timed command whose target an edit took away says so then, once.
TEST(Session, CommandsThatLoseTheirTargetAreTold) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "driven.yaml").string();
  std::ofstream(scene) << kDriven;
  Desk desk(scene);
  std::vector<std::string> told;
  desk.session.on_event([&](std::string_view text) {
    const Json event = Json::parse(text);
    if (event.value("event", "") == "refused") told.push_back(event["message"]);
  });
  desk.run(5);
  ASSERT_FALSE(desk.tell("delete_joint", {{"joint", "lid"}}).contains("error")) << desk.last.error;
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("the command for t = 0.14 s will do nothing"), std::string::npos) << told[0];
  desk.tell("set", {{"path", "body.sled.mass"}, {"value", 3}});
  EXPECT_EQ(told.size(), 1u);
}

// What was set last holds, whoever set it: a timed command's value does not come back over a later one.
TEST(Session, TheLastValueHolds) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "driven.yaml").string();
  std::ofstream(scene) << kDriven;
  Desk desk(scene);
  desk.tell("set", {{"path", "input.wind"}, {"value", 0}});
  desk.run(30);  // the command of 0.02 s has set 4
  ASSERT_FALSE(desk.tell("set", {{"path", "joint.sled.damping"}, {"value", 9}}).contains("error")) << desk.last.error;
  desk.run(20);
  desk.tell("set", {{"path", "body.knob.mass"}, {"value", 2}});  // another edit does not bring it back either
  desk.run(90);                                                  // the push has ended at 0.13 s
  const double before = desk.session.simulation().state().u[0];
  desk.run(100);
  EXPECT_NEAR(desk.session.simulation().state().u[0] / before, std::pow(1 + 1e-3 * 9 / 2, -100), 1e-9);
}

// Drives, limits, frictions and controllers that a person sets hold over values that commands have set before.
TEST(Session, EditsHoldOverEarlierCommands) {
  const TemporaryFolder folder;
  const std::string scene = (folder.path() / "s.yaml").string();
  std::ofstream(scene) << R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: x, limits: [-1, 0.5], u: 1}}
  - {name: w, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, axis: x}}
motors: [{name: m, joint: w, velocity: 1}]
experiment:
  dt: 0.001
  commands:
    - {at: 0.01, set: {motor.m.target: 5}}
    - {at: 0.01, set: {joint.a.upper: 0.1}}
)";
  Desk desk(scene);
  desk.run(20);
  ASSERT_FALSE(desk.tell("set_drive", {{"joint", "w"}, {"target", 3}}).contains("error")) << desk.last.error;
  ASSERT_FALSE(desk.tell("set_limits", {{"joint", "a"}, {"upper", 0.9}}).contains("error")) << desk.last.error;
  desk.run(1500);
  EXPECT_NEAR(desk.session.simulation().state().u[1], 3, 1e-9);
  EXPECT_NEAR(desk.session.simulation().state().q[0], 0.9, 1e-3);
}

TEST(Session, DescriptionsAreJson) {
  for (const char* scene : {"peaucellier", "cup", "grasp", "spring-bushing", "flywheel-arm"}) {
    Desk desk(scene);
    desk.run(3);
    const Json model = Json::parse(desk.session.model_json());
    EXPECT_EQ(model["bodies"].size(), static_cast<std::size_t>(desk.session.simulation().model().body_count()));
    EXPECT_FALSE(Json::parse(desk.session.settings_json())["choices"]["stepper"].empty());
    EXPECT_EQ(Json::parse(desk.session.run_json())["step"], 3);
    EXPECT_EQ(Json::parse(desk.session.timeline_json())["branches"].size(), 1u);
    std::string frame;
    desk.session.write_frame(0, 1, frame);
    EXPECT_GE(frame.size(), 64 + 28 * model["bodies"].size());
  }
}

}  // namespace
}  // namespace lipkin
