#include "base/expression.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <numbers>

namespace lipkin {
namespace {

double value(const std::string& text, const std::vector<double>& slots = {}) {
  return Expression::parse(text).evaluate(slots);
}

// The message and offset of the mistake in `text`.
std::pair<std::string, std::size_t> mistake(const std::string& text) {
  try {
    Expression::parse(text);
  } catch (const ExpressionError& error) {
    return {error.what(), error.offset()};
  }
  return {"no mistake", 0};
}

using Mistake = std::pair<std::string, std::size_t>;

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("8 - 3 - 2"), 3);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value("-2 ^ 2"), -4);
  EXPECT_EQ(value("2 ^ -1"), 0.5);
  EXPECT_EQ(value("2 * -3"), -6);
  EXPECT_EQ(value("+-+3"), -3);
  EXPECT_EQ(value("1 + 2 < 4 && 2 > 1 || 0"), 1);
  EXPECT_EQ(value("!0 + 1"), 2);
  EXPECT_EQ(value("1 ? 2 : 0 ? 3 : 4"), 2);
  EXPECT_EQ(value("0 ? 2 : 0 ? 3 : 4"), 4);
}

TEST(Expression, ReadsNumbersInEveryUsualForm) {
  EXPECT_EQ(value("1.5e-3"), 1.5e-3);
  EXPECT_EQ(value(".25"), 0.25);
  EXPECT_EQ(value("3."), 3);
  EXPECT_EQ(value("1E3"), 1000);
  EXPECT_EQ(value("0.1"), 0.1);
}

TEST(Expression, ReadsNumbersWhateverTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) std::setlocale(LC_NUMERIC, name);
  EXPECT_EQ(value("1.5"), 1.5);
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(Expression, ComparesAndCombinesTruthValues) {
  EXPECT_EQ(value("3 == 3"), 1);
  EXPECT_EQ(value("3 != 3"), 0);
  EXPECT_EQ(value("2 <= 2"), 1);
  EXPECT_EQ(value("2 >= 3"), 0);
  EXPECT_EQ(value("5 && 0"), 0);
  EXPECT_EQ(value("5 || 0"), 1);
  EXPECT_EQ(value("!5"), 0);
}

TEST(Expression, RemainderHasTheSignOfTheDivisor) {
  EXPECT_EQ(value("7 % 3"), 1);
  EXPECT_EQ(value("-7 % 3"), 2);
  EXPECT_EQ(value("7 % -3"), -2);
  EXPECT_EQ(value("5.5 % 2"), 1.5);
}

TEST(Expression, CallsTheStandardFunctions) {
  const double x = 0.7;
  const std::vector<std::pair<std::string, double>> cases = {{"sin", std::sin(x)},   {"cos", std::cos(x)},
                                                             {"tan", std::tan(x)},   {"asin", std::asin(x)},
                                                             {"acos", std::acos(x)}, {"atan", std::atan(x)},
                                                             {"sinh", std::sinh(x)}, {"cosh", std::cosh(x)},
                                                             {"tanh", std::tanh(x)}, {"exp", std::exp(x)},
                                                             {"log", std::log(x)},   {"log10", std::log10(x)},
                                                             {"sqrt", std::sqrt(x)}, {"abs", x},
                                                             {"floor", 0.0},         {"ceil", 1.0},
                                                             {"round", 1.0},         {"sign", 1.0},
                                                             {"step", 1.0}};
  for (const auto& [name, expected] : cases) {
    // Four units in the last place: the compiler may fold the expected value with a better libm.
    EXPECT_DOUBLE_EQ(value(name + "(x)", {x}), expected) << name;
  }
  EXPECT_EQ(value("atan2(1, -1)"), std::atan2(1, -1));
  EXPECT_EQ(value("hypot(3, 4)"), 5);
  EXPECT_EQ(value("min(3, 1, 2)"), 1);
  EXPECT_EQ(value("max(3, 1, 2, 9)"), 9);
  EXPECT_EQ(value("clamp(5, -1, 2) + clamp(-5, -1, 2) + clamp(0.5, -1, 2)"), 1.5);
  EXPECT_EQ(value("abs(-2) + sign(-2) + sign(0)"), 1);
  EXPECT_EQ(value("step(-0.1) + step(0)"), 1);
}

TEST(Expression, SmoothstepIsTheQuinticBetweenItsEdges) {
  EXPECT_EQ(value("smoothstep(0, 1, 3)"), 0);
  EXPECT_EQ(value("smoothstep(2, 1, 3)"), 0.5);
  EXPECT_EQ(value("smoothstep(4, 1, 3)"), 1);
  // 6 s^5 - 15 s^4 + 10 s^3 at s = 1/4 by hand: 6/1024 - 15/256 + 10/64 = 106/1024.
  EXPECT_EQ(value("smoothstep(1.5, 1, 3)"), 106.0 / 1024.0);
}

// x -> 6364136223846793005 x + 1442695040888963407 mod 2^64, step by step.
TEST(Expression, LcgDrawsTheNthNumberOfItsSeed) {
  std::uint64_t state = 20120915;
  for (int n = 1; n <= 300; ++n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    EXPECT_EQ(value("lcg(20120915, x)", {static_cast<double>(n)}), static_cast<double>(state >> 11) * 0x1p-53) << n;
  }
  EXPECT_EQ(value("lcg(20120915, 1)"), 0.13548850762374298);
  EXPECT_TRUE(std::isnan(value("lcg(1, 0)")));
  EXPECT_TRUE(std::isnan(value("lcg(-1, 1)")));
}

TEST(Expression, KnowsItsConstants) {
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("180 * deg"), std::numbers::pi);
  EXPECT_EQ(value("-inf"), -std::numeric_limits<double>::infinity());
}

TEST(Expression, ListsEachVariableOnceInTheOrderOfItsSlots) {
  const Expression e = Expression::parse("t * joint.shoulder.q + joint.ball.u[1] - t / body.bob.x");
  EXPECT_EQ(e.variables(), (std::vector<std::string>{"t", "joint.shoulder.q", "joint.ball.u[1]", "body.bob.x"}));
  EXPECT_EQ(e.evaluate(std::vector<double>{2, 3, 5, 4}), 2 * 3 + 5 - 2.0 / 4);
}

TEST(Expression, BindsVariablesToConstants) {
  const Expression e = Expression::parse("a * b + c").bind("b", 3).bind("a", 2);
  EXPECT_EQ(e.variables(), std::vector<std::string>{"c"});
  EXPECT_EQ(e.evaluate(std::vector<double>{4}), 10);
  EXPECT_TRUE(e.bind("c", 1).is_constant());
  EXPECT_EQ(e.bind("c", 1).evaluate({}), 7);
  EXPECT_EQ(e.bind("unused", 1).variables(), std::vector<std::string>{"c"});
}

TEST(Expression, RefusesTooFewValues) {
  EXPECT_THROW(Expression::parse("a + b").evaluate(std::vector<double>{1}), InternalError);
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(mistake(""), Mistake("the expression is empty", 0));
  EXPECT_EQ(mistake("1 + "), Mistake("the expression ends too early: expected a number, a name or '('", 4));
  EXPECT_EQ(mistake("2 x"), Mistake("unexpected 'x' behind '2'", 2));
  EXPECT_EQ(mistake("(1 + 2"), Mistake("expected ')' to close '('", 6));
  EXPECT_EQ(mistake("1 + 2)"), Mistake("unexpected ')' behind '2'", 5));
  EXPECT_EQ(mistake("a $ b"), Mistake("unexpected character '$'", 2));
  EXPECT_EQ(mistake("3 + sine(2)"), Mistake("unknown function 'sine'", 4));
  EXPECT_EQ(mistake("sin"), Mistake("the function 'sin' needs its arguments in parentheses", 0));
  EXPECT_EQ(mistake("atan2(1)"), Mistake("the function 'atan2' takes 2 arguments, not 1", 0));
  EXPECT_EQ(mistake("sin(1, 2)"), Mistake("the function 'sin' takes 1 argument, not 2", 0));
  EXPECT_EQ(mistake("min(1)"), Mistake("the function 'min' takes at least 2 arguments, not 1", 0));
  EXPECT_EQ(mistake("1 < 2 < 3"), Mistake("comparisons cannot be chained, join them with &&", 6));
  EXPECT_EQ(mistake("1 ? 2"), Mistake("expected ':' between the two values of '?'", 5));
  EXPECT_EQ(mistake("joint..q"), Mistake("expected a name behind '.'", 6));
  EXPECT_EQ(mistake("1e999"), Mistake("the number '1e999' is out of range", 0));
  EXPECT_EQ(mistake("."), Mistake("expected digits beside '.'", 0));
  EXPECT_EQ(mistake("joint.a.u[x]"), Mistake("unexpected character '['", 9));
  EXPECT_EQ(mistake("2 \xc3\xa4"), Mistake("unexpected character '\xc3\xa4'", 2));
}

// Units, degrees, operators and functions of other languages: the hint is the text to write, whole where it can be.
TEST(Expression, SaysWhatToWriteInstead) {
  const auto hint = [](const std::string& text) {
    try {
      Expression::parse(text);
    } catch (const ExpressionError& mistake) {
      return mistake.hint();
    }
    return std::string("none was needed");
  };
  EXPECT_EQ(hint("30deg"), "angles are in radians: write 30*deg");
  EXPECT_EQ(hint("sin(90 deg) + 1"), "angles are in radians: write sin(90*deg) + 1");
  EXPECT_EQ(hint("60 rpm"), "angles are in radians: write 60*2*pi/60");
  EXPECT_EQ(hint("50mm"), "all numbers are in SI units: write 50/1000");
  EXPECT_EQ(hint("2 kg"), "all numbers are in SI units: write 2 without the unit; a product is 2*kg");
  EXPECT_EQ(hint("1000 kg/m^3"), "all numbers are in SI units: write 1000 without the unit; a product is 1000*kg");
  EXPECT_EQ(hint("36 km/h"), "all numbers are in SI units: write 36/3.6");
  EXPECT_EQ(hint("2pi"), "a product is written 2*pi");
  EXPECT_EQ(hint("2(3 + 4)"), "a product is written 2*(...)");
  EXPECT_EQ(hint("2**3"), "a power is written with ^: write 2^3");
  EXPECT_EQ(hint("a > 0 and b"), "write && for 'and'");
  EXPECT_EQ(hint("a = 1"), "write a == 1");
  EXPECT_EQ(hint("30°"), "write 30*deg");
  EXPECT_EQ(hint("2,5"), "write 2.5 with a point; several numbers are a list: [2, 5]");
  EXPECT_EQ(hint("ln(2)"), "write log(x)");
  EXPECT_EQ(hint("math.sqrt(2)"), "write sqrt(...)");
  EXPECT_EQ(hint("sine(2)"), "did you mean 'sin'?");
}

TEST(Expression, BoundsItsNestingWhateverTheText) {
  const auto repeated = [](const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
  };
  EXPECT_EQ(value(repeated("(", 60) + "1" + repeated(")", 60)), 1);
  for (const std::string part : {"(", "-", "!", "+", "2^", "sin(", "1?", "1?1:", "1+(", "a<(b&&"}) {
    const std::string message = mistake(repeated(part, 1000)).first;
    EXPECT_TRUE(message == "nested deeper than 64 levels" || message == "needs more than 64 intermediate values")
        << part << ": " << message;
  }
  EXPECT_EQ(mistake(repeated("1+", 5001)).first, "the expression is longer than 10000 characters");
  EXPECT_EQ(value(repeated("1+", 4999) + "1"), 5000);
}

TEST(Expression, ReplacesVariablesAndKeepsTheRestAsWritten) {
  const auto prefixed = [](std::string_view name) { return "<" + std::string(name) + ">"; };
  EXPECT_EQ(replace_variables("2*a + sin( joint.b.u[1] ) -pi", prefixed), "2*<a> + sin( <joint.b.u[1]> ) -pi");
  EXPECT_EQ(replace_variables("3", prefixed), "3");
  EXPECT_THROW(replace_variables("3 +", prefixed), ExpressionError);
}

TEST(Expression, TakesAnyNameInQuotes) {
  const Expression e = Expression::parse("2 * 'joint.left-knee.q' + 'sin'");
  EXPECT_EQ(e.variables(), (std::vector<std::string>{"joint.left-knee.q", "sin"}));
  EXPECT_EQ(e.evaluate(std::vector<double>{3, 4}), 10);
  EXPECT_EQ(variable_text("joint.left-knee.q[1]"), "'joint.left-knee.q[1]'");
  EXPECT_EQ(variable_text("joint.knee.q[1]"), "joint.knee.q[1]");
  EXPECT_EQ(variable_text("joint.2.q"), "'joint.2.q'");
  EXPECT_EQ(mistake("1 + 'joint.a.q"), Mistake("a name in quotes does not end", 4));
  EXPECT_EQ(mistake("''"), Mistake("expected a name within the quotes", 0));
  const auto same = [](std::string_view name) { return std::string(name); };
  EXPECT_EQ(replace_variables("'joint.a-b.q' + c", same), "'joint.a-b.q' + c");
  EXPECT_EQ(replace_variables("'joint.a-b.q' + c", [](auto) { return std::string("d"); }), "d + d");
}

TEST(Expression, TellsNamesFromReservedWords) {
  EXPECT_TRUE(is_reserved_in_expressions("pi"));
  EXPECT_TRUE(is_reserved_in_expressions("smoothstep"));
  EXPECT_FALSE(is_reserved_in_expressions("length"));
  EXPECT_TRUE(is_identifier("_a9"));
  for (const char* bad : {"", "9a", "a-b", "a.b", "a b", "\xc3\xa4"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

TEST(Expression, WhatIsNotANumberIsNoneInWhatFollows) {
  for (const std::string text :
       {"max(0, sqrt(x))", "max(sqrt(x), 0)", "min(0, sqrt(x))", "min(sqrt(x), 0)", "clamp(sqrt(x), 0, 1)",
        "clamp(0.5, sqrt(x), 1)", "sign(sqrt(x))", "step(sqrt(x))", "sqrt(x) > 0 ? 1 : 2", "sqrt(x) == 0", "!sqrt(x)",
        "sqrt(x) || 1", "sqrt(x) && 0", "smoothstep(sqrt(x), 0, 1)", "abs(sqrt(x))", "hypot(sqrt(x), 1)"})
    EXPECT_TRUE(std::isnan(Expression::parse(text).evaluate(std::vector<double>{-1.0}))) << text;
}

}  // namespace
}  // namespace lipkin
