// Triangle meshes and height fields against what they are made of: a floor of triangles is a plane, a box of triangles
// is a box, and a landscape is the nearest of its points.
#include <gtest/gtest.h>

#include <numeric>

#include "gap_oracle.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using Eigen::Vector3d;
using test::eigen;
using test::Posed;
using test::Random;

// A floor in z = 0 from -3 to 3, its inner corners moved about and its cells cut either way.
ShapeMesh random_floor(Random& random, int cells) {
  ShapeMesh mesh;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      const bool inner = i > 0 && i < cells && j > 0 && j < cells;
      const double jitter = inner ? 0.3 : 0;
      mesh.vertices.emplace_back(6 * (i + random.uniform(-jitter, jitter)) / cells - 3,
                                 6 * (j + random.uniform(-jitter, jitter)) / cells - 3, 0);
    }
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const int a = j * (cells + 1) + i, b = a + 1, c = b + cells + 1, d = c - 1;
      if (random.chance(0.5)) {
        mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d}), mesh.triangles.push_back({b, c, d});
      }
    }
  return mesh;
}

ShapeMesh box_mesh(const Vector3d& size) {
  ShapeMesh mesh;
  for (int c = 0; c < 8; ++c)
    mesh.vertices.push_back(0.5 * size.cwiseProduct(Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1)));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

class OnMesh : public testing::TestWithParam<int> {};

// Nothing that slides over a floor notices of what it is made.
TEST_P(OnMesh, FlatFloorIsAPlane) {
  Random random(21);
  double worst = 0;
  for (int n = 0; n < 150; ++n) {
    const ShapeMesh floor = random_floor(random, n % 3 == 0 ? 4 : 15);
    Posed a{test::random_convex(random, GetParam()), random.vector(1), random.quaternion()};
    if (n % 2 == 0)
      a.q = Eigen::AngleAxisd(random.uniform(0, 3), Vector3d::UnitZ()) *
            Eigen::Quaterniond(Eigen::AngleAxisd(n % 4 == 0 ? 0 : std::numbers::pi / 2, Vector3d::UnitX()));
    a.p.z() = 0;
    const double depth = random.uniform(-0.01, 0.02);
    a.p.z() = test::reach(a, -Vector3d::UnitZ()) - depth;
    const std::vector<ContactPoint> on_mesh = test::contacts_of(a, {floor}, 0.02);
    const std::vector<ContactPoint> on_plane = test::contacts_of(a, {ShapePlane{}}, 0.02);
    ASSERT_EQ(on_mesh.empty(), on_plane.empty()) << n;
    if (on_mesh.empty()) continue;
    for (const ContactPoint& p : on_mesh) {
      ASSERT_LT((eigen(p.normal) + Vector3d::UnitZ()).norm(), 1e-12) << "stumbles in pose " << n;
      EXPECT_LT((eigen(p.p_B) - eigen(p.p_A) - p.gap * eigen(p.normal)).norm(), 1e-14);
      EXPECT_NEAR(p.p_B[2], 0, 1e-14);
    }
    worst = std::max(worst, std::abs(test::deepest(on_mesh).gap - test::deepest(on_plane).gap));
    ASSERT_LT(worst, 1e-13) << n;  // rounding of lengths of about 1 m
    // As well supported: the mean of the points differs by less than the size of a cell from that on the plane.
    EXPECT_GE(on_mesh.size(), std::min<std::size_t>(on_plane.size(), 3)) << n;
  }
  test::figure("{} on a floor of triangles and on a plane differ by {:.1e} m", test::convex_name(GetParam()), worst);
}

// Outside and up to a shallow overlap a box of triangles is a box.
TEST_P(OnMesh, BoxOfTrianglesIsABox) {
  Random random(22);
  double worst = 0;
  for (int n = 0; n < 200; ++n) {
    const Vector3d size(random.uniform(0.5, 1), random.uniform(0.5, 1), random.uniform(0.5, 1));
    Posed a{test::random_convex(random, GetParam()), random.vector(0.2), random.quaternion()};
    const Posed box{ShapeBox{size}, random.vector(0.3), random.quaternion()};
    const Posed mesh{box_mesh(size), box.p, box.q};
    const Vector3d way = random.unit_vector();
    a.p += way * test::slab(a, box, way);
    const ContactPoint first = test::deepest(test::contacts_of(a, box, 10));
    a.p += (first.gap + random.uniform(-0.05, 0.002)) * eigen(first.normal);
    const ContactPoint expected = test::deepest(test::contacts_of(a, box, 0.2));
    const std::vector<ContactPoint> points = test::contacts_of(a, mesh, 0.2);
    ASSERT_FALSE(points.empty()) << n;
    const ContactPoint& p = test::deepest(points);
    worst = std::max(worst, std::abs(p.gap - expected.gap));
    EXPECT_LT(std::abs(p.gap - expected.gap), 1e-12) << "pose " << n << " gap " << expected.gap;
  }
  test::figure("{} at a box of triangles and at a box differ by {:.1e} m", test::convex_name(GetParam()), worst);
}

TEST_P(OnMesh, HeightFieldIsTheMeshOfItsSamples) {
  Random random(23);
  for (int n = 0; n < 40; ++n) {
    ShapeHeightField field{7, 5, 3, 2, {}};
    for (int k = 0; k < 35; ++k) field.heights.push_back(random.uniform(-0.2, 0.2));
    ShapeMesh mesh;
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 7; ++i)
        mesh.vertices.emplace_back(3 * (i / 6.0 - 0.5), 2 * (j / 4.0 - 0.5),
                                   field.heights[static_cast<std::size_t>(7 * j + i)]);
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 6; ++i) {
        const int a = 7 * j + i;
        mesh.triangles.push_back({a, a + 1, a + 8}), mesh.triangles.push_back({a, a + 8, a + 7});
      }
    const Posed ground{field, random.vector(0.1), random.quaternion()};
    Posed a{test::random_convex(random, GetParam()), ground.p, random.quaternion()};
    const Vector3d up = ground.q * Vector3d::UnitZ();
    a.p += ground.q * Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), 0);
    a.p += (up.dot(ground.p) + test::reach(a, -up) + random.uniform(0.05, 0.3)) * up;
    const std::vector<ContactPoint> x = test::contacts_of(a, ground, 0.1);
    const std::vector<ContactPoint> y = test::contacts_of(a, {mesh, ground.p, ground.q}, 0.1);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_EQ(x[k].gap, y[k].gap);
  }
}

ShapeHeightField random_landscape(Random& random, double roughness) {
  ShapeHeightField field{8, 8, 3.5, 3.5, {}};
  for (int k = 0; k < 64; ++k) field.heights.push_back(random.uniform(-roughness, roughness));
  return field;
}

// Apart from the ground the gap is the smallest of the gaps to its triangles, each by the search over directions.
TEST_P(OnMesh, GapToALandscapeIsThatToItsNearestTriangle) {
  Random random(29);
  for (int n = 0; n < 3; ++n) {
    const ShapeHeightField field = random_landscape(random, 0.15);
    Posed a{test::random_convex(random, GetParam()), random.vector(0.5), random.quaternion()};
    a.p.z() = 0;
    a.p.z() = test::reach(a, -Vector3d::UnitZ()) + 0.2;
    const auto corner = [&](int i, int j) {
      return Vector3d(0.5 * i - 1.75, 0.5 * j - 1.75, field.heights[static_cast<std::size_t>(8 * j + i)]);
    };
    double truth = 1e300;
    for (int j = 0; j < 7; ++j)
      for (int i = 0; i < 7; ++i)
        for (const Vector3d& third : {corner(i + 1, j), corner(i, j + 1)}) {
          const Posed triangle{ShapeHull{{corner(i, j), corner(i + 1, j + 1), third}}};
          truth = std::min(truth, test::widest_slab(a, triangle, random, 0.98));
        }
    const std::vector<ContactPoint> points = test::contacts_of(a, {field}, 2);
    ASSERT_FALSE(points.empty()) << n;
    // From above the gap is bounded by how far the search hangs back where the width of the slab has a ridge.
    EXPECT_LT(test::deepest(points).gap, truth + 1e-5) << n;
    EXPECT_GT(test::deepest(points).gap, truth - 1e-12) << n;
  }
}

// Nothing that sinks by a millimetre is told to move by more: no triangle speaks about what is not on it.
TEST_P(OnMesh, SinkingALittleOverlapsALittle) {
  Random random(30);
  for (int n = 0; n < 150; ++n) {
    ShapeGeometry ground = random_landscape(random, n % 2 == 0 ? 0.05 : 0.4);
    if (n % 3 == 0) ground = box_mesh({1.1, 1.3, 1});
    Posed a{test::random_convex(random, GetParam()), random.vector(0.7), random.quaternion()};
    if (n % 5 == 0) a.q = Eigen::Quaterniond(Eigen::AngleAxisd(random.uniform(0, 3), Vector3d::UnitZ()));
    a.p.z() = 3;
    double gap = 1;
    for (int k = 0; k < 200 && gap > 1e-7; ++k) {  // down to the ground: never by more than the gap
      const std::vector<ContactPoint> points = test::contacts_of(a, {ground}, 5);
      ASSERT_FALSE(points.empty());
      gap = test::deepest(points).gap;
      a.p.z() -= gap;
    }
    const double sunk = 1e-3;
    a.p.z() -= sunk;
    const std::vector<ContactPoint> points = test::contacts_of(a, {ground}, 1e-3);
    ASSERT_FALSE(points.empty()) << n;
    EXPECT_LT(test::deepest(points).gap, 0) << n;
    for (const ContactPoint& p : points) {
      EXPECT_GT(p.gap, -sunk - 1e-6) << n;
      EXPECT_LT(p.normal[2], 1e-6) << n;  // from the shape down
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, OnMesh, testing::Range(0, test::kConvexKinds),
                         [](const auto& kind) { return std::string(test::convex_name(kind.param)); });

// A sphere over a landscape: the gap is the distance to the nearest of very many points of the surface.
TEST(Mesh, SphereIsNearestToASampledLandscape) {
  Random random(24);
  const int columns = 9, rows = 8;
  for (int n = 0; n < 20; ++n) {
    ShapeHeightField field{columns, rows, 4, 3, {}};
    for (int k = 0; k < columns * rows; ++k) field.heights.push_back(random.uniform(-0.3, 0.3));
    const auto height = [&](double x, double y) {  // by cells cut from low x, y to high x, y
      const double u = (x / 4 + 0.5) * (columns - 1), v = (y / 3 + 0.5) * (rows - 1);
      const int i = std::min(static_cast<int>(u), columns - 2), j = std::min(static_cast<int>(v), rows - 2);
      const double s = u - i, t = v - j;
      const auto z = [&](int di, int dj) {
        return field.heights[static_cast<std::size_t>((j + dj) * columns + i + di)];
      };
      return s > t ? z(0, 0) + s * (z(1, 0) - z(0, 0)) + t * (z(1, 1) - z(1, 0))
                   : z(0, 0) + t * (z(0, 1) - z(0, 0)) + s * (z(1, 1) - z(0, 1));
    };
    const Vector3d centre(random.uniform(-1.5, 1.5), random.uniform(-1, 1), 0);
    const Posed sphere{ShapeSphere{0.3},
                       centre + Vector3d(0, 0, height(centre.x(), centre.y()) + random.uniform(0.1, 0.6))};
    double nearest = 1e300;
    const int kSamples = 1500;
    for (int j = 0; j <= kSamples; ++j)
      for (int i = 0; i <= kSamples; ++i) {
        const double x = sphere.p.x() + 1.4 * (i / double(kSamples) - 0.5),
                     y = sphere.p.y() + 1.4 * (j / double(kSamples) - 0.5);
        if (std::abs(x) > 2 || std::abs(y) > 1.5) continue;
        nearest = std::min(nearest, (Vector3d(x, y, height(x, y)) - sphere.p).squaredNorm());
      }
    const double truth = std::sqrt(nearest) - 0.3;
    const std::vector<ContactPoint> points = test::contacts_of(sphere, {field}, 1);
    ASSERT_FALSE(points.empty());
    const double gap = test::deepest(points).gap;
    EXPECT_LT(gap, truth + 1e-12);
    EXPECT_GT(gap, truth - 1e-3) << n;  // a peak lies up to 7e-4 m from the next sample, on slopes of up to about 1
  }
}

TEST(Mesh, ASlidingSphereKeepsItsContact) {
  Random random(25);
  const ShapeMesh floor = random_floor(random, 12);
  Collision collision({{ShapeSphere{0.2}, 1}, {floor, 0}}, {});
  std::uint64_t feature = 0;
  for (int n = 0; n < 400; ++n) {
    std::vector<Transform<double>> X(2, Transform<double>::identity());
    X[0].p = {{-2.5 + 0.0125 * n, 0.3 * std::sin(0.05 * n), 0.2 - 1e-4}};
    const std::span<const ContactPoint> points = collision.update(X, 0.01);
    ASSERT_EQ(points.size(), 1u) << n;
    EXPECT_NEAR(points[0].gap, -1e-4, 1e-15);
    if (n == 0) feature = points[0].feature;
    EXPECT_EQ(points[0].feature, feature) << n;
  }
}

TEST(Mesh, ASlidingBoxKeepsItsCorners) {
  Random random(26);
  const ShapeMesh floor = random_floor(random, 12);
  Collision collision({{ShapeBox{{0.7, 0.5, 0.3}}, 1}, {floor, 0}}, {});
  std::vector<std::uint64_t> before;
  for (int n = 0; n < 200; ++n) {
    std::vector<Transform<double>> X(2, Transform<double>::identity());
    X[0] = test::transform_of({-2 + 0.02 * n, 0.1, 0.15 - 1e-4},
                              Eigen::Quaterniond(Eigen::AngleAxisd(0.01 * n, Vector3d::UnitZ())));
    const std::span<const ContactPoint> points = collision.update(X, 0.01);
    ASSERT_EQ(points.size(), 4u) << n;
    std::vector<std::uint64_t> features;
    for (const ContactPoint& p : points) {
      EXPECT_NEAR(p.gap, -1e-4, 1e-15);
      const Vector3d arm = eigen(p.p_A) - eigen(X[0].p);
      EXPECT_NEAR(arm.head<2>().norm(), std::hypot(0.35, 0.25), 1e-12) << "not a corner of the box";
      features.push_back(p.feature);
    }
    if (n == 0) before = features;
    EXPECT_EQ(features, before) << n;
  }
}

TEST(Mesh, OnAPlaneAndInACupByItsCorners) {
  const Posed cube{box_mesh({1, 1, 1}), {0, 0, 0.499}};
  const std::vector<ContactPoint> points = test::contacts_of(cube, {ShapePlane{}}, 0.01);
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, -0.001, 1e-15);
  const std::vector<ContactPoint> in_cup = test::contacts_of(cube, {ShapeCup{0.7, 0.7, 2}}, 0.01);
  ASSERT_EQ(in_cup.size(), 4u);  // the upper corners: the lower ones are below the bottom
  for (const ContactPoint& p : in_cup) EXPECT_NEAR(p.gap, 0.7 - std::sqrt(0.5), 1e-15);
}

// Ground pushes out what is deep in it, along the triangle above.
TEST(Mesh, HeightFieldHoldsWhatIsBuried) {
  const ShapeHeightField slope{2, 2, 4, 4, {0, 1, 0, 1}};  // rises along x by 1 in 4
  const Vector3d n = Vector3d(-0.25, 0, 1).normalized();
  for (int kind = 0; kind < test::kConvexKinds; ++kind) {
    Random random(28);
    Posed a{test::random_convex(random, kind), {0.1, 0.2, 0}, random.quaternion()};
    a.p -= 0.2 * n;
    const std::vector<ContactPoint> points = test::contacts_of(a, {slope}, 0.01);
    ASSERT_FALSE(points.empty()) << test::convex_name(kind);
    const ContactPoint& p = test::deepest(points);
    EXPECT_NEAR(p.gap, -test::reach(a, -n) - 0.5 * n.z(), 1e-13) << test::convex_name(kind);
    EXPECT_LT((eigen(p.normal) + n).norm(), 1e-13);
  }
}

TEST(Mesh, SoupIsWelded) {  // every triangle with corners of its own, as in STL files
  Random random(27);
  const ShapeMesh floor = random_floor(random, 6);
  ShapeMesh soup;
  for (const auto& t : floor.triangles) {
    const int n = static_cast<int>(soup.vertices.size());
    for (const int corner : t) soup.vertices.push_back(floor.vertices[static_cast<std::size_t>(corner)]);
    soup.triangles.push_back({n, n + 1, n + 2});
  }
  for (int n = 0; n < 50; ++n) {
    Posed a{ShapeBox{{1, 0.6, 0.4}}, random.vector(1), Eigen::Quaterniond::Identity()};
    a.p.z() = 0.199;
    EXPECT_EQ(test::contacts_of(a, {soup}, 0.01).size(), 4u);
  }
}

}  // namespace
}  // namespace lipkin
