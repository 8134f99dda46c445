#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/warnings.hpp"
#include "scene_input.hpp"

namespace lipkin::cli {
namespace {

struct Verdict {
  std::string scene;
  bool ok = false;
  std::vector<Diagnostic> diagnostics;
};

// A simulation is set up too: it checks what the experiment refers to.
Verdict check_scene(const std::string& name, const ModelOptions& model_options) {
  try {
    ImportOptions options = import_options(model_options);
    options.visual_meshes = true;  // they have mistakes too
    Scene scene = load_scene(name, {}, options);
    std::vector<Diagnostic> warnings = scene.warnings;
    const bool is_scene = scene.report.format().empty();
    const Simulation simulation(std::move(scene));
    if (is_scene)
      for (const Diagnostic& warning : start_warnings(simulation)) warnings.push_back(warning);
    return {name, true, std::move(warnings)};
  } catch (const InputError& error) {
    return {name, false, error.diagnostics()};
  } catch (const SettingError& error) {
    return {name, false, at_its_place(error, {name, {}, {}}).diagnostics()};
  } catch (const InvalidArgument& error) {
    return {name, false, {Diagnostic{{name, 0, 0}, error.what(), {}}}};
  }
}

void print_verdict(const Verdict& verdict) {
  print_diagnostics(verdict.diagnostics);
  if (!verdict.ok) return;
  const std::size_t count = verdict.diagnostics.size();  // warnings, where it is ok
  fmt::print("{}: ok{}\n", verdict.scene,
             count == 0 ? std::string() : fmt::format(", {} warning{}", count, count > 1 ? "s" : ""));
}

Json verdict_json(const Verdict& verdict) {
  return {{"scene", verdict.scene}, {"ok", verdict.ok}, {"diagnostics", to_json(verdict.diagnostics)}};
}

}  // namespace

int check_scenes(const CheckOptions& options) {
  bool all_ok = true;
  Json scenes = Json::array();
  for (const std::string& name : options.scenes) {
    const Verdict verdict = check_scene(name, options.model_options);
    all_ok = all_ok && verdict.ok;
    if (options.json) {
      scenes.push_back(verdict_json(verdict));
    } else {
      print_verdict(verdict);
    }
  }
  if (options.json) print_json(Json{{"ok", all_ok}, {"scenes", scenes}});
  return all_ok ? kSuccess : kRefused;
}

}  // namespace lipkin::cli
