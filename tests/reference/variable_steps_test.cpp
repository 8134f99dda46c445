// Variable steps of `moreau` and `euler`: against closed forms and reference cases, and the work they take.
#include <gtest/gtest.h>

#include <cmath>

#include "convergence.hpp"
#include "support/busy_scene.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::ReferenceCase;

Simulation variable_moreau(const char* scene, double dt_min, double tolerance) {
  Simulation simulation(load_scene(scene));
  simulation.set_stepper(StepperKind::kMoreau);
  simulation.set_step(StepKind::kVariable, dt_min, 1e-2);
  simulation.set_tolerances(tolerance, 1e-2 * tolerance);
  return simulation;
}

// Impacts are met within dt_min and free flight is exact to third order: the error follows dt_min, the work its
// logarithm. Up to 3.5 s there are 17 impacts.
TEST(VariableMoreau, BouncingBallWithAccumulation) {
  const ReferenceCase reference = test::read_reference("bouncing_ball_zeno");
  double first = 0, error = 0;
  for (const double dt_min : {1e-4, 1e-5, 1e-6, 1e-7}) {
    Simulation simulation = variable_moreau("bouncing-ball", dt_min, 1e-8);
    error = 0;
    for (std::size_t i = 1; i < reference.times.size() && reference.times[i] <= 3.5; ++i) {
      while (simulation.state().t < reference.times[i]) simulation.step(reference.times[i]);
      error = std::max(error, std::abs(simulation.output("y") - reference.values[i][0]));
    }
    const Statistics& s = simulation.statistics();
    figure("bouncing ball, dt_min {:.0e} s: error {:.1e} m, {} steps, {} rejected, {} base steps", dt_min, error,
           s.steps, s.rejected_steps, s.evaluations);
    if (dt_min == 1e-4) first = error;
    EXPECT_LT(error,
              500 * dt_min);  // 17 impacts at up to 4.4 m/s, each late by dt_min at most, and what follows from it
    EXPECT_LT(s.evaluations, 40000u);
  }
  EXPECT_GT(first / error, 100);  // first order would be 1000; when an impact falls within dt_min is anyone's guess
  for (const double dt : {1e-3, 1e-4}) {
    Simulation fixed(load_scene("bouncing-ball"));
    fixed.set_stepper(StepperKind::kMoreau);
    fixed.set_dt(dt);
    figure("bouncing ball, fixed dt {:.0e} s: error {:.1e} m", dt,
           test::run_error(fixed, reference, {{"y", 0}}, 3.5).all);
  }
}

TEST(VariableMoreau, BallComesToRest) {
  Simulation simulation = variable_moreau("bouncing-ball", 1e-7, 1e-6);
  simulation.run(4.25);
  EXPECT_NEAR(simulation.output("y"), 0, 1e-6);  // of what it may sink in the last step of dt_min, and touching counts
  EXPECT_NEAR(simulation.output("v"), 0, 1e-9);
}

// Sliding, then rolling: the change is no event of a contact, and error control meets it.
TEST(VariableMoreau, SphereSlidesThenRolls) {
  const ReferenceCase reference = test::read_reference("sphere_slide_to_roll_plane");
  for (const double tolerance : {1e-4, 1e-6}) {
    Simulation simulation = variable_moreau("sphere-slide-to-roll", 1e-7, tolerance);
    simulation.run(reference.times.back());
    const double error = std::abs(simulation.output("x") - reference.values.back()[0]);
    figure("sphere slides then rolls, tolerance {:.0e}: error {:.1e} m, {} steps, {} rejected", tolerance, error,
           simulation.statistics().steps, simulation.statistics().rejected_steps);
    EXPECT_LT(error, 100 * tolerance);  // some hundred steps
  }
}

// Without events the extrapolated steps are of third order: a hundredth of the tolerance takes 100^(1/3) = 4.6 times
// the work, and the error follows the tolerance.
TEST(VariableMoreau, IsOfThirdOrderWhereNothingHappens) {
  const Model model = test::swinging_chain();
  Simulation tight(test::scene_of(model, StepperKind::kDopri5));
  tight.set_tolerances(1e-13, 1e-14);
  tight.run(1);
  double last_error = 0, last_work = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    Simulation simulation(test::scene_of(model, StepperKind::kMoreau));
    simulation.set_step(StepKind::kVariable, 1e-7, 1e-1);
    simulation.set_tolerances(tolerance, tolerance);
    simulation.run(1);
    double error = 0;
    for (std::size_t k = 0; k < tight.state().u.size(); ++k)
      error = std::max(error, std::abs(simulation.state().u[k] - tight.state().u[k]));
    const double work = static_cast<double>(simulation.statistics().evaluations);
    figure("swinging chain, tolerance {:.0e}: error {:.1e}, {} base steps", tolerance, error, work);
    if (last_error > 0) {
      EXPECT_GT(last_error / error, 20);  // 100 would be proportional
      EXPECT_NEAR(work / last_work, std::cbrt(100.0), 1.5);
    }
    last_error = error;
    last_work = work;
  }
}

TEST(VariableSteps, RestoringAnyStateContinuesBitForBit) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    for (const char* scene : {"bouncing-ball", "five-link-chain"}) {
      const auto make = [&] {
        Simulation simulation(load_scene(scene));
        simulation.set_stepper(stepper);
        simulation.set_step(StepKind::kVariable, 1e-6, 1e-2);
        simulation.set_tolerances(1e-5, 1e-7);
        return simulation;
      };
      Simulation original = make();
      std::vector<State> saved;
      while (original.state().t < 0.6) {
        if (original.state().step_count % 40 == 7) saved.push_back(original.state());
        original.step();
      }
      ASSERT_FALSE(saved.empty());
      for (const State& state : saved) {
        Simulation other = make();
        other.restore(state);
        while (other.state().t < 0.6) other.step();
        EXPECT_EQ(other.hash(), original.hash()) << scene << ", " << name_of(stepper) << ", t = " << state.t;
      }
    }
  }
}

// A body that turns at w takes the longest of dt_max / 2^k in which it turns by no more than 0.05 rad.
TEST(VariableEuler, StepsFollowTheMotion) {
  for (const double w : {0.1, 7.0, 100.0}) {
    BodySpec body = test::body_with("body", 1, {0, 0, 0}, {1, 1, 1});
    JointSpec joint = test::joint_of("joint", JointType::kRevolute, kWorldName, "body");
    joint.u = {w};
    Simulation simulation(test::scene_of(test::single_body(body, joint), StepperKind::kEuler));
    simulation.set_step(StepKind::kVariable, 1e-6, 1e-2);
    simulation.run(0.2);
    double expected = 1e-2;
    while (expected * w > 0.05) expected /= 2;
    EXPECT_NEAR(simulation.statistics().shortest_step, expected, 1e-12);
    EXPECT_NEAR(simulation.statistics().longest_step, expected, 1e-12);
    EXPECT_NEAR(simulation.state().q[0], 0.2 * w, 1e-10);
  }
}

// The chain falls from rest: long steps first, short ones while it whips, and nearer to the truth than fixed steps of
// the same number (tip at 1 s: SCENES, extrapolated).
TEST(VariableEuler, SpendsItsStepsWhereThingsMove) {
  const auto error_of = [](Simulation& simulation) {
    simulation.run(1);
    return std::hypot(simulation.output("tip_x") + 1.55658, simulation.output("tip_y") + 1.23918);
  };
  Simulation variable(load_scene("five-link-chain"));
  variable.set_stepper(StepperKind::kEuler);
  variable.set_step(StepKind::kVariable, 1e-5, 1e-2);
  const double error = error_of(variable);
  const Statistics& s = variable.statistics();
  Simulation fixed(load_scene("five-link-chain"));
  fixed.set_stepper(StepperKind::kEuler);
  fixed.set_dt(1.0 / static_cast<double>(s.steps));
  const double fixed_error = error_of(fixed);
  figure("five-link chain: {} steps of {:.2g} to {:.2g} s, tip error {:.2e} m; as many fixed steps {:.2e} m", s.steps,
         s.shortest_step, s.longest_step, error, fixed_error);
  EXPECT_LT(s.shortest_step, s.longest_step);
  EXPECT_LE(s.longest_step, 1e-2 * (1 + 1e-12));
  EXPECT_LT(error, 0.03);  // what fixed steps of 10 ms give
}

}  // namespace
}  // namespace lipkin
