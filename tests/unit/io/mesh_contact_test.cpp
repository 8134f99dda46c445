// Meshes that touch as hulls, in motion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lipkin/simulation.hpp"
#include "support/solid_meshes.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

std::string mesh_text(const ShapeMesh& mesh, const std::string& how) {
  std::string vertices, triangles;
  for (const Eigen::Vector3d& v : mesh.vertices)
    vertices += fmt::format("{}[{}, {}, {}]", vertices.empty() ? "" : ", ", v.x(), v.y(), v.z());
  for (const std::array<int, 3>& t : mesh.triangles)
    triangles += fmt::format("{}[{}, {}, {}]", triangles.empty() ? "" : ", ", t[0], t[1], t[2]);
  return fmt::format("mesh: {{vertices: [{}], triangles: [{}], {}}}", vertices, triangles, how);
}

// Something that falls into or onto a mesh of the world.
Scene dropped(const ShapeMesh& mesh, const std::string& how, const std::string& shape, const Eigen::Vector3d& from) {
  return scene_of(fmt::format(R"(lipkin: 1
materials: {{felt: {{friction: 0.5, rolling_friction: 0.002}}}}
world:
  shapes: [{{{}, contact: felt}}]
bodies:
  - name: guest
    joint: {{type: free, q: [{}, {}, {}, 1, 0, 0, 0]}}
    shapes: [{{{}, density: 1000, contact: felt}}]
experiment: {{stepper: euler, dt: 0.001, duration: 3}}
)",
                              mesh_text(mesh, how), from.x(), from.y(), from.z(), shape));
}

double height(const Simulation& simulation) { return simulation.state().q[2]; }

// A peg of 0.9 in the opening of a U, which is 1 wide, 2 deep, its floor at z = 1.
TEST(MeshContact, APegFallsIntoAU) {
  const ShapeMesh u =
      block_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}, {2, 0, 1}, {0, 0, 2}, {2, 0, 2}}, {1, 1, 1});
  const std::string peg = "box: {size: [0.9, 0.9, 0.9]}";
  const Eigen::Vector3d above(1.5, 0.5, 3.6);
  Simulation open(dropped(u, "contact_as: decompose", peg, above));
  EXPECT_EQ(open.model().contact_shape_count(), 4);
  open.run(0.3);
  // Semi-implicit Euler: n steps of h fall g h^2 n (n + 1) / 2, to rounding, as long as nothing touches.
  EXPECT_NEAR(height(open), 3.6 - 9.81 * 1e-6 * 300 * 301 / 2, 1e-12);
  open.run(2);
  EXPECT_NEAR(height(open), 1.45, 1e-5);  // lies on the floor
  Simulation closed(dropped(u, "contact_as: hull", peg, above));
  EXPECT_EQ(closed.model().contact_shape_count(), 2);
  closed.run(0.3);
  closed.run(1);
  EXPECT_NEAR(height(closed), 3.45, 1e-5);  // lies on top of the hull
}

TEST(MeshContact, ABallRestsInABowl) {
  const ShapeMesh bowl = bowl_mesh(0.1, 0.09, 32, 12);  // the lowest point inside is at z = 0.01
  const Scene scene = dropped(bowl, "contact_as: decompose, max_hulls: 64", "sphere: {radius: 0.03}", {0.01, 0, 0.06});
  ASSERT_EQ(scene.report.notes().size(), 1U);
  EXPECT_NE(scene.report.notes()[0].reason.find("convex hulls"), std::string::npos);
  Simulation simulation(scene);
  simulation.run(3);
  // Hulls reach at most 1 % of the diagonal of 0.3 m into the hollow, and two cells of 0.2/96 m: between these facets
  // the ball lies higher than in the round bowl by no more than that.
  EXPECT_GT(height(simulation), 0.04 - 1e-4);
  EXPECT_LT(height(simulation), 0.04 + 0.003 + 0.0042);
  for (const double u : simulation.state().u) EXPECT_NEAR(u, 0, 1e-3);
}

TEST(MeshContact, TheMeshWeighsAndTheHullsDoNot) {
  const ShapeMesh u = block_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}, {2, 0, 1}}, {0.1, 0.1, 0.1});
  const Scene scene = scene_of(fmt::format(R"(lipkin: 1
materials: {{felt: {{friction: 0.5}}}}
bodies: [{{name: u, joint: free, shapes: [{{{}, density: 1000, contact: felt}}]}}]
)",
                                           mesh_text(u, "contact_as: decompose")));
  EXPECT_NEAR(scene.model.total_mass(), 5, 1e-12);
  EXPECT_EQ(scene.model.contact_shape_count(), 3);
}

TEST(MeshContact, MistakesOfAMeshAreToldAsBefore) {
  const ShapeMesh sheet{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {{0, 1, 2}}},
      wrong{{{0, 0, 0}, {1, 0, 0}, {1, 1, 1}}, {{0, 1, 7}}};
  const auto told = [](const ShapeMesh& mesh) {
    const std::string shape = mesh_text(mesh, "contact_as: decompose");
    const std::string head = "lipkin: 1\nmaterials: {felt: {friction: 0.5}}\nworld:\n";
    const Lines lines = mistakes_in(head + "  shapes: [{" + shape + ", contact: felt}]\n");
    return lines.empty() ? std::string("nothing") : lines[0];
  };
  EXPECT_NE(told(sheet).find("the mesh is flat"), std::string::npos) << told(sheet);
  EXPECT_NE(told(wrong).find("names vertex 7"), std::string::npos) << told(wrong);
}

}  // namespace
}  // namespace lipkin::test
