#include "io/mjcf/mjcf_actuator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "io/mjcf/mjcf_actuator_settings.hpp"
#include "io/mjcf/mjcf_inertia_at_joint.hpp"

namespace lipkin {
namespace {

class ActuatorAdder {
 public:
  ActuatorAdder(MjcfModel& model, ModelImport& import) : model_(model), import_(import) {}

  // `activation`: at the start.
  void add(const ElementReader& reader, double control, const std::vector<double>& activations) {
    if (reader.tag() == "plugin") return reader.note_loss(Treatment::kIgnored, "plugins are not supported");
    const auto [element, actuator] = read_mjcf_actuator(reader, model_);
    if (!actuator.has_fixed_gain || !actuator.has_known_bias)
      return reader.note_loss(Treatment::kIgnored, fmt::format("a {} has no counterpart", kind_of(actuator)));
    read_dynamics(reader, actuator, activations);
    int driven = 0;
    for (const char* way : {"joint", "jointinparent", "tendon", "site", "body"}) driven += element.has(way) ? 1 : 0;
    if (driven > 1) return reader.error("it drives several things; expected one of joint, tendon, site and body");
    const std::string joint = element.text("joint", element.text("jointinparent", ""));
    if (!joint.empty()) return add_to_joint(element, actuator, joint, control);
    const std::string tendon = element.text("tendon", "");
    if (!tendon.empty()) return add_to_tendon(element, actuator, tendon, control);
    if (element.has("site")) return add_to_site(element, actuator, control);
    reader.note_loss(Treatment::kIgnored, "only joints, tendons and sites are driven");
  }

 private:
  static constexpr std::pair<double, double> kAnyForce{-kMjcfUnlimited, kMjcfUnlimited};

  static std::string kind_of(const MjcfActuator& actuator) {
    return actuator.tag == "general" ? "gain or bias of this kind" : actuator.tag;
  }

  // Activations stand in a key in the order of the actuators that have one.
  void read_dynamics(const ElementReader& reader, const MjcfActuator& actuator,
                     const std::vector<double>& activations) {
    activation_ = {};
    if (actuator.dynamics == "none") return;
    const std::set<std::string> known = {"integrator", "filter", "filterexact", "muscle", "user", "dcmotor"};
    if (!known.contains(actuator.dynamics))
      return reader.error(fmt::format("dyntype is '{}': expected none, integrator, filter, filterexact, muscle or user",
                                      shortened(actuator.dynamics)));
    const std::size_t index = activation_count_++;
    if (actuator.dynamics != "integrator" && actuator.dynamics != "filter" && actuator.dynamics != "filterexact")
      return reader.note_loss(
          Treatment::kApproximated,
          fmt::format("its control acts at once, without the dynamics '{}'", shortened(actuator.dynamics)));
    activation_.kind = actuator.dynamics == "integrator" ? ActivationKind::kIntegrator : ActivationKind::kFilter;
    if (activation_.kind == ActivationKind::kFilter)
      activation_.time_constant = std::max(actuator.time_constant, 1e-15);
    activation_.start = index < activations.size() ? activations[index] : 0;
    activation_.min = actuator.activation_lower;
    activation_.max = actuator.activation_upper;
  }

  bool has_activation() const { return activation_.kind != ActivationKind::kNone; }

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
    if (joint.is_scalar() && !actuator.name.empty())
      model_.drives[actuator.name] = {index, {}, actuator.gear[0], actuator.gain, actuator.effective_bias(), {}, {}};
    joint.armature += std::max(0.0, actuator.armature) * actuator.gear[0] * actuator.gear[0];
    joint.damping += std::max(0.0, actuator.damping) * actuator.gear[0] * actuator.gear[0];
    if (!joint.is_scalar()) return add_to_many(element, actuator, index, control);
    if (actuator.inherited_range > 0 && joint.upper < kMjcfUnlimited && joint.lower > -kMjcfUnlimited) {
      const double mean = (joint.lower + joint.upper) / 2, half = (joint.upper - joint.lower) / 2;
      const double lower = mean - actuator.inherited_range * half, upper = mean + actuator.inherited_range * half;
      if (activation_.kind == ActivationKind::kIntegrator) {
        activation_.min = lower, activation_.max = upper;
      } else {
        actuator.control_lower = lower, actuator.control_upper = upper;
      }
    }
    drive(element, actuator, driven_joint(index), actuator.gear[0], control, name);
  }

  // What an actuator drives: a joint of one direction or a tendon.
  struct Driven {
    std::string joint, tendon;
    double& damping;
    double force_lower, force_upper;  // of all its actuators together
    double inertia;                   // along it, where the file has it; for damping ratios
  };
  Driven driven_joint(int index) {
    MjcfJoint& joint = at(model_.joints, index);
    return {joint.name, "", joint.damping, joint.force_lower, joint.force_upper, inertia_at_joint(model_, index)};
  }

  // force = gain * control + b0 + b1 * length + b2 * rate with length = gear * q, pulling gear times as much.
  void drive(const MjcfElement& element, const MjcfActuator& actuator, const Driven& driven, double gear,
             double control, const std::string& name) {
    const Eigen::Vector3d bias = actuator.effective_bias();
    const double clamped = std::clamp(control, actuator.control_lower, actuator.control_upper);
    if (gear == 0 || (actuator.gain == 0 && bias.isZero())) return;
    if (bias[1] > 0) return element.reader().note_loss(Treatment::kIgnored, "a servo that pushes away from its target");
    const bool is_bounded =
        std::isfinite(std::min({actuator.force_upper, -actuator.force_lower, driven.force_upper, -driven.force_lower}));
    // Without bounds the part with the rate is a damper of the joint, which costs no row.
    if (bias[1] < 0 || (bias[2] < 0 && is_bounded)) return add_servo(element, actuator, driven, gear, clamped, name);
    add_force(element, actuator, driven, gear, clamped, name);
  }

  // Of a position, or of a speed where the force does not depend on the length. Its bounds are those of the whole
  // force.
  void add_servo(const MjcfElement& element, const MjcfActuator& actuator, const Driven& driven, double gear,
                 double control, const std::string& name) {
    const Eigen::Vector3d bias = actuator.effective_bias();
    MotorSpec motor;
    motor.name = free_name(actuator, name);
    motor.joint = driven.joint;
    motor.tendon = driven.tendon;
    motor.kind = bias[1] < 0 ? MotorKind::kPosition : MotorKind::kVelocity;
    if (bias[1] < 0) motor.stiffness = -bias[1] * gear * gear;
    motor.damping = std::max(0.0, -bias[2] * gear * gear);
    if (bias[2] > 0) note_negative_damping(element);
    if (actuator.damping_ratio > 0)
      motor.damping = 2 * actuator.damping_ratio * std::sqrt(*motor.stiffness * driven.inertia);
    const auto [lowest, highest] = force_range(element, actuator, driven, gear);
    motor.max_force = highest;
    if (lowest != -highest) motor.min_force = lowest;
    motor.where = element.reader().where();
    if (lowest < highest) add_target(actuator, bias, gear, control, std::move(motor));
  }

  static void note_negative_damping(const MjcfElement& element) {
    element.reader().note_loss(Treatment::kApproximated, "without its negative damping");
  }

  // target = (gain * control + b0) / (-b1 * gear), with b2 for a speed; an integrator adds up the part with the
  // control.
  void add_target(const MjcfActuator& actuator, const Eigen::Vector3d& bias, double gear, double control,
                  MotorSpec motor) {
    const double slope = motor.kind == MotorKind::kPosition ? -bias[1] : -bias[2];
    const bool adds_up = activation_.kind == ActivationKind::kIntegrator;
    ControlSpec outside;
    outside.name = outside.motor = motor.name;
    outside.scale = actuator.gain / (slope * gear);
    const double offset = bias[0] / (slope * gear);
    outside.offset = adds_up ? 0 : offset;
    outside.min = actuator.control_lower;
    outside.max = actuator.control_upper;
    outside.where = motor.where;
    motor.target.source = outside.scale * control + outside.offset;
    motor.activation = activation_;
    if (has_activation()) {
      const auto target = [&](double activation) { return outside.scale * activation + offset; };
      motor.activation.start = target(activation_.start);
      if (outside.scale != 0)
        std::tie(motor.activation.min, motor.activation.max) =
            std::minmax({target(activation_.min), target(activation_.max)});
    }
    if (const auto drive = model_.drives.find(actuator.name); drive != model_.drives.end())
      drive->second.motor = motor.name;
    import_.builder.add(std::move(motor));
    import_.builder.add(std::move(outside));
  }

  static std::pair<double, double> force_range(const MjcfElement& element, const MjcfActuator& actuator,
                                               const Driven& driven, double gear) {
    const auto [own_low, own_high] = std::minmax({gear * actuator.force_lower, gear * actuator.force_upper});
    const double low = std::max(own_low, driven.force_lower), high = std::min(own_high, driven.force_upper);
    if (low <= 0 && high >= 0) return {low, high};
    element.reader().note_loss(Treatment::kApproximated, "its force range holds no 0; it reaches from there");
    return {std::min(low, 0.0), std::max(high, 0.0)};
  }

  void add_force(const MjcfElement& element, const MjcfActuator& actuator, const Driven& driven, double gear,
                 double control, const std::string& name) {
    const Eigen::Vector3d bias = actuator.effective_bias();
    if (bias[2] < 0) {
      driven.damping += -bias[2] * gear * gear;
    } else if (bias[2] > 0) {
      note_negative_damping(element);
    }
    const Push push = push_of(actuator);
    ActuatorSpec spec;
    spec.name = free_name(actuator, name);
    spec.joint = driven.joint;
    spec.tendon = driven.tendon;
    spec.gear = gear * push.gain;
    const auto [low, high] = std::minmax({driven.force_lower / spec.gear, driven.force_upper / spec.gear});
    add_driven(element, actuator, push, {low, high}, control, std::move(spec));
  }

  // force = gain * (scale * control + offset) before the gear.
  struct Push {
    double gain = 1, scale = 1, offset = 0;
  };
  static Push push_of(const MjcfActuator& actuator) {
    const double constant = actuator.effective_bias()[0];
    if (actuator.gain == 0) return {1, 0, constant};
    return {actuator.gain, 1, constant / actuator.gain};
  }

  // With a control of its own, within the range of the control and what is left of it by that of the force, and by
  // `range`.
  void add_driven(const MjcfElement& element, const MjcfActuator& actuator, const Push& push,
                  std::pair<double, double> range, double control, ActuatorSpec spec) {
    const auto [force_low, force_high] =
        std::minmax({actuator.force_lower / push.gain, actuator.force_upper / push.gain});
    const double low = std::max(range.first, force_low), high = std::min(range.second, force_high);
    spec.where = element.reader().where();
    ControlSpec outside;
    outside.name = outside.actuator = spec.name;
    outside.scale = push.scale;
    outside.offset = activation_.kind == ActivationKind::kIntegrator ? 0 : push.offset;
    outside.min = actuator.control_lower, outside.max = actuator.control_upper;
    outside.where = spec.where;
    spec.control.source = outside.scale * control + outside.offset;
    if (has_activation()) {
      const auto moved = [&](double activation) { return push.scale == 0 ? push.offset : activation + push.offset; };
      spec.activation = activation_;
      spec.activation.start = moved(activation_.start);
      spec.activation.min = std::max(moved(activation_.min), low);
      spec.activation.max = std::min(moved(activation_.max), high);
      if (spec.activation.min > spec.activation.max)  // nothing of its range is left: the nearest end
        spec.activation.min = spec.activation.max = moved(activation_.min) > high ? high : low;
      if (low > -kMjcfUnlimited || high < kMjcfUnlimited)
        element.reader().note_loss(Treatment::kApproximated, "its force range bounds the activation");
    } else {
      spec.min = low, spec.max = high;
    }
    if (outside.scale == 1 && outside.offset == 0) {
      spec.min = std::max(spec.min, outside.min), spec.max = std::min(spec.max, outside.max);
      outside.min = -kMjcfUnlimited, outside.max = kMjcfUnlimited;
    }
    if (spec.min > spec.max) spec.min = spec.max = std::clamp(0.0, low, high);
    if (!actuator.name.empty()) {
      MjcfDrive& drive = model_.drives[actuator.name];
      drive.actuator = spec.name;
      drive.gain = push.gain;
    }
    import_.builder.add(std::move(outside));
    import_.builder.add(std::move(spec));
  }

  // A ball or free joint, by a gear for each direction; `jointinparent` has the turning ones along the parent.
  void add_to_many(const MjcfElement& element, const MjcfActuator& actuator, int index, double control) {
    if (!actuator.effective_bias().isZero())
      return element.reader().note_loss(Treatment::kIgnored, "a servo of a ball or free joint has no counterpart");
    const MjcfJoint& joint = at(model_.joints, index);
    const int count = u_count(joint.type);
    ActuatorSpec spec;
    spec.name = free_name(actuator, joint.name);
    for (int k = 0; k < count; ++k) spec.gears.push_back(actuator.gain * actuator.gear[static_cast<std::size_t>(k)]);
    if (std::all_of(spec.gears.begin(), spec.gears.end(), [](double gear) { return gear == 0; })) return;
    spec.joint = joint.name;
    if (!element.has("joint") && !turn_to_parent(element, joint, spec)) return;
    add_driven(element, actuator, push_of(actuator), kAnyForce, control, std::move(spec));
  }

  bool turn_to_parent(const MjcfElement& element, const MjcfJoint& joint, ActuatorSpec& spec) {
    const MjcfBody& body = at(model_.bodies, joint.body);
    if (body.joints.size() != 1) {
      element.reader().note_loss(Treatment::kIgnored, "along the parent of one of several joints of a body");
      return false;
    }
    const std::vector<double> gears = std::move(spec.gears);
    spec.gears.clear();
    spec.joint.clear();
    spec.body = body.name;
    const std::size_t turns = gears.size() - 3;
    spec.torque = {gears[turns], gears[turns + 1], gears[turns + 2]};
    if (joint.type == JointType::kFree) {
      spec.force = {gears[0], gears[1], gears[2]};
      spec.against = kWorldName;
    } else {
      spec.against = at(model_.bodies, body.parent).name;
      spec.against_axes = body.pose.orientation;
    }
    return true;
  }

  void add_to_tendon(const MjcfElement& element, const MjcfActuator& actuator, const std::string& name,
                     double control) {
    const int index = find_named(element.reader(), "tendon", name, model_.tendon_index, "tendon");
    if (index < 0) return;
    MjcfTendon& tendon = at(model_.tendons, index);
    if (!tendon.moves) return element.reader().note(Treatment::kIgnored, "nothing of the tendon can move");
    const double gear = actuator.gear[0];
    if (!actuator.name.empty()) {
      MjcfDrive drive;
      drive.tendon = tendon.spec.name;
      drive.gear = gear;
      drive.bias = actuator.effective_bias();
      model_.drives[actuator.name] = drive;
    }
    tendon.spec.armature += std::max(0.0, actuator.armature) * gear * gear;
    tendon.spec.damping += std::max(0.0, actuator.damping) * gear * gear;
    double inertia = 0;  // as MuJoCo adds it up for damping ratios
    for (const auto& [joint, coefficient] : tendon.joints)
      if (coefficient != 0) inertia += inertia_at_joint(model_, joint) / (coefficient * coefficient);
    if (actuator.damping_ratio > 0 && tendon.joints.empty())
      element.reader().note_loss(Treatment::kApproximated,
                                 "without damping: the inertia along the tendon is not known");
    drive(element, actuator, {"", tendon.spec.name, tendon.spec.damping, -kMjcfUnlimited, kMjcfUnlimited, inertia},
          gear, control, name);
  }

  // A force and torque along the site's axes, or along those of another site, whose body is pushed back.
  void add_to_site(const MjcfElement& element, const MjcfActuator& actuator, double control) {
    const int index = find_named(element.reader(), "site", element.text("site", ""), model_.site_index, "site");
    if (index < 0) return;
    if (!actuator.effective_bias().isZero())
      return element.reader().note_loss(Treatment::kIgnored, "a servo at a site has no counterpart");
    const MjcfSite& site = at(model_.sites, index);
    const auto& g = actuator.gear;
    ActuatorSpec spec;
    spec.name = free_name(actuator, site.name);
    spec.body = at(model_.bodies, site.body).name;
    spec.frame = site.pose;
    spec.gear = actuator.gain;
    spec.force = {g[0], g[1], g[2]};
    spec.torque = {g[3], g[4], g[5]};
    if (element.has("refsite") && !set_reference(element, spec)) return;
    if (actuator.gain != 0) add_driven(element, actuator, push_of(actuator), kAnyForce, control, std::move(spec));
  }

  bool set_reference(const MjcfElement& element, ActuatorSpec& spec) {
    const int index = find_named(element.reader(), "refsite", element.text("refsite", ""), model_.site_index, "site");
    if (index < 0) return false;
    const MjcfSite& site = at(model_.sites, index);
    spec.against = at(model_.bodies, site.body).name;
    spec.against_axes = site.pose.orientation;
    if (model_.moving_body(site.body) > 0 && !spec.force.isZero(0))
      element.reader().note_loss(Treatment::kApproximated, "the body of refsite is pushed back where the force acts");
    return true;
  }

  MjcfModel& model_;
  ModelImport& import_;
  std::set<std::string> taken_;
  ActivationSpec activation_;  // of the actuator at hand, in the file's terms
  std::size_t activation_count_ = 0;
};

}  // namespace

void add_mjcf_actuators(const ElementReader& root, const MjcfStart& start, bool is_on, MjcfModel& model,
                        ModelImport& import) {
  const std::vector<double>& controls = start.controls;
  ActuatorAdder adder(model, import);
  std::size_t count = 0;
  for (const ElementReader& section : root.children("actuator"))
    for (const XmlElement* child : section.all_children()) {
      const ElementReader reader(*child, section.log());
      const double control = count < controls.size() ? controls[count] : 0;
      ++count;
      if (is_on)
        adder.add(reader, control, start.activations);
      else
        reader.note(Treatment::kIgnored, "switched off by <flag>");
    }
  if (!controls.empty() && controls.size() != count)
    root.log().diagnostics.error(root.where(), fmt::format("keyframe: the first key has {} numbers in ctrl, the model "
                                                           "has {} actuators",
                                                           controls.size(), count));
}

}  // namespace lipkin
