// The functions and operators of expressions: what they give, their slopes, and what they give over intervals.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lipkin {

// low <= high; infinite where nothing is known.
struct Interval {
  double low, high;

  bool is_point() const { return low == high; }
  bool contains(double x) const { return low <= x && x <= high; }
};

// One of the three values is set: by how many arguments it takes.
struct ExpressionFunction {
  std::string_view name;
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  double (*ternary)(double, double, double) = nullptr;

  // Its partial derivatives; null: zero wherever there are any.
  void (*slopes)(const double* x, double* slopes) = nullptr;

  // All that it can give for arguments from intervals, perhaps more.
  Interval (*range)(const Interval* x) = nullptr;

  // Whether it is smooth as long as its arguments are in the intervals: no jump, no kink, and no end of what has faded
  // away; null: always.
  bool (*is_smooth)(const Interval* x) = nullptr;

  // Whether it never jumps, given those of its arguments that are constants (NaN: is none); null: never.
  bool (*is_continuous)(const double* constants) = nullptr;

  int precedence = 0;      // of operators
  bool is_folded = false;  // takes two or more arguments, one after the other

  int argument_count() const { return unary ? 1 : binary ? 2 : 3; }
};

// By name; null where there is none.
const ExpressionFunction* find_expression_function(std::string_view name);
const ExpressionFunction* find_expression_operator(std::string_view text);  // between two operands
const double* find_expression_constant(std::string_view name);
std::vector<std::string> expression_function_names();

inline constexpr int kComparisonPrecedence = 3;

extern const ExpressionFunction kNegation, kLogicalNot, kPower, kSelection;

}  // namespace lipkin
