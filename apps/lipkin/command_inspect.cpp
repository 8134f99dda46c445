#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "joint_tree.hpp"
#include "lipkin/model_builder.hpp"
#include "scene_input.hpp"
#include "text.hpp"

namespace lipkin::cli {
namespace {

constexpr int kDeepestIndentation = 40;  // a chain of a thousand links must stay readable

std::string branch_text(const JointNode& node) {
  const int skipped = std::max(0, node.depth - kDeepestIndentation);
  std::string text = skipped > 0 ? fmt::format("({} more) ", skipped) : "";
  for (int level = skipped; level < node.depth; ++level) {
    text += node.ancestor_is_last[static_cast<std::size_t>(level)] ? "   " : "\u2502  ";
  }
  return text + (node.ancestor_is_last.back() ? "\u2514\u2500 " : "\u251c\u2500 ");
}

std::string dof_text(int dof) { return dof == 1 ? "1 dof" : fmt::format("{} dof", dof); }

std::string tree_text(const Model& model) {
  std::vector<std::vector<std::string>> rows = {{"world", "", "", "", ""}};
  for (const JointNode& node : joints_depth_first(model)) {
    const int body = model.joint_child(node.joint);
    const JointType type = model.joint_type(node.joint);
    rows.push_back({branch_text(node) + model.body_name(body), std::string(name_of(type)), model.joint_name(node.joint),
                    dof_text(u_count(type)), fmt::format("{:.6g} kg", model.body_mass(body))});
  }
  return table_text(rows, {true, true, true, false, false});
}

std::string totals_text(const Model& model) {
  const Eigen::Vector3d g = model.gravity();
  const std::vector<std::vector<std::string>> rows = {
      {"bodies", fmt::format("{}", model.body_count())},
      {"joints", fmt::format("{}", model.joint_count())},
      {"degrees of freedom", fmt::format("{} ({} coordinates)", model.u_count(), model.q_count())},
      {"mass", fmt::format("{:.9g} kg", model.total_mass())},
      {"gravity", fmt::format("{:.6g} {:.6g} {:.6g} m/s\u00b2", g.x(), g.y(), g.z())},
      {"loops", fmt::format("{}", model.closure_count())},
      {"forces", fmt::format("{}", model.force_count())},
      {"actuators", fmt::format("{}", model.actuator_count())},
      {"contact shapes", fmt::format("{}", model.contact_shape_count())},
      {"outputs", fmt::format("{}", model.output_count())},
      {"parameters", fmt::format("{}", model.parameter_count())}};
  return table_text(rows, {true, true});
}

std::string parameters_text(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < model.parameter_count(); ++i) {
    const ParameterSpec& parameter = model.parameter(i);
    const std::string from = parameter.derived_from.empty() ? "" : "= " + parameter.derived_from;
    rows.push_back({parameter.name, number_text(parameter.value), parameter.unit, from, parameter.description});
  }
  return table_text(rows, {true, false, true, true, true});
}

std::string outputs_text(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < model.output_count(); ++i) rows.push_back({model.output_name(i), model.output_unit(i)});
  return table_text(rows, {true, true});
}

// "3, 7, 12, ...": the first lines, with the file where there are several.
std::string lines_text(const ImportNote& note, const std::string& main_file) {
  constexpr std::size_t kMostShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(note.places.size(), kMostShown); ++i) {
    const SourceLocation& place = note.places[i];
    text += (i > 0 ? ", " : "") + (place.file == main_file ? "" : place.file + ":") + std::to_string(place.line);
  }
  return static_cast<std::size_t>(note.count) > kMostShown ? text + ", ..." : text;
}

std::string import_text(const ImportReport& report) {
  std::vector<std::vector<std::string>> rows = {{"", "tag", "count", "lines", "why"}};
  const std::string main_file = report.notes().empty() ? "" : report.notes()[0].places[0].file;
  for (const Treatment treatment : {Treatment::kHonoured, Treatment::kApproximated, Treatment::kIgnored}) {
    for (const ImportNote& note : report.notes()) {
      if (note.treatment != treatment) continue;
      rows.push_back({std::string(name_of(treatment)), note.tag, std::to_string(note.count),
                      lines_text(note, main_file), note.reason});
    }
  }
  return (report.format().empty() ? "meshes" : report.summary()) + "\n" +
         table_text(rows, {true, true, false, true, true});
}

void print_inspection(const Scene& scene) {
  const Model& model = scene.model;
  fmt::print("{}{}{}\n\n", scene.name, scene.description.empty() ? "" : ": ", scene.description);
  fmt::print("{}\n{}", tree_text(model), totals_text(model));
  if (model.parameter_count() > 0) fmt::print("\nparameters (change with --set)\n{}", parameters_text(model));
  if (model.output_count() > 0) fmt::print("\noutputs\n{}", outputs_text(model));
  if (!scene.report.notes().empty()) fmt::print("\n{}", import_text(scene.report));
}

Json tree_json(const Model& model) {
  Json joints = Json::array();
  for (const JointNode& node : joints_depth_first(model)) {
    const int parent = model.joint_parent(node.joint);
    const int body = model.joint_child(node.joint);
    const JointType type = model.joint_type(node.joint);
    const Eigen::Vector3d com = model.body_com(body);
    joints.push_back({{"joint", model.joint_name(node.joint)},
                      {"type", name_of(type)},
                      {"dof", u_count(type)},
                      {"parent", parent < 0 ? kWorldName : model.body_name(parent)},
                      {"body", model.body_name(body)},
                      {"depth", node.depth},
                      {"mass", model.body_mass(body)},
                      {"com", {com.x(), com.y(), com.z()}}});
  }
  return joints;
}

Json lists_json(const Model& model) {
  Json lists;
  lists["actuators"] = Json::array();
  for (int i = 0; i < model.actuator_count(); ++i) lists["actuators"].push_back(model.actuator_name(i));
  lists["controls"] = Json::array();
  for (int i = 0; i < model.control_count(); ++i) lists["controls"].push_back(model.control_name(i));
  lists["outputs"] = Json::array();
  for (int i = 0; i < model.output_count(); ++i) {
    lists["outputs"].push_back({{"name", model.output_name(i)}, {"unit", model.output_unit(i)}});
  }
  lists["parameters"] = Json::array();
  for (int i = 0; i < model.parameter_count(); ++i) {
    const ParameterSpec& parameter = model.parameter(i);
    lists["parameters"].push_back({{"name", parameter.name},
                                   {"value", parameter.value},
                                   {"unit", parameter.unit},
                                   {"description", parameter.description},
                                   {"derived_from", parameter.derived_from}});
  }
  return lists;
}

Json import_json(const ImportReport& report) {
  Json notes = Json::array();
  for (const ImportNote& note : report.notes()) {
    Json places = Json::array();
    for (const SourceLocation& place : note.places) places.push_back({{"file", place.file}, {"line", place.line}});
    notes.push_back({{"tag", note.tag},
                     {"treatment", name_of(note.treatment)},
                     {"reason", note.reason},
                     {"changes_motion", note.changes_motion},
                     {"count", note.count},
                     {"places", std::move(places)}});
  }
  return {{"format", report.format()}, {"notes", std::move(notes)}};
}

Json inspection_json(const Scene& scene) {
  const Model& model = scene.model;
  const Eigen::Vector3d gravity = model.gravity();
  Json json = {{"scene", scene.name},
               {"description", scene.description},
               {"bodies", model.body_count()},
               {"joints", model.joint_count()},
               {"dof", model.u_count()},
               {"coordinates", model.q_count()},
               {"mass", model.total_mass()},
               {"gravity", {gravity.x(), gravity.y(), gravity.z()}},
               {"loops", model.closure_count()},
               {"forces", model.force_count()},
               {"contact_shapes", model.contact_shape_count()}};
  json.update(lists_json(model));
  json["tree"] = tree_json(model);
  if (!scene.report.notes().empty()) json["import"] = import_json(scene.report);
  json["warnings"] = to_json(scene.warnings);
  return json;
}

}  // namespace

int inspect_model(const InspectOptions& options) {
  const Scene scene = open_scene(options.model, options.overrides, options.model_options);
  if (options.json) {
    print_json(inspection_json(scene));
  } else {
    print_inspection(scene);
  }
  return kSuccess;
}

}  // namespace lipkin::cli
