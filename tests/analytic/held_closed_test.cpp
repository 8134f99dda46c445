// What presses and goes on pressing has the force that the motion asks for at every step, whatever the projection of
// positions onto drives does to a gap: nothing lets go for a step and strikes in the next.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

struct Case {
  const char* name;
  const char* parts;   // what lifts a load of 100 kg with z = 0.1 (1 - cos 2t), and what holds the load
  double moving_mass;  // of all that the motor lifts [kg]
};

constexpr Case kCases[] = {
    {"contact",
     "materials: {steel: {friction: 0.4}}\n"
     "bodies:\n"
     "  - {name: lifted, joint: {type: prismatic, axis: z}, shapes: [{box: {size: [1, 1, 0.1]}, at: [0, 0, -0.05], "
     "mass: 15, contact: steel}]}\n"
     "  - {name: load, joint: {type: free, q: [0, 0, 0.15, 1, 0, 0, 0]}, shapes: [{box: {size: [0.3, 0.3, 0.3]}, "
     "mass: 100, contact: steel}]}\n",
     115},
    {"limit",
     "bodies:\n"
     "  - {name: lifted, joint: {type: prismatic, axis: z}, mass: 5}\n"
     "  - {name: load, parent: lifted, joint: {type: prismatic, axis: z, limits: [0, 1]}, mass: 100}\n",
     105},
    {"rope",
     "bodies:\n"
     "  - {name: lifted, joint: {type: prismatic, axis: z, at: [0, 0, 3]}, mass: 5}\n"
     "  - {name: load, joint: {type: prismatic, axis: z, at: [0, 0, 1]}, mass: 100}\n"
     "distances: [{name: rope, from: {body: lifted}, to: {body: load}, upper: 2}]\n",
     105}};

// Where positions come first, a gap that begins to open is closed by the next step: once, by what that takes.
constexpr double kOnce = 0.02;

// The largest difference of the motor's force from m (g + z'') in any row but the first few, over m g.
double worst_force(const Case& c, const std::string& experiment, double dt) {
  Simulation simulation(
      test::scene_from(fmt::format("lipkin: 1\n{}"
                                   "motors: [{{name: lift, joint: lifted, position: \"0.1*(1-cos(2*t))\"}}]\n"
                                   "outputs: {{F: motor.lift.force}}\n"
                                   "experiment: {{{}, duration: 1.5, dt: {}}}\n",
                                   c.parts, experiment, dt)));
  double worst = 0;
  simulation.run(1.5, 0, [&](const Simulation& now) {
    const double t = now.sample_time(), force = c.moving_mass * (9.81 + 0.4 * std::cos(2 * t));
    if (t > 5 * dt) worst = std::max(worst, std::abs(now.outputs()[0] - force));
    return true;
  });
  return worst / (c.moving_mass * 9.81);
}

TEST(HeldClosed, HasTheForceOfTheMotionAtEveryStep) {
  for (const Case& c : kCases)
    for (const char* coordinates : {"generalized", "maximal"})
      for (const char* stepper : {"moreau", "euler"})
        for (const double dt : {2e-3, 1e-3}) {
          const double worst = worst_force(c, fmt::format("stepper: {}, coordinates: {}", stepper, coordinates), dt);
          EXPECT_LT(worst, std::string(stepper) == "euler" ? dt : kOnce)
              << c.name << ", " << stepper << ", " << coordinates << ", dt " << dt;
        }
}

// A load that is let go, and one that strikes, are not held.
TEST(HeldClosed, LetsGoOfWhatIsThrown) {
  Simulation simulation(test::scene_from(
      "lipkin: 1\n"
      "bodies:\n"
      "  - {name: lifted, joint: {type: prismatic, axis: z}, mass: 5}\n"
      "  - {name: load, parent: lifted, joint: {type: prismatic, axis: z, limits: [0, 1]}, mass: 100}\n"
      "motors: [{name: lift, joint: lifted, position: \"t < 0.1 ? 0.5*t : 0.05\"}]\n"
      "experiment: {stepper: moreau, dt: 0.001, duration: 0.2}\n"));
  double highest = 0;
  simulation.run(0.2, 0, [&](const Simulation& now) {
    highest = std::max(highest, now.state().q[1]);
    return true;
  });
  EXPECT_NEAR(highest, 0.5 * 0.5 / (2 * 9.81), 5e-4);  // v^2 / 2g, to the order of the step
}

}  // namespace
}  // namespace lipkin
