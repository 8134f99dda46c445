#include "io/mjcf/mjcf_actuator_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "io/mjcf/mjcf_joint.hpp"

namespace lipkin {
namespace {

bool is_actuator(const std::string& tag) {
  for (const char* each :
       {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"})
    if (tag == each) return true;
  return false;
}

void apply_general(const ElementReader& element, MjcfActuator& actuator) {
  if (const std::optional<std::string> type = element.text("gaintype")) actuator.has_fixed_gain = *type == "fixed";
  if (const std::optional<std::string> type = element.text("biastype")) {
    actuator.has_affine_bias = *type == "affine";
    actuator.has_known_bias = *type == "affine" || *type == "none";
  }
  if (const std::optional<std::string> type = element.text("dyntype")) actuator.dynamics = *type;
  const std::vector<double> gain = element.numbers("gainprm", {1, 10}), bias = element.numbers("biasprm", {1, 10});
  if (const std::vector<double> dynamics = element.numbers("dynprm", {1, 10}); !dynamics.empty())
    actuator.time_constant = dynamics[0];
  if (!gain.empty()) actuator.gain = gain[0];
  for (std::size_t k = 0; k < std::min<std::size_t>(3, bias.size()); ++k)
    actuator.bias[static_cast<Eigen::Index>(k)] = bias[k];
}

void apply_position(const ElementReader& element, MjcfActuator& actuator) {
  const double stiffness = element.number("kp", actuator.gain);
  actuator.has_fixed_gain = actuator.has_affine_bias = actuator.has_known_bias = true;
  actuator.gain = stiffness;
  actuator.bias = {0, -stiffness, actuator.bias[2]};
  if (const std::optional<double> damping = element.optional_number("kv")) {
    actuator.bias[2] = -*damping;
    actuator.damping_ratio = 0;
  }
  if (const std::optional<double> ratio = element.optional_number("dampratio")) {
    actuator.bias[2] = 0;
    actuator.damping_ratio = *ratio;
  }
  actuator.inherited_range = element.number("inheritrange", actuator.inherited_range);
  if (element.tag() == "intvelocity") actuator.dynamics = "integrator";
  if (const double time = element.number("timeconst", 0); time > 0) {
    actuator.dynamics = "filterexact";
    actuator.time_constant = time;
  }
}

// The pressure follows the control; what it pushes with is the area.
void apply_cylinder(const ElementReader& element, MjcfActuator& actuator) {
  actuator.has_fixed_gain = actuator.has_affine_bias = actuator.has_known_bias = true;
  actuator.gain = element.number("area", actuator.gain);
  if (const std::optional<double> diameter = element.optional_number("diameter"))
    actuator.gain = 0.25 * std::numbers::pi * *diameter * *diameter;
  const std::vector<double> bias = element.numbers("bias", {3, 3});
  for (std::size_t k = 0; k < bias.size(); ++k) actuator.bias[static_cast<Eigen::Index>(k)] = bias[k];
  actuator.dynamics = "filter";
  actuator.time_constant = element.number("timeconst", actuator.time_constant);
  actuator.damping_ratio = 0;
}

void apply(const ElementReader& element, MjcfActuator& actuator) {
  const std::string& tag = element.tag();
  if (tag == "general") return apply_general(element, actuator);
  if (tag == "position" || tag == "intvelocity") return apply_position(element, actuator);
  if (tag == "cylinder") return apply_cylinder(element, actuator);
  if (tag == "motor") {
    actuator.gain = 1;
    actuator.has_fixed_gain = actuator.has_known_bias = true;
    actuator.has_affine_bias = false;
    actuator.dynamics = "none";
  } else if (tag == "velocity") {
    actuator.gain = element.number("kv", actuator.gain);
    actuator.bias = {0, 0, -actuator.gain};
    actuator.has_fixed_gain = actuator.has_affine_bias = actuator.has_known_bias = true;
    actuator.damping_ratio = 0;
  } else {
    actuator.has_fixed_gain = false;  // of other kinds
  }
}

void read_ranges(const MjcfElement& element, const MjcfCompiler& compiler, MjcfActuator& actuator) {
  const bool by_itself = compiler.has_auto_limits;
  if (const std::vector<double> range = read_limited_range(element, "ctrlrange", "ctrllimited", by_itself);
      !range.empty()) {
    actuator.control_lower = range[0];
    actuator.control_upper = range[1];
  }
  if (const std::vector<double> range = read_limited_range(element, "forcerange", "forcelimited", by_itself);
      !range.empty()) {
    actuator.force_lower = range[0];
    actuator.force_upper = range[1];
  }
  if (const std::vector<double> range = read_limited_range(element, "actrange", "actlimited", by_itself);
      !range.empty()) {
    actuator.activation_lower = range[0];
    actuator.activation_upper = range[1];
  }
  element.text("actearly", "");  // when in a step a control is felt; here activations are exact in time
  actuator.damping = element.linear_coefficient("damping");
  actuator.armature = element.number("armature", 0);
  const std::vector<double> gear = element.numbers("gear", {1, 6});
  std::copy(gear.begin(), gear.end(), actuator.gear.begin());
}

}  // namespace

MjcfActuatorElement read_mjcf_actuator(const ElementReader& reader, const MjcfModel& model) {
  std::string class_name;
  if (const std::optional<std::string> given = reader.text("class"))
    class_name = model.defaults.require(reader, "class", *given) ? *given : "";
  MjcfActuator actuator;
  std::vector<ElementReader> defaults;
  for (const ElementReader& level : model.defaults.chain(class_name))
    for (const XmlElement* child : level.all_children()) {
      if (!is_actuator(child->tag)) continue;
      defaults.emplace_back(*child, reader.log());
      apply(defaults.back(), actuator);
    }
  apply(reader, actuator);
  std::reverse(defaults.begin(), defaults.end());
  MjcfElement element(reader, std::move(defaults));
  read_ranges(element, model.compiler_of(element), actuator);
  actuator.name = element.name();
  actuator.tag = reader.tag();
  return {std::move(element), std::move(actuator)};
}

}  // namespace lipkin
