// A convex hull is a closed surface of the points themselves with every point behind every face.
#include "model/convex_hull.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "lipkin/model_builder.hpp"
#include "model/shape_mass.hpp"
#include "support/random_tree.hpp"

namespace lipkin {
namespace {

using test::Random;
using Points = std::vector<Eigen::Vector3d>;

void expect_hull_of(const Points& points, double size) {
  const std::vector<std::array<int, 3>> faces = convex_hull(points);
  ASSERT_FALSE(faces.empty());
  EXPECT_TRUE(is_closed(ShapeMesh{points, faces}));
  for (const auto& [a, b, c] : faces) {
    const Eigen::Vector3d normal = (points[b] - points[a]).cross(points[c] - points[a]).normalized();
    for (const Eigen::Vector3d& p : points) EXPECT_LT(normal.dot(p - points[a]), 1e-11 * size);  // ten roundings of it
  }
}

TEST(ConvexHull, EnclosesRandomPoints) {
  Random random(3);
  for (const double size : {1e-6, 1.0, 1e6}) {
    for (int n : {4, 5, 8, 30, 200}) {
      Points points;
      for (int i = 0; i < n; ++i)
        points.emplace_back(size * random.uniform(-1, 1), size * random.uniform(-1, 1), size * random.uniform(-1, 1));
      expect_hull_of(points, size);
    }
  }
}

TEST(ConvexHull, EnclosesPointsInTheSameFacesAndOnTheSameEdges) {
  Points points;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j)
      for (int k = 0; k <= 4; ++k) points.emplace_back(0.1 * i, 0.2 * j, 0.3 * k);
  expect_hull_of(points, 1);
}

TEST(ConvexHull, OfFlatPointsIsEmpty) {
  EXPECT_TRUE(convex_hull({}).empty());
  EXPECT_TRUE(convex_hull({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}).empty());
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}).empty());
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {3, 2, 0}}).empty());
}

// A turned box as a hull of its corners and of points inside it, and as a mesh: its mass is that of the box.
TEST(ShapeMass, HullAndMeshOfABox) {
  Random random(5);
  for (int n = 0; n < 10; ++n) {
    const Pose pose = test::random_pose(random, 3);
    const Eigen::Vector3d size(0.3, 0.7, 1.1);
    ShapeSpec box;
    box.geometry = ShapeBox{size};
    box.density = 400;
    box.pose = pose;
    ShapeHull hull;
    for (int corner = 0; corner < 8; ++corner) {
      const Eigen::Vector3d at(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5);
      hull.points.push_back(pose.position + pose.orientation * at.cwiseProduct(size));
    }
    const ShapeMesh mesh{hull.points, convex_hull(hull.points)};
    for (int i = 0; i < 20; ++i) {
      const Eigen::Vector3d inside(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
      hull.points.push_back(pose.position + pose.orientation * inside.cwiseProduct(size));
    }
    const MassProperties truth = mass_properties_of({box});
    for (const ShapeGeometry& geometry : {ShapeGeometry(hull), ShapeGeometry(mesh)}) {
      ShapeSpec shape;
      shape.geometry = geometry;
      shape.density = 400;
      const MassProperties m = mass_properties_of({shape});
      EXPECT_NEAR(m.mass, truth.mass, 1e-12 * truth.mass);  // rounding, all of them
      EXPECT_LT((m.com - truth.com).norm(), 1e-12);
      EXPECT_LT((m.inertia - truth.inertia).norm(), 1e-11 * truth.inertia.norm());
    }
  }
}

}  // namespace
}  // namespace lipkin
