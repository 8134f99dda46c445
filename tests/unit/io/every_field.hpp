// Every field of what a person may put into a scene, by name: what is compared field by field forgets none. A field
// that is added stops FIELDS from compiling until it is named here.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "lipkin/scene.hpp"
#include "model/model_compiler.hpp"

namespace lipkin::test {

#define FIELDS(Type, ...)                                                        \
  inline constexpr const char* field_names(const Type*) { return #__VA_ARGS__; } \
  inline auto fields(const Type& part) {                                         \
    const auto& [__VA_ARGS__] = part;                                            \
    return std::tie(__VA_ARGS__);                                                \
  }

FIELDS(Pose, position, orientation)
FIELDS(MassProperties, mass, com, inertia)
FIELDS(ShapeSphere, radius)
FIELDS(ShapeBox, size)
FIELDS(ShapeCylinder, radius, length)
FIELDS(ShapeCapsule, radius, length)
FIELDS(ShapeFrustum, bottom_radius, top_radius, height)
inline constexpr const char* field_names(const ShapePlane*) { return ""; }
inline auto fields(const ShapePlane&) { return std::tuple<>(); }
FIELDS(ShapeCup, bottom_radius, top_radius, height)
FIELDS(ShapeHull, points)
FIELDS(ShapeMesh, vertices, triangles)
FIELDS(ShapeHeightField, columns, rows, size_x, size_y, heights)
FIELDS(ShapeSpec, geometry, pose, density, mass, contact, group, color, where)
FIELDS(BodySpec, name, mass_properties, mass_of_shapes, added_inertia, shapes, where)
FIELDS(JointSpec, name, type, parent, child, frame_in_parent, frame_in_child, axis, pitch, q, u, stiffness, rest,
       damping, armature, friction, lower, upper, max_angle, limit_restitution, closes_loop, where)
FIELDS(ZoneSpec, kind, half)
FIELDS(PointSpec, name, body, position, where, orientation, zone)
FIELDS(Attachment, point, body, position)
FIELDS(TendonWrap, shape, body, frame, radius, side)
FIELDS(TendonPulley, divisor)
FIELDS(TendonSpec::Term, joint, dof, coefficient)
FIELDS(TendonSpec, name, joints, path, lower, upper, restitution, stiffness, damping, rest, friction, armature, where)
FIELDS(SpringDamperSpec, name, a, b, stiffness, damping, rest_length, where)
FIELDS(BushingSpec, name, body_a, body_b, frame_in_a, frame_in_b, stiffness, damping, angular_stiffness,
       angular_damping, where)
FIELDS(ExpressionText, text)
FIELDS(Table, times, values)
FIELDS(Signal, source, where)
FIELDS(ForceSpec, name, at, force, torque, frame, where)
FIELDS(ActivationSpec, kind, time_constant, start, min, max)
FIELDS(ActuatorSpec, name, joint, dof, gear, gears, tendon, body, frame, force, torque, against, against_axes, control,
       activation, min, max, max_speed, where)
FIELDS(TyreSpec, name, body, center, axis, radius, crown, stiffness, damping, friction, lateral_friction,
       slip_stiffness, cornering_stiffness, relaxation_length, lateral_relaxation_length, tread_damping,
       rolling_resistance, where)
FIELDS(InputSpec, name, value, min, max, unit, description, where)
FIELDS(ControllerSpec, name, law, measured, target, p, i, d, filter, min, max, where)
FIELDS(MotorSpec, name, joint, dof, tendon, kind, target, activation, max_force, min_force, effort, stiffness, damping,
       where)
FIELDS(ControlSpec, name, actuator, motor, scale, offset, min, max, where)
FIELDS(GearSpec, name, joint, dof, tendon, of, of_dof, of_tendon, ratio, offset, curve, where)
FIELDS(DistanceSpec, name, a, b, lower, upper, restitution, where)
FIELDS(MaterialSpec, name, friction, static_friction, rolling_friction, spinning_friction, restitution, stiffness,
       exponent, damping, linear_damping, where)
FIELDS(MaterialPairSpec, a, b, friction, static_friction, rolling_friction, spinning_friction, restitution, stiffness,
       exponent, damping, linear_damping, where)
FIELDS(ContactFilterSpec, body_a, body_b, group_a, group_b, where)
FIELDS(OutputSpec, name, expression, unit, where, on_request)
FIELDS(ParameterSpec, name, value, unit, description, where, derived_from)
FIELDS(ModelParts, name, gravity, gravity_where, parameters, bodies, joints, points, tendons, springs, bushings, forces,
       actuators, motors, controls, tyres, inputs, controllers, gears, distances, materials, material_pairs,
       contact_filters, world_shapes, outputs, diagnostics, massless_joints_allowed)
FIELDS(CommandSet, path, value)
FIELDS(CommandPush, body, point, force, torque, frame, duration)
FIELDS(Command, at, action, where)
FIELDS(SolverOptions, max_iterations, tolerance, impulse_epsilon, time_limit, relaxation, jacobi)
FIELDS(Tolerated, length, angle, rate, anything)
FIELDS(Experiment, stepper, coordinates, solver, solver_options, stabilization, contact, slip_speed, duration, step, dt,
       dt_min, dt_max, relative_tolerance, absolute_tolerance, tolerated, every, commands)
#undef FIELDS

template <typename Part>
std::string type_name() {
  const std::string whole = __PRETTY_FUNCTION__, key = "Part = lipkin::";
  const std::size_t begin = whole.find(key) + key.size();
  return whole.substr(begin, whole.find_first_of(";]", begin) - begin);
}

// visit("JointSpec.damping", field, its default) for one field after the other; the visitor may change it.
template <typename Part, typename Visit>
void for_each_field(Part& part, const Visit& visit) {
  static const Part kUsual{};
  const std::string names = field_names(static_cast<const Part*>(nullptr));
  std::size_t begin = 0;
  const auto one = [&](const auto& field, const auto& usual) {
    const std::size_t end = names.find(',', begin);
    const std::string name = names.substr(begin, end - begin);
    begin = end + 2;
    visit(type_name<Part>() + "." + name, const_cast<std::decay_t<decltype(field)>&>(field), usual);
  };
  std::apply(
      [&](const auto&... field) {
        std::apply([&](const auto&... usual) { (one(field, usual), ...); }, fields(kUsual));
      },
      fields(std::as_const(part)));
}

// A part as text, one line a field; and which fields, as "JointSpec.damping", were seen away from their defaults.
class FieldText {
 public:
  template <typename Part>
  void add(const std::string& name, const Part& part) {
    write(name, part);
  }
  const std::map<std::string, std::string>& lines() const { return lines_; }
  const std::set<std::string>& all() const { return all_; }
  const std::set<std::string>& changed() const { return changed_; }

 private:
  void write(const std::string& at, double x) { lines_[at] = fmt::format("{}", x); }
  void write(const std::string& at, int x) { lines_[at] = fmt::format("{}", x); }
  void write(const std::string& at, bool x) { lines_[at] = x ? "yes" : "no"; }
  void write(const std::string& at, const std::string& x) { lines_[at] = x; }
  template <typename Kind>
  requires std::is_enum_v<Kind>
  void write(const std::string& at, Kind x) { lines_[at] = fmt::format("{}", static_cast<int>(x)); }
  template <typename Scalar, int rows, int columns>
  void write(const std::string& at, const Eigen::Matrix<Scalar, rows, columns>& x) {
    for (const double number : x.reshaped()) lines_[at] += fmt::format("{} ", number);
  }
  void write(const std::string& at, const Eigen::Quaterniond& x) {
    lines_[at] = fmt::format("{} {} {} {}", x.w(), x.x(), x.y(), x.z());
  }
  void write(const std::string&, const SourceLocation&) {}
  void write(const std::string&, const Diagnostic&) {}
  template <typename T>
  void write(const std::string& at, const std::optional<T>& x) {
    if (x) write(at, *x);
  }
  template <typename T>
  void write(const std::string& at, const std::vector<T>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) write(fmt::format("{}[{}]", at, i), x[i]);
  }
  template <typename T, std::size_t size>
  void write(const std::string& at, const std::array<T, size>& x) {
    for (std::size_t i = 0; i < size; ++i) write(fmt::format("{}[{}]", at, i), x[i]);
  }
  template <typename... T>
  void write(const std::string& at, const std::variant<T...>& x) {
    lines_[at] = fmt::format("form {}", x.index());
    std::visit([&](const auto& form) { write(at, form); }, x);
  }

  template <typename Part>
  requires requires(const Part& part) { fields(part); }
  void write(const std::string& at, const Part& part) {
    for_each_field(const_cast<Part&>(part), [&](const std::string& whole, const auto& field, const auto& usual) {
      FieldText here, there;
      here.write("", field);
      there.write("", usual);
      for (const auto& [place, text] : here.lines_) lines_[at + whole.substr(whole.rfind('.')) + place] = text;
      all_.merge(here.all_), changed_.merge(here.changed_);
      using Field = std::decay_t<decltype(field)>;
      if (std::is_same_v<Field, SourceLocation> || std::is_same_v<Field, std::vector<Diagnostic>>) return;
      all_.insert(whole);
      if (here.lines_ != there.lines_) changed_.insert(whole);
    });
  }

  std::map<std::string, std::string> lines_;
  std::set<std::string> all_, changed_;
};

}  // namespace lipkin::test
