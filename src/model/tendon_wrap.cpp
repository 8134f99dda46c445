#include "model/tendon_wrap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lipkin {

namespace {

constexpr double kTiny = 1e-14;  // of lengths [m] and directions
// A point this part of the radius about the surface is on it, and stands this far outside: then its string has a
// direction, that of the tangent but for 1e-5, and its length is off by 1e-16 of the radius.
constexpr double kOnSurface = 1e-10;

struct Vec2 {
  double x, y;
};
Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
Vec2 operator*(double s, const Vec2& a) { return {s * a.x, s * a.y}; }
double dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
double cross(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }
double norm(const Vec2& a) { return std::hypot(a.x, a.y); }

// The same in the plane of a circle about the origin.
struct PlaneTouch {
  Vec2 first, last;
  double arc;
};

Vec2 nearest_to_origin(const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  return a + std::clamp(-dot(a, d) / dot(d, d), 0.0, 1.0) * d;
}

// Where a straight line from p touches the circle; turn 1: with the circle on its left, -1: on its right.
Vec2 tangent_point(const Vec2& p, double radius, double turn) {
  const double r2 = radius * radius, p2 = dot(p, p);
  const double across = turn * radius * std::sqrt(std::max(0.0, p2 - r2)) / p2;
  return {r2 / p2 * p.x - across * p.y, r2 / p2 * p.y + across * p.x};
}

// Between the direction of p and that of the place where a straight line from p touches the circle.
double tangent_angle(const Vec2& p, double radius) {
  return std::atan2(std::sqrt(std::max(0.0, dot(p, p) - radius * radius)), radius);
}

// Which way round, counter-clockwise (1) or clockwise (-1), and the angle that the string sweeps about the origin, 0 to
// 2 pi: the smaller one, or the one whose middle is on the side of a point.
struct Way {
  double turn, swept;
};

Way way_round(const Vec2& a, const Vec2& b, const Vec2* side) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const double direct = std::atan2(cross(a, b), dot(a, b)), left = direct >= 0 ? direct : direct + kTurn;
  const double cosine = std::cos(0.5 * left), sine = std::sin(0.5 * left);
  const Vec2 middle{cosine * a.x - sine * a.y, sine * a.x + cosine * a.y};  // of the counter-clockwise way
  const bool is_left = side ? dot(*side, middle) >= 0 : direct >= 0;
  return is_left ? Way{1, left} : Way{-1, kTurn - left};
}

// Where the string comes off the circle its arc has shrunk to nothing, and no length jumps. MuJoCo lets it pass
// straight already where the nearest point of the straight way comes to lie on the side of the point: there lengths
// jump.
std::optional<PlaneTouch> wrap_outside(const Vec2& a, const Vec2& b, double radius, const Vec2* side) {
  const Way way = way_round(a, b, side);
  const double angle = way.swept - tangent_angle(a, radius) - tangent_angle(b, radius);
  if (angle <= 0) return std::nullopt;
  return PlaneTouch{tangent_point(a, radius, way.turn), tangent_point(b, radius, -way.turn), radius * angle};
}

// Through the circle: straight where that lies within; otherwise it touches where the way over the circle is shortest,
// between the directions of both points. There the slope of the way grows along the circle.
std::optional<PlaneTouch> wrap_inside(const Vec2& a, const Vec2& b, double radius) {
  if (norm(nearest_to_origin(a, b)) <= radius) return std::nullopt;
  const double from = std::atan2(a.y, a.x), turn = std::atan2(cross(a, b), dot(a, b));
  const auto slope = [&](double part) {
    const double angle = from + part * turn;
    const Vec2 p = radius * Vec2{std::cos(angle), std::sin(angle)}, along = Vec2{-p.y, p.x};
    return (dot(p - a, along) / norm(p - a) + dot(p - b, along) / norm(p - b)) * turn;
  };
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  const double angle = from + 0.5 * (low + high) * turn;
  const Vec2 p = radius * Vec2{std::cos(angle), std::sin(angle)};
  return PlaneTouch{p, p, 0};
}

// p, or the point just outside where it is on the circle.
Vec2 put_outside(const Vec2& p, double radius) {
  const double least = (1 + kOnSurface) * radius, distance = norm(p);
  return distance < least ? (least / distance) * p : p;
}

std::optional<PlaneTouch> wrap_circle(const Vec2& a, const Vec2& b, double radius, const Vec2* side, bool is_inside) {
  const double nearer = std::min(norm(a), norm(b));
  if (lies_inside(nearer, radius) || norm(b - a) < kTiny) return std::nullopt;
  // From a point of the ring any way leads on straight.
  if (is_inside) return nearer <= (1 + kOnSurface) * radius ? std::nullopt : wrap_inside(a, b, radius);
  return wrap_outside(put_outside(a, radius), put_outside(b, radius), radius,
                      side && norm(*side) >= kTiny ? side : nullptr);
}

// A vector across v, of length 1.
Vec3<double> across(const Vec3<double>& v) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(v[k]) < std::abs(v[least])) least = k;
  const Vec3<double> n = cross(v, Vec3<double>::unit(least));
  return (1 / norm(n)) * n;
}

}  // namespace

bool lies_inside(double distance, double radius) { return distance < (1 - kOnSurface) * radius; }

std::optional<TendonTouch> touch_sphere(const Vec3<double>& a, const Vec3<double>& b, double radius,
                                        const Vec3<double>* side) {
  if (lies_inside(norm(a), radius)) return std::nullopt;
  const Vec3<double> x = (1 / norm(a)) * a;
  Vec3<double> normal = cross(x, b);
  if (norm(normal) < kTiny && side) normal = cross(x, *side);
  normal = norm(normal) < kTiny ? across(x) : (1 / norm(normal)) * normal;
  const Vec3<double> y = cross(normal, x);
  const auto in_plane = [&](const Vec3<double>& p) { return Vec2{dot(p, x), dot(p, y)}; };
  const Vec2 side_2 = side ? in_plane(*side) : Vec2{0, 0};
  const bool is_inside = side && norm(*side) < radius;
  const auto touch = wrap_circle(in_plane(a), in_plane(b), radius, side ? &side_2 : nullptr, is_inside);
  if (!touch) return std::nullopt;
  const auto in_space = [&](const Vec2& p) { return p.x * x + p.y * y; };
  return TendonTouch{in_space(touch->first), in_space(touch->last), touch->arc};
}

std::optional<TendonTouch> touch_cylinder(const Vec3<double>& a, const Vec3<double>& b, double radius,
                                          const Vec3<double>* side) {
  const Vec2 a_2{a[0], a[1]}, b_2{b[0], b[1]}, side_2 = side ? Vec2{(*side)[0], (*side)[1]} : Vec2{0, 0};
  const bool is_inside = side && norm(*side) < radius;
  const auto touch = wrap_circle(a_2, b_2, radius, side ? &side_2 : nullptr, is_inside);
  if (!touch) return std::nullopt;
  const double before = norm(touch->first - a_2), after = norm(b_2 - touch->last);
  const double rise = (b[2] - a[2]) / (before + touch->arc + after);  // the slope of a helix
  const Vec3<double> first{touch->first.x, touch->first.y, a[2] + rise * before};
  const Vec3<double> last{touch->last.x, touch->last.y, b[2] - rise * after};
  return TendonTouch{first, last, std::hypot(1.0, rise) * touch->arc};
}

}  // namespace lipkin
