// Reactions, loads, accelerations and forces of motors against sums of forces done by hand, for every part that pulls
// at a joint, in both coordinates and with both steppers that solve for impulses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "support/ways_to_run.hpp"

namespace lipkin {
namespace {

using test::expect_values;
using test::experiment;
using test::Way;

constexpr double kGravity = 9.81;

using test::kWays;
// ---- one part at a time on a slider ----

// A base of 3 kg that is fixed to the world; on it a slider of 1 kg along x, its centre of mass aside, pulled with 2 N;
// on that, fixed, another kilogram.
constexpr double kPull = 2, kMoving = 2, kPlace = 0.1, kSpeed = 0.2;  // [N], [kg], [m], [m/s]

struct Part {
  std::string name;
  double force;              // that the joint exerts along x [N]
  std::string joint, parts;  // what the slider's joint has; what the scene has
  double speed = kSpeed;
  double beside = 0;    // what the part exerts on the slider besides the joint, along x [N]
  bool drives = false;  // a motor 'm' exerts that force
};

void PrintTo(const Part& part, std::ostream* out) { *out << part.name; }

std::vector<Part> parts_of_the_slider() {
  const double rotor = 1, armature = -rotor * kPull / (kMoving + rotor);
  const std::string tendon = "tendons: [{name: T, joints: [{joint: a}]";
  return {
      {"nothing", 0, "", ""},
      {"spring", -1, "stiffness: 10", ""},
      {"damper", -0.6, "damping: 3", ""},
      {"friction", -0.5, "friction: 0.5", ""},
      {"armature", armature, "armature: 1", ""},
      {"actuator", 1, "", "actuators: [{name: p, joint: a, control: 1}]"},
      {"motor", -kPull, "", "motors: [{name: m, joint: a, velocity: 0.2}]", kSpeed, 0, true},
      {"weak motor", 1, "", "motors: [{name: m, joint: a, velocity: 2, max_force: 1}]", kSpeed, 0, true},
      {"servo", 1, "", "motors: [{name: m, joint: a, position: 0.2, stiffness: 10}]", kSpeed, 0, true},
      {"limit", -kPull, "limits: [-1, 0.1]", "", 0},
      {"tendon's spring", -1, "", tendon + ", stiffness: 10, rest: 0}]"},
      {"tendon's damper", -0.6, "", tendon + ", damping: 3}]"},
      {"tendon's friction", -0.5, "", tendon + ", friction: 0.5}]"},
      {"tendon's armature", armature, "", tendon + ", armature: 1}]"},
      {"tendon's actuator", 1, "", tendon + "}]\nactuators: [{name: p, tendon: T, control: 1}]"},
      {"tendon that pulls twice", 2, "",
       "tendons: [{name: T, joints: [{joint: a, coefficient: 2}]}]\nactuators: [{name: p, tendon: T, control: 1}]"},
      {"tendon's motor", -kPull, "", tendon + "}]\nmotors: [{name: m, tendon: T, velocity: 0.2}]", kSpeed, 0, true},
      {"tendon's weak motor", 1, "", tendon + "}]\nmotors: [{name: m, tendon: T, velocity: 2, max_force: 1}]", kSpeed,
       0, true},
      {"tendon's servo", 1, "", tendon + "}]\nmotors: [{name: m, tendon: T, position: 0.2, stiffness: 10}]", kSpeed, 0,
       true},
      {"tendon's limit", -kPull, "", tendon + ", upper: 0.1}]", 0},
      {"tendon along a path", 0, "",
       "tendons: [{name: T, path: [{body: world, at: [-1, 0, 0]}, {body: a}], stiffness: 10, rest: 1}]", kSpeed, -1},
      {"spring between bodies", 0, "",
       "springs: [{name: s, from: {body: world, at: [-1, 0, 0]}, to: {body: a}, stiffness: 10, rest_length: 1}]",
       kSpeed, -1},
      {"bushing", 0, "", "bushings: [{name: s, from: {body: world}, to: {body: a}, stiffness: 10}]", kSpeed, -1},
      {"rod", 0, "", "distances: [{name: s, from: {body: world, at: [-1, 0, 0]}, to: {body: a}, length: 1.1}]", 0,
       -kPull},
      {"actuator of the body", 0, "", "actuators: [{name: p, body: a, force: [1, 0, 0], control: 1}]", kSpeed, 1},
  };
}

std::string slider(const Part& part, const Way& way) {
  return fmt::format(R"(lipkin: 1
bodies:
  - {{name: base, mass: 3, inertia: [.1, .1, .1], joint: fixed}}
  - name: a
    parent: base
    mass: 1
    com: [0.1, 0.05, 0]
    inertia: [.1, .1, .1]
    joint: {{type: prismatic, axis: x, q: {}, u: {}{}{}}}
  - {{name: b, parent: a, mass: 1, inertia: [.1, .1, .1], joint: {{type: fixed, at: [0, 0, 0.2]}}}}
{}
forces: [{{name: F, body: a, force: [{}, 0, 0]}}]
outputs:
  ax: body.a.ax
  imu: body.b.imu_ax
  fx: body.a.fx
  joint_fx: joint.a.fx
  joint_fz: joint.a.fz
  joint_nx: joint.a.nx
  joint_ny: joint.a.ny
  joint_nz: joint.a.nz
  load_fx: body.a.load_fx
  load_ny: body.a.load_ny
  welded_fx: joint.b.fx
  welded_fz: joint.b.fz
  welded_load_fx: body.b.load_fx
  welded_load_ny: body.b.load_ny
  welded_ny: joint.b.ny
  base_fx: joint.base.fx
  base_fz: joint.base.fz
  base_ny: joint.base.ny
  base_load_fz: body.base.load_fz
  base_load_ny: body.base.load_ny
{}
{})",
                     kPlace, part.speed, part.joint.empty() ? "" : ", ", part.joint, part.parts, kPull,
                     part.drives ? "  motor: motor.m.force\n" : "", experiment(way, 1e-5));
}

using OneWay = std::tuple<Part, Way>;
class ForcesOnASlider : public testing::TestWithParam<OneWay> {};

// Newton for both, and Euler about the slider's origin with what acts there: n = c x m (a - g), and for the kilogram
// that is 0.2 m higher z x m a.
TEST_P(ForcesOnASlider, AreThoseOfTheSums) {
  const auto& [part, way] = GetParam();
  const double a = (kPull + part.force + part.beside) / kMoving, weight = kMoving * kGravity;
  const double ny = -0.1 * kGravity + 0.2 * a;
  std::map<std::string, double> expected = {{"ax", a},
                                            {"imu", a},
                                            {"fx", a},
                                            {"joint_fx", part.force},
                                            {"joint_fz", weight},
                                            {"joint_nx", 0.05 * kGravity},
                                            {"joint_ny", ny},
                                            {"joint_nz", -0.05 * a},
                                            {"load_fx", part.force},
                                            {"load_ny", ny},
                                            {"welded_fx", a},
                                            {"welded_fz", kGravity},
                                            {"welded_load_fx", a},
                                            {"welded_load_ny", 0},
                                            {"welded_ny", 0},
                                            {"base_fx", part.force},
                                            {"base_fz", weight + 3 * kGravity},
                                            {"base_ny", ny - kPlace * weight},
                                            {"base_load_fz", weight + 3 * kGravity},
                                            {"base_load_ny", ny - kPlace * weight}};
  if (part.drives) expected["motor"] = part.force;
  Simulation simulation(test::scene_from(slider(part, way)));
  // In ten steps of 10 us it travels 20 um, at up to 10 N/m and 3 N s/m.
  expect_values(simulation, expected, 1e-3);
  simulation.run(1e-4);
  expect_values(simulation, expected, 1e-3);
}

std::string name_of_case(const testing::TestParamInfo<OneWay>& chosen) {
  const auto& [part, way] = chosen.param;
  std::string name;
  for (const char c : part.name)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return fmt::format("{}_{}_{}", name, way.coordinates, way.stepper);
}

INSTANTIATE_TEST_SUITE_P(Parts, ForcesOnASlider,
                         testing::Combine(testing::ValuesIn(parts_of_the_slider()), testing::ValuesIn(kWays)),
                         name_of_case);

// ---- limits of ball joints ----

// A pendulum of 1 kg, 1 m long, falls along x until its ball joint has turned by 0.5 rad: there the limit holds
// m g l cos 0.5 about y, all of the joint's moment, and none is left for the body.
TEST(ForcesOfBallLimits, AreTheMomentOfTheWeight) {
  const double moment = kGravity * std::cos(0.5);
  const std::string joint = "type: ball, max_angle: 0.5, damping: 3";
  const std::string tree = fmt::format("parent: stand, joint: {{name: b, at: [0, 0, 0.3], {}}}}}", joint);
  const std::string loop = fmt::format(
      "joint: {{type: free, q: [0, 0, 0.3, 1, 0, 0, 0]}}}}\n"
      "loops:\n  - {{name: b, from: {{body: stand, at: [0, 0, 0.3]}}, to: {{body: c}}, {}}}",
      joint);
  for (const std::string& held : {tree, loop})
    for (const Way& way : kWays) {
      SCOPED_TRACE(fmt::format("{}, {}, {}", held == tree ? "tree" : "loop", way.coordinates, way.stepper));
      Simulation simulation(
          test::scene_from(fmt::format(R"(lipkin: 1
gravity: [9.81, 0, 0]
bodies:
  - {{name: stand, mass: 1, inertia: [1, 1, 1], joint: {{type: revolute, axis: x}}}}
  - {{name: c, mass: 1, com: [0, 0, -1], inertia: [.1, .1, .1], {}
outputs: {{tau: 'joint.b.tau[1]', limit: 'joint.b.limit[1]', across: 'joint.b.limit[0]', ny: joint.b.ny,
          load: {}, on_body: body.c.ny}}
{})",
                                       held, held == tree ? "body.c.load_ny" : "joint.b.ny", experiment(way, 1e-3))));
      simulation.run(3);  // it is at rest on the limit; `moreau` leaves limits passed by 1e-5 rad alone
      expect_values(
          simulation,
          {{"limit", moment}, {"across", 0}, {"tau", moment}, {"ny", moment}, {"load", moment}, {"on_body", 0}},
          1e-5 * moment);
    }
}

// ---- rotors ----

// A pendulum of 2 kg that turns on a slider of 1 kg with a rotor of 1 kg, from M du + h = 0:
//   4 x'' + m l cos(p) p'' = m l sin(p) p'²,  m l cos(p) x'' + (J + m l²) p'' = 0.
TEST(ForcesOfRotors, AreThoseOfTheAcceleration) {
  const double m = 2, l = 0.2, J = 0.1;
  for (const bool tendon : {false, true})
    for (const char* stabilization : {"projection", "none", "baumgarte", "split"})
      for (const Way& way : kWays) {
        SCOPED_TRACE(
            fmt::format("{}, {}, {}, {}", tendon ? "tendon" : "joint", stabilization, way.coordinates, way.stepper));
        Simulation simulation(test::scene_from(fmt::format(
            R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: 1, inertia: [.1, .1, .1], joint: {{type: prismatic, axis: x{}}}}}
  - {{name: b, parent: a, mass: 2, inertia: [.1, .1, .1], com: [0, -0.2, 0], joint: {{type: revolute, u: 3}}}}
{}
outputs: {{a: body.a.ax, joint: joint.a.fx, load: body.a.load_fx, hinge: joint.b.fx}}
{})",
            tendon ? "" : ", armature: 1", tendon ? "tendons: [{name: T, joints: [{joint: a}], armature: 1}]" : "",
            experiment(way, 1e-4, fmt::format("stabilization: {}", stabilization)))));
        simulation.run(0.1);
        const auto spin = simulation.body_motion(1);
        const double w = spin.angular_velocity.z(),
                     p = 2 * std::atan2(spin.pose.orientation.z(), spin.pose.orientation.w());
        const double c = m * l * std::cos(p), K = J + m * l * l;
        const double x = m * l * std::sin(p) * w * w / (4 - c * c / K);
        // What the drift of 0.1 s and a step's worth of its change make of it.
        expect_values(simulation, {{"a", x}, {"joint", -x}, {"load", -x}, {"hinge", -2 * x}}, 2e-3);
      }
}

// ---- steps of another length ----

// 2 kg that turn at 5 rad/s, 0.2 m from a hinge: 10 N towards it, also in a last step that is half as long.
TEST(ForcesOfShortSteps, AreThoseOfAllSteps) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(fmt::format("{}, {}", way.coordinates, way.stepper));
    Simulation simulation(test::scene_from(fmt::format(
        R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {{name: b, mass: 2, inertia: [.1, .1, .1], com: [0, -0.2, 0], joint: {{type: revolute, u: 5}}}}
outputs: {{fx: joint.b.fx, fy: joint.b.fy}}
{})",
        experiment(way, 1e-3))));
    simulation.run(0.0205);
    const std::map<std::string, double> held = test::looked_at(simulation);
    // It is that of a direction half-way in the step, which turns by 5e-3.
    EXPECT_NEAR(std::hypot(held.at("fx"), held.at("fy")), 10, 0.05);
  }
}

// The same in the first rows of a result, whatever keeps the gaps closed: what turns the velocities is part of them.
TEST(ForcesOfShortSteps, AreThereFromTheFirstRowOn) {
  for (const Way& way : kWays)
    for (const char* stabilization : {"projection", "split", "baumgarte", "none"}) {
      SCOPED_TRACE(fmt::format("{}, {}, {}", way.coordinates, way.stepper, stabilization));
      Simulation simulation(test::scene_from(fmt::format(
          R"(lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {{name: b, mass: 2, inertia: [.1, .1, .1], com: [0, -0.2, 0], joint: {{type: revolute, u: 5}}}}
outputs: {{fx: joint.b.fx, fy: joint.b.fy}}
{})",
          experiment(way, 1e-3, std::string("stabilization: ") + stabilization))));
      // Baumgarte's feedback of a fifth of the gap adds up to a tenth until the gap of even turning is there.
      const bool feeds_back = way.coordinates == std::string("maximal") && stabilization == std::string("baumgarte");
      int rows = 0;
      simulation.run(5e-3, 0, [&](const Simulation& now) {
        const double force = std::hypot(now.output("fx"), now.output("fy"));
        EXPECT_NEAR(force, 10, feeds_back ? 1.01 : 0.05) << "row " << rows;
        return ++rows > 0;
      });
      EXPECT_EQ(rows, 6);
    }
}

// ---- what joints are made of, in either coordinates ----

// tau is all that acts along the coordinates of a joint, a how they speed up.
TEST(ForcesAlongJoints, HaveNamesInBothCoordinates) {
  const std::vector<std::pair<std::string, int>> joints = {
      {"type: prismatic, axis: z, stiffness: 200, damping: 3, u: 0.3", 1},
      {"type: revolute, axis: [1, 0.2, 0], friction: 0.2, damping: 0.1, u: 2", 1},
      {"type: revolute, axis: [1, 0.2, 0], armature: 0.3, stiffness: 2, u: 2", 1},
      {"type: cylindrical, axis: [0.3, 0, 1], damping: 0.3, u: [1, 0.5]", 2},
      {"type: screw, axis: [0.3, 0, 1], pitch: 0.2, damping: 0.3, u: 1", 1},
      {"type: universal, damping: 0.3, q: [0.3, 0.2], u: [1, 0.5]", 2},
      {"type: planar, damping: 0.3, q: [0.3, 0.2, 0.1], u: [1, 0.5, 2]", 3},
      {"type: ball, damping: 0.3, u: [1, 0.5, 2]", 3}};
  for (const auto& [joint, count] : joints)
    for (const char* stepper : {"euler", "moreau"}) {
      SCOPED_TRACE(joint + ", " + stepper);
      std::string outputs;
      for (int k = 0; k < count; ++k)
        outputs += fmt::format("  tau{0}: 'joint.tool.tau[{0}]'\n  a{0}: 'joint.tool.a[{0}]'\n", k);
      const auto values = [&](const char* coordinates) {
        Simulation simulation(test::scene_from(fmt::format(
            "lipkin: 1\nbodies:\n"
            "  - {{name: arm, mass: 3, inertia: [.2, .3, .4], joint: {{type: revolute, axis: y, u: 1}}}}\n"
            "  - name: tool\n    parent: arm\n    mass: 2\n    com: [0.1, 0.05, 0.2]\n    inertia: [.1, .2, .15]\n"
            "    joint: {{at: [0.2, 0, 0.1], {}}}\noutputs:\n{}{}",
            joint, outputs, experiment({coordinates, stepper}, 1e-5))));
        simulation.run(1e-3);
        return test::looked_at(simulation);
      };
      const auto generalized = values("generalized"), maximal = values("maximal");
      for (const auto& [name, value] : generalized)
        EXPECT_NEAR(maximal.at(name), value, 1e-3 * std::max(1.0, std::abs(value))) << name;
    }
}

}  // namespace
}  // namespace lipkin
