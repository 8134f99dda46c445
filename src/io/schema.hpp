// The part of JSON Schema (draft 2020-12) that the scene format is written in, compiled for checking and reading.
//
// Understood: $ref, $defs, title, description, default, type, format, enum, minimum, maximum, exclusiveMinimum,
// maxLength, pattern, items, minItems, maxItems, properties, required, additionalProperties, propertyNames,
// minProperties, dependentRequired, anyOf, and oneOf as a choice between sets of required keys. Two formats: a text
// with format "arithmetic" is a number worked out while reading, one with format "expression" a number worked out
// while running. And of our own: x-unit, the unit of a number; x-also, what other programs call a key; x-instead, what
// to say of a key that people look for in vain, with <value> for its value and <1> for the first item of that; x-paths,
// the dotted names that a pattern stands for: what can follow which first word.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lipkin {

// Bits, since a schema may allow several.
enum JsonType : unsigned {
  kJsonNull = 1,
  kJsonBoolean = 2,
  kJsonInteger = 4,  // a number without a fraction
  kJsonNumber = 8,
  kJsonString = 16,
  kJsonArray = 32,
  kJsonObject = 64,
  kJsonAny = 127
};

struct Schema {
  using Default = std::variant<std::monostate, double, std::string, std::vector<double>>;
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  using Keys = std::vector<std::string>;

  // {first, next}: a pair that stands for one value in the first copy of an item and another in the others.
  bool is_first_and_next() const { return property_names.size() == 2 && property_names[0] == "first"; }

  const Schema* reference = nullptr;  // $ref: what counts is there, except for the default
  std::string title;                  // "a body"
  std::string description;            // "Angle of the rotation."
  std::string unit;                   // "rad"
  Keys also_called;                   // names of this key elsewhere: "colour"
  Default default_value;
  unsigned types = kJsonAny;
  std::string format;
  Keys enumeration;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  double exclusive_minimum = -std::numeric_limits<double>::infinity();
  bool may_be_infinite = false;
  std::size_t max_length = kUnlimited;
  std::shared_ptr<const std::regex> pattern;
  const Schema* items = nullptr;
  std::size_t min_items = 0, max_items = kUnlimited;
  Keys property_names;  // beside `properties`
  std::vector<const Schema*> properties;
  Keys required;
  bool closed = false;                 // additionalProperties: false
  const Schema* additional = nullptr;  // schema of all other properties
  const Schema* key = nullptr;         // propertyNames
  std::size_t min_properties = 0;
  std::vector<std::pair<std::string, Keys>> dependent_required;
  std::vector<const Schema*> alternatives;                 // anyOf
  std::vector<Keys> exclusive;                             // oneOf: exactly one of these sets of keys
  std::map<std::string, std::string, std::less<>> advice;  // what to do instead of writing this key
  std::vector<std::pair<std::string, Keys>> paths;         // {"motor", {"target", ...}}: motor.NAME.target

  const Schema& target() const { return reference ? reference->target() : *this; }

  // Schema of a key of this mapping; null when it has none.
  const Schema* property(std::string_view name) const;

  // The key of this mapping that others call `name`, and what to do instead of writing it; null when there is none.
  const std::string* property_also_called(std::string_view name) const;
  const std::string* advice_for(std::string_view name) const;

  // Itself or its first alternative of a type; null when there is none.
  const Schema* of_type(JsonType type) const;
};

class SchemaDocument {
 public:
  // Throws InternalError where `json_text` is not JSON or uses a keyword it does not understand.
  explicit SchemaDocument(std::string_view json_text);

  const Schema& root() const { return *root_; }
  const Schema& definition(const std::string& name) const;

 private:
  friend class SchemaCompiler;
  std::deque<Schema> schemas_;
  std::map<std::string, Schema*> definitions_;
  const Schema* root_ = nullptr;
};

// The scene format, compiled once.
const SchemaDocument& scene_format();

}  // namespace lipkin
