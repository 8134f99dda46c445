#include <fmt/format.h>

#include <fstream>

#include "io/import/ground.hpp"
#include "io/import/model_import.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

constexpr const char* kExpected = "a model in XML, <robot> (URDF) or <mujoco> (MJCF)";

void read_format(ModelImport& import) {
  const XmlElement& root = *import.root;
  if (root.tag == "robot") return read_urdf(import);
  if (root.tag == "mujoco") return read_mjcf(import);
  const std::string hint = root.tag == "html" ? "was an error page saved instead of the model?" : "";
  throw InputError(root.where(),
                   fmt::format("the root element in line {} is <{}>: expected <robot> (URDF) or <mujoco> (MJCF)",
                               root.line, shortened(root.tag)),
                   hint);
}

void check_options(const DecompositionOptions& options) {
  constexpr int kMostHulls = 128;
  if (!(options.tolerance > 0 && options.tolerance <= 1))
    throw InvalidArgument(
        fmt::format("the tolerance of hulls of a mesh is {}: expected above 0, at most 1", options.tolerance));
  if (options.max_hulls < 1 || options.max_hulls > kMostHulls)
    throw InvalidArgument(
        fmt::format("the count of hulls of a mesh is {}: expected 1 to {}", options.max_hulls, kMostHulls));
}

// Whoever runs the model is told what moves otherwise than the file says; the report has the rest.
void warn_of_losses(ModelImport& import) {
  for (const ImportNote& note : import.report.notes()) {
    if (!note.changes_motion) continue;
    const std::string times = note.count > 1 ? fmt::format(" ({} times)", note.count) : "";
    import.diagnostics.warning(
        note.places[0], fmt::format("{} is {}{}: {}; the model does not move as the file says", shortened(note.tag),
                                    name_of(note.treatment), times, note.reason));
  }
}

// Builds what the reader of the format collected.
Scene finished(ModelImport& import) {
  import.builder.set_name(import.name);
  import.diagnostics.add(import.builder.check());
  if (import.diagnostics.error_count() > 0) throw InputError(import.diagnostics.errors());
  Model model = import.builder.build();
  if (import.options.ground && !ground_height(model)) {
    add_ground(import.builder, model);
    model = import.builder.build();
  }
  return {import.name,
          import.description,
          import.options.ground ? standing_on_ground(model) : model,
          std::move(import.experiment),
          import.diagnostics.warnings(),
          std::move(import.report)};
}

}  // namespace

std::unique_ptr<XmlElement> read_xml_file(const std::filesystem::path& path, const std::string& shown_name,
                                          DiagnosticList& diagnostics) {
  return parse_xml(decode_xml(read_xml_bytes(path, shown_name), shown_name, diagnostics), shown_name, kExpected);
}

bool is_model_file(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".urdf" || ending == ".xml" || ending == ".mjcf" || ending == ".xacro") return true;
  if (ending == ".yaml" || ending == ".yml") return false;
  std::ifstream stream(path, std::ios::binary);
  char first = 0;
  return stream >> first && first == '<';
}

Scene load_model(const std::filesystem::path& path, const std::string& shown_name, const ImportOptions& options) {
  return load_model_text(read_xml_bytes(path, shown_name), path, shown_name, options);
}

Scene load_model_text(std::string bytes, const std::filesystem::path& path, const std::string& shown_name,
                      const ImportOptions& options) {
  check_options(options.decomposition);
  ModelImport import;
  import.path = path;
  import.shown_name = shown_name;
  import.options = options;
  import.name = path.stem().string();
  import.root = parse_xml(decode_xml(std::move(bytes), shown_name, import.diagnostics), shown_name, kExpected);
  import.builder.allow_massless_joints();
  read_format(import);
  if (import.diagnostics.error_count() > 0) throw InputError(import.diagnostics.errors());
  report_what_was_read(*import.root, import.report);
  warn_of_losses(import);
  warn_of_misspellings(*import.root, import.diagnostics);
  return finished(import);
}

}  // namespace lipkin
