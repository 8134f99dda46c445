#include "io/schema_validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "base/expression.hpp"
#include "base/nearest_name.hpp"
#include "io/foreign_keys.hpp"
#include "io/other_forms.hpp"
#include "io/settable_paths.hpp"

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
  return own.types == kJsonObject ? "a mapping" : "a value";
}

// "box" of "'box'"; empty for the label of an item.
std::string key_in(const std::string& label) {
  const bool is_key = label.size() > 2 && label.front() == '\'' && label.find('\'', 1) == label.size() - 1;
  return is_key ? label.substr(1, label.size() - 2) : std::string();
}

bool has_length_of(const Node& list, const Schema& schema) {
  return list.items.size() >= schema.min_items && list.items.size() <= schema.max_items;
}

// A mapping is {first, next} only where it has one of these keys; of several kinds of lists those of another length, or
// with items of another kind, are not meant.
bool may_be_meant(const Node& node, const Schema& alternative, const Schema& all) {
  const Schema& own = alternative.target();
  if (node.is_mapping()) return !own.is_first_and_next() || node.find("first") || node.find("next");
  if (!node.is_sequence()) return true;
  const auto lists = std::count_if(all.alternatives.begin(), all.alternatives.end(),
                                   [](const Schema* other) { return accepts(*other, kJsonArray); });
  return lists == 1 ||
         (has_length_of(node, own) && std::all_of(node.items.begin(), node.items.end(), [&](const Node& item) {
            return !own.items || accepts(*own.items, type_of(item));
          }));
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find_first_of(".;");
  std::string sentence = text.substr(0, end);
  if (sentence.size() > 1 && std::isupper(static_cast<unsigned char>(sentence[1])) == 0)
    sentence[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

bool is_a(const char* definition, const Schema& schema) {
  return &schema.target() == &scene_format().definition(definition).target();
}

bool is_shape(const Schema& schema) { return is_a("shape", schema); }

// Whether an advice stands for keys of its own choice (kAnyKey).
bool has_any_key(const Schema::Keys& meant) {
  return std::any_of(meant.begin(), meant.end(), [](const std::string& key) { return key.starts_with(kAnyKey); });
}

bool contains(const Schema::Keys& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

int open_parentheses(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '(') - std::count(text.begin(), text.end(), ')'));
}

bool has_all(const Node& mapping, const Schema::Keys& keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return mapping.find(key) != nullptr; });
}

bool has_any(const Node& mapping, const Schema::Keys& keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return mapping.find(key) != nullptr; });
}

// Whether any key of the mapping is one of the schema's, or a slip of one.
bool knows_a_key(const Node& mapping, const Schema& schema) {
  return std::any_of(mapping.keys.begin(), mapping.keys.end(), [&](const Node& key) {
    return schema.property(key.text) || !nearest_name(key.text, schema.property_names).empty();
  });
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

}  // namespace

std::string range_mistake(const Schema& schema, double value) {
  if (!std::isfinite(value)) return schema.may_be_infinite && !std::isnan(value) ? "" : "a finite number";
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
  if (!whole_) whole_ = &node;
  const int errors_before = diagnostics_.error_count();
  validate_checked(node, schema.target(), label);
  if (diagnostics_.error_count() != errors_before) damaged_.insert(&node);
}

void SchemaValidator::validate_checked(const Node& node, const Schema& schema, const std::string& label) {
  if (!accepts(schema, type_of(node))) return refuse(node, schema, label);
  if (!schema.alternatives.empty()) return validate_alternatives(node, schema, label);
  if (node.is_scalar()) validate_scalar(node, schema, label);
  if (node.is_sequence()) validate_sequence(node, schema, label);
  if (node.is_mapping()) validate_mapping(node, schema, label);
}

void SchemaValidator::refuse(const Node& node, const Schema& schema, const std::string& label) {
  diagnostics_.error(node.where(), expected_text(label, expectation(schema), node), instead_of(node, schema, label));
}

// What to write; where nothing better is known, what the key means.
std::string SchemaValidator::instead_of(const Node& node, const Schema& schema, const std::string& label) const {
  if (!wants_hints_) return {};
  const std::string key = key_in(label);
  if (key == "contact" && !around_.empty() && is_shape(*around_.back())) return contact_instead_of(node, *whole_);
  std::string hint = write_instead(node, schema, key);
  if (!hint.empty() || around_.empty() || key.empty()) return hint;
  const Schema* property = around_.back()->property(key);
  const bool is_name = schema.pattern != nullptr;  // of what can be seen from its use only
  return property && is_name ? first_sentence(property->description) : std::string();
}

// Among the alternatives of the right type the one with the fewest mistakes was meant; where several are as wrong, the
// message names them all.
void SchemaValidator::validate_alternatives(const Node& node, const Schema& schema, const std::string& label) {
  const Schema* best = nullptr;
  std::optional<SchemaValidator> best_trial;
  int fewest = 0;
  bool tied = false;
  for (const Schema* alternative : schema.alternatives) {
    if (!accepts(*alternative, type_of(node)) || !may_be_meant(node, *alternative, schema)) continue;
    SchemaValidator trial(Hints::kNotWanted);
    trial.around_ = around_;
    trial.whole_ = whole_;
    trial.validate(node, *alternative, label);
    const int count = trial.diagnostics_.error_count();
    if (count == 0) return;
    tied = best && (count == fewest || (tied && count > fewest));
    if (best && count >= fewest) continue;
    best = alternative;
    fewest = count;
    best_trial = std::move(trial);
  }
  if (tied || !best) return refuse(node, schema, label);
  // Another form of the same value may be what was meant: -y as [0, -1, 0], three angles as rpy.
  const Schema& form = best->target();
  const bool is_close = node.is_sequence()  ? has_length_of(node, form)
                        : node.is_mapping() ? knows_a_key(node, form)
                                            : form.enumeration.empty();
  if (!is_close && wants_hints_ && !write_in_another_form(node, schema, key_in(label)).empty())
    return refuse(node, schema, label);
  if (wants_hints_) return validate(node, *best, label);  // once more, now with hints
  diagnostics_.merge(best_trial->diagnostics_);
  damaged_.merge(best_trial->damaged_);
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
    const std::string* advice = schema.advice_for(node.text);
    const std::string nearest = advice ? *advice : did_you_mean(node.text, known);
    return diagnostics_.error(node.where(), expected_text(label, expected, node),
                              nearest.empty() ? instead_of(node, schema, label) : nearest);
  }
  if (type_of(node) == kJsonString) validate_text(node, schema, label);
}

void SchemaValidator::validate_text(const Node& node, const Schema& schema, const std::string& label) {
  if (node.text.size() > schema.max_length)
    return diagnostics_.error(node.where(), fmt::format("{} is longer than {} characters", label, schema.max_length));
  if (schema.pattern && !std::regex_search(node.text, *schema.pattern)) return refuse(node, schema, label);
  if (!schema.format.empty() && is_non_finite_literal(node))
    return diagnostics_.error(node.where(), expected_text(label, "a finite number", node));
  const bool has_braces = node.text.find('{') != std::string::npos;
  if (schema.format.empty() || (schema.format == "expression" && has_braces)) return;
  try {
    Expression::parse(node.text);
  } catch (const ExpressionError& mistake) {
    SourceLocation where = node.where();
    if (where.line > 0) where.column += static_cast<int>(mistake.offset()) + (node.quoted ? 1 : 0);
    diagnostics_.error(where, fmt::format("{}: {} in {}", label, mistake.what(), describe(node)), mistake.hint());
  }
}

// [0, 0, 1,5]: two whole numbers with nothing but a comma between them, and a blank behind the other commas, where
// there are too many values.
static std::string decimal_comma_hint(const Node& list, const Schema& schema, std::string otherwise) {
  const auto is_whole = [](const Node& item) {
    return item.is_scalar() && !item.text.empty() && item.text.find_first_not_of("-0123456789") == std::string::npos;
  };
  if (list.items.size() <= schema.max_items) return otherwise;
  const Node *whole = nullptr, *part = nullptr;
  bool has_blanks = false;  // between others
  for (std::size_t i = 0; i + 1 < list.items.size(); ++i) {
    const Node &one = list.items[i], &next = list.items[i + 1];
    const bool is_close = one.line == next.line && next.column == one.column + static_cast<int>(one.text.size()) + 1;
    has_blanks = has_blanks || !is_close;
    if (is_close && one.line > 0 && is_whole(one) && is_whole(next)) whole = &one, part = &next;
  }
  if (!whole || !has_blanks) return otherwise;
  return fmt::format("write {0}.{1} with a point for {0},{1}", whole->text, part->text);
}

void SchemaValidator::validate_sequence(const Node& node, const Schema& schema, const std::string& label) {
  const std::size_t count = node.items.size();
  if (refuse_split_item(node, label)) return;
  if (!has_length_of(node, schema)) {
    const std::string wanted = schema.min_items == schema.max_items ? fmt::format("{}", schema.min_items)
                               : schema.max_items == Schema::kUnlimited
                                   ? fmt::format("at least {}", schema.min_items)
                                   : fmt::format("{} to {}", schema.min_items, schema.max_items);
    return diagnostics_.error(node.where(), fmt::format("{} must have {} values, not {}", label, wanted, count),
                              decimal_comma_hint(node, schema, instead_of(node, schema, label)));
  }
  if (!schema.items) return;
  const auto none = [&](const auto& fits) {
    return count > 1 && std::none_of(node.items.begin(), node.items.end(), fits);
  };
  const bool none_fits = none([&](const Node& item) { return accepts(*schema.items, type_of(item)); });
  const bool none_has_length = none([&](const Node& item) {
    const Schema* row = schema.items->of_type(kJsonArray);
    return !item.is_sequence() || !row || has_length_of(item, *row);
  });
  if ((none_fits || none_has_length) && wants_hints_ && !write_in_another_form(node, schema, key_in(label)).empty())
    return refuse(node, schema, label);
  if (none_fits) return refuse(node.items[0], *schema.items, fmt::format("every item of {}", label));
  for (std::size_t i = 0; i < count; ++i)
    validate(node.items[i], *schema.items, fmt::format("item {} of {}", i + 1, label));
}

void SchemaValidator::validate_mapping(const Node& node, const Schema& schema, const std::string& label) {
  if (const std::string form = choice_named_by_value(node, schema); !form.empty())
    return diagnostics_.error(node.where(), fmt::format("{} says what it is by its key", expectation(schema)),
                              "write " + form);
  const bool lacks_some = !has_all(node, schema.required) && !knows_a_key(node, schema);
  if (lacks_some && wants_hints_ && !write_in_another_form(node, schema, key_in(label)).empty())
    return refuse(node, schema, label);
  Schema::Keys meant;  // keys that wrong ones stand for: these are not missing as well
  require_beside(node, schema);
  around_.push_back(&schema);
  for (std::size_t i = 0; i < node.keys.size() && !has_enough(); ++i) {
    const std::size_t split = refuse_split_entry(node, i);
    for (std::size_t k = 1; k <= split; ++k) damaged_.insert(&node.items[i + k]);
    if (split == 0) meant.push_back(validate_entry(node, i, schema, meant));
    i += split;
  }
  around_.pop_back();
  if (node.keys.size() < schema.min_properties) diagnostics_.error(node.where(), fmt::format("{} is empty", label));
  require_keys(node, schema, meant);
  if (!schema.exclusive.empty()) require_one_choice(node, schema, meant);
}

// The key that an unknown one stands for; empty for a known one.
std::string SchemaValidator::validate_entry(const Node& mapping, std::size_t index, const Schema& schema,
                                            const Schema::Keys& meant) {
  const Node &key = mapping.keys[index], &value = mapping.items[index];
  if (schema.key && !refuse_path(key, *schema.key)) validate(key, *schema.key, "the key '" + key.text + "'");
  if (damaged_.contains(&value)) return {};
  if (const Schema* property = schema.property(key.text)) {
    validate(value, *property, "'" + key.text + "'");
    return {};
  }
  return schema.closed ? refuse_unknown_key(mapping, index, schema, meant) : std::string();
}

// A path that names nothing to set.
bool SchemaValidator::refuse_path(const Node& key, const Schema& schema) {
  if (schema.paths.empty() || !schema.pattern || std::regex_search(key.text, *schema.pattern)) return false;
  damaged_.insert(&key);
  diagnostics_.error(key.where(), fmt::format("there is no {} to set", describe(key)),
                     wants_hints_ ? settable_instead(key.text, schema, *whole_) : std::string());
  return true;
}

// Where the key belongs that this mapping does not have.
MisplacedKey SchemaValidator::place_of(const Node& mapping, std::size_t index, const Schema& schema) const {
  const Node &key = mapping.keys[index], &value = mapping.items[index];
  if (wants_hints_ && is_shape(schema) && !schema.advice_for(key.text))
    if (const std::string hint = material_of_shape(key.text, mapping, *whole_); !hint.empty()) return {hint, kAnyKey};
  if (wants_hints_ && &mapping == whole_ && key.text == "joints")
    if (const std::string hint = joints_in_their_bodies(value); !hint.empty()) return {hint, kAnyKey};
  if (wants_hints_ && is_a("actuator", schema))
    if (const std::string hint = motor_of_actuator(mapping); !hint.empty()) return {hint, kAnyKey};
  const Schema* outer = around_.size() > 1 ? around_[around_.size() - 2] : nullptr;
  return place_of_key(key, value, schema, outer, wants_hints_);
}

std::string SchemaValidator::refuse_unknown_key(const Node& mapping, std::size_t index, const Schema& schema,
                                                const Schema::Keys& meant) {
  const Node& key = mapping.keys[index];
  const MisplacedKey place = place_of(mapping, index, schema);
  const std::string stands_for = place.takes_place_of == kAnyKey ? kAnyKey + place.hint : place.takes_place_of;
  if (place.takes_place_of == kAnyKey && contains(meant, stands_for)) return {};  // the same advice again
  diagnostics_.error(key.where(), fmt::format("unknown key {} in {}", describe(key), expectation(schema)), place.hint);
  return stands_for;
}

// What a body lacks may stand in a list of its own, which the format has not: joints, for 'joint'.
bool SchemaValidator::is_given_elsewhere(const std::string& key) const {
  return whole_->is_mapping() && whole_->find(key + "s") && !scene_format().root().property(key + "s");
}

void SchemaValidator::require_keys(const Node& node, const Schema& schema, const Schema::Keys& meant) {
  if (has_enough() || has_any_key(meant)) return;
  for (const std::string& key : schema.required)
    if (!node.find(key) && is_given_elsewhere(key)) {
      damaged_.insert(&node);
    } else if (!node.find(key) && !contains(meant, key))
      diagnostics_.error(node.where(), fmt::format("{} needs the key '{}'", expectation(schema), key),
                         wants_hints_ ? example_entry(schema, key) : std::string());
}

// Keys that need others beside them, before their values are looked at: one that does not belong here is no mistake in
// its value.
void SchemaValidator::require_beside(const Node& node, const Schema& schema) {
  for (const auto& [key, needed] : schema.dependent_required) {
    const Node* value = node.find(key);
    if (!value || has_all(node, needed)) continue;
    damaged_.insert(value);
    diagnostics_.error(value->where(), fmt::format("'{}' needs {} beside it", key, quoted_list(needed, " and ")),
                       wants_hints_ ? first_sentence(schema.property(key)->description) : std::string());
  }
}

void SchemaValidator::require_one_choice(const Node& node, const Schema& schema, const Schema::Keys& meant) {
  if (has_enough() || has_any_key(meant)) return;
  const auto& choices = schema.exclusive;
  const auto begun =
      std::count_if(choices.begin(), choices.end(), [&](const auto& keys) { return has_any(node, keys); });
  const auto complete =
      std::count_if(choices.begin(), choices.end(), [&](const auto& keys) { return has_all(node, keys); });
  if (begun == 1 && complete == 1) return;
  const bool slip = std::any_of(choices.begin(), choices.end(), [&](const Schema::Keys& keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return contains(meant, key); });
  });
  if (!slip || begun > 1)
    diagnostics_.error(node.where(),
                       fmt::format("{} needs exactly one of {}", expectation(schema), quoted_choices(choices)));
}

// Within braces and brackets YAML ends a value at a comma: the parts of `max(a, b)` and of `2,5` become keys or items
// of their own. The number of those that belong to the first; 0 where it is whole.
std::size_t SchemaValidator::refuse_split_value(const Node& first, const std::vector<const Node*>& rest,
                                                const std::string& label, const std::string& key) {
  if (!first.is_scalar() || first.quoted || rest.empty() || open_parentheses(first.text) <= 0) return 0;
  std::string whole = first.text;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    whole += ", " + rest[i]->text;
    if (open_parentheses(whole) > 0) continue;
    damaged_.insert(&first);
    diagnostics_.error(first.where(), fmt::format("{}: within braces or brackets a comma ends a value", label),
                       fmt::format("put it in quotes: {}\"{}\"", key.empty() ? key : key + ": ", whole));
    return i + 1;
  }
  return 0;
}

bool SchemaValidator::refuse_split_item(const Node& list, const std::string& label) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    std::vector<const Node*> rest;
    for (std::size_t k = i + 1; k < list.items.size() && list.items[k].is_scalar(); ++k) rest.push_back(&list.items[k]);
    if (refuse_split_value(list.items[i], rest, fmt::format("item {} of {}", i + 1, label), {}) > 0) return true;
  }
  return false;
}

std::size_t SchemaValidator::refuse_split_entry(const Node& mapping, std::size_t index) {
  const Node &key = mapping.keys[index], &value = mapping.items[index];
  std::vector<const Node*> rest;
  for (std::size_t k = index + 1; k < mapping.keys.size() && mapping.items[k].is_null(); ++k)
    rest.push_back(&mapping.keys[k]);
  if (!rest.empty() && is_plain_number(value) && is_plain_number(*rest[0]) && rest[0]->line == value.line) {
    diagnostics_.error(value.where(), fmt::format("'{}': within braces a comma ends a value", key.text),
                       fmt::format("write {}: {}.{} with a point", key.text, value.text, rest[0]->text));
    return 1;
  }
  return refuse_split_value(value, rest, "'" + key.text + "'", key.text);
}

}  // namespace lipkin
