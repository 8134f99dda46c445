#include "model/model_compiler.hpp"

#include <algorithm>
#include <tuple>

namespace lipkin {

ModelCompiler::ModelCompiler(const ModelParts& parts) : parts_(parts), data_(std::make_shared<ModelData>()) {
  for (const Diagnostic& d : parts.diagnostics) {
    if (d.severity == Severity::kError) ++error_count_;
    diagnostics_.push_back(d);
  }
  compile();
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) < std::tie(b.where.file, b.where.line, b.where.column);
  });
  if (!failed()) model_ = data_;
}

void ModelCompiler::compile() {
  check_names();
  check_parameters();
  check_bodies();
  check_world_shapes();
  check_joints();
  check_connections();
  if (failed()) {
    name_parts();
  } else {
    build_tree();
    check_singular();
    build_closures();
    build_joint_rows();
    find_lone_links();
  }
  build_attachments();
  build_materials();
  build_contact_shapes();
  build_ground();
  build_contact_filters();
}

void ModelCompiler::error(const SourceLocation& where, std::string message, std::string hint) {
  ++error_count_;
  diagnostics_.push_back({where, std::move(message), std::move(hint), Severity::kError});
}

void ModelCompiler::warn(const SourceLocation& where, std::string message) {
  diagnostics_.push_back({where, std::move(message), {}, Severity::kWarning});
}

void ModelCompiler::require(bool condition, const SourceLocation& where, const std::string& message) {
  if (!condition) error(where, message);
}

std::vector<std::string> names_of(const std::map<std::string, int, std::less<>>& index) {
  std::vector<std::string> names;
  for (const auto& [name, i] : index) names.push_back(name);
  return names;
}

}  // namespace lipkin
