#include "collision/ray.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/eigen_convert.hpp"

namespace lipkin {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// Where a line is within something convex, in lengths of its direction; empty where from > to.
struct Span {
  double from = -kNone, to = kNone;

  bool has_ahead() const { return from <= to && to >= 0; }
  // Of the surface ahead.
  double distance() const { return !has_ahead() ? kNone : from >= 0 ? from : to; }
};

constexpr Span kNowhere = {1, 0};

Span common(const Span& a, const Span& b) { return {std::max(a.from, b.from), std::min(a.to, b.to)}; }

// Of two that overlap where neither is empty.
Span either(const Span& a, const Span& b) {
  if (a.from > a.to) return b;
  if (b.from > b.to) return a;
  return {std::min(a.from, b.from), std::max(a.to, b.to)};
}

// Where low <= o + s d <= high.
Span between(double o, double d, double low, double high) {
  if (d == 0) return low <= o && o <= high ? Span{} : kNowhere;
  const double a = (low - o) / d, b = (high - o) / d;
  return {std::min(a, b), std::max(a, b)};
}

// Where a s² + 2 b s + c <= 0, a >= 0.
Span below_zero(double a, double b, double c) {
  if (a == 0) return c <= 0 ? Span{} : kNowhere;
  const double root = b * b - a * c;
  if (root < 0) return kNowhere;
  return {(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a};
}

Span in_box(const Ray& ray, const Vec3d& half) {
  Span span;
  for (int k = 0; k < 3; ++k) span = common(span, between(ray.origin[k], ray.direction[k], -half[k], half[k]));
  return span;
}

Span in_ellipsoid(const Ray& ray, const Vec3d& radii) {
  double a = 0, b = 0, c = -1;
  for (int k = 0; k < 3; ++k) {
    const double x = ray.origin[k] / radii[k], y = ray.direction[k] / radii[k];
    a += y * y, b += x * y, c += x * x;
  }
  return below_zero(a, b, c);
}

Span in_cylinder(const Ray& ray, double radius, double half) {
  const Vec3d &o = ray.origin, &d = ray.direction;
  const Span round =
      below_zero(d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - radius * radius);
  return common(round, between(o[2], d[2], -half, half));
}

Span in_capsule(const Ray& ray, double radius, double half) {
  const Vec3d end = {{0, 0, half}}, ball = {{radius, radius, radius}};
  return either(in_cylinder(ray, radius, half), either(in_ellipsoid({ray.origin - end, ray.direction}, ball),
                                                       in_ellipsoid({ray.origin + end, ray.direction}, ball)));
}

// The smaller of a distance and one where the ray meets a disc across z.
double nearer_of_disc(double nearest, const Ray& ray, double z, double radius) {
  if (ray.direction[2] == 0) return nearest;
  const double s = (z - ray.origin[2]) / ray.direction[2];
  const double x = ray.origin[0] + s * ray.direction[0], y = ray.origin[1] + s * ray.direction[1];
  return s >= 0 && std::hypot(x, y) <= radius ? std::min(nearest, s) : nearest;
}

// The wall of a cone: x² + y² = (bottom + slope z)², 0 <= z <= height.
double wall_distance(const Ray& ray, double bottom, double slope, double height) {
  const Vec3d &o = ray.origin, &d = ray.direction;
  const double r = bottom + slope * o[2], dr = slope * d[2];
  const double a = d[0] * d[0] + d[1] * d[1] - dr * dr, b = o[0] * d[0] + o[1] * d[1] - r * dr;
  const double c = o[0] * o[0] + o[1] * o[1] - r * r, root = b * b - a * c;
  double nearest = kNone;
  if (root < 0) return nearest;
  const double q = -(b + std::copysign(std::sqrt(root), b));
  for (const double s : {a == 0 ? kNone : q / a, q == 0 ? kNone : c / q}) {
    const double z = o[2] + s * d[2];
    if (s >= 0 && z >= 0 && z <= height) nearest = std::min(nearest, s);
  }
  return nearest;
}

double nearer_of_triangle(double nearest, const Ray& ray, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  // T. Möller, B. Trumbore, Fast, minimum storage ray-triangle intersection (1997).
  const Vec3d ab = b - a, ac = c - a, p = cross(ray.direction, ac);
  const double determinant = dot(ab, p);
  if (determinant == 0) return nearest;
  const Vec3d ao = ray.origin - a, q = cross(ao, ab);
  const double u = dot(ao, p) / determinant, v = dot(ray.direction, q) / determinant;
  const double s = dot(ac, q) / determinant;
  return u >= 0 && v >= 0 && u + v <= 1 && s >= 0 ? std::min(nearest, s) : nearest;
}

// A line through the hull of points: seen along it, with depths along its direction, the surface in front of the line
// is the lowest that three points make around it. Starting from three far ones behind everything, the point furthest
// below their plane takes the place of one of them, the others staying around the line: the simplex method.
class HullLine {
 public:
  HullLine(const std::vector<Eigen::Vector3d>& points, const Ray& ray) : points_(points), ray_(ray) {
    const Vec3d& d = ray.direction;
    int least = 0;
    for (int k = 1; k < 3; ++k)
      if (std::abs(d[k]) < std::abs(d[least])) least = k;
    const Vec3d across = cross(d, Vec3d::unit(least));
    x_ = (1 / norm(across)) * across;
    y_ = cross(d, x_);
    for (const Eigen::Vector3d& p : points) size_ = std::max(size_, norm(from_eigen(p) - ray.origin));
  }

  Span inside() const {
    const double front = lowest(1), back = lowest(-1);
    return front == kNone || back == kNone ? kNowhere : Span{front, -back};
  }

 private:
  // Of the depth times `sign`; kNone where the line misses.
  double lowest(double sign) const {
    const double far = 4 * size_, behind = 1e3 * size_;
    std::array<Vec3d, 3> corner = {Vec3d{{far, 0, behind}}, Vec3d{{-far, far, behind}}, Vec3d{{-far, -far, behind}}};
    constexpr int kMostSteps = 1000;
    for (int step = 0; step < kMostSteps; ++step) {
      const Vec3d n = upward(corner);
      const Vec3d below = furthest(n, sign);
      if (dot(n, below - corner[0]) >= -1e-12 * size_) break;
      replace_one(below, corner);
    }
    const bool is_around = std::all_of(corner.begin(), corner.end(), [&](const Vec3d& c) { return c[2] < behind / 2; });
    const Vec3d n = upward(corner);
    return is_around && n[2] > 0 ? dot(n, corner[0]) / n[2] : kNone;
  }

  static Vec3d upward(const std::array<Vec3d, 3>& corner) {
    const Vec3d n = cross(corner[1] - corner[0], corner[2] - corner[0]);
    const double length = norm(n);
    return length == 0 ? Vec3d::unit(2) : ((n[2] < 0 ? -1 : 1) / length) * n;
  }

  Vec3d seen(const Eigen::Vector3d& point, double sign) const {
    const Vec3d r = from_eigen(point) - ray_.origin;
    return {{dot(r, x_), dot(r, y_), sign * dot(r, ray_.direction)}};
  }

  Vec3d furthest(const Vec3d& n, double sign) const {
    Vec3d best = seen(points_[0], sign);
    for (const Eigen::Vector3d& p : points_)
      if (const Vec3d each = seen(p, sign); dot(n, each) < dot(n, best)) best = each;
    return best;
  }

  // The line stays within the triangle of the new point and two of the old ones.
  static void replace_one(const Vec3d& point, std::array<Vec3d, 3>& corner) {
    const auto area = [](const Vec3d& a, const Vec3d& b) { return a[0] * b[1] - a[1] * b[0]; };
    const double turn = area(corner[1] - corner[0], corner[2] - corner[0]) < 0 ? -1 : 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d &a = corner[(k + 1) % 3], &b = corner[(k + 2) % 3];
      if (turn * area(point, a) >= 0 && turn * area(b, point) >= 0) {
        corner[k] = point;
        return;
      }
    }
  }

  const std::vector<Eigen::Vector3d>& points_;
  const Ray& ray_;
  Vec3d x_, y_;
  double size_ = 0;
};

struct Distance {
  const Ray& ray;

  double operator()(const ShapeSphere& s) const {
    return in_ellipsoid(ray, {{s.radius, s.radius, s.radius}}).distance();
  }
  double operator()(const ShapeBox& s) const { return in_box(ray, 0.5 * from_eigen(s.size)).distance(); }
  double operator()(const ShapeCylinder& s) const { return in_cylinder(ray, s.radius, s.length / 2).distance(); }
  double operator()(const ShapeCapsule& s) const { return in_capsule(ray, s.radius, s.length / 2).distance(); }
  double operator()(const ShapePlane&) const {
    const double height = ray.origin[2], sinks = -ray.direction[2];
    return height >= 0 && sinks > 0 ? height / sinks : kNone;
  }
  double operator()(const ShapeFrustum& s) const {
    const double wall = (*this)(ShapeCup{s.bottom_radius, s.top_radius, s.height});
    return nearer_of_disc(nearer_of_disc(wall, ray, 0, s.bottom_radius), ray, s.height, s.top_radius);
  }
  double operator()(const ShapeCup& s) const {
    return wall_distance(ray, s.bottom_radius, (s.top_radius - s.bottom_radius) / s.height, s.height);
  }
  double operator()(const ShapeHull& s) const { return HullLine(s.points, ray).inside().distance(); }
  double operator()(const ShapeMesh& s) const {
    double nearest = kNone;
    const auto corner = [&](int i) { return from_eigen(s.vertices[static_cast<std::size_t>(i)]); };
    for (const auto& [a, b, c] : s.triangles)
      nearest = nearer_of_triangle(nearest, ray, corner(a), corner(b), corner(c));
    return nearest;
  }
  double operator()(const ShapeHeightField& s) const {
    double nearest = kNone;
    const auto corner = [&](int column, int row) -> Vec3d {
      return {{s.size_x * (static_cast<double>(column) / (s.columns - 1) - 0.5),
               s.size_y * (static_cast<double>(row) / (s.rows - 1) - 0.5),
               s.heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(s.columns) +
                         static_cast<std::size_t>(column)]}};
    };
    for (int row = 0; row + 1 < s.rows; ++row) {
      for (int column = 0; column + 1 < s.columns; ++column) {
        const Vec3d low = corner(column, row), high = corner(column + 1, row + 1);
        nearest = nearer_of_triangle(nearest, ray, low, corner(column + 1, row), high);
        nearest = nearer_of_triangle(nearest, ray, low, high, corner(column, row + 1));
      }
    }
    return nearest;
  }
};

}  // namespace

double ray_distance(const ShapeGeometry& geometry, const Ray& ray) { return std::visit(Distance{ray}, geometry); }

bool ray_meets(const ZoneSpec& zone, const Ray& ray) {
  const Vec3d half = from_eigen(zone.half);
  switch (zone.kind) {
    case ZoneKind::kBox:
      return in_box(ray, half).has_ahead();
    case ZoneKind::kEllipsoid:
      return in_ellipsoid(ray, half).has_ahead();
    case ZoneKind::kCylinder:
      return in_cylinder(ray, half[0], half[2]).has_ahead();
    case ZoneKind::kCapsule:
      return in_capsule(ray, half[0], half[2]).has_ahead();
  }
  return false;
}

}  // namespace lipkin
