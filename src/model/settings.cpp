#include "model/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/nearest_name.hpp"

namespace lipkin {

namespace {

// What the rows of the model as it was built do not have; see find_setting.
constexpr std::nullopt_t kNotInPlace = std::nullopt;

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

std::optional<Setting> one_of(std::string_view what, const std::vector<Place>& places) {
  for (const Place& place : places)
    if (place.name == what && place.value) return Setting{-1, {place.value}};
  return kNotInPlace;
}

// Whether the k-th direction of a joint has such a value, as model/parameters.cpp lists them: a rotation of a ball or a
// free joint has no position, and none of what counts from one.
bool has_value(JointType type, int k, std::string_view what) {
  return what == "damping" || what == "friction" || what == "armature" || has_position(type, k);
}

// A value is set in place where every direction of the joint that has it has a place for it.
std::optional<Setting> if_complete(Setting setting, JointType type, std::string_view what) {
  std::size_t count = 0;
  for (int k = 0; k < u_count(type); ++k) count += has_value(type, k, what);
  if (setting.places.empty() || setting.places.size() != count) return kNotInPlace;
  return setting;
}

// Limits and friction are rows of the constraint problem, which is sized when a simulation starts: only those that the
// model was built with can change.
std::optional<Setting> joint_row_setting(ModelData& model, int joint, std::string_view what) {
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
  return if_complete(std::move(setting), model.joints[joint].type, what);
}

std::optional<Setting> closure_spring_setting(ModelData& model, const JointData& joint, std::string_view what) {
  Setting setting;
  if (what != "rest") setting.minimum = 0;
  for (RowSpringData& spring : model.row_springs) {
    if (spring.dof.closure != joint.closure || !has_value(joint.type, spring.dof.k, what)) continue;
    setting.places.push_back(what == "damping" ? &spring.damping : what == "rest" ? &spring.rest : &spring.stiffness);
  }
  if (what == "armature") return kNotInPlace;
  return if_complete(std::move(setting), joint.type, what);
}

std::optional<Setting> joint_setting(ModelData& model, std::string_view path, std::string_view name,
                                     std::string_view what) {
  const int index = named(model.joints, name, path, "joint");
  const JointData& joint = model.joints[index];
  if (what == "friction" || what == "lower" || what == "upper") return joint_row_setting(model, index, what);
  std::vector<double>* values = nullptr;
  if (what == "damping") values = &model.damping;
  if (what == "stiffness") values = &model.stiffness;
  if (what == "rest") values = &model.rest;
  if (what == "armature") values = &model.armature;
  if (!values) return kNotInPlace;
  if (joint.closure >= 0) return closure_spring_setting(model, joint, what);
  if (joint.link < 0) throw InvalidArgument(fmt::format("cannot set '{}': joint '{}' is fixed", path, name));
  Setting setting;
  if (what != "rest") setting.minimum = 0;
  for (int k = 0; k < u_count(joint.type); ++k)
    if (has_value(joint.type, k, what)) setting.places.push_back(&(*values)[joint.u_index + k]);
  setting.is_nothing_at_zero = what == "armature";  // without it a joint may move nothing that has inertia
  return if_complete(std::move(setting), joint.type, what);
}

std::optional<Setting> motor_setting(ModelData& model, std::string_view path, std::string_view name,
                                     std::string_view what) {
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
  if ((what == "stiffness" || what == "damping") && !motor.servo)
    throw InvalidArgument(fmt::format("cannot set '{}': motor '{}' is not a servo", path, name));
  if (what == "stiffness" && motor.kind == MotorKind::kVelocity)
    throw InvalidArgument(fmt::format("cannot set '{}': motor '{}' is a servo of a speed", path, name));
  std::optional<Setting> setting =
      one_of(what, {{"target", target},
                    {"max_force", std::isfinite(motor.max_force) ? &motor.max_force : nullptr},
                    {"stiffness", &motor.stiffness},
                    {"damping", &motor.damping}});
  if (!setting) return setting;
  if (what == "target") setting->overrides = motor.control_index;
  if (what != "target") setting->minimum = 0;
  setting->above_minimum = what == "max_force" || what == "stiffness";
  setting->is_nothing_at_zero = what == "damping" && motor.kind == MotorKind::kVelocity;
  return setting;
}

// A rod has one row, a rope one for each end that it was built with.
std::optional<Setting> distance_setting(ModelData& model, std::string_view path, std::string_view name,
                                        std::string_view what) {
  DistanceData& distance = model.distances[named(model.distances, name, path, "distance")];
  if (distance.lower == distance.upper) return kNotInPlace;
  std::optional<Setting> setting = one_of(what, {{"lower", distance.lower > 0 ? &distance.lower : nullptr},
                                                 {"upper", std::isfinite(distance.upper) ? &distance.upper : nullptr}});
  if (!setting) return setting;
  setting->minimum = 0;
  setting->above_minimum = what == "lower";
  if (what == "upper") setting->not_below = {&distance.lower};
  if (what == "lower") setting->not_above = {&distance.upper};
  setting->is_rod_where_they_meet = true;
  return setting;
}

// Along a tendon; what it was built without has no row.
std::optional<Setting> tendon_setting(ModelData& model, std::string_view path, std::string_view name,
                                      std::string_view what) {
  const int tendon = named(model.tendons, name, path, "tendon");
  Setting setting;
  if (what != "lower" && what != "upper" && what != "rest") setting.minimum = 0;
  for (RowSpringData& s : model.row_springs) {
    if (s.dof.tendon != tendon) continue;
    if (what == "stiffness") setting.places.push_back(&s.stiffness);
    if (what == "damping") setting.places.push_back(&s.damping);
    if (what == "rest" && s.play == 0) setting.places.push_back(&s.rest);
    if (what == "armature") setting.places.push_back(&s.armature);
  }
  for (JointFrictionData& friction : model.joint_frictions)
    if (friction.dof.tendon == tendon && what == "friction") setting.places.push_back(&friction.force);
  for (LimitData& limit : model.limits) {
    if (limit.dof.tendon != tendon) continue;
    if (what == "lower") setting.places.push_back(&limit.lower), setting.not_above.push_back(&limit.upper);
    if (what == "upper") setting.places.push_back(&limit.upper), setting.not_below.push_back(&limit.lower);
  }
  if (setting.places.empty()) return kNotInPlace;
  return setting;
}

std::optional<Setting> material_setting(ModelData& model, std::string_view path, std::string_view name,
                                        std::string_view what) {
  ContactLaw& law = model.materials[named(model.materials, name, path, "material")].law;
  std::optional<Setting> setting = one_of(what, {{"friction", &law.friction},
                                                 {"static_friction", &law.static_friction},
                                                 {"rolling_friction", &law.rolling_friction},
                                                 {"spinning_friction", &law.spinning_friction},
                                                 {"restitution", &law.restitution},
                                                 {"stiffness", &law.stiffness},
                                                 {"exponent", &law.exponent},
                                                 {"damping", &law.damping},
                                                 {"linear_damping", &law.linear_damping}});
  if (!setting) return setting;
  setting->minimum = 0;
  setting->above_minimum = what == "exponent";
  if (what == "restitution") setting->maximum = 1;
  setting->of_material = true;
  setting->is_nothing_at_zero = what == "stiffness";  // a contact that does not give way
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

std::optional<Setting> tyre_setting(ModelData& model, std::string_view path, std::string_view name,
                                    std::string_view what) {
  const int index = named(model.tyres, name, path, "tyre");
  TyreData& tyre = model.tyres[index];
  // Across it is what it is along where nothing else is given.
  const bool is_one = !model.parts->tyres[index].lateral_friction.has_value();
  std::optional<Setting> setting = one_of(what, {{"friction", &tyre.friction[0]},
                                                 {"lateral_friction", is_one ? nullptr : &tyre.friction[1]},
                                                 {"stiffness", &tyre.stiffness},
                                                 {"damping", &tyre.damping},
                                                 {"rolling_resistance", &tyre.rolling_resistance}});
  if (!setting) return setting;
  if (what == "friction" && is_one) setting->places.push_back(&tyre.friction[1]);
  setting->minimum = 0;
  setting->above_minimum = what == "stiffness";
  return setting;
}

std::optional<Setting> controller_setting(ModelData& model, std::string_view path, std::string_view name,
                                          std::string_view what) {
  ControllerData& c = model.controllers[named(model.controllers, name, path, "controller")];
  double* target = std::get_if<double>(&c.target);
  if (!c.is_pid || (what == "target" && !target))
    throw InvalidArgument(fmt::format("cannot set '{}': controller '{}' follows a law of its own", path, name));
  std::optional<Setting> setting =
      one_of(what, {{"p", &c.p}, {"i", &c.i}, {"d", &c.d}, {"filter", &c.filter}, {"target", target}});
  if (setting && what == "filter") setting->minimum = 0;
  return setting;
}

}  // namespace

std::optional<Setting> find_setting(ModelData& model, std::string_view path) {
  const auto first = path.find('.'), last = path.rfind('.');
  const std::string_view family = path.substr(0, first);
  const std::string_view what = last == path.npos ? std::string_view() : path.substr(last + 1);
  Setting setting;
  if (family == "gravity") {
    if (what != "x" && what != "y" && what != "z") return kNotInPlace;
    setting.places = {&model.gravity[what[0] - 'x']};
    return setting;
  }
  const std::string_view name = last > first ? path.substr(first + 1, last - first - 1) : std::string_view();
  if (family == "joint") return joint_setting(model, path, name, what);
  if (family == "actuator") {
    if (what != "control") return kNotInPlace;
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
    return one_of(what, {{"ratio", &gear.ratio}, {"offset", &gear.offset}});
  }
  return kNotInPlace;
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

bool fits_in_place(const Setting& setting, double value) {
  const auto is_value = [&](const double* other) { return *other == value; };
  const auto meets = [&](const std::vector<const double*>& others) {
    return std::any_of(others.begin(), others.end(), is_value);
  };
  if (setting.is_rod_where_they_meet && (meets(setting.not_below) || meets(setting.not_above))) return false;
  if (!setting.is_nothing_at_zero) return true;
  return value != 0 && std::none_of(setting.places.begin(), setting.places.end(), [](double* at) { return *at == 0; });
}

bool apply_in_place(ModelData& model, const SettingEdit& edit) {
  const std::optional<Setting> setting = find_setting(model, edit.path);
  if (!setting) return false;
  check_setting(*setting, edit.path, edit.value);
  put_setting(model, *setting, edit.value);
  return true;
}

}  // namespace lipkin
