// Planes and cups: closed forms, and the lowest of very many points of each shape's surface.
#include <gtest/gtest.h>

#include "gap_oracle.hpp"

namespace lipkin {
namespace {

using Eigen::Vector3d;
using test::eigen;
using test::Posed;
using test::Random;

// Points all over the surface, in its frame; curved parts as densely as asked for.
std::vector<Vector3d> surface_points(const ShapeGeometry& geometry, int density) {
  std::vector<Vector3d> points;
  const auto circle = [&](double r, double z, int count) {
    for (int k = 0; k < count; ++k) {
      const double angle = 2 * std::numbers::pi * k / count;
      points.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    }
  };
  const auto rim = [&](double r, double z) { circle(r, z, density); };
  const auto ball = [&](double r, double z) {
    for (int j = 0; j <= density / 10; ++j) {
      const double latitude = std::numbers::pi * (j / (density / 10.0) - 0.5);
      circle(r * std::cos(latitude), z + r * std::sin(latitude), density / 5);
    }
  };
  if (const auto* s = std::get_if<ShapeSphere>(&geometry)) ball(s->radius, 0);
  if (const auto* s = std::get_if<ShapeBox>(&geometry))
    for (int c = 0; c < 8; ++c)
      points.push_back(0.5 * s->size.cwiseProduct(Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1)));
  if (const auto* s = std::get_if<ShapeCylinder>(&geometry))
    rim(s->radius, s->length / 2), rim(s->radius, -s->length / 2);
  if (const auto* s = std::get_if<ShapeCapsule>(&geometry))
    ball(s->radius, s->length / 2), ball(s->radius, -s->length / 2);
  if (const auto* s = std::get_if<ShapeFrustum>(&geometry)) rim(s->bottom_radius, 0), rim(s->top_radius, s->height);
  if (const auto* s = std::get_if<ShapeHull>(&geometry)) points = s->points;
  return points;
}

class OnGround : public testing::TestWithParam<int> {};

TEST_P(OnGround, GapToAPlaneIsTheLowestPoint) {
  Random random(41);
  for (int n = 0; n < 300; ++n) {
    Posed a{test::random_convex(random, GetParam()), random.vector(1), random.quaternion()};
    const Posed plane{ShapePlane{}, random.vector(1), random.quaternion()};
    const Vector3d up = plane.q * Vector3d::UnitZ();
    a.p += (up.dot(plane.p) + test::reach(a, -up) + random.uniform(-0.02, 0.05)) * up;
    const double truth = -test::reach(a, -up) - up.dot(plane.p);
    const std::vector<ContactPoint> points = test::contacts_of(a, plane, 0.1);
    if (truth >= 0.1) {
      EXPECT_TRUE(points.empty());
      continue;
    }
    ASSERT_FALSE(points.empty());
    EXPECT_LE(points.size(), 4u);
    EXPECT_NEAR(test::deepest(points).gap, truth, 1e-14);
    for (const ContactPoint& p : points) {
      EXPECT_LT((eigen(p.normal) + up).norm(), 1e-15);  // from the shape down to the plane
      EXPECT_NEAR(up.dot(eigen(p.p_B) - plane.p), 0, 1e-14);
      // The upper end of a capsule is taken as the ball that it ends in: its lowest point lies inside the capsule.
      const bool upper_end = std::holds_alternative<ShapeCapsule>(a.geometry) && p.gap > truth;
      EXPECT_LE(test::outside(a, eigen(p.p_A)), 1e-14);
      EXPECT_GE(test::outside(a, eigen(p.p_A)), upper_end ? -0.5 : -1e-14);
      EXPECT_LT((eigen(p.p_B) - eigen(p.p_A) - p.gap * eigen(p.normal)).norm(), 1e-14);
    }
  }
}

TEST_P(OnGround, GapToACupIsTheNearestPointToItsWall) {
  Random random(42);
  const int kDensity = 2000;
  int found = 0;
  for (int n = 0; n < 60; ++n) {
    const ShapeCup cup{random.uniform(1, 2), random.uniform(1, 2), 3};
    const double slope = (cup.top_radius - cup.bottom_radius) / cup.height, cosine = 1 / std::hypot(1.0, slope);
    const Posed ground{cup, random.vector(1), random.quaternion()};
    Posed a{test::random_convex(random, GetParam()), Vector3d::Zero(), random.quaternion()};
    const double angle = random.uniform(0, 6), z = random.uniform(1.4, 1.6), l = random.uniform(0.2, 0.9);
    a.p = ground.p + ground.q * Vector3d(l * std::cos(angle), l * std::sin(angle), z);
    double truth = 1e300;
    for (const Vector3d& p : surface_points(a.geometry, kDensity)) {
      const Vector3d q = ground.q.conjugate() * (a.p + a.q * p - ground.p);
      truth = std::min(truth, (cup.bottom_radius + slope * q.z() - std::hypot(q.x(), q.y())) * cosine);
    }
    const std::vector<ContactPoint> points = test::contacts_of(a, ground, 5);
    ASSERT_FALSE(points.empty());
    ++found;
    const double gap = test::deepest(points).gap;
    EXPECT_LE(gap, truth + 1e-14) << n;
    // Half a step of the samples on a sphere of radius up to 1.2 is pi / 400 both ways; r (1 - cos) of it is left.
    EXPECT_GT(gap, truth - 1.2 * std::pow(std::numbers::pi * 10 / kDensity, 2) / 2 - 1e-14) << n;
    for (const ContactPoint& p : points) {
      const bool other_end = std::holds_alternative<ShapeCapsule>(a.geometry) && p.gap > gap;  // see above
      EXPECT_LE(test::outside(a, eigen(p.p_A)), 1e-13);
      EXPECT_GE(test::outside(a, eigen(p.p_A)), other_end ? -0.5 : -1e-13);
      const Vector3d q = ground.q.conjugate() * (eigen(p.p_B) - ground.p);
      EXPECT_NEAR(cup.bottom_radius + slope * q.z(), std::hypot(q.x(), q.y()), 1e-13);
      EXPECT_LT((eigen(p.p_B) - eigen(p.p_A) - p.gap * eigen(p.normal)).norm(), 1e-13);
    }
  }
  EXPECT_EQ(found, 60);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OnGround, testing::Range(0, test::kConvexKinds),
                         [](const auto& kind) { return std::string(test::convex_name(kind.param)); });

TEST(Plane, FacesRestOnSeveralPoints) {
  const Posed plane{ShapePlane{}};
  const auto count = [&](const ShapeGeometry& geometry, double height, const Eigen::Quaterniond& q) {
    return test::contacts_of({geometry, {0, 0, height}, q}, plane, 1e-3).size();
  };
  const Eigen::Quaterniond upright = Eigen::Quaterniond::Identity();
  const Eigen::Quaterniond lying(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitX()));
  EXPECT_EQ(count(ShapeBox{{1, 1, 1}}, 0.5, upright), 4u);
  EXPECT_EQ(count(ShapeBox{{1, 1, 1e-4}}, 0.5e-4, upright), 4u);  // a sheet thinner than the margin
  EXPECT_EQ(count(ShapeCylinder{0.5, 1}, 0.5, upright), 4u);
  EXPECT_EQ(count(ShapeCylinder{0.5, 1}, 0.5, lying), 2u);
  EXPECT_EQ(count(ShapeCapsule{0.5, 1}, 0.5, lying), 2u);
  EXPECT_EQ(count(ShapeCapsule{0.5, 1}, 1.0, upright), 1u);
  EXPECT_EQ(count(ShapeFrustum{0.5, 0.3, 1}, 0, upright), 4u);
  EXPECT_EQ(count(ShapeFrustum{0.5, 0, 1}, 0, upright), 4u);
  EXPECT_EQ(count(ShapeSphere{0.5}, 0.5, upright), 1u);
  // A cone on its side: apex and one point of the rim.
  const double slant = std::atan2(0.5, 1.0);
  const Eigen::Quaterniond side(Eigen::AngleAxisd(std::numbers::pi / 2 + slant, Vector3d::UnitX()));
  const Posed cone{ShapeFrustum{0.5, 0, 1}, {0, 0, 0}, side};
  EXPECT_EQ(count(cone.geometry, test::reach(cone, -Vector3d::UnitZ()), side), 2u);
}

// SCENES.md, section 3: (0.3 + 0.4 y - l) cos(psi) - r with psi = atan 0.4, for -r <= y <= 0.5 + r.
TEST(Cup, SphereFollowsTheFormula) {
  Random random(43);
  const Eigen::Quaterniond y_up(Eigen::AngleAxisd(-std::numbers::pi / 2, Vector3d::UnitX()));  // z of the cup to y
  const Posed cup{ShapeCup{0.3, 0.5, 0.5}, Vector3d::Zero(), y_up};
  const double psi = std::atan(0.4), r = 0.05;
  int found = 0;
  for (int n = 0; n < 2000; ++n) {
    const Vector3d c(random.uniform(-0.4, 0.4), random.uniform(-0.2, 0.7), random.uniform(-0.4, 0.4));
    const double l = std::hypot(c.x(), c.z()), gap = (0.3 + 0.4 * c.y() - l) * std::cos(psi) - r;
    const bool in_range = c.y() >= -r && c.y() <= 0.5 + r && gap >= -2 * r;
    const std::vector<ContactPoint> points = test::contacts_of({ShapeSphere{r}, c}, cup, 0.1);
    ASSERT_EQ(points.size(), in_range && gap < 0.1 ? 1u : 0u) << c.transpose() << " gap " << gap;
    if (points.empty()) continue;
    ++found;
    EXPECT_NEAR(points[0].gap, gap, 1e-15);
    const Vector3d inward(-c.x() / l * std::cos(psi), std::sin(psi), -c.z() / l * std::cos(psi));
    EXPECT_LT((eigen(points[0].normal) + inward).norm(), 1e-14);
  }
  EXPECT_GT(found, 300);
}

TEST(Cup, SphereOnTheAxis) {
  const std::vector<ContactPoint> points =
      test::contacts_of({ShapeSphere{0.4}, {0, 0, 0.5}}, {ShapeCup{0.3, 0.5, 1}}, 0.1);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, 0.4 * std::cos(std::atan(0.2)) - 0.4, 1e-15);
  EXPECT_NEAR(eigen(points[0].normal).norm(), 1, 1e-15);
}

TEST(Cup, UprightCylinderTouchesAllAround) {
  const Posed cup{ShapeCup{0.5, 0.5, 1}};
  const std::vector<ContactPoint> points = test::contacts_of({ShapeCylinder{0.499, 0.4}, {0, 0, 0.5}}, cup, 0.01);
  ASSERT_EQ(points.size(), 8u);
  for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, 0.001, 1e-15);
}

// What sticks out of a cup is cut off where the wall ends: the nearest point of the part inside, found by sampling it.
TEST(Cup, RodsLeanOnTheRim) {
  const Posed cup{ShapeCup{0.5, 0.5, 1}};
  const double lean = 0.4;
  const auto rod = [&](const ShapeGeometry& geometry) {
    return Posed{geometry, {0.3, 0, 1}, Eigen::Quaterniond(Eigen::AngleAxisd(lean, Vector3d::UnitY()))};
  };
  // A capsule's axis at the upper end of the cup's range, its radius above the rim.
  const std::vector<ContactPoint> capsule = test::contacts_of(rod(ShapeCapsule{0.02, 3}), cup, 10);
  EXPECT_NEAR(test::deepest(capsule).gap, 0.5 - (0.3 + 0.02 * std::tan(lean)) - 0.02, 1e-14);
  // A straw's wall in the plane of the rim is an ellipse, 0.05 / cos(lean) long towards the wall.
  const std::vector<ContactPoint> straw = test::contacts_of(rod(ShapeCylinder{0.05, 3}), cup, 10);
  EXPECT_NEAR(test::deepest(straw).gap, 0.5 - (0.3 + 0.05 / std::cos(lean)), 1e-14);
  // A square rod: its edges in that plane.
  const std::vector<ContactPoint> square = test::contacts_of(rod(ShapeBox{{0.1, 0.1, 3}}), cup, 10);
  EXPECT_NEAR(test::deepest(square).gap, 0.5 - std::hypot(0.3 + 0.05 / std::cos(lean), 0.05), 1e-14);
}

TEST(Cup, ADiscHalfOutLeansWithItsRim) {
  const Posed cup{ShapeCup{0.5, 0.5, 1}};
  // A thin upright disc across the cup, its middle in the plane of the rim: it touches where its rims pass that plane.
  const Posed disc{ShapeCylinder{0.45, 0.02},
                   {0, 0, 1},
                   Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitX()))};
  const std::vector<ContactPoint> points = test::contacts_of(disc, cup, 10);
  EXPECT_NEAR(test::deepest(points).gap, 0.5 - std::hypot(0.45, 0.01), 1e-14);
}

}  // namespace
}  // namespace lipkin
