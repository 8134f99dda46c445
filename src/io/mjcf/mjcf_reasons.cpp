#include "io/mjcf/mjcf_reasons.hpp"

#include <fmt/format.h>

#include <map>

#include "io/xml/element_reader.hpp"

namespace lipkin {
namespace {

const char* reason_of(const std::string& attribute) {
  static const std::map<std::string, const char*> reasons = {
      {"solref", "constraints are rigid here"},
      {"solimp", "constraints are rigid here"},
      {"solreflimit", "constraints are rigid here"},
      {"solimplimit", "constraints are rigid here"},
      {"solreffriction", "constraints are rigid here"},
      {"solimpfriction", "constraints are rigid here"},
      {"solmix", "constraints are rigid here"},
      {"margin", "bodies touch when they touch"},
      {"gap", "bodies touch when they touch"},
      {"material", "for drawing only"},
      {"rgba", "for drawing only"},
      {"group", "for drawing only"},
      {"fluidshape", "bodies move in empty space"},
      {"fluidcoef", "bodies move in empty space"},
      {"align", "the frame of the body stays where the file has it"},
      {"alignfree", "the frame of a body stays where the file has it"},
      {"user", "data for other programs"},
      {"lengthrange", "of muscles"},
      {"texturedir", "textures are not drawn"},
      {"usethread", "of MuJoCo's compiler"},
      {"fusestatic", "bodies without joints always merge"},
      {"saveinertial", "of MuJoCo's compiler"},
      {"actuatorgravcomp", "carried weight counts as an outer force"}};
  const auto found = reasons.find(attribute);
  return found == reasons.end() ? nullptr : found->second;
}

}  // namespace

void note_reasons(const XmlElement& root, ImportReport& report) {
  if (!root.is_read) return;
  for (const XmlAttribute& attribute : root.attributes) {
    const char* reason = attribute.is_read || attribute.is_noted ? nullptr : reason_of(attribute.name);
    if (!reason) continue;
    attribute.is_noted = true;
    report.add(fmt::format("{}@{}", report_tag(root), attribute.name), Treatment::kIgnored, reason,
               root.where(attribute));
  }
  for (const auto& child : root.children) note_reasons(*child, report);
}

}  // namespace lipkin
