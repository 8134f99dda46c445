#include "io/xml/xml_document.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

static_assert(TINYXML2_MAX_ELEMENT_DEPTH == kMaxXmlDepth);

// What tinyxml2 gives away about the element it stopped in: "... XMLElement name=iner".
std::string element_in(const char* error_text) {
  const std::string_view text = error_text ? error_text : "";
  constexpr std::string_view kMarker = "XMLElement name=";
  const std::size_t marker = text.find(kMarker);
  return marker == std::string_view::npos ? std::string() : shortened(text.substr(marker + kMarker.size()));
}

std::string cause_of(tinyxml2::XMLError error, const std::string& element) {
  const std::string in = element.empty() ? "" : fmt::format(" <{}>", element);
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return fmt::format("the element{} is still open where another one or the file ends", in);
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return fmt::format("the element{} does not end: expected attributes, '>' or '/>'", in);
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return fmt::format("an attribute of the element{} is given twice, has no quotes or does not end", in);
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment does not end";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "a CDATA section does not end";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "a text does not end";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "the XML declaration does not end or is not at the beginning";
    default:
      return "this is no XML";
  }
}

[[noreturn]] void refuse(const tinyxml2::XMLDocument& document, const std::string& shown_name,
                         const std::string& expected) {
  const int line = document.ErrorLineNum();
  const SourceLocation where{shown_name, line, 0};
  if (document.ErrorID() == tinyxml2::XML_ERROR_EMPTY_DOCUMENT)
    throw InputError({shown_name}, "the file is empty: expected " + expected);
  if (document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED) throw InputError(where, too_deep_message());
  throw InputError(where, fmt::format("not valid XML in line {}: {}", line,
                                      cause_of(document.ErrorID(), element_in(document.ErrorStr()))));
}

std::unique_ptr<XmlElement> copied(const tinyxml2::XMLElement& element,
                                   const std::shared_ptr<const std::string>& file) {
  auto result = std::make_unique<XmlElement>();
  result->tag = element.Name();
  result->line = element.GetLineNum();
  result->file = file;
  for (const auto* a = element.FirstAttribute(); a; a = a->Next())
    result->attributes.push_back({a->Name(), a->Value(), a->GetLineNum()});
  for (const auto* child = element.FirstChildElement(); child; child = child->NextSiblingElement())
    result->adopt(copied(*child, file));
  return result;
}

}  // namespace

const XmlAttribute* XmlElement::attribute(std::string_view name) const {
  for (const XmlAttribute& a : attributes)
    if (a.name == name) return &a;
  return nullptr;
}

void XmlElement::adopt(std::unique_ptr<XmlElement> child) {
  child->parent = this;
  children.push_back(std::move(child));
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return std::string(text);
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  return std::string(text.substr(0, end)) + "...";
}

std::unique_ptr<XmlElement> parse_xml(const std::string& text, const std::string& shown_name,
                                      const std::string& expected) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) refuse(document, shown_name, expected);
  const tinyxml2::XMLElement* root = document.RootElement();
  if (!root) throw InputError({shown_name}, "the file has no XML element: expected " + expected);
  if (const tinyxml2::XMLElement* second = root->NextSiblingElement())
    throw InputError({shown_name, second->GetLineNum(), 0},
                     fmt::format("a second root element <{}>: expected one, <{}>", shortened(second->Name()),
                                 shortened(root->Name())));
  return copied(*root, std::make_shared<const std::string>(shown_name));
}

}  // namespace lipkin
