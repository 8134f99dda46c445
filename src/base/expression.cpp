#include "base/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>

#include "base/expression_lexer.hpp"
#include "base/expression_mistakes.hpp"
#include "base/nearest_name.hpp"

namespace lipkin {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using Ternary = double (*)(double, double, double);

template <typename Function>
struct Named {
  std::string_view name;
  Function function;
};

double sign(double x) { return static_cast<double>(x > 0) - static_cast<double>(x < 0); }

double smoothstep(double x, double edge0, double edge1) {
  const double s = std::clamp((x - edge0) / (edge1 - edge0), 0.0, 1.0);
  return s * s * s * (s * (6 * s - 15) + 10);
}

// The n-th draw of Knuth's linear congruential generator of 64 bits (MMIX), its top 53 bits as a number from 0 to 1.
// The steps to it are taken by repeated squaring (Brown 1994): a draw does not cost more the later it comes.
double lcg(double seed, double n) {
  if (!(seed >= 0 && seed < 0x1p53 && n >= 1 && n < 0x1p53)) return std::numeric_limits<double>::quiet_NaN();
  std::uint64_t factor = 6364136223846793005u, offset = 1442695040888963407u;
  std::uint64_t total_factor = 1, total_offset = 0;
  for (auto steps = static_cast<std::uint64_t>(n); steps > 0; steps /= 2) {
    if (steps % 2 == 1) {
      total_factor *= factor;
      total_offset = total_offset * factor + offset;
    }
    offset *= factor + 1;
    factor *= factor;
  }
  return static_cast<double>((total_factor * static_cast<std::uint64_t>(seed) + total_offset) >> 11) * 0x1p-53;
}

constexpr Named<Unary> kUnaryFunctions[] = {
    {"sin", [](double x) { return std::sin(x); }},         {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},         {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},       {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},       {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},       {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},         {"log10", [](double x) { return std::log10(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},       {"abs", [](double x) { return std::abs(x); }},
    {"floor", [](double x) { return std::floor(x); }},     {"ceil", [](double x) { return std::ceil(x); }},
    {"round", [](double x) { return std::round(x); }},     {"sign", sign},
    {"step", [](double x) { return x >= 0 ? 1.0 : 0.0; }},
};

constexpr Named<Binary> kBinaryFunctions[] = {
    {"atan2", [](double y, double x) { return std::atan2(y, x); }},
    {"hypot", [](double x, double y) { return std::hypot(x, y); }},
    {"lcg", lcg},
};

// Two or more arguments.
constexpr Named<Binary> kFoldedFunctions[] = {
    {"min", [](double x, double y) { return std::min(x, y); }},
    {"max", [](double x, double y) { return std::max(x, y); }},
};

constexpr Named<Ternary> kTernaryFunctions[] = {
    {"clamp", [](double x, double low, double high) { return std::min(std::max(x, low), high); }},
    {"smoothstep", smoothstep},
};

constexpr Named<double> kConstants[] = {
    {"pi", std::numbers::pi}, {"deg", std::numbers::pi / 180}, {"inf", std::numeric_limits<double>::infinity()}};

struct BinaryOperator {
  std::string_view text;
  int precedence;
  Binary function;
};

constexpr int kComparison = 3;

constexpr BinaryOperator kOperators[] = {
    {"||", 1, [](double x, double y) { return x != 0 || y != 0 ? 1.0 : 0.0; }},
    {"&&", 2, [](double x, double y) { return x != 0 && y != 0 ? 1.0 : 0.0; }},
    {"==", kComparison, [](double x, double y) { return x == y ? 1.0 : 0.0; }},
    {"!=", kComparison, [](double x, double y) { return x != y ? 1.0 : 0.0; }},
    {"<", kComparison, [](double x, double y) { return x < y ? 1.0 : 0.0; }},
    {"<=", kComparison, [](double x, double y) { return x <= y ? 1.0 : 0.0; }},
    {">", kComparison, [](double x, double y) { return x > y ? 1.0 : 0.0; }},
    {">=", kComparison, [](double x, double y) { return x >= y ? 1.0 : 0.0; }},
    {"+", 4, [](double x, double y) { return x + y; }},
    {"-", 4, [](double x, double y) { return x - y; }},
    {"*", 5, [](double x, double y) { return x * y; }},
    {"/", 5, [](double x, double y) { return x / y; }},
    {"%", 5, [](double x, double y) { return x - y * std::floor(x / y); }},
};

constexpr Unary kNegate = [](double x) { return -x; };
constexpr Unary kNot = [](double x) { return x == 0 ? 1.0 : 0.0; };
constexpr Binary kPower = [](double x, double y) { return std::pow(x, y); };
constexpr Ternary kSelect = [](double condition, double yes, double no) { return condition != 0 ? yes : no; };

template <typename Function, std::size_t count>
const Named<Function>* find(const Named<Function> (&table)[count], std::string_view name) {
  const auto* found = std::find_if(std::begin(table), std::end(table), [&](const auto& e) { return e.name == name; });
  return found == std::end(table) ? nullptr : found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& f : kUnaryFunctions) names.emplace_back(f.name);
  for (const auto& f : kBinaryFunctions) names.emplace_back(f.name);
  for (const auto& f : kFoldedFunctions) names.emplace_back(f.name);
  for (const auto& f : kTernaryFunctions) names.emplace_back(f.name);
  return names;
}

bool is_function(std::string_view name) {
  return find(kUnaryFunctions, name) || find(kBinaryFunctions, name) || find(kFoldedFunctions, name) ||
         find(kTernaryFunctions, name);
}

bool is_constant_name(std::string_view name) { return find(kConstants, name) != nullptr; }

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
                          hint_for_operator(before_, token_));
  }

  void conditional() {
    const Nesting nesting(*this);
    binary(1);
    if (!accept("?")) return;
    conditional();
    expect(":", "between the two values of '?'");
    conditional();
    operation(kSelect);
  }

  const BinaryOperator* binary_operator() const {
    if (token_.kind != TokenKind::kOperator) return nullptr;
    const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                     [&](const BinaryOperator& op) { return op.text == token_.text; });
    return found == std::end(kOperators) ? nullptr : found;
  }

  // Precedence climbing: operands joined by operators that bind at least as strongly as `weakest`.
  void binary(int weakest) {
    unary();
    for (const BinaryOperator* op = binary_operator(); op && op->precedence >= weakest; op = binary_operator()) {
      advance();
      binary(op->precedence + 1);
      operation(op->function);
      const BinaryOperator* following = binary_operator();
      if (op->precedence == kComparison && following && following->precedence == kComparison)
        throw ExpressionError("comparisons cannot be chained, join them with &&", token_.offset);
    }
  }

  void unary() {
    if (accept("+")) return nested_unary();
    if (accept("-")) {
      nested_unary();
      return operation(kNegate);
    }
    if (accept("!")) {
      nested_unary();
      return operation(kNot);
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
    if (const auto* known = find(kConstants, name.text)) return constant(known->function);
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
      throw ExpressionError("unknown function '" + std::string(name.text) + "'", name.offset,
                            other_language.empty() ? did_you_mean(name.text, function_names()) : other_language);
    }
    const auto* folded = find(kFoldedFunctions, name.text);
    int count = 0;
    advance();
    do {
      conditional();
      if (++count > 1 && folded) operation(folded->function);
    } while (accept(","));
    expect(")", "to close the arguments of '" + std::string(name.text) + "'");
    finish_call(name, count);
  }

  void finish_call(const Token& name, int count) {
    if (find(kFoldedFunctions, name.text)) return require_arguments(name, count >= 2, "at least 2", count);
    if (const auto* f = find(kUnaryFunctions, name.text)) {
      require_arguments(name, count == 1, "1", count);
      operation(f->function);
    } else if (const auto* g = find(kBinaryFunctions, name.text)) {
      require_arguments(name, count == 2, "2", count);
      operation(g->function);
    } else if (const auto* h = find(kTernaryFunctions, name.text)) {
      require_arguments(name, count == 3, "3", count);
      operation(h->function);
    }
  }

  static void require_arguments(const Token& name, bool satisfied, const std::string& wanted, int count) {
    if (satisfied) return;
    throw ExpressionError("the function '" + std::string(name.text) + "' takes " + wanted + " argument" +
                              (wanted == "1" ? "" : "s") + ", not " + std::to_string(count),
                          name.offset);
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
  void operation(Unary function) { expression_.emit({.kind = Kind::kUnary, .unary = function}); }
  void operation(Binary function) {
    depth_ -= 1;
    expression_.emit({.kind = Kind::kBinary, .binary = function});
  }
  void operation(Ternary function) {
    depth_ -= 2;
    expression_.emit({.kind = Kind::kTernary, .ternary = function});
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

// In postfix order the operands of an operation stand right before it: when they are all constants, so is the result.
void Expression::emit(const Instruction& instruction) {
  program_.push_back(instruction);
  const int operand_count = static_cast<int>(instruction.kind) - static_cast<int>(Kind::kVariable);
  if (operand_count < 1) return;
  const std::span<const Instruction> tail =
      std::span<const Instruction>(program_).last(static_cast<std::size_t>(operand_count) + 1);
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
