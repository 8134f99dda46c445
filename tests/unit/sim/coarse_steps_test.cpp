// What steps are too coarse to see is told before the run, in both coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "lipkin/simulation.hpp"
#include "lipkin/warnings.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

std::string warnings_of(const std::string& text) {
  std::string told;
  for (const Diagnostic& warning : start_warnings(Simulation(test::scene_from(text)))) told += warning.message + "\n";
  return told;
}

TEST(CoarseSteps, AreToldWhereAMotorTurnsFarInBothCoordinates) {
  for (const char* coordinates : {"generalized", "maximal"})
    for (const double speed : {-30.0, 400.0, 5.0}) {
      const std::string told = warnings_of(fmt::format(
          "lipkin: 1\n"
          "gravity: [0, 0, 0]\n"
          "bodies: [{{name: crank, joint: {{type: revolute, axis: y, u: {0}}}, mass: 1, inertia: [1, 1, 1]}}]\n"
          "motors: [{{name: run, joint: crank, velocity: {0}}}]\n"
          "experiment: {{dt: 0.033, duration: 1, coordinates: {1}}}\n",
          speed, coordinates));
      EXPECT_EQ(told.find("motor 'run' turns joint 'crank'") != std::string::npos, std::abs(speed) > 20)
          << coordinates << ", " << speed << " rad/s: " << told;
    }
}

std::string pulse(const std::string& law, const std::string& rest = "") {
  return warnings_of(
      "lipkin: 1\n"
      "gravity: [0, 0, 0]\n"
      "bodies: [{name: m, joint: {type: prismatic, axis: x}, mass: 1}]\n"
      "forces: [{name: kick, body: m, force: [\"" +
      law + "\", 0, 0]}]\nexperiment: {dt: 0.001, duration: 0.1" + rest + "}\n");
}

TEST(CoarseSteps, AreToldWhereAPulseLiesBetweenTwoOfThem) {
  for (const char* law : {"t > 0.0502 && t < 0.0508 ? 1000 : 0", "1000*(step(t - 0.0502) - step(t - 0.0508))"})
    EXPECT_NE(pulse(law).find("'kick', '" + std::string(law) + "', is 1000 from t = 0.0502 s to 0.0508 s"),
              std::string::npos)
        << pulse(law);
  for (const char* law : {"t > 0.0502 && t < 0.0512 ? 1000 : 0", "t > 0.0502 ? 1000 : 0", "abs(sin(300*t))"})
    EXPECT_EQ(pulse(law).find("kick"), std::string::npos) << pulse(law);
  EXPECT_EQ(pulse("t > 0.0502 && t < 0.0508 ? 1000 : 0", ", stepper: dopri5").find("kick"), std::string::npos);
}

// Positions come first: a limit is seen behind the step that passes it.
TEST(CoarseSteps, AreCountedWhereMoreauPassesALimit) {
  const auto passed = [](const char* stepper) {
    Simulation simulation(test::scene_from(
        std::string("lipkin: 1\n"
                    "gravity: [0, 0, 0]\n"
                    "bodies: [{name: m, joint: {type: prismatic, axis: x, u: 5, limits: [-1, 0.203]}, mass: 1}]\n"
                    "experiment: {dt: 0.01, duration: 0.1, stepper: ") +
        stepper + "}\n"));
    simulation.run(0.1);
    return simulation.statistics().limit_passed;
  };
  EXPECT_GT(passed("moreau"), 100);  // 47 mm of the 0.1 mm that are tolerated
  EXPECT_EQ(passed("euler"), 0);
}

}  // namespace
}  // namespace lipkin
