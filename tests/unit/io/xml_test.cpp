// What is made of an XML file before any format is known: text, tree, numbers, and the report of what was read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/xml/element_reader.hpp"
#include "io/xml/number_text.hpp"
#include "io/xml/xml_document.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin::test {
namespace {

std::string mistake_of(const std::string& bytes) {
  try {
    DiagnosticList diagnostics;
    parse_xml(decode_xml(bytes, "f.urdf", diagnostics), "f.urdf", "a model");
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

void expect_mistake(const std::string& bytes, const std::vector<std::string>& words) {
  const std::string mistake = mistake_of(bytes);
  for (const std::string& word : words)
    EXPECT_NE(mistake.find(word), std::string::npos) << "'" << word << "' is not in: " << mistake;
  EXPECT_LT(mistake.size(), 500u);
}

TEST(XmlText, EncodingsAreDecodedOrNamed) {
  DiagnosticList diagnostics;
  EXPECT_EQ(decode_xml("<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xE4'/>", "f", diagnostics),
            "<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xC3\xA4'/>");
  EXPECT_EQ(diagnostics.warnings().size(), 1u);
  EXPECT_EQ(decode_xml("<a b='\xE4'/>", "f", diagnostics), "<a b='\xEF\xBF\xBD'/>");
  EXPECT_EQ(decode_xml("<a>\r<b/>\r\n</a>", "f", diagnostics), "<a>\n<b/>\n</a>");
  expect_mistake(std::string("\xFF\xFE<\0a\0", 6), {"UTF-16", "UTF-8"});
  expect_mistake("<?xml version='1.0' encoding='EBCDIC'?><a/>", {"EBCDIC", "not supported"});
  expect_mistake(std::string("<a>\n<b\0/></a>", 13), {"f.urdf:2", "NUL", "line 2"});
}

TEST(XmlText, LimitsAreToldBeforeATreeIsBuilt) {
  expect_mistake("<!DOCTYPE x [<!ENTITY a \"b\">]><a/>", {"DOCTYPE"});
  EXPECT_EQ(mistake_of("<!-- <!DOCTYPE x> --><a/>"), "none");
  std::string many = "<a>";
  for (std::size_t i = 0; i < kMaxXmlElements; ++i) many += "<b/>";
  expect_mistake(many + "</a>", {"100000 elements"});
  std::string attributes = "<a";
  for (std::size_t i = 0; i <= kMaxXmlAttributes; ++i) attributes += fmt::format(" a{}=''", i);
  expect_mistake(attributes + "/>", {"2000 attributes"});
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  expect_mistake(deep, {"deep", "100"});
}

TEST(XmlDocument, MistakesHaveALineAndAnElement) {
  expect_mistake("", {"f.urdf", "empty"});
  expect_mistake("  \n ", {"f.urdf", "empty"});
  expect_mistake("<a>\n<iner", {"f.urdf:2", "line 2", "iner"});
  expect_mistake("<a>\n<b c=\"1", {"f.urdf:2", "line 2", "<b>"});
  expect_mistake("<a>\n<b>\n</a>", {"line", "<b>"});
  expect_mistake("<a/>\n<b/>", {"f.urdf:2", "second root element <b>"});
  expect_mistake("<a c='1' c='2'/>", {"twice"});
}

TEST(XmlDocument, QuirksOfFilesInUseAreAccepted) {
  EXPECT_EQ(mistake_of("\n<?xml version='1.0'?>\n<a/>"), "none");
  EXPECT_EQ(mistake_of("<!-- before --><a><!-- a -- b --></a>"), "none");
  EXPECT_EQ(mistake_of("\xEF\xBB\xBF<a/>"), "none");
}

TEST(XmlNumbers, OnlyWholeWordsAreNumbers) {
  double value = 0;
  for (const auto& [text, expected] :
       {std::pair{"1", 1.0}, {"-.5", -0.5}, {"+2.", 2.0}, {"1e-3", 1e-3}, {"1E3", 1e3}, {"1e-400", 0.0}}) {
    EXPECT_EQ(read_number(text, value), "") << text;
    EXPECT_EQ(value, expected) << text;
  }
  for (const char* text : {"", "x", "1x", "0,2", "1e", "--1", "+-1", "0x10", "1 2", "${m}", "$(arg", "1e400", "-1e400"})
    EXPECT_NE(read_number(text, value), "") << text;
  EXPECT_NE(read_number("0,2", value).find("point"), std::string::npos);
  EXPECT_NE(read_number("1e400", value).find("range"), std::string::npos);
}

struct Parsed {
  explicit Parsed(const std::string& text) : root(parse_xml(text, "f.xml", "a model")) {}
  std::unique_ptr<XmlElement> root;
  DiagnosticList diagnostics;
  ImportReport report{"TEST"};
  ImportLog log{diagnostics, report};
  ElementReader reader{*root, log};
};

TEST(ElementReaderTest, MistakesNameTheOwner) {
  Parsed parsed("<r>\n<joint name='j1'>\n<origin xyz='0 1'/></joint></r>");
  const ElementReader origin = *parsed.reader.child("joint")->child("origin");
  EXPECT_EQ(origin.vector("xyz", {7, 7, 7}), Eigen::Vector3d(7, 7, 7));
  ASSERT_EQ(parsed.diagnostics.error_count(), 1);
  EXPECT_EQ(parsed.diagnostics.errors()[0].text(), "f.xml:3: error: joint 'j1': origin xyz has 2 numbers, 3 expected");
}

TEST(ElementReaderTest, NotFiniteNumbersAreMistakesUnlessAllowed) {
  Parsed parsed("<r a='nan' b='inf' c='1 2'/>");
  EXPECT_EQ(parsed.reader.number("a", 3), 3);
  EXPECT_EQ(parsed.reader.number("b", 3), 3);
  EXPECT_EQ(parsed.reader.number("c", 3), 3);
  EXPECT_EQ(parsed.diagnostics.error_count(), 3);
  EXPECT_TRUE(std::isinf(parsed.reader.number("b", 3, ElementReader::Infinite::kAllowed)));
}

TEST(ElementReaderTest, WhatNobodyReadIsIgnored) {
  Parsed parsed("<r>\n<a x='1' y='2'>\n<b/>\n<b/></a>\n<c>\n<d/></c>\n<e/></r>");
  const ElementReader a = *parsed.reader.child("a");
  a.number("x", 0);
  a.children("b")[0].note(Treatment::kApproximated, "nearly");
  report_what_was_read(*parsed.root, parsed.report);
  const auto count = [&](const std::string& tag, Treatment treatment) {
    int sum = 0;
    for (const ImportNote& note : parsed.report.notes())
      if (note.tag == tag && note.treatment == treatment) sum += note.count;
    return sum;
  };
  EXPECT_EQ(count("a", Treatment::kHonoured), 1);
  EXPECT_EQ(count("a@y", Treatment::kIgnored), 1);
  EXPECT_EQ(count("a@x", Treatment::kIgnored), 0);
  EXPECT_EQ(count("a/b", Treatment::kApproximated), 1);
  EXPECT_EQ(count("a/b", Treatment::kHonoured), 1);
  EXPECT_EQ(count("c", Treatment::kIgnored), 1);
  EXPECT_EQ(count("e", Treatment::kIgnored), 1);
}

}  // namespace
}  // namespace lipkin::test
