#include "model/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"

namespace lipkin {

namespace {

[[noreturn]] void unknown(std::string_view path, std::string_view wanted, const std::vector<std::string>& known) {
  const std::string hint = did_you_mean(wanted, known);
  throw InvalidArgument(fmt::format("there is nothing to set at '{}': expected one of {}{}", path,
                                    fmt::join(known, ", "), hint.empty() ? "" : " (" + hint + ")"));
}

template <class Items>
int named(const Items& items, std::string_view name, std::string_view path, const char* what) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
    known.push_back(items[i].name);
  }
  const std::string hint = did_you_mean(name, known);
  throw InvalidArgument(
      fmt::format("cannot set '{}': there is no {} '{}'{}", path, what, name, hint.empty() ? "" : " (" + hint + ")"));
}

// One value of a part: its name in a path and where it stands.
struct Place {
  std::string name;
  double* value;
};

Setting one_of(std::string_view path, std::string_view what, const std::vector<Place>& places) {
  std::vector<std::string> known;
  for (const Place& place : places) {
    if (place.name == what) return {-1, {place.value}};
    known.push_back(place.name);
  }
  unknown(path, what, known);
}

// Limits and friction are rows of the constraint problem, which is sized when a simulation starts: only those that the
// model was built with can change.
Setting joint_row_setting(ModelData& model, std::string_view path, int joint, std::string_view what) {
  Setting setting;
  if (what == "friction") {
    setting.minimum = 0;
    for (JointFrictionData& friction : model.joint_frictions)
      if (friction.joint == joint) setting.places.push_back(&friction.force);
  }
  for (LimitData& limit : model.limits) {
    if (limit.joint != joint || what == "friction") continue;
    setting.places.push_back(what == "lower" ? &limit.lower : &limit.upper);
    if (what == "lower") setting.not_above.push_back(&limit.upper);
    if (what == "upper") setting.not_below.push_back(&limit.lower);
  }
  if (setting.places.empty())
    throw InvalidArgument(fmt::format("cannot set '{}': joint '{}' was built without {}", path,
                                      model.joints[joint].name, what == "friction" ? "friction" : "limits"));
  return setting;
}

Setting closure_spring_setting(ModelData& model, std::string_view path, const JointData& joint, std::string_view what) {
  Setting setting;
  if (what != "rest") setting.minimum = 0;
  for (RowSpringData& spring : model.row_springs) {
    if (spring.dof.closure != joint.closure) continue;
    setting.places.push_back(what == "damping" ? &spring.damping : what == "rest" ? &spring.rest : &spring.stiffness);
  }
  if (setting.places.empty() || what == "armature")
    throw InvalidArgument(fmt::format("cannot set '{}': joint '{}' closes a loop and was built without {}", path,
                                      joint.name, what == "armature" ? "an armature" : "a spring or damper"));
  return setting;
}

Setting joint_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  const int index = named(model.joints, name, path, "joint");
  const JointData& joint = model.joints[index];
  if (what == "friction" || what == "lower" || what == "upper") return joint_row_setting(model, path, index, what);
  std::vector<double>* values = nullptr;
  if (what == "damping") values = &model.damping;
  if (what == "stiffness") values = &model.stiffness;
  if (what == "rest") values = &model.rest;
  if (what == "armature") values = &model.armature;
  if (!values) unknown(path, what, {"damping", "stiffness", "rest", "armature", "friction", "lower", "upper"});
  if (joint.closure >= 0) return closure_spring_setting(model, path, joint, what);
  if (joint.link < 0) throw InvalidArgument(fmt::format("cannot set '{}': joint '{}' is fixed", path, name));
  Setting setting;
  if (what != "rest") setting.minimum = 0;
  for (int k = 0; k < u_count(joint.type); ++k) setting.places.push_back(&(*values)[joint.u_index + k]);
  return setting;
}

Setting motor_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  MotorData& motor = model.motors[named(model.motors, name, path, "motor")];
  if (what == "control" && motor.control_index >= 0) {
    Setting setting;
    setting.control = motor.control_index;
    return setting;
  }
  double* target = std::get_if<double>(&motor.target);
  if (what == "target" && !target)
    throw InvalidArgument(
        fmt::format("cannot set '{}': the target of motor '{}' follows a law of its own", path, name));
  if (what == "max_force" && !std::isfinite(motor.max_force))
    throw InvalidArgument(fmt::format("cannot set '{}': motor '{}' was built without a force limit", path, name));
  if ((what == "stiffness" || what == "damping") && !motor.servo)
    throw InvalidArgument(fmt::format("cannot set '{}': motor '{}' is not a servo", path, name));
  if (what == "stiffness" && motor.kind == MotorKind::kVelocity)
    throw InvalidArgument(fmt::format("cannot set '{}': motor '{}' is a servo of a speed", path, name));
  Setting setting = one_of(path, what,
                           {{"target", target},
                            {"max_force", &motor.max_force},
                            {"stiffness", &motor.stiffness},
                            {"damping", &motor.damping}});
  if (what == "target") setting.overrides = motor.control_index;
  if (what != "target") setting.minimum = 0;
  setting.above_minimum = what == "max_force" || what == "stiffness";
  return setting;
}

Setting distance_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  DistanceData& distance = model.distances[named(model.distances, name, path, "distance")];
  if (distance.lower == distance.upper)  // a rod: one row, of one length
    throw InvalidArgument(fmt::format("cannot set '{}': '{}' is a rod of fixed length", path, name));
  Setting setting = one_of(path, what, {{"lower", &distance.lower}, {"upper", &distance.upper}});
  if (!std::isfinite(distance.upper) && what == "upper")
    throw InvalidArgument(fmt::format("cannot set '{}': '{}' was built without an upper bound", path, name));
  setting.minimum = 0;
  if (what == "upper") setting.not_below = {&distance.lower};
  if (what == "lower") setting.not_above = {&distance.upper};
  return setting;
}

// Along a tendon; what it was built without has no row.
Setting tendon_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  const int tendon = named(model.tendons, name, path, "tendon");
  Setting setting;
  if (what != "lower" && what != "upper" && what != "rest") setting.minimum = 0;
  for (RowSpringData& s : model.row_springs) {
    if (s.dof.tendon != tendon) continue;
    if (what == "stiffness") setting.places.push_back(&s.stiffness);
    if (what == "damping") setting.places.push_back(&s.damping);
    if (what == "rest") setting.places.push_back(&s.rest);
    if (what == "armature") setting.places.push_back(&s.armature);
  }
  for (JointFrictionData& friction : model.joint_frictions)
    if (friction.dof.tendon == tendon && what == "friction") setting.places.push_back(&friction.force);
  for (LimitData& limit : model.limits) {
    if (limit.dof.tendon != tendon) continue;
    if (what == "lower") setting.places.push_back(&limit.lower), setting.not_above.push_back(&limit.upper);
    if (what == "upper") setting.places.push_back(&limit.upper), setting.not_below.push_back(&limit.lower);
  }
  const std::vector<std::string> known = {"stiffness", "damping", "rest", "friction", "armature", "lower", "upper"};
  if (std::find(known.begin(), known.end(), what) == known.end()) unknown(path, what, known);
  if (setting.places.empty())
    throw InvalidArgument(fmt::format("cannot set '{}': tendon '{}' was built without {}", path, name,
                                      what == "friction"                   ? "friction"
                                      : what == "lower" || what == "upper" ? "limits"
                                                                           : "a spring, damper or armature"));
  return setting;
}

Setting material_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  ContactLaw& law = model.materials[named(model.materials, name, path, "material")].law;
  Setting setting = one_of(path, what,
                           {{"friction", &law.friction},
                            {"static_friction", &law.static_friction},
                            {"rolling_friction", &law.rolling_friction},
                            {"spinning_friction", &law.spinning_friction},
                            {"restitution", &law.restitution},
                            {"stiffness", &law.stiffness},
                            {"exponent", &law.exponent},
                            {"damping", &law.damping},
                            {"linear_damping", &law.linear_damping}});
  setting.minimum = 0;
  setting.above_minimum = what == "exponent";
  if (what == "restitution") setting.maximum = 1;
  setting.of_material = true;
  return setting;
}

Setting input_setting(ModelData& model, std::string_view path) {
  Setting setting;
  setting.input = named(model.inputs, path.substr(path.find('.') + 1), path, "input");
  setting.minimum = model.inputs[setting.input].min;
  setting.maximum = model.inputs[setting.input].max;
  return setting;
}

Setting control_setting(ModelData& model, std::string_view path) {
  Setting setting;
  setting.control = named(model.controls, path.substr(path.find('.') + 1), path, "control");
  return setting;
}

Setting tyre_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  TyreData& tyre = model.tyres[named(model.tyres, name, path, "tyre")];
  Setting setting = one_of(path, what,
                           {{"friction", &tyre.friction[0]},
                            {"lateral_friction", &tyre.friction[1]},
                            {"stiffness", &tyre.stiffness},
                            {"damping", &tyre.damping},
                            {"rolling_resistance", &tyre.rolling_resistance}});
  setting.minimum = 0;
  setting.above_minimum = what == "stiffness";
  return setting;
}

Setting controller_setting(ModelData& model, std::string_view path, std::string_view name, std::string_view what) {
  ControllerData& c = model.controllers[named(model.controllers, name, path, "controller")];
  double* target = std::get_if<double>(&c.target);
  if (!c.is_pid || (what == "target" && !target))
    throw InvalidArgument(fmt::format("cannot set '{}': controller '{}' follows a law of its own", path, name));
  Setting setting =
      one_of(path, what, {{"p", &c.p}, {"i", &c.i}, {"d", &c.d}, {"filter", &c.filter}, {"target", target}});
  if (what == "filter") setting.minimum = 0;
  return setting;
}

}  // namespace

Setting find_setting(ModelData& model, std::string_view path) {
  const auto first = path.find('.'), last = path.rfind('.');
  const std::string_view family = path.substr(0, first);
  const std::string_view what = last == path.npos ? std::string_view() : path.substr(last + 1);
  Setting setting;
  if (family == "gravity") {
    if (what != "x" && what != "y" && what != "z") unknown(path, path, {"gravity.x", "gravity.y", "gravity.z"});
    setting.places = {&model.gravity[what[0] - 'x']};
    return setting;
  }
  const std::string_view name = last > first ? path.substr(first + 1, last - first - 1) : std::string_view();
  if (family == "joint") return joint_setting(model, path, name, what);
  if (family == "actuator") {
    if (what != "control") unknown(path, what, {"control"});
    setting.control = model.actuators[named(model.actuators, name, path, "actuator")].control_index;
    return setting;
  }
  if (family == "input") return input_setting(model, path);
  if (family == "control") return control_setting(model, path);
  if (family == "tyre") return tyre_setting(model, path, name, what);
  if (family == "controller") return controller_setting(model, path, name, what);
  if (family == "motor") return motor_setting(model, path, name, what);
  if (family == "distance") return distance_setting(model, path, name, what);
  if (family == "tendon") return tendon_setting(model, path, name, what);
  if (family == "material") return material_setting(model, path, name, what);
  if (family == "gear") {
    GearData& gear = model.gears[named(model.gears, name, path, "gear")];
    return one_of(path, what, {{"ratio", &gear.ratio}, {"offset", &gear.offset}});
  }
  unknown(path, family,
          {"gravity", "joint", "actuator", "motor", "gear", "distance", "tendon", "material", "input", "control",
           "tyre", "controller"});
}

void check_setting(const Setting& setting, std::string_view path, double value) {
  const bool low = setting.above_minimum ? !(value > setting.minimum) : !(value >= setting.minimum);
  if (std::isfinite(value) && !low && value <= setting.maximum) return;
  std::string range;
  if (std::isfinite(setting.minimum))
    range = fmt::format(" {} {:g}", setting.above_minimum ? ">" : ">=", setting.minimum);
  if (std::isfinite(setting.maximum)) range += fmt::format("{} <= {:g}", range.empty() ? "" : " and", setting.maximum);
  throw InvalidArgument(fmt::format("cannot set '{}' to {}: expected a finite number{}", path, value, range));
}

void check_beside_others(const Setting& setting, std::string_view path, double value) {
  for (const double* other : setting.not_below)
    if (!(value >= *other))
      throw InvalidArgument(fmt::format("cannot set '{}' to {}: expected a number >= {:g}", path, value, *other));
  for (const double* other : setting.not_above)
    if (!(value <= *other))
      throw InvalidArgument(fmt::format("cannot set '{}' to {}: expected a number <= {:g}", path, value, *other));
}

void put_setting(ModelData& model, const Setting& setting, double value) {
  for (double* place : setting.places) *place = value;
  model.has_joint_springs = std::any_of(model.stiffness.begin(), model.stiffness.end(), [](double k) { return k > 0; });
  if (setting.of_material) combine_materials(model);
}

void apply_setting(ModelData& model, std::string_view path, double value) {
  const Setting setting = find_setting(model, path);
  check_setting(setting, path, value);
  put_setting(model, setting, value);
}

}  // namespace lipkin
