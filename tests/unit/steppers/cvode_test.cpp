// adams and bdf: errors follow the tolerances, restarts give the same bits, large stiff models agree with another
// method, and what they cannot take is refused by name.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "steppers/implicit_contacts.hpp"
#include "steppers/stepper.hpp"
#include "support/built_steppers.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::figure;

double distance(const State& a, const State& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.q.size(); ++k) sum += (a.q[k] - b.q[k]) * (a.q[k] - b.q[k]);
  for (std::size_t k = 0; k < a.u.size(); ++k) sum += (a.u[k] - b.u[k]) * (a.u[k] - b.u[k]);
  return std::sqrt(sum);
}

class Cvode : public testing::TestWithParam<StepperKind> {};

TEST_P(Cvode, ErrorFollowsTheTolerance) {
  const Model model = test::swinging_chain();
  Simulation tight(test::scene_of(model, StepperKind::kDopri5));
  tight.set_tolerances(1e-14, 1e-15);
  tight.run(1);
  double last = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Simulation simulation(test::scene_of(model, GetParam()));
    simulation.set_tolerances(tolerance, tolerance);
    simulation.run(1);
    const double error = distance(simulation.state(), tight.state());
    figure("{}: tolerance {:.0e}, error {:.1e}, {} steps, {} rejected, {} evaluations", name_of(GetParam()), tolerance,
           error, simulation.statistics().steps, simulation.statistics().rejected_steps,
           simulation.statistics().evaluations);
    EXPECT_LT(error, 1e3 * tolerance);  // local errors add up over some hundred to thousand steps
    if (last > 0) {
      EXPECT_GT(last / error, 10);  // 100 would be proportional; orders and steps change in between
    }
    last = error;
  }
}

TEST_P(Cvode, QuaternionsStayUnitOverManyTurns) {
  BodySpec body = test::body_with("body", 1, {0, 0, 0}, {1, 2, 3});
  JointSpec joint = test::joint_of("joint", JointType::kBall, kWorldName, "body");
  joint.u = {3, 20, 5};
  Simulation simulation(test::scene_of(test::single_body(body, joint), GetParam()));
  simulation.set_tolerances(1e-8, 1e-10);
  const double energy = simulation.energy().total();
  simulation.run(10);  // thirty turns
  double length = 0;
  for (const double x : simulation.state().q) length += x * x;
  EXPECT_NEAR(length, 1, 1e-15);
  EXPECT_NEAR(simulation.energy().total(), energy, 1e-4 * energy);  // 1e-8 a step, some thousand steps
}

TEST_P(Cvode, CheckpointsAndTheRunTheyAreOfGoOnAlike) {
  Simulation original(test::busy_scene(GetParam()));
  std::vector<State> saved;
  for (double next = 0.03; original.state().t < 0.5; original.step()) {
    if (original.state().t < next) continue;
    saved.push_back(original.checkpoint().state);
    next += 0.05;
  }
  ASSERT_GT(saved.size(), 5u);
  for (std::size_t i = 0; i < saved.size(); ++i) {
    Simulation other(test::busy_scene(GetParam()));
    other.restore(saved[i]);
    for (std::size_t k = i + 1; other.state().t < 0.5; other.step())  // checkpoints at the same times
      if (k < saved.size() && other.state().t == saved[k].t) other.checkpoint(), ++k;
    EXPECT_EQ(other.hash(), original.hash()) << "from t = " << saved[i].t;
  }
}

// 16 spheres: 208 numbers, so that bdf takes the contacts' own linear systems; with friction as a preconditioner.
TEST_P(Cvode, PilesAgreeWithAnotherMethod) {
  for (const char* friction : {"0", "0.3"}) {
    const auto run = [&](StepperKind stepper, double tolerance) {
      Simulation simulation(load_scene("spheres-in-cup", {{"layers", "1"},
                                                          {"stiffness", "1e7"},
                                                          {"damping", "1e3"},
                                                          {"friction", friction},
                                                          {"experiment.stepper", std::string(name_of(stepper))},
                                                          {"experiment.dt", "0"}}));
      simulation.set_tolerances(tolerance, 1e-2 * tolerance);
      simulation.run(0.40);
      return simulation.state();
    };
    const State reference = run(StepperKind::kDopri5, 1e-10), state = run(GetParam(), 1e-8);
    const double error = distance(state, reference);
    figure("{}: 16 spheres just after they met the cup, friction {}, difference from dopri5 {:.1e}",
           name_of(GetParam()), friction, error);
    // Impacts amplify errors, and forces that jump cost digits: a thousand tolerances.
    EXPECT_LT(error, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Steppers, Cvode, testing::ValuesIn(test::built({StepperKind::kAdams, StepperKind::kBdf})),
                         [](const testing::TestParamInfo<StepperKind>& kind) {
                           return std::string(name_of(kind.param));
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Cvode);

TEST(SmoothSteppers, RefuseByName) {
  const auto reason = [](const char* scene, StepperKind stepper) -> std::string {
    try {
      Scene s = load_scene(scene);
      s.experiment.stepper = stepper;
      Simulation simulation(std::move(s));
    } catch (const InvalidArgument& e) {
      return e.what();
    }
    return "";
  };
  for (const StepperKind stepper : test::built({StepperKind::kRk4, StepperKind::kAdams, StepperKind::kBdf})) {
    EXPECT_NE(reason("peaucellier", stepper).find("loop '"), std::string::npos);
    EXPECT_NE(reason("bouncing-ball", stepper).find("no stiffness"), std::string::npos);
  }
  for (const StepperKind stepper : {StepperKind::kAdams, StepperKind::kBdf})
    if (!is_built(stepper)) {
      EXPECT_NE(reason("simple-pendulum", stepper).find("needs SUNDIALS"), std::string::npos);
    }
}

// Equation (1) of implicit_contacts.hpp with the accelerations' own derivatives, by differences: what is left of the
// right-hand side, for three gamma.
std::vector<double> residuals() {
  Simulation simulation(load_scene("spheres-in-cup", {{"layers", "2"},
                                                      {"stiffness", "1e5"},
                                                      {"damping", "1000"},
                                                      {"experiment.contact", "regularised"},
                                                      {"experiment.dt", "1e-4"}}));
  simulation.run(1);
  const ModelData& model = simulation.model().data();
  Workspace work(model);
  work.regularised = std::make_shared<RegularisedForces>(model, 1e-3);
  work.diag = model.armature;
  const State state = simulation.state();
  const auto accelerations = [&](const State& s) {
    evaluate_accelerations(model, s, 0, work);
    return work.du;
  };
  const std::vector<double> base = accelerations(state);
  ImplicitContacts contacts(model);
  contacts.linearize(model, state, work.regularised->touching());
  EXPECT_GT(work.regularised->touching().size(), 50u);
  std::vector<double> result;
  for (const double gamma : {1e-5, 1e-4, 1e-3}) {
    std::vector<double> theta(model.u_count), u(model.u_count);
    for (int j = 0; j < model.u_count; ++j) theta[j] = 1e-4 * std::sin(j), u[j] = std::cos(3 * j);
    const std::vector<double> r_theta = theta, r_u = u;
    contacts.factor(gamma);
    contacts.solve(model, theta.data(), u.data());
    // u - gamma (a(q + theta, v + u) - a(q, v)) = r_u, for changes small enough to be linear
    State moved = state;
    constexpr double kSmall = 1e-6;
    for (std::size_t body = 0; body + 1 < model.links.size(); ++body)
      for (int k = 0; k < 3; ++k) moved.q[7 * body + k] += kSmall * theta[6 * body + k];
    for (int j = 0; j < model.u_count; ++j) moved.u[j] += kSmall * u[j];
    const std::vector<double> after = accelerations(moved);
    double residual = 0, size = 0;
    for (int j = 0; j < model.u_count; ++j) {
      EXPECT_NEAR(theta[j] - gamma * u[j], r_theta[j], 1e-12);
      const double left = u[j] - gamma * (after[j] - base[j]) / kSmall - r_u[j];
      residual += left * left;
      size += r_u[j] * r_u[j];
    }
    result.push_back(std::sqrt(residual / size));
    figure("gamma {:.0e} s: {:.1e} of the right-hand side is left", gamma, result.back());
  }
  return result;
}

// Left out: normals turn where spheres move past each other, weight over radius, 7 N / 0.05 m = 140 N/m beside 1e5.
TEST(ImplicitContacts, SolveWhatTheForcesDo) {
  for (const double residual : residuals()) EXPECT_LT(residual, 5e-3);
}

// A first step far beyond what the force allows is cut a few times only: CVODE gave up at t = 0.
TEST_P(Cvode, BeginsByItselfWhereAGivenFirstStepFails) {
  const auto end = [](double dt) {
    Scene scene = test::scene_from(R"(
lipkin: 1
bodies: [{name: a, joint: {type: prismatic, axis: x, q: 1}, mass: 1}]
forces: [{name: f, body: a, force: ['-1e6*exp(20*joint.a.q)*joint.a.q', 0, 0]}]
)");
    scene.experiment.stepper = GetParam();
    scene.experiment.dt = dt;
    Simulation simulation(std::move(scene));
    simulation.run(2e-8);
    return simulation.state().q[0];
  };
  const double own = end(0);
  EXPECT_LT(own, 0.99);
  for (const double dt : {1e-3, 0.1, 10.0}) EXPECT_NEAR(end(dt), own, 1e-6) << dt;
}

}  // namespace
}  // namespace lipkin
