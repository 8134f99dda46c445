#include "model/shape_mass.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>

#include "lipkin/error.hpp"
#include "model/convex_hull.hpp"

namespace lipkin {

namespace {

constexpr double kPi = std::numbers::pi;

MassProperties centred(double mass, double xx, double yy, double zz) {
  return {mass, Eigen::Vector3d::Zero(), Eigen::Vector3d(xx, yy, zz).asDiagonal()};
}

[[noreturn]] void no_solid() { throw InternalError("a surface without an inside has neither volume nor mass"); }

// Volume, first and second moments of what a closed surface encloses, as the sum over the tetrahedra between its
// triangles and the origin (divergence theorem; Tonon 2004 for the second moments).
struct Moments {
  double volume = 0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();

  void add(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
    const double v = a.dot(b.cross(c)) / 6;
    const Eigen::Vector3d sum = a + b + c;
    volume += v;
    first += v / 4 * sum;
    second += v / 20 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
};

// About the first vertex, which lies near the solid: the origin may be far from it.
Moments enclosed_moments(const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<int, 3>>& surface) {
  Moments moments;
  const Eigen::Vector3d& origin = vertices[0];
  for (const auto& [a, b, c] : surface) moments.add(vertices[a] - origin, vertices[b] - origin, vertices[c] - origin);
  return moments;
}

MassProperties enclosed_mass(const std::vector<Eigen::Vector3d>& vertices,
                             const std::vector<std::array<int, 3>>& surface, double mass) {
  const Moments m = enclosed_moments(vertices, surface);
  const Eigen::Vector3d com = m.first / m.volume;
  const Eigen::Matrix3d spread = mass * (m.second / m.volume - com * com.transpose());
  return {mass, vertices[0] + com, spread.trace() * Eigen::Matrix3d::Identity() - spread};
}

struct Volume {
  double operator()(const ShapeSphere& s) const { return 4.0 / 3 * kPi * s.radius * s.radius * s.radius; }
  double operator()(const ShapeBox& s) const { return s.size.prod(); }
  double operator()(const ShapeCylinder& s) const { return kPi * s.radius * s.radius * s.length; }
  double operator()(const ShapeCapsule& s) const { return kPi * s.radius * s.radius * (s.length + 4.0 / 3 * s.radius); }
  double operator()(const ShapeFrustum& s) const {
    const double a = s.bottom_radius, b = s.top_radius;
    return kPi * s.height / 3 * (a * a + a * b + b * b);
  }
  double operator()(const ShapeHull& s) const { return enclosed_moments(s.points, convex_hull(s.points)).volume; }
  double operator()(const ShapeMesh& s) const { return enclosed_moments(s.vertices, s.triangles).volume; }
  double operator()(const ShapePlane&) const { no_solid(); }
  double operator()(const ShapeCup&) const { no_solid(); }
  double operator()(const ShapeHeightField&) const { no_solid(); }
};

// Solids of uniform density and mass m, in their own frames.
struct Solid {
  double m;

  MassProperties operator()(const ShapeSphere& s) const {
    const double i = 0.4 * m * s.radius * s.radius;
    return centred(m, i, i, i);
  }
  MassProperties operator()(const ShapeBox& s) const {
    const Eigen::Vector3d q = s.size.cwiseProduct(s.size) * (m / 12);
    return centred(m, q.y() + q.z(), q.x() + q.z(), q.x() + q.y());
  }
  MassProperties operator()(const ShapeCylinder& s) const {
    const double r2 = s.radius * s.radius, l2 = s.length * s.length;
    const double across = m * (3 * r2 + l2) / 12;
    return centred(m, across, across, m * r2 / 2);
  }
  // A cylinder and two half balls whose centres of mass lie 3/8 r beyond its ends.
  MassProperties operator()(const ShapeCapsule& s) const {
    const double r = s.radius, l = s.length;
    const double ball_share = (4.0 / 3 * r) / (l + 4.0 / 3 * r);
    const double mb = m * ball_share, mc = m - mb;
    const double across = mc * (3 * r * r + l * l) / 12 + mb * (0.4 * r * r + l * l / 4 + 0.375 * l * r);
    return centred(m, across, across, mc * r * r / 2 + mb * 0.4 * r * r);
  }
  // Integrals over discs of radius a + (b - a) z / h.
  MassProperties operator()(const ShapeFrustum& s) const {
    const double a = s.bottom_radius, b = s.top_radius, h = s.height;
    const double area = a * a + a * b + b * b;
    const double com = h / 4 * (a * a + 2 * a * b + 3 * b * b) / area;
    const double axial =
        0.3 * m * (a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b) / area;
    const double second_moment = 3 * m * h * h * (a * a / 30 + a * b / 10 + b * b / 5) / area;
    const double across = axial / 2 + second_moment - m * com * com;
    MassProperties p = centred(m, across, across, axial);
    p.com.z() = com;
    return p;
  }
  MassProperties operator()(const ShapeHull& s) const { return enclosed_mass(s.points, convex_hull(s.points), m); }
  MassProperties operator()(const ShapeMesh& s) const { return enclosed_mass(s.vertices, s.triangles, m); }
  MassProperties operator()(const ShapePlane&) const { no_solid(); }
  MassProperties operator()(const ShapeCup&) const { no_solid(); }
  MassProperties operator()(const ShapeHeightField&) const { no_solid(); }
};

Eigen::Matrix3d point_inertia(double mass, const Eigen::Vector3d& r) {
  return mass * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
}

}  // namespace

bool is_closed(const ShapeMesh& mesh) {
  std::map<std::pair<int, int>, int> crossings;  // of each edge: +1 in one direction, -1 in the other
  std::map<std::pair<int, int>, int> uses;
  for (const std::array<int, 3>& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const int from = t[k], to = t[(k + 1) % 3];
      crossings[{std::min(from, to), std::max(from, to)}] += from < to ? 1 : -1;
      if (++uses[{from, to}] > 1) return false;
    }
  }
  for (const auto& [edge, sum] : crossings)
    if (sum != 0) return false;
  return !mesh.triangles.empty();
}

bool is_solid(const ShapeGeometry& geometry) {
  if (const auto* mesh = std::get_if<ShapeMesh>(&geometry)) return is_closed(*mesh);
  return !std::holds_alternative<ShapePlane>(geometry) && !std::holds_alternative<ShapeCup>(geometry) &&
         !std::holds_alternative<ShapeHeightField>(geometry);
}

double volume(const ShapeSpec& shape) { return std::visit(Volume{}, shape.geometry); }

MassProperties solid_mass_properties(const ShapeSpec& shape, double mass) {
  return std::visit(Solid{mass}, shape.geometry);
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  MassProperties r;
  r.mass = a.mass + b.mass;
  if (r.mass > 0) r.com = (a.mass * a.com + b.mass * b.com) / r.mass;
  r.inertia = a.inertia + point_inertia(a.mass, a.com - r.com) + b.inertia + point_inertia(b.mass, b.com - r.com);
  return r;
}

MassProperties moved(const MassProperties& part, const Pose& pose) {
  const Eigen::Matrix3d R = pose.orientation.normalized().toRotationMatrix();
  return {part.mass, pose.position + R * part.com, R * part.inertia * R.transpose()};
}

MassProperties mass_properties_of(const std::vector<ShapeSpec>& shapes) {
  MassProperties total;
  for (const ShapeSpec& shape : shapes) {
    if (!shape.density && !shape.mass) continue;
    const double mass = shape.mass ? *shape.mass : *shape.density * volume(shape);
    total = combined(total, moved(solid_mass_properties(shape, mass), shape.pose));
  }
  return total;
}

}  // namespace lipkin
