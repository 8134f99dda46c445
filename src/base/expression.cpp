#include "base/expression.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/expression_functions.hpp"
#include "base/expression_lexer.hpp"
#include "base/expression_mistakes.hpp"
#include "base/infinity.hpp"
#include "base/nearest_name.hpp"

namespace lipkin {
namespace {

bool is_function(std::string_view name) { return find_expression_function(name) != nullptr; }
bool is_constant_name(std::string_view name) { return find_expression_constant(name) != nullptr; }

}  // namespace

// Recursive descent; the grammar is at the top of expression.hpp. Emits the program in postfix order.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text), lexer_(text) { advance(); }

  Expression parse() {
    if (token_.kind == TokenKind::kEnd) throw ExpressionError("the expression is empty", token_.offset);
    conditional();
    if (token_.kind != TokenKind::kEnd) fail_behind_operand();
    return std::move(expression_);
  }

 private:
  using Instruction = Expression::Instruction;
  using Kind = Expression::Kind;

  // Bounds the recursion, and with it the C++ stack, whatever the text.
  struct Nesting {
    explicit Nesting(ExpressionParser& owner) : parser(owner) {
      if (++parser.nesting_ > Expression::kMaxNesting)
        throw ExpressionError("nested deeper than " + std::to_string(Expression::kMaxNesting) + " levels",
                              parser.token_.offset);
    }
    ~Nesting() { --parser.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ExpressionParser& parser;
  };

  void advance() {
    before_ = token_;
    token_ = lexer_.next();
  }
  bool at(std::string_view op) const { return token_.kind == TokenKind::kOperator && token_.text == op; }

  bool accept(std::string_view op) {
    const bool found = at(op);
    if (found) advance();
    return found;
  }

  void expect(std::string_view op, const std::string& purpose) {
    if (begins_operand() || (at(",") && op == ":")) fail_behind_operand();
    if (!accept(op)) throw ExpressionError("expected '" + std::string(op) + "' " + purpose, token_.offset);
  }

  bool begins_operand() const {
    return token_.kind == TokenKind::kNumber || token_.kind == TokenKind::kName || token_.kind == TokenKind::kQuoted ||
           at("(");
  }

  // Behind an operand comes an operator, or the end.
  [[noreturn]] void fail_behind_operand() {
    const Token operand = before_, here = token_;
    const std::string message =
        "unexpected '" + std::string(here.text) + "' behind '" + std::string(operand.text) + "'";
    if (begins_operand()) throw ExpressionError(message, here.offset, hint_for_operands(text_, operand, here));
    if (!at(",")) throw ExpressionError(message, here.offset);
    advance();
    throw ExpressionError(message, here.offset, hint_for_comma(operand, token_));
  }

  [[noreturn]] void fail_unexpected() const {
    if (token_.kind == TokenKind::kEnd)
      throw ExpressionError("the expression ends too early: expected a number, a name or '('", token_.offset);
    throw ExpressionError("unexpected '" + std::string(token_.text) + "'", token_.offset,
                          hint_for_operator(text_, before_, token_));
  }

  void conditional() {
    const Nesting nesting(*this);
    binary(1);
    if (!accept("?")) return;
    conditional();
    expect(":", "between the two values of '?'");
    conditional();
    operation(kSelection);
  }

  const ExpressionFunction* binary_operator() const {
    return token_.kind == TokenKind::kOperator ? find_expression_operator(token_.text) : nullptr;
  }

  // Precedence climbing: operands joined by operators that bind at least as strongly as `weakest`.
  void binary(int weakest) {
    unary();
    for (const ExpressionFunction* op = binary_operator(); op && op->precedence >= weakest; op = binary_operator()) {
      advance();
      binary(op->precedence + 1);
      operation(*op);
      const ExpressionFunction* following = binary_operator();
      if (op->precedence == kComparisonPrecedence && following && following->precedence == kComparisonPrecedence)
        throw ExpressionError("comparisons cannot be chained, join them with &&", token_.offset);
    }
  }

  void unary() {
    if (accept("+")) return nested_unary();
    if (accept("-")) {
      nested_unary();
      return operation(kNegation);
    }
    if (accept("!")) {
      nested_unary();
      return operation(kLogicalNot);
    }
    primary();
    if (!accept("^")) return;
    nested_unary();
    operation(kPower);
  }

  void nested_unary() {
    const Nesting nesting(*this);
    unary();
  }

  void primary() {
    if (token_.kind == TokenKind::kNumber) {
      constant(token_.value);
      return advance();
    }
    if (token_.kind == TokenKind::kName) return named();
    if (token_.kind == TokenKind::kQuoted) return quoted();
    if (!accept("(")) fail_unexpected();
    conditional();
    expect(")", "to close '('");
  }

  void named() {
    const Token name = token_;
    advance();
    if (at("(")) return call(name);
    if (const double* known = find_expression_constant(name.text)) return constant(*known);
    if (is_function(name.text))
      throw ExpressionError("the function '" + std::string(name.text) + "' needs its arguments in parentheses",
                            name.offset);
    grow();
    expression_.emit_variable(name.text);
  }

  void quoted() {
    grow();
    expression_.emit_variable(token_.text);
    advance();
  }

  void call(const Token& name) {
    if (!is_function(name.text)) {
      const std::string other_language = hint_for_function(name.text);
      throw ExpressionError(
          "unknown function '" + std::string(name.text) + "'", name.offset,
          other_language.empty() ? did_you_mean(name.text, expression_function_names()) : other_language);
    }
    const ExpressionFunction& function = *find_expression_function(name.text);
    int count = 0;
    advance();
    do {
      conditional();
      if (++count > 1 && function.is_folded) operation(function);
    } while (accept(","));
    expect(")", "to close the arguments of '" + std::string(name.text) + "'");
    if (function.is_folded) return require_arguments(name, count >= 2, "at least 2", count);
    const int wanted = function.argument_count();
    require_arguments(name, count == wanted, std::to_string(wanted), count);
    operation(function);
  }

  static void require_arguments(const Token& name, bool satisfied, const std::string& wanted, int count) {
    if (satisfied) return;
    throw ExpressionError("the function '" + std::string(name.text) + "' takes " + wanted + " argument" +
                              (wanted == "1" ? "" : "s") + ", not " + std::to_string(count),
                          name.offset, hint_for_arguments(name.text, count));
  }

  // Counts the value about to be pushed.
  void grow() {
    if (++depth_ > Expression::kMaxStack)
      throw ExpressionError("needs more than " + std::to_string(Expression::kMaxStack) + " intermediate values",
                            token_.offset);
  }

  void constant(double value) {
    grow();
    expression_.emit({.kind = Kind::kConstant, .constant = value});
  }
  void operation(const ExpressionFunction& function) {
    depth_ -= function.argument_count() - 1;
    expression_.emit(Expression::instruction_of(function));
  }

  std::string_view text_;
  ExpressionLexer lexer_;
  Token token_, before_;
  Expression expression_;
  int nesting_ = 0;
  int depth_ = 0;
};

Expression Expression::parse(std::string_view text) {
  if (text.size() > kMaxLength)
    throw ExpressionError("the expression is longer than " + std::to_string(kMaxLength) + " characters", kMaxLength);
  return ExpressionParser(text).parse();
}

Expression::Instruction Expression::instruction_of(const ExpressionFunction& function) {
  Instruction result{.kind = Kind::kUnary, .unary = function.unary, .function = &function};
  if (function.binary) result.kind = Kind::kBinary, result.binary = function.binary;
  if (function.ternary) result.kind = Kind::kTernary, result.ternary = function.ternary;
  return result;
}

double Expression::run(std::span<const Instruction> program, std::span<const double> slot_values) {
  std::array<double, kMaxStack> stack;
  double* end = stack.data();  // one behind the topmost value
  for (const Instruction& instruction : program) {
    switch (instruction.kind) {
      case Kind::kConstant:
        *end++ = instruction.constant;
        break;
      case Kind::kVariable:
        *end++ = slot_values[instruction.slot];
        break;
      case Kind::kUnary:
        end[-1] = instruction.unary(end[-1]);
        break;
      case Kind::kBinary:
        end -= 1;
        end[-1] = instruction.binary(end[-1], end[0]);
        break;
      case Kind::kTernary:
        end -= 2;
        end[-1] = instruction.ternary(end[-1], end[0], end[1]);
        break;
    }
  }
  return stack[0];
}

double Expression::evaluate(std::span<const double> slot_values) const {
  if (slot_values.size() < variables_.size())
    throw InternalError("expression evaluated with " + std::to_string(slot_values.size()) + " values for " +
                        std::to_string(variables_.size()) + " variables");
  return run(program_, slot_values);
}

// Forward differentiation. What does not change contributes nothing, whatever its slope: sqrt(0) may stand still.
Expression::ValueAndRate Expression::evaluate_with_rate(std::span<const double> slot_values,
                                                        std::span<const double> slot_rates) const {
  std::array<double, kMaxStack> values, rates;
  double *x = values.data(), *rate = rates.data();  // one behind the topmost
  const auto change = [&](const ExpressionFunction& function, std::size_t count, bool varies) {
    if (!varies || !function.slopes) return 0.0;
    double slopes[3], total = 0;
    function.slopes(x, slopes);
    for (std::size_t k = 0; k < count; ++k)
      if (rate[k] != 0 && slopes[k] != 0) total += slopes[k] * rate[k];
    return total;
  };
  for (const Instruction& instruction : program_) {
    switch (instruction.kind) {
      case Kind::kConstant:
        *x++ = instruction.constant, *rate++ = 0;
        break;
      case Kind::kVariable:
        *x++ = slot_values[instruction.slot], *rate++ = slot_rates[instruction.slot];
        break;
      case Kind::kUnary:
        --x, --rate;
        *rate = change(*instruction.function, 1, *rate != 0);
        *x = instruction.unary(*x);
        ++x, ++rate;
        break;
      case Kind::kBinary:
        x -= 2, rate -= 2;
        *rate = change(*instruction.function, 2, rate[0] != 0 || rate[1] != 0);
        *x = instruction.binary(x[0], x[1]);
        ++x, ++rate;
        break;
      case Kind::kTernary:
        x -= 3, rate -= 3;
        *rate = change(*instruction.function, 3, rate[0] != 0 || rate[1] != 0 || rate[2] != 0);
        *x = instruction.ternary(x[0], x[1], x[2]);
        ++x, ++rate;
        break;
    }
  }
  return {values[0], rates[0]};
}

// Interval arithmetic. Functions of other variables too are no part of the answer.
bool Expression::is_smooth(std::size_t slot, double from, double to) const {
  struct Range {
    Interval values;
    bool is_known;  // a function of the variable alone
  };
  std::array<Range, kMaxStack> stack;
  std::size_t end = 0;
  for (const Instruction& instruction : program_) {
    if (instruction.kind == Kind::kConstant) {
      stack[end++] = {{instruction.constant, instruction.constant}, true};
    } else if (instruction.kind == Kind::kVariable) {
      const bool is_it = instruction.slot == slot;
      stack[end++] = is_it ? Range{{from, to}, true} : Range{{-kInfinity, kInfinity}, false};
    } else {
      const std::size_t count = instruction.argument_count();
      end -= count;
      Interval x[3] = {};
      bool is_known = true, is_fixed = true;
      for (std::size_t k = 0; k < count; ++k) {
        x[k] = stack[end + k].values;
        is_known = is_known && stack[end + k].is_known;
        is_fixed = is_fixed && x[k].is_point();
      }
      const ExpressionFunction& f = *instruction.function;
      if (is_known && !is_fixed && f.is_smooth && !f.is_smooth(x)) return false;
      stack[end++] = {f.range(x), is_known};
    }
  }
  return true;
}

bool Expression::is_continuous() const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::array<double, kMaxStack> constants;  // what stands on the stack; NaN: no constant
  std::size_t end = 0;
  for (const Instruction& instruction : program_) {
    if (instruction.argument_count() == 0) {
      constants[end++] = instruction.kind == Kind::kConstant ? instruction.constant : kNone;
      continue;
    }
    end -= instruction.argument_count();
    const auto continuous = instruction.function->is_continuous;
    if (continuous && !continuous(&constants[end])) return false;
    constants[end++] = kNone;
  }
  return true;
}

// In postfix order the operands of an operation stand right before it: when they are all constants, so is the result.
void Expression::emit(const Instruction& instruction) {
  program_.push_back(instruction);
  const std::size_t operand_count = instruction.argument_count();
  if (operand_count < 1) return;
  const std::span<const Instruction> tail = std::span<const Instruction>(program_).last(operand_count + 1);
  const auto is_constant_value = [](const Instruction& operand) { return operand.kind == Kind::kConstant; };
  if (!std::all_of(tail.begin(), tail.end() - 1, is_constant_value)) return;
  const double value = run(tail, {});
  program_.resize(program_.size() - tail.size());
  program_.push_back({.kind = Kind::kConstant, .constant = value});
}

void Expression::emit_variable(std::string_view name) {
  const auto found = std::find(variables_.begin(), variables_.end(), name);
  const auto slot = static_cast<std::size_t>(found - variables_.begin());
  if (found == variables_.end()) variables_.emplace_back(name);
  program_.push_back({.kind = Kind::kVariable, .slot = slot});
}

Expression Expression::bind(std::string_view name, double value) const {
  Expression bound;
  for (const Instruction& instruction : program_) {
    if (instruction.kind != Kind::kVariable) {
      bound.emit(instruction);
    } else if (variables_[instruction.slot] == name) {
      bound.emit({.kind = Kind::kConstant, .constant = value});
    } else {
      bound.emit_variable(variables_[instruction.slot]);
    }
  }
  return bound;
}

std::string replace_variables(std::string_view text,
                              const std::function<std::string(std::string_view variable)>& replacement) {
  Expression::parse(text);
  std::string result;
  std::size_t copied = 0;
  ExpressionLexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    const bool is_quoted = token.kind == TokenKind::kQuoted;
    if (!is_quoted && (token.kind != TokenKind::kName || is_reserved_in_expressions(token.text))) continue;
    const std::string replaced = replacement(token.text);
    if (is_quoted && replaced == token.text) continue;
    result += text.substr(copied, token.offset - copied);
    result += replaced;
    copied = token.offset + token.text.size() + (is_quoted ? 2 : 0);
  }
  result += text.substr(copied);
  return result;
}

bool is_reserved_in_expressions(std::string_view name) { return is_function(name) || is_constant_name(name); }

}  // namespace lipkin
