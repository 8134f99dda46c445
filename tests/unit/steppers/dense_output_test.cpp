// Values within a step, and how steps end at limits.
#include <gtest/gtest.h>

#include <cmath>

#include "steppers/stepper.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;

struct Trial {
  explicit Trial(const Model& m, StepperKind kind = StepperKind::kDopri5)
      : model(m),
        data(model.data()),
        work(data),
        constraints(data),
        stepper(make_stepper(kind, StepKind::kFixed, data, constraints)),
        state(initial_state(model)) {}

  StepReport step(const StepOptions& options) { return stepper->step(data, options, state, work); }

  Model model;
  const ModelData& data;
  Workspace work;
  ConstraintSystem constraints;
  std::unique_ptr<Stepper> stepper;
  State state;
};

StepOptions tolerances(double tolerance, double limit = std::numeric_limits<double>::infinity()) {
  return {1e-3, tolerance, tolerance, limit, {}};
}

State exact_at(const Model& model, double t) {
  Trial run(model);
  while (run.state.t < t) run.step(tolerances(1e-14, t));
  return run.state;
}

double distance(const State& a, const State& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.q.size(); ++k) worst = std::max(worst, std::abs(a.q[k] - b.q[k]));
  for (std::size_t k = 0; k < a.u.size(); ++k) worst = std::max(worst, std::abs(a.u[k] - b.u[k]));
  return worst;
}

double norm_of(const double* q) { return std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]); }

TEST(DenseOutput, MeetsTheStepAtBothEnds) {
  Trial run(test::swinging_chain());
  for (int n = 0; n < 50; ++n) {
    const State before = run.state;
    run.step(tolerances(1e-6));
    State there = run.state;
    run.stepper->interpolate(run.data, before.t, there);
    EXPECT_LT(distance(there, before), 1e-14);
    run.stepper->interpolate(run.data, run.state.t, there);
    EXPECT_LT(distance(there, run.state), 1e-13);
    run.stepper->interpolate(run.data, 0.3 * before.t + 0.7 * run.state.t, there);
    EXPECT_NEAR(norm_of(there.q.data()), 1, 1e-15);
  }
}

// One step of length h from the same start, looked at within: the continuous extension is of order 4, its local error
// falls with h^5.
TEST(DenseOutput, HasOrderFour) {
  const Model model = test::swinging_chain();
  double last = 0;
  for (const double h : {1.0 / 32, 1.0 / 64, 1.0 / 128, 1.0 / 256}) {
    Trial run(model);
    run.state.step_size = h;
    run.step(tolerances(1e6, h));
    double worst = 0;
    for (const double s : {0.25, 0.5, 0.8}) {
      State there = run.state;
      run.stepper->interpolate(run.data, s * h, there);
      worst = std::max(worst, distance(there, exact_at(model, s * h)));
    }
    const double order = last > 0 ? std::log2(last / worst) : 5;
    figure("dense output: h {:.2e} s, error within the step {:.2e}, falls with h^{:.2f}", h, worst, order);
    EXPECT_NEAR(order, 5, 0.3);
    last = worst;
  }
}

TEST(DenseOutput, FixedStepSteppersHaveNone) {
  for (const StepperKind kind : {StepperKind::kEuler, StepperKind::kRk4}) {
    Trial run(test::swinging_chain(), kind);
    EXPECT_FALSE(run.stepper->has_dense_output());
    EXPECT_THROW(run.stepper->interpolate(run.data, 0, run.state), InternalError);
  }
}

// ---- limits ----

class Limits : public testing::TestWithParam<StepperKind> {};

TEST_P(Limits, StepsEndThereExactly) {
  Trial run(test::swinging_chain(), GetParam());
  for (const double limit : {0.0123456789, 0.1, 0.1000001, 0.37}) {
    while (run.state.t < limit) {
      const double before = run.state.t;
      run.step(tolerances(1e-8, limit));
      EXPECT_GT(run.state.t, before);
      EXPECT_LE(run.state.t, limit);
    }
    EXPECT_EQ(run.state.t, limit);
  }
}

// A state that is not finite is refused and left as it was.
TEST_P(Limits, InfinityIsReported) {
  Trial run(test::swinging_chain(), GetParam());
  run.state.u[0] = 1e200;
  const State before = run.state;
  const StepReport report = run.step({1e-3, 1e-8, 1e-10, 1});
  EXPECT_TRUE(!report.finite || report.too_small);
  EXPECT_EQ(run.state.q, before.q);
  EXPECT_EQ(run.state.u, before.u);
  EXPECT_EQ(run.state.t, before.t);
}

TEST_P(Limits, NothingToMove) {
  ModelBuilder builder;
  builder.add(test::body_with("stone", 1, {0, 0, 0}, {1, 1, 1}));
  builder.add(test::joint_of("cement", JointType::kFixed, kWorldName, "stone"));
  Trial run(builder.build(), GetParam());
  while (run.state.t < 0.1) run.step(tolerances(1e-8, 0.1));
  EXPECT_EQ(run.state.t, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Steppers, Limits,
                         testing::Values(StepperKind::kEuler, StepperKind::kRk4, StepperKind::kDopri5),
                         [](const testing::TestParamInfo<StepperKind>& kind) {
                           return std::string(name_of(kind.param));
                         });

// The step-size controller does not stumble over a drive that jumps.
TEST(Dopri5, FindsItsWayOverAJump) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("slide", 1, {0, 0, 0}, {1, 1, 1}));
  builder.add(test::joint_of("rail", JointType::kPrismatic, kWorldName, "slide"));
  ActuatorSpec drive;
  drive.name = "drive";
  drive.joint = "rail";
  drive.control = {ExpressionText{"t < 0.5 ? 0 : 1"}, {}};
  builder.add(drive);
  Trial run(builder.build());
  int rejected = 0;
  while (run.state.t < 1) rejected += run.step(tolerances(1e-10, 1)).rejected;
  EXPECT_GT(rejected, 0);
  EXPECT_NEAR(run.state.u[0], 0.5, 1e-8);
  EXPECT_NEAR(run.state.q[0], 0.125, 1e-8);
}

}  // namespace
}  // namespace lipkin
