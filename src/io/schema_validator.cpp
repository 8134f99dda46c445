#include "io/schema_validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/expression.hpp"
#include "base/nearest_name.hpp"

namespace lipkin {
namespace {

unsigned type_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return kJsonNull;
    case Node::Kind::kSequence:
      return kJsonArray;
    case Node::Kind::kMapping:
      return kJsonObject;
    case Node::Kind::kScalar:
      break;
  }
  if (node.quoted) return kJsonString;
  if (node.text == "true" || node.text == "false") return kJsonBoolean;
  double value = 0;
  if (!is_plain_number(node, &value)) return kJsonString;
  return std::floor(value) == value ? kJsonInteger : kJsonNumber;
}

bool accepts(const Schema& schema, unsigned type) {
  const Schema& own = schema.target();
  if (own.alternatives.empty()) return (own.types & type) != 0;
  return std::any_of(own.alternatives.begin(), own.alternatives.end(),
                     [&](const Schema* alternative) { return accepts(*alternative, type); });
}

std::string expectation(const Schema& schema) {
  const Schema& own = schema.target();
  if (!own.title.empty()) return own.title;
  if (own.types == kJsonArray) return "a list";
  if (own.types == kJsonObject) return "a mapping";
  return "a value of another kind";
}

bool has_all(const Node& mapping, const Schema::Keys& keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return mapping.find(key) != nullptr; });
}

bool has_any(const Node& mapping, const Schema::Keys& keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return mapping.find(key) != nullptr; });
}

std::string quoted_list(const Schema::Keys& keys, const std::string& joint) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "'" : joint + "'") + key + "'";
  return text;
}

std::string quoted_choices(const std::vector<Schema::Keys>& choices) {
  std::string text;
  for (const Schema::Keys& keys : choices) text += (text.empty() ? "" : ", ") + quoted_list(keys, " and ");
  return text;
}

// An unknown key of `mapping` that was probably meant to be `key`: its own message says enough.
bool is_misspelled(const Node& mapping, const Schema& schema, const std::string& key) {
  return std::any_of(mapping.keys.begin(), mapping.keys.end(), [&](const Node& written) {
    return schema.property(written.text) == nullptr && nearest_name(written.text, schema.property_names) == key;
  });
}

}  // namespace

std::string range_mistake(const Schema& schema, double value) {
  if (!std::isfinite(value)) return "a finite number";
  if ((schema.types & kJsonNumber) == 0 && std::floor(value) != value) return "a whole number";
  if (value < schema.minimum) return fmt::format("at least {}", schema.minimum);
  if (value > schema.maximum) return fmt::format("at most {}", schema.maximum);
  if (value <= schema.exclusive_minimum) return fmt::format("greater than {}", schema.exclusive_minimum);
  return {};
}

std::string expected_text(const std::string& label, const std::string& expected, const Node& found) {
  if (found.is_null()) return fmt::format("{} has no value: expected {}", label, expected);
  return fmt::format("{} must be {}, not {}", label, expected, describe(found));
}

void SchemaValidator::validate(const Node& node, const Schema& schema, const std::string& label) {
  if (has_enough()) return;
  const int errors_before = diagnostics_.error_count();
  validate_checked(node, schema.target(), label);
  if (diagnostics_.error_count() != errors_before) damaged_.insert(&node);
}

void SchemaValidator::validate_checked(const Node& node, const Schema& schema, const std::string& label) {
  if (!accepts(schema, type_of(node)))
    return diagnostics_.error(node.where(), expected_text(label, expectation(schema), node));
  if (!schema.alternatives.empty()) return validate_alternatives(node, schema, label);
  if (node.is_scalar()) validate_scalar(node, schema, label);
  if (node.is_sequence()) validate_sequence(node, schema, label);
  if (node.is_mapping()) validate_mapping(node, schema, label);
}

// Among the alternatives of the right type the one with the fewest mistakes was meant; where several are as wrong, the
// message names them all.
void SchemaValidator::validate_alternatives(const Node& node, const Schema& schema, const std::string& label) {
  std::optional<SchemaValidator> best;
  bool tied = false;
  for (const Schema* alternative : schema.alternatives) {
    if (!accepts(*alternative, type_of(node))) continue;
    SchemaValidator trial;
    trial.validate(node, *alternative, label);
    const int count = trial.diagnostics_.error_count();
    if (count == 0) return;
    const int fewest = best ? best->diagnostics_.error_count() : count + 1;
    tied = count == fewest || (tied && count > fewest);
    if (count < fewest) best = std::move(trial);
  }
  if (tied) return diagnostics_.error(node.where(), expected_text(label, expectation(schema), node));
  diagnostics_.merge(best->diagnostics_);
  damaged_.merge(best->damaged_);
}

void SchemaValidator::validate_scalar(const Node& node, const Schema& schema, const std::string& label) {
  double value = 0;
  if (is_plain_number(node, &value)) {
    const std::string expected = range_mistake(schema, value);
    if (!expected.empty()) return diagnostics_.error(node.where(), expected_text(label, expected, node));
  }
  const Schema::Keys& known = schema.enumeration;
  if (!known.empty() && std::find(known.begin(), known.end(), node.text) == known.end()) {
    const std::string expected = (known.size() > 1 ? "one of " : "") + fmt::format("{}", fmt::join(known, ", "));
    return diagnostics_.error(node.where(), expected_text(label, expected, node), did_you_mean(node.text, known));
  }
  if (type_of(node) == kJsonString) validate_text(node, schema, label);
}

void SchemaValidator::validate_text(const Node& node, const Schema& schema, const std::string& label) {
  if (node.text.size() > schema.max_length)
    return diagnostics_.error(node.where(), fmt::format("{} is longer than {} characters", label, schema.max_length));
  if (schema.pattern && !std::regex_search(node.text, *schema.pattern))
    return diagnostics_.error(node.where(), expected_text(label, expectation(schema), node));
  if (!schema.format.empty() && is_non_finite_literal(node))
    return diagnostics_.error(node.where(), expected_text(label, "a finite number", node));
  const bool has_braces = node.text.find('{') != std::string::npos;
  if (schema.format.empty() || (schema.format == "expression" && has_braces)) return;
  try {
    Expression::parse(node.text);
  } catch (const ExpressionError& mistake) {
    SourceLocation where = node.where();
    if (where.line > 0) where.column += static_cast<int>(mistake.offset()) + (node.quoted ? 1 : 0);
    diagnostics_.error(where, fmt::format("{}: {} in {}", label, mistake.what(), describe(node)));
  }
}

void SchemaValidator::validate_sequence(const Node& node, const Schema& schema, const std::string& label) {
  const std::size_t count = node.items.size();
  if (count < schema.min_items || count > schema.max_items) {
    const std::string wanted = schema.min_items == schema.max_items ? fmt::format("{}", schema.min_items)
                               : schema.max_items == Schema::kUnlimited
                                   ? fmt::format("at least {}", schema.min_items)
                                   : fmt::format("{} to {}", schema.min_items, schema.max_items);
    return diagnostics_.error(node.where(), fmt::format("{} must have {} values, not {}", label, wanted, count));
  }
  if (!schema.items) return;
  for (std::size_t i = 0; i < count; ++i)
    validate(node.items[i], *schema.items, fmt::format("item {} of {}", i + 1, label));
}

void SchemaValidator::validate_mapping(const Node& node, const Schema& schema, const std::string& label) {
  for (std::size_t i = 0; i < node.keys.size() && !has_enough(); ++i)
    validate_entry(node.keys[i], node.items[i], schema);
  if (node.keys.size() < schema.min_properties) diagnostics_.error(node.where(), fmt::format("{} is empty", label));
  require_keys(node, schema);
  if (!schema.exclusive.empty()) require_one_choice(node, schema);
}

void SchemaValidator::validate_entry(const Node& key, const Node& value, const Schema& schema) {
  if (schema.key) validate(key, *schema.key, "the key '" + key.text + "'");
  if (const Schema* property = schema.property(key.text)) return validate(value, *property, "'" + key.text + "'");
  if (!schema.closed) return;
  std::string hint = did_you_mean(key.text, schema.property_names);
  if (hint.empty() && schema.property_names.empty()) hint = "it takes none";
  if (hint.empty()) hint = fmt::format("known keys: {}", fmt::join(schema.property_names, ", "));
  diagnostics_.error(key.where(), fmt::format("unknown key {} in {}", describe(key), expectation(schema)), hint);
}

void SchemaValidator::require_keys(const Node& node, const Schema& schema) {
  if (has_enough()) return;
  for (const std::string& key : schema.required)
    if (!node.find(key) && !is_misspelled(node, schema, key))
      diagnostics_.error(node.where(), fmt::format("{} needs the key '{}'", expectation(schema), key));
  for (const auto& [key, needed] : schema.dependent_required)
    if (node.find(key) && !has_all(node, needed))
      diagnostics_.error(node.find(key)->where(),
                         fmt::format("'{}' needs {} beside it", key, quoted_list(needed, " and ")));
}

void SchemaValidator::require_one_choice(const Node& node, const Schema& schema) {
  if (has_enough()) return;
  const auto& choices = schema.exclusive;
  const auto begun =
      std::count_if(choices.begin(), choices.end(), [&](const auto& keys) { return has_any(node, keys); });
  const auto complete =
      std::count_if(choices.begin(), choices.end(), [&](const auto& keys) { return has_all(node, keys); });
  if (begun == 1 && complete == 1) return;
  const bool slip = std::any_of(choices.begin(), choices.end(), [&](const Schema::Keys& keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return is_misspelled(node, schema, key); });
  });
  if (!slip || begun > 1)
    diagnostics_.error(node.where(),
                       fmt::format("{} needs exactly one of {}", expectation(schema), quoted_choices(choices)));
}

}  // namespace lipkin
