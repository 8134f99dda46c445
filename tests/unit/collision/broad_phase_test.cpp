// Which pairs are found, against all pairs one by one; filters; what the answer may and may not depend on.
#include <gtest/gtest.h>

#include <set>

#include "gap_oracle.hpp"
#include "lipkin/error.hpp"

namespace lipkin {
namespace {

using test::Posed;
using test::Random;

struct Scene {
  std::vector<CollisionShape> shapes;
  std::vector<Transform<double>> poses;

  void add(const ShapeGeometry& geometry, int owner, const Eigen::Vector3d& p,
           const Eigen::Quaterniond& q = Eigen::Quaterniond::Identity()) {
    shapes.push_back({geometry, owner});
    poses.push_back(test::transform_of(p, q));
  }
};

// Shapes from millimetres to metres, some in the world, some sharing an owner, with planes and a cup.
Scene mixed_scene(Random& random, int count) {
  Scene scene;
  for (int i = 0; i < count; ++i) {
    const double size = std::pow(10, random.uniform(-2, 0.3));
    const int owner = random.chance(0.1) ? 0 : random.integer(1, count);
    ShapeGeometry shape = ShapeSphere{size};
    if (random.chance(0.3)) shape = ShapeBox{{size, random.uniform(0.2, 2) * size, size}};
    if (random.chance(0.2)) shape = ShapeCapsule{0.3 * size, 2 * size};
    scene.add(shape, owner, random.vector(3), random.quaternion());
  }
  scene.add(ShapePlane{}, 0, {0, 0, -2});
  scene.add(ShapePlane{}, 0, {0, -2, 0}, random.quaternion());
  scene.add(ShapeCup{2, 3, 3}, 0, {0, 0, -2});
  return scene;
}

std::vector<ContactPoint> update(Collision& collision, const Scene& scene, double margin) {
  const std::span<const ContactPoint> points = collision.update(scene.poses, margin);
  return {points.begin(), points.end()};
}

void expect_same(const std::vector<ContactPoint>& x, const std::vector<ContactPoint>& y) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    EXPECT_EQ(x[k].shape_a, y[k].shape_a);
    EXPECT_EQ(x[k].shape_b, y[k].shape_b);
    EXPECT_EQ(x[k].feature, y[k].feature);
    EXPECT_EQ(x[k].gap, y[k].gap);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(x[k].normal[i], y[k].normal[i]);
      EXPECT_EQ(x[k].p_A[i], y[k].p_A[i]);
      EXPECT_EQ(x[k].p_B[i], y[k].p_B[i]);
    }
  }
}

std::vector<ContactPoint> all_pairs(const Scene& scene, double margin) {
  std::vector<ContactPoint> result;
  for (int a = 0; a < static_cast<int>(scene.shapes.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(scene.shapes.size()); ++b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      if (scene.shapes[i].owner == scene.shapes[j].owner) continue;
      Collision pair({scene.shapes[i], scene.shapes[j]}, {});
      const std::vector<Transform<double>> X{scene.poses[i], scene.poses[j]};
      for (ContactPoint p : pair.update(X, margin)) {
        p.shape_a = a, p.shape_b = b;
        result.push_back(p);
      }
    }
  }
  return result;
}

TEST(BroadPhase, FindsWhatAllPairsFind) {
  Random random(5);
  std::size_t found = 0;
  for (int n = 0; n < 10; ++n) {
    const Scene scene = mixed_scene(random, 120);
    Collision collision(scene.shapes, {});
    const std::vector<ContactPoint> points = update(collision, scene, 0.02);
    expect_same(points, all_pairs(scene, 0.02));
    found += points.size();
  }
  EXPECT_GT(found, 1000u);
}

// The same poses give the same bits whatever was asked before.
TEST(BroadPhase, AnswerDependsOnTheCallAlone) {
  Random random(6);
  Scene scene = mixed_scene(random, 150);
  Collision old(scene.shapes, {});
  for (int n = 0; n < 60; ++n) {
    const double step = n % 20 == 19 ? 1.0 : 0.002;
    for (std::size_t i = 0; i + 3 < scene.poses.size(); ++i)
      for (int k = 0; k < 3; ++k) scene.poses[i].p[k] += random.uniform(-step, step);
    scene.poses.back().p[2] += random.uniform(-step, step);
    const double margin = n % 7 == 0 ? 0.05 : 0.01;
    Collision fresh(scene.shapes, {});
    expect_same(update(old, scene, margin), update(fresh, scene, margin));
  }
}

// A margin that grows takes of the room that the list was made with, as motion does.
TEST(BroadPhase, FindsAllWithinAGrowingMargin) {
  Random random(16);
  Scene scene = mixed_scene(random, 150);
  Collision old(scene.shapes, {});
  for (int n = 0; n < 60; ++n) {
    for (std::size_t i = 0; i + 3 < scene.poses.size(); ++i)
      for (int k = 0; k < 3; ++k) scene.poses[i].p[k] += random.uniform(-1e-3, 1e-3);
    const double margin = 0.01 + 5e-4 * n;
    expect_same(update(old, scene, margin), all_pairs(scene, margin));
  }
}

TEST(BroadPhase, ForgetsAMarginThatIsNoLongerAskedFor) {
  Random random(7);
  Scene scene;
  for (int i = 0; i < 200; ++i) scene.add(ShapeSphere{0.05}, 1 + i, random.vector(2));
  Collision collision(scene.shapes, {});
  update(collision, scene, 1.0);
  const std::size_t many = collision.tested_gaps();
  for (int n = 0; n < 50; ++n) update(collision, scene, 0.01);
  EXPECT_LT(collision.tested_gaps(), many / 10);
}

TEST(BroadPhase, FollowsTurningShapesAndPlanes) {
  Random random(8);
  Scene scene;
  scene.add(ShapeBox{{4, 0.1, 0.1}}, 1, {0, 0, 0});
  scene.add(ShapePlane{}, 2, {0, 0, -3});
  for (int i = 0; i < 100; ++i) scene.add(ShapeSphere{0.05}, 3 + i, random.vector(2));
  Collision old(scene.shapes, {});
  for (int n = 0; n < 200; ++n) {
    const Eigen::AngleAxisd turn(0.01 * n, Eigen::Vector3d(0, 0.3, 1).normalized());
    scene.poses[0] = test::transform_of(Eigen::Vector3d::Zero(), Eigen::Quaterniond(turn));
    scene.poses[1] =
        test::transform_of({0, 0, -3}, Eigen::Quaterniond(Eigen::AngleAxisd(0.01 * n, Eigen::Vector3d::UnitX())));
    Collision fresh(scene.shapes, {});
    expect_same(update(old, scene, 0.01), update(fresh, scene, 0.01));
  }
}

TEST(BroadPhase, PointsComeSorted) {
  Random random(9);
  const Scene scene = mixed_scene(random, 200);
  Collision collision(scene.shapes, {});
  const std::vector<ContactPoint> points = update(collision, scene, 0.1);
  const auto key = [](const ContactPoint& p) { return std::tuple(p.shape_a, p.shape_b, p.feature); };
  for (std::size_t k = 1; k < points.size(); ++k) EXPECT_LT(key(points[k - 1]), key(points[k]));
  for (const ContactPoint& p : points) {
    EXPECT_LT(p.shape_a, p.shape_b);
    EXPECT_LT(p.gap, 0.1);
  }
}

TEST(BroadPhase, ExcludedPairsAndSharedOwnersNeverTouch) {
  Scene scene;
  for (int i = 0; i < 6; ++i) scene.add(ShapeSphere{1}, i < 2 ? 0 : i / 2, {0.1 * i, 0, 0});
  Collision collision(scene.shapes, {{5, 2}, {0, 3}});
  std::set<std::pair<int, int>> found;
  for (const ContactPoint& p : update(collision, scene, 0.1)) found.insert({p.shape_a, p.shape_b});
  // Owners are 0 0 1 1 2 2; (2, 5) and (0, 3) are excluded.
  const std::set<std::pair<int, int>> expected{{0, 2}, {0, 4}, {0, 5}, {1, 2}, {1, 3},
                                               {1, 4}, {1, 5}, {2, 4}, {3, 4}, {3, 5}};
  EXPECT_EQ(found, expected);
}

TEST(BroadPhase, PairsWithoutMeaningAreRefusedByName) {
  const auto refusal = [](const ShapeGeometry& a, int owner_a, const ShapeGeometry& b, int owner_b) -> std::string {
    try {
      Collision({{a, owner_a}, {b, owner_b}}, {});
    } catch (const InvalidArgument& e) {
      return e.what();
    }
    return "";
  };
  const std::string message = refusal(ShapePlane{}, 0, ShapeCup{1, 2, 1}, 1);
  EXPECT_NE(message.find("plane"), std::string::npos) << message;
  EXPECT_NE(message.find("cup"), std::string::npos) << message;
  EXPECT_NE(refusal(ShapePlane{}, 1, ShapePlane{}, 2), "");
  EXPECT_EQ(refusal(ShapePlane{}, 0, ShapePlane{}, 0), "");
  EXPECT_EQ(refusal(ShapePlane{}, 3, ShapeCup{1, 2, 1}, 3), "");
  EXPECT_NO_THROW(Collision({{ShapePlane{}, 0}, {ShapeCup{1, 2, 1}, 1}}, {{1, 0}}));
  EXPECT_THROW(Collision({{ShapeSphere{1}, 0}}, {{0, 1}}), InvalidArgument);
  EXPECT_THROW(Collision({{ShapeSphere{-1}, 0}}, {}), InvalidArgument);
}

// A body whose pose is not a number touches nothing, and leaves the others alone.
TEST(BroadPhase, PosesThatAreNotNumbers) {
  Random random(11);
  Scene scene = mixed_scene(random, 60);
  Collision collision(scene.shapes, {});
  const std::vector<ContactPoint> before = update(collision, scene, 0.05);
  for (int k = 0; k < 3; ++k) scene.poses[7].p[k] = std::nan("");
  std::vector<ContactPoint> expected;
  for (const ContactPoint& p : before)
    if (p.shape_a != 7 && p.shape_b != 7) expected.push_back(p);
  expect_same(update(collision, scene, 0.05), expected);
}

TEST(BroadPhase, ExtremeSizesAndPlaces) {
  Scene scene;
  scene.add(ShapeSphere{1e-6}, 1, {1e6, 0, 0});
  scene.add(ShapeSphere{1e6}, 2, {0, 0, 0});
  scene.add(ShapeBox{{1e5, 1e5, 1}}, 0, {0, 0, -1e6 - 0.5});
  for (int i = 0; i < 50; ++i) scene.add(ShapeSphere{1e-3 * std::pow(1.5, i)}, 3 + i, {0, 1e6 * i, 3e6});
  Collision collision(scene.shapes, {});
  std::set<std::pair<int, int>> found;
  for (const ContactPoint& p : update(collision, scene, 1e-3)) found.insert({p.shape_a, p.shape_b});
  EXPECT_TRUE(found.contains({0, 1}));
  EXPECT_TRUE(found.contains({1, 2}));
}

}  // namespace
}  // namespace lipkin
