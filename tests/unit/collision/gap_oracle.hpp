// Truth about gaps by a method that has nothing in common with the library's: how far each shape reaches along a
// direction in closed form, and a search over directions.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "collision/collision.hpp"
#include "support/random.hpp"

namespace lipkin::test {

using Eigen::Vector3d;

struct Posed {
  ShapeGeometry geometry;
  Vector3d p = Vector3d::Zero();
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
};

inline Transform<double> transform_of(const Vector3d& p, const Eigen::Quaterniond& q) {
  const Eigen::Matrix3d R = q.toRotationMatrix();
  Transform<double> X;
  for (int i = 0; i < 3; ++i) {
    X.p[i] = p[i];
    for (int j = 0; j < 3; ++j) X.R(i, j) = R(i, j);
  }
  return X;
}
inline Transform<double> transform_of(const Posed& s) { return transform_of(s.p, s.q); }
inline Vector3d eigen(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }

// The largest n.x over the shape, in its own frame; n of length 1.
struct Reach {
  Vector3d n;
  double operator()(const ShapeSphere& s) const { return s.radius; }
  double operator()(const ShapeBox& s) const { return 0.5 * s.size.dot(n.cwiseAbs()); }
  double operator()(const ShapeCapsule& s) const { return s.radius + 0.5 * s.length * std::abs(n.z()); }
  double operator()(const ShapeCylinder& s) const { return s.radius * across() + 0.5 * s.length * std::abs(n.z()); }
  double operator()(const ShapeFrustum& s) const {
    return std::max(s.bottom_radius * across(), s.top_radius * across() + s.height * n.z());
  }
  double operator()(const ShapeHull& s) const {
    double best = -1e300;
    for (const Vector3d& p : s.points) best = std::max(best, n.dot(p));
    return best;
  }
  template <class Other>
  double operator()(const Other&) const {
    return std::nan("");
  }
  double across() const { return std::hypot(n.x(), n.y()); }
};

inline double reach(const Posed& s, const Vector3d& n) {
  return n.dot(s.p) + std::visit(Reach{s.q.conjugate() * n}, s.geometry);
}

// The width of the slab between two convex shapes along the unit vector n.
inline double slab(const Posed& a, const Posed& b, const Vector3d& n) { return -reach(b, -n) - reach(a, n); }

// The widest slab that a search over the sphere of directions finds: a lower bound of the gap, and nearly the gap.
// `shrink`: of the search's step after a failure; nearer to 1 finds more and takes longer.
inline double widest_slab(const Posed& a, const Posed& b, Random& random, double shrink = 0.9) {
  struct Start {
    double width;
    Vector3d n;
  };
  std::vector<Start> starts;
  constexpr int kDirections = 1500;
  for (int k = 0; k < kDirections; ++k) {  // the golden spiral: evenly over the sphere
    const double z = 1 - (2 * k + 1.0) / kDirections, turn = 2 * std::numbers::pi * k / std::numbers::phi;
    const double r = std::sqrt(1 - z * z);
    const Vector3d n(r * std::cos(turn), r * std::sin(turn), z);
    starts.push_back({slab(a, b, n), n});
  }
  std::partial_sort(starts.begin(), starts.begin() + 8, starts.end(),
                    [](const Start& x, const Start& y) { return x.width > y.width; });
  double best = -1e300;
  for (int k = 0; k < 8; ++k) {
    Start s = starts[static_cast<std::size_t>(k)];
    for (double step = 0.05; step > 1e-9;) {
      const Vector3d n = (s.n + step * random.unit_vector()).normalized();
      const double width = slab(a, b, n);
      if (width > s.width)
        s = {width, n}, step *= 1.5;
      else
        step *= shrink;
    }
    best = std::max(best, s.width);
  }
  return best;
}

// How far a point of the shape's frame is outside (> 0) the shape, 0 on the surface: exact at the surface, a lower
// bound elsewhere.
struct Outside {
  Vector3d p;
  double operator()(const ShapeSphere& s) const { return p.norm() - s.radius; }
  double operator()(const ShapeBox& s) const { return (p.cwiseAbs() - 0.5 * s.size).maxCoeff(); }
  double operator()(const ShapeCapsule& s) const {
    const double z = std::clamp(p.z(), -0.5 * s.length, 0.5 * s.length);
    return std::hypot(p.x(), p.y(), p.z() - z) - s.radius;
  }
  double operator()(const ShapeCylinder& s) const {
    return std::max(std::hypot(p.x(), p.y()) - s.radius, std::abs(p.z()) - 0.5 * s.length);
  }
  double operator()(const ShapeFrustum& s) const {
    const double slope = (s.top_radius - s.bottom_radius) / s.height;
    const double wall = (std::hypot(p.x(), p.y()) - s.bottom_radius - slope * p.z()) / std::hypot(1.0, slope);
    return std::max({wall, -p.z(), p.z() - s.height});
  }
  double operator()(const ShapeHull& s) const {  // over the planes through three points that have all others below
    double worst = -1e300;
    for (const Vector3d& a : s.points)
      for (const Vector3d& b : s.points)
        for (const Vector3d& c : s.points) {
          const Vector3d n = (b - a).cross(c - a).normalized();
          if (!n.allFinite() || std::abs(Reach{n}(s)-n.dot(a)) > 1e-13) continue;
          worst = std::max(worst, n.dot(p - a));
        }
    return worst;
  }
  template <class Other>
  double operator()(const Other&) const {
    return std::nan("");
  }
};

inline double outside(const Posed& s, const Vector3d& p_W) {
  return std::visit(Outside{s.q.conjugate() * (p_W - s.p)}, s.geometry);
}

// `spread`: 0 for lengths of about 1 m, 1 for lengths from 3 cm to 3 m in one shape.
inline ShapeGeometry random_convex(Random& random, int kind, double spread = 0) {
  const auto length = [&] {
    return spread > 0 ? std::pow(10, spread * random.uniform(-1.5, 0.5)) : random.uniform(0.3, 1.2);
  };
  switch (kind) {
    case 0:
      return ShapeSphere{length()};
    case 1:
      return ShapeBox{{length(), length(), length()}};
    case 2:
      return ShapeCylinder{length() / 2, length()};
    case 3:
      return ShapeCapsule{length() / 3, length()};
    case 4:
      return ShapeFrustum{random.chance(0.2) ? 0.0 : length() / 2, length() / 2, length()};
    default: {
      ShapeHull hull;
      const int count = random.integer(4, 20);
      const Vector3d scale = spread > 0 ? Vector3d(length(), length(), length()) : Vector3d(1, 1, 1);
      for (int k = 0; k < count; ++k) hull.points.push_back(random.vector(0.6).cwiseProduct(scale));
      return hull;
    }
  }
}
inline constexpr int kConvexKinds = 6;
inline const char* convex_name(int kind) {
  constexpr const char* kNames[] = {"sphere", "box", "cylinder", "capsule", "frustum", "hull"};
  return kNames[kind];
}

// The contacts of two shapes, the first not part of the world.
inline std::vector<ContactPoint> contacts_of(const Posed& a, const Posed& b, double margin) {
  Collision collision({{a.geometry, 1}, {b.geometry, 0}}, {});
  const std::vector<Transform<double>> X{transform_of(a), transform_of(b)};
  const std::span<const ContactPoint> points = collision.update(X, margin);
  return {points.begin(), points.end()};
}

inline const ContactPoint& deepest(const std::vector<ContactPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; });
}

}  // namespace lipkin::test
