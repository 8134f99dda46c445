// Controllers exchanged while they work: one that is put back is the one it was, and a PID does not act before it has a
// gain.
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.hpp"
#include "unit/session/desk.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::Desk;

// 2 kg that a PID holds against gravity: at rest its integral alone carries the load.
std::string lift(const TemporaryFolder& folder) {
  const std::filesystem::path file = folder.path() / "lift.yaml";
  std::ofstream(file) << R"(lipkin: 1
name: lift
gravity: [0, 0, -10]
bodies:
  - {name: cage, mass: 2, inertia: [1, 1, 1], joint: {type: prismatic, axis: z}}
controllers:
  - {name: hoist, measured: joint.cage.q, target: 0, p: 400, i: 400, d: 80, filter: 0.005}
actuators:
  - {name: rope, joint: cage, control: controller.hoist.output}
outputs:
  height: {expr: joint.cage.q, unit: m}
  force: {expr: controller.hoist.output, unit: N}
experiment: {stepper: euler, duration: 10, dt: 0.001}
)";
  return file.string();
}

Json controller(const Desk& desk) { return desk.shown("controllers")[0]; }

void expect_done(const Json& answer) { EXPECT_FALSE(answer.contains("error")) << answer; }

// The rod stands as long as the law acts: to the bit as if nobody had touched it.
TEST(SwappedControllers, APidWithoutGainsLeavesTheLawAtWork) {
  Desk desk("cart-pole"), plain("cart-pole");
  desk.run(200), plain.run(200);
  const Json law = controller(desk)["law"];
  expect_done(desk.tell("set_controller", {{"name", "balance"}, {"measured", "-joint.pole.q"}}));
  EXPECT_EQ(controller(desk)["kind"], "pid");
  EXPECT_EQ(controller(desk)["waits"], true);
  EXPECT_EQ(controller(desk)["law"], law);
  desk.run(1000), plain.run(1000);
  EXPECT_EQ(desk.hash(), plain.hash());
  expect_done(desk.tell("set", {{"path", "controller.balance.p"}, {"value", 60}}));
  EXPECT_EQ(controller(desk)["waits"], false);
  desk.tell(
      "watch",
      {{"channels",
        {{{"name", "out"}, {"expr", "controller.balance.output"}}, {{"name", "lean"}, {"expr", "joint.pole.q"}}}}});
  const double lean = desk.value("lean");
  desk.run(1);
  EXPECT_EQ(desk.value("out"), 60 * lean);  // p alone, of the error 0 - (-q) where the step began
}

TEST(SwappedControllers, ALawThatIsPutBackIsTheOneItWas) {
  Desk desk("cart-pole"), plain("cart-pole");
  desk.run(200), plain.run(200);
  const Json before = controller(desk);
  expect_done(desk.tell("set_controller",
                        {{"name", "balance"}, {"measured", "-joint.pole.q"}, {"p", 60}, {"i", 20}, {"d", 10}}));
  EXPECT_EQ(controller(desk)["waits"], false);
  expect_done(desk.tell("set_controller", {{"name", "balance"}, {"kind", "law"}}));
  EXPECT_EQ(controller(desk)["kind"], "law");
  EXPECT_EQ(controller(desk)["law"], before["law"]);
  desk.run(500), plain.run(500);
  EXPECT_EQ(desk.session.simulation().state().q, plain.session.simulation().state().q);
  // And the PID, with its gains.
  expect_done(desk.tell("set_controller", {{"name", "balance"}, {"kind", "pid"}}));
  EXPECT_EQ(controller(desk)["measured"], "-joint.pole.q");
  std::map<std::string, double> gains;
  for (const Json& p : desk.shown("parameters"))
    if (p.value("group", "") == "controller balance" && p.contains("path")) gains[p["path"]] = p["value"];
  EXPECT_EQ(gains["controller.balance.p"], 60);
  EXPECT_EQ(gains["controller.balance.i"], 20);
  EXPECT_EQ(gains["controller.balance.d"], 10);
}

TEST(SwappedControllers, APidThatIsPutBackHoldsItsLoad) {
  const TemporaryFolder folder;
  Desk desk(lift(folder));
  desk.run(20000);
  const double height = desk.value("height");
  ASSERT_NEAR(desk.value("force"), 20, 1e-6);  // m g
  expect_done(desk.tell("set_controller", {{"name", "hoist"}, {"law", 20}}));
  desk.run(100);
  expect_done(desk.tell("set_controller", {{"name", "hoist"}, {"kind", "pid"}}));
  double farthest = 0;
  for (int i = 0; i < 1000; ++i) desk.run(1), farthest = std::max(farthest, std::abs(desk.value("height") - height));
  EXPECT_LT(farthest, 1e-6);  // without its integral it falls by several centimetres first
}

// What another value has summed up is no load of this one.
TEST(SwappedControllers, APidOfAnotherValueBeginsAnew) {
  const TemporaryFolder folder;
  Desk desk(lift(folder));
  desk.run(2000);
  expect_done(desk.tell("set_controller", {{"name", "hoist"}, {"law", 20}}));
  expect_done(desk.tell("set_controller",
                        {{"name", "hoist"}, {"measured", "joint.cage.q + 0.5"}, {"p", 100}, {"i", 100}, {"d", 0}}));
  const double q = desk.value("height");
  desk.run(1);
  EXPECT_NEAR(desk.value("force"), -100 * (q + 0.5), 1e-9);  // p e alone: no time has passed for i
}

TEST(SwappedControllers, SwapsAreUndoneAndMistakesChangeNothing) {
  Desk desk("cart-pole");
  desk.run(50);
  const std::uint64_t hash = desk.hash();
  const auto error = [&](Json args) {
    args["name"] = "balance";
    const Json answer = desk.tell("set_controller", args);
    EXPECT_EQ(desk.hash(), hash);
    EXPECT_EQ(controller(desk)["kind"], "law");
    return answer.value("error", "");
  };
  EXPECT_NE(error({{"kind", "pid"}}).find("'measured'"), std::string::npos);
  EXPECT_NE(error({{"measured", "joint.poel.q"}}).find("pole"), std::string::npos);  // also before it acts
  EXPECT_NE(error({{"measured", "joint.pole.q"}, {"law", 1}}), "");
  EXPECT_NE(error({{"measured", "joint.pole.q"}, {"kind", "law"}}), "");
  EXPECT_NE(error({{"kind", "bang"}}), "");
  const TemporaryFolder folder;
  Desk hoist(lift(folder));
  EXPECT_NE(hoist.tell("set_controller", {{"name", "hoist"}, {"kind", "law"}})["error"].get<std::string>().find("none"),
            std::string::npos);
  const Json before = controller(desk);
  expect_done(desk.tell("set_controller", {{"name", "balance"}, {"measured", "-joint.pole.q"}, {"p", 60}}));
  desk.run(5);
  desk.tell("undo");
  EXPECT_EQ(controller(desk), before);
  EXPECT_EQ(desk.hash(), hash);
}

}  // namespace
}  // namespace lipkin
