// Convex shapes on triangle meshes and height fields: triangle by triangle, where each triangle speaks for its face and
// for those of its edges and corners that stick out. What an inner edge of a flat floor or of a hollow would say is
// left to the faces beside it, so that nothing stumbles over it.
#include <algorithm>

#include "collision/feature_clip.hpp"
#include "collision/gap_functions.hpp"
#include "collision/triangle_mesh.hpp"

namespace lipkin {

namespace {

enum TriangleFeature : std::uint64_t { kFace = 1, kEdge = 2, kCorner = 3 };

// The point of a triangle nearest to p, and on what it lies (Ericson, Real-Time Collision Detection, 2005, 5.1.5).
struct NearestOnTriangle {
  Vec3d point;
  TriangleFeature feature = kFace;
  int index = 0;  // of the edge or corner
};

NearestOnTriangle nearest_on_triangle(const TriangleSurface& surface, int t, const Vec3d& p) {
  bool inside = true;
  NearestOnTriangle best;
  double nearest = 1e300;
  const auto offer = [&](const Vec3d& q, TriangleFeature feature, int index) {
    const double distance = squared_norm(p - q);
    if (distance < nearest) nearest = distance, best = {q, feature, index};
  };
  for (int k = 0; k < 3; ++k) {
    const Vec3d a = surface.corner(t, k), edge = surface.corner(t, (k + 1) % 3) - a;
    if (dot(p - a, surface.away_from_edge(t, k)) <= 0) continue;
    inside = false;
    const double s = dot(p - a, edge) / squared_norm(edge);
    if (s <= 0) offer(a, kCorner, k);
    if (s >= 1) offer(a + edge, kCorner, (k + 1) % 3);
    if (s > 0 && s < 1) offer(a + s * edge, kEdge, k);
  }
  if (!inside) return best;
  const Vec3d n = surface.normal(t);
  return {p - dot(n, p - surface.corner(t, 0)) * n, kFace, 0};
}

// Of one convex shape and a surface, in the surface's frame.
class SurfaceContacts {
 public:
  SurfaceContacts(const TriangleSurface& surface, const ConvexCore& core, const Transform<double>& X, double margin,
                  GapScratch& scratch, Manifold& manifold)
      : surface_(surface),
        core_(core),
        X_(X),
        margin_(margin),
        centre_(X * core.centre),
        scratch_(scratch),
        manifold_(manifold) {
    scratch.doubtful.clear();
  }

  // Around the shape and everything within the margin.
  AlignedBox box() const {
    AlignedBox box;
    const double more = core_.rounding + margin_;
    for (int k = 0; k < 3; ++k) {
      const Vec3d axis = X_.R.row(k);
      box.low[k] = X_.p[k] + dot(axis, support(core_, -axis)) - more;
      box.high[k] = X_.p[k] + dot(axis, support(core_, axis)) + more;
    }
    return box;
  }

  void add_triangle(int t) { core_.kind == CoreKind::kPoint ? add_ball(t) : add_core(t); }

  // Triangles that the shape would leave soonest over an edge that does not stick out: the border of what is under it.
  // Their faces hold it as the others do, unless that contradicts the others: a triangle at the side of a block says
  // nothing about what lies on top of the block.
  void add_doubtful() {
    double depth = 0;
    for (const ManifoldPoint& p : manifold_) depth = std::max(depth, -p.gap);
    const double deepest = manifold_.empty() ? 1e300 : 4 * depth + margin_;
    for (const auto& [t, apart] : scratch_.doubtful) {
      const ConvexCore triangle = core_of(t);
      const std::size_t begin = manifold_.size();
      add_facing_contacts({triangle, core_, X_}, surface_.normal(t), margin_, manifold_);
      const double least = apart ? 0 : -deepest;
      const auto contradicts = [&](const ManifoldPoint& p) { return p.gap < least; };
      manifold_.erase(
          std::remove_if(manifold_.begin() + static_cast<std::ptrdiff_t>(begin), manifold_.end(), contradicts),
          manifold_.end());
    }
  }

  const Vec3d& centre() const { return centre_; }

  // The whole shape against the plane of a triangle.
  void add_plane_of(int t) {
    const Vec3d n = surface_.normal(t), a = surface_.corner(t, 0);
    const Vec3d lowest = X_ * support(core_, -transpose_times(X_.R, n)) - core_.rounding * n;
    const double gap = dot(n, lowest - a);
    if (gap < margin_) add_point(name(kFace, t, 0), gap, n, lowest - gap * n);
  }

 private:
  void add_ball(int t) {
    const double r = core_.rounding;
    const NearestOnTriangle near = nearest_on_triangle(surface_, t, centre_);
    const Vec3d away = centre_ - near.point, n = surface_.normal(t);
    const double height = dot(n, away), distance = norm(away);
    if (near.feature == kFace) {
      if (height - r < margin_ && height > -r) add_point(name(kFace, t, 0), height - r, n, near.point);
      return;
    }
    if (!(distance - r < margin_) || !(distance > 0)) return;
    const Vec3d direction = (1 / distance) * away;
    const bool outside = near.feature == kEdge ? surface_.edge_faces(t, near.index, direction)
                                               : surface_.corner_faces(t, near.index, direction);
    if (outside) add_point(name(near.feature, t, near.index), distance - r, direction, near.point);
  }

  void add_point(std::uint64_t feature, double gap, const Vec3d& n, const Vec3d& on_surface) {
    manifold_.push_back({feature, gap, n, on_surface, on_surface + gap * n});
  }

  // The same for all triangles that share the flat face, the edge or the corner.
  std::uint64_t name(TriangleFeature feature, int t, int index) const {
    const auto corner = [&](int k) {
      return static_cast<std::uint64_t>(surface_.triangle(t)[static_cast<std::size_t>(k % 3)]);
    };
    if (feature == kFace) return feature_id(kFace, static_cast<std::uint64_t>(surface_.face(t)));
    if (feature == kCorner) return feature_id(kCorner, corner(index));
    return feature_id(kEdge, std::min(corner(index), corner(index + 1)), std::max(corner(index), corner(index + 1)));
  }

  void add_core(int t) {
    const Vec3d n = surface_.normal(t), a = surface_.corner(t, 0);
    const Vec3d lowest = X_ * support(core_, -transpose_times(X_.R, n));
    const double depth_of_centre = dot(n, centre_ - lowest);
    const double height = dot(n, lowest - a) - core_.rounding;
    // In front of the triangle up to the margin, or through it by less than half of what is in front of the centre.
    if (height >= margin_ || dot(n, centre_ - a) < -0.5 * (depth_of_centre + core_.rounding)) return;
    const ConvexCore triangle = core_of(t);
    const CorePair pair{triangle, core_, X_};
    const Separation s = separate(pair, margin_ + core_.rounding, scratch_.polytope);
    if (s.beyond) return;
    constexpr double kAlongFace = 1e-6;
    if (norm(s.normal - n) <= kAlongFace)
      add_facing_contacts(pair, n, margin_, manifold_);
    else if (sticks_out(triangle, t, s.normal))
      add_core_contacts(pair, s, margin_, manifold_);
    else
      scratch_.doubtful.push_back({t, s.gap > core_.rounding});
  }

  ConvexCore core_of(int t) const {
    ConvexCore triangle;
    triangle.kind = CoreKind::kTriangle;
    for (int k = 0; k < 3; ++k) {
      triangle.triangle[static_cast<std::size_t>(k)] = surface_.corner(t, k);
      triangle.triangle_ids[static_cast<std::size_t>(k)] =
          static_cast<std::uint32_t>(surface_.triangle(t)[static_cast<std::size_t>(k)]);
    }
    const auto& [a, b, c] = triangle.triangle;
    triangle.centre = (1.0 / 3) * (a + b + c);
    triangle.extent = std::max({norm(a - triangle.centre), norm(b - triangle.centre), norm(c - triangle.centre)});
    return triangle;
  }

  // Does the part of the triangle that is furthest along n stick out of the surface there?
  bool sticks_out(const ConvexCore& triangle, int t, const Vec3d& n) const {
    constexpr double kAcross = 1e-6;
    FlatFeature feature;
    find_flat_feature(triangle, n, feature, kAcross);
    const auto index = [&](std::uint32_t id) {
      const auto& ids = triangle.triangle_ids;
      return static_cast<int>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    };
    if (feature.count == 1) return surface_.corner_faces(t, index(feature.ids[0]), n);
    if (feature.count > 2) return false;
    const int a = index(feature.ids[0]), b = index(feature.ids[1]);
    return surface_.edge_faces(t, (a + 1) % 3 == b ? a : b, n);
  }

  const TriangleSurface& surface_;
  const ConvexCore& core_;
  const Transform<double>& X_;
  double margin_;
  Vec3d centre_;
  GapScratch& scratch_;
  Manifold& manifold_;
};

// One point per feature: triangles that share an edge, a corner or a face say the same.
void drop_repeated(Manifold& manifold) {
  std::sort(manifold.begin(), manifold.end(), [](const ManifoldPoint& p, const ManifoldPoint& q) {
    return p.feature != q.feature ? p.feature < q.feature : p.gap < q.gap;
  });
  const auto same = [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.feature == q.feature; };
  manifold.erase(std::unique(manifold.begin(), manifold.end(), same), manifold.end());
}

// Four points for each direction, however many triangles share it.
void reduce_by_normal(Manifold& manifold) {
  constexpr double kSameNormal = 1e-4;
  for (std::size_t begin = 0; begin < manifold.size();) {
    const Vec3d n = manifold[begin].normal;
    const auto group_end = std::partition(manifold.begin() + static_cast<std::ptrdiff_t>(begin), manifold.end(),
                                          [&](const ManifoldPoint& p) { return norm(p.normal - n) < kSameNormal; });
    begin = reduce_to_four(manifold, begin, static_cast<std::size_t>(group_end - manifold.begin()));
  }
}

void finish(const Transform<double>& X_WG, Manifold& manifold) {
  drop_repeated(manifold);
  reduce_by_normal(manifold);
  points_to_world(X_WG, manifold, 0);
}

// What has sunk into the ground so deep that no triangle holds it is under the one above its centre.
void add_buried(const HeightField& field, SurfaceContacts& contacts) {
  const int t = field.triangle_at(contacts.centre()[0], contacts.centre()[1]);
  if (t < 0) return;
  const double height = dot(field.surface().normal(t), contacts.centre() - field.surface().corner(t, 0));
  if (height < 0) contacts.add_plane_of(t);
}

}  // namespace

void mesh_contacts(const PosedShape& mesh, const PosedShape& other, double margin, GapScratch& scratch,
                   Manifold& manifold) {
  const TriangleMesh& triangles = *mesh.shape.mesh;
  const Transform<double> X = relative_pose(mesh.X, other.X);
  SurfaceContacts contacts(triangles.surface(), other.shape.core, X, margin, scratch, manifold);
  triangles.for_each_in(contacts.box(), [&](int t) { contacts.add_triangle(t); });
  contacts.add_doubtful();
  finish(mesh.X, manifold);
}

void height_field_contacts(const PosedShape& field, const PosedShape& other, double margin, GapScratch& scratch,
                           Manifold& manifold) {
  const HeightField& ground = *field.shape.field;
  const Transform<double> X = relative_pose(field.X, other.X);
  SurfaceContacts contacts(ground.surface(), other.shape.core, X, margin, scratch, manifold);
  ground.for_each_in(contacts.box(), [&](int t) { contacts.add_triangle(t); });
  contacts.add_doubtful();
  if (manifold.empty()) add_buried(ground, contacts);
  finish(field.X, manifold);
}

}  // namespace lipkin
