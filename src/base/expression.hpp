// Arithmetic expressions of named variables, compiled to a stack program that evaluates without allocating.
//
//   a ? b : c                          conditional
//   ||  &&                             logic: 0 is false, anything else true; results are 0 or 1
//   ==  !=  <  <=  >  >=               comparisons; not chained
//   +  -   *  /  %                     x % y = x - y floor(x / y), the sign of y
//   -x  +x  !x
//   ^                                  power, from right to left, stronger than a sign before it: -2^2 = -4
//   sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt abs min max floor ceil round sign hypot
//   clamp(x, low, high)  step(x)       step: 0 below zero, 1 from zero on
//   smoothstep(x, edge0, edge1)        6 s^5 - 15 s^4 + 10 s^3 between the edges, 0 before and 1 behind
//   lcg(seed, n)                       n-th draw, from 1, of a generator of numbers from 0 to 1
//   pi  deg  inf                       deg = pi/180
//
// A variable is a name or a dotted path of names, perhaps with an index: t, joint.shoulder.q, joint.ball.u[1]. Names
// are letters, digits and underscores and do not begin with a digit; a variable with other names stands in quotes as a
// whole: 'joint.left-knee.q'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lipkin/error.hpp"

namespace lipkin {

struct ExpressionFunction;

class ExpressionError : public Error {
 public:
  ExpressionError(const std::string& message, std::size_t offset, std::string hint = {})
      : Error(message), offset_(offset), hint_(std::move(hint)) {}
  std::size_t offset() const { return offset_; }     // characters before the mistake
  const std::string& hint() const { return hint_; }  // what to write instead; may be empty
  std::string text() const { return hint_.empty() ? what() : what() + (" (" + hint_ + ")"); }

 private:
  std::size_t offset_;
  std::string hint_;
};

class Expression {
 public:
  static constexpr int kMaxStack = 64;              // values on the stack during evaluation
  static constexpr int kMaxNesting = 64;            // parentheses, signs and powers within one another
  static constexpr std::size_t kMaxLength = 10000;  // characters

  // Throws ExpressionError.
  static Expression parse(std::string_view text);

  // Each variable once, in the order of the slots.
  const std::vector<std::string>& variables() const { return variables_; }
  bool is_constant() const { return variables_.empty(); }

  // One value per slot. Allocates nothing; out-of-range arguments give NaN or infinity as in <cmath>.
  double evaluate(std::span<const double> slot_values) const;

  struct ValueAndRate {
    double value, rate;
  };
  // The value and its derivative with respect to time where the slots have these rates, by dual numbers. Jumps have no
  // rate; where two pieces meet the rate is that of one of them.
  ValueAndRate evaluate_with_rate(std::span<const double> slot_values, std::span<const double> slot_rates) const;

  // Whether it has no jump and no kink while the variable of a slot goes from `from` to `to`, whatever the others are:
  // comparisons, steps, roundings, clamps and the like of that variable alone keep their branch, and no exponential
  // that had faded away begins to count. Parts that depend on other variables too are left out. False may be said where
  // it cannot be seen.
  bool is_smooth(std::size_t slot, double from, double to) const;

  // Whether it is seen to have no jump, whatever the variables are. Where it is not a number it may end.
  bool is_continuous() const;

  // The same expression with one variable replaced by its value, constant parts folded.
  Expression bind(std::string_view name, double value) const;

 private:
  friend class ExpressionParser;

  enum class Kind : std::uint8_t { kConstant, kVariable, kUnary, kBinary, kTernary };
  struct Instruction {
    Kind kind;
    union {
      double constant;
      std::size_t slot;
      double (*unary)(double);
      double (*binary)(double, double);
      double (*ternary)(double, double, double);
    };
    const ExpressionFunction* function = nullptr;  // of operations

    std::size_t argument_count() const {
      return kind < Kind::kUnary ? 0 : kind == Kind::kUnary ? 1 : kind == Kind::kBinary ? 2 : 3;
    }
    double apply(const double* x) const {
      return kind == Kind::kUnary    ? unary(x[0])
             : kind == Kind::kBinary ? binary(x[0], x[1])
                                     : ternary(x[0], x[1], x[2]);
    }
  };

  static Instruction instruction_of(const ExpressionFunction& function);
  static double run(std::span<const Instruction> program, std::span<const double> slot_values);
  void emit(const Instruction& instruction);
  void emit_variable(std::string_view name);

  std::vector<Instruction> program_;
  std::vector<std::string> variables_;
};

// `text` with every variable replaced by what `replacement` gives for its name; the rest stays as written, quotes of
// names that it leaves alone too. The text must be a valid expression; throws ExpressionError where it is not.
std::string replace_variables(std::string_view text,
                              const std::function<std::string(std::string_view variable)>& replacement);

// A variable as an expression says it: in quotes where its names need them.
std::string variable_text(std::string_view name);

// Whether `name` is a function or constant of expressions and so cannot name a parameter.
bool is_reserved_in_expressions(std::string_view name);

// Letters, digits and underscores, not beginning with a digit.
bool is_identifier(std::string_view name);

}  // namespace lipkin
