#include "io/export/scene_names.hpp"

#include <fmt/format.h>

#include "base/expression.hpp"
#include "io/xml/xml_document.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {
namespace {

std::string allowed(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // of a character outside ASCII
    if (!continues) result += is_letter ? c : '_';
  }
  const bool begins_well = !result.empty() && !(result[0] >= '0' && result[0] <= '9');
  return begins_well ? result : "_" + result;
}

}  // namespace

void SceneNameTable::add(const std::string& name) {
  std::string written = is_identifier(name) ? name : allowed(name);
  while (written == kWorldName || taken_.contains(written)) written += '_';
  taken_.insert(written);
  written_.emplace(name, written);
}

std::string SceneNameTable::operator()(const std::string& name) const {
  const auto found = written_.find(name);
  return found == written_.end() ? name : found->second;  // the world
}

void SceneNameTable::report(std::vector<Diagnostic>& warnings) const {
  constexpr int kMostShown = 5;
  int count = 0;
  std::string text;
  for (const auto& [name, written] : written_) {
    if (name == written) continue;
    if (++count <= kMostShown)
      text += fmt::format("{}'{}' is '{}'", count > 1 ? ", " : "", shortened(name), shortened(written));
  }
  if (count == 0) return;
  if (count > kMostShown) text += ", ...";
  warnings.push_back({{},
                      fmt::format("names of {} changed to letters, digits and underscores: {}", kind_, text),
                      {},
                      Severity::kWarning});
}

}  // namespace lipkin
