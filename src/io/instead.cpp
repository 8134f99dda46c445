#include "io/instead.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <utility>

#include "base/expression.hpp"
#include "base/nearest_name.hpp"
#include "io/schema_validator.hpp"

namespace lipkin {
namespace {

constexpr std::size_t kLongestShown = 120;  // [characters]
constexpr std::size_t kLargestMended = 60;  // values

std::size_t count_of(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_of(item);
  return count;
}

Node scalar(const std::string& text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = text;
  return node;
}

Node list(std::vector<Node> items) {
  Node node;
  node.kind = Node::Kind::kSequence;
  node.items = std::move(items);
  return node;
}

Node dictionary(std::vector<Node> keys, std::vector<Node> values) {
  Node node;
  node.kind = Node::Kind::kMapping;
  node.keys = std::move(keys);
  node.items = std::move(values);
  return node;
}

Node entry(const std::string& key, Node value) { return dictionary({scalar(key)}, {std::move(value)}); }

bool fits(const Node& node, const Schema& schema) {
  SchemaValidator trial(SchemaValidator::Hints::kNotWanted);
  trial.validate(node, schema, "");
  return trial.diagnostics().error_count() == 0;
}

// The mappings and lists among the alternatives, without the pair {first, next} that every value may be.
void collect(const Schema& schema, JsonType type, std::vector<const Schema*>& found) {
  const Schema& own = schema.target();
  for (const Schema* alternative : own.alternatives) collect(*alternative, type, found);
  if (own.alternatives.empty() && (own.types & type) != 0 && own.types != kJsonAny && !own.is_first_and_next())
    found.push_back(&own);
}

std::vector<const Schema*> forms(const Schema& schema, JsonType type) {
  std::vector<const Schema*> found;
  collect(schema, type, found);
  return found;
}

// Angles beyond a turn were meant in degrees.
Node in_radians(const Node& node) {
  double value = 0;
  if (is_plain_number(node, &value)) return std::abs(value) > 2 * std::numbers::pi ? scalar(node.text + "*deg") : node;
  Node result = node;
  for (Node& item : result.items) item = in_radians(item);
  return result;
}

Node as_value_of(const Schema& property, const Node& node) { return property.unit == "rad" ? in_radians(node) : node; }

bool is_number(const Schema& schema) { return schema.of_type(kJsonInteger) || schema.of_type(kJsonNumber); }

// A value that belongs into the only key that takes it: box: [1, 1, 1] is {size: [1, 1, 1]}.
void put_into_key(const Node& found, const Schema& form, std::vector<Node>& candidates) {
  for (std::size_t i = 0; i < form.properties.size(); ++i)
    if (!found.is_sequence() || !is_number(*form.properties[i]))  // a list of another length is no list of limits
      candidates.push_back(entry(form.property_names[i], as_value_of(*form.properties[i], found)));
}

bool takes_any_text(const Schema* property) {
  const Schema* text = property->of_type(kJsonString);
  return text && text->format.empty() && !text->pattern && text->enumeration.empty();
}

// Values without their keys: [ball, [0, 0, 1]] is {body: ball, at: [0, 0, 1]}.
void put_into_keys_in_order(const Node& found, const Schema& form, std::vector<Node>& candidates) {
  if (!found.is_sequence() || found.items.size() < 2 || found.items.size() > form.properties.size()) return;
  if (std::any_of(form.properties.begin(), form.properties.end(), takes_any_text)) return;
  std::vector<Node> keys;
  for (std::size_t i = 0; i < found.items.size(); ++i) keys.push_back(scalar(form.property_names[i]));
  candidates.push_back(dictionary(keys, found.items));
}

// The last part of a dotted name, other characters replaced.
std::string name_from(const std::string& text) {
  std::string name;
  const std::size_t dot = text.rfind('.');
  for (const char c : dot == std::string::npos ? text : text.substr(dot + 1))
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') name = "_" + name;
  return name;
}

Node without_key(const Node& found, const std::string& key) {
  Node rest = found;
  for (std::size_t i = rest.keys.size(); i-- > 0;)
    if (rest.keys[i].text == key) {
      rest.keys.erase(rest.keys.begin() + static_cast<std::ptrdiff_t>(i));
      rest.items.erase(rest.items.begin() + static_cast<std::ptrdiff_t>(i));
    }
  return rest;
}

// A list of named things where names are keys: [{name: rubber, friction: 1}] is {rubber: {friction: 1}}.
void name_the_items(const Node& found, const Schema& form, std::vector<Node>& candidates) {
  if (!found.is_sequence() || !form.additional) return;
  Node named = dictionary({}, {});
  for (const Node& item : found.items) {
    const Node* name = item.is_mapping() ? item.find("name") : nullptr;
    if (!name && !item.is_scalar()) return;
    std::string words = name ? name->text : item.text;
    if (!name) std::replace(words.begin(), words.end(), '.', '_');
    named.keys.push_back(scalar(name ? words : name_from(words)));
    named.items.push_back(name ? without_key(item, "name") : item);
  }
  candidates.push_back(std::move(named));
}

// Names as keys where a list of named things is expected, the other way round.
void list_the_entries(const Node& found, const Schema& form, std::vector<Node>& candidates) {
  if (!found.is_mapping() || !form.items) return;
  Node items = list({}), pairs = list({});
  for (std::size_t i = 0; i < found.keys.size(); ++i) {
    pairs.items.push_back(list({found.keys[i], found.items[i]}));
    Node item = entry("name", found.keys[i]);
    if (found.items[i].is_mapping()) {
      item.keys.insert(item.keys.end(), found.items[i].keys.begin(), found.items[i].keys.end());
      item.items.insert(item.items.end(), found.items[i].items.begin(), found.items[i].items.end());
    }
    items.items.push_back(std::move(item));
  }
  candidates.push_back(std::move(items));
  candidates.push_back(std::move(pairs));
  candidates.push_back(list(found.items));
}

// Rows written one behind the other: [0, 0, 1, 5] is [[0, 0], [1, 5]].
void cut_into_rows(const Node& found, const Schema& form, std::vector<Node>& candidates) {
  const Schema* row = form.items ? form.items->of_type(kJsonArray) : nullptr;
  if (!found.is_sequence() || !row || row->max_items != row->min_items || row->min_items == 0) return;
  if (found.items.size() % row->min_items != 0) return;
  Node rows = list({});
  for (auto at = found.items.begin(); at != found.items.end(); at += static_cast<std::ptrdiff_t>(row->min_items))
    rows.items.push_back(list({at, at + static_cast<std::ptrdiff_t>(row->min_items)}));
  candidates.push_back(std::move(rows));
}

// {revolute: {axis: y}} is {type: revolute, axis: y}.
void say_the_type(const Node& found, const Schema& form, std::vector<Node>& candidates) {
  if (!found.is_mapping() || found.keys.size() != 1 || !form.property("type")) return;
  Node typed = entry("type", found.keys[0]);
  if (found.items[0].is_mapping()) {
    typed.keys.insert(typed.keys.end(), found.items[0].keys.begin(), found.items[0].keys.end());
    typed.items.insert(typed.items.end(), found.items[0].items.begin(), found.items[0].items.end());
  }
  candidates.push_back(std::move(typed));
}

// "-y" and "+x" as the components of a vector.
std::optional<Node> signed_axis(const std::string& text) {
  if (text.size() != 2 || (text[0] != '-' && text[0] != '+') || text[1] < 'x' || text[1] > 'z') return std::nullopt;
  Node components = list({scalar("0"), scalar("0"), scalar("0")});
  components.items[static_cast<std::size_t>(text[1] - 'x')].text = text[0] == '-' ? "-1" : "1";
  return components;
}

// "#ff8000" as red, green and blue from 0 to 1.
std::optional<Node> hex_color(const std::string& text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  Node components = list({});
  for (std::size_t i = 1; i < 7; i += 2) {
    char* end = nullptr;
    const std::string digits = text.substr(i, 2);
    const long value = std::strtol(digits.c_str(), &end, 16);
    if (*end != '\0') return std::nullopt;
    components.items.push_back(scalar(fmt::format("{:.3g}", static_cast<double>(value) / 255)));
  }
  return components;
}

// "0 0 1", "(0, 0, 1)" and "0; 0; 1" as a list.
std::optional<Node> numbers_in(const std::string& text) {
  Node numbers = list({});
  std::string part;
  for (const char c : text + " ") {
    if (std::string_view(" ,;()[]").find(c) == std::string_view::npos) {
      part += c;
    } else if (!part.empty()) {
      if (!is_plain_number(scalar(part))) return std::nullopt;
      numbers.items.push_back(scalar(std::exchange(part, {})));
    }
  }
  return numbers.items.size() > 1 ? std::optional(numbers) : std::nullopt;
}

bool are_x_y_z(const Node& found) {
  constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
  return found.is_mapping() && std::all_of(found.keys.begin(), found.keys.end(), [&](const Node& key) {
           return std::find(kAxes.begin(), kAxes.end(), key.text) != kAxes.end();
         });
}

// Components by name, those left out being zero.
Node components_of(const Node& found) {
  Node components = list({scalar("0"), scalar("0"), scalar("0")});
  for (std::size_t i = 0; i < found.keys.size(); ++i)
    components.items[static_cast<std::size_t>(found.keys[i].text[0] - 'x')] = found.items[i];
  return components;
}

// One number where three are wanted: which of them it is cannot be known.
std::vector<Node> vectors_of(const Node& found) {
  if (!found.is_scalar() || is_identifier(found.text)) return {};
  return {list({scalar("0"), scalar("0"), found}), list({found, found, found})};
}

void simpler_ones(const Node& found, std::vector<Node>& candidates) {
  if (found.is_null() || found.text == "true") candidates.push_back(dictionary({}, {}));
  if (found.is_sequence() && found.items.size() == 1) candidates.push_back(found.items[0]);
  if (found.is_mapping()) {
    for (const Node& value : found.items) candidates.push_back(value);
    if (found.keys.size() == 1 && found.items[0].is_null()) candidates.push_back(found.keys[0]);
    if (are_x_y_z(found)) candidates.push_back(components_of(found));
  }
  const bool is_one_text = found.is_sequence() && found.items.size() == 1 && found.items[0].is_scalar();
  if (found.is_scalar() || is_one_text)
    if (const auto numbers = numbers_in(is_one_text ? found.items[0].text : found.text)) candidates.push_back(*numbers);
  if (!found.is_scalar()) return;
  if (const auto axis = signed_axis(found.text)) candidates.push_back(*axis);
  if (const auto color = hex_color(found.text)) candidates.push_back(*color);
  std::string lower = found.text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  candidates.push_back(scalar(lower));
  const bool has_letter = std::any_of(found.text.begin(), found.text.end(),
                                      [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  if (has_letter && found.text.find('{') == std::string::npos) candidates.push_back(scalar(name_from(found.text)));
}

std::vector<Node> candidates_for(const Node& found, const Schema& schema) {
  std::vector<Node> candidates;
  for (const Schema* form : forms(schema, kJsonObject)) {
    say_the_type(found, *form, candidates);
    name_the_items(found, *form, candidates);
    put_into_key(found, *form, candidates);
    put_into_keys_in_order(found, *form, candidates);
  }
  simpler_ones(found, candidates);
  for (const Schema* form : forms(schema, kJsonArray)) {
    candidates.push_back(list({found}));
    list_the_entries(found, *form, candidates);
    cut_into_rows(found, *form, candidates);
  }
  return candidates;
}

// What such a value looks like: names in capitals stand for what the user knows.
std::string example(const Schema& schema, int depth = 0) {
  const Schema& own = schema.target();
  if (const auto* numbers = std::get_if<std::vector<double>>(&schema.default_value))
    return fmt::format("[{}]", fmt::join(*numbers, ", "));
  if (!own.enumeration.empty()) return own.enumeration.front();
  const Schema* words = own.of_type(kJsonString);
  if (words && !words->enumeration.empty()) return words->enumeration.front();
  if (is_number(own)) return "NUMBER";
  if (words) return words->pattern ? "NAME" : "TEXT";
  constexpr int kDeep = 3;
  if (depth > kDeep) return "...";
  if (const auto found = forms(own, kJsonArray); !found.empty()) {
    const std::size_t count = std::max<std::size_t>(1, found[0]->min_items);
    const std::string item = found[0]->items ? example(*found[0]->items, depth + 1) : "...";
    return fmt::format("[{}]", fmt::join(std::vector<std::string>(count, item), ", "));
  }
  const auto found = forms(own, kJsonObject);
  if (found.empty()) return {};
  Schema::Keys needed = found[0]->required;
  if (!found[0]->exclusive.empty())
    needed.insert(needed.end(), found[0]->exclusive[0].begin(), found[0]->exclusive[0].end());
  if (needed.empty() && !found[0]->property_names.empty()) needed.push_back(found[0]->property_names[0]);
  std::vector<std::string> entries;
  for (const std::string& key : needed) entries.push_back(key + ": " + example(*found[0]->property(key), depth + 1));
  if (found[0]->additional) entries.push_back("NAME: " + example(*found[0]->additional, depth + 1));
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

// The outermost keys and the first item alone: [{name: arm, joint: ...}, ...].
std::string in_short(const Node& node) {
  if (node.is_scalar()) return written(node);
  if (node.is_sequence()) return node.items.empty() ? "[]" : fmt::format("[{}, ...]", in_short(node.items[0]));
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    entries.push_back(node.keys[i].text + ": " + (node.items[i].is_scalar() ? written(node.items[i]) : "..."));
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::string with_key(const std::string& key, const std::string& value) {
  return key.empty() ? value : key + ": " + value;
}

// The mapping that a property takes; null where it takes none.
const Schema* inner_mapping(const Schema& property) {
  for (const Schema* form : forms(property, kJsonObject))
    if (!form->properties.empty()) return form;
  return nullptr;
}

// For a key that a mapping beside it takes, or an item of a list beside it: the first that takes such a value too.
std::optional<MisplacedKey> inner_key_for(const Node& key, const Node& value, const Schema& mapping) {
  const std::string shown = value.is_scalar() ? written(value) : "...";
  for (std::size_t i = 0; i < mapping.properties.size(); ++i) {
    const Schema& property = *mapping.properties[i];
    const std::string& name = mapping.property_names[i];
    const auto takes = [&](const Schema* inner) {
      const Schema* taken = inner ? inner->property(key.text) : nullptr;
      return taken && !inner->additional && fits(value, *taken);
    };
    if (takes(inner_mapping(property)))
      return MisplacedKey{fmt::format("it belongs into '{}': {}: {{..., {}: {}}}", name, name, key.text, shown), name};
    const auto lists = forms(property, kJsonArray);
    if (!lists.empty() && lists[0]->items && takes(inner_mapping(*lists[0]->items)))
      return MisplacedKey{
          fmt::format("it belongs into an item of '{}': {}: [{{..., {}: {}}}]", name, name, key.text, shown), name};
  }
  return std::nullopt;
}

}  // namespace

std::string written(const Node& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case Node::Kind::kNull:
      return {};
    case Node::Kind::kScalar: {
      const bool needs_quotes = node.text.find_first_of(",[]{}") != std::string::npos || node.text.empty();
      return needs_quotes ? '"' + node.text + '"' : node.text;
    }
    case Node::Kind::kSequence:
      for (const Node& item : node.items) parts.push_back(written(item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case Node::Kind::kMapping:
      for (std::size_t i = 0; i < node.keys.size(); ++i)
        parts.push_back(node.keys[i].text + ": " + written(node.items[i]));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return {};
}

std::string example_entry(const Schema& mapping, const std::string& key) {
  const std::string value = example(*mapping.property(key));
  return value.empty() || value.size() > kLongestShown ? std::string() : "write " + with_key(key, value);
}

std::string choice_named_by_value(const Node& node, const Schema& mapping) {
  Schema::Keys choices;
  for (const Schema::Keys& keys : mapping.exclusive)
    if (keys.size() == 1) choices.push_back(keys[0]);
  if (std::any_of(choices.begin(), choices.end(), [&](const std::string& key) { return node.find(key); })) return {};
  const auto naming = std::find_if(node.keys.begin(), node.keys.end(), [&](const Node& key) {
    return !mapping.property(key.text) &&
           std::find(choices.begin(), choices.end(), node.find(key.text)->text) != choices.end();
  });
  if (naming == node.keys.end()) return {};
  const std::string& choice = node.find(naming->text)->text;
  const Schema* inner = inner_mapping(*mapping.property(choice));
  Node parts = dictionary({}, {}), whole = entry(choice, {});
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (&node.keys[i] == &*naming) continue;
    const bool known = mapping.property(node.keys[i].text) != nullptr;
    Node& target = known ? whole : parts;
    const std::string* other_name = known || !inner ? nullptr : inner->property_also_called(node.keys[i].text);
    target.keys.push_back(other_name ? scalar(*other_name) : node.keys[i]);
    target.items.push_back(node.items[i]);
  }
  whole.items[0] = std::move(parts);
  const std::string text = written(whole);
  return text.size() <= kLongestShown ? text : fmt::format("{{{}: {{...}}, ...}}", choice);
}

std::string write_in_another_form(const Node& found, const Schema& schema, const std::string& key) {
  if (count_of(found) > kLargestMended) return {};
  for (const Node& candidate : candidates_for(found, schema)) {
    if (!fits(candidate, schema)) continue;
    const std::string text = written(candidate);
    return "write " + with_key(key, text.size() <= kLongestShown ? text : in_short(candidate));
  }
  return {};
}

std::string write_instead(const Node& found, const Schema& schema, const std::string& key) {
  if (const std::string form = write_in_another_form(found, schema, key); !form.empty()) return form;
  if (found.is_scalar() && !forms(schema, kJsonObject).empty())
    if (const std::size_t colon = found.text.find(':'); colon != std::string::npos && colon + 1 < found.text.size())
      return fmt::format("write {}: {}, with a blank behind the colon", found.text.substr(0, colon),
                         found.text.substr(colon + 1));
  for (const Node& candidate : vectors_of(found))
    if (fits(candidate, schema)) return "for instance " + with_key(key, written(candidate));
  if (schema.target().title.find('[') != std::string::npos) return {};  // which tells the forms already
  const std::string form = example(schema);
  const bool says_more = form.find_first_of("[{") != std::string::npos && form.size() <= kLongestShown;
  return says_more ? "it looks like " + with_key(key, form) : std::string();
}

MisplacedKey place_of_key(const Node& key, const Node& value, const Schema& mapping, const Schema* outer) {
  if (const std::string* advice = mapping.advice_for(key.text)) return {*advice, kAnyKey};
  if (const std::size_t colon = key.text.find(':'); colon != std::string::npos)
    return {fmt::format("write {}: {}, with a blank behind the colon", key.text.substr(0, colon),
                        key.text.substr(colon + 1)),
            key.text.substr(0, colon)};
  if (const std::string* meant = mapping.property_also_called(key.text))
    return {fmt::format("write {}", with_key(*meant, value.is_scalar() ? written(value) : "...")), *meant};
  const std::string nearest = nearest_name(key.text, mapping.property_names);
  if (!nearest.empty()) return {fmt::format("did you mean '{}'?", nearest), nearest};
  if (const auto inner = inner_key_for(key, value, mapping)) return *inner;
  if (outer && outer->property(key.text) && !outer->additional) return {"it belongs one level further out", {}};
  if (mapping.property_names.empty()) return {"it takes none", {}};
  return {fmt::format("known keys: {}", fmt::join(mapping.property_names, ", ")), {}};
}

}  // namespace lipkin
