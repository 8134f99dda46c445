#include "io/other_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "base/expression.hpp"

namespace lipkin {
namespace {

// The mappings and lists among the alternatives, without the pair {first, next} that every value may be.
void collect(const Schema& schema, JsonType type, std::vector<const Schema*>& found) {
  const Schema& own = schema.target();
  for (const Schema* alternative : own.alternatives) collect(*alternative, type, found);
  if (own.alternatives.empty() && (own.types & type) != 0 && own.types != kJsonAny && !own.is_first_and_next())
    found.push_back(&own);
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

// Columns where rows are wanted: [[0, 1, 2], [0, 5, 5]] and {t: [0, 1, 2], value: [0, 5, 5]} are [[0, 0], [1, 5], [2,
// 5]].
void exchange_rows_and_columns(const Node& found, const Schema& form, std::vector<Node>& candidates) {
  const Schema* row = form.items ? form.items->of_type(kJsonArray) : nullptr;
  if (!row || row->max_items != row->min_items || found.items.size() != row->min_items) return;
  const std::size_t count = found.items.empty() ? 0 : found.items[0].items.size();
  if (count == 0 || std::any_of(found.items.begin(), found.items.end(), [&](const Node& column) {
        return !column.is_sequence() || column.items.size() != count;
      }))
    return;
  Node rows = list({});
  for (std::size_t i = 0; i < count; ++i) {
    rows.items.push_back(list({}));
    for (const Node& column : found.items) rows.items.back().items.push_back(column.items[i]);
  }
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

// Components by name, those left out being zero: {x: 1, z: 2}, {ixx: 1, iyy: 1, izz: 2}.
std::optional<Node> components_of(const Node& found, std::span<const std::string_view> names) {
  if (!found.is_mapping()) return std::nullopt;
  Node components = list(std::vector<Node>(names.size(), scalar("0")));
  for (std::size_t i = 0; i < found.keys.size(); ++i) {
    std::string name = found.keys[i].text;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return std::nullopt;
    components.items[static_cast<std::size_t>(at - names.begin())] = found.items[i];
  }
  return components;
}

void name_components(const Node& found, std::vector<Node>& candidates) {
  constexpr std::array<std::string_view, 3> kAxisNames = {"x", "y", "z"};
  constexpr std::array<std::string_view, 6> kMoments = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const std::span moments(kMoments);
  for (const auto& names :
       {std::span<const std::string_view>(kAxisNames), moments.first(3), std::span<const std::string_view>(moments)})
    if (auto components = components_of(found, names)) candidates.push_back(std::move(*components));
}

void simpler_ones(const Node& found, std::vector<Node>& candidates) {
  if (found.is_null() || found.text == "true") candidates.push_back(dictionary({}, {}));
  if (found.is_sequence() && found.items.size() == 1) candidates.push_back(found.items[0]);
  if (found.is_mapping()) {
    for (const Node& value : found.items) candidates.push_back(value);
    if (found.keys.size() == 1 && found.items[0].is_null()) candidates.push_back(found.keys[0]);
    name_components(found, candidates);
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

}  // namespace

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

std::vector<const Schema*> forms(const Schema& schema, JsonType type) {
  std::vector<const Schema*> found;
  collect(schema, type, found);
  return found;
}

bool is_number(const Schema& schema) { return schema.of_type(kJsonInteger) || schema.of_type(kJsonNumber); }

std::vector<Node> vectors_of(const Node& found, bool is_inertia) {
  if (!found.is_scalar() || is_identifier(found.text)) return {};
  const Node along_z = list({scalar("0"), scalar("0"), found}), same = list({found, found, found});
  return is_inertia ? std::vector{same} : std::vector{along_z, same};
}

std::vector<Node> other_forms(const Node& found, const Schema& schema) {
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
    exchange_rows_and_columns(found, *form, candidates);
  }
  return candidates;
}

}  // namespace lipkin
