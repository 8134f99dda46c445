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

ShapeExtent extent_of(const std::vector<Eigen::Vector3d>& points) {
  if (points.empty()) return {};
  Eigen::Vector3d low = points[0], high = points[0];
  for (const Eigen::Vector3d& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return {(high - low).maxCoeff(), (high - low).minCoeff()};
}

ShapeExtent of_edges(double a, double b, double c) { return {std::max({a, b, c}), std::min({a, b, c})}; }

struct ExtentOf {
  ShapeExtent operator()(const ShapeSphere& s) const { return {2 * s.radius, 2 * s.radius}; }
  ShapeExtent operator()(const ShapeBox& b) const { return {b.size.maxCoeff(), b.size.minCoeff()}; }
  ShapeExtent operator()(const ShapeCylinder& c) const { return of_edges(2 * c.radius, 2 * c.radius, c.length); }
  ShapeExtent operator()(const ShapeCapsule& c) const {
    return of_edges(2 * c.radius, 2 * c.radius, c.length + 2 * c.radius);
  }
  ShapeExtent operator()(const ShapeFrustum& f) const {
    const double width = 2 * std::max(f.bottom_radius, f.top_radius);
    return of_edges(width, width, f.height);
  }
  ShapeExtent operator()(const ShapePlane&) const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return {kInfinite, kInfinite};
  }
  ShapeExtent operator()(const ShapeCup& c) const {
    const double width = 2 * std::max(c.bottom_radius, c.top_radius);
    return of_edges(width, width, c.height);
  }
  ShapeExtent operator()(const ShapeHull& h) const { return extent_of(h.points); }
  ShapeExtent operator()(const ShapeMesh& m) const { return extent_of(m.vertices); }
  ShapeExtent operator()(const ShapeHeightField& f) const { return of_edges(f.size_x, f.size_y, f.size_x); }
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

ShapeExtent extent(const ShapeGeometry& geometry) { return std::visit(ExtentOf(), geometry); }

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
  look_at_idle_joints(model, set_paths, written, found);
  look_for_falls(model, duration, found);
  return found;
}

}  // namespace lipkin
