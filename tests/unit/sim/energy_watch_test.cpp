// Energy that steps invent where nothing drives a mechanism is told; what somebody puts in is not.
#include <gtest/gtest.h>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// A box on soft ground, so stiff that the steps throw it into the air.
const char* const kThrown =
    "lipkin: 1\n"
    "materials: {rubber: {friction: 0.5, stiffness: 1e6, damping: 0.1}}\n"
    "world: {shapes: [{plane: {}, contact: rubber}]}\n"
    "bodies:\n"
    "  - name: box\n"
    "    joint: {type: free, q: [0, 0, 0.05, 1, 0, 0, 0]}\n"
    "    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 1, contact: rubber}]\n";

const std::string kPendulum =
    "lipkin: 1\n"
    "bodies: [{name: arm, mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1], joint: {type: revolute, axis: y}}]\n";

// A slender top that nothing damps.
const char* const kTop =
    "lipkin: 1\n"
    "bodies: [{name: top, mass: 1, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.002], "
    "joint: {type: ball, q: [0.9950, 0.0998, 0, 0], u: [0, 0, 100]}}]\n";

Statistics after(const std::string& scene, const std::string& experiment, double duration) {
  Simulation simulation(test::scene_from(scene + "experiment: " + experiment + "\n"));
  simulation.run(duration, duration);
  return simulation.statistics();
}

TEST(EnergyWatch, TellsWhatStepsInvent) {
  const Statistics thrown = after(kThrown, "{stepper: euler, step: variable, contact: regularised, dt: 1e-3}", 2);
  EXPECT_TRUE(invents_energy(thrown));
  EXPECT_GT(thrown.energy_invented, 100);
  EXPECT_TRUE(invents_energy(after(kTop, "{stepper: euler, dt: 1e-3}", 2)));
}

TEST(EnergyWatch, IsSilentWhereEnergyStays) {
  for (const char* experiment :
       {"{stepper: euler, dt: 1e-3}", "{stepper: moreau, dt: 1e-3}", "{stepper: rk4, dt: 1e-3}", "{stepper: dopri5}"}) {
    const Statistics found = after(kPendulum, experiment, 5);
    EXPECT_FALSE(invents_energy(found)) << experiment;
    EXPECT_LT(found.energy_swing, 0.02 * found.energy_moving) << experiment;
    EXPECT_GT(found.energy_moving, 5) << experiment;  // it was looked at
  }
}

TEST(EnergyWatch, KnowsNothingOfWhatIsDriven) {
  for (const char* drive :
       {"motors: [{name: m, joint: arm, velocity: 10}]\n", "actuators: [{name: a, joint: arm, control: 50}]\n",
        "forces: [{name: f, body: arm, torque: [0, 50, 0]}]\n"}) {
    const Statistics found = after(kPendulum + drive, "{stepper: euler, dt: 1e-3}", 1);
    EXPECT_EQ(found.energy_invented, 0) << drive;
  }
}

// Pushes, forces from outside and changed values are the work of somebody; from behind them it counts again.
TEST(EnergyWatch, CountsAnewBehindWhatSomebodyDoes) {
  const Statistics pushed = after(kPendulum,
                                  "{stepper: euler, dt: 1e-3, commands: [{at: 0.2, push: {body: arm, torque: [0, 300, "
                                  "0], duration: 0.3}}, {at: 0.7, set: {gravity.z: -20}}]}",
                                  1);
  EXPECT_GT(pushed.energy_final - pushed.energy_initial, 100);
  EXPECT_FALSE(invents_energy(pushed));
  Simulation held(test::scene_from(kPendulum + "experiment: {stepper: euler, dt: 1e-3}\n"));
  held.applied_forces()[0] = 100;
  held.forces_written();
  held.run(0.5, 0.5);
  held.applied_forces()[0] = 0;
  held.forces_written();
  held.run(0.5, 0.5);
  EXPECT_FALSE(invents_energy(held.statistics()));
}

}  // namespace
}  // namespace lipkin
