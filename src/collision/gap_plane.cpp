// Half-space z <= 0 against points, rims and corners: the gap is the height, the lowest points are the contacts.
#include <algorithm>

#include "collision/convex_hull.hpp"
#include "collision/gap_functions.hpp"
#include "collision/triangle_mesh.hpp"
#include "lipkin/error.hpp"

namespace lipkin {

namespace {

class PlaneContacts {
 public:
  PlaneContacts(const PosedShape& plane, const PosedShape& other, double margin, Manifold& manifold)
      : normal_(plane.X.R.column(2)),
        origin_(plane.X.p),
        X_(other.X),
        margin_(margin),
        manifold_(manifold),
        begin_(manifold.size()) {}

  // A ball around a point of the other shape.
  void add(const Vec3d& p, double radius, std::uint64_t feature) {
    const Vec3d arm = X_.R * p;
    const double height = dot(normal_, X_.p - origin_) + dot(normal_, arm), gap = height - radius;
    if (!(gap < margin_)) return;
    const Vec3d p_W = X_.p + arm;
    manifold_.push_back({feature, gap, normal_, p_W - height * normal_, p_W - radius * normal_});
  }

  // Towards the plane, in the frame of the other shape.
  Vec3d down() const { return -transpose_times(X_.R, normal_); }
  // How far down a point of it must lie, from its origin, to count.
  double least_depth() const { return dot(normal_, X_.p - origin_) - margin_; }
  void sort() {
    std::sort(manifold_.begin() + static_cast<std::ptrdiff_t>(begin_), manifold_.end(),
              [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.feature < q.feature; });
  }
  void keep_four() { reduce_to_four(manifold_, begin_); }

 private:
  Vec3d normal_, origin_;
  const Transform<double>& X_;
  double margin_;
  Manifold& manifold_;
  std::size_t begin_;
};

// The corners of the face that looks down.
void add_box(const ConvexCore& core, PlaneContacts& contacts) {
  const Vec3d down = contacts.down();
  int facing = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(down[k]) > std::abs(down[facing])) facing = k;
  const std::uint32_t facing_bit = down[facing] > 0 ? 1 : 0;
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    if ((corner >> facing & 1) != facing_bit) continue;
    Vec3d p;
    for (int k = 0; k < 3; ++k) p[k] = (corner >> k & 1) != 0 ? core.half[k] : -core.half[k];
    contacts.add(p, 0, corner);
  }
}

void add_round(const ConvexCore& core, PlaneContacts& contacts) {
  for (std::size_t rim = 0; rim < 2; ++rim) {
    const std::array<Vec3d, 4> points = rim_points(core.rim_radius[rim], core.rim_z[rim], contacts.down());
    const std::size_t count = core.rim_radius[rim] > 0 ? 4 : 1;
    for (std::size_t k = 0; k < count; ++k) contacts.add(points[k], 0, 4 * rim + k);
  }
  contacts.keep_four();
}

void add_points(const PointTree& points, PlaneContacts& contacts) {
  points.visit_beyond(contacts.down(), contacts.least_depth(),
                      [&](std::size_t index, const Vec3d& p) { contacts.add(p, 0, index); });
  contacts.sort();
  contacts.keep_four();
}

}  // namespace

void plane_contacts(const PosedShape& plane, const PosedShape& other, double margin, Manifold& manifold) {
  const ConvexCore& core = other.shape.core;
  PlaneContacts contacts(plane, other, margin, manifold);
  switch (other.shape.kind) {
    case ShapeKind::kSphere:
      return contacts.add(Vec3d::zero(), core.rounding, 0);
    case ShapeKind::kCapsule:
      contacts.add({{0, 0, -core.half[2]}}, core.rounding, 0);
      return contacts.add({{0, 0, core.half[2]}}, core.rounding, 1);
    case ShapeKind::kBox:
      return add_box(core, contacts);
    case ShapeKind::kCylinder:
    case ShapeKind::kFrustum:
      return add_round(core, contacts);
    case ShapeKind::kHull:
      return add_points(other.shape.hull->vertex_tree(), contacts);
    case ShapeKind::kMesh:
      return add_points(other.shape.mesh->surface().vertex_tree(), contacts);
    default:
      throw InternalError("plane_contacts: not a kind that meets planes");
  }
}

}  // namespace lipkin
