// Rays at shapes that are the same body said in two ways.
#include "collision/ray.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace lipkin {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

class Rays : public testing::Test {
 protected:
  // From around, towards the middle and beside it.
  template <class Check>
  void for_many(const Check& check) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto vector = [&](double size) {
      return Vec3d{{size * number(random), size * number(random), size * number(random)}};
    };
    for (int i = 0; i < 2000; ++i) {
      const Vec3d origin = vector(2), aim = vector(0.6);
      check(Ray{origin, unit_or(aim - origin, Vec3d::unit(0))});
    }
  }

  void expect_alike(const ShapeGeometry& a, const ShapeGeometry& b) {
    int hits = 0;
    for_many([&](const Ray& ray) {
      const double one = ray_distance(a, ray), other = ray_distance(b, ray);
      hits += one < kNone;
      if (one != other) {
        EXPECT_NEAR(one, other, 1e-12);
      }
    });
    EXPECT_GT(hits, 500);
    EXPECT_LT(hits, 1900);
  }
};

std::vector<Eigen::Vector3d> corners(const Eigen::Vector3d& half) {
  std::vector<Eigen::Vector3d> points;
  for (const double x : {-half.x(), half.x()})
    for (const double y : {-half.y(), half.y()})
      for (const double z : {-half.z(), half.z()}) points.emplace_back(x, y, z);
  return points;
}

TEST_F(Rays, MeetABoxAsTheHullOfItsCorners) {
  const Eigen::Vector3d half(0.3, 0.5, 0.2);
  expect_alike(ShapeBox{2 * half}, ShapeHull{corners(half)});
}

TEST_F(Rays, MeetABoxAsTheMeshOfItsFaces) {
  const Eigen::Vector3d half(0.3, 0.5, 0.2);
  const std::vector<std::array<int, 3>> faces = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                                 {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  expect_alike(ShapeBox{2 * half}, ShapeMesh{corners(half), faces});
}

TEST_F(Rays, MeetACapsuleWithoutLengthAsASphere) { expect_alike(ShapeSphere{0.5}, ShapeCapsule{0.5, 0}); }

TEST_F(Rays, MeetAStraightFrustumAsACylinder) {
  int hits = 0;
  for_many([&](Ray ray) {
    const double cylinder = ray_distance(ShapeCylinder{0.4, 0.6}, ray);
    ray.origin[2] += 0.3;
    const double frustum = ray_distance(ShapeFrustum{0.4, 0.4, 0.6}, ray);
    hits += cylinder < kNone;
    if (cylinder != frustum) {
      EXPECT_NEAR(cylinder, frustum, 1e-12);
    }
  });
  EXPECT_GT(hits, 500);
}

TEST_F(Rays, MeetAFlatFieldFromAboveAsAPlane) {
  const ShapeHeightField field{3, 4, 20, 30, std::vector<double>(12, 0.0)};
  for_many([&](const Ray& ray) {
    const double plane = ray_distance(ShapePlane{}, ray);
    const Vec3d there = ray.origin + (plane < kNone ? plane : 0) * ray.direction;
    if (plane == kNone || std::abs(there[0]) > 9.9 || std::abs(there[1]) > 14.9) return;
    EXPECT_NEAR(plane, ray_distance(field, ray), 1e-12);
  });
}

// Points on a cone are as far from its axis as the slope says.
TEST_F(Rays, EndOnTheConeTheyMeet) {
  const ShapeFrustum cone{0.5, 0.2, 0.7};
  for_many([&](const Ray& ray) {
    const double s = ray_distance(cone, ray);
    if (s == kNone) return;
    const Vec3d p = ray.origin + s * ray.direction;
    const double gap = std::hypot(p[0], p[1]) - (0.5 - 0.3 / 0.7 * p[2]);
    EXPECT_TRUE(std::abs(gap) < 1e-12 || (gap < 0 && (std::abs(p[2]) < 1e-12 || std::abs(p[2] - 0.7) < 1e-12)));
  });
}

}  // namespace
}  // namespace lipkin
