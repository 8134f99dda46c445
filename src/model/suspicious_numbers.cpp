// Numbers that were most likely given in other units than SI, and parts that do nothing.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "base/expression.hpp"
#include "model/joint_units.hpp"
#include "model/model_compiler.hpp"
#include "model/suspicious_parts.hpp"

namespace lipkin {
namespace {

// Beyond these a body is a ship or a planet, and what is far away may belong to it.
constexpr double kMachine = 1e6;  // [kg]
constexpr double kFar = 100;      // [m]
// A radius of gyration: millimetres taken for metres make it a thousand times too large.
constexpr double kFarMass = 50;  // [m]
constexpr double kManySizes = 100;

void look_at_inertia(const BodySpec& body, const WrittenParts& written, std::vector<Diagnostic>& found) {
  const MassProperties& given = *body.mass_properties;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(given.inertia, Eigen::EigenvaluesOnly);
  const double largest = principal.eigenvalues().maxCoeff(), size = largest_extent(body.shapes);
  const double gyration = std::sqrt(std::max(0.0, largest) / given.mass);
  const bool is_beyond_shapes = size > 0 && std::isfinite(size) && gyration > kManySizes * size;
  if (gyration <= kFarMass && !is_beyond_shapes) return;
  const auto where = written.inertias.find(body.name);
  found.push_back(
      suspicion(where == written.inertias.end() ? body.where : where->second,
                fmt::format("body '{}' has an inertia of {:.5g} kg m^2 and {:.3g} kg, as if these were {:.3g} m away",
                            body.name, largest, given.mass, gyration),
                fmt::format("inertias are in kg m^2: {:.5g} kg mm^2 are {:.5g}", largest, largest * 1e-6)));
}

// From the centre of mass to what of the body is nearest: its frame, a shape, or a joint.
double distance_of_mass(const ModelData& model, const BodySpec& body) {
  const Eigen::Vector3d& com = body.mass_properties->com;
  double nearest = com.norm();
  if (nearest <= kFar) return nearest;
  const auto take = [&](const Eigen::Vector3d& p) { nearest = std::min(nearest, (com - p).norm()); };
  for (const ShapeSpec& shape : body.shapes) take(shape.pose.position);
  for (const JointSpec& joint : model.parts->joints) {
    if (joint.child == body.name) take(joint.frame_in_child.position);
    if (joint.parent == body.name) take(joint.frame_in_parent.position);
  }
  return nearest;
}

void look_at_masses(const ModelData& model, const WrittenParts& written, std::vector<Diagnostic>& found) {
  for (const BodySpec& body : model.parts->bodies) {
    if (!body.mass_properties || !(body.mass_properties->mass > 0) || body.mass_properties->mass > kMachine) continue;
    look_at_inertia(body, written, found);
    if (distance_of_mass(model, body) <= kFar) continue;
    const double away = body.mass_properties->com.norm();
    found.push_back(suspicion(
        body.where,
        fmt::format("the centre of mass of body '{}' is {:.3g} m from its frame, shapes and joints", body.name, away),
        fmt::format("lengths are in metres: {:.3g} mm are {:.3g}", away, away / 1000)));
  }
}

void look_at_rest_lengths(const ModelData& model, std::vector<Diagnostic>& found) {
  constexpr double kLong = 5;  // [m]
  const std::vector<Transform<double>> X_WL = link_poses(model, model.initial_q.data());
  const auto place = [&](const PointData& p) {
    return X_WL[static_cast<std::size_t>(p.link)].p + X_WL[static_cast<std::size_t>(p.link)].R * p.p_L;
  };
  for (std::size_t i = 0; i < model.springs.size(); ++i) {
    const SpringDamperData& spring = model.springs[i];
    const double rest = spring.rest_length, now = norm(place(spring.b) - place(spring.a));
    if (rest > kLong && rest > kManySizes * now && spring.a.link != spring.b.link)
      found.push_back(
          suspicion(model.parts->springs[i].where,
                    fmt::format("spring '{}' is {:.3g} m long and slack at {:.3g} m", spring.name, now, rest),
                    fmt::format("lengths are in metres: {:.3g} mm are {:.3g}", rest, rest / 1000)));
  }
}

// The value of an expression of time and parameters alone; none where it looks at anything else.
std::optional<double> value_at(const Expression& expression, const ModelData& model, double t) {
  std::vector<double> values;
  for (const std::string& name : expression.variables()) {
    const auto parameter = std::find_if(model.parameters.begin(), model.parameters.end(),
                                        [&](const ParameterSpec& known) { return known.name == name; });
    if (name != "t" && parameter == model.parameters.end()) return std::nullopt;
    values.push_back(name == "t" ? t : parameter->value);
  }
  return expression.evaluate(values);
}

// Where a target turns back, or stays: the farthest of these; 0 where there is none.
double farthest_stop(const Signal& target, const ModelData& model, double duration) {
  if (const double* constant = std::get_if<double>(&target.source)) return *constant;
  double farthest = 0;
  const auto take = [&](double x) { farthest = std::abs(x) > std::abs(farthest) ? x : farthest; };
  if (const auto* table = std::get_if<Table>(&target.source)) {
    for (const double value : table->values) take(value);
    return farthest;
  }
  constexpr int kSamples = 200;
  const Expression expression = Expression::parse(std::get<ExpressionText>(target.source).text);
  double before = 0, now = 0;
  for (int i = 0; i <= kSamples; ++i) {
    const std::optional<double> next = value_at(expression, model, duration * i / kSamples);
    if (!next || !std::isfinite(*next)) return 0;
    const double rise = now - before, fall = now - *next;
    if (i > 1 && rise * fall > 0) take(now + (rise - fall) * (rise - fall) / (8 * (rise + fall)));  // of a parabola
    if (i > 1 && rise != 0 && fall == 0) take(now);
    before = std::exchange(now, *next);
  }
  return farthest;
}

// A servo that is told to turn by many turns and to stop there. Turns that are meant are multiples of pi.
void look_at_targets(const ModelData& model, double duration, std::vector<Diagnostic>& found) {
  constexpr double kWhole = 1e-3;
  for (const MotorSpec& motor : model.parts->motors) {
    if (motor.kind != MotorKind::kPosition || motor.joint.empty()) continue;
    const double stop = farthest_stop(motor.target, model, duration), whole = std::round(stop);
    if (std::abs(stop) <= 2 * std::numbers::pi || std::abs(stop - whole) > kWhole) continue;
    const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const JointData& j) { return j.name == motor.joint; });
    if (joint == model.joints.end() || !is_angle(joint->type, motor.dof)) continue;
    found.push_back(suspicion(motor.target.where,
                              fmt::format("motor '{}' turns joint '{}' to {:g} rad, {:.3g} turns", motor.name,
                                          motor.joint, whole, whole / (2 * std::numbers::pi)),
                              fmt::format("angles are in radians: {:g} degrees are {:g}*deg", whole, whole)));
  }
}

// Nobody gives it a control: not the scene, not its commands, not somebody outside.
void look_at_actuators(const ModelData& model, const std::vector<std::string>& set_paths,
                       std::vector<Diagnostic>& found) {
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const ActuatorSpec& actuator = model.parts->actuators[i];
    const double* constant = std::get_if<double>(&actuator.control.source);
    if (!constant || *constant != 0 || actuator.activation.start != 0) continue;
    const auto drives = [&](const ControlSpec& control) { return control.actuator == actuator.name; };
    const std::string path = "actuator." + actuator.name + ".control";
    if (std::any_of(model.parts->controls.begin(), model.parts->controls.end(), drives)) continue;
    if (std::find(set_paths.begin(), set_paths.end(), path) != set_paths.end()) continue;
    found.push_back(suspicion(actuator.where,
                              fmt::format("actuator '{}' has no control: it does nothing", actuator.name),
                              "write control: 1, or list it under 'controls' where somebody outside drives it"));
  }
}

}  // namespace

void look_at_numbers(const ModelData& model, double duration, const WrittenParts& written,
                     std::vector<Diagnostic>& found) {
  look_at_masses(model, written, found);
  look_at_rest_lengths(model, found);
  look_at_targets(model, duration, found);
}

void look_at_idle_parts(const ModelData& model, const std::vector<std::string>& set_paths,
                        std::vector<Diagnostic>& found) {
  look_at_actuators(model, set_paths, found);
  for (std::size_t i = 0; i < model.springs.size(); ++i) {
    const SpringDamperData& spring = model.springs[i];
    if (spring.a.link != spring.b.link) continue;
    const std::string body = spring.a.body < 0
                                 ? "the world"
                                 : fmt::format("'{}'", model.bodies[static_cast<std::size_t>(spring.a.body)].name);
    found.push_back(suspicion(model.parts->springs[i].where,
                              fmt::format("both ends of spring '{}' move with {}: it does nothing", spring.name, body),
                              "write from and to on bodies that move against each other"));
  }
}

}  // namespace lipkin
