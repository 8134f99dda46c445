#include "io/mjcf/mjcf_actuator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/mjcf/mjcf_actuator_settings.hpp"
#include "io/mjcf/mjcf_inertia_at_joint.hpp"

namespace lipkin {
namespace {

class ActuatorAdder {
 public:
  ActuatorAdder(MjcfModel& model, ModelImport& import) : model_(model), import_(import) {}

  void add(const ElementReader& reader, double control) {
    if (reader.tag() == "plugin") return reader.note(Treatment::kIgnored, "plugins are not supported");
    const auto [element, actuator] = read_mjcf_actuator(reader, model_);
    if (!actuator.has_fixed_gain || !actuator.has_known_bias)
      return reader.note(Treatment::kIgnored, fmt::format("a {} has no counterpart", kind_of(actuator)));
    if (actuator.dynamics != "none")
      reader.note(Treatment::kApproximated,
                  fmt::format("its control acts at once, without the dynamics '{}'", shortened(actuator.dynamics)));
    const std::string joint = element.text("joint", element.text("jointinparent", ""));
    if (!joint.empty()) return add_to_joint(element, actuator, joint, control);
    const std::string tendon = element.text("tendon", "");
    if (!tendon.empty()) return add_to_tendon(element, actuator, tendon, control);
    if (element.has("site")) return add_to_site(element, actuator, control);
    reader.note(Treatment::kIgnored, "only joints, fixed tendons and sites are driven");
  }

 private:
  static std::string kind_of(const MjcfActuator& actuator) {
    return actuator.tag == "general" ? "gain or bias of this kind" : actuator.tag;
  }

  std::string free_name(const MjcfActuator& actuator, const std::string& otherwise) {
    std::string name = actuator.name.empty() ? otherwise : actuator.name;
    while (!taken_.insert(name).second) name += '_';
    return name;
  }

  void add_to_joint(const MjcfElement& element, MjcfActuator actuator, const std::string& name, double control) {
    const char* attribute = element.has("joint") ? "joint" : "jointinparent";
    const int index = find_named(element.reader(), attribute, name, model_.joint_index, "joint");
    if (index < 0) return;
    MjcfJoint& joint = at(model_.joints, index);
    joint.armature += std::max(0.0, actuator.armature) * actuator.gear[0] * actuator.gear[0];
    joint.damping += std::max(0.0, actuator.damping) * actuator.gear[0] * actuator.gear[0];
    if (!joint.is_scalar()) return add_to_many(element, actuator, joint, control);
    if (actuator.inherited_range > 0 && joint.upper < kMjcfUnlimited && joint.lower > -kMjcfUnlimited) {
      const double mean = (joint.lower + joint.upper) / 2, half = (joint.upper - joint.lower) / 2;
      actuator.control_lower = mean - actuator.inherited_range * half;
      actuator.control_upper = mean + actuator.inherited_range * half;
    }
    drive(element, actuator, index, actuator.gear[0], control, name);
  }

  // force = gain * control + b0 + b1 * length + b2 * rate with length = gear * q, pulling gear times as much.
  void drive(const MjcfElement& element, const MjcfActuator& actuator, int index, double gear, double control,
             const std::string& name) {
    const Eigen::Vector3d bias = actuator.effective_bias();
    const double clamped = std::clamp(control, actuator.control_lower, actuator.control_upper);
    if (gear == 0 || (actuator.gain == 0 && bias.isZero())) return;
    if (bias[1] > 0) return element.reader().note(Treatment::kIgnored, "a servo that pushes away from its target");
    if (bias[1] < 0) return add_servo(element, actuator, index, gear, clamped, name);
    add_force(element, actuator, index, gear, clamped, name);
  }

  void add_servo(const MjcfElement& element, const MjcfActuator& actuator, int index, double gear, double control,
                 const std::string& name) {
    const MjcfJoint& joint = at(model_.joints, index);
    const Eigen::Vector3d bias = actuator.effective_bias();
    MotorSpec motor;
    motor.name = free_name(actuator, name);
    motor.joint = joint.name;
    motor.kind = MotorKind::kPosition;
    motor.stiffness = -bias[1] * gear * gear;
    motor.damping = std::max(0.0, -bias[2] * gear * gear);
    if (actuator.damping_ratio > 0)  // of the joint's inertia where the file has it
      motor.damping = 2 * actuator.damping_ratio * std::sqrt(*motor.stiffness * inertia_at_joint(model_, index));
    motor.target.source = (actuator.gain * control + bias[0]) / (-bias[1] * gear);
    motor.max_force = largest_force(element, actuator, joint, gear);
    motor.where = element.reader().where();
    if (motor.max_force > 0) import_.builder.add(std::move(motor));
  }

  double largest_force(const MjcfElement& element, const MjcfActuator& actuator, const MjcfJoint& joint, double gear) {
    const double own = std::abs(gear) * std::max(std::abs(actuator.force_lower), std::abs(actuator.force_upper));
    const double whole = std::max(std::abs(joint.force_lower), std::abs(joint.force_upper));
    const bool is_even = actuator.force_lower == -actuator.force_upper && joint.force_lower == -joint.force_upper;
    if (!is_even)
      element.reader().note(Treatment::kApproximated, "the larger end of its force range holds in both directions");
    return std::min(own, whole);
  }

  void add_force(const MjcfElement& element, const MjcfActuator& actuator, int index, double gear, double control,
                 const std::string& name) {
    MjcfJoint& joint = at(model_.joints, index);
    const Eigen::Vector3d bias = actuator.effective_bias();
    if (bias[2] < 0) {
      joint.damping += -bias[2] * gear * gear;
      if (actuator.force_upper < kMjcfUnlimited || joint.force_upper < kMjcfUnlimited)
        element.reader().note(Treatment::kApproximated, "its force range bounds the driving part, not the damping");
    } else if (bias[2] > 0) {
      element.reader().note(Treatment::kApproximated, "without its negative damping");
    }
    if (bias[0] != 0) add_constant(actuator, joint, gear * bias[0], name + ".bias", element.reader().where());
    if (actuator.gain == 0) return;
    ActuatorSpec spec;
    spec.name = free_name(actuator, name);
    spec.joint = joint.name;
    spec.gear = gear * actuator.gain;
    spec.control.source = control;
    spec.where = element.reader().where();
    set_bounds(actuator, joint, gear, spec);
    import_.builder.add(std::move(spec));
  }

  // The range of the control, and what the ranges of the force leave of it.
  static void set_bounds(const MjcfActuator& actuator, const MjcfJoint& joint, double gear, ActuatorSpec& spec) {
    const auto [force_low, force_high] =
        std::minmax({actuator.force_lower / actuator.gain, actuator.force_upper / actuator.gain});
    const double factor = gear * actuator.gain;
    const auto [joint_low, joint_high] = std::minmax({joint.force_lower / factor, joint.force_upper / factor});
    spec.min = std::max({actuator.control_lower, force_low, joint_low});
    spec.max = std::min({actuator.control_upper, force_high, joint_high});
    if (spec.min > spec.max) spec.min = spec.max = std::clamp(0.0, force_low, force_high);
  }

  void add_constant(const MjcfActuator& actuator, const MjcfJoint& joint, double force, const std::string& name,
                    const SourceLocation& where) {
    ActuatorSpec spec;
    MjcfActuator unnamed = actuator;
    unnamed.name.clear();
    spec.name = free_name(unnamed, name);
    spec.joint = joint.name;
    spec.control.source = force;
    spec.where = where;
    import_.builder.add(std::move(spec));
  }

  // A ball or free joint: one actuator for each direction that the gear names.
  void add_to_many(const MjcfElement& element, const MjcfActuator& actuator, const MjcfJoint& joint, double control) {
    if (!actuator.effective_bias().isZero())
      return element.reader().note(Treatment::kIgnored, "a servo of a ball or free joint has no counterpart");
    int count = 0;
    for (int k = 0; k < u_count(joint.type); ++k) {
      const double gear = actuator.gear[static_cast<std::size_t>(k)];
      if (gear == 0 || actuator.gain == 0) continue;
      ActuatorSpec spec;
      spec.name = free_name(actuator, joint.name);
      spec.joint = joint.name;
      spec.dof = k;
      spec.gear = gear * actuator.gain;
      spec.control.source = std::clamp(control, actuator.control_lower, actuator.control_upper);
      spec.where = element.reader().where();
      set_bounds(actuator, joint, gear, spec);
      import_.builder.add(std::move(spec));
      ++count;
    }
    if (count > 1)
      element.reader().note(Treatment::kApproximated, "an actuator of its own in each direction of the joint");
  }

  // Each joint of the tendon is driven as if all of them moved alike.
  void add_to_tendon(const MjcfElement& element, const MjcfActuator& actuator, const std::string& name,
                     double control) {
    const int index = find_named(element.reader(), "tendon", name, model_.tendon_index, "tendon");
    if (index < 0) return;
    const MjcfTendon& tendon = at(model_.tendons, index);
    if (!tendon.is_fixed) return element.reader().note(Treatment::kIgnored, "spatial tendons are not driven");
    double sum = 0;
    for (const auto& [joint, coefficient] : tendon.joints) sum += std::abs(coefficient);
    if (tendon.joints.size() > 1)
      element.reader().note(Treatment::kApproximated,
                            "each joint of the tendon is driven on its own, as if all of them moved alike");
    for (const auto& [joint, coefficient] : tendon.joints) {
      if (coefficient == 0) continue;
      MjcfActuator part = actuator;
      // Along equal motions of all joints the length grows by `sum` instead of the joint's own coefficient.
      part.bias[1] *= sum / std::abs(coefficient);
      part.bias[2] *= sum / std::abs(coefficient);
      if (tendon.joints.size() > 1 && !part.name.empty()) part.name += "." + at(model_.joints, joint).name;
      drive(element, part, joint, part.gear[0] * coefficient, control, name);
    }
  }

  // A force and torque along the site's axes, as large as the control at the start says.
  void add_to_site(const MjcfElement& element, const MjcfActuator& actuator, double control) {
    const int index = find_named(element.reader(), "site", element.text("site", ""), model_.site_index, "site");
    if (index < 0) return;
    if (element.has("refsite") || !actuator.effective_bias().isZero())
      return element.reader().note(Treatment::kIgnored, "a servo between sites has no counterpart");
    element.reader().note(Treatment::kApproximated, "a constant force, that of the control at the start");
    const MjcfSite& site = at(model_.sites, index);
    const double value = std::clamp(actuator.gain * std::clamp(control, actuator.control_lower, actuator.control_upper),
                                    actuator.force_lower, actuator.force_upper);
    const auto& g = actuator.gear;
    const Eigen::Vector3d force = site.pose.orientation * (value * Eigen::Vector3d(g[0], g[1], g[2]));
    const Eigen::Vector3d torque = site.pose.orientation * (value * Eigen::Vector3d(g[3], g[4], g[5]));
    ForceSpec spec;
    spec.name = free_name(actuator, site.name);
    spec.at = Attachment{"", at(model_.bodies, site.body).name, site.pose.position};
    spec.frame = ForceFrame::kBody;
    for (std::size_t k = 0; k < 3; ++k) {
      spec.force[k].source = force[static_cast<Eigen::Index>(k)];
      spec.torque[k].source = torque[static_cast<Eigen::Index>(k)];
    }
    spec.where = element.reader().where();
    if (site.body > 0) import_.builder.add(std::move(spec));
  }

  MjcfModel& model_;
  ModelImport& import_;
  std::set<std::string> taken_;
};

}  // namespace

void add_mjcf_actuators(const ElementReader& root, const std::vector<double>& controls, bool is_on, MjcfModel& model,
                        ModelImport& import) {
  ActuatorAdder adder(model, import);
  std::size_t count = 0;
  for (const ElementReader& section : root.children("actuator"))
    for (const XmlElement* child : section.all_children()) {
      const ElementReader reader(*child, section.log());
      const double control = count < controls.size() ? controls[count] : 0;
      ++count;
      if (is_on)
        adder.add(reader, control);
      else
        reader.note(Treatment::kIgnored, "switched off by <flag>");
    }
  if (!controls.empty() && controls.size() != count)
    root.log().diagnostics.error(root.where(), fmt::format("keyframe: the first key has {} numbers in ctrl, the model "
                                                           "has {} actuators",
                                                           controls.size(), count));
}

}  // namespace lipkin
