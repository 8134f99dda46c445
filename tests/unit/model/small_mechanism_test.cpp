// No unit of length counts: a mechanism of a micrometre or of a kilometre moves as one of a metre, with times as the
// square root of its size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

// A four-bar linkage, a ball pendulum with a point mass hinged to its end, and a body in flight, `s` times as large:
// masses as s³, inertias as s⁵, times as √s.
std::string mechanism(double s, const char* coordinates, const char* stepper) {
  const double m = s * s * s, i = m * s * s, root = std::sqrt(s);
  const auto inertia = [&](double a, double b, double c) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", a * i, b * i, c * i);
  };
  const auto point = [&](double x, double y, double z) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x * s, y * s, z * s);
  };
  std::string text = "lipkin: 1\nbodies:\n";
  text += fmt::format(
      "  - {{name: crank, joint: {{type: revolute, axis: y, u: {:.17g}}}, mass: {:.17g}, com: {}, inertia: {}}}\n",
      1 / root, m, point(0.15, 0, 0), inertia(0.001, 0.01, 0.01));
  text += fmt::format(
      "  - {{name: coupler, parent: crank, joint: {{type: revolute, axis: y, at: {}, q: -0.919}}, mass: {:.17g}, com: "
      "{}, inertia: {}}}\n",
      point(0.3, 0, 0), 2 * m, point(0.5, 0, 0), inertia(0.002, 0.2, 0.2));
  text += fmt::format(
      "  - {{name: rocker, joint: {{type: revolute, axis: y, at: {}, q: -1.687}}, mass: {:.17g}, com: {}, inertia: "
      "{}}}\n",
      point(1, 0, 0), m, point(0.4, 0, 0), inertia(0.001, 0.05, 0.05));
  text += fmt::format(
      "  - {{name: rod, joint: {{type: ball, at: {}, q: [0.9, 0.3, 0.2, 0.1]}}, mass: {:.17g}, com: {}, inertia: "
      "{}}}\n",
      point(0, 2, 0), m, point(0, 0, -0.4), inertia(0.05, 0.06, 0.001));
  text += fmt::format(
      "  - {{name: drop, parent: rod, joint: {{type: revolute, axis: x, at: {}}}, mass: {:.17g}, com: {}}}\n",
      point(0, 0, -0.8), 0.5 * m, point(0, 0, -0.2));
  text += fmt::format(
      "  - {{name: flier, joint: {{type: free, q: [{:.17g}, 0, 0, 1, 0, 0, 0], u: [{:.17g}, 0, {:.17g}, {:.17g}, "
      "{:.17g}, {:.17g}]}}, mass: {:.17g}, inertia: {}}}\n",
      3 * s, 1 * root, 2 * root, 0.3 / root, 2 / root, 0.1 / root, m, inertia(0.01, 0.02, 0.03));
  text += fmt::format(
      "loops: [{{name: pin, type: revolute, axis: y, from: {{body: coupler, at: {}}}, to: {{body: rocker, at: "
      "{}}}}}]\n",
      point(1, 0, 0), point(0.8, 0, 0));
  text += "outputs:\n";
  for (const char* body : {"crank", "coupler", "rocker", "rod", "drop", "flier"})
    for (const char* part : {"xaxis_x", "xaxis_y", "yaxis_z"})
      text += fmt::format("  {0}_{1}: {{expr: body.{0}.{1}}}\n", body, part);
  text += fmt::format("experiment: {{coordinates: {}, stepper: {}, dt: {:.17g}, duration: {:.17g}}}\n", coordinates,
                      stepper, 1e-3 * root, 0.5 * root);
  return text;
}

std::vector<double> end_of(double size, const char* coordinates, const char* stepper) {
  Simulation simulation(test::scene_from(mechanism(size, coordinates, stepper)));
  simulation.run(simulation.experiment().duration);
  return {simulation.outputs().begin(), simulation.outputs().end()};
}

TEST(SmallMechanism, MovesAsALargeOne) {
  for (const char* coordinates : {"generalized", "maximal"})
    for (const char* stepper : {"euler", "moreau"}) {
      const std::vector<double> expected = end_of(1, coordinates, stepper);
      for (const double size : {1e-6, 1e-3, 1e3}) {
        const std::vector<double> found = end_of(size, coordinates, stepper);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < found.size(); ++k)
          EXPECT_NEAR(found[k], expected[k], 1e-7)
              << coordinates << ", " << stepper << ", " << size << " m, output " << k;
      }
    }
}

}  // namespace
}  // namespace lipkin
