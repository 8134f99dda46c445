#include "model/model_suspicions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "model/model_compiler.hpp"
#include "model/shape_mass.hpp"
#include "model/suspicious_parts.hpp"

namespace lipkin {
namespace {

// Air weighs 1.2 kg/m^3; what is far lighter than that all around its mass was given in other units.
constexpr double kLighterThanAnything = 0.05;  // [kg/m^3]
constexpr double kLarge = 1;                   // [m]: below it a light body may be a picture of something
// A ship may weigh more; a first scene has none.
constexpr double kHeavierThanMachines = 1e6;  // [kg]
constexpr double kLargerThanMachines = 8;     // [m]
constexpr double kFarthestEdge = 100;         // [m]: what is larger and lighter than a string of that length
constexpr double kLighterThanStrings = 1;     // [kg/m]

// Between air in a thin hull and the heaviest metal, as g/cm^3; foams begin where it ends.
constexpr double kLightest = 0.5, kHeaviest = 25;  // [kg/m^3]
constexpr double kBalloon = 10;                    // [m]: what is larger may well be filled with air

using Box = Eigen::AlignedBox3d;

Box centred(double x, double y, double z) { return {-Eigen::Vector3d(x, y, z) / 2, Eigen::Vector3d(x, y, z) / 2}; }

Box standing(double radius, double height) {
  return {Eigen::Vector3d(-radius, -radius, 0), Eigen::Vector3d(radius, radius, height)};
}

Box around(const std::vector<Eigen::Vector3d>& points) {
  Box box;
  for (const Eigen::Vector3d& p : points) box.extend(p);
  return box;
}

struct BoundsOf {
  Box operator()(const ShapeSphere& s) const { return centred(2 * s.radius, 2 * s.radius, 2 * s.radius); }
  Box operator()(const ShapeBox& b) const { return centred(b.size.x(), b.size.y(), b.size.z()); }
  Box operator()(const ShapeCylinder& c) const { return centred(2 * c.radius, 2 * c.radius, c.length); }
  Box operator()(const ShapeCapsule& c) const { return centred(2 * c.radius, 2 * c.radius, c.length + 2 * c.radius); }
  Box operator()(const ShapeFrustum& f) const { return standing(std::max(f.bottom_radius, f.top_radius), f.height); }
  Box operator()(const ShapePlane&) const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return {Eigen::Vector3d::Constant(-kInfinite), Eigen::Vector3d(kInfinite, kInfinite, 0)};
  }
  Box operator()(const ShapeCup& c) const { return standing(std::max(c.bottom_radius, c.top_radius), c.height); }
  Box operator()(const ShapeHull& h) const { return around(h.points); }
  Box operator()(const ShapeMesh& m) const { return around(m.vertices); }
  Box operator()(const ShapeHeightField& f) const { return centred(f.size_x, f.size_y, 0); }
};

double volume_of(const BodyData& body) {
  double sum = 0;
  for (const ShapeSpec& shape : body.shapes)
    if (is_solid(shape.geometry)) sum += volume(shape);
  return sum;
}

// Sizes far too large for their mass, or a mass by density far too large for a machine.
void look_at_sizes(const ModelData& model, std::vector<Diagnostic>& found) {
  for (const BodyData& body : model.bodies) {
    const double mass = body.mass_properties.mass, size = largest_extent(body.shapes), volume = volume_of(body);
    if (body.link == 0 || !(mass > 0) || !(volume > 0) || !std::isfinite(size)) continue;
    const bool by_density = std::any_of(body.shapes.begin(), body.shapes.end(),
                                        [](const ShapeSpec& shape) { return shape.density.has_value(); });
    const bool too_light = mass / volume < kLighterThanAnything && size > kLarge;
    const bool too_heavy = by_density && mass > kHeavierThanMachines && size > kLargerThanMachines;
    const bool too_long = size > kFarthestEdge && mass < kLighterThanStrings * size;
    if (too_light || too_heavy || too_long)
      found.push_back(suspicion(body.shapes[0].where,
                                fmt::format("body '{}' is {:.3g} m large and has {:.3g} kg", body.name, size, mass),
                                fmt::format("lengths are in metres: {:.3g} mm are {:.3g}", size, size / 1000)));
  }
}

// What is moved whatever it weighs has any density.
bool is_driven(const ModelData& model, const BodyData& body) {
  return body.link == 0 || std::any_of(model.motors.begin(), model.motors.end(), [&](const MotorData& motor) {
           return !std::isfinite(motor.max_force) && !motor.servo && motor.dof.u_index >= 0 &&
                  motor.dof.u_index == model.links[static_cast<std::size_t>(body.link)].u_index;
         });
}

// Densities in g/cm^3, once a place: copies of a body have the same.
void look_at_densities(const ModelData& model, std::vector<Diagnostic>& found) {
  std::set<std::pair<int, int>> told;
  for (const BodyData& body : model.bodies) {
    if (is_driven(model, body)) continue;
    for (const ShapeSpec& shape : body.shapes) {
      if (!shape.density || *shape.density < kLightest || *shape.density > kHeaviest || !is_solid(shape.geometry) ||
          extent(shape.geometry).largest > kBalloon)
        continue;
      if (!told.emplace(shape.where.line, shape.where.column).second && shape.where.line > 0) continue;
      found.push_back(suspicion(
          shape.where,
          fmt::format("a shape of body '{}' has {:g} kg/m^3, which is lighter than foam", body.name, *shape.density),
          fmt::format("densities are in kg/m^3: {:g} g/cm^3 are {:g}", *shape.density, 1000 * *shape.density)));
    }
  }
}

}  // namespace

Eigen::AlignedBox3d bounds(const ShapeGeometry& geometry) { return std::visit(BoundsOf(), geometry); }

ShapeExtent extent(const ShapeGeometry& geometry) {
  const Box box = bounds(geometry);
  if (box.isEmpty()) return {};
  const bool is_ground = std::holds_alternative<ShapeHeightField>(geometry);  // as deep as may be
  const Eigen::Vector3d edges = box.sizes();
  return {edges.maxCoeff(), is_ground ? edges.head<2>().minCoeff() : edges.minCoeff()};
}

Diagnostic suspicion(const SourceLocation& where, std::string message, std::string hint) {
  return {where, std::move(message), std::move(hint), Severity::kWarning};
}

double largest_extent(const std::vector<ShapeSpec>& shapes) {
  double largest = 0;
  for (const ShapeSpec& shape : shapes) largest = std::max(largest, extent(shape.geometry).largest);
  return largest;
}

std::vector<Diagnostic> suspicions(const ModelData& model, double duration, const std::vector<std::string>& set_paths,
                                   const WrittenParts& written) {
  std::vector<Diagnostic> found;
  look_at_sizes(model, found);
  look_at_densities(model, found);
  look_at_numbers(model, duration, written, found);
  look_at_idle_parts(model, set_paths, found);
  look_at_soft_springs(model, found);
  look_at_idle_joints(model, set_paths, written, found);
  look_for_falls(model, duration, found);
  look_at_frictions(model, written, found);
  look_at_places(model, written, found);
  return found;
}

}  // namespace lipkin
