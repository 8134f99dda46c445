#include "session/design.hpp"

#include <algorithm>

namespace lipkin {

namespace {

// Compiles, and where that fails because of outputs alone, without those that fail.
Model compile_tolerating_outputs(ModelParts parts) {
  try {
    return compile_model(std::make_shared<const ModelParts>(parts));
  } catch (const InputError&) {
    std::vector<OutputSpec> outputs = std::exchange(parts.outputs, {});
    for (const OutputSpec& output : outputs) {
      parts.outputs.push_back(output);
      if (ModelCompiler(parts).model() == nullptr) parts.outputs.back().expression = "0/0";
    }
    return compile_model(std::make_shared<const ModelParts>(std::move(parts)));
  }
}

}  // namespace

void put_rest_lengths(const ModelData& model, ModelParts& parts) {
  for (std::size_t i = 0; i < parts.springs.size(); ++i) parts.springs[i].rest_length = model.springs[i].rest_length;
  for (const RowSpringData& spring : model.row_springs)
    if (spring.dof.tendon >= 0 && !parts.tendons[spring.dof.tendon].rest)
      parts.tendons[spring.dof.tendon].rest = {spring.rest, spring.rest + spring.play};
}

Design::Design(const Model& model) { set_base(model); }

void Design::set_base(const Model& model) {
  auto parts = std::make_shared<ModelParts>(*model.data().parts);
  put_rest_lengths(model.data(), *parts);
  base_ = std::move(parts);
}

void Design::edit(const std::string& key, Edit edit) {
  forget(key);
  edits_.emplace_back(key, std::move(edit));
}

void Design::forget(const std::string& key) {
  std::erase_if(edits_, [&](const auto& each) { return each.first == key; });
}

void Design::put_value(const std::string& path, double value, Edit put) {
  const std::string part = path + "[";  // values of single directions are overruled with it
  std::erase_if(values, [&](const auto& each) { return each.first.starts_with(part); });
  std::erase_if(edits_, [&](const auto& each) { return each.first.starts_with("set " + part); });
  values[path] = value;
  edit("set " + path, std::move(put));
}

void Design::forget_value(const std::string& path) {
  values.erase(path);
  forget("set " + path);
}

Model Design::compile() const {
  ModelParts parts = *base_;
  for (const auto& [key, edit] : edits_) edit(parts);
  for (ControllerSpec& c : parts.controllers) {
    const auto law = replaced_laws.find(c.name);
    const bool waits = law != replaced_laws.end() && c.p == 0 && c.i == 0 && c.d == 0;
    if (waits) c.law = law->second;
  }
  for (const Icon& icon : icons) add_icon(icon, parts);
  return compile_tolerating_outputs(std::move(parts));
}

JointHome Design::home(const JointSpec& joint) const {
  const auto known = homes.find(joint.name);
  return known == homes.end() ? home_of(joint) : known->second;
}

}  // namespace lipkin
