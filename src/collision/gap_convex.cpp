// Convex shapes against each other: closed forms for spheres and capsules, separating axes for boxes, and the general
// way (separation.hpp, then the features that face each other) for the rest.
#include <algorithm>

#include "collision/feature_clip.hpp"
#include "collision/gap_functions.hpp"
#include "collision/point_gap.hpp"

namespace lipkin {

void points_to_world(const Transform<double>& X, Manifold& manifold, std::size_t begin) {
  for (std::size_t i = begin; i < manifold.size(); ++i) {
    ManifoldPoint& p = manifold[i];
    p.normal = X.R * p.normal;
    p.p_first = X * p.p_first;
    p.p_second = X * p.p_second;
  }
}

void sphere_convex_contacts(const PosedShape& sphere, const PosedShape& other, double margin, Manifold& manifold) {
  const double r = sphere.shape.core.rounding;
  const PointGap g = point_gap(other.shape.core, transpose_times(other.X.R, sphere.X.p - other.X.p));
  if (!(g.distance - r < margin)) return;
  const Vec3d n = -(other.X.R * g.normal);
  manifold.push_back({0, g.distance - r, n, sphere.X.p + r * n, sphere.X.p + g.distance * n});
}

namespace {

struct Segment {
  Vec3d centre, direction;
  double half;  // [m]

  Vec3d at(double s) const { return centre + s * direction; }
  double nearest(const Vec3d& p) const { return std::clamp(dot(direction, p - centre), -half, half); }
};

Segment axis_of(const PosedShape& capsule) { return {capsule.X.p, capsule.X.R.column(2), capsule.shape.core.half[2]}; }

// Ericson, Real-Time Collision Detection (2005), 5.1.9, for unit directions.
std::pair<double, double> closest_parameters(const Segment& a, const Segment& b) {
  const Vec3d r = a.centre - b.centre;
  const double cosine = dot(a.direction, b.direction);
  const double c = dot(a.direction, r), f = dot(b.direction, r);
  const double determinant = 1 - cosine * cosine;
  double s = determinant > 0 ? std::clamp((cosine * f - c) / determinant, -a.half, a.half) : a.nearest(b.centre);
  const double t = b.nearest(a.at(s));
  s = a.nearest(b.at(t));
  return {s, b.nearest(a.at(s))};
}

class CapsuleContacts {
 public:
  CapsuleContacts(const PosedShape& first, const PosedShape& second, double margin, Manifold& manifold)
      : a_(axis_of(first)),
        b_(axis_of(second)),
        radius_a_(first.shape.core.rounding),
        radius_b_(second.shape.core.rounding),
        margin_(margin),
        manifold_(manifold),
        begin_(manifold.size()) {}

  void add_closest() {
    const auto [s, t] = closest_parameters(a_, b_);
    const double noise = 1e-9 * (a_.half + b_.half);
    const double gap = norm(b_.at(t) - a_.at(s)) - radius_a_ - radius_b_;
    for (std::size_t i = begin_; i < manifold_.size(); ++i)
      if (manifold_[i].gap <= gap + noise) return;
    add(s, t, 4);
  }

  // Axes side by side touch along a line: its ends are those of the axes that lie opposite the other axis.
  void add_ends_of_line() {
    if (norm(cross(a_.direction, b_.direction)) >= kFlatSine) return;
    for (const double end : {-1.0, 1.0}) {
      const std::uint64_t feature = end > 0 ? 1 : 0;
      const double s = end * a_.half, t = end * b_.half;
      const double s_on_b = dot(b_.direction, a_.at(s) - b_.centre), t_on_a = dot(a_.direction, b_.at(t) - a_.centre);
      if (std::abs(s_on_b) <= b_.half) add(s, s_on_b, feature);
      if (std::abs(t_on_a) < a_.half) add(t_on_a, t, 2 + feature);
    }
  }

 private:
  void add(double s, double t, std::uint64_t feature) {
    const Vec3d p = a_.at(s), q = b_.at(t);
    const double distance = norm(q - p), gap = distance - radius_a_ - radius_b_;
    if (!(gap < margin_)) return;
    const Vec3d n = distance > 0 ? (1 / distance) * (q - p) : crossing_normal();
    manifold_.push_back({feature, gap, n, p + radius_a_ * n, q - radius_b_ * n});
  }
  Vec3d crossing_normal() const { return unit_or(cross(a_.direction, b_.direction), any_perpendicular(a_.direction)); }

  Segment a_, b_;
  double radius_a_, radius_b_, margin_;
  Manifold& manifold_;
  std::size_t begin_;
};

}  // namespace

void capsule_capsule_contacts(const PosedShape& first, const PosedShape& second, double margin, Manifold& manifold) {
  CapsuleContacts contacts(first, second, margin, manifold);
  contacts.add_ends_of_line();
  contacts.add_closest();
}

namespace {

// What faces each other along the normal, before the roundings are taken off.
class FacingFeatures {
 public:
  FacingFeatures(const CorePair& pair, const Vec3d& normal, double margin, Manifold& manifold)
      : pair_(pair),
        limit_(margin + pair.first.rounding + pair.second.rounding),
        manifold_(manifold),
        begin_(manifold.size()) {
    find_flat_feature(pair.first, normal, first_);
    find_flat_feature(pair.second, -transpose_times(pair.X_FS.R, normal), second_);
    for (std::size_t k = 0; k < static_cast<std::size_t>(second_.count); ++k)
      second_.points[k] = pair.X_FS * second_.points[k];
    clip_features(first_, second_, normal, limit_, manifold);
  }

  bool reaches(double gap) const {
    double deepest = limit_;
    for (std::size_t i = begin_; i < manifold_.size(); ++i) deepest = std::min(deepest, manifold_[i].gap);
    // Rims that lie flat leave out their lowest points (kRimNoise); all else is exact up to rounding.
    const bool flat = first_.count > 2 && second_.count > 2;
    const double noise = (flat ? kRimNoise : 1e-12) * pair_.size();
    return manifold_.size() > begin_ && deepest <= gap + noise;
  }
  void add_single_point(const Separation& s) {
    manifold_.push_back({feature_id(name(first_), name(second_)), s.gap, s.normal, s.p_first, s.p_second});
  }
  // A corner of the second core over the triangle that is the first.
  void add_corner_over_triangle(const Vec3d& normal) {
    if (second_.count != 1) return;
    const Vec3d& p = second_.points[0];
    const auto& t = pair_.first.triangle;
    for (std::size_t k = 0; k < 3; ++k)
      if (dot(cross(t[(k + 1) % 3] - t[k], p - t[k]), normal) < 0) return;
    const double gap = dot(normal, p - t[0]);
    if (gap < limit_) manifold_.push_back({feature_id(4, second_.ids[0]), gap, normal, p - gap * normal, p});
  }
  void drop() { manifold_.resize(begin_); }
  void finish() {
    reduce_to_four(manifold_, begin_);
    for (std::size_t i = begin_; i < manifold_.size(); ++i) {
      ManifoldPoint& p = manifold_[i];
      p.gap -= pair_.first.rounding + pair_.second.rounding;
      p.p_first += pair_.first.rounding * p.normal;
      p.p_second -= pair_.second.rounding * p.normal;
    }
  }

 private:
  // The same for whichever end of an edge comes first: that is up to rounding.
  static std::uint64_t name(const FlatFeature& f) {
    const auto [least, most] = std::minmax_element(f.ids.begin(), f.ids.begin() + f.count);
    return feature_id(static_cast<std::uint64_t>(f.count), *least, *most);
  }

  const CorePair& pair_;
  double limit_;
  Manifold& manifold_;
  std::size_t begin_;
  FlatFeature first_, second_;
};

}  // namespace

void add_core_contacts(const CorePair& pair, const Separation& s, double margin, Manifold& manifold) {
  if (!(s.gap < margin + pair.first.rounding + pair.second.rounding)) return;
  FacingFeatures features(pair, s.normal, margin, manifold);
  if (!features.reaches(s.gap)) features.add_single_point(s);
  features.finish();
}

bool add_face_contacts(const CorePair& pair, const Vec3d& normal, double gap, double margin, Manifold& manifold) {
  FacingFeatures features(pair, normal, margin, manifold);
  const bool opposite = features.reaches(gap);
  opposite ? features.finish() : features.drop();
  return opposite;
}

void add_facing_contacts(const CorePair& pair, const Vec3d& normal, double margin, Manifold& manifold) {
  FacingFeatures features(pair, normal, margin, manifold);
  features.add_corner_over_triangle(normal);
  features.finish();
}

void convex_convex_contacts(const PosedShape& first, const PosedShape& second, double margin,
                            ExpandingPolytope& polytope, Manifold& manifold) {
  const CorePair pair{first.shape.core, second.shape.core, relative_pose(first.X, second.X)};
  const Separation s = separate(pair, margin + pair.first.rounding + pair.second.rounding, polytope);
  if (s.beyond) return;
  const std::size_t begin = manifold.size();
  add_core_contacts(pair, s, margin, manifold);
  points_to_world(first.X, manifold, begin);
}

}  // namespace lipkin
