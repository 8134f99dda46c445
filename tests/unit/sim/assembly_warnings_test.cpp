// What was given for joints and does not fit is told where the run begins far from it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lipkin/simulation.hpp"
#include "lipkin/warnings.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

std::string warnings_of(const std::string& scene) {
  std::string all;
  for (const char* coordinates : {"generalized", "maximal"}) {
    const Simulation simulation(test::scene_from(scene + "experiment: {coordinates: " + coordinates + "}\n"));
    std::string messages;
    for (const Diagnostic& warning : start_warnings(simulation)) messages += warning.message + "\n";
    if (all.empty()) all = messages;
    EXPECT_EQ(messages, all) << coordinates;
  }
  return all;
}

// 100 rad/s and rest become (100 + 3 * 0) / (1 + 9) = 10 rad/s and 30 rad/s in the norm of the inertia.
std::string engine(const std::string& wheel, const std::string& engine_more = "") {
  return R"(lipkin: 1
bodies:
  - {name: engine, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, u: 100)" +
         engine_more + R"(}}
  - {name: wheel, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, at: [0, 1, 0])" +
         wheel + R"(}}
gears: [{name: g, joint: wheel, of: engine, ratio: 3}]
)";
}

TEST(AssemblyWarnings, SpeedsThatAGearChanges) {
  EXPECT_EQ(
      warnings_of(engine("")),
      "joint 'engine' has u = 100 in the scene and begins with 10, since loops, gears, rods and drives ask for it\n");
  EXPECT_EQ(warnings_of(engine(", u: 300")), "");
  EXPECT_EQ(warnings_of(engine(", u: 290")), "");  // a tenth of it changes nothing much
}

TEST(AssemblyWarnings, CoordinatesThatAGearMoves) {
  const std::string text = warnings_of(engine(", u: 300, q: 4"));
  // 3 q = 4 is missed by 4: the shortest way in the norm of the inertia is 3 / 10 of it for the engine.
  EXPECT_EQ(text,
            "joint 'engine' has q = 0 rad in the scene and begins at 1.2 rad, moved with others until gear 'g' fits\n");
  EXPECT_EQ(warnings_of(engine(", u: 300, q: 1")), "");
}

// A wiper whose loop is 0.469 m open: the length of the gap, not its largest component.
TEST(AssemblyWarnings, LoopsThatMoveEverything) {
  const std::string wiper = R"(lipkin: 1
bodies:
  - {name: crank, mass: 0.2, com: [0.025, 0, 0], inertia: [1e-5, 1e-4, 1e-4], joint: {type: revolute, axis: y, armature: 0.05}}
  - name: coupler
    parent: crank
    mass: 0.4
    com: [0.15, 0, 0]
    inertia: [1e-5, 3e-3, 3e-3]
    joint: {type: revolute, axis: y, at: [0.05, 0, 0], q: -2.4}
  - {name: rocker, mass: 1, com: [0, 0, 0.25], inertia: [0.06, 0.06, 1e-3], joint: {type: revolute, axis: y, at: [0.29, 0, 0]}}
loops:
  - {name: pin, type: revolute, axis: y, from: {body: rocker, at: [0, 0, 0.12]}, to: {body: coupler, at: [0.3, 0, 0]}}
)";
  const std::string text = warnings_of(wiper);
  EXPECT_NE(text.find("moved with others until loop 'pin' fits"), std::string::npos) << text;
  const Simulation simulation(test::scene_from(wiper));
  const double x = 0.05 + 0.3 * std::cos(2.4) - 0.29, z = 0.3 * std::sin(2.4) - 0.12;
  EXPECT_NEAR(simulation.statistics().assembly_gap, std::hypot(x, z), 1e-12);
}

// A motor says where a joint begins; a q that it does not have is no contradiction.
TEST(AssemblyWarnings, MotorsMayPlaceJoints) {
  const auto driven = [](const char* q) {
    return std::string(R"(lipkin: 1
bodies: [{name: arm, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y)") +
           q + "}}]\nmotors: [{name: m, joint: arm, position: 1.5 + 0.1*t}]\n";
  };
  EXPECT_EQ(warnings_of(driven("")), "");
  EXPECT_EQ(warnings_of(driven(", q: 0.5")),
            "joint 'arm' has q = 0.5 rad in the scene and begins at 1.5 rad, moved with others until motor 'm' fits\n");
}

// What fits is not touched, and rounding in the speeds given is no speed.
TEST(AssemblyWarnings, NoneForWhatFits) {
  EXPECT_EQ(warnings_of(R"(lipkin: 1
bodies:
  - {name: crank, mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y, u: 10}}
  - {name: rod, parent: crank, mass: 1, com: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01], joint: {type: revolute, axis: y, at: [0.1, 0, 0], u: -10 - 10/3}}
  - {name: slider, mass: 2, joint: {type: prismatic, axis: x, q: 0.4, u: 1e-12}}
loops: [{name: w, type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0.3, 0, 0]}}]
)"),
            "");
}

}  // namespace
}  // namespace lipkin
