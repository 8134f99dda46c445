#include "scene_input.hpp"

#include <fmt/format.h>

#include "failure.hpp"
#include "lipkin/warnings.hpp"

namespace lipkin::cli {
namespace {

std::pair<std::string, std::string> split_override(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format("--set {}: expected path=value, such as --set length=0.5", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

MeshContact mesh_contact_named(const std::string& name) {
  if (name == "hull") return MeshContact::kHull;
  if (name == "decompose") return MeshContact::kDecompose;
  if (name == "mesh") return MeshContact::kMesh;
  throw UsageError(fmt::format("--mesh-contact {}: expected hull, decompose or mesh", name));
}

DecompositionOptions decomposition_of(const ModelOptions& options) {
  if ((options.mesh_tolerance || options.mesh_hulls) && options.mesh_contact != "decompose")
    throw UsageError("--mesh-tolerance and --mesh-hulls need --mesh-contact decompose");
  DecompositionOptions result;
  if (options.mesh_tolerance) result.tolerance = *options.mesh_tolerance;
  if (options.mesh_hulls) result.max_hulls = *options.mesh_hulls;
  return result;
}

}  // namespace

ImportOptions import_options(const ModelOptions& options) {
  ImportOptions result;
  if (options.base && *options.base != "fixed" && *options.base != "floating") {
    throw UsageError(fmt::format("--base {}: expected fixed or floating", *options.base));
  }
  const std::optional<std::string>& base = options.base ? options.base : options.usual_base;
  if (base) result.base = *base == "floating" ? BaseKind::kFloating : BaseKind::kFixed;
  result.package_folders.assign(options.package_paths.begin(), options.package_paths.end());
  result.ground = options.ground;
  result.self_contact = options.self_contact;
  result.mesh_contact = mesh_contact_named(options.mesh_contact);
  result.decomposition = decomposition_of(options);
  return result;
}

SceneSource source_of(const std::string& name_or_path, const Overrides& overrides, const ModelOptions& model_options) {
  SceneSource source{name_or_path, {}, import_options(model_options)};
  for (const std::string& text : overrides) source.overrides.push_back(split_override(text));
  return source;
}

Scene open_scene(const std::string& name_or_path, const Overrides& overrides, const ModelOptions& model_options) {
  const SceneSource source = source_of(name_or_path, overrides, model_options);
  Scene scene = load_scene(source.scene, source.overrides, source.import_options);
  if (scene.report.format().empty() && (model_options.base || model_options.ground || model_options.self_contact ||
                                        model_options.mesh_contact != "hull")) {
    throw UsageError(
        "--base, --ground, --self-contact and --mesh-contact are for URDF and MJCF files; a scene says these things "
        "itself");
  }
  print_diagnostics(scene.warnings);
  return scene;
}

InputError at_its_place(const SettingError& error, const SceneSource& source) {
  return {place_of_setting(source.scene, source.overrides, error.setting()), error.message(), error.hint()};
}

std::vector<Diagnostic> SceneWarnings::with_start(const Simulation& simulation) const {
  std::vector<Diagnostic> all = of_scene_;
  if (!is_scene_) return all;
  const std::vector<Diagnostic> at_start = start_warnings(simulation);
  print_diagnostics(at_start);
  all.insert(all.end(), at_start.begin(), at_start.end());
  return all;
}

}  // namespace lipkin::cli
