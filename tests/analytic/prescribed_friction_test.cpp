// Friction where something prescribes the motion, so that no impulse of it changes anything: its force follows from the
// sliding, and must reach the drive, the balance and the reactions. Every kind of friction behind every kind of
// bilateral row, in both coordinates, with every solver that takes friction, by both time steppers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/figure.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::figure;

struct Case {
  const char* name;
  const char* scene;
  const char* output;
  double right;        // by hand
  double power;        // that friction takes [W], by hand
  double within;       // of the force
  bool contact_power;  // it goes into contact friction, else joint friction
  bool askew = false;
};

// A wheel that turns at 1 rad/s against 2 N m.
constexpr const char* kJointBehindMotor = R"(
gravity: [0, 0, 0]
bodies: [{name: wheel, joint: {type: revolute, axis: z, friction: 2}, mass: 1, inertia: [0.01, 0.01, 0.01]}]
motors: [{name: drive, joint: wheel, velocity: 1}]
outputs: {force: motor.drive.force})";

constexpr const char* kJointBehindMotion = R"(
gravity: [0, 0, 0]
bodies: [{name: wheel, joint: {type: revolute, axis: z, friction: 2, u: -1}, mass: 1, inertia: [0.01, 0.01, 0.01]}]
motors: [{name: drive, joint: wheel, position: -t}]
outputs: {force: motor.drive.force})";

// The pinion turns at 2 rad/s against 3 N m: 6 N m at the wheel.
constexpr const char* kJointBehindGear = R"(
gravity: [0, 0, 0]
bodies:
  - {name: wheel, joint: {type: revolute, axis: z}, mass: 1, inertia: [0.01, 0.01, 0.01]}
  - {name: pinion, joint: {type: revolute, axis: z, at: [0.2, 0, 0], friction: 3}, mass: 1, inertia: [0.01, 0.01, 0.01]}
gears: [{name: g, joint: pinion, of: wheel, ratio: 2}]
motors: [{name: drive, joint: wheel, velocity: 1}]
outputs: {force: motor.drive.force})";

// A parallelogram: the far rocker turns with the crank, at 1 rad/s against 2 N m, without gravity and evenly.
constexpr const char* kJointBehindLoop = R"(
gravity: [0, 0, 0]
bodies:
  - {name: crank, joint: {type: revolute, axis: y, u: 1}, mass: 1, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01]}
  - {name: rod, parent: crank, joint: {type: revolute, axis: y, at: [0, 0, 0.2], u: -1}, mass: 1, com: [0.15, 0, 0],
     inertia: [0.01, 0.01, 0.01]}
  - {name: rocker, joint: {type: revolute, axis: y, at: [0.3, 0, 0], friction: 2, u: 1}, mass: 1e-6, com: [0, 0, 0.1],
     inertia: [1e-8, 1e-8, 1e-8]}
loops: [{name: pin, type: revolute, axis: y, from: {body: rod, at: [0.3, 0, 0]}, to: {body: rocker, at: [0, 0, 0.2]}}]
motors: [{name: drive, joint: crank, velocity: 1}]
outputs: {force: motor.drive.force})";

// A tendon over two slides, 3 N of friction, its length growing at 1 + 2 · 0.5 = 2 m/s: 3 N at the first, 6 N at the
// second.
constexpr const char* kTendonBehindMotors = R"(
gravity: [0, 0, 0]
bodies:
  - {name: a, joint: {type: prismatic, axis: x}, mass: 1, inertia: [0.01, 0.01, 0.01]}
  - {name: b, joint: {type: prismatic, axis: y}, mass: 1, inertia: [0.01, 0.01, 0.01]}
tendons: [{name: string, joints: [{joint: a}, {joint: b, coefficient: 2}], friction: 3}]
motors: [{name: drive, joint: b, velocity: 0.5}, {name: other, joint: a, velocity: 1}]
outputs: {force: motor.drive.force})";

constexpr const char* kBlock = R"(
materials: {steel: {friction: 0.5}}
world: {shapes: [{plane: {}, contact: steel}]}
bodies:
  - {name: carriage, joint: {type: prismatic, axis: AXIS}, mass: 1, inertia: [0.01, 0.01, 0.01]}
  - name: block
    parent: carriage
    joint: {type: prismatic, axis: z, at: [0, 0, 0.05]}
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 2, contact: steel}]
motors: [{name: drive, joint: carriage, MOTION}]
outputs: {force: motor.drive.force})";

std::string block(const std::string& axis, const std::string& motion) {
  std::string text = kBlock;
  text.replace(text.find("AXIS"), 4, axis);
  return text.replace(text.find("MOTION"), 6, motion);
}

// A disc lies on the floor and is turned about its axis: spinning friction of mu_spin m g.
constexpr const char* kSpinBehindMotor = R"(
materials: {felt: {friction: 0, spinning_friction: 0.1}}
world: {shapes: [{plane: {}, contact: felt}]}
bodies:
  - {name: shaft, joint: {type: revolute, axis: z}, mass: 1, inertia: [0.01, 0.01, 0.01]}
  - name: ball
    parent: shaft
    joint: {type: prismatic, axis: z, at: [0, 0, 0.05]}
    shapes: [{sphere: {radius: 0.05}, mass: 2, contact: felt}]
motors: [{name: drive, joint: shaft, velocity: 3}]
outputs: {force: motor.drive.force})";

constexpr double kPull = 0.5 * 2 * 9.81;  // of the block [N]

std::vector<Case> cases() {
  static const std::string x = block("x", "velocity: 1"), askew = block("[3, 4, 0]", "velocity: -2"),
                           motion = block("[3, 4, 0]", "position: 0.5*t");
  return {
      {"joint, motor", kJointBehindMotor, "force", 2, 2, 1e-9, false},
      {"joint, motion", kJointBehindMotion, "force", -2, 2, 1e-9, false},
      {"joint, gear", kJointBehindGear, "force", 6, 6, 1e-9, false},
      {"joint, loop", kJointBehindLoop, "force", 2, 2, 1e-4, false},
      {"tendon, motors", kTendonBehindMotors, "force", 6, 6, 1e-9, false},
      {"contact, motor", x.c_str(), "force", kPull, kPull, 1e-9, true},
      {"contact askew, motor", askew.c_str(), "force", -kPull, 2 * kPull, 1e-9, true, true},
      {"contact askew, motion", motion.c_str(), "force", kPull, 0.5 * kPull, 1e-9, true, true},
  };
}

class PrescribedFriction : public testing::TestWithParam<std::tuple<SolverKind, CoordinateKind, StepperKind>> {
 protected:
  Simulation simulation_of(const char* text) const {
    Scene scene = test::scene_from(std::string("lipkin: 1") + text + "\nexperiment: {dt: 0.001}\n");
    std::tie(scene.experiment.solver, scene.experiment.coordinates, scene.experiment.stepper) = GetParam();
    scene.experiment.solver_options.max_iterations = 1000000;  // `impulses` goes round loops slowly
    return Simulation(std::move(scene));
  }
};

TEST_P(PrescribedFriction, FollowsFromTheSliding) {
  const auto [solver, coordinates, stepper] = GetParam();
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const bool by_loop = std::string_view(c.name) == "joint, loop";
    if (by_loop && solver == SolverKind::kImpulses && coordinates == CoordinateKind::kMaximal)
      continue;  // takes minutes
    Simulation s = simulation_of(c.scene);
    s.watch_balance();
    s.run(0.05);
    const EnergyBalance half_way = s.energy_balance();
    s.run(0.05);
    const EnergyBalance& balance = s.energy_balance();
    // Solvers that iterate stop at their tolerance, 1e-10 m/s.
    const bool iterates = solver == SolverKind::kImpulses || solver == SolverKind::kProx;
    // Lemke's method takes an octagon for the disc: askew, its corners are up to 8 % off.
    const bool pyramid = solver == SolverKind::kLemke;
    const double within = std::max(c.within, iterates ? 1e-6 : !pyramid ? 0.0 : c.askew ? 0.08 : 1e-8);
    EXPECT_NEAR(s.output(c.output), c.right, within * std::abs(c.right));
    const double friction = c.contact_power ? balance.contact_friction - half_way.contact_friction
                                            : balance.joint_friction - half_way.joint_friction;
    EXPECT_NEAR(friction / 0.05, c.power, 2 * within * c.power + 1e-9);
    if (!pyramid) {
      EXPECT_LT(s.statistics().residual, 1e-6);
    }
    EXPECT_EQ(s.statistics().undetermined_steps, 0u);
    figure("{:22} {:8} {:11} {:6}: {:.9g}, by hand {:.9g}", c.name, name_of(solver), name_of(coordinates),
           name_of(stepper), s.output(c.output), c.right);
  }
}

// Rolled over by a motor about the vertical: the torque of spinning friction.
TEST_P(PrescribedFriction, OfSpinningContacts) {
  Simulation s = simulation_of(kSpinBehindMotor);
  s.run(0.1);
  EXPECT_NEAR(s.output("force"), 0.1 * 2 * 9.81, 1e-6);
}

// Held still: the force is not determined, none is taken, and it is said.
TEST_P(PrescribedFriction, OfWhatStandsStillIsNotDetermined) {
  std::string text = kJointBehindMotor;
  text.replace(text.find("velocity: 1"), 11, "velocity: 0");
  Simulation s = simulation_of(text.c_str());
  s.run(0.1);
  EXPECT_NEAR(s.output("force"), 0, 1e-12);
  if (std::get<0>(GetParam()) == SolverKind::kImpulses) return;  // its rows share such forces among each other
  EXPECT_GE(s.statistics().undetermined_steps, 99u);
  ASSERT_EQ(s.statistics().undetermined.size(), 1u);
  EXPECT_EQ(s.statistics().undetermined.front(), "friction of joint 'wheel'");
}

INSTANTIATE_TEST_SUITE_P(All, PrescribedFriction,
                         testing::Combine(testing::Values(SolverKind::kHybrid, SolverKind::kImpulses, SolverKind::kProx,
                                                          SolverKind::kNewton, SolverKind::kLemke),
                                          testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal),
                                          testing::Values(StepperKind::kEuler, StepperKind::kMoreau)),
                         [](const auto& chosen) {
                           return fmt::format("{}_{}_{}", name_of(std::get<0>(chosen.param)),
                                              name_of(std::get<1>(chosen.param)), name_of(std::get<2>(chosen.param)));
                         });

// Held along one direction of the floor and free along the other: the friction turns with the sliding, which a motor
// makes 1 m/s along and which dies away across. By hand m dv/dt = -mu m g v / sqrt(1 + v²), so that
// sqrt(1 + v²) - atanh(1 / sqrt(1 + v²)) falls by mu g t.
TEST(PrescribedFrictionAcross, TurnsWithTheSliding) {
  for (const SolverKind solver : {SolverKind::kHybrid, SolverKind::kProx, SolverKind::kNewton, SolverKind::kImpulses}) {
    SCOPED_TRACE(name_of(solver));
    double error[2];
    for (int half = 0; half < 2; ++half) {
      Scene scene = test::scene_from(R"(lipkin: 1
materials: {steel: {friction: 0.5}}
world: {shapes: [{plane: {}, contact: steel}]}
bodies:
  - {name: carriage, joint: {type: prismatic, axis: [1, 2, 0]}, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: side, parent: carriage, joint: {type: prismatic, axis: [-2, 1, 0], u: 0.3}, mass: 1e-9,
     inertia: [1e-9, 1e-9, 1e-9]}
  - name: block
    parent: side
    joint: {type: prismatic, axis: z, at: [0, 0, 0.05]}
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, mass: 2, contact: steel}]
motors: [{name: drive, joint: carriage, velocity: 1}]
outputs: {v: joint.side.u, pull: motor.drive.force}
experiment: {dt: 0.001}
)");
      scene.experiment.solver = solver;
      scene.experiment.dt = half == 0 ? 1e-3 : 5e-4;
      Simulation s(std::move(scene));
      s.run(0.1);
      const auto fallen = [](double v) { return std::sqrt(1 + v * v) - std::atanh(1 / std::sqrt(1 + v * v)); };
      const double v = s.output("v");
      EXPECT_NEAR(s.output("pull"), kPull / std::sqrt(1 + v * v), 1e-3 * kPull);
      error[half] = (fallen(0.3) - fallen(v)) / (0.5 * 9.81 * 0.1) - 1;
    }
    EXPECT_LT(std::abs(error[0]), 0.01);
    EXPECT_NEAR(error[1] / error[0], 0.5, 0.1);  // first order
    figure("friction across a prescribed sliding, {}: off by {:.2e} at 1 ms, {:.2e} at 0.5 ms", name_of(solver),
           error[0], error[1]);
  }
}

}  // namespace
}  // namespace lipkin
