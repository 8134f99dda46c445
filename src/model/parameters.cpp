#include "model/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/nearest_name.hpp"
#include "model/shape_mass.hpp"

namespace lipkin {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// Collects the parameters of one group, "joint crank".
class Group {
 public:
  Group(std::string kind, const std::string& name, std::vector<Parameter>& all)
      : group_(name.empty() ? kind : kind + " " + name), prefix_(name.empty() ? kind : kind + "." + name), all_(all) {}

  void add(const std::string& what, double value, const std::string& unit, double minimum, double maximum,
           std::function<void(ModelParts&, double)> put) {
    all_.push_back({prefix_ + "." + what, unit, group_, value, minimum, maximum, std::move(put)});
  }

 private:
  std::string group_, prefix_;
  std::vector<Parameter>& all_;
};

struct DofUnits {
  const char *position, *stiffness, *damping, *force, *inertia;
};

DofUnits units_of(JointType type, int k) {
  const bool linear = type == JointType::kPrismatic || (type == JointType::kCylindrical && k == 1) ||
                      (type == JointType::kPlanar && k < 2) || (type == JointType::kFree && k < 3);
  if (linear) return {"m", "N/m", "N s/m", "N", "kg"};
  return {"rad", "N m/rad", "N m s/rad", "N m", "kg m^2"};
}

void add_joint(const ModelParts& parts, std::size_t j, std::vector<Parameter>& all) {
  const JointSpec& joint = parts.joints[j];
  Group group("joint", joint.name, all);
  const int count = u_count(joint.type);
  using Values = std::vector<double> JointSpec::*;
  const auto add = [&](const char* what, Values member, int k, double otherwise, const char* unit, double minimum) {
    const std::string name = count == 1 ? what : fmt::format("{}[{}]", what, k);
    group.add(name, joint_value(joint.*member, k, otherwise), unit, minimum, kNone,
              [j, member, count, k, otherwise](ModelParts& p, double value) {
                put_dof(p.joints[j].*member, count, k, otherwise, value);
              });
  };
  for (int k = 0; k < count; ++k) {
    const DofUnits units = units_of(joint.type, k);
    add("damping", &JointSpec::damping, k, 0, units.damping, 0);
    add("friction", &JointSpec::friction, k, 0, units.force, 0);
    if (!joint.closes_loop) add("armature", &JointSpec::armature, k, 0, units.inertia, 0);
    if (!has_position(joint.type, k)) continue;
    add("stiffness", &JointSpec::stiffness, k, 0, units.stiffness, 0);
    add("rest", &JointSpec::rest, k, 0, units.position, -kNone);
    add("lower", &JointSpec::lower, k, -kNone, units.position, -kNone);
    add("upper", &JointSpec::upper, k, kNone, units.position, -kNone);
  }
}

// Where shapes gave the mass, another one is another density, and their inertia grows with it. An inertia that was
// given stays what it is.
void put_mass(BodySpec& body, MassProperties mass) {
  body.mass_of_shapes = body.mass_of_shapes || !body.mass_properties;
  body.mass_properties = mass;
  for (ShapeSpec& shape : body.shapes) shape.density.reset(), shape.mass.reset();
}

void add_body(const ModelParts& parts, std::size_t b, const MassProperties& mass, std::vector<Parameter>& all) {
  Group group("body", parts.bodies[b].name, all);
  group.add("mass", mass.mass, "kg", 0, kNone, [b, mass](ModelParts& p, double value) {
    BodySpec& body = p.bodies[b];
    MassProperties given = body.mass_properties.value_or(mass);
    const bool is_of_shapes = body.mass_of_shapes || !body.mass_properties;
    if (is_of_shapes && given.mass > 0) given.inertia *= value / given.mass;
    given.mass = value;
    put_mass(body, given);
  });
  group.add("inertia", 1, "of its own", 0, kNone, [b, mass](ModelParts& p, double factor) {
    MassProperties given = p.bodies[b].mass_properties.value_or(mass);
    given.inertia *= factor;
    put_mass(p.bodies[b], given);
  });
}

// Values that are plain members of a named part.
template <class Spec>
struct Member {
  const char* what;
  double Spec::*place;
  const char* unit;
  double minimum, maximum;
};

template <class Spec>
void add_members(const char* kind, std::vector<Spec> ModelParts::*list, const ModelParts& parts,
                 std::initializer_list<Member<Spec>> members, std::vector<Parameter>& all) {
  for (std::size_t i = 0; i < (parts.*list).size(); ++i) {
    Group group(kind, (parts.*list)[i].name, all);
    for (const Member<Spec>& m : members)
      group.add(m.what, (parts.*list)[i].*m.place, m.unit, m.minimum, m.maximum,
                [list, i, place = m.place](ModelParts& p, double value) { (p.*list)[i].*place = value; });
  }
}

void add_springs(const ModelParts& parts, std::vector<Parameter>& all) {
  add_members<SpringDamperSpec>("spring", &ModelParts::springs, parts,
                                {{"stiffness", &SpringDamperSpec::stiffness, "N/m", 0, kNone},
                                 {"damping", &SpringDamperSpec::damping, "N s/m", 0, kNone}},
                                all);
  for (std::size_t i = 0; i < parts.springs.size(); ++i)
    if (parts.springs[i].rest_length)
      Group("spring", parts.springs[i].name, all)
          .add("rest_length", *parts.springs[i].rest_length, "m", 0, kNone,
               [i](ModelParts& p, double value) { p.springs[i].rest_length = value; });
}

// One value per axis of the bushing's frame.
void add_bushings(const ModelParts& parts, std::vector<Parameter>& all) {
  struct Axes {
    const char* what;
    Eigen::Vector3d BushingSpec::*place;
    const char* unit;
  };
  constexpr Axes kAxes[] = {{"stiffness", &BushingSpec::stiffness, "N/m"},
                            {"damping", &BushingSpec::damping, "N s/m"},
                            {"angular_stiffness", &BushingSpec::angular_stiffness, "N m/rad"},
                            {"angular_damping", &BushingSpec::angular_damping, "N m s/rad"}};
  for (std::size_t i = 0; i < parts.bushings.size(); ++i) {
    Group group("bushing", parts.bushings[i].name, all);
    for (const Axes& a : kAxes)
      for (int k = 0; k < 3; ++k)
        group.add(fmt::format("{}.{}", a.what, "xyz"[k]), (parts.bushings[i].*a.place)[k], a.unit, 0, kNone,
                  [i, place = a.place, k](ModelParts& p, double value) { (p.bushings[i].*place)[k] = value; });
  }
}

void add_motors(const ModelParts& parts, std::vector<Parameter>& all) {
  add_members<MotorSpec>("motor", &ModelParts::motors, parts,
                         {{"max_force", &MotorSpec::max_force, "N m or N", 0, kNone}}, all);
  for (std::size_t i = 0; i < parts.motors.size(); ++i) {
    Group group("motor", parts.motors[i].name, all);
    if (const double* target = std::get_if<double>(&parts.motors[i].target.source))
      group.add("target", *target, parts.motors[i].kind == MotorKind::kVelocity ? "rad/s or m/s" : "rad or m", -kNone,
                kNone, [i](ModelParts& p, double value) { p.motors[i].target.source = value; });
    if (parts.motors[i].stiffness)
      group.add("stiffness", *parts.motors[i].stiffness, "N m/rad or N/m", 0, kNone,
                [i](ModelParts& p, double value) { p.motors[i].stiffness = value; });
    if (!parts.motors[i].stiffness && !(parts.motors[i].damping > 0)) continue;
    group.add("damping", parts.motors[i].damping, "N m s/rad or N s/m", 0, kNone,
              [i](ModelParts& p, double value) { p.motors[i].damping = value; });
  }
}

void add_tyres(const ModelParts& parts, std::vector<Parameter>& all) {
  add_members<TyreSpec>("tyre", &ModelParts::tyres, parts,
                        {{"radius", &TyreSpec::radius, "m", 0, kNone},
                         {"stiffness", &TyreSpec::stiffness, "N/m", 0, kNone},
                         {"damping", &TyreSpec::damping, "N s/m", 0, kNone},
                         {"friction", &TyreSpec::friction, "", 0, kNone},
                         {"slip_stiffness", &TyreSpec::slip_stiffness, "N", 0, kNone},
                         {"cornering_stiffness", &TyreSpec::cornering_stiffness, "N/rad", 0, kNone},
                         {"relaxation_length", &TyreSpec::relaxation_length, "m", 0, kNone},
                         {"tread_damping", &TyreSpec::tread_damping, "N s/m", 0, kNone},
                         {"rolling_resistance", &TyreSpec::rolling_resistance, "", 0, kNone}},
                        all);
}

void add_lateral_frictions(const ModelParts& parts, std::vector<Parameter>& all) {
  for (std::size_t i = 0; i < parts.tyres.size(); ++i)
    Group("tyre", parts.tyres[i].name, all)
        .add("lateral_friction", parts.tyres[i].lateral_friction.value_or(parts.tyres[i].friction), "", 0, kNone,
             [i](ModelParts& p, double value) { p.tyres[i].lateral_friction = value; });
}

// Where the string is slack; two lengths keep their distance. None is given where it is that of the start.
void add_tendon_rests(const ModelParts& parts, std::vector<Parameter>& all) {
  for (std::size_t i = 0; i < parts.tendons.size(); ++i) {
    const TendonSpec& tendon = parts.tendons[i];
    const double play = tendon.rest ? (*tendon.rest)[1] - (*tendon.rest)[0] : 0;
    Group("tendon", tendon.name, all)
        .add("rest", tendon.rest ? (*tendon.rest)[0] : kNone, "", -kNone, kNone,
             [i, play](ModelParts& p, double value) {
               p.tendons[i].rest = {value, value + play};
             });
  }
}

void add_controllers(const ModelParts& parts, std::vector<Parameter>& all) {
  for (std::size_t i = 0; i < parts.controllers.size(); ++i) {
    const ControllerSpec& c = parts.controllers[i];
    if (c.measured.empty()) continue;  // a law that never was a PID
    Group group("controller", c.name, all);
    using Gain = double ControllerSpec::*;
    const std::pair<const char*, Gain> gains[] = {
        {"p", &ControllerSpec::p}, {"i", &ControllerSpec::i}, {"d", &ControllerSpec::d}};
    for (const auto& [what, gain] : gains)
      group.add(what, c.*gain, "", -kNone, kNone,
                [i, gain = gain](ModelParts& p, double value) { p.controllers[i].*gain = value; });
    group.add("filter", c.filter, "s", 0, kNone, [i](ModelParts& p, double value) { p.controllers[i].filter = value; });
    if (const double* target = std::get_if<double>(&c.target.source))
      group.add("target", *target, "", -kNone, kNone,
                [i](ModelParts& p, double value) { p.controllers[i].target.source = value; });
  }
}

void add_materials(const ModelParts& parts, std::vector<Parameter>& all) {
  add_members<MaterialSpec>("material", &ModelParts::materials, parts,
                            {{"friction", &MaterialSpec::friction, "", 0, kNone},
                             {"static_friction", &MaterialSpec::static_friction, "", 0, kNone},
                             {"rolling_friction", &MaterialSpec::rolling_friction, "m", 0, kNone},
                             {"spinning_friction", &MaterialSpec::spinning_friction, "m", 0, kNone},
                             {"restitution", &MaterialSpec::restitution, "", 0, 1},
                             {"stiffness", &MaterialSpec::stiffness, "N/m^exponent", 0, kNone},
                             {"exponent", &MaterialSpec::exponent, "", 0, kNone},
                             {"damping", &MaterialSpec::damping, "s/m", 0, kNone},
                             {"linear_damping", &MaterialSpec::linear_damping, "N s/m", 0, kNone}},
                            all);
}

void add_others(const ModelParts& parts, std::vector<Parameter>& all) {
  add_springs(parts, all);
  add_bushings(parts, all);
  add_members<DistanceSpec>("distance", &ModelParts::distances, parts,
                            {{"lower", &DistanceSpec::lower, "m", 0, kNone},
                             {"upper", &DistanceSpec::upper, "m", 0, kNone},
                             {"restitution", &DistanceSpec::restitution, "", 0, 1}},
                            all);
  add_members<TendonSpec>("tendon", &ModelParts::tendons, parts,
                          {{"lower", &TendonSpec::lower, "", -kNone, kNone},
                           {"upper", &TendonSpec::upper, "", -kNone, kNone},
                           {"stiffness", &TendonSpec::stiffness, "", 0, kNone},
                           {"damping", &TendonSpec::damping, "", 0, kNone},
                           {"friction", &TendonSpec::friction, "", 0, kNone},
                           {"armature", &TendonSpec::armature, "", 0, kNone}},
                          all);
  add_motors(parts, all);
  add_tendon_rests(parts, all);
  add_tyres(parts, all);
  add_lateral_frictions(parts, all);
  add_controllers(parts, all);
  add_members<GearSpec>(
      "gear", &ModelParts::gears, parts,
      {{"ratio", &GearSpec::ratio, "", -kNone, kNone}, {"offset", &GearSpec::offset, "", -kNone, kNone}}, all);
  add_members<ActuatorSpec>("actuator", &ModelParts::actuators, parts,
                            {{"gear", &ActuatorSpec::gear, "", -kNone, kNone},
                             {"min", &ActuatorSpec::min, "", -kNone, kNone},
                             {"max", &ActuatorSpec::max, "", -kNone, kNone},
                             {"max_speed", &ActuatorSpec::max_speed, "", 0, kNone}},
                            all);
  add_materials(parts, all);
}

}  // namespace

void put_dof(std::vector<double>& values, int count, int k, double otherwise, double value) {
  if (values.empty()) values.assign(count, otherwise);
  if (values.size() == 1) values.assign(count, values[0]);
  values[k] = value;
}

MassProperties mass_of(const BodySpec& body) {
  return body.mass_properties ? *body.mass_properties : mass_properties_of(body.shapes);
}

namespace {

// That a target follows an expression or a table is another thing than that there is none.
template <class Items>
void refuse_target_of(const Items& items, const std::string& path, const std::string& kind) {
  for (const auto& item : items)
    if (path == kind + "." + item.name + ".target" && !std::holds_alternative<double>(item.target.source))
      throw InvalidArgument(fmt::format(
          "cannot set '{}': the target of {} '{}' follows a law of its own; let that follow an input or a parameter, "
          "and set it",
          path, kind, item.name));
}

std::vector<Parameter> parameters_at(const ModelParts& parts, const std::string& path) {
  std::vector<Parameter> all = list_parameters(parts), found;
  std::vector<std::string> known;
  for (Parameter& parameter : all) {
    if (parameter.path == path || parameter.path.starts_with(path + "[")) {
      found.push_back(std::move(parameter));
    } else {
      known.push_back(std::move(parameter.path));
    }
  }
  if (!found.empty()) return found;
  refuse_target_of(parts.motors, path, "motor");
  refuse_target_of(parts.controllers, path, "controller");
  const std::string hint = did_you_mean(path, known);
  throw InvalidArgument(fmt::format("there is nothing to set at '{}'{}", path, hint.empty() ? "" : " (" + hint + ")"));
}

void check_range(const Parameter& parameter, double value) {
  if (std::isnan(value) || value < parameter.minimum || value > parameter.maximum)
    throw InvalidArgument(fmt::format("cannot set '{}' to {}: expected a number from {} to {}", parameter.path, value,
                                      parameter.minimum, parameter.maximum));
}

}  // namespace

void check_parameter(const ModelParts& parts, const std::string& path) { parameters_at(parts, path); }

void check_value(const ModelParts& parts, const std::string& path, double value) {
  for (const Parameter& parameter : parameters_at(parts, path)) check_range(parameter, value);
}

void put_parameter(ModelParts& parts, const std::string& path, double value) {
  for (const Parameter& parameter : parameters_at(parts, path)) {
    check_range(parameter, value);
    parameter.put(parts, value);
  }
}

bool is_parameter(const ModelParts& parts, const std::string& path) {
  try {
    check_parameter(parts, path);
  } catch (const InvalidArgument&) {
    return false;
  }
  return true;
}

Model with_values(const Model& model, const std::vector<SettingEdit>& values) {
  if (values.empty()) return model;
  auto parts = std::make_shared<ModelParts>(*model.data().parts);
  for (const SettingEdit& edit : values)
    if (is_parameter(*parts, edit.path)) put_parameter(*parts, edit.path, edit.value);
  return compile_model(std::move(parts));
}

void forget_values(const ModelParts& parts, const std::string& path, std::vector<SettingEdit>& values) {
  const auto is_at_or_below = [&](const SettingEdit& edit) {
    return edit.path.starts_with(path) &&
           (edit.path.size() == path.size() || edit.path[path.size()] == '.' || edit.path[path.size()] == '[');
  };
  std::erase_if(values, is_at_or_below);
  if (!path.ends_with(']')) return;
  const std::string whole = path.substr(0, path.rfind('['));
  const auto wide = std::find_if(values.begin(), values.end(), [&](const SettingEdit& e) { return e.path == whole; });
  if (wide == values.end()) return;
  std::vector<SettingEdit> others;
  for (const Parameter& parameter : parameters_at(parts, whole))
    if (parameter.path != path) others.push_back({parameter.path, wide->value});
  values.insert(values.erase(wide), others.begin(), others.end());
}

std::vector<Parameter> list_parameters(const ModelParts& parts) {
  std::vector<Parameter> all;
  for (int k = 0; k < 3; ++k)
    Group("gravity", "", all)
        .add(std::string(1, static_cast<char>('x' + k)), parts.gravity[k], "m/s^2", -kNone, kNone,
             [k](ModelParts& p, double value) { p.gravity[k] = value; });
  for (std::size_t b = 0; b < parts.bodies.size(); ++b) add_body(parts, b, mass_of(parts.bodies[b]), all);
  for (std::size_t j = 0; j < parts.joints.size(); ++j) add_joint(parts, j, all);
  add_others(parts, all);
  return all;
}

}  // namespace lipkin
