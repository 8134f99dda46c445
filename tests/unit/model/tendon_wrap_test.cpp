// The way of a string around spheres and cylinders, against closed forms and against every other way.
#include "model/tendon_wrap.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"

namespace lipkin {
namespace {

constexpr double kPi = 3.14159265358979323846;

double length_of(const Vec3<double>& a, const Vec3<double>& b, const TendonTouch& touch) {
  return norm(touch.first - a) + touch.length + norm(b - touch.last);
}

// Two points at the distance d from the centre, with the angle `between` their directions.
double around_circle(double d, double between, double radius) {
  const double reach = std::acos(radius / d);
  return 2 * std::sqrt(d * d - radius * radius) + radius * (between - 2 * reach);
}

TEST(TendonWrap, AroundASphere) {
  const double d = 0.5, r = 0.2;
  for (const double between : {2.5, 3.0, 3.1}) {
    const Vec3<double> a{d, 0, 0}, c{d * std::cos(between), 0, d * std::sin(between)};
    const auto touch = touch_sphere(a, c, r, nullptr);
    ASSERT_TRUE(touch);
    EXPECT_NEAR(length_of(a, c, *touch), around_circle(d, between, r), 1e-15);
    EXPECT_NEAR(dot(touch->first, a - touch->first), 0, 1e-16);  // tangents
    EXPECT_NEAR(dot(touch->last, c - touch->last), 0, 1e-16);
  }
}

TEST(TendonWrap, AroundACylinderIsAHelix) {
  const double d = 0.5, r = 0.2, between = 2.9, rise = 0.7;
  const Vec3<double> a{d, 0, 0.1}, b{d * std::cos(between), d * std::sin(between), 0.1 + rise};
  const auto touch = touch_cylinder(a, b, r, nullptr);
  ASSERT_TRUE(touch);
  EXPECT_NEAR(length_of(a, b, *touch), std::hypot(around_circle(d, between, r), rise), 1e-15);
}

TEST(TendonWrap, StraightWhereNothingIsInTheWay) {
  const Vec3<double> a{0.5, 0.3, 0}, b{-0.5, 0.3, 0}, inside{0.1, 0, 0};
  EXPECT_FALSE(touch_sphere(a, b, 0.2, nullptr));
  EXPECT_FALSE(touch_cylinder(a, b, 0.2, nullptr));
  EXPECT_FALSE(touch_sphere(a, inside, 0.2, nullptr));
  EXPECT_FALSE(touch_sphere(a, a, 0.2, nullptr));
}

// Rounding decides on which side of the surface an anchor lies that is on it: from there the string goes along the
// surface, and pulls along the tangent.
TEST(TendonWrap, FromAPointOnTheSurface) {
  const double r = 0.3, d = 1.1;
  for (const auto touch_shape : {touch_sphere, touch_cylinder})
    for (const double off : {0.0, 1e-16, -1e-16, 1e-13, -1e-13}) {
      const double between = 2;
      const Vec3<double> a{r + off, 0, 0}, b{d * std::cos(between), d * std::sin(between), 0};
      const double expected = r * (between - std::acos(r / d)) + std::sqrt(d * d - r * r);
      for (const bool turned : {false, true}) {
        const auto touch = turned ? touch_shape(b, a, r, nullptr) : touch_shape(a, b, r, nullptr);
        ASSERT_TRUE(touch) << off;
        EXPECT_NEAR(turned ? length_of(b, a, *touch) : length_of(a, b, *touch), expected, 1e-12) << off;
        const Vec3<double> along = turned ? touch->last - a : touch->first - a;
        EXPECT_NEAR((1 / norm(along) * along)[1], 1, 1e-9) << off;
      }
    }
  // Both ends on it, and one within.
  const Vec3<double> p{0, r, 0}, q{r, 0, 0}, within{r * (1 - 1e-6), 0, 0};
  const auto quarter = touch_cylinder(p, q, r, nullptr);
  ASSERT_TRUE(quarter);
  EXPECT_NEAR(length_of(p, q, *quarter), 0.5 * kPi * r, 1e-12);
  EXPECT_FALSE(touch_cylinder(p, within, r, nullptr));
}

TEST(TendonWrap, OnTheSideOfAPoint) {
  const double d = 0.5, r = 0.2, between = 2.9;
  const Vec3<double> a{d, 0, 0}, b{d * std::cos(between), d * std::sin(between), 0};
  const Vec3<double> near{0, 1, 0}, far{0, -1, 0};
  const auto short_way = touch_cylinder(a, b, r, &near), long_way = touch_cylinder(a, b, r, &far);
  ASSERT_TRUE(short_way && long_way);
  EXPECT_NEAR(length_of(a, b, *short_way), around_circle(d, between, r), 1e-15);
  EXPECT_NEAR(length_of(a, b, *long_way), around_circle(d, 2 * kPi - between, r), 1e-15);
}

// A load hangs from a sheave and swings out to both sides, until the rope is about to be wound by a full turn: no
// length jumps, whatever is nearest, and it comes off where its arc has shrunk to nothing.
TEST(TendonWrap, LengthIsContinuousOnTheSideOfAPoint) {
  const double r = 0.2, step = 1e-3;
  const Vec3<double> a{-1, 0.2, 0};
  for (const Vec3<double>& side : {Vec3<double>{0, 1, 0}, Vec3<double>{1, 1, 0}, Vec3<double>{0.3, 0, 0}})
    for (const auto touch_shape : {touch_sphere, touch_cylinder}) {
      const auto length = [&](const Vec3<double>& b) {
        const auto touch = touch_shape(a, b, r, &side);
        return touch ? length_of(a, b, *touch) : norm(b - a);
      };
      double last = length({3, -1, 0});
      for (double x = 3 - step; x > -5; x -= step) {
        const double now = length({x, -1, 0});
        ASSERT_LE(std::abs(now - last), step * (1 + 1e-6)) << x;
        last = now;
      }
      EXPECT_GT(last, norm(Vec3<double>{-5, -1, 0} - a) + 0.5);  // it is still on the sheave
    }
}

TEST(TendonWrap, ComesOffWhereTheArcEnds) {
  test::Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto out = [&](double least) {
      const double angle = random.uniform(-kPi, kPi), d = random.uniform(least, 2);
      return Vec3<double>{d * std::cos(angle), d * std::sin(angle), 0};
    };
    const double r = 0.3;
    const Vec3<double> a = out(0.31), b = out(0.31), side = out(0.5), towards = 1e-6 * out(1);
    const bool has_side = i % 2 == 0;
    const auto length = [&](const Vec3<double>& p) {
      const auto touch = touch_cylinder(a, p, r, has_side ? &side : nullptr);
      return touch ? length_of(a, p, *touch) : norm(p - a);
    };
    // Where neither way is about to be changed for the other, the length changes by no more than the point moves.
    const double middle = dot(side, (1 / norm(a)) * a + (1 / norm(b)) * b);
    if (has_side && std::abs(middle) < 1e-3) continue;
    EXPECT_LE(std::abs(length(b + towards) - length(b)), norm(towards) * (1 + 1e-6) + 1e-14) << i;
  }
}

// A ring: where the straight way passes outside, the string is held by one point of it, and no other point is nearer.
TEST(TendonWrap, WithinARingByTheShortestWay) {
  const Vec3<double> a{0.5, 0.3, 0}, b{-0.4, 0.5, 0}, middle{0.01, 0, 0};
  const double r = 0.2;
  const auto touch = touch_cylinder(a, b, r, &middle);
  ASSERT_TRUE(touch);
  EXPECT_EQ(touch->length, 0);
  EXPECT_NEAR(norm(touch->first), r, 1e-15);
  const double length = length_of(a, b, *touch);
  for (int i = 0; i < 1000; ++i) {
    const double angle = 2 * kPi * i / 1000;
    const Vec3<double> p{r * std::cos(angle), r * std::sin(angle), 0};
    EXPECT_GE(norm(p - a) + norm(b - p), length - 1e-15);
  }
}

// Moving where it touches changes nothing to first order: the gradient of the length is that of the straight pieces.
TEST(TendonWrap, GradientIsAlongTheString) {
  test::Random random(7);
  int count = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto vector = [&](double size) {
      return Vec3<double>{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
    };
    const Vec3<double> a = vector(1), b = vector(1), side = vector(i % 3 == 0 ? 0.1 : 1), direction = vector(1);
    const bool has_side = i % 2 == 0;
    const auto touch_shape = i % 5 < 2 ? touch_sphere : touch_cylinder;
    const auto length = [&](double t) -> std::optional<double> {
      const Vec3<double> p = a + t * direction;
      const auto touch = touch_shape(p, b, 0.3, has_side ? &side : nullptr);
      return touch ? std::optional(length_of(p, b, *touch)) : std::nullopt;
    };
    constexpr double kStep = 1e-5;
    const auto touch = touch_shape(a, b, 0.3, has_side ? &side : nullptr);
    const auto before = length(-kStep), after = length(kStep);
    if (!touch || !before || !after || norm(a - touch->first) < 0.01) continue;
    const Vec3<double> pull = (1 / norm(a - touch->first)) * (a - touch->first);
    EXPECT_NEAR((*after - *before) / (2 * kStep), dot(pull, direction), 1e-6) << i;
    ++count;
  }
  EXPECT_GT(count, 200);
}

}  // namespace
}  // namespace lipkin
