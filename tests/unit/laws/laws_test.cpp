// The laws as convex sets: projections are the nearest points, residuals vanish exactly where the law holds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "laws/law_bilateral.hpp"
#include "laws/law_coulomb.hpp"
#include "laws/law_interval.hpp"
#include "laws/law_unilateral.hpp"
#include "support/random.hpp"

namespace lipkin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Laws, BilateralAllowsEveryImpulseAndNoMotion) {
  EXPECT_EQ(LawBilateral::project(-3.5), -3.5);
  EXPECT_EQ(LawBilateral::residual(-0.25), 0.25);
  EXPECT_EQ(LawBilateral::residual(0), 0);
}

TEST(Laws, IntervalProjectsToTheNearestPoint) {
  const LawInterval law = {-2, 3};
  EXPECT_EQ(law.project(-7), -2);
  EXPECT_EQ(law.project(1.5), 1.5);
  EXPECT_EQ(law.project(8), 3);
  const LawInterval half = {0, kInfinity};
  EXPECT_EQ(half.project(-1), 0);
  EXPECT_EQ(half.project(1e300), 1e300);
}

TEST(Laws, IntervalResidualVanishesWhereTheLawHolds) {
  const LawInterval law = {-2, 3};
  const double g = 5;
  EXPECT_EQ(law.residual(0.7, -2, g), 0);  // moves up at the lower bound
  EXPECT_EQ(law.residual(-0.7, 3, g), 0);  // moves down at the upper bound
  EXPECT_EQ(law.residual(0, 1, g), 0);     // holds
  EXPECT_EQ(law.residual(-0.7, -2, g), 0.7);
  EXPECT_EQ(law.residual(0.7, 3, g), 0.7);
  EXPECT_EQ(law.residual(0.7, 1, g), 0.7);
  EXPECT_EQ(law.residual(0, 4, g), 5);  // an impulse out of the set by 1
}

// The residual is the distance to the proximal point, times g.
TEST(Laws, ResidualsAreDistancesToTheProximalPoint) {
  test::Random random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const double g = random.uniform(0.1, 10), gamma = random.uniform(-2, 2), lambda = random.uniform(-2, 2);
    const LawInterval law = {random.uniform(-1, 0), random.uniform(0, 1)};
    EXPECT_NEAR(law.residual(gamma, lambda, g), g * std::abs(lambda - law.project(lambda - gamma / g)), 1e-13);
    EXPECT_NEAR(LawUnilateral::residual(gamma, lambda, g),
                g * std::abs(lambda - LawUnilateral::project(lambda - gamma / g)), 1e-13);
    EXPECT_NEAR((LawInterval{0, kInfinity}.residual(gamma, lambda, g)), LawUnilateral::residual(gamma, lambda, g), 0);
  }
}

TEST(Laws, CoulombProjectsToTheNearestPointOfTheDisc) {
  test::Random random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    const LawCoulomb law = {random.uniform(0, 2)};
    const double x = random.uniform(-3, 3), y = random.uniform(-3, 3);
    double px = x, py = y;
    law.project(px, py);
    EXPECT_LE(std::hypot(px, py), law.radius * (1 + 1e-15) + (law.contains(x, y) ? law.radius : 0) * 1e-15);
    // Nearest: the distance is the length beyond the radius, and the direction is kept.
    EXPECT_NEAR(std::hypot(x - px, y - py), std::max(0.0, std::hypot(x, y) - law.radius), 1e-14);
    EXPECT_NEAR(x * py - y * px, 0, 1e-14);
  }
}

TEST(Laws, CoulombResidualVanishesWhereTheLawHolds) {
  const LawCoulomb law = {2};
  const double still[2] = {0, 0}, inside[2] = {1, -1}, rim[2] = {2 * 0.6, 2 * 0.8}, against[2] = {-0.6, -0.8},
               along[2] = {0.6, 0.8};
  const double g = 3;
  EXPECT_EQ(law.residual(still, inside, g), 0);
  EXPECT_NEAR(law.residual(against, rim, g), 0, 1e-15);
  EXPECT_NEAR(law.residual(along, rim, g), 1, 1e-15);  // slips at 1 m/s along its own friction
  EXPECT_GT(law.residual(against, inside, g), 0.1);
}

TEST(Laws, CoulombWithoutNormalImpulseAllowsEverySlip) {
  const LawCoulomb law = {0};
  const double slip[2] = {3, -4}, none[2] = {0, 0};
  EXPECT_EQ(law.residual(slip, none, 1), 0);
}

}  // namespace
}  // namespace lipkin
