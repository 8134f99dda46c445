// Where a scene says a setting of its experiment.
#include "io/import/model_import.hpp"
#include "io/scene_file.hpp"
#include "io/scene_search.hpp"
#include "lipkin/warnings.hpp"

namespace lipkin {

SourceLocation place_of_setting(const std::string& name_or_path,
                                const std::vector<std::pair<std::string, std::string>>& overrides,
                                const std::string& setting) {
  const std::filesystem::path path = find_scene(name_or_path);
  const std::string shown = path == std::filesystem::path(name_or_path) ? name_or_path : path.string();
  if (is_model_file(path)) return {shown};
  DiagnosticList diagnostics;
  SceneFiles files(diagnostics);
  const Node& root = files.open_top(path, shown, overrides).root;
  const Node* experiment = root.is_mapping() ? root.find("experiment") : nullptr;
  const Node* value = experiment && experiment->is_mapping() ? experiment->find(setting) : nullptr;
  return value ? value->where() : SourceLocation{shown, 0, 0};
}

}  // namespace lipkin
