#include "io/mjcf/mjcf_names.hpp"

namespace lipkin {

std::unique_ptr<XmlElement> copy_of(const XmlElement& element) {
  auto copy = std::make_unique<XmlElement>();
  copy->tag = element.tag;
  copy->line = element.line;
  copy->file = element.file;
  copy->attributes = element.attributes;
  for (const auto& child : element.children) copy->adopt(copy_of(*child));
  return copy;
}

std::size_t element_count(const XmlElement& element) {
  std::size_t count = 1;
  for (const auto& child : element.children) count += element_count(*child);
  return count;
}

std::string kind_of(const std::string& tag) {
  if (tag == "freejoint") return "joint";
  if (tag == "spatial" || tag == "fixed") return "tendon";
  for (const char* actuator :
       {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"})
    if (tag == actuator) return "actuator";
  return tag;
}

std::string kind_named_by(const std::string& attribute, const XmlElement& element) {
  static const std::map<std::string, std::string> kinds = {
      {"joint", "joint"},       {"joint1", "joint"},    {"joint2", "joint"},   {"jointinparent", "joint"},
      {"site", "site"},         {"site1", "site"},      {"site2", "site"},     {"sidesite", "site"},
      {"refsite", "site"},      {"slidersite", "site"}, {"cranksite", "site"}, {"body", "body"},
      {"body1", "body"},        {"body2", "body"},      {"geom", "geom"},      {"geom1", "geom"},
      {"geom2", "geom"},        {"tendon", "tendon"},   {"tendon1", "tendon"}, {"tendon2", "tendon"},
      {"actuator", "actuator"}, {"target", "body"}};
  const auto found = kinds.find(attribute);
  if (found != kinds.end()) return found->second;
  if (attribute != "objname" && attribute != "refname") return {};
  const XmlAttribute* type = element.attribute(attribute == "objname" ? "objtype" : "reftype");
  return type && type->value != "xbody" ? type->value : "body";
}

void collect_names(const XmlElement& element, MjcfNames& names) {
  if (const XmlAttribute* name = element.attribute("name")) names[kind_of(element.tag)].insert(name->value);
  for (const auto& child : element.children) collect_names(*child, names);
}

bool names_one_of(const XmlElement& element, const MjcfNames& names) {
  for (const XmlAttribute& attribute : element.attributes) {
    const auto kind = names.find(kind_named_by(attribute.name, element));
    if (kind != names.end() && kind->second.count(attribute.value)) return true;
  }
  for (const auto& child : element.children)
    if (names_one_of(*child, names)) return true;
  return false;
}

void rename(XmlElement& element, const MjcfNames& names, const std::string& prefix, const std::string& suffix) {
  for (XmlAttribute& attribute : element.attributes) {
    const std::string kind = attribute.name == "name" ? kind_of(element.tag) : kind_named_by(attribute.name, element);
    const auto known = names.find(kind);
    if (known != names.end() && known->second.count(attribute.value))
      attribute.value = prefix + attribute.value + suffix;
  }
  for (const auto& child : element.children) rename(*child, names, prefix, suffix);
}

}  // namespace lipkin
