// Errors fall with the order of each stepper: of the energy, and of the motion itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;

constexpr double kMotion = 1;  // how long motions are compared: they part exponentially [s]

// Calls `look` after each step of exactly `dt`. With tolerances that accept everything, an adaptive stepper goes to
// each limit in one step.
template <class Look>
void run_with_steps(const Model& model, StepperKind stepper, double dt, double duration, Look&& look) {
  Simulation simulation(test::scene_of(model, stepper, dt));
  simulation.set_tolerances(1e6, 1e6);
  const int steps = static_cast<int>(std::lround(duration / dt));
  for (int n = 1; n <= steps; ++n) {
    simulation.step(n * dt);
    look(simulation);
  }
  EXPECT_EQ(simulation.statistics().steps, static_cast<std::uint64_t>(steps));
}

double distance(const State& a, const State& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.q.size(); ++k) sum += (a.q[k] - b.q[k]) * (a.q[k] - b.q[k]);
  for (std::size_t k = 0; k < a.u.size(); ++k) sum += (a.u[k] - b.u[k]) * (a.u[k] - b.u[k]);
  return std::sqrt(sum);
}

State tight_reference(const Model& model) {
  Simulation simulation(test::scene_of(model, StepperKind::kDopri5));
  simulation.set_tolerances(1e-14, 1e-15);
  simulation.run(kMotion);
  return simulation.state();
}

double motion_error(StepperKind stepper, double dt) {
  const Model model = test::swinging_chain();
  State last;
  run_with_steps(model, stepper, dt, kMotion, [&](const Simulation& s) { last = s.state(); });
  return distance(last, tight_reference(model));
}

double energy_error(StepperKind stepper, double dt, double duration) {
  double worst = 0;
  run_with_steps(test::swinging_chain(), stepper, dt, duration, [&](const Simulation& s) {
    worst = std::max(worst, std::abs(s.energy().total() - s.statistics().energy_initial));
  });
  return worst;
}

struct Ladder {
  StepperKind stepper;
  double order;
  // The largest steps: small enough that the next order does not show, large enough for rounding [s].
  double motion_dt, energy_dt;
  // Long enough that the energy's drift outgrows what it owes to single swings, short enough that the motion is still
  // about the same [s].
  double energy_duration;
};

class Order : public testing::TestWithParam<Ladder> {
 protected:
  // Order between the last two of four steps, each half of the one before.
  template <class Error>
  double measured(const char* what, double dt, Error&& error_with) const {
    double error = error_with(dt), order = 0;
    for (int level = 1; level < 4; ++level) {
      dt /= 2;
      const double finer = error_with(dt);
      order = std::log2(error / finer);
      error = finer;
      figure("{}: dt {:.2e} s, error of {} {:.2e}, order {:.2f}", name_of(GetParam().stepper), dt, what, error, order);
    }
    return order;
  }
};

TEST_P(Order, OfTheMotion) {
  const Ladder& ladder = GetParam();
  const double order =
      measured("the motion", ladder.motion_dt, [&](double dt) { return motion_error(ladder.stepper, dt); });
  EXPECT_NEAR(order, ladder.order, 0.1);
}

TEST_P(Order, OfTheEnergy) {
  const Ladder& ladder = GetParam();
  const double order = measured("the energy [J]", ladder.energy_dt,
                                [&](double dt) { return energy_error(ladder.stepper, dt, ladder.energy_duration); });
  // The worst error of the energy mixes terms of the order and of the next one, which cancel in part: halving the step
  // from where the next has a third of the whole changes the measured order by log2(4/3 / (7/6)) = 0.2.
  EXPECT_NEAR(order, ladder.order, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Steppers, Order,
                         testing::Values(Ladder{StepperKind::kEuler, 1, 1.0 / 512, 1.0 / 512, 1},
                                         Ladder{StepperKind::kRk4, 4, 1.0 / 64, 1.0 / 256, 8},
                                         Ladder{StepperKind::kDopri5, 5, 1.0 / 128, 1.0 / 256, 8}),
                         [](const testing::TestParamInfo<Ladder>& ladder) {
                           return std::string(name_of(ladder.param.stepper));
                         });

// With forces of every kind and time-dependent drives the order must stay (Euler takes joint springs implicitly).
TEST(OrderWithForces, OfTheMotion) {
  Scene scene = test::busy_scene(StepperKind::kDopri5, {.forces = true, .commands = false});
  const Model& model = scene.model;
  const auto error = [&](StepperKind stepper, double dt, const State& reference) {
    Simulation simulation(test::scene_of(model, stepper, dt));
    simulation.set_tolerances(1e6, 1e6);
    for (int n = 1; n * dt < 0.1 * 1.0000001; ++n) simulation.step(n * dt);
    return distance(simulation.state(), reference);
  };
  Simulation tight(scene);
  tight.set_tolerances(1e-14, 1e-15);
  tight.run(0.1);  // up to the first kink of the tables
  for (const auto& [stepper, expected] :
       {std::pair{StepperKind::kEuler, 1.0}, {StepperKind::kRk4, 4.0}, {StepperKind::kDopri5, 5.0}}) {
    const double dt = stepper == StepperKind::kEuler ? 0.1 / 64 : 0.1 / 16;  // above rounding
    const double coarse = error(stepper, dt, tight.state()), fine = error(stepper, dt / 2, tight.state());
    const double order = std::log2(coarse / fine);
    figure("{} with all forces: errors {:.2e} {:.2e}, order {:.2f}", name_of(stepper), coarse, fine, order);
    EXPECT_NEAR(order, expected, 0.3);
  }
}

// Adaptive steps: the error follows the tolerance, about proportionally.
TEST(Dopri5, ErrorFollowsTheTolerance) {
  const Model model = test::swinging_chain();
  const State reference = tight_reference(model);
  double last = 0;
  for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
    Simulation simulation(test::scene_of(model, StepperKind::kDopri5));
    simulation.set_tolerances(tolerance, tolerance);
    simulation.run(kMotion);
    const double error = distance(simulation.state(), reference);
    figure("dopri5: tolerance {:.0e}, error {:.1e}, {} steps, {} rejected", tolerance, error,
           simulation.statistics().steps, simulation.statistics().rejected_steps);
    EXPECT_LT(error, 100 * tolerance);  // local errors add up over some hundred steps
    if (last > 0) {
      EXPECT_GT(last / error, 30);  // 100 would be proportional
    }
    last = error;
  }
}

}  // namespace
}  // namespace lipkin
