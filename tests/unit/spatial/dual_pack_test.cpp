// Scalars of other kinds: dual numbers differentiate, packs compute lane by lane.
#include <gtest/gtest.h>

#include <cmath>

#include "spatial/dual.hpp"
#include "spatial/pack.hpp"
#include "spatial/quaternion.hpp"
#include "support/random.hpp"

namespace lipkin {
namespace {

using test::Random;
using Number = Dual<double, 2>;

// A function that uses every operation.
template <class T>
T formula(const T& x, const T& y) {
  T z = x * y - x / (y * y + constant<T>(1));
  z += square_root(x * x + constant<T>(2));
  z -= -y;
  z *= x + constant<T>(0.5);
  return select(x < constant<T>(0), -z, z * z);
}

TEST(Dual, DifferentiatesByTheChainRule) {
  Random random(1);
  for (int n = 0; n < 100; ++n) {
    const double x = (n % 2 == 0 ? 1 : -1) * random.uniform(0.1, 2), y = random.uniform(-2, 2);  // off the branch at 0
    const Number f = formula(Number::variable(x, 0), Number::variable(y, 1));
    EXPECT_NEAR(f.value, formula(x, y), 1e-14 * (1 + std::abs(f.value)));
    constexpr double h = 1e-3;  // differences of order 4
    const auto numeric = [&](auto&& g) { return (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h); };
    EXPECT_NEAR(f.d[0], numeric([&](double d) { return formula(x + d, y); }), 1e-7 * (1 + std::abs(f.d[0])));
    EXPECT_NEAR(f.d[1], numeric([&](double d) { return formula(x, y + d); }), 1e-7 * (1 + std::abs(f.d[1])));
  }
}

TEST(Dual, ConstantsHaveNoDerivative) {
  const Number c(3.5);
  EXPECT_EQ(c.value, 3.5);
  EXPECT_EQ(c.d[0], 0);
  EXPECT_EQ(c.d[1], 0);
  EXPECT_TRUE(Number(1) < Number(2));
  EXPECT_TRUE(Number(2) > Number(1));
}

// The exponential at zero, where the closed form has 0/0.
TEST(Dual, ExponentialOfRotationsAtZero) {
  Vec3<Number> theta = Vec3<Number>::zero();
  theta[1] = Number::variable(0, 1);
  const Quaternion<Number> q = quaternion_exp(theta);
  EXPECT_EQ(q.w.value, 1);
  EXPECT_EQ(q.w.d[1], 0);
  EXPECT_EQ(q.y.d[1], 0.5);
  EXPECT_EQ(q.x.d[1], 0);
}

template <class T, int N>
void expect_lanes_agree() {
  Random random(2);
  for (int n = 0; n < 100; ++n) {
    Pack<T, N> x(T(0)), y(T(0));
    for (int k = 0; k < N; ++k) {
      x.set_lane(k, static_cast<T>(random.uniform(-2, 2)));
      y.set_lane(k, static_cast<T>(random.uniform(-2, 2)));
    }
    const Pack<T, N> z = formula(x, y);
    for (int k = 0; k < N; ++k) {
      const T expected = formula(x.lane(k), y.lane(k));
      // The compiler may fuse multiply and add in one and not in the other.
      EXPECT_NEAR(z.lane(k), expected, 10 * std::numeric_limits<T>::epsilon() * (1 + std::abs(expected)));
    }
  }
}

TEST(Pack, ComputesLaneByLane) {
  expect_lanes_agree<double, 2>();
  expect_lanes_agree<double, 4>();
  expect_lanes_agree<double, 8>();
  expect_lanes_agree<float, 8>();
  expect_lanes_agree<float, 16>();
}

TEST(Pack, QuaternionExponentialTakesBothBranchesAtOnce) {
  using Lanes = Pack<double, 4>;
  const double sizes[4] = {0, 1e-3, 0.5, 3};
  Vec3<Lanes> theta = {{Lanes(0.0), Lanes(0.0), Lanes(0.0)}};
  for (int k = 0; k < 4; ++k) theta[2].set_lane(k, sizes[k]);
  const Quaternion<Lanes> q = quaternion_exp(theta);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(q.w.lane(k), std::cos(sizes[k] / 2), 3e-16);
    EXPECT_NEAR(q.z.lane(k), std::sin(sizes[k] / 2), 3e-16);
  }
}

}  // namespace
}  // namespace lipkin
