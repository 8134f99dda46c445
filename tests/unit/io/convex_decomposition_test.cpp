#include "io/hulls/convex_decomposition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/convex_hull.hpp"
#include "support/solid_meshes.hpp"

namespace lipkin {
namespace {

constexpr double kPi = std::numbers::pi;

using Points = std::vector<Eigen::Vector3d>;

double signed_volume(const Points& points, const std::vector<std::array<int, 3>>& triangles) {
  double six = 0;
  for (const std::array<int, 3>& t : triangles) {
    const auto p = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
    six += p(0).dot(p(1).cross(p(2)));
  }
  return six / 6;
}

// A point against the planes of a hull's faces.
class Hulls {
 public:
  explicit Hulls(const Decomposition& parts) {
    for (const Points& points : parts.hulls) {
      planes_.emplace_back();
      const std::vector<std::array<int, 3>> triangles = convex_hull(points);
      volume += signed_volume(points, triangles);
      for (const std::array<int, 3>& t : triangles) {
        const auto p = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
        const Eigen::Vector3d n = (p(1) - p(0)).cross(p(2) - p(0));
        const double sides = (p(1) - p(0)).norm() * (p(2) - p(0)).norm();
        if (n.norm() > 1e-9 * sides) planes_.back().push_back({n.normalized(), n.normalized().dot(p(0))});
      }
    }
  }

  bool hold(const Eigen::Vector3d& p) const {
    return std::any_of(planes_.begin(), planes_.end(), [&](const auto& planes) {
      return std::all_of(planes.begin(), planes.end(),
                         [&](const auto& plane) { return plane.first.dot(p) <= plane.second; });
    });
  }

  double volume = 0;  // of all, where two overlap twice

 private:
  std::vector<std::vector<std::pair<Eigen::Vector3d, double>>> planes_;
};

// Evenly spread points of a box (Halton 1960, bases 2, 3, 5).
Points points_in(const Eigen::Vector3d& low, const Eigen::Vector3d& high, int count) {
  const auto halton = [](int i, int base) {
    double f = 1, x = 0;
    for (; i > 0; i /= base) f /= base, x += f * (i % base);
    return x;
  };
  Points points;
  for (int i = 1; i <= count; ++i)
    points.push_back(low + (high - low).cwiseProduct(Eigen::Vector3d(halton(i, 2), halton(i, 3), halton(i, 5))));
  return points;
}

Decomposition decomposed(const ShapeMesh& mesh, DecompositionOptions options = {}) {
  return decompose(mesh, options, "mesh");
}

TEST(ConvexDecomposition, WhatIsConvexStaysOneHull) {
  const Decomposition box = decomposed(block_mesh({{0, 0, 0}}, {1, 2, 3}));
  ASSERT_EQ(box.hulls.size(), 1U);
  EXPECT_EQ(box.hulls[0].size(), 8U);
  EXPECT_EQ(decomposed(torus_mesh(0, 1, 24, 24)).hulls.size(), 1U);  // a ball
}

TEST(ConvexDecomposition, AnLIsTwoBlocksExactly) {
  const Decomposition parts =
      decomposed(block_mesh({{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 0}, {2, 0, 0}}, {0.1, 0.1, 0.1}));
  ASSERT_EQ(parts.hulls.size(), 2U);
  EXPECT_NEAR(Hulls(parts).volume, 0.005, 1e-15);  // rounding; they do not overlap, or it would be more
  EXPECT_EQ(parts.depth, 0);
}

TEST(ConvexDecomposition, AUIsThreeBlocksExactly) {
  const std::vector<std::array<int, 3>> blocks = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1},
                                                  {2, 0, 1}, {0, 0, 2}, {2, 0, 2}};
  for (const double side : {1.0, 0.013}) {
    const Decomposition parts = decomposed(block_mesh(blocks, {side, side, side}));
    ASSERT_EQ(parts.hulls.size(), 3U);
    const Hulls hulls(parts);
    EXPECT_NEAR(hulls.volume, 7 * side * side * side, 1e-12 * side * side * side);  // rounding
    for (const Eigen::Vector3d& p : points_in({1.001, 0, 1.001}, {1.999, 1, 3}, 2000))
      EXPECT_FALSE(hulls.hold(side * p));
  }
}

// Each corner of a cross of three bars lies in none of the faces of the others: what is cut must be cut in the middle.
TEST(ConvexDecomposition, CornersOfCutsInsideTheSolidAreKept) {
  std::vector<std::array<int, 3>> blocks = {{1, 1, 1}, {0, 1, 1}, {2, 1, 1}, {1, 0, 1},
                                            {1, 2, 1}, {1, 1, 0}, {1, 1, 2}};
  const Hulls hulls(decomposed(block_mesh(blocks, {1, 1, 1})));
  for (const Eigen::Vector3d& p : points_in({0, 0, 0}, {3, 3, 3}, 5000)) {
    int outer = 0;
    for (int axis = 0; axis < 3; ++axis) outer += p[axis] < 1 || p[axis] > 2;
    EXPECT_EQ(hulls.hold(p), outer <= 1) << p.transpose();
  }
}

TEST(ConvexDecomposition, ATorusIsFilledAndItsHoleStaysOpen) {
  const double R = 0.1, r = 0.03;
  const Decomposition parts = decomposed(torus_mesh(R, r, 48, 24));
  EXPECT_LE(parts.hulls.size(), 32U);
  EXPECT_LE(parts.depth, parts.tolerance);
  const Hulls hulls(parts);
  // The polygon around the tube has its sides at r cos(pi/24), the one along the ring at R cos(pi/48).
  const double facets = r * (1 - std::cos(kPi / 24)) + R * (1 - std::cos(kPi / 48));
  const double cell = 2 * (R + r) / 96;
  const double reach = parts.tolerance + 2 * cell;  // distances are counted between middles of cells
  for (const Eigen::Vector3d& p : points_in({-0.14, -0.14, -0.04}, {0.14, 0.14, 0.04}, 20000)) {
    const double outside = std::hypot(std::hypot(p.x(), p.y()) - R, p.z()) - r;
    if (outside < -facets) {
      EXPECT_TRUE(hulls.hold(p)) << p.transpose();
    } else if (outside > reach) {
      EXPECT_FALSE(hulls.hold(p)) << p.transpose();
    }
  }
}

TEST(ConvexDecomposition, ATighterToleranceFitsBetter) {
  const ShapeMesh torus = torus_mesh(0.1, 0.03, 48, 24);
  const double volume = signed_volume(torus.vertices, torus.triangles);
  const Decomposition coarse = decomposed(torus, {0.03, 32}), fine = decomposed(torus, {0.005, 64});
  EXPECT_LT(coarse.hulls.size(), fine.hulls.size());
  EXPECT_LT(Hulls(fine).volume - volume, Hulls(coarse).volume - volume);
  EXPECT_GE(Hulls(fine).volume, volume * (1 - 1e-9));  // nothing is lost but rounding
}

TEST(ConvexDecomposition, NeverMoreHullsThanAllowed) {
  const ShapeMesh torus = torus_mesh(0.1, 0.03, 48, 24);
  for (const int most : {1, 2, 3, 5}) {
    const Decomposition parts = decomposed(torus, {0.001, most});
    EXPECT_LE(parts.hulls.size(), static_cast<std::size_t>(most));
    EXPECT_GT(parts.depth, parts.tolerance);
  }
}

TEST(ConvexDecomposition, OpenAndTurnedSurfacesWork) {
  ShapeMesh turned = block_mesh({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {1, 1, 1});
  for (std::array<int, 3>& t : turned.triangles) std::swap(t[1], t[2]);
  EXPECT_NEAR(Hulls(decomposed(turned)).volume, 3, 1e-12);
  ShapeMesh open = bowl_mesh(0.1, 0.1, 32, 12);  // without thickness
  const Decomposition parts = decomposed(open, {0.02, 64});
  EXPECT_GT(parts.hulls.size(), 4U);
  EXPECT_FALSE(Hulls(parts).hold({0, 0, 0.07}));
}

TEST(ConvexDecomposition, FlatMeshesAreRefused) {
  const ShapeMesh sheet{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  EXPECT_THROW(decomposed(sheet), InputError);
}

TEST(ConvexDecomposition, GivesTheSameBitsAgain) {
  const ShapeMesh bowl = bowl_mesh(0.1, 0.09, 32, 12);
  const Decomposition a = decomposed(bowl), b = decomposed(bowl);
  ASSERT_EQ(a.hulls.size(), b.hulls.size());
  for (std::size_t i = 0; i < a.hulls.size(); ++i) EXPECT_EQ(a.hulls[i], b.hulls[i]);
}

}  // namespace
}  // namespace lipkin
