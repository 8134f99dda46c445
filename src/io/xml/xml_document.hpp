// An XML document as a tree of elements that know where they stand and whether anybody has read them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/diagnostic_list.hpp"
#include "lipkin/error.hpp"

namespace lipkin {

struct XmlAttribute {
  std::string name, value;
  int line = 0;
  mutable bool is_read = false;   // what stays unread goes into the import report as ignored
  mutable bool is_noted = false;  // the report says already what became of it
};

struct XmlElement {
  std::string tag;
  int line = 0;
  std::shared_ptr<const std::string> file;
  const XmlElement* parent = nullptr;  // null at the root
  std::vector<XmlAttribute> attributes;
  std::vector<std::unique_ptr<XmlElement>> children;
  mutable bool is_read = false, is_noted = false;  // as of attributes
  mutable std::vector<std::string> missed;         // attributes and children that were asked for in vain

  SourceLocation where() const { return {file ? *file : std::string(), line, 0}; }
  SourceLocation where(const XmlAttribute& attribute) const {
    return {file ? *file : std::string(), attribute.line, 0};
  }
  const XmlAttribute* attribute(std::string_view name) const;
  void adopt(std::unique_ptr<XmlElement> child);
};

// At most as many characters of what a file says as fit into a message.
std::string shortened(std::string_view text);

// Parses text from decode_xml(). `expected` is the kind of file for messages about an empty one: "a URDF model".
// Throws InputError with line and cause when it is no XML.
std::unique_ptr<XmlElement> parse_xml(const std::string& text, const std::string& shown_name,
                                      const std::string& expected);

}  // namespace lipkin
