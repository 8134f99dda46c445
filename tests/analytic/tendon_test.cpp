// Tendons over joints, through points, around cylinders and over pulleys, against what pen and paper say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/random.hpp"
#include "support/sample_models.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::figure;

constexpr double kGravity = 9.81;

// In both kinds of coordinates: there the joints of a tendon are rows themselves.
class Tendons : public testing::TestWithParam<CoordinateKind> {
 protected:
  Simulation simulation_of(const ModelBuilder& builder, double dt) const {
    Scene scene = test::scene_of(builder.build(), StepperKind::kEuler, dt);
    scene.experiment.coordinates = GetParam();
    return Simulation(std::move(scene));
  }
};

void watch(ModelBuilder& builder, const std::string& expression) {
  builder.add(OutputSpec{expression, expression, "", {}});
}

// A weight on a slide along z, up, at a place in the plane.
void add_weight(ModelBuilder& builder, const std::string& name, double mass, double x, double speed = 0) {
  JointSpec slide = test::joint_of(name, JointType::kPrismatic, kWorldName, name + " body");
  slide.frame_in_parent.position = {x, 0, 0};
  slide.u = {speed};
  builder.add(test::body_with(name + " body", mass, {0, 0, 0}, {0.1, 0.1, 0.1}));
  builder.add(slide);
  watch(builder, "joint." + name + ".q");
  watch(builder, "joint." + name + ".u");
}

TendonSpec tendon_over(const std::string& name, std::vector<TendonSpec::Term> joints) {
  TendonSpec tendon;
  tendon.name = name;
  tendon.joints = std::move(joints);
  return tendon;
}

Attachment at(const std::string& body, const Eigen::Vector3d& p) { return {"", body, p}; }

TEST_P(Tendons, AtwoodsMachineOverASumOfJoints) {
  ModelBuilder builder;
  add_weight(builder, "a", 3, 0);
  add_weight(builder, "b", 1, 1);
  TendonSpec rope = tendon_over("rope", {{"a", 0, -1}, {"b", 0, -1}});  // as much rope as both hang down
  rope.upper = 0;
  builder.add(rope);
  watch(builder, "tendon.rope.tension");
  watch(builder, "tendon.rope.length");
  Simulation simulation = simulation_of(builder, 0.01);
  simulation.run(1);
  const double a = kGravity * (3.0 - 1.0) / (3.0 + 1.0);
  EXPECT_NEAR(simulation.output("joint.a.u"), -a, 1e-9);
  EXPECT_NEAR(simulation.output("joint.b.u"), a, 1e-9);
  EXPECT_NEAR(simulation.output("tendon.rope.tension"), 2 * 3 * 1 * kGravity / (3 + 1), 1e-8);
  EXPECT_NEAR(simulation.output("tendon.rope.length"), 0, 1e-9);
}

// Around a cylinder between the weights, whose radius is half their distance: the string leaves it straight down.
TEST_P(Tendons, AtwoodsMachineAroundACylinder) {
  ModelBuilder builder;
  add_weight(builder, "a", 3, -0.2);
  add_weight(builder, "b", 1, 0.2);
  TendonWrap wrap;
  wrap.shape = TendonWrap::Shape::kCylinder;
  wrap.frame.position = {0, 0, 2};
  wrap.frame.orientation = Eigen::AngleAxisd(-std::acos(-1) / 2, Eigen::Vector3d::UnitX());
  wrap.radius = 0.2;
  wrap.side = at(kWorldName, {0, 0, 3});
  TendonSpec rope;
  rope.name = "rope";
  rope.path = {at("a body", {0, 0, 0}), wrap, at("b body", {0, 0, 0})};
  rope.upper = 2 + 2 + 0.2 * std::acos(-1);
  builder.add(rope);
  watch(builder, "tendon.rope.tension");
  watch(builder, "tendon.rope.length");
  Simulation simulation = simulation_of(builder, 0.005);
  simulation.run(0.5);
  const double a = kGravity * (3.0 - 1.0) / (3.0 + 1.0);
  EXPECT_NEAR(simulation.output("joint.a.u"), -0.5 * a, 1e-8);
  EXPECT_NEAR(simulation.output("joint.b.u"), 0.5 * a, 1e-8);
  EXPECT_NEAR(simulation.output("tendon.rope.tension"), 2 * 3 * 1 * kGravity / (3 + 1), 1e-6);
  EXPECT_NEAR(simulation.output("tendon.rope.length"), rope.upper, 1e-8);
}

// Behind a pulley of divisor 2 the tension is half: a weight of 2 balances one of 1.
TEST_P(Tendons, PulleyHalvesTheTension) {
  ModelBuilder builder;
  add_weight(builder, "a", 2, 0);
  add_weight(builder, "b", 1, 1);
  TendonSpec rope;
  rope.name = "rope";
  rope.path = {at(kWorldName, {0, 0, 3}), at("a body", {0, 0, 0}), TendonPulley{2}, at(kWorldName, {1, 0, 3}),
               at("b body", {0, 0, 0})};
  rope.upper = 3 + 1.5;
  builder.add(rope);
  watch(builder, "tendon.rope.tension");
  Simulation simulation = simulation_of(builder, 0.01);
  simulation.run(1);
  // T on a, T/2 on b, and b moves twice as fast as a: 2 a'' = T - 2 g, b'' = T/2 - g, b'' = -2 a'', so all rest.
  EXPECT_NEAR(simulation.output("joint.a.u"), 0, 1e-9);
  EXPECT_NEAR(simulation.output("joint.b.u"), 0, 1e-9);
  EXPECT_NEAR(simulation.output("tendon.rope.tension"), 2 * kGravity, 1e-8);
}

TEST_P(Tendons, SpringAndArmatureSwingAtTheirFrequency) {
  const double mass = 2, coefficient = 3, stiffness = 50, armature = 0.5, rest = 0.4;
  const double inertia = mass + armature * coefficient * coefficient;
  const double frequency = std::sqrt(stiffness * coefficient * coefficient / inertia);
  const double center = rest / coefficient - mass * kGravity / (stiffness * coefficient * coefficient);
  const auto error = [&](double dt) {
    ModelBuilder builder;
    add_weight(builder, "a", mass, 0);
    TendonSpec tendon = tendon_over("spring", {{"a", 0, coefficient}});
    tendon.stiffness = stiffness;
    tendon.armature = armature;
    tendon.rest = std::array<double, 2>{rest, rest};
    builder.add(tendon);
    Simulation simulation = simulation_of(builder, dt);
    simulation.run(0.5);
    return std::abs(simulation.output("joint.a.q") - center * (1 - std::cos(frequency * 0.5)));
  };
  const double coarse = error(1e-3), fine = error(5e-4);
  figure("spring along a tendon, {}: error {:.2e} m at 1 ms, {:.2e} m at 0.5 ms", name_of(GetParam()), coarse, fine);
  EXPECT_LE(fine, 1e-3);
  EXPECT_NEAR(coarse / fine, 2, 0.2);
}

TEST_P(Tendons, SpringIsSlackBetweenItsLengths) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  add_weight(builder, "a", 1, 0, 0.5);
  TendonSpec tendon = tendon_over("spring", {{"a", 0, 1}});
  tendon.stiffness = 100;
  tendon.rest = std::array<double, 2>{-0.1, 0.3};
  builder.add(tendon);
  watch(builder, "tendon.spring.tension");
  Simulation simulation = simulation_of(builder, 1e-4);
  simulation.run(0.5);
  EXPECT_NEAR(simulation.output("tendon.spring.tension"), 0, 1e-12);
  EXPECT_NEAR(simulation.output("joint.a.u"), 0.5, 1e-12);
  simulation.run(0.25);  // at 0.3 m after 0.6 s, back there after half a period more, pi / 10 s
  EXPECT_GT(simulation.output("tendon.spring.tension"), 0);
  simulation.run(0.45);
  EXPECT_NEAR(simulation.output("tendon.spring.tension"), 0, 1e-12);
  EXPECT_NEAR(simulation.output("joint.a.u"), -0.5, 0.005);
}

TEST_P(Tendons, FrictionHoldsUpToItsForce) {
  for (const double push : {1.9, 2.5}) {
    ModelBuilder builder;
    builder.set_gravity({0, 0, 0});
    add_weight(builder, "a", 1, 0);
    TendonSpec tendon = tendon_over("dry", {{"a", 0, 2}});
    tendon.friction = 1;  // 2 N at the slide
    builder.add(tendon);
    ActuatorSpec drive;
    drive.name = "drive";
    drive.joint = "a";
    drive.control = {push, {}};
    builder.add(drive);
    Simulation simulation = simulation_of(builder, 0.01);
    simulation.run(1);
    EXPECT_NEAR(simulation.output("joint.a.u"), std::max(0.0, push - 2), 1e-9);
  }
}

TEST_P(Tendons, ActuatorAndDamperPull) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  add_weight(builder, "a", 1, 0);
  add_weight(builder, "b", 1, 1);
  TendonSpec tendon = tendon_over("t", {{"a", 0, 2}, {"b", 0, 1}});
  tendon.damping = 0.5;
  builder.add(tendon);
  ActuatorSpec drive;
  drive.name = "drive";
  drive.tendon = "t";
  drive.gear = 3;
  drive.control = {1.5, {}};
  builder.add(drive);
  watch(builder, "tendon.t.rate");
  watch(builder, "energy.motors");
  watch(builder, "energy.dissipated");
  watch(builder, "energy.residual");
  watch(builder, "energy.kinetic");
  Simulation simulation = simulation_of(builder, 1e-3);
  simulation.run(20);
  // 4.5 N against 0.5 N s/m: the rate that remains; each slide moves by its coefficient's part of it.
  EXPECT_NEAR(simulation.output("tendon.t.rate"), 9, 1e-9);
  EXPECT_NEAR(simulation.output("joint.a.u"), 9 * 2.0 / 5, 1e-9);
  EXPECT_NEAR(simulation.output("joint.b.u"), 9 * 1.0 / 5, 1e-9);
  EXPECT_NEAR(simulation.output("energy.motors") - simulation.output("energy.dissipated"),
              simulation.output("energy.kinetic"), 1e-7 * simulation.output("energy.motors"));
  EXPECT_LE(std::abs(simulation.output("energy.residual")), 1e-7 * simulation.output("energy.motors"));
}

TEST_P(Tendons, WinchAndGearHoldLengths) {
  ModelBuilder builder;
  add_weight(builder, "a", 1, 0);
  add_weight(builder, "b", 0.5, 1);
  TendonSpec first, second;
  first.name = "first";
  first.path = {at(kWorldName, {0.3, 0.4, 2}), at("a body", {0, 0, 0})};
  second.name = "second";
  second.path = {at(kWorldName, {1.3, 0.4, 2}), at("b body", {0, 0, 0})};
  builder.add(first);
  builder.add(second);
  MotorSpec winch;
  winch.name = "winch";
  winch.tendon = "first";
  winch.kind = MotorKind::kPosition;
  winch.target = {ExpressionText{"sqrt(4.25) - 0.2*t"}, {}};
  builder.add(winch);
  GearSpec gear;
  gear.name = "gear";
  gear.tendon = "second";
  gear.of_tendon = "first";
  gear.ratio = -1;
  gear.offset = 2 * std::sqrt(4.25);
  builder.add(gear);
  watch(builder, "tendon.first.length");
  watch(builder, "tendon.second.length");
  watch(builder, "motor.winch.force");
  Simulation simulation = simulation_of(builder, 1e-3);
  simulation.run(1);
  EXPECT_NEAR(simulation.output("tendon.first.length"), std::sqrt(4.25) - 0.2, 1e-9);
  EXPECT_NEAR(simulation.output("tendon.second.length"), std::sqrt(4.25) + 0.2, 1e-9);
  EXPECT_LT(simulation.output("motor.winch.force"), 0);  // it pulls
}

// Two links with a rotor along a tendon over both hinges, or at the second hinge: projection, which closes joints that
// are rows, has to count the rotor's inertia. The truth is a tree by a stepper of high order, whose second hinge has
// the rotor.
TEST_P(Tendons, RotorsCountInProjections) {
  const auto chain = [](double joint_armature) {
    ModelBuilder builder;
    for (int i = 0; i < 2; ++i) {
      JointSpec hinge = test::joint_of(i == 0 ? "a" : "b", JointType::kRevolute, i == 0 ? kWorldName : "a body",
                                       i == 0 ? "a body" : "b body");
      hinge.axis = {0, 1, 0};
      if (i == 1) hinge.frame_in_parent.position = {0.5, 0, 0};
      hinge.q = {0.3};
      hinge.u = {0.5};
      if (i == 1 && joint_armature > 0) hinge.armature = {joint_armature};
      builder.add(test::body_with(hinge.child, 1, {0.25, 0, 0}, {0.02, 0.02, 0.02}));
      builder.add(hinge);
      watch(builder, "joint." + hinge.name + ".q");
    }
    return builder;
  };
  Scene exact = test::scene_of(chain(0.5).build(), StepperKind::kDopri5);
  exact.experiment.relative_tolerance = exact.experiment.absolute_tolerance = 1e-11;
  Simulation truth(std::move(exact));
  truth.run(0.5);
  for (const bool along_tendon : {true, false}) {
    const auto error = [&](double dt) {
      ModelBuilder builder = chain(along_tendon ? 0 : 0.5);
      if (along_tendon) {
        TendonSpec tendon = tendon_over("rotor", {{"b", 0, 1}});
        tendon.armature = 0.5;
        builder.add(tendon);
      }
      Simulation simulation = simulation_of(builder, dt);
      simulation.run(0.5);
      return std::hypot(simulation.output("joint.a.q") - truth.output("joint.a.q"),
                        simulation.output("joint.b.q") - truth.output("joint.b.q"));
    };
    const double coarse = error(1e-3), fine = error(5e-4);
    figure("rotor {}, {}: error {:.2e} rad at 1 ms, {:.2e} rad at 0.5 ms",
           along_tendon ? "along a tendon" : "at a joint", name_of(GetParam()), coarse, fine);
    EXPECT_NEAR(coarse / fine, 2, 0.3);
    EXPECT_LT(fine, 5e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Tendons, testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal),
                         [](const testing::TestParamInfo<CoordinateKind>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

// A rope over a sheave of 0.2 m holds a load of 500 kg that hoisting gear keeps at its length. It swings far below the
// other end of the rope, where a string straight across would be on the side of the point too.
std::string swinging_load(const std::string& held, const std::string& experiment) {
  return R"(lipkin: 1
bodies:
  - name: load
    mass: 500
    inertia: [20, 20, 20]
    joint: {type: free, q: [0.2, 0, -6, 1, 0, 0, 0], u: [-1.8, 0, 0, 0, 0, 0]}
tendons:
  - name: rope
    path:
      - {at: [-1, 0, 0.2]}
      - {at: [0, 0, 0], around: cylinder, radius: 0.2, orientation: {axis: x, angle: 90*deg}, side: {at: [0, 0, 1]}}
      - {body: load}
)" + held +
         R"(
outputs: {T: tendon.rope.tension, x: body.load.x, energy: energy.total}
experiment: )" +
         experiment;
}

TEST(TendonSheave, HoldsALoadThatSwingsBeyondTheRopesEnd) {
  // Its length: 1 m, a quarter turn, 6 m.
  const std::string motor = "motors: [{name: hoist, tendon: rope, position: 7 + pi/10}]";
  const std::string limit = "    upper: 7 + pi/10";
  for (const std::string& held : {motor, limit})
    for (const char* stepper : {"euler", "moreau"})
      for (const char* coordinates : {"generalized", "maximal"}) {
        SCOPED_TRACE(held + " " + stepper + " " + coordinates);
        Simulation simulation(test::scene_from(swinging_load(
            held, std::string("{dt: 0.001, stepper: ") + stepper + ", coordinates: " + coordinates + "}\n")));
        const double before = simulation.output("energy");
        double left = 0, least = 1e9, most = 0;
        simulation.run(3, 0, [&](const Simulation& now) {
          left = std::min(left, now.output("x"));
          if (now.state().t > 0) {
            least = std::min(least, now.output("T")), most = std::max(most, now.output("T"));
          }
          return true;
        });
        EXPECT_LT(left, -1.1);  // the other end is at -1
        EXPECT_GT(left, -1.3);
        // A pendulum of 6 m that goes up by v^2 / 2 g: m g (1 - 0.028), and m (g + v^2 / l) below; the winding on the
        // sheave makes it longer by up to 0.05 m.
        EXPECT_NEAR(least, 500 * kGravity * (1 - 0.028), 15);
        EXPECT_NEAR(most, 500 * (kGravity + 1.8 * 1.8 / 6), 15);
        EXPECT_NEAR(simulation.output("energy"), before, 0.02 * 500 * 1.8 * 1.8 / 2);  // first order in the step
      }
}

// Where a length has to jump, the load would be thrown to where it fits again: the run stops instead. An end goes into
// the cylinder; a rope is pulled round until it is wound by more than the point allows.
TEST(TendonSheave, LengthsThatJumpStopTheRun) {
  const auto pulled = [](const std::string& at, const std::string& position, const std::string& side) {
    return R"(lipkin: 1
bodies: [{name: load, mass: 10, joint: {type: prismatic, axis: z, at: )" +
           at + R"(}}]
tendons:
  - name: rope
    path:
      - {at: [-1, 0, 0.2]}
      - {at: [0, 0, 0], around: cylinder, radius: 0.2, orientation: {axis: x, angle: 90*deg}, side: {at: )" +
           side + R"(}}
      - {body: load}
    upper: 12
motors: [{name: m, joint: load, position: ")" +
           position + "\"}]\n";
  };
  const std::string into = pulled("[0.19, 0, 0]", "-0.2 + 0.1*t", "[1, 0, 1]");
  const std::string round = pulled("[-5, 0, 0]", "-2 + 0.5*t", "[0, 0, 1]");
  for (const std::string& scene : {into, round})
    for (const char* experiment : {"{stepper: euler}", "{stepper: moreau}", "{coordinates: maximal}",
                                   "{stepper: moreau, step: variable}", "{stabilization: none}"}) {
      SCOPED_TRACE((&scene == &into ? "into " : "round ") + std::string(experiment));
      Simulation simulation(test::scene_from(scene + "experiment: " + experiment + "\n"));
      try {
        simulation.run(5);
        ADD_FAILURE() << "it went on";
      } catch (const SimulationError& e) {
        EXPECT_NE(std::string(e.what()).find("the length of tendon 'rope' jumps by"), std::string::npos) << e.what();
      }
    }
}

// The finger's strings around its joints, in every position.
TEST(TendonFinger, RatesAreThoseOfTheLengths) {
  Dynamics dynamics(load_scene("tendon-finger").model);
  test::Random random(3);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> q = {random.uniform(0, 1.5), random.uniform(0, 1.7), random.uniform(0, 1.3)};
    const std::vector<double> u = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    for (const char* name : {"tendon.flexor", "tendon.extensor"}) {
      const auto length = [&](double t) {
        dynamics.set(std::vector<double>{q[0] + t * u[0], q[1] + t * u[1], q[2] + t * u[2]}, u);
        return dynamics.variable(std::string(name) + ".length");
      };
      const double numeric = (length(1e-5) - length(-1e-5)) / 2e-5;
      dynamics.set(q, u);
      worst = std::max(worst, std::abs(dynamics.variable(std::string(name) + ".rate") - numeric));
    }
  }
  figure("tendons of the finger: rates off by {:.1e} m/s at most", worst);
  EXPECT_LE(worst, 1e-8);
}

// Bent three ways: by what it takes in, the flexor turns the joints about pulleys of equal radius.
TEST(TendonFinger, BendsAndStraightens) {
  Simulation simulation(load_scene("tendon-finger"));
  double most = 0, worst_tension = 0;
  simulation.run(2, 0, [&](const Simulation& now) {
    most = std::max(most, now.output("bend"));
    worst_tension = std::max(worst_tension, now.output("flexor_tension"));
    return true;
  });
  figure("finger: bends by {:.2f} rad, flexor pulls up to {:.2f} N, straightens to {:.3f} rad", most, worst_tension,
         simulation.output("bend"));
  EXPECT_GT(most, 2);
  EXPECT_GT(worst_tension, 0.5);
  EXPECT_LT(worst_tension, 20);
  EXPECT_LT(std::abs(simulation.output("bend")), 0.2);
}

// M + a J Jᵀ, and accelerations that fit it; the bias by the kinetic energy, which has to be kept.
TEST(TendonArmature, IsInertiaAlongTheTendon) {
  ModelBuilder builder;
  for (const char* name : {"one", "two"}) {
    JointSpec hinge = test::joint_of(name, JointType::kRevolute, name == std::string("one") ? kWorldName : "one body",
                                     std::string(name) + " body");
    hinge.axis = {0, 1, 0};
    if (name == std::string("two")) hinge.frame_in_parent.position = {0.5, 0, 0};
    builder.add(test::body_with(std::string(name) + " body", 1, {0.25, 0, 0}, {0.02, 0.02, 0.02}));
    builder.add(hinge);
  }
  TendonSpec tendon;
  tendon.name = "t";
  tendon.path = {at(kWorldName, {-0.1, 0, 0.3}), at("one body", {0.2, 0, 0.1}), at("two body", {0.4, 0, 0})};
  tendon.armature = 0.7;
  builder.add(tendon);
  const Model model = builder.build();
  Dynamics dynamics(model);
  const std::vector<double> q = {0.4, -0.7}, u = {1.5, -2.0}, tau = {0.3, 0.1};
  dynamics.set(q, u);
  const Eigen::Map<const Eigen::VectorXd> speeds(u.data(), 2), forces(tau.data(), 2);
  const Eigen::VectorXd a = dynamics.accelerations(tau);
  EXPECT_LT((dynamics.mass_matrix() * a + dynamics.bias() - forces).norm(), 1e-9);
  EXPECT_LT((dynamics.inverse_dynamics(std::vector<double>{a[0], a[1]}) - forces).norm(), 1e-9);
  EXPECT_NEAR(dynamics.energy().kinetic, 0.5 * speeds.dot(dynamics.mass_matrix() * speeds), 1e-12);
  // Without forces energy is kept: dE/dt = u · (M a + dM/dt u / 2 + ...) = 0, by a short way along the motion.
  const Eigen::VectorXd free = dynamics.accelerations({});
  const auto total = [&](double t) {
    std::vector<double> q_t(2), u_t(2);
    for (int k = 0; k < 2; ++k) {
      q_t[k] = q[k] + t * u[k] + 0.5 * t * t * free[k];
      u_t[k] = u[k] + t * free[k];
    }
    dynamics.set(q_t, u_t);
    return dynamics.energy().total();
  };
  EXPECT_NEAR((total(1e-4) - total(-1e-4)) / 2e-4, 0, 1e-6);
}

}  // namespace
}  // namespace lipkin
