#include "collision/gjk.hpp"

#include <algorithm>
#include <limits>

namespace lipkin {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// A face of the simplex with the weights of its point closest to the origin.
struct Candidate {
  std::array<int, 3> corner{};
  std::array<double, 3> weight{};
  int count = 0;
  double squared_distance = std::numeric_limits<double>::max();
};

const Vec3d& corner(const Simplex& s, int i) { return s.corner[static_cast<std::size_t>(i)].w; }

Vec3d point_of(const Simplex& s, const Candidate& c) {
  Vec3d p = Vec3d::zero();
  for (std::size_t k = 0; k < static_cast<std::size_t>(c.count); ++k) p += c.weight[k] * corner(s, c.corner[k]);
  return p;
}

void take_if_closer(const Simplex& s, Candidate c, Candidate& best) {
  c.squared_distance = squared_norm(point_of(s, c));
  if (c.squared_distance < best.squared_distance) best = c;
}

void try_corner(const Simplex& s, int i, Candidate& best) { take_if_closer(s, {{i, 0, 0}, {1, 0, 0}, 1}, best); }

// Only points strictly inside the edge: its ends are corners.
void try_edge(const Simplex& s, int i, int j, Candidate& best) {
  const Vec3d& a = corner(s, i);
  const Vec3d ab = corner(s, j) - a;
  const double t = -dot(a, ab), length = squared_norm(ab);
  if (t <= 0 || t >= length) return;
  take_if_closer(s, {{i, j, 0}, {1 - t / length, t / length, 0}, 2}, best);
}

void try_triangle(const Simplex& s, int i, int j, int k, Candidate& best) {
  const Vec3d &a = corner(s, i), &b = corner(s, j), &c = corner(s, k);
  const Vec3d n = cross(b - a, c - a);
  const double area = squared_norm(n);
  if (!(area > 0)) return;
  // Areas of the triangles that the origin's projection makes with two corners each.
  const double u = dot(n, cross(b, c)), v = dot(n, cross(c, a)), w = dot(n, cross(a, b));
  if (u <= 0 || v <= 0 || w <= 0) return;
  take_if_closer(s, {{i, j, k}, {u / (u + v + w), v / (u + v + w), w / (u + v + w)}, 3}, best);
}

double volume(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return dot(a, cross(b, c)); }

// Does the tetrahedron hold the origin? Its weights are the volumes of the parts.
bool holds_origin(Simplex& s) {
  const Vec3d &a = corner(s, 0), &b = corner(s, 1), &c = corner(s, 2), &d = corner(s, 3);
  const double whole = volume(b - a, c - a, d - a);
  const double longest = std::max({squared_norm(b - a), squared_norm(c - a), squared_norm(d - a)});
  if (!(std::abs(whole) > 16 * kEpsilon * longest * std::sqrt(longest))) return false;  // flat
  const std::array<double, 4> parts{volume(b, c, d), -volume(a, c, d), volume(a, b, d), -volume(a, b, c)};
  for (const double part : parts)
    if (part * whole < 0) return false;
  for (std::size_t k = 0; k < 4; ++k) s.weight[k] = parts[k] / whole;
  return true;
}

Candidate closest_face(const Simplex& s) {
  Candidate best;
  for (int i = 0; i < s.count; ++i) {
    try_corner(s, i, best);
    for (int j = i + 1; j < s.count; ++j) {
      try_edge(s, i, j, best);
      for (int k = j + 1; k < s.count; ++k) try_triangle(s, i, j, k, best);
    }
  }
  return best;
}

void keep_face(Simplex& s, const Candidate& face) {
  Simplex kept;
  kept.count = face.count;
  for (std::size_t k = 0; k < static_cast<std::size_t>(face.count); ++k) {
    kept.corner[k] = s.corner[static_cast<std::size_t>(face.corner[k])];
    kept.weight[k] = face.weight[k];
  }
  s = kept;
}

bool has_corner(const Simplex& s, const Vec3d& w) {
  for (int k = 0; k < s.count; ++k)
    if (squared_norm(corner(s, k) - w) == 0) return true;
  return false;
}

void set_points(ClosestPoints& r) {
  r.p_first = r.p_second = Vec3d::zero();
  for (std::size_t k = 0; k < static_cast<std::size_t>(r.simplex.count); ++k) {
    r.p_first += r.simplex.weight[k] * r.simplex.corner[k].p_first;
    r.p_second += r.simplex.weight[k] * r.simplex.corner[k].p_second;
  }
  r.v = r.p_second - r.p_first;
  r.distance = norm(r.v);
}

}  // namespace

Simplex::Corner support_corner(const CorePair& pair, const Vec3d& d) {
  const Vec3d a = pair.support_first(d), b = pair.support_second(d);
  return {b - a, a, b};
}

double gap_along(const CorePair& pair, const Vec3d& n) { return dot(n, support_corner(pair, n).w); }

ClosestPoints closest_points(const CorePair& pair, double limit, double tolerance) {
  constexpr int kMaxIterations = 128;
  ClosestPoints r;
  r.v = pair.X_FS * pair.second.centre + pair.shift - pair.first.centre;
  if (squared_norm(r.v) == 0) r.v = Vec3d::unit(0);
  r.simplex.corner[0] = support_corner(pair, r.v);
  r.simplex.count = 1, r.simplex.weight[0] = 1;
  r.v = r.simplex.corner[0].w;
  const double touching = 64 * kEpsilon * pair.size();  // rounding of the corners [m]
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double distance = norm(r.v);
    if (distance <= touching) {
      r.overlap = true;
      break;
    }
    const Simplex::Corner c = support_corner(pair, r.v);
    const double bound = dot(r.v, c.w) / distance;
    if (bound > limit) {
      r.beyond = true;
      return r;
    }
    if (distance - bound <= tolerance * (pair.size() + distance) || has_corner(r.simplex, c.w)) break;
    Simplex wider = r.simplex;
    wider.corner[static_cast<std::size_t>(wider.count++)] = c;
    if (wider.count == 4 && holds_origin(wider)) {
      r.simplex = wider;
      r.overlap = true;
      break;
    }
    const Candidate face = closest_face(wider);
    if (!(face.squared_distance < distance * distance)) break;  // rounding: no corner brings it closer
    keep_face(wider, face);
    r.simplex = wider;
    r.v = point_of(wider, {{0, 1, 2}, {wider.weight[0], wider.weight[1], wider.weight[2]}, wider.count});
  }
  set_points(r);
  return r;
}

}  // namespace lipkin
