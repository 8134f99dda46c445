#include "io/value_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/expression_mistakes.hpp"
#include "base/nearest_name.hpp"
#include "io/instead.hpp"
#include "io/schema_validator.hpp"

namespace lipkin {
namespace {

constexpr double kLargestWholeNumber = 1e15;

bool is_known_only_while_running(std::string_view name) { return name == "t" || name.find('.') != std::string::npos; }

SourceLocation place_in(const Node& node, std::size_t offset) {
  SourceLocation where = node.where();
  if (where.line > 0) where.column += static_cast<int>(offset) + (node.quoted ? 1 : 0);
  return where;
}

// The number or arithmetic with the other sign.
Node opposite(const Node& node) {
  Node result = node;
  double value = 0;
  if (!is_plain_number(node, &value)) {
    result.text = "-(" + node.text + ")";
  } else if (value != 0) {
    result.text = node.text[0] == '-' ? node.text.substr(1) : "-" + node.text;
  }
  return result;
}

}  // namespace

void ValueReader::count_items(double count, const SourceLocation& where) {
  item_count_ += count;
  if (item_count_ <= kMaxItems) return;
  diagnostics_->error(where, fmt::format("the scene has more than {} items, copies included", kMaxItems));
  throw ReadingStopped();
}

const Node& ValueReader::pick(const Node& node, const Scope& scope) {
  const Node* picked = &node;
  while (picked->is_mapping() && picked->keys.size() == 2 && picked->find("first") && picked->find("next"))
    picked = picked->find(scope.first_copy ? "first" : "next");
  return *picked;
}

const Expression* ValueReader::parsed(const Node& node, const std::string& label) {
  const auto known = expressions_.find(&node);
  if (known != expressions_.end()) return &known->second;
  try {
    return &expressions_.emplace(&node, Expression::parse(node.text)).first->second;
  } catch (const ExpressionError& mistake) {
    diagnostics_->error(place_in(node, mistake.offset()),
                        fmt::format("{}: {} in {}", label, mistake.what(), describe(node)), mistake.hint());
    return nullptr;
  }
}

double ValueReader::number(const Node& written, const Schema& schema, const Scope& scope, const std::string& label) {
  const Node& node = pick(written, scope);
  double value = 0;
  if (is_plain_number(node, &value)) return value;  // in range: the validator has seen it
  const Expression* expression = parsed(node, label);
  if (!expression) return 0;
  const int errors_before = diagnostics_->error_count();
  value = evaluate(*expression, node.where(), scope);
  return diagnostics_->error_count() == errors_before ? in_range(value, node, schema, label) : 0;
}

void ValueReader::warn_of_degrees(const Node& node, const std::string& label) {
  double value = 0;
  if (!is_plain_number(node, &value) || std::abs(value) <= 2 * std::numbers::pi) return;
  diagnostics_->warning(node.where(),
                        fmt::format("{} is {:g} rad, {:.3g} turns", label, value, value / (2 * std::numbers::pi)),
                        fmt::format("angles are in radians: {} degrees are {}*deg", node.text, node.text));
}

void ValueReader::warn_of_degrees_in_range(const Node& range, const std::string& key) {
  double largest = 0, value = 0;
  Node meant = range;
  for (Node& item : meant.items) {
    if (!is_plain_number(item, &value)) continue;
    if (std::abs(value) > std::abs(largest)) largest = value;
    if (value != 0) item.text += "*deg";
  }
  if (std::abs(largest) <= 2 * std::numbers::pi) return;
  diagnostics_->warning(
      range.where(), fmt::format("'{}' reaches {:g} rad, {:.3g} turns", key, largest, largest / (2 * std::numbers::pi)),
      fmt::format("angles are in radians: write {}: {}", key, written(meant)));
}

void ValueReader::warn_of_w_last(const Node& list, const std::vector<double>& values, std::size_t first,
                                 const std::string& key, const std::string& half_turn) {
  if (!list.is_sequence() || list.items.size() != first + 4 || values.size() != first + 4) return;
  const double x = values[first + 1], y = values[first + 2], z = values[first + 3];
  if (values[first] != 0 || !(z > 0)) return;
  const bool is_none = x == 0 && y == 0;
  if (is_none && !is_plain_number(list.items[first + 3])) return;
  Node meant = list, negated = list;
  std::rotate(meant.items.begin() + static_cast<std::ptrdiff_t>(first), meant.items.end() - 1, meant.items.end());
  for (std::size_t k = first + 1; k < negated.items.size(); ++k) negated.items[k] = opposite(list.items[k]);
  diagnostics_->warning(
      list.items[first].where(),
      fmt::format("the quaternion of '{}' is half a turn about {}", key,
                  is_none ? "z" : fmt::format("[{:.4g}, {:.4g}, {:.4g}]", x, y, z)),
      fmt::format("w comes first: write {}: {}{}, or {} for half a turn", key, written(meant),
                  is_none ? " for no turn" : "", half_turn.empty() || !is_none ? written(negated) : half_turn));
}

double ValueReader::in_range(double value, const Node& node, const Schema& schema, const std::string& label) {
  const Schema* numeric = schema.of_type(kJsonInteger);
  const std::string expected = range_mistake(numeric ? *numeric : schema, value);
  if (expected.empty()) return value;
  diagnostics_->error(node.where(), fmt::format("{} must be {}, not {} = {}", label, expected, describe(node), value));
  return 0;
}

double ValueReader::evaluate(const Expression& expression, const SourceLocation& where, const Scope& scope) {
  std::vector<double> values;
  for (const std::string& name : expression.variables()) {
    const std::optional<double> value = scope.value_of(name);
    values.push_back(value.value_or(0));
    if (value) continue;
    if (is_known_only_while_running(name)) {
      diagnostics_->error(where, fmt::format("'{}' is known only while running; this number is fixed before", name));
    } else {
      std::string hint = hint_for_name(name);
      if (hint.empty() && scope.instance->written_below.contains(name)) hint = "it is defined below: move it up";
      if (hint.empty()) hint = did_you_mean(name, scope.known_names());
      diagnostics_->error(where, fmt::format("unknown parameter '{}'", name), std::move(hint));
    }
  }
  return expression.evaluate(values);
}

double ValueReader::evaluate_in_braces(const std::string& text, const Node& node, const Scope& scope) {
  try {
    const double value = evaluate(Expression::parse(text), node.where(), scope);
    if (std::floor(value) == value && std::abs(value) < kLargestWholeNumber) return value;
    diagnostics_->error(node.where(), fmt::format("'{{{}}}' must be a whole number, not {}", text, value));
  } catch (const ExpressionError& mistake) {
    diagnostics_->error(node.where(), fmt::format("{} in '{{{}}}'", mistake.what(), text), mistake.hint());
  }
  return 0;
}

std::string ValueReader::text(const Node& written, const Scope& scope) {
  const Node& node = pick(written, scope);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t open = node.text.find('{'); open != std::string::npos; open = node.text.find('{', copied)) {
    const std::size_t close = node.text.find('}', open);
    if (close == std::string::npos) {
      diagnostics_->error(node.where(), "expected '}' to close '{' in " + describe(node));
      return {};
    }
    result += node.text.substr(copied, open - copied);
    const double value = evaluate_in_braces(node.text.substr(open + 1, close - open - 1), node, scope);
    result += fmt::format("{:.0f}", value);
    copied = close + 1;
  }
  return result + node.text.substr(copied);
}

std::string ValueReader::name(const Node& node, const Scope& scope, const std::string& label) {
  const int errors_before = diagnostics_->error_count();
  const std::string result = text(node, scope);
  if (diagnostics_->error_count() == errors_before && !is_identifier(result))
    diagnostics_->error(pick(node, scope).where(),
                        fmt::format("{} comes out as '{}': expected letters, digits and underscores", label, result));
  return result;
}

std::string ValueReader::expression(const Node& written, const Scope& scope, const std::string& label) {
  const Node& node = pick(written, scope);
  const int errors_before = diagnostics_->error_count();
  const std::string filled = text(node, scope);
  if (diagnostics_->error_count() != errors_before) return "0";
  try {
    return replace_variables(filled, [&](std::string_view variable) { return scope.global_variable(variable); });
  } catch (const ExpressionError& mistake) {
    const bool as_written = filled == node.text;
    diagnostics_->error(as_written ? place_in(node, mistake.offset()) : node.where(),
                        fmt::format("{}: {} in '{}'", label, mistake.what(), filled), mistake.hint());
    return "0";
  }
}

std::variant<double, ExpressionText> ValueReader::signal(const Node& written, const Scope& scope,
                                                         const std::string& label) {
  const Node& node = pick(written, scope);
  double value = 0;
  if (is_plain_number(node, &value)) return value;
  const int errors_before = diagnostics_->error_count();
  const std::string global_text = expression(node, scope, label);
  if (diagnostics_->error_count() != errors_before) return 0.0;
  const Expression local = Expression::parse(text(node, scope));
  std::vector<double> values;
  for (const std::string& name : local.variables()) {
    const std::optional<double> known = scope.value_of(name);
    if (!known) return ExpressionText{global_text};
    values.push_back(*known);
  }
  value = local.evaluate(values);
  if (std::isfinite(value)) return value;
  diagnostics_->error(node.where(),
                      fmt::format("{} must be a finite number, not {} = {}", label, describe(node), value));
  return 0.0;
}

}  // namespace lipkin
