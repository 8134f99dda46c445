// The inside of a cone frustum against points, rims and edges. The gap to the wall is a concave function of the point,
// so a convex body is nearest to the wall at its extreme points.
#include <algorithm>
#include <numbers>

#include "collision/convex_hull.hpp"
#include "collision/gap_functions.hpp"
#include "collision/triangle_mesh.hpp"
#include "lipkin/error.hpp"

namespace lipkin {

double cup_wall_gap(const ConeWall& wall, const Vec3d& p, double radius) {
  const double l = std::sqrt(p[0] * p[0] + p[1] * p[1]);
  return (wall.bottom_radius + wall.slope * p[2] - l) * wall.cosine - radius;
}

Vec3d cup_wall_normal(const ConeWall& wall, const Vec3d& p) {
  const Vec3d radial = unit_or({{p[0], p[1], 0}}, Vec3d::unit(0));
  return {{-wall.cosine * radial[0], -wall.cosine * radial[1], wall.sine}};
}

bool in_cup(const ConeWall& wall, const Vec3d& p, double radius) {
  return p[2] >= -radius && p[2] <= wall.height + radius && cup_wall_gap(wall, p, -radius) >= 0;
}

namespace {

class CupContacts {
 public:
  CupContacts(const PosedShape& cup, const PosedShape& other, double margin, Manifold& manifold)
      : wall_(cup.shape.wall),
        X_WC_(cup.X),
        X_CO_(relative_pose(cup.X, other.X)),
        margin_(margin),
        manifold_(manifold) {}

  const ConeWall& wall() const { return wall_; }
  Vec3d to_cup(const Vec3d& p) const { return X_CO_ * p; }

  // A ball around a point in the frame of the cup.
  void add(const Vec3d& p, double radius, std::uint64_t feature) {
    if (!(p[2] >= -radius && p[2] <= wall_.height + radius)) return;
    const double gap = cup_wall_gap(wall_, p, radius);
    if (!(gap < margin_)) return;
    const Vec3d n = cup_wall_normal(wall_, p);
    manifold_.push_back({feature, gap, X_WC_.R * n, X_WC_ * (p - (gap + radius) * n), X_WC_ * (p - radius * n)});
  }

  // Where an edge leaves the height of the cup it is cut off: what sticks out at the top leans on the wall's end.
  void add_cut_edge(const Vec3d& a, const Vec3d& b, double radius, std::uint64_t feature) {
    for (const double z : {-radius, wall_.height + radius}) {
      if ((a[2] > z) == (b[2] > z)) continue;
      Vec3d p = a + ((z - a[2]) / (b[2] - a[2])) * (b - a);
      p[2] = z;  // exactly, so that it counts as inside
      add(p, radius, feature_id(feature, z > 0 ? 1 : 0, 1));
    }
  }

 private:
  const ConeWall& wall_;
  const Transform<double>& X_WC_;
  Transform<double> X_CO_;
  double margin_;
  Manifold& manifold_;
};

void add_box(const ConvexCore& core, CupContacts& contacts) {
  std::array<Vec3d, 8> corners;
  for (std::uint32_t c = 0; c < 8; ++c) {
    Vec3d p;
    for (int k = 0; k < 3; ++k) p[k] = (c >> k & 1) != 0 ? core.half[k] : -core.half[k];
    contacts.add(corners[c] = contacts.to_cup(p), 0, c);
  }
  for (std::uint32_t c = 0; c < 8; ++c)
    for (std::uint32_t k = 0; k < 3; ++k)
      if ((c >> k & 1) == 0) contacts.add_cut_edge(corners[c], corners[c | 1u << k], 0, 8 + 3 * c + k);
}

void add_hull(const ConvexHull& hull, CupContacts& contacts) {
  for (int v = 0; v < static_cast<int>(hull.vertices().size()); ++v) {
    const Vec3d p = contacts.to_cup(hull.vertices()[static_cast<std::size_t>(v)]);
    contacts.add(p, 0, static_cast<std::uint64_t>(v));
    for (const int w : hull.neighbours(v))
      if (w > v)
        contacts.add_cut_edge(p, contacts.to_cup(hull.vertices()[static_cast<std::size_t>(w)]), 0,
                              feature_id(static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(w)));
  }
}

void add_points(std::span<const Vec3d> points, CupContacts& contacts) {
  std::uint64_t index = 0;
  for (const Vec3d& p : points) contacts.add(contacts.to_cup(p), 0, index++);
}

// A circle in the frame of the cup.
struct Circle {
  Vec3d centre, x, y;  // x, y: perpendicular radii

  Vec3d at(double angle) const { return centre + std::cos(angle) * x + std::sin(angle) * y; }
};

constexpr std::size_t kSamples = 24;
constexpr double kStep = 2 * std::numbers::pi / kSamples;

double sample_angle(std::size_t k) { return static_cast<double>(k) * kStep; }

// The minimum of a function near `angle`, between the samples beside it, by golden sections.
template <class Gap>
double refine(const Gap& gap, double angle) {
  const double ratio = std::numbers::phi - 1;
  double low = angle - kStep, high = angle + kStep;
  double inner = high - ratio * (high - low), outer = low + ratio * (high - low);
  double at_inner = gap(inner), at_outer = gap(outer);
  while (high - low > 1e-9) {  // the gap is flat there: exact to 1e-18 of the radius
    if (at_inner < at_outer) {
      high = outer, outer = inner, at_outer = at_inner;
      inner = high - ratio * (high - low), at_inner = gap(inner);
    } else {
      low = inner, inner = outer, at_inner = at_outer;
      outer = low + ratio * (high - low), at_outer = gap(outer);
    }
  }
  return 0.5 * (low + high);
}

// Four points of a rim, 90 degrees apart; each local minimum of the gap takes the place of the one next to it.
void add_rim(const Circle& circle, std::uint64_t rim, CupContacts& contacts) {
  const auto gap = [&](double angle) { return cup_wall_gap(contacts.wall(), circle.at(angle), 0); };
  std::array<double, kSamples> sampled;
  for (std::size_t k = 0; k < kSamples; ++k) sampled[k] = gap(sample_angle(k));
  const auto [low, high] = std::minmax_element(sampled.begin(), sampled.end());
  const bool level = *high - *low <= kRimNoise * norm(circle.x);
  std::array<double, 4> angles{0, 6 * kStep, 12 * kStep, 18 * kStep};
  for (std::size_t k = 0; k < kSamples && !level; ++k) {
    if (sampled[k] > sampled[(k + kSamples - 1) % kSamples] || sampled[k] >= sampled[(k + 1) % kSamples]) continue;
    angles[((k + 3) / 6) % 4] = refine(gap, sample_angle(k));
  }
  for (std::size_t k = 0; k < 4; ++k) contacts.add(circle.at(angles[k]), 0, 4 * rim + k);
}

// Where a rim passes the height z.
void add_cut_rim(const Circle& circle, double z, std::uint64_t feature, CupContacts& contacts) {
  const double amplitude = std::sqrt(circle.x[2] * circle.x[2] + circle.y[2] * circle.y[2]);
  const double rise = z - circle.centre[2];
  if (!(std::abs(rise) < amplitude)) return;
  const double top = std::atan2(circle.y[2], circle.x[2]), beside = std::acos(rise / amplitude);
  for (const double angle : {top - beside, top + beside}) {
    Vec3d p = circle.at(angle);
    p[2] = z;
    contacts.add(p, 0, feature_id(feature, angle > top ? 1 : 0));
  }
}

// Where the wall between the rims passes the height z: the point of that curve nearest to the cup's wall.
void add_cut_wall(const std::array<Circle, 2>& rims, double z, std::uint64_t feature, CupContacts& contacts) {
  const auto at = [&](double angle) {
    const Vec3d a = rims[0].at(angle), b = rims[1].at(angle);
    Vec3d p = a + ((z - a[2]) / (b[2] - a[2])) * (b - a);
    p[2] = z;
    return p;
  };
  const auto gap = [&](double angle) {
    const bool passes = (rims[0].at(angle)[2] > z) != (rims[1].at(angle)[2] > z);
    return passes ? cup_wall_gap(contacts.wall(), at(angle), 0) : 1e300;
  };
  std::size_t best = 0;
  for (std::size_t k = 1; k < kSamples; ++k)
    if (gap(sample_angle(k)) < gap(sample_angle(best))) best = k;
  const double angle = refine(gap, sample_angle(best));
  if (gap(angle) < 1e300) contacts.add(at(angle), 0, feature);
}

void add_round(const ConvexCore& core, const Mat3<double>& R_CO, CupContacts& contacts) {
  std::array<Circle, 2> rims;
  for (std::size_t rim = 0; rim < 2; ++rim) {
    const double r = core.rim_radius[rim];
    rims[rim] = {contacts.to_cup({{0, 0, core.rim_z[rim]}}), r * R_CO.column(0), r * R_CO.column(1)};
    r > 0 ? add_rim(rims[rim], rim, contacts) : contacts.add(rims[rim].centre, 0, 4 * rim);
  }
  for (const double z : {0.0, contacts.wall().height}) {
    const std::uint64_t end = z > 0 ? 1 : 0;
    for (std::size_t rim = 0; rim < 2; ++rim) add_cut_rim(rims[rim], z, 8 + 2 * rim + end, contacts);
    add_cut_wall(rims, z, 12 + end, contacts);
  }
}

}  // namespace

void cup_contacts(const PosedShape& cup, const PosedShape& other, double margin, Manifold& manifold) {
  const ConvexCore& core = other.shape.core;
  CupContacts contacts(cup, other, margin, manifold);
  if (!in_cup(cup.shape.wall, contacts.to_cup(other.shape.centre), other.shape.bounding_radius)) return;
  switch (other.shape.kind) {
    case ShapeKind::kSphere:
      return contacts.add(contacts.to_cup(Vec3d::zero()), core.rounding, 0);
    case ShapeKind::kCapsule: {
      const Vec3d a = contacts.to_cup({{0, 0, -core.half[2]}}), b = contacts.to_cup({{0, 0, core.half[2]}});
      contacts.add(a, core.rounding, 0), contacts.add(b, core.rounding, 1);
      return contacts.add_cut_edge(a, b, core.rounding, 2);
    }
    case ShapeKind::kBox:
      return add_box(core, contacts);
    case ShapeKind::kCylinder:
    case ShapeKind::kFrustum:
      return add_round(core, transpose(cup.X.R) * other.X.R, contacts);
    case ShapeKind::kHull:
      return add_hull(*other.shape.hull, contacts);
    case ShapeKind::kMesh:
      return add_points(other.shape.mesh->surface().vertices(), contacts);
    default:
      throw InternalError("cup_contacts: not a kind that meets cups");
  }
}

}  // namespace lipkin
