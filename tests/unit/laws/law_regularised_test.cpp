// Regularised laws: their derivatives and the energy they store against differences, and what they must never do.
#include <gtest/gtest.h>

#include "laws/law_regularised.hpp"

namespace lipkin {
namespace {

TEST(LawRegularised, DerivativesAreThoseOfTheForce) {
  constexpr double kStep = 1e-6;  // relative; differences of second order are good to its square over rounding: 1e-9
  for (const double n : {1.0, 1.5, 2.2}) {
    for (const double rate : {-0.3, 0.0, 0.7}) {
      const double k = 1e5, c = 0.4, d = 2, depth = 1e-2;
      const auto force = [&](double x, double v) { return regularised_contact(k, n, c, d, x, v).value; };
      const RegularisedForce f = regularised_contact(k, n, c, d, depth, rate);
      ASSERT_GT(f.value, 0);
      const double by_depth =
          (force(depth * (1 + kStep), rate) - force(depth * (1 - kStep), rate)) / (2 * kStep * depth);
      const double by_rate = (force(depth, rate + kStep) - force(depth, rate - kStep)) / (2 * kStep);
      EXPECT_NEAR(f.stiffness, by_depth, 1e-8 * f.stiffness);
      EXPECT_NEAR(f.resistance, by_rate, 1e-7 * f.resistance);
    }
  }
}

TEST(LawRegularised, EnergyIsTheWorkOfTheSpring) {
  const double k = 3e4, n = 1.5, deepest = 2e-3;
  double work = 0;
  constexpr int kParts = 20000;  // midpoints: an error of 1e-9 of the whole
  for (int i = 0; i < kParts; ++i)
    work += regularised_contact(k, n, 0.3, 0, (i + 0.5) * deepest / kParts, 0).value * deepest / kParts;
  EXPECT_NEAR(regularised_contact_energy(k, n, deepest), work, 1e-6 * work);
}

TEST(LawRegularised, NeverPulls) {
  EXPECT_EQ(regularised_contact(1e5, 1, 0, 1e3, 1e-4, -10).value, 0);  // leaves faster than the spring follows
  EXPECT_EQ(regularised_contact(1e5, 1, 0, 1e3, 0, 5).value, 0);
  EXPECT_EQ(regularised_contact(1e5, 1.5, 0, 1e3, -1e-3, 5).value, 0);
}

TEST(LawRegularised, FrictionStaysBelowItsLimitAndReachesIt) {
  EXPECT_NEAR(1e-3 * regularised_slip(1e-3, 1e-3), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(1.0 * regularised_slip(1.0, 1e-3), 1, 1e-6);  // (scale / speed)² / 2
  for (const double v : {1e-6, 1e-3, 1.0, 1e3}) EXPECT_LT(v * regularised_slip(v, 1e-2), 1);
}

}  // namespace
}  // namespace lipkin
