// Rotors along coordinates whose direction turns: their reaction has the term a J (dJ/dt · u), without which a
// mechanism that nothing drives gains energy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "lipkin/simulation.hpp"
#include "support/figure.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::scene_from;

// An arm that turns about a pin beside its centre, and a point mass that slides along it, with a rotor that turns as it
// slides: (m + a) r'' = m r w², (I + m r²) w = L.
struct Sliding {
  double r, w;
};

Sliding sliding_after(double time, double inertia, double mass, double armature, double r0, double w0) {
  const double L = (inertia + mass * r0 * r0) * w0;
  const auto w_at = [&](double r) { return L / (inertia + mass * r * r); };
  const auto rate = [&](const std::array<double, 2>& y) {
    return std::array<double, 2>{y[1], mass * y[0] * w_at(y[0]) * w_at(y[0]) / (mass + armature)};
  };
  std::array<double, 2> y = {r0, 0};
  const int count = 1000;
  const double h = time / count;
  for (int n = 0; n < count; ++n) {  // the classical method of fourth order
    const auto moved = [&](const std::array<double, 2>& k, double s) {
      return std::array<double, 2>{y[0] + s * k[0], y[1] + s * k[1]};
    };
    const auto k1 = rate(y), k2 = rate(moved(k1, h / 2)), k3 = rate(moved(k2, h / 2)), k4 = rate(moved(k3, h));
    for (int i = 0; i < 2; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return {y[0], w_at(y[0])};
}

const std::string kArm = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: arm, joint: {type: revolute, axis: z, u: 2}, mass: 1, com: [0.3, 0, 0], inertia: [1, 1, 1]}
)";
const std::string kRest = R"(
outputs: {r: joint.s.q, w: joint.arm.u, E: energy.total, L: momentum.lz}
experiment: {dt: 0.0002}
)";
const std::string kOverTreeJoint = kArm + R"(
  - {name: s, parent: arm, joint: {type: prismatic, axis: x, q: 0.5}, mass: 1}
tendons: [{name: t, joints: [{joint: s}], armature: 3}]
)" + kRest;
const std::string kOverLoop = kArm + R"(
  - {name: b, joint: {type: free, q: [0.5, 0, 0, 1, 0, 0, 0], u: [0, 1, 0, 0, 0, 2]}, mass: 1,
     inertia: [1.0e-9, 1.0e-9, 1.0e-9]}
loops: [{name: s, type: prismatic, axis: x, from: {body: arm}, to: {body: b}}]
tendons: [{name: t, joints: [{joint: s, coefficient: 2}], armature: 0.75}]
)" + kRest;

TEST(TurningRotors, AlongTendonsOverAJointOfATurningParent) {
  const Sliding right = sliding_after(1, 1 + 0.09, 1, 3, 0.5, 2);
  for (const std::string& text : {kOverTreeJoint, kOverLoop})
    for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal})
      for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
        Scene scene = scene_from(text);
        scene.experiment.coordinates = coordinates;
        scene.experiment.stepper = stepper;
        Simulation simulation(scene);
        const double E = simulation.output("E"), L = simulation.output("L");
        simulation.run(1);
        const std::string what =
            std::string(text == kOverLoop ? "loop" : "tree") + ", " + std::string(name_of(coordinates));
        figure("rotor along a tendon, {}, {}: r off by {:.1e} m, w by {:.1e} rad/s, E by {:.1e} J", what,
               name_of(stepper), simulation.output("r") - right.r, simulation.output("w") - right.w,
               simulation.output("E") - E);
        EXPECT_NEAR(simulation.output("r"), right.r, 5e-4) << what;
        EXPECT_NEAR(simulation.output("w"), right.w, 5e-4) << what;
        EXPECT_NEAR(simulation.output("E"), E, 2e-3) << what;
        EXPECT_NEAR(simulation.output("L"), L, 2e-3) << what;
      }
}

// In a planar joint the frame on the body turns about its centre; in generalized coordinates x is one of u.
TEST(TurningRotors, AlongTendonsOverAPlanarJoint) {
  const std::string text = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies:
  - {name: b, joint: {type: planar, u: [1, 0, 2], child_at: [0.3, 0, 0]}, mass: 1, inertia: [0.1, 0.1, 0.1]}
tendons: [{name: t, joints: [{joint: b, dof: 0}], armature: 3}]
outputs: {x: "joint.b.q[0]", a: "joint.b.q[2]", E: energy.total}
experiment: {dt: 0.0002}
)";
  Simulation tree(scene_from(text));
  Scene cut = scene_from(text);
  cut.experiment.coordinates = CoordinateKind::kMaximal;
  Simulation rows(cut);
  tree.run(1);
  rows.run(1);
  for (const char* name : {"x", "a", "E"}) EXPECT_NEAR(tree.output(name), rows.output(name), 1e-3) << name;
}

}  // namespace
}  // namespace lipkin
