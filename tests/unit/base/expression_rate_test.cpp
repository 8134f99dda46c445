// Derivatives of expressions, and where they are not smooth.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/expression.hpp"

namespace lipkin {
namespace {

Expression::ValueAndRate of(const std::string& text, double t, double x = 0, double x_rate = 0) {
  const Expression e = Expression::parse(text);
  std::vector<double> values, rates;
  for (const std::string& name : e.variables()) {
    values.push_back(name == "t" ? t : x);
    rates.push_back(name == "t" ? 1 : x_rate);
  }
  return e.evaluate_with_rate(values, rates);
}

// Against central differences: of second order, so that their error falls by four where the interval is halved; what
// Richardson's extrapolation leaves is below 1e-8 of the size for these functions.
TEST(ExpressionRate, IsTheDerivative) {
  const char* texts[] = {"sin(3*t)",
                         "cos(t)^2",
                         "tan(0.3*t)",
                         "asin(0.2*t)",
                         "acos(0.2*t)",
                         "atan(t)",
                         "sinh(t)",
                         "cosh(t)",
                         "tanh(t)",
                         "exp(-t)",
                         "log(1+t)",
                         "log10(2+t)",
                         "sqrt(1+t)",
                         "abs(t-9)",
                         "atan2(t, 2)",
                         "atan2(2, t)",
                         "hypot(t, 3)",
                         "min(t, t^2, 9)",
                         "max(t, t^2)",
                         "clamp(t, 0, t^2)",
                         "clamp(t^3, 0, t+1)",
                         "smoothstep(t, 0, 4)",
                         "smoothstep(t, t-1, 3+t*t)",
                         "t^3/(1+t)",
                         "2^t",
                         "t^t",
                         "-t*t",
                         "7 % t",
                         "t % 0.7",
                         "t>1 ? t^2 : 3",
                         "t<1 ? t^2 : 3*t",
                         "floor(t)*t",
                         "sign(t)*t + step(t-1)*t",
                         "x*t + x^2",
                         "sin(x*t)/x"};
  for (const std::string text : texts) {
    SCOPED_TRACE(text);
    for (const double t : {1.23, 2.71}) {
      const double x = 0.7, x_rate = -1.3;
      const auto along = [&](double s) { return of(text, t + s, x + s * x_rate).value; };
      const auto difference = [&](double h) { return (along(h) - along(-h)) / (2 * h); };
      const double extrapolated = (4 * difference(5e-4) - difference(1e-3)) / 3;
      const auto got = of(text, t, x, x_rate);
      EXPECT_EQ(got.value, along(0));
      EXPECT_NEAR(got.rate, extrapolated, 1e-8 * std::max(1.0, std::abs(extrapolated)));
    }
  }
}

TEST(ExpressionRate, JumpsHaveNone) {
  for (const std::string text :
       {"t>1 ? 5 : 2", "step(t-1)", "floor(t)", "round(t)", "sign(t-1)", "t >= 1", "lcg(1, t)"})
    EXPECT_EQ(of(text, 1).rate, 0) << text;
}

// sqrt has no slope at zero, and none is needed where its argument stands still.
TEST(ExpressionRate, WhatStandsStillAddsNothing) {
  EXPECT_EQ(of("t + sqrt(x)", 2, 0, 0).rate, 1);
  EXPECT_EQ(of("t + x^0.5", 2, 0, 0).rate, 1);
  EXPECT_EQ(of("t > 0 ? t : 1/x", 2, 0, 0).rate, 1);
}

bool is_smooth(const std::string& text, double from, double to) {
  const Expression e = Expression::parse(text);
  const auto& names = e.variables();
  const auto slot = std::find(names.begin(), names.end(), "t") - names.begin();
  return e.is_smooth(static_cast<std::size_t>(slot), from, to);
}

TEST(ExpressionRate, BranchesOfOneVariableAreSeen) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_smooth("t > 1 ? 2 : 3", 0, 0.99));
  EXPECT_FALSE(is_smooth("t > 1 ? 2 : 3", 0, 1));
  EXPECT_TRUE(is_smooth("t > 1 ? 2 : 3", 1.01, kInfinity));
  EXPECT_FALSE(is_smooth("sin(t) > 0.5", 0, 0.6));
  EXPECT_TRUE(is_smooth("sin(t) > 0.5", 0, 0.5));
  EXPECT_TRUE(is_smooth("sin(t) > 1.5", 0, kInfinity));
  EXPECT_FALSE(is_smooth("t % 1", 0.5, 1.2));
  EXPECT_TRUE(is_smooth("t % 1", 1.1, 1.9));
  EXPECT_FALSE(is_smooth("t % 1 < 0.5", 1.1, 1.9));
  EXPECT_TRUE(is_smooth("t % 1 < 0.5", 1.6, 1.9));
  EXPECT_FALSE(is_smooth("abs(t-1)", 0, 2));
  EXPECT_FALSE(is_smooth("max(0, t-1)", 0, 2));
  EXPECT_FALSE(is_smooth("clamp(t, 1, 2)", 0, 1.5));
  EXPECT_TRUE(is_smooth("clamp(t, 1, 2)", 1.1, 1.5));
  EXPECT_FALSE(is_smooth("smoothstep(t, 1, 2)", 0, 1.5));
  EXPECT_FALSE(is_smooth("lcg(3, 1+floor(10*t))", 0.05, 0.15));
  // What also depends on another variable is no matter of this one; a comparison of time beside it is.
  EXPECT_TRUE(is_smooth("x > t", 0, 9));
  EXPECT_TRUE(is_smooth("t + (x > 1)", 0, 9));
  EXPECT_FALSE(is_smooth("x*step(t-3)", 0, 9));
}

TEST(ExpressionSmoothness, SeesWhatNeverJumps) {
  for (const std::string text : {"sin(3*t) + x^2", "asin(0.1*sin(t))", "min(t, abs(x))", "clamp(t, 0, x)", "t/3",
                                 "2*smoothstep(t, 0, 4)", "hypot(t, x)", "sqrt(t)*exp(-t)", "t^0.5"})
    EXPECT_TRUE(Expression::parse(text).is_continuous()) << text;
  for (const std::string text :
       {"step(t - 1)", "sign(t)", "floor(t)", "t % 2", "t > 1 ? 2 : 3", "(t >= 1)*x", "1/t", "t^-1", "x^t",
        "atan2(t, x)", "tan(t)", "smoothstep(t, 1, 1)", "smoothstep(t, x, 2)", "lcg(1, t)", "!t", "log(t)"})
    EXPECT_FALSE(Expression::parse(text).is_continuous()) << text;
}

}  // namespace
}  // namespace lipkin
