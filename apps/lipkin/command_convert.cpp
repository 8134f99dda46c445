#include <fmt/format.h>

#include <filesystem>

#include "commands.hpp"
#include "failure.hpp"
#include "lipkin/export.hpp"
#include "scene_input.hpp"

namespace lipkin::cli {
namespace {

// "scene", "urdf" or "mjcf": as --to says, else by the ending of the file.
std::string target_format(const ConvertOptions& options) {
  if (options.to) {
    if (*options.to == "scene" || *options.to == "urdf" || *options.to == "mjcf") return *options.to;
    throw UsageError(fmt::format("--to {}: expected scene, urdf or mjcf", *options.to));
  }
  const std::string ending = std::filesystem::path(options.output).extension().string();
  if (ending == ".yaml" || ending == ".yml" || options.output == "-") return "scene";
  if (ending == ".urdf") return "urdf";
  if (ending == ".xml" || ending == ".mjcf") return "mjcf";
  throw UsageError(fmt::format("{}: expected a file that ends in .yaml, .urdf or .xml, or --to", options.output));
}

}  // namespace

int convert_model(const ConvertOptions& options) {
  const std::string format = target_format(options);
  if (options.json && options.output == "-") throw UsageError("--json and -o - both write to standard output");
  const Scene scene = open_scene(options.model, options.overrides, options.model_options);
  const ExportedModel exported = format == "urdf"   ? write_urdf(scene)
                                 : format == "mjcf" ? write_mjcf(scene)
                                                    : write_scene(scene);
  print_diagnostics(exported.warnings);
  write_text(options.output, exported.text);
  if (options.json) {
    print_json(Json{{"file", options.output}, {"format", format}, {"warnings", to_json(exported.warnings)}});
  } else if (options.output != "-") {
    fmt::print("{}: {} bodies, {} degrees of freedom\n", options.output, scene.model.body_count(),
               scene.model.u_count());
  }
  return kSuccess;
}

}  // namespace lipkin::cli
