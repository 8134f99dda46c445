#include "collision/narrow_phase.hpp"

#include <algorithm>

namespace lipkin {

namespace {

// The gap functions take the kind with the smaller rank first.
int rank(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kPlane:
      return 0;
    case ShapeKind::kCup:
      return 1;
    case ShapeKind::kHeightField:
      return 2;
    case ShapeKind::kMesh:
      return 3;
    case ShapeKind::kSphere:
      return 4;
    case ShapeKind::kCapsule:
      return 5;
    case ShapeKind::kBox:
      return 6;
    case ShapeKind::kCylinder:
    case ShapeKind::kFrustum:
    case ShapeKind::kHull:
      return 7;
  }
  return 7;
}

bool is_convex(ShapeKind kind) { return rank(kind) >= rank(ShapeKind::kSphere); }

}  // namespace

bool has_gap_function(ShapeKind a, ShapeKind b) {
  if (is_convex(a) || is_convex(b)) return true;
  const auto has_wall = [](ShapeKind kind) { return kind == ShapeKind::kPlane || kind == ShapeKind::kCup; };
  return (a == ShapeKind::kMesh && has_wall(b)) || (b == ShapeKind::kMesh && has_wall(a));
}

void NarrowPhase::find_ordered(const PosedShape& first, const PosedShape& second, double margin, Manifold& manifold) {
  const ShapeKind a = first.shape.kind, b = second.shape.kind;
  if (a == ShapeKind::kPlane) return plane_contacts(first, second, margin, manifold);
  if (a == ShapeKind::kCup) return cup_contacts(first, second, margin, manifold);
  if (a == ShapeKind::kMesh) return mesh_contacts(first, second, margin, scratch_, manifold);
  if (a == ShapeKind::kHeightField) return height_field_contacts(first, second, margin, scratch_, manifold);
  if (a == ShapeKind::kSphere && b != ShapeKind::kHull) return sphere_convex_contacts(first, second, margin, manifold);
  if (a == ShapeKind::kCapsule && b == ShapeKind::kCapsule)
    return capsule_capsule_contacts(first, second, margin, manifold);
  if (a == ShapeKind::kBox && b == ShapeKind::kBox)
    return box_box_contacts(first, second, margin, scratch_.polytope, manifold);
  convex_convex_contacts(first, second, margin, scratch_.polytope, manifold);
}

void NarrowPhase::find_contacts(const PosedShape& a, const PosedShape& b, double margin, Manifold& manifold) {
  manifold.clear();
  if (rank(a.shape.kind) <= rank(b.shape.kind)) {
    find_ordered(a, b, margin, manifold);
  } else {
    find_ordered(b, a, margin, manifold);
    for (ManifoldPoint& p : manifold) {
      p.normal = -p.normal;
      std::swap(p.p_first, p.p_second);
    }
  }
  std::sort(manifold.begin(), manifold.end(),
            [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.feature < q.feature; });
}

}  // namespace lipkin
