#include "model/model_suspicions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "model/model_compiler.hpp"
#include "model/shape_mass.hpp"

namespace lipkin {
namespace {

// Air weighs 1.2 kg/m^3; what is far lighter than that all around its mass was given in other units.
constexpr double kLighterThanAnything = 0.05;  // [kg/m^3]
constexpr double kLarge = 1;                   // [m]: below it a light body may be a picture of something
// A ship may weigh more; a first scene has none.
constexpr double kHeavierThanMachines = 1e6;  // [kg]
constexpr double kLargerThanMachines = 8;     // [m]
// Free fall through so many of its own sizes is no throw.
constexpr double kFarFall = 100;

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

Diagnostic warning(const SourceLocation& where, std::string message, std::string hint) {
  return {where, std::move(message), std::move(hint), Severity::kWarning};
}

double largest_extent(const BodyData& body) {
  double largest = 0;
  for (const ShapeSpec& shape : body.shapes) largest = std::max(largest, extent(shape.geometry).largest);
  return largest;
}

double volume_of(const BodyData& body) {
  double sum = 0;
  for (const ShapeSpec& shape : body.shapes)
    if (is_solid(shape.geometry)) sum += volume(shape);
  return sum;
}

// Sizes far too large for their mass, or a mass by density far too large for a machine.
void look_at_sizes(const ModelData& model, std::vector<Diagnostic>& found) {
  for (const BodyData& body : model.bodies) {
    const double mass = body.mass_properties.mass, size = largest_extent(body), volume = volume_of(body);
    if (body.link == 0 || !(mass > 0) || !(volume > 0) || !std::isfinite(size)) continue;
    const bool by_density = std::any_of(body.shapes.begin(), body.shapes.end(),
                                        [](const ShapeSpec& shape) { return shape.density.has_value(); });
    const bool too_light = mass / volume < kLighterThanAnything && size > kLarge;
    const bool too_heavy = by_density && mass > kHeavierThanMachines && size > kLargerThanMachines;
    if (too_light || too_heavy)
      found.push_back(warning(body.shapes[0].where,
                              fmt::format("body '{}' is {:.3g} m large and has {:.3g} kg", body.name, size, mass),
                              fmt::format("lengths are in metres: {:.3g} mm are {:.3g}", size, size / 1000)));
  }
}

// The links that hang on one, itself included.
std::vector<bool> subtree_of(const ModelData& model, int link) {
  std::vector<bool> is_part(model.links.size(), false);
  is_part[static_cast<std::size_t>(link)] = true;
  for (std::size_t i = static_cast<std::size_t>(link) + 1; i < model.links.size(); ++i)
    is_part[i] = is_part[static_cast<std::size_t>(model.links[i].parent)];
  return is_part;
}

// Whether anything but gravity and contact can act on these links from outside.
bool is_acted_on(const ModelData& model, const std::vector<bool>& is_part) {
  const auto part = [&](int link) { return link >= 0 && is_part[static_cast<std::size_t>(link)]; };
  const auto any = [&](const auto& items, const auto& touches) {
    return std::any_of(items.begin(), items.end(), touches);
  };
  return !model.tyres.empty() || !model.tendons.empty() || !model.controllers.empty() ||
         any(model.closures, [&](const ClosureData& c) { return part(c.link_a) || part(c.link_b); }) ||
         any(model.distances, [&](const DistanceData& d) { return part(d.a.link) || part(d.b.link); }) ||
         any(model.springs, [&](const SpringDamperData& s) { return part(s.a.link) || part(s.b.link); }) ||
         any(model.bushings, [&](const BushingData& b) { return part(b.link_a) || part(b.link_b); }) ||
         any(model.body_forces, [&](const BodyForceData& f) { return part(f.at.link); }) ||
         any(model.actuators, [&](const ActuatorData& a) { return part(a.on_body.link); });
}

// The reason why nothing can touch these links; empty where something can.
std::string untouchable(const ModelData& model, const std::vector<bool>& is_part) {
  const auto in_part = [&](const ContactShapeData& shape) { return is_part[static_cast<std::size_t>(shape.link)]; };
  const auto inside = std::count_if(model.contact_shapes.begin(), model.contact_shapes.end(), in_part);
  if (inside == 0) return "its shapes have no 'contact'";
  if (inside == static_cast<std::ptrdiff_t>(model.contact_shapes.size()))
    return "nothing else has a shape with 'contact'";
  return {};
}

bool has_ground(const ModelData& model) {
  return !model.world_shapes.empty() || std::any_of(model.bodies.begin(), model.bodies.end(), [](const BodyData& body) {
    return body.link == 0 && !body.shapes.empty();
  });
}

// Free bodies with shapes that fall through everything, or out of sight.
void look_for_falls(const ModelData& model, double duration, std::vector<Diagnostic>& found) {
  const double g = std::sqrt(dot(model.gravity, model.gravity));
  for (const JointData& joint : model.joints) {
    if (!(g > 0) || joint.type != JointType::kFree || joint.parent >= 0 || joint.link < 0) continue;
    const BodyData& body = model.bodies[static_cast<std::size_t>(joint.child)];
    const std::vector<bool> is_part = subtree_of(model, joint.link);
    const bool told = std::any_of(body.shapes.begin(), body.shapes.end(),
                                  [](const ShapeSpec& shape) { return shape.contact.empty() && !shape.group.empty(); });
    const std::string reason = body.shapes.empty() || told ? "" : untouchable(model, is_part);
    const double fall = 0.5 * g * duration * duration;
    if (reason.empty() || is_acted_on(model, is_part)) continue;
    if (!has_ground(model) && fall < kFarFall * largest_extent(body)) continue;
    found.push_back(warning(body.shapes[0].where,
                            fmt::format("body '{}' touches nothing and falls {:.3g} m: {}", body.name, fall, reason),
                            "give it and what it should touch contact: NAME, with NAME among the materials"));
  }
}

}  // namespace

ShapeExtent extent(const ShapeGeometry& geometry) { return std::visit(ExtentOf(), geometry); }

std::vector<Diagnostic> suspicions(const ModelData& model, double duration) {
  std::vector<Diagnostic> found;
  look_at_sizes(model, found);
  look_for_falls(model, duration, found);
  return found;
}

}  // namespace lipkin
