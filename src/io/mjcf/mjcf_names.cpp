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

}  // namespace lipkin
