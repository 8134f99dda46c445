// Every pair of convex shapes in random poses against a search over directions (gap_oracle.hpp).
#include <gtest/gtest.h>

#include "gap_oracle.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using test::eigen;
using test::Posed;
using test::Random;

// Lengths are about 1 m, so these are relative too. Gaps come out of differences of rounded sums over a handful of
// operations on poses; GJK stops at a few hundred roundings.
constexpr double kGapTolerance = 1e-12;
// What a search with steps down to 1e-9 can be beaten by, and by what it can beat us: rounding.
constexpr double kSearchTolerance = 1e-11;

struct Kinds {
  int a, b;
};

class ConvexPairs : public testing::TestWithParam<Kinds> {};

Posed random_posed(Random& random, int kind) {
  return {test::random_convex(random, kind), random.vector(0.2), random.quaternion()};
}

// Two shapes a random way apart, then moved along the normal to overlap about as deep as asked for.
std::pair<Posed, Posed> random_pair(Random& random, const Kinds& kinds, double depth) {
  Posed a = random_posed(random, kinds.a), b = random_posed(random, kinds.b);
  const Eigen::Vector3d way = random.unit_vector();
  b.p -= way * test::slab(a, b, way);
  const ContactPoint p = test::deepest(test::contacts_of(a, b, 10));
  b.p -= (p.gap + depth) * eigen(p.normal);
  return {a, b};
}

void expect_points_span_gap(const std::vector<ContactPoint>& points) {
  for (const ContactPoint& p : points) {
    EXPECT_NEAR(eigen(p.normal).norm(), 1, 1e-14);
    EXPECT_LT((eigen(p.p_B) - eigen(p.p_A) - p.gap * eigen(p.normal)).norm(), kGapTolerance);
  }
}

TEST_P(ConvexPairs, GapIsTheWidestSlab) {
  Random random(77);
  double worst_slab = 0, worst_search = 0, worst_surface = 0;
  int touching = 0;
  for (int n = 0; n < 120; ++n) {
    // Overlaps up to a few percent of the size, as in a simulation, and distances up to the margin.
    const auto [a, b] = random_pair(random, GetParam(), random.uniform(-0.2, 0.03));
    const std::vector<ContactPoint> points = test::contacts_of(a, b, 1.0);
    ASSERT_FALSE(points.empty()) << n;
    expect_points_span_gap(points);
    const ContactPoint& p = test::deepest(points);
    touching += p.gap < 0;
    worst_slab = std::max(worst_slab, std::abs(test::slab(a, b, eigen(p.normal)) - p.gap));
    worst_search = std::max(worst_search, test::widest_slab(a, b, random) - p.gap);
    for (const auto& [shape, point] : {std::pair(a, p.p_A), std::pair(b, p.p_B)})
      worst_surface = std::max(worst_surface, std::abs(test::outside(shape, eigen(point))));
    EXPECT_LT(worst_slab, kGapTolerance) << "pose " << n;
    EXPECT_LT(worst_search, kSearchTolerance) << "pose " << n << " gap " << p.gap;
    // Points are where directions are to the square root of what gaps are, on curved sides; the surface falls away
    // from them with the square of that.
    EXPECT_LT(worst_surface, 1e-8) << "pose " << n << " gap " << p.gap;
  }
  test::figure("{} {}: slab {:.1e}, search ahead by {:.1e}, points off the surface {:.1e}, {} of 120 overlap",
               test::convex_name(GetParam().a), test::convex_name(GetParam().b), worst_slab, worst_search,
               worst_surface, touching);
}

// Needles and sheets, parallel or at 45 degrees in a third of the poses, overlapping by up to a tenth of their size.
TEST_P(ConvexPairs, SoItIsForNeedlesAndSheetsDeepInEachOther) {
  Random random(81);
  for (int n = 0; n < 60; ++n) {
    Posed a{test::random_convex(random, GetParam().a, 1), random.vector(0.2), random.quaternion()};
    Posed b{test::random_convex(random, GetParam().b, 1), random.vector(0.2), random.quaternion()};
    const Eigen::AngleAxisd eighths(random.integer(0, 3) * std::numbers::pi / 4,
                                    Eigen::Vector3d::Unit(random.integer(0, 2)));
    if (n % 3 == 0) a.q = b.q * Eigen::Quaterniond(eighths);
    const Eigen::Vector3d way = random.unit_vector();
    b.p -= way * test::slab(a, b, way);
    const ContactPoint touch = test::deepest(test::contacts_of(a, b, 100));
    b.p -= (touch.gap + random.uniform(-0.1, 0.1)) * eigen(touch.normal);
    const std::vector<ContactPoint> points = test::contacts_of(a, b, 100);
    ASSERT_FALSE(points.empty()) << n;
    expect_points_span_gap(points);
    const ContactPoint& p = test::deepest(points);
    // Lengths 100 times apart: two digits less.
    EXPECT_NEAR(test::slab(a, b, eigen(p.normal)), p.gap, 100 * kGapTolerance) << "pose " << n;
    EXPECT_LT(test::widest_slab(a, b, random) - p.gap, kSearchTolerance) << "pose " << n << " gap " << p.gap;
  }
}

TEST_P(ConvexPairs, SwappingTheShapesFlipsTheNormal) {
  Random random(78);
  for (int n = 0; n < 100; ++n) {
    const auto [a, b] = random_pair(random, GetParam(), random.uniform(-0.1, 0.03));
    const std::vector<ContactPoint> ab = test::contacts_of(a, b, 0.3), ba = test::contacts_of(b, a, 0.3);
    ASSERT_EQ(ab.empty(), ba.empty());
    if (ab.empty()) continue;
    const ContactPoint &p = test::deepest(ab), &q = test::deepest(ba);
    EXPECT_NEAR(p.gap, q.gap, kGapTolerance);
    // Directions on curved sides: see above.
    EXPECT_LT((eigen(p.normal) + eigen(q.normal)).norm(), 1e-6) << "pose " << n << " gap " << p.gap;
  }
}

TEST_P(ConvexPairs, GapIsContinuousThroughTouching) {
  Random random(79);
  for (int n = 0; n < 20; ++n) {
    auto [a, b] = random_pair(random, GetParam(), 0.0);
    const Eigen::Vector3d way = eigen(test::deepest(test::contacts_of(a, b, 1)).normal);
    b.p -= way * 1e-3;
    double before = test::deepest(test::contacts_of(a, b, 1)).gap;
    const double step = 1e-4;
    for (int k = 0; k < 20; ++k) {
      b.p += step * way;
      const double gap = test::deepest(test::contacts_of(a, b, 1)).gap;
      EXPECT_LE(std::abs(gap - before), step + kGapTolerance) << "pose " << n << " at gap " << gap;
      before = gap;
    }
  }
}

TEST_P(ConvexPairs, ScaleWithTheirLengths) {
  Random random(80);
  for (int n = 0; n < 30; ++n) {
    const auto [a, b] = random_pair(random, GetParam(), random.uniform(-0.1, 0.03));
    const auto smaller = [](Posed s) {
      s.p *= 0.1;
      std::visit(
          [](auto& g) {
            using G = std::decay_t<decltype(g)>;
            if constexpr (std::is_same_v<G, ShapeSphere>) g.radius *= 0.1;
            if constexpr (std::is_same_v<G, ShapeBox>) g.size *= 0.1;
            if constexpr (std::is_same_v<G, ShapeCylinder>) g.radius *= 0.1, g.length *= 0.1;
            if constexpr (std::is_same_v<G, ShapeCapsule>) g.radius *= 0.1, g.length *= 0.1;
            if constexpr (std::is_same_v<G, ShapeFrustum>) g.bottom_radius *= 0.1, g.top_radius *= 0.1, g.height *= 0.1;
            if constexpr (std::is_same_v<G, ShapeHull>)
              for (auto& p : g.points) p *= 0.1;
          },
          s.geometry);
      return s;
    };
    const std::vector<ContactPoint> large = test::contacts_of(a, b, 0.3);
    const std::vector<ContactPoint> small = test::contacts_of(smaller(a), smaller(b), 0.03);
    ASSERT_EQ(large.size(), small.size()) << n;
    for (std::size_t k = 0; k < large.size(); ++k) {
      EXPECT_EQ(large[k].feature, small[k].feature);
      EXPECT_NEAR(0.1 * large[k].gap, small[k].gap, kGapTolerance);
    }
  }
}

std::vector<Kinds> all_pairs() {
  std::vector<Kinds> pairs;
  for (int a = 0; a < test::kConvexKinds; ++a)
    for (int b = a; b < test::kConvexKinds; ++b) pairs.push_back({a, b});
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Kinds, ConvexPairs, testing::ValuesIn(all_pairs()), [](const auto& kinds) {
  return std::string(test::convex_name(kinds.param.a)) + "_" + test::convex_name(kinds.param.b);
});

}  // namespace
}  // namespace lipkin
