#include "spatial/sin_cos.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/figure.hpp"
#include "support/random.hpp"

namespace lipkin {
namespace {

using test::Random;

constexpr double kUlp = std::numeric_limits<double>::epsilon();     // of 1
constexpr float kUlpFloat = std::numeric_limits<float>::epsilon();  // of 1
constexpr double kPi = std::numbers::pi;

// Small and large, of both signs, and next to the multiples of pi/4 where the reduction changes.
std::vector<double> arguments(double limit) {
  std::vector<double> x = {0, 1e-300, 1e-20, 1e-8, 0.5, 1, limit};
  Random random(1);
  for (int n = 0; n < 200000; ++n) x.push_back(random.uniform(0, limit));
  for (int n = 0; n < 100000; ++n) x.push_back(random.uniform(0, 10));
  for (int n = 0; n < 20000; ++n) {
    const double multiple = random.integer(0, static_cast<int>(limit / (kPi / 4)) - 1) * (kPi / 4);
    x.push_back(multiple);
    x.push_back(std::nextafter(multiple, 1e9));
    x.push_back(multiple + random.uniform(-1e-6, 1e-6));
  }
  const std::size_t count = x.size();
  for (std::size_t n = 0; n < count; ++n) x.push_back(-x[n]);
  return x;
}

double error_of(const SinCos<double>& r, double x) {
  const long double sine = std::sin(static_cast<long double>(x)), cosine = std::cos(static_cast<long double>(x));
  return static_cast<double>(std::max(std::abs(r.sin - sine), std::abs(r.cos - cosine)));
}

TEST(SinCos, DoubleIsWithinAnUlpOfOne) {
  double worst = 0, where = 0;
  for (const double x : arguments(1e5)) {
    const double error = error_of(sin_cos(x), x);
    if (error > worst) worst = error, where = x;
  }
  EXPECT_LT(worst, 1.5 * kUlp) << "at " << where;
  test::figure("worst error of sin_cos {:.2f} ulp of 1 for |x| < 1e5, at {:.17g}", worst / kUlp, where);
}

TEST(SinCos, BeyondTheReductionAndOutOfRange) {
  for (const double x : {1.00001e5, -3e7, 1e15, 1e300, -1e22}) EXPECT_LT(error_of(sin_cos(x), x), 1.5 * kUlp) << x;
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sin_cos(x).sin));
    EXPECT_TRUE(std::isnan(sin_cos(x).cos));
  }
}

TEST(SinCos, KeepsTheSmallest) {
  EXPECT_EQ(sin_cos(0.0).sin, 0);
  EXPECT_EQ(sin_cos(0.0).cos, 1);
  EXPECT_EQ(sin_cos(1e-200).sin, 1e-200);
  EXPECT_EQ(sin_cos(-1e-12).sin, std::sin(-1e-12));
}

TEST(SinCos, FloatIsWithinTwoUlpsOfOne) {
  float worst = 0;
  for (const double wide : arguments(4.9e3)) {
    const float x = static_cast<float>(wide);
    const SinCos<float> r = sin_cos(x);
    const double exact_sin = std::sin(static_cast<double>(x)), exact_cos = std::cos(static_cast<double>(x));
    worst = std::max(
        {worst, static_cast<float>(std::abs(r.sin - exact_sin)), static_cast<float>(std::abs(r.cos - exact_cos))});
  }
  EXPECT_LT(worst, 1.5f * kUlpFloat);
  test::figure("worst error of sin_cos {:.2f} ulp of 1 for floats |x| < 4.9e3", worst / kUlpFloat);
  EXPECT_NEAR(sin_cos(1e6f).sin, std::sin(1e6), kUlpFloat);
}

// A pack gives what the scalar gives, also when a single lane is out of range.
template <class T, int N>
void expect_packs_agree(T limit) {
  Random random(3);
  for (int n = 0; n < 5000; ++n) {
    Pack<T, N> x(T(0));
    for (int k = 0; k < N; ++k) x.set_lane(k, static_cast<T>(random.uniform(-limit, limit)));
    if (n % 10 == 0) x.set_lane(n % N, static_cast<T>(1e7));
    const SinCos<Pack<T, N>> r = sin_cos(x);
    for (int k = 0; k < N; ++k) {
      const SinCos<T> expected = sin_cos(x.lane(k));
      const T ulp = std::numeric_limits<T>::epsilon();
      EXPECT_NEAR(r.sin.lane(k), expected.sin, 2 * ulp);
      EXPECT_NEAR(r.cos.lane(k), expected.cos, 2 * ulp);
    }
  }
}

TEST(SinCos, PacksAgreeWithScalars) {
  expect_packs_agree<double, 2>(1e5);
  expect_packs_agree<double, 4>(1e5);
  expect_packs_agree<double, 8>(1e5);
  expect_packs_agree<float, 8>(4.9e3f);
}

TEST(SinCos, DualHasTheDerivatives) {
  for (const double x : {0.0, 0.3, -2.5, 40.0, 1e4}) {
    const SinCos<Dual<double, 1>> r = sin_cos(Dual<double, 1>::variable(x, 0));
    EXPECT_NEAR(r.sin.d[0], std::cos(x), 2 * kUlp);
    EXPECT_NEAR(r.cos.d[0], -std::sin(x), 2 * kUlp);
  }
}

}  // namespace
}  // namespace lipkin
