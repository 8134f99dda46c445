#include "io/instead.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/nearest_name.hpp"
#include "io/foreign_keys.hpp"
#include "io/other_forms.hpp"
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

bool fits(const Node& node, const Schema& schema) {
  SchemaValidator trial(SchemaValidator::Hints::kNotWanted);
  trial.validate(node, schema, "");
  return trial.diagnostics().error_count() == 0;
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
    std::string own = key.text;
    const auto takes = [&](const Schema* inner) {
      if (!inner || inner->additional) return false;
      const std::string* ours = inner->property(key.text) ? nullptr : inner->property_also_called(key.text);
      own = ours ? *ours : key.text;
      const Schema* taken = inner->property(own);
      return taken && fits(value, *taken);
    };
    if (takes(inner_mapping(property)))
      return MisplacedKey{fmt::format("it belongs into '{}': {}: {{..., {}: {}}}", name, name, own, shown), name};
    const auto lists = forms(property, kJsonArray);
    if (!lists.empty() && lists[0]->items && takes(inner_mapping(*lists[0]->items)))
      return MisplacedKey{fmt::format("it belongs into an item of '{}': {}: [{{..., {}: {}}}]", name, name, own, shown),
                          name};
  }
  return std::nullopt;
}

// The key of `outer` that this mapping stands under.
std::string key_of(const Schema& mapping, const Schema& outer) {
  for (std::size_t i = 0; i < outer.properties.size(); ++i) {
    const auto found = forms(*outer.properties[i], kJsonObject);
    if (std::find(found.begin(), found.end(), &mapping.target()) != found.end()) return outer.property_names[i];
  }
  return {};
}

// Without what such a mapping does not take, and what to do with that; empty where that does not make it right.
std::string write_what_fits(const Node& value, const Schema& property, const std::string& key) {
  const Schema* inner = value.is_mapping() ? inner_mapping(property) : nullptr;
  if (!inner) return {};
  Node rest = dictionary({}, {});
  std::string others;
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& name = value.keys[i].text;
    if (inner->property(name)) {
      rest.keys.push_back(value.keys[i]), rest.items.push_back(value.items[i]);
    } else {
      const std::string* advice = inner->advice_for(name);
      others += fmt::format("; {}: {}", name, advice ? filled_in(*advice, value.items[i]) : "leave it out");
    }
  }
  if (rest.keys.empty() || others.empty() || !fits(rest, property)) return {};
  return "write " + with_key(key, written(rest)) + others;
}

// "write from: {body: slider}" for a value that stands under another key.
std::string value_under_key(const Node& value, const Schema& property, const std::string& key) {
  if (count_of(value) <= kLargestMended) {
    if (!fits(value, property)) {
      if (const std::string form = write_in_another_form(value, property, key); !form.empty()) return form;
      if (const std::string form = write_what_fits(value, property, key); !form.empty()) return form;
    }
    if (const std::string text = written(value); text.size() <= kLongestShown) return "write " + with_key(key, text);
  }
  return "write " + with_key(key, "...");
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
  for (const Node& candidate : other_forms(found, schema)) {
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
  const bool is_inertia = key == "inertia" || key == "principal";
  for (const Node& candidate : vectors_of(found, is_inertia))
    if (fits(candidate, schema)) return "for instance " + with_key(key, written(candidate));
  if (schema.target().title.find('[') != std::string::npos) return {};  // which tells the forms already
  const std::string form = example(schema);
  const bool says_more = form.find_first_of("[{") != std::string::npos && form.size() <= kLongestShown;
  return says_more ? "it looks like " + with_key(key, form) : std::string();
}

MisplacedKey place_of_key(const Node& key, const Node& value, const Schema& mapping, const Schema* outer,
                          bool looks_inside) {
  if (const std::string* advice = mapping.advice_for(key.text)) return {filled_in(*advice, value), kAnyKey};
  if (const std::size_t colon = key.text.find(':'); colon != std::string::npos)
    return {fmt::format("write {}: {}, with a blank behind the colon", key.text.substr(0, colon),
                        key.text.substr(colon + 1)),
            key.text.substr(0, colon)};
  if (const std::string* meant = mapping.property_also_called(key.text))
    return {value_under_key(value, *mapping.property(*meant), *meant), *meant};
  const std::string nearest = nearest_name(key.text, mapping.property_names);
  if (!nearest.empty()) return {fmt::format("did you mean '{}'?", nearest), nearest};
  if (looks_inside && count_of(value) <= kLargestMended)
    if (const auto inner = inner_key_for(key, value, mapping)) return *inner;
  if (outer && outer->property(key.text) && !outer->additional) {
    const std::string own = key_of(mapping, *outer);
    if (own.empty()) return {"it belongs one level further out", {}};
    return {fmt::format("it belongs one level further out, beside '{}': {}: {}, {}: {{...}}", own, key.text,
                        value.is_scalar() ? written(value) : "...", own),
            {}};
  }
  if (mapping.property_names.empty()) return {"it takes none", {}};
  return {fmt::format("known keys: {}", fmt::join(mapping.property_names, ", ")), {}};
}

}  // namespace lipkin
