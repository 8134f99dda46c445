// What is no scene at all: one clear line each, in bounded time and memory.
#include "io/yaml_document.hpp"

#include <gtest/gtest.h>

#include "io/text_file.hpp"
#include "support/scene_text.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::Lines;
using test::mistakes_in;
using test::TemporaryScenes;

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(YamlDocument, KeepsPlacesAndQuotes) {
  DiagnosticList diagnostics;
  const Node root = parse_yaml("a: 1\nlist:\n  - 'x'\n  - {b: 2.5}\n", "f", diagnostics);
  ASSERT_TRUE(root.is_mapping());
  EXPECT_FALSE(root.find("a")->quoted);
  const Node& list = *root.find("list");
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_TRUE(list.items[0].quoted);
  EXPECT_EQ(list.items[0].where().text(), "f:3:5");
  EXPECT_EQ(list.items[1].find("b")->where().text(), "f:4:9");
  EXPECT_EQ(root.find("c"), nullptr);
  EXPECT_EQ(diagnostics.error_count(), 0);
}

TEST(YamlDocument, ExpandsAliases) {
  DiagnosticList diagnostics;
  const Node root = parse_yaml("a: &x [1, 2]\nb: *x\n", "f", diagnostics);
  EXPECT_EQ(root.find("b")->items.at(1).text, "2");
}

TEST(YamlDocument, TellsNumbersFromTexts) {
  const auto is_number = [](const std::string& text, bool quoted = false) {
    Node node;
    node.kind = Node::Kind::kScalar;
    node.text = text;
    node.quoted = quoted;
    return is_plain_number(node);
  };
  for (const char* number : {"1", "-1", "+1", "1.5e-3", ".5", "-.5", "1E6"}) EXPECT_TRUE(is_number(number)) << number;
  for (const char* text : {"", "-", "+", "1a", "0x10", "1e999", "nan", "inf", "1 2", "--1", "."})
    EXPECT_FALSE(is_number(text)) << text;
  EXPECT_FALSE(is_number("1", true));
}

TEST(YamlDocument, RefusesWhatIsNoText) {
  EXPECT_EQ(mistakes_in(""), Lines{"s.yaml: error: the file is empty: expected a scene"});
  EXPECT_EQ(mistakes_in("# nothing\n"), Lines{"s.yaml: error: the file is empty: expected a scene"});
  EXPECT_EQ(mistakes_in("---\n"), Lines{"s.yaml: error: the file is empty: expected a scene"});
  EXPECT_EQ(mistakes_in(std::string("lipkin: 1\nname: \0x\n", 19)),
            Lines{"s.yaml:2:7: error: not a text file: expected UTF-8 text"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nname: \xe4\n"), Lines{"s.yaml:2:7: error: not a text file: expected UTF-8 text"});
  EXPECT_EQ(mistakes_in("name: \xed\xa0\x80"), Lines{"s.yaml:1:7: error: not a text file: expected UTF-8 text"});
}

TEST(YamlDocument, RefusesWhatIsNoFile) {
  const TemporaryScenes scenes;
  EXPECT_EQ(scenes.mistakes("none.yaml"), Lines{"none.yaml: error: there is no such file"});
  std::filesystem::create_directory(scenes.folder() / "folder.yaml");
  EXPECT_EQ(scenes.mistakes("folder.yaml"), Lines{"folder.yaml: error: this is a folder: expected a file"});
  const std::string big = scenes.write("big.yaml", "");
  std::filesystem::resize_file(big, kMaxTextFileBytes + 1);
  EXPECT_EQ(scenes.mistakes("big.yaml"), Lines{"big.yaml: error: the file is larger than 64 MiB"});
}

TEST(YamlDocument, RefusesWhatIsNoYaml) {
  EXPECT_EQ(
      mistakes_in("lipkin: 1\nname: a: b\n"),
      Lines{"s.yaml:2:8: error: not valid YAML: a second ': ' in one value (put the value in quotes: name: \"a: b\")"});
  EXPECT_EQ(mistakes_in("[1, 2"),
            Lines{"s.yaml:1:1: error: not valid YAML: this '[' is not closed (write ']' behind the last value in it)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\nname: *unknown\n"),
            Lines{"s.yaml:2:7: error: not valid YAML: a text cannot begin with '*' (put it in quotes)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\n---\nlipkin: 1\n"),
            Lines{"s.yaml:2:1: error: a second document begins: expected one per file"});
  EXPECT_EQ(mistakes_in("lipkin: !!int 1\n"),
            Lines{"s.yaml:1:9: error: YAML tags such as 'tag:yaml.org,2002:int' have no meaning in a scene"});
  EXPECT_EQ(mistakes_in("- 1\n"),
            Lines{"s.yaml:1:1: error: the file must be a scene, not a list of 1 (it looks like {lipkin: 1})"});
}

// A parser sees these far behind the place that is wrong.
TEST(YamlDocument, SaysWhereTheMistakeIs) {
  const auto begins = [](const std::string& text, const std::string& expected) {
    const Lines lines = mistakes_in(text);
    EXPECT_EQ(lines.size(), 1u) << text;
    EXPECT_EQ(lines.at(0).substr(0, expected.size()), expected);
  };
  begins("lipkin: 1\nbodies:\n  - {name: a, joint: free\n  - {name: b, joint: free}\n",
         "s.yaml:3:5: error: not valid YAML: this '{' is not closed");
  begins("lipkin: 1\ngravity: [0, 0\nname: x\n", "s.yaml:2:10: error: not valid YAML: this '[' is not closed");
  begins("lipkin: 1\ngravity: [0, 0,\n  1\nname: x\n",
         "s.yaml:2:10: error: not valid YAML: this '[' is not closed (write ']' behind the last value in it)");
  begins("lipkin: 1\ngravity: [0, 0, 1\nname: x\n",
         "s.yaml:2:10: error: not valid YAML: this '[' is not closed (write gravity: [0, 0, 1])");
  begins("lipkin: 1\ngravity: [0, 0}\n", "s.yaml:2:10: error: not valid YAML: this '[' is not closed");
  begins("lipkin: 1\nname: \"x\ndescription: y\n", "s.yaml:2:7: error: not valid YAML: this quote is not closed");
  begins("lipkin: 1\nbodies:\n  - name:a\n    joint: free\n",
         "s.yaml:3:9: error: not valid YAML: a ':' without a blank behind it (write name: a)");
  begins("lipkin: 1\nbodies:\n  - name: a\n   joint: free\n",
         "s.yaml:4:4: error: not valid YAML: this line does not begin below the keys it belongs to");
  begins("lipkin: 1\nworld\n  shapes: []\n", "s.yaml:2:1: error: not valid YAML: a key without its ':' (write world:)");
  begins("lipkin: 1\nbodies:\n\t- name: a\n", "s.yaml:3:2: error: not valid YAML: a tab in the indentation");
}

// Quotes and brackets within texts are none.
TEST(YamlDocument, TakesTextsAsTheyAre) {
  EXPECT_EQ(mistakes_in("lipkin: 1\ndescription: it's a rod's (first) [part\n"), Lines{});
  EXPECT_EQ(mistakes_in("lipkin: 1\ndescription: |\n  \"quoted\n  [more\n"), Lines{});
  EXPECT_EQ(mistakes_in("lipkin: 1\ndescription: 'it''s'  # a \"comment\n"), Lines{});
}

TEST(YamlDocument, ReportsKeysGivenTwiceAndGoesOn) {
  EXPECT_EQ(mistakes_in("lipkin: 1\nname: a\nname: b\nnmae: c\n"),
            (Lines{"s.yaml:3:1: error: the key 'name' is given twice (first in line 2)",
                   "s.yaml:4:1: error: unknown key 'nmae' in a scene (did you mean 'name'?)"}));
}

TEST(YamlDocument, StopsAliasBombsAndDeepNesting) {
  std::string bomb = "lipkin: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  EXPECT_EQ(mistakes_in(bomb),
            Lines{"s.yaml:7:5: error: more than 2000000 values, aliases expanded (use repeat for what "
                  "repeats itself)"});
  EXPECT_EQ(mistakes_in("lipkin: 1\na: &a [*a]\n"),
            Lines{"s.yaml:2:8: error: an alias refers to the value it stands in"});
  EXPECT_EQ(mistakes_in(repeated("[", 33) + repeated("]", 33)),
            Lines{"s.yaml:1:33: error: nested deeper than 32 levels"});
  EXPECT_EQ(mistakes_in(repeated("[", 100000)).size(), 1u);
  EXPECT_EQ(mistakes_in(repeated("{a: ", 100000)).size(), 1u);
  EXPECT_EQ(mistakes_in(repeated("- ", 100000)).size(), 1u);
}

// Nothing but blanks before a bracket: there is no key to write the list with.
TEST(YamlMistakes, ABracketBehindBlanksAlone) {
  EXPECT_THROW(test::scene_from("lipkin: 1\ngravity:\n  [0, 0\nbodies: []\n"), InputError);
}

}  // namespace
}  // namespace lipkin
