// The gap along n, f(n) = n . v(n) with v(n) = support of the second - support of the first, has the gradient v(n).
// Edges, walls and faces that stay perpendicular to n, or at a fixed angle to it, confine n to a circle n . e = c or to
// a point; along what is left f is smooth and Newton's method finds its maximum.
#include "collision/sharpen.hpp"

#include <algorithm>
#include <array>

namespace lipkin {

namespace {

// n . e = c, in the frame of the pair; e has length 1.
struct Confinement {
  Vec3d e;
  double c = 0;
};

// What one core's features ask of the normal.
struct Side {
  int count = 0;
  std::array<Confinement, 2> confinement;
  Vec3d point;      // of the core, furthest towards the other
  Vec3d direction;  // of the edge or line of the wall, where count is 1

  void add(const Vec3d& e, double c) {
    const auto k = static_cast<std::size_t>(count);
    if (count < 2) confinement[k] = {e, c}, ++count;
  }
};

// `d`: towards the other core, in the core's frame.
Side side_of(const ConvexCore& core, const Vec3d& d, double sine) {
  Side side;
  FlatFeature feature;
  find_flat_feature(core, d, feature, sine);
  side.point = support(core, d);
  if (feature.count == 1) return side;
  const Vec3d edge = unit_or(feature.points[1] - feature.points[0], Vec3d::unit(2));
  if (feature.count > 2) {
    const Vec3d another = feature.points[2] - feature.points[0];
    side.add(edge, 0);
    side.add(unit_or(another - dot(another, edge) * edge, Vec3d::unit(2)), 0);
    return side;
  }
  side.direction = edge;
  if (core.kind == CoreKind::kRound)  // a line of the wall: the normal keeps its angle to the axis
    side.add(Vec3d::unit(2), (core.rim_radius[0] - core.rim_radius[1]) / norm(feature.points[1] - feature.points[0]));
  else
    side.add(edge, 0);
  return side;
}

void turn_to_pair(const Transform<double>& X_FS, Side& side) {
  for (Confinement& k : side.confinement) k = {X_FS.R * k.e, -k.c};  // n points against the second's own direction
  side.point = X_FS * side.point;
  side.direction = X_FS.R * side.direction;
}

class Sharpener {
 public:
  Sharpener(const CorePair& pair, const Separation& s, double sine) : pair_(pair), n_(s.normal), sine_(sine) {
    find_sides();
    collect();
  }

  const Vec3d& normal() const { return n_; }

  void solve() {
    constexpr int kMaxSteps = 12;
    if (count_ == 2) meet_both();
    for (int k = 0; k < kMaxSteps && count_ < 2; ++k) {
      const double turn = count_ == 1 ? step_on_circle() : step_on_sphere();
      if (!(turn > 1e-15)) break;
    }
    find_sides();  // the line of a cone's wall that touches turns with the normal
  }

  // How far the line along the normal misses the features that it should join [m].
  double miss() const {
    const Vec3d at = v(n_), rest = at - dot(at, n_) * n_;
    if (first_.count > 1 || second_.count > 1) return 0;
    if (first_.count == 0 && second_.count == 0) return norm(rest);
    const Vec3d& line = first_.count == 1 ? first_.direction : second_.direction;
    const Vec3d across = unit_or(cross(n_, line), any_perpendicular(n_));
    const bool crossed = first_.count == 1 && second_.count == 1 && norm(cross(line, second_.direction)) > kParallel;
    return crossed ? 0 : std::abs(dot(rest, across));
  }

  // The points that span the gap along the normal found.
  Separation result(const Separation& rough) const {
    const Vec3d a = support(pair_.first, n_);
    const Vec3d b = pair_.X_FS * support(pair_.second, -transpose_times(pair_.X_FS.R, n_));
    const double gap = dot(n_, b - a);
    Vec3d middle = 0.5 * (rough.p_first + rough.p_second);
    if (second_.count == 0)
      middle = b - 0.5 * gap * n_;
    else if (first_.count == 0)
      middle = a + 0.5 * gap * n_;
    else if (first_.count == 1 && second_.count == 1)
      meet_of_lines(a, b, middle);
    return {false, gap, n_, middle - 0.5 * gap * n_, middle + 0.5 * gap * n_};
  }

 private:
  void find_sides() {
    first_ = side_of(pair_.first, n_, sine_);
    second_ = side_of(pair_.second, -transpose_times(pair_.X_FS.R, n_), sine_);
    turn_to_pair(pair_.X_FS, second_);
  }

  void collect() {
    for (const Side* side : {&first_, &second_}) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(side->count) && count_ < 2; ++k) {
        const Confinement& next = side->confinement[k];
        if (count_ == 1 && norm(cross(confinement_[0].e, next.e)) < kParallel) continue;
        confinement_[static_cast<std::size_t>(count_++)] = next;
      }
    }
  }

  // Two planes and the sphere: of the two points they share, the nearer one.
  void meet_both() {
    const auto& [p, q] = confinement_;
    const double k = dot(p.e, q.e), det = 1 - k * k;
    const Vec3d axis = cross(p.e, q.e);
    const Vec3d foot = ((p.c - k * q.c) / det) * p.e + ((q.c - k * p.c) / det) * q.e;
    const double rest = (1 - squared_norm(foot)) / det;
    if (rest < 0) return;
    n_ = unit_or(foot + (dot(axis, n_) < 0 ? -std::sqrt(rest) : std::sqrt(rest)) * axis, n_);
  }

  Vec3d v(const Vec3d& n) const { return support_corner(pair_, n).w; }

  static constexpr double kProbe = 1e-6;  // step of the differences: they only set the speed of Newton's method

  double step_on_circle() {
    const auto& [e, c] = confinement_[0];
    const Vec3d radial = n_ - dot(n_, e) * e;
    const double r = std::sqrt(1 - c * c);
    n_ = c * e + r * unit_or(radial, any_perpendicular(e));
    const Vec3d tangent = unit_or(cross(e, n_), any_perpendicular(e));
    const Vec3d at = v(n_);
    const double slope = r * dot(tangent, at);
    const double bend = r * r * dot(tangent, v(n_ + kProbe * tangent) - at) / kProbe - dot(at, n_ - c * e);
    if (!(bend < 0)) return 0;
    const double angle = std::clamp(-slope / bend, -kMaxTurn, kMaxTurn);
    const Vec3d outward = (1 / r) * (n_ - c * e);
    n_ = c * e + r * (std::cos(angle) * outward + std::sin(angle) * tangent);
    return std::abs(angle);
  }

  double step_on_sphere() {
    const Vec3d x = any_perpendicular(n_), y = cross(n_, x), at = v(n_);
    const double f = dot(n_, at);
    const Vec3d along_x = (1 / kProbe) * (v(n_ + kProbe * x) - at), along_y = (1 / kProbe) * (v(n_ + kProbe * y) - at);
    const double xx = dot(x, along_x) - f, yy = dot(y, along_y) - f, xy = 0.5 * (dot(x, along_y) + dot(y, along_x));
    const double det = xx * yy - xy * xy;
    if (!(xx < 0 && det > 0)) return 0;
    const double rx = dot(x, at), ry = dot(y, at);
    const double dx = -(yy * rx - xy * ry) / det, dy = -(xx * ry - xy * rx) / det;
    const double turn = std::hypot(dx, dy), part = turn > kMaxTurn ? kMaxTurn / turn : 1;
    n_ = unit_or(n_ + (part * dx) * x + (part * dy) * y, n_);
    return part * turn;
  }

  // Where two lines, one on each core, come nearest; parallel lines leave the point as it is.
  void meet_of_lines(const Vec3d& a, const Vec3d& b, Vec3d& middle) const {
    const double k = dot(first_.direction, second_.direction), det = 1 - k * k;
    if (!(det > kParallel * kParallel)) return;
    const Vec3d r = a - b;
    const double c = dot(first_.direction, r), f = dot(second_.direction, r);
    const Vec3d on_a = a + ((k * f - c) / det) * first_.direction;
    const Vec3d on_b = b + ((f - k * c) / det) * second_.direction;
    middle = 0.5 * (on_a + on_b);
  }

  static constexpr double kMaxTurn = 0.02;   // of one step
  static constexpr double kParallel = 1e-6;  // sine

  const CorePair& pair_;
  Vec3d n_;
  double sine_;
  Side first_, second_;
  int count_ = 0;
  std::array<Confinement, 2> confinement_;
};

}  // namespace

bool sharpen(const CorePair& pair, Separation& s) {
  // Which edges and walls take part is known up to the error of the direction: try, and keep what is best.
  const Separation rough = s;
  const double exact = 1e-11 * pair.size();  // the gap is exact to the square of it
  double best = gap_along(pair, rough.normal);
  bool certain = false;
  for (const double sine : {1e-3, 1e-5, 1e-8}) {
    Sharpener sharpener(pair, rough, sine);
    sharpener.solve();
    const Separation sharp = sharpener.result(rough);
    const double rounding = certain ? 0 : 1e-15 * pair.size();  // the start may have been exact
    if (sharp.gap > best - rounding) best = sharp.gap, s = sharp, certain = sharpener.miss() < exact;
  }
  return certain;
}

}  // namespace lipkin
