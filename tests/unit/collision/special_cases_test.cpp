// Closed forms of primitive pairs and the cases in which directions or points are not unique.
#include <gtest/gtest.h>

#include <set>

#include "gap_oracle.hpp"
#include "lipkin/error.hpp"

namespace lipkin {
namespace {

using Eigen::Vector3d;
using test::eigen;
using test::Posed;
using test::Random;

const Eigen::Quaterniond kNoTurn = Eigen::Quaterniond::Identity();
Eigen::Quaterniond turn(double angle, const Vector3d& axis) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
}
constexpr double kQuarter = std::numbers::pi / 2;

void expect_sound(const std::vector<ContactPoint>& points) {
  for (const ContactPoint& p : points) {
    EXPECT_NEAR(eigen(p.normal).norm(), 1, 1e-14);
    EXPECT_TRUE(std::isfinite(p.gap));
    EXPECT_LT((eigen(p.p_B) - eigen(p.p_A) - p.gap * eigen(p.normal)).norm(), 1e-13);
  }
}

TEST(ClosedForm, SpheresAndCapsules) {
  const std::vector<ContactPoint> spheres =
      test::contacts_of({ShapeSphere{0.5}, {1, 2, 3}}, {ShapeSphere{0.25}, {1, 2 + 3, 3 + 4}}, 10);
  ASSERT_EQ(spheres.size(), 1u);
  EXPECT_NEAR(spheres[0].gap, 5 - 0.75, 1e-15);
  EXPECT_LT((eigen(spheres[0].normal) - Vector3d(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_LT((eigen(spheres[0].p_A) - Vector3d(1, 2.3, 3.4)).norm(), 1e-15);

  // Two capsules crossing at right angles, axes 1 apart.
  const std::vector<ContactPoint> crossed = test::contacts_of(
      {ShapeCapsule{0.2, 4}}, {ShapeCapsule{0.3, 4}, {0, 1, 0}, turn(kQuarter, Vector3d::UnitY())}, 10);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_NEAR(crossed[0].gap, 0.5, 1e-15);

  // Side by side: a line from the end of one to the end of the other.
  const std::vector<ContactPoint> parallel =
      test::contacts_of({ShapeCapsule{0.2, 4}}, {ShapeCapsule{0.3, 4}, {0, 1, 1}}, 10);
  ASSERT_EQ(parallel.size(), 2u);
  std::set<double> heights;
  for (const ContactPoint& p : parallel) {
    EXPECT_NEAR(p.gap, 0.5, 1e-15);
    heights.insert(std::round(1e9 * p.p_A[2]) * 1e-9);
  }
  EXPECT_EQ(heights, (std::set<double>{-1, 2}));

  // End to end.
  const std::vector<ContactPoint> in_line =
      test::contacts_of({ShapeCapsule{0.2, 1}}, {ShapeCapsule{0.2, 1}, {0, 0, 2}}, 10);
  ASSERT_EQ(in_line.size(), 1u);
  EXPECT_NEAR(in_line[0].gap, 0.6, 1e-15);
}

TEST(ClosedForm, BoxesByFacesEdgesAndCorners) {
  const ShapeBox cube{{2, 2, 2}};
  const auto gap = [&](const Posed& b) { return test::deepest(test::contacts_of({cube}, b, 10)).gap; };
  EXPECT_NEAR(gap({cube, {2.5, 0.3, 0.2}}), 0.5, 1e-15);             // face to face
  EXPECT_NEAR(gap({cube, {5, 6, 0}}), std::hypot(3.0, 4.0), 1e-14);  // edge to parallel edge
  EXPECT_NEAR(gap({cube, {3, 4, 4}}), 3, 1e-14);                     // corner to corner
  EXPECT_NEAR(gap({cube, {3, 0, 0}, turn(kQuarter / 2, Vector3d::UnitZ())}), 2 - std::sqrt(2), 1e-15);  // edge to face
  // Edge on: two cubes standing on edges that cross.
  const Posed lower{cube, {0, 0, 0}, turn(kQuarter / 2, Vector3d::UnitX())};
  const Posed upper{cube, {0, 0, 2.9}, turn(kQuarter / 2, Vector3d::UnitY())};
  const std::vector<ContactPoint> crossed = test::contacts_of(lower, upper, 1);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_NEAR(crossed[0].gap, 2.9 - 2 * std::sqrt(2), 1e-14);
  EXPECT_LT((eigen(crossed[0].normal) - Vector3d::UnitZ()).norm(), 1e-14);
  // Edges along each other: a line.
  const Posed along{cube, {0.5, 0, 2.9}, turn(kQuarter / 2, Vector3d::UnitX())};
  const std::vector<ContactPoint> line = test::contacts_of(lower, along, 1);
  ASSERT_EQ(line.size(), 2u);
  for (const ContactPoint& p : line) EXPECT_NEAR(p.gap, 2.9 - 2 * std::sqrt(2), 1e-14);
}

TEST(ClosedForm, StackedBoxesShareTheirOverlap) {
  // A plank across a box: the four points are the corners of what they share.
  const std::vector<ContactPoint> points =
      test::contacts_of({ShapeBox{{1, 1, 1}}}, {ShapeBox{{4, 0.5, 0.2}}, {0.3, 0.1, 0.599}}, 0.01);
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& p : points) {
    EXPECT_NEAR(p.gap, -0.001, 1e-15);
    EXPECT_NEAR(std::abs(p.p_A[0]), 0.5, 1e-15);
    EXPECT_NEAR(std::abs(p.p_A[1] - 0.1), 0.25, 1e-15);
  }
}

TEST(ClosedForm, RoundShapesOnBoxes) {
  const Posed table{ShapeBox{{4, 4, 1}}, {0, 0, -0.5}};
  const auto on_table = [&](const ShapeGeometry& s, double z, const Eigen::Quaterniond& q) {
    const std::vector<ContactPoint> points = test::contacts_of({s, {0.2, 0.1, z}, q}, table, 0.01);
    for (const ContactPoint& p : points) EXPECT_LT((eigen(p.normal) + Vector3d::UnitZ()).norm(), 1e-12);
    return points;
  };
  for (const double gap : {-0.001, 0.0, 0.001}) {
    for (const auto& [points, count] :
         {std::pair(on_table(ShapeCylinder{0.5, 1}, 0.5 + gap, kNoTurn), 4u),
          std::pair(on_table(ShapeCylinder{0.5, 1}, 0.5 + gap, turn(kQuarter, {1, 0, 0})), 2u),
          std::pair(on_table(ShapeCapsule{0.5, 1}, 0.5 + gap, turn(kQuarter, {0, 1, 0})), 2u),
          std::pair(on_table(ShapeFrustum{0.5, 0.2, 1}, gap, kNoTurn), 4u)}) {
      ASSERT_EQ(points.size(), count);
      for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, gap, 1e-14);
    }
  }
  // Half over the edge of the table: nothing beyond it.
  for (const ContactPoint& p : test::contacts_of({ShapeCylinder{0.5, 1}, {2, 0, 0.5}}, table, 0.01))
    EXPECT_LE(p.p_A[0], 2 + 1e-9);
}

// Nothing is unique, everything must be finite and the gap right.
TEST(Degenerate, SameCentres) {
  for (int a = 0; a < test::kConvexKinds; ++a) {
    for (int b = 0; b < test::kConvexKinds; ++b) {
      Random random(7);
      const Posed first{test::random_convex(random, a)}, second{test::random_convex(random, b)};
      const std::vector<ContactPoint> points = test::contacts_of(first, second, 0.1);
      ASSERT_FALSE(points.empty()) << test::convex_name(a) << " " << test::convex_name(b);
      expect_sound(points);
      EXPECT_LT(test::deepest(points).gap, 0);
    }
  }
  const std::vector<ContactPoint> spheres = test::contacts_of({ShapeSphere{1}}, {ShapeSphere{2}}, 0.1);
  EXPECT_EQ(spheres[0].gap, -3);
  const std::vector<ContactPoint> capsules = test::contacts_of({ShapeCapsule{1, 2}}, {ShapeCapsule{1, 2}}, 0.1);
  EXPECT_EQ(test::deepest(capsules).gap, -2);
  expect_sound(capsules);
}

// Just touching, to the last bit or so: neither lost nor far off, with the right normal.
TEST(Degenerate, TouchingExactly) {
  Random random(8);
  for (int a = 0; a < test::kConvexKinds; ++a) {
    for (int b = 0; b < test::kConvexKinds; ++b) {
      for (int n = 0; n < 20; ++n) {
        const Posed first{test::random_convex(random, a), random.vector(1), random.quaternion()};
        Posed second{test::random_convex(random, b), random.vector(1), random.quaternion()};
        for (int k = 0; k < 3; ++k) {
          const ContactPoint p = test::deepest(test::contacts_of(first, second, 10));
          second.p -= p.gap * eigen(p.normal);
        }
        const std::vector<ContactPoint> points = test::contacts_of(first, second, 1e-6);
        ASSERT_FALSE(points.empty()) << test::convex_name(a) << " " << test::convex_name(b);
        expect_sound(points);
        const ContactPoint& p = test::deepest(points);
        EXPECT_NEAR(p.gap, 0, 1e-13) << test::convex_name(a) << " " << test::convex_name(b);
        EXPECT_NEAR(test::slab(first, second, eigen(p.normal)), p.gap, 1e-13);
      }
    }
  }
}

// Axis-parallel stacks, where every tie there is comes up at once.
TEST(Degenerate, AlignedShapesFaceToFace) {
  const std::vector<ShapeGeometry> shapes{ShapeBox{{1, 1, 1}}, ShapeCylinder{0.5, 1},
                                          ShapeHull{{{-.5, -.5, -.5},
                                                     {.5, -.5, -.5},
                                                     {-.5, .5, -.5},
                                                     {.5, .5, -.5},
                                                     {-.5, -.5, .5},
                                                     {.5, -.5, .5},
                                                     {-.5, .5, .5},
                                                     {.5, .5, .5},
                                                     {0, 0, .5},
                                                     {0, 0, 0}}}};
  for (const ShapeGeometry& a : shapes) {
    for (const ShapeGeometry& b : shapes) {
      for (const double gap : {-0.01, -1e-6, 0.0, 1e-6, 0.01}) {
        const std::vector<ContactPoint> points = test::contacts_of({a}, {b, {0, 0, 1 + gap}}, 0.02);
        ASSERT_EQ(points.size(), 4u) << a.index() << " " << b.index() << " " << gap;
        for (const ContactPoint& p : points) {
          EXPECT_NEAR(p.gap, gap, 1e-14);
          EXPECT_LT((eigen(p.normal) - Vector3d::UnitZ()).norm(), 1e-12);
        }
      }
    }
  }
}

TEST(Degenerate, ThinAndFarAndTiny) {
  expect_sound(test::contacts_of({ShapeBox{{1, 1, 1e-6}}}, {ShapeBox{{1e-6, 1, 1}}, {0, 0, 0.5}}, 0.1));
  expect_sound(test::contacts_of({ShapeCylinder{1e-3, 10}}, {ShapeCylinder{10, 1e-3}, {0, 0, 5}}, 0.1));
  // A thousand kilometres from the origin positions are rounded to 1e-10 m, gaps no worse.
  const Vector3d far(1e6, -1e6, 1e6);
  const std::vector<ContactPoint> points =
      test::contacts_of({ShapeBox{{1, 1, 1}}, far}, {ShapeCylinder{0.5, 1}, far + Vector3d(0, 0, 0.999)}, 0.01);
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, -0.001, 1e-9);
}

TEST(Hull, FacesOfManyPointsInOnePlane) {  // a grid of points on every side of a cube is a cube
  ShapeHull hull;
  for (int i = 0; i <= 6; ++i)
    for (int j = 0; j <= 6; ++j)
      for (int k = 0; k <= 6; ++k) hull.points.emplace_back(i / 6.0 - 0.5, j / 6.0 - 0.5, k / 6.0 - 0.5);
  Random random(9);
  for (int n = 0; n < 100; ++n) {
    const Posed a{ShapeBox{{0.7, 0.9, 0.4}}, random.vector(0.9), random.quaternion()};
    const Posed b{hull, Vector3d::Zero(), random.quaternion()};
    const std::vector<ContactPoint> as_hull = test::contacts_of(a, b, 1);
    const std::vector<ContactPoint> as_box = test::contacts_of(a, {ShapeBox{{1, 1, 1}}, b.p, b.q}, 1);
    ASSERT_EQ(as_hull.empty(), as_box.empty());
    if (as_hull.empty()) continue;
    EXPECT_NEAR(test::deepest(as_hull).gap, test::deepest(as_box).gap, 1e-12) << n;
  }
}

TEST(Hull, PointsOnASphere) {
  Random random(10);
  ShapeHull hull;
  for (int n = 0; n < 2000; ++n) hull.points.push_back(random.unit_vector());
  for (int n = 0; n < 100; ++n) {
    const Posed sphere{ShapeSphere{0.5}, 1.6 * random.unit_vector()};
    const std::vector<ContactPoint> points = test::contacts_of(sphere, {hull}, 1);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_GT(points[0].gap, 0.1);  // inside the unit sphere
    EXPECT_LT(points[0].gap, 0.12);
    EXPECT_NEAR(test::slab(sphere, {hull}, eigen(points[0].normal)), points[0].gap, 1e-13);
  }
}

TEST(Hull, FlatPointsAreRefused) {
  EXPECT_THROW(Collision({{ShapeHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}, 0}}, {}), InvalidArgument);
  EXPECT_THROW(Collision({{ShapeHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, 0}}, {}), InvalidArgument);
  EXPECT_THROW(Collision({{ShapeMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}}, 0}}, {}), InvalidArgument);
  EXPECT_THROW(Collision({{ShapeHeightField{2, 2, 1, 1, {0, 0, 0}}, 0}}, {}), InvalidArgument);
}

}  // namespace
}  // namespace lipkin
