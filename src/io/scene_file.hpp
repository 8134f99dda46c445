// Scene files as they are written: read once, checked against the schema, nothing resolved yet.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/diagnostic_list.hpp"
#include "io/node.hpp"
#include "io/schema_validator.hpp"

namespace lipkin {

using Overrides = std::vector<std::pair<std::string, std::string>>;

struct SceneFile {
  std::filesystem::path path;  // canonical
  std::string shown_name;      // in messages
  Node root;
  SchemaValidator validation;
  bool is_whole = true;                         // nothing was left out, as of keys given twice
  std::map<std::string, Node> set_in_included;  // parameters of included files that the caller chose, by name

  bool is_sound(const Node& node) const { return validation.is_sound(node); }
};

class SceneFiles {
 public:
  explicit SceneFiles(DiagnosticList& diagnostics) : diagnostics_(&diagnostics) {}

  // The scene itself, with --set overrides applied. Throws InputError when the file cannot be read as YAML.
  const SceneFile& open_top(const std::filesystem::path& path, const std::string& shown_name,
                            const Overrides& overrides);

  // A file that `including` names; null, with the reason among the diagnostics, when it cannot be read or lies outside
  // the top scene's folder.
  const SceneFile* open_included(const std::string& name, const SceneFile& including, const SourceLocation& where);

 private:
  const SceneFile& open(const std::filesystem::path& canonical, const std::string& shown_name,
                        const Overrides& overrides);

  DiagnosticList* diagnostics_;
  std::filesystem::path top_folder_;
  std::map<std::filesystem::path, std::unique_ptr<SceneFile>> files_;
};

}  // namespace lipkin
