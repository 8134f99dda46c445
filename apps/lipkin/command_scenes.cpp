#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "lipkin/scene.hpp"
#include "text.hpp"

namespace lipkin::cli {

int print_scenes(const ScenesOptions& options) {
  Json scenes = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const SceneInfo& scene : list_scenes()) {
    if (options.names_only && !options.json) fmt::print("{}\n", scene.name);
    scenes.push_back({{"name", scene.name}, {"description", scene.description}, {"path", scene.path.string()}});
    rows.push_back({scene.name, scene.description});
  }
  if (options.json) {
    print_json(Json{{"scenes", scenes}});
  } else if (!options.names_only) {
    fmt::print("{}", table_text(rows, {true, true}));
  }
  return kSuccess;
}

}  // namespace lipkin::cli
