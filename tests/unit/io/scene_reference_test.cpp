// docs/guide/scene-format.md is its introduction and the schema in words. scripts/make-scene-reference writes it anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/text_file.hpp"
#include "lipkin/scene.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::ordered_json;

class ReferencePage {
 public:
  explicit ReferencePage(const Json& schema) : schema_(schema) {}

  std::string text() {
    page_ = "\n# Reference\n\nMade from the schema. Keys in **bold** must be given.\n";
    section("scene", schema_);
    for (const auto& [name, definition] : schema_.at("$defs").items())
      if (mapping_of(definition)) section(name, definition);
    page_ += "\n## Kinds of values\n\n| kind | meaning |\n| --- | --- |\n";
    for (const auto& [name, definition] : schema_.at("$defs").items())
      if (!mapping_of(definition))
        page_ += fmt::format("| <a id=\"{}\"></a>{} | {}{} |\n", name, title_of(definition), meaning(definition),
                             definition.contains("enum") ? " One of " + value(definition) + "." : "");
    return page_;
  }

 private:
  static bool is_mapping(const Json& schema) {
    return schema.contains("properties") && !schema.at("properties").contains("first");
  }

  // The mapping that a definition is, or the one among its alternatives.
  static const Json* mapping_of(const Json& definition) {
    if (is_mapping(definition)) return &definition;
    if (!definition.contains("anyOf")) return nullptr;
    for (const Json& alternative : definition.at("anyOf"))
      if (is_mapping(alternative)) return &alternative;
    return nullptr;
  }

  // "a name (letters, digits, underscores)" -> "a name"
  static std::string title_of(const Json& schema) {
    const std::string title = schema.value("title", std::string());
    return title.substr(0, title.find(" ("));
  }

  void section(const std::string& name, const Json& definition) {
    page_ += fmt::format("\n## <a id=\"{}\"></a>{}\n\n{}\n\n", name, heading(name), meaning(definition));
    page_ += "| key | value | unit | default | meaning |\n| --- | --- | --- | --- | --- |\n";
    rows(*mapping_of(definition), "");
  }

  // "joint_settings" -> "Joint settings"
  static std::string heading(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    name[0] = static_cast<char>(std::toupper(name[0]));
    return name;
  }

  void rows(const Json& mapping, const std::string& prefix) {
    const Json required = mapping.value("required", Json::array());
    for (const auto& [key, property] : mapping.at("properties").items()) {
      const bool needed = std::find(required.begin(), required.end(), key) != required.end();
      const std::string name = "`" + prefix + key + "`";
      page_ += fmt::format("| {} | {} | {} | {} | {} |\n", needed ? "**" + name + "**" : name, value(property),
                           property.value("x-unit", ""), default_of(property), meaning(property));
      if (is_mapping(property)) rows(property, prefix + key + ".");
    }
  }

  const Json& target(const Json& schema) const {
    if (!schema.contains("$ref")) return schema;
    return schema_.at(Json::json_pointer(schema.at("$ref").get<std::string>().substr(1)));
  }

  std::string meaning(const Json& schema) const {
    const std::string own = schema.value("description", std::string());
    return escaped(own.empty() && schema.contains("$ref") ? meaning(target(schema)) : own);
  }

  std::string default_of(const Json& property) const {
    const Json& owner = property.contains("default") ? property : target(property);
    return owner.contains("default") ? "`" + owner.at("default").dump() + "`" : "";
  }

  std::string value(const Json& property) const {
    if (property.contains("$ref")) {
      const std::string name = property.at("$ref").get<std::string>().substr(std::string("#/$defs/").size());
      return fmt::format("[{}](#{})", escaped(title_of(target(property))), name);
    }
    if (property.contains("enum")) {
      std::string values;
      for (const Json& one : property.at("enum"))
        values +=
            fmt::format("{}`{}`", values.empty() ? "" : ", ", one.is_string() ? one.get<std::string>() : one.dump());
      return values;
    }
    if (property.contains("items")) return "list of " + value(property.at("items"));
    if (property.contains("additionalProperties") && property.at("additionalProperties").is_object())
      return "mapping to " + value(property.at("additionalProperties"));
    return is_mapping(property) ? "mapping" : escaped(title_of(property));
  }

  static std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
  }

  const Json& schema_;
  std::string page_;
};

TEST(SceneReference, IsUpToDate) {
  const std::string folder = LIPKIN_SOURCE_DIR "/docs/guide/";
  const std::string introduction = read_text_file(folder + "scene-format.intro.md", "introduction");
  const Json schema = Json::parse(scene_schema());
  const std::string page = introduction + ReferencePage(schema).text();
  if (std::getenv("LIPKIN_WRITE_SCENE_REFERENCE")) std::ofstream(folder + "scene-format.md") << page;
  EXPECT_TRUE(page == read_text_file(folder + "scene-format.md", "page"))
      << "docs/guide/scene-format.md differs from the schema; scripts/make-scene-reference writes it anew";
}

TEST(SceneReference, BeginsWithAChainThatWorks) {
  const std::string page = read_text_file(LIPKIN_SOURCE_DIR "/docs/guide/scene-format.md", "page");
  const std::size_t begin = page.find("```yaml\n") + 8;
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  EXPECT_LE(std::count(example.begin(), example.end(), '\n'), 10);
  const Scene scene = test::scene_of(example);
  EXPECT_EQ(scene.model.body_count(), 10);
  EXPECT_EQ(scene.model.u_count(), 10);
  EXPECT_TRUE(scene.warnings.empty());
}

}  // namespace
}  // namespace lipkin
