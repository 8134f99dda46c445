#include "io/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lipkin/error.hpp"
#include "lipkin/scene.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::ordered_json;

unsigned type_bit(const std::string& name) {
  static const std::map<std::string, unsigned> bits = {
      {"null", kJsonNull},       {"boolean", kJsonBoolean},
      {"integer", kJsonInteger}, {"number", kJsonNumber | kJsonInteger},
      {"string", kJsonString},   {"array", kJsonArray},
      {"object", kJsonObject}};
  const auto found = bits.find(name);
  if (found == bits.end()) throw InternalError("schema: unknown type '" + name + "'");
  return found->second;
}

unsigned type_bits(const Json& types) {
  if (types.is_string()) return type_bit(types.get<std::string>());
  unsigned bits = 0;
  for (const Json& type : types) bits |= type_bit(type.get<std::string>());
  return bits;
}

Schema::Default default_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return value.get<std::vector<double>>();
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

class SchemaCompiler {
 public:
  explicit SchemaCompiler(SchemaDocument& document) : document_(document) {}

  void compile(const Json& root) {
    for (const auto& [name, json] : root.at("$defs").items()) document_.definitions_[name] = make();
    for (const auto& [name, json] : root.at("$defs").items()) fill(*document_.definitions_.at(name), json);
    document_.root_ = child(root);
  }

 private:
  Schema* make() { return &document_.schemas_.emplace_back(); }

  const Schema* child(const Json& json) {
    Schema* schema = make();
    fill(*schema, json);
    return schema;
  }

  // Without a title of its own it is one form of what it belongs to.
  const Schema* alternative(const Json& json, const std::string& title) {
    Schema* schema = make();
    schema->title = title;
    fill(*schema, json);
    return schema;
  }

  const Schema* reference(const std::string& pointer) const {
    constexpr std::string_view kPlace = "#/$defs/";
    if (pointer.rfind(kPlace, 0) != 0) throw InternalError("schema: unsupported reference '" + pointer + "'");
    return &document_.definition(pointer.substr(kPlace.size()));
  }

  using Handler = void (*)(SchemaCompiler&, Schema&, const Json&);

  static const std::map<std::string, Handler>& handlers() {
    static const auto ignore = [](SchemaCompiler&, Schema&, const Json&) {};
    static const std::map<std::string, Handler> table = {
        {"$schema", ignore},
        {"$id", ignore},
        {"$defs", ignore},
        {"description", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.description); }},
        {"x-infinite", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.may_be_infinite); }},
        {"x-unit", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.unit); }},
        {"x-also", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.also_called); }},
        {"x-instead",
         [](SchemaCompiler&, Schema& s, const Json& v) {
           for (const auto& [key, text] : v.items()) s.advice[key] = text.get<std::string>();
         }},
        {"x-paths",
         [](SchemaCompiler&, Schema& s, const Json& v) {
           for (const auto& [first, last] : v.items()) s.paths.emplace_back(first, last.get<Schema::Keys>());
         }},
        {"$ref", [](SchemaCompiler& c, Schema& s, const Json& v) { s.reference = c.reference(v.get<std::string>()); }},
        {"title", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.title); }},
        {"default", [](SchemaCompiler&, Schema& s, const Json& v) { s.default_value = default_of(v); }},
        {"type", [](SchemaCompiler&, Schema& s, const Json& v) { s.types = type_bits(v); }},
        {"format", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.format); }},
        {"enum",
         [](SchemaCompiler&, Schema& s, const Json& v) {
           for (const Json& e : v) s.enumeration.push_back(text_of(e));
         }},
        {"minimum", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.minimum); }},
        {"maximum", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.maximum); }},
        {"exclusiveMinimum", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.exclusive_minimum); }},
        {"maxLength", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.max_length); }},
        {"pattern", [](SchemaCompiler&, Schema& s,
                       const Json& v) { s.pattern = std::make_shared<std::regex>(v.get<std::string>()); }},
        {"items", [](SchemaCompiler& c, Schema& s, const Json& v) { s.items = c.child(v); }},
        {"minItems", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.min_items); }},
        {"maxItems", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.max_items); }},
        {"properties", [](SchemaCompiler& c, Schema& s, const Json& v) { c.fill_properties(s, v); }},
        {"required", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.required); }},
        {"additionalProperties", [](SchemaCompiler& c, Schema& s, const Json& v) { c.fill_additional(s, v); }},
        {"propertyNames", [](SchemaCompiler& c, Schema& s, const Json& v) { s.key = c.child(v); }},
        {"minProperties", [](SchemaCompiler&, Schema& s, const Json& v) { v.get_to(s.min_properties); }},
        {"dependentRequired", [](SchemaCompiler&, Schema& s, const Json& v) { fill_dependent(s, v); }},
        {"anyOf",
         [](SchemaCompiler& c, Schema& s, const Json& v) {
           for (const Json& e : v) s.alternatives.push_back(c.alternative(e, s.title));
         }},
        {"oneOf",
         [](SchemaCompiler&, Schema& s, const Json& v) {
           for (const Json& e : v) s.exclusive.push_back(e.at("required").get<Schema::Keys>());
         }},
    };
    return table;
  }

  void fill(Schema& schema, const Json& json) {
    for (const auto& [keyword, value] : json.items()) {
      const auto handler = handlers().find(keyword);
      if (handler == handlers().end()) throw InternalError("schema: unknown keyword '" + keyword + "'");
      handler->second(*this, schema, value);
    }
  }

  void fill_additional(Schema& schema, const Json& value) {
    if (value.is_boolean()) {
      schema.closed = !value.get<bool>();
    } else {
      schema.additional = child(value);
    }
  }

  static void fill_dependent(Schema& schema, const Json& value) {
    for (const auto& [key, keys] : value.items()) schema.dependent_required.emplace_back(key, keys.get<Schema::Keys>());
  }

  void fill_properties(Schema& schema, const Json& properties) {
    for (const auto& [name, json] : properties.items()) {
      schema.property_names.push_back(name);
      schema.properties.push_back(child(json));
    }
  }

  SchemaDocument& document_;
};

const Schema* Schema::property(std::string_view name) const {
  const Schema& own = target();
  for (std::size_t i = 0; i < own.properties.size(); ++i)
    if (own.property_names[i] == name) return own.properties[i];
  return own.additional;
}

const std::string* Schema::property_also_called(std::string_view name) const {
  const Schema& own = target();
  for (std::size_t i = 0; i < own.properties.size(); ++i) {
    const Keys& names = own.properties[i]->also_called;
    if (std::find(names.begin(), names.end(), name) != names.end()) return &own.property_names[i];
  }
  return nullptr;
}

const std::string* Schema::advice_for(std::string_view name) const {
  const auto found = target().advice.find(name);
  return found == target().advice.end() ? nullptr : &found->second;
}

const Schema* Schema::of_type(JsonType type) const {
  const Schema& own = target();
  if (own.alternatives.empty()) return own.types & type ? &own : nullptr;
  for (const Schema* alternative : own.alternatives)
    if (const Schema* found = alternative->of_type(type)) return found;
  return nullptr;
}

SchemaDocument::SchemaDocument(std::string_view json_text) {
  try {
    SchemaCompiler(*this).compile(Json::parse(json_text));
  } catch (const Json::exception& error) {
    throw InternalError(std::string("schema: ") + error.what());
  }
}

const Schema& SchemaDocument::definition(const std::string& name) const {
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) throw InternalError("schema: no definition '" + name + "'");
  return *found->second;
}

const SchemaDocument& scene_format() {
  static const SchemaDocument document(scene_schema());
  return document;
}

}  // namespace lipkin
