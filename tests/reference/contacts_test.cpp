// Contact, friction and impact of the reference cases, through their scenes: exactly where time stepping is exact, at
// its order elsewhere.
#include <gtest/gtest.h>

#include <string>

#include "convergence.hpp"

namespace lipkin {
namespace {

using test::Compared;
using test::figure;
using test::ReferenceCase;

class Contact : public testing::TestWithParam<StepperKind> {
 protected:
  Simulation simulation_of(const char* scene, double dt, const test::Overrides& overrides = {}) const {
    Simulation simulation(load_scene(scene, overrides));
    simulation.set_stepper(GetParam());
    simulation.set_dt(dt);
    return simulation;
  }

  test::Falling falling(const char* scene, const ReferenceCase& reference, const std::vector<Compared>& quantities,
                        double until, double dt, int steps) const {
    const test::Falling result = test::falling(dt, steps, [&](double step) {
      Simulation simulation = simulation_of(scene, step);
      return test::run_error(simulation, reference, quantities, until).all;
    });
    test::print_order(fmt::format("{}, {}", scene, name_of(GetParam())).c_str(), dt, result);
    return result;
  }
};

// Where an impact falls within a step is anyone's guess: the error falls with the step on average, over a factor of 64.
TEST_P(Contact, BouncingBall) {
  const ReferenceCase reference = test::read_reference("bouncing_ball_zeno");
  const test::Falling heights = falling("bouncing-ball", reference, {{"y", 0}}, 3.5, 2e-3, 7);
  EXPECT_NEAR(heights.order, 1, 0.25);
  // At rest for good after the last of infinitely many impacts.
  Simulation simulation = simulation_of("bouncing-ball", 1e-3);
  simulation.run(4.25);
  // Moreau moves first and looks then: the last free step leaves it at most that deep.
  EXPECT_NEAR(simulation.output("y"), 0, GetParam() == StepperKind::kMoreau ? 9.81 * 1e-6 : 1e-9);
  EXPECT_NEAR(simulation.output("v"), 0, 1e-9);
}

TEST_P(Contact, SphereSlidesThenRolls) {
  const ReferenceCase reference = test::read_reference("sphere_slide_to_roll_plane");
  // The deceleration is constant, and the moment of momentum about the point of contact is kept: speeds are exact.
  for (const double dt : {1e-2, 1e-3}) {
    Simulation simulation = simulation_of("sphere-slide-to-roll", dt);
    const test::RunError error = test::run_error(simulation, reference, {{"v", 1}, {"w", 2}}, 3);
    figure("sphere-slide-to-roll, {}, dt = {} s: errors {:.1e} m/s, {:.1e} rad/s", name_of(GetParam()), dt,
           error.largest[0], error.largest[1]);
    EXPECT_LE(error.largest[0], 1e-9 * 5);
    EXPECT_LE(error.largest[1], 1e-9 * 50);
  }
}

TEST_P(Contact, SphereGetsAsFarAsItShould) {
  const ReferenceCase reference = test::read_reference("sphere_slide_to_roll_plane");
  // The way is a sum of speeds at one end of each step; where rolling begins within a step adds second order.
  const test::Falling result = falling("sphere-slide-to-roll", reference, {{"x", 0}}, 3, 8e-3, 4);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(result.ratio(k), 2, 0.1);
}

// A friction pyramid would turn the slip; the disc leaves it straight, and every speed exact.
TEST_P(Contact, BlockOnBelt) {
  const ReferenceCase reference = test::read_reference("block_on_belt_friction_cone");
  for (const double dt : {1e-2, 1e-3}) {
    Simulation simulation = simulation_of("block-on-belt", dt);
    const test::RunError error = test::run_error(simulation, reference, {{"vx", 2}, {"vy", 3}}, 0.8);
    figure("block-on-belt, {}, dt = {} s: errors of the velocity {:.1e} {:.1e} m/s", name_of(GetParam()), dt,
           error.largest[0], error.largest[1]);
    EXPECT_LE(error.largest[0], 1e-9 * 2);
    EXPECT_LE(error.largest[1], 1e-9 * 2);
    // It rides along without friction now.
    EXPECT_NEAR(simulation.output("friction_x"), 0, 1e-9 * 9.81);
    EXPECT_NEAR(simulation.output("friction_y"), 0, 1e-9 * 9.81);
  }
  Simulation sliding = simulation_of("block-on-belt", 1e-3);
  sliding.run(0.3);
  const double relative_x = 2 - reference.values[0][2], relative_y = -reference.values[0][3];
  const double speed = std::hypot(relative_x, relative_y);
  EXPECT_NEAR(sliding.output("friction_x"), 0.3 * 9.81 * relative_x / speed, 1e-9 * 9.81);
  EXPECT_NEAR(sliding.output("friction_y"), 0.3 * 9.81 * relative_y / speed, 1e-9 * 9.81);
}

TEST_P(Contact, BlockOnBeltGetsAsFarAsItShould) {
  const ReferenceCase reference = test::read_reference("block_on_belt_friction_cone");
  const test::Falling result = falling("block-on-belt", reference, {{"x", 0}, {"y", 1}}, 0.8, 2e-3, 3);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(result.ratio(k), 2, 0.1);
}

// Sticking and slipping begin somewhere within a step; over a factor of 16 the error falls at first order. Two periods.
TEST_P(Contact, StickSlip) {
  const ReferenceCase reference = test::read_reference("stick_slip_oscillator");
  const test::Falling result = falling("stick-slip", reference, {{"x", 0}, {"v", 1}}, 5.2, 2e-3, 5);
  EXPECT_NEAR(result.order, 1, 0.25);
  EXPECT_LE(result.errors.back(), 5e-3);
}

TEST_P(Contact, SphereInCone) {
  const ReferenceCase reference = test::read_reference("sphere_in_cone_frictionless");
  const std::vector<Compared> motion = {{"x", 0}, {"y", 1}, {"z", 2}, {"generator_rate", 3}, {"azimuth_rate", 4}};
  const test::Falling result = falling("sphere-in-cone", reference, motion, 1, 1e-3, 3);
  EXPECT_NEAR(result.ratio(0), 2, 0.3);
  EXPECT_NEAR(result.ratio(1), 2, 0.15);
  const test::Falling force = falling("sphere-in-cone", reference, {{"normal_force", 5}}, 1, 1e-3, 3);
  EXPECT_NEAR(force.ratio(0), 2, 0.3);
  EXPECT_NEAR(force.ratio(1), 2, 0.15);
}

// A step leaves along the tangent by half a v^2/r dt^2, at 2.2 m/s and 0.17 m up to 1.5e-5 m at 1 ms; a fifth of the
// depth is pushed out per step.
TEST_P(Contact, SphereStaysOnTheCone) {
  double off[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    Simulation simulation = simulation_of("sphere-in-cone", k == 0 ? 1e-3 : 5e-4);
    simulation.run(1, 0, [&](const Simulation& now) {
      off[k] = std::max(off[k], std::abs(now.output("off_cone")));
      return true;
    });
  }
  figure("sphere-in-cone, {}: off the cone by {:.1e} m at 1 ms, {:.1e} m at 0.5 ms", name_of(GetParam()), off[0],
         off[1]);
  EXPECT_LE(off[0], 1e-4);
  EXPECT_LE(off[1], 0.5 * off[0]);
}

TEST_P(Contact, SpheresInTube) {
  const ReferenceCase reference = test::read_reference("two_spheres_in_tube_static");
  const char* outputs[] = {"wall_force_lower", "wall_force_upper", "sphere_force", "floor_force"};
  for (const std::vector<double>& row : reference.values) {
    Simulation simulation = simulation_of("two-spheres-in-tube", 1e-3,
                                          {{"radius", fmt::format("{}", row[0])},
                                           {"weight", fmt::format("{}", row[1])},
                                           {"width", fmt::format("{}", row[2])}});
    double worst = 0;
    simulation.run(0.5, 0, [&](const Simulation& now) {
      if (now.state().step_count == 0) return true;
      for (int k = 0; k < 4; ++k) worst = std::max(worst, std::abs(now.output(outputs[k]) / row[3 + k] - 1));
      return true;
    });
    figure("two-spheres-in-tube, {}: largest relative error of a force in 0.5 s {:.1e}, kinetic energy {:.1e} J",
           name_of(GetParam()), worst, simulation.output("kinetic"));
    EXPECT_LE(worst, 1e-9);
    EXPECT_LE(simulation.output("kinetic"), 1e-18);
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, Contact, testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                         [](const testing::TestParamInfo<StepperKind>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

}  // namespace
}  // namespace lipkin
