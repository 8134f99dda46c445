// A push gives the impulse of its force over its time, however its time lies to the steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

constexpr double kForce = 10, kMass = 2;

Scene pushed_body(const std::string& stepper, double at, double duration) {
  return test::scene_from(fmt::format(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{{name: body, joint: {{type: free}}, mass: {}, inertia: [1, 1, 1]}}]
outputs: {{vx: {{expr: body.body.vx, unit: m/s}}}}
experiment:
  stepper: {}
  duration: 0.3
  dt: 0.01
  commands: [{{at: {}, push: {{body: body, force: [{}, 0, 0], duration: {}}}}}]
)",
                                      kMass, stepper, at, kForce, duration));
}

TEST(Push, GivesItsWholeImpulse) {
  for (const char* stepper : {"euler", "moreau", "rk4", "dopri5"})
    for (const double at : {0.0, 0.02, 0.0234})
      for (const double duration : {1e-4, 0.004, 0.01, 0.0137, 0.05, 0.0999}) {
        Simulation simulation(pushed_body(stepper, at, duration));
        simulation.run(0.3);
        const double expected = kForce * duration / kMass;
        EXPECT_NEAR(simulation.outputs()[0], expected, 3e-6 * expected)
            << stepper << ", at " << at << " s, for " << duration << " s";
      }
}

TEST(Push, OfNoTimeIsRefused) {
  for (const double duration : {0.0, -1.0}) {
    Scene scene = pushed_body("euler", 0, 1);
    std::get<CommandPush>(scene.experiment.commands[0].action).duration = duration;
    EXPECT_THROW(Simulation(std::move(scene)), InputError) << duration << " s";
  }
}

}  // namespace
}  // namespace lipkin
