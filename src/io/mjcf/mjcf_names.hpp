// Copies of elements, and the names by which elements refer to each other.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "io/xml/xml_document.hpp"

namespace lipkin {

using MjcfNames = std::map<std::string, std::set<std::string>>;  // by kind: "joint", "body", ...

// With everything in it, and nothing of it read yet.
std::unique_ptr<XmlElement> copy_of(const XmlElement& element);

// Of the element and all below it.
std::size_t element_count(const XmlElement& element);

// What kind of thing an element of the given tag is, for names: "joint" of a <freejoint>.
std::string kind_of(const std::string& tag);

// Which kind of thing an attribute names; empty: none.
std::string kind_named_by(const std::string& attribute, const XmlElement& element);

// The names given by the element and all below it.
void collect_names(const XmlElement& element, MjcfNames& names);

// Whether the element or one in it refers to one of them.
bool names_one_of(const XmlElement& element, const MjcfNames& names);

// Of `names`, where they are given or referred to in the element.
void rename(XmlElement& element, const MjcfNames& names, const std::string& prefix, const std::string& suffix);

}  // namespace lipkin
