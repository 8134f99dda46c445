// Contacts from step to step: names that last while the same things touch, and no memory taken once all is warm.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <set>

#include "gap_oracle.hpp"

namespace {
bool watching = false;
long allocations = 0;
}  // namespace

// Replaces the heap of this program to count what is taken while someone watches. Out of line: GCC takes new and free
// for a mismatch where it sees both.
#define LIPKIN_OUT_OF_LINE __attribute__((noinline))
LIPKIN_OUT_OF_LINE void* operator new(std::size_t size) {
  if (watching) ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
LIPKIN_OUT_OF_LINE void operator delete(void* memory) noexcept { std::free(memory); }
LIPKIN_OUT_OF_LINE void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace lipkin {
namespace {

using Eigen::Vector3d;
using test::Posed;
using test::Random;

std::set<std::uint64_t> features(const std::vector<ContactPoint>& points) {
  std::set<std::uint64_t> set;
  for (const ContactPoint& p : points) set.insert(p.feature);
  return set;
}

// A body at rest is never at rest to the last digit: the solver moves it by 1e-9 or so.
TEST(Steadiness, RestingShapesKeepTheirPoints) {
  Random random(51);
  const Posed table{ShapeBox{{3, 3, 1}}, {0, 0, -0.5}};
  ShapeHull hull;
  for (int c = 0; c < 8; ++c) hull.points.emplace_back(c & 1 ? 0.3 : -0.3, c & 2 ? 0.4 : -0.4, c & 4 ? 0.5 : -0.5);
  hull.points.emplace_back(0, 0, 0.8);
  const std::vector<std::pair<ShapeGeometry, double>> resting{
      {ShapeBox{{0.5, 0.7, 1}}, 0.5}, {ShapeCylinder{0.3, 1}, 0.5}, {ShapeFrustum{0.4, 0.2, 1}, 0}, {hull, 0.5}};
  for (const auto& [geometry, height] : resting) {
    for (const Posed& ground : {table, Posed{ShapePlane{}}}) {
      std::set<std::uint64_t> first;
      for (int n = 0; n < 200; ++n) {
        const Posed body{geometry, Vector3d(0.1, 0.2, height) + random.vector(1e-9),
                         Eigen::Quaterniond(Eigen::AngleAxisd(0.3 + random.uniform(-1e-9, 1e-9), Vector3d::UnitZ())) *
                             Eigen::Quaterniond(Eigen::AngleAxisd(1e-9, random.unit_vector()))};
        const std::set<std::uint64_t> now = features(test::contacts_of(body, ground, 1e-3));
        ASSERT_EQ(now.size(), 4u);
        if (n == 0) first = now;
        ASSERT_EQ(now, first) << "kind " << geometry.index() << " step " << n;
      }
    }
  }
}

// Slow motion over a table: a point's name changes when a corner leaves the edge, and seldom otherwise.
TEST(Steadiness, SlidingAndTurningKeepsNames) {
  const Posed table{ShapeBox{{1.5, 1.5, 1}}, {0, 0, -0.5}};
  std::set<std::uint64_t> before;
  int changes = 0;
  for (int n = 0; n < 1000; ++n) {
    const Posed box{ShapeBox{{0.5, 0.7, 0.4}},
                    {-0.6 + 0.0012 * n, 0.1, 0.2 - 1e-5},
                    Eigen::Quaterniond(Eigen::AngleAxisd(0.002 * n, Vector3d::UnitZ()))};
    const std::set<std::uint64_t> now = features(test::contacts_of(box, table, 1e-3));
    changes += n > 0 && now != before;
    before = now;
  }
  EXPECT_LE(changes, 12);  // four corners come in on the left and two leave on the right, each by way of an edge
}

TEST(Steadiness, ARollingCylinderKeepsItsLine) {
  std::set<std::uint64_t> before;
  for (int n = 0; n < 500; ++n) {
    const double angle = 0.01 * n;
    const Posed wheel{ShapeCylinder{0.3, 0.5},
                      {0.3 * angle, 0, 0.3},
                      Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitY())) *
                          Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitX()))};
    const std::set<std::uint64_t> now = features(test::contacts_of(wheel, {ShapeBox{{20, 20, 1}}, {0, 0, -0.5}}, 1e-3));
    ASSERT_EQ(now.size(), 2u) << n;
    if (n == 0) before = now;
    ASSERT_EQ(now, before) << n;
  }
}

// One of each kind in a heap that shakes.
TEST(Steadiness, NothingIsTakenFromTheHeapOnceWarm) {
  Random random(52);
  std::vector<CollisionShape> shapes{{ShapePlane{}, 0}, {ShapeCup{2, 3, 4}, 0}};
  std::vector<Transform<double>> poses(2, Transform<double>::identity());
  ShapeHeightField field{20, 20, 6, 6, {}};
  for (int k = 0; k < 400; ++k) field.heights.push_back(random.uniform(0, 0.2));
  shapes.push_back({field, 0});
  poses.push_back(Transform<double>::identity());
  for (int n = 0; n < 120; ++n) {
    shapes.push_back({test::random_convex(random, n % test::kConvexKinds), n + 1});
    poses.push_back(test::transform_of(random.vector(1.5), random.quaternion()));
  }
  Collision collision(shapes, {});
  std::vector<std::vector<Transform<double>>> shaken(60, poses);
  for (auto& frame : shaken)
    for (std::size_t i = 3; i < frame.size(); ++i)
      for (int k = 0; k < 3; ++k) frame[i].p[k] += random.uniform(-0.05, 0.05);
  std::size_t points = 0;
  for (int round = 0; round < 4; ++round) {
    allocations = 0;
    watching = round > 1;  // twice through, since the skin adapts
    for (const auto& frame : shaken) points = collision.update(frame, 0.02).size();
    watching = false;
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_GT(points, 300u);
}

}  // namespace
}  // namespace lipkin
