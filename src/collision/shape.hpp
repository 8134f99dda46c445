// A shape as the gap functions see it: kind, dimensions, bounds.
#pragma once

#include <memory>

#include "collision/collision.hpp"
#include "collision/convex.hpp"

namespace lipkin {

class TriangleMesh;
class HeightField;

// In the order of ShapeGeometry.
enum class ShapeKind : std::uint8_t {
  kSphere,
  kBox,
  kCylinder,
  kCapsule,
  kFrustum,
  kPlane,
  kCup,
  kHull,
  kMesh,
  kHeightField
};
inline constexpr int kShapeKindCount = 10;

const char* name_of(ShapeKind kind);

// Of a cup's wall: radius = bottom_radius + slope z.
struct ConeWall {
  double bottom_radius = 0, height = 0;  // [m]
  double slope = 0;
  double cosine = 1, sine = 0;  // of the angle between wall and axis
};

struct Shape {
  ShapeKind kind = ShapeKind::kSphere;
  int owner = 0;
  bool convex = false;
  bool unbounded = false;              // planes and cups; the bounds below mean nothing then
  ConvexCore core;                     // of convex shapes
  ConeWall wall;                       // of cups
  Vec3d centre = Vec3d::zero();        // of the bounding ball and box, in the shape's frame [m]
  double bounding_radius = 0;          // [m]
  Vec3d half_extents = Vec3d::zero();  // of the bounding box along the shape's axes [m]
  std::shared_ptr<const ConvexHull> hull;
  std::shared_ptr<const TriangleMesh> mesh;
  std::shared_ptr<const HeightField> field;
};

// Throws InvalidArgument where the geometry has no meaning.
Shape make_shape(const CollisionShape& shape);

}  // namespace lipkin
