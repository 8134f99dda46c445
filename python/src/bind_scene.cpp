#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "lipkin/error.hpp"
#include "lipkin/export.hpp"
#include "scene_options.hpp"
#include "whole_objects.hpp"

namespace lipkin::python {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;

BaseKind base_named(const std::string& name) {
  if (name == "fixed") return BaseKind::kFixed;
  if (name == "floating") return BaseKind::kFloating;
  throw InvalidArgument(fmt::format("base '{}': expected fixed or floating", name));
}

MeshContact mesh_contact_named(const std::string& name) {
  if (name == "hull") return MeshContact::kHull;
  if (name == "decompose") return MeshContact::kDecompose;
  if (name == "mesh") return MeshContact::kMesh;
  throw InvalidArgument(fmt::format("mesh_contact '{}': expected hull, decompose or mesh", name));
}

DecompositionOptions decomposition_of(const std::string& mesh_contact, std::optional<double> tolerance,
                                      std::optional<int> hulls) {
  if ((tolerance || hulls) && mesh_contact != "decompose")
    throw InvalidArgument("mesh_tolerance and mesh_hulls need mesh_contact=\"decompose\"");
  DecompositionOptions result;
  result.tolerance = tolerance.value_or(result.tolerance);
  result.max_hulls = hulls.value_or(result.max_hulls);
  return result;
}

LoadedScene load(const std::string& name_or_path, Overrides overrides, const std::optional<std::string>& base,
                 std::vector<std::filesystem::path> packages, bool ground, bool self_contact,
                 const std::string& mesh_contact, std::optional<double> mesh_tolerance, std::optional<int> mesh_hulls) {
  ImportOptions import_options;
  if (base) import_options.base = base_named(*base);
  import_options.package_folders = std::move(packages);
  import_options.ground = ground;
  import_options.self_contact = self_contact;
  import_options.mesh_contact = mesh_contact_named(mesh_contact);
  import_options.decomposition = decomposition_of(mesh_contact, mesh_tolerance, mesh_hulls);
  const py::gil_scoped_release others_run;
  Scene scene = load_scene(name_or_path, overrides, import_options);
  if (scene.report.format().empty() && (base || ground || self_contact || mesh_contact != "hull"))
    throw InvalidArgument(
        "base, ground, self_contact and mesh_contact are for URDF and MJCF files; a scene says these things itself");
  return {std::move(scene), {name_or_path, std::move(overrides), std::move(import_options)}, {}};
}

py::list warnings_of(const LoadedScene& loaded) {
  py::list lines;
  for (const Diagnostic& warning : loaded.scene.warnings) lines.append(warning.text());
  return lines;
}

py::list report_of(const LoadedScene& loaded) {
  py::list notes;
  for (const ImportNote& note : loaded.scene.report.notes()) {
    py::list lines;
    for (const SourceLocation& place : note.places) lines.append(place.line);
    notes.append(py::make_tuple(note.tag, std::string(name_of(note.treatment)), note.reason, note.count, lines));
  }
  return notes;
}

std::vector<std::tuple<std::string, std::string, std::filesystem::path>> scenes() {
  std::vector<std::tuple<std::string, std::string, std::filesystem::path>> all;
  for (const SceneInfo& scene : list_scenes()) all.emplace_back(scene.name, scene.description, scene.path);
  return all;
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<LoadedScene> type(module, "Scene", "A model with the experiment to run with it, as `load` read it.");
  keep_whole(type, "load it again");
  type.def_property_readonly(
          "name", [](const LoadedScene& s) { return s.scene.name; }, "Name of the scene.")
      .def_property_readonly(
          "description", [](const LoadedScene& s) { return s.scene.description; }, "What the scene says of itself.")
      .def_property_readonly(
          "model", [](const LoadedScene& s) { return s.scene.model; }, "The compiled model.")
      .def_property_readonly(
          "options", [](const LoadedScene& s) { return options_of(s.scene.experiment); },
          "The choices of its experiment: stepper, dt [s], solver, ...")
      .def_property_readonly("warnings", &warnings_of, "One line each, as the command line prints them.")
      .def_property_readonly(
          "format", [](const LoadedScene& s) { return s.scene.report.format(); },
          "\"URDF\" or \"MJCF\"; empty for a scene.")
      .def_property_readonly("report", &report_of,
                             "What became of each tag of a model file: (tag, treatment, reason, count, lines).")
      .def_property_readonly(
          "report_summary", [](const LoadedScene& s) { return s.scene.report.summary(); }, "The report in one line.")
      .def(
          "with_options",
          [](const LoadedScene& s, const py::dict& options) {
            LoadedScene changed = s;
            apply_options(options, changed.scene.experiment);
            return changed;
          },
          py::arg("options"), "The same scene with other choices.")
      .def("_keep", [](LoadedScene& s, const py::object& files) {
        s.files = std::shared_ptr<const py::object>(new py::object(files), [](const py::object* kept) {
          const py::gil_scoped_acquire locked;
          delete kept;
        });
      });
  module.def("load_scene", &load, py::arg("name_or_path"), py::arg("overrides"), py::arg("base"), py::arg("packages"),
             py::arg("ground"), py::arg("self_contact"), py::arg("mesh_contact"), py::arg("mesh_tolerance"),
             py::arg("mesh_hulls"));
  module.def("scenes", &scenes);
}

}  // namespace lipkin::python
