#include "collision/shape.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "collision/convex_hull.hpp"
#include "collision/triangle_mesh.hpp"
#include "model/eigen_convert.hpp"

namespace lipkin {

namespace {

void require(bool condition, const char* what) {
  if (!condition) throw InvalidArgument(what);
}

bool positive(double x) { return std::isfinite(x) && x > 0; }

// Fills what the kinds differ in.
struct Maker {
  Shape& shape;

  void bound(const Vec3d& centre, const Vec3d& half_extents, double radius) const {
    shape.centre = centre, shape.half_extents = half_extents, shape.bounding_radius = radius;
  }
  void core_around_centre(CoreKind kind) const {
    shape.convex = true;
    shape.core.kind = kind;
    shape.core.centre = shape.centre;
    shape.core.extent = shape.bounding_radius - shape.core.rounding;
  }

  void operator()(const ShapeSphere& s) const {
    require(positive(s.radius), "sphere: the radius must be a number > 0 [m]");
    bound(Vec3d::zero(), {{s.radius, s.radius, s.radius}}, s.radius);
    shape.core.rounding = s.radius;
    core_around_centre(CoreKind::kPoint);
  }
  void operator()(const ShapeBox& s) const {
    for (int k = 0; k < 3; ++k) require(positive(s.size[k]), "box: every size must be a number > 0 [m]");
    shape.core.half = 0.5 * from_eigen(s.size);
    bound(Vec3d::zero(), shape.core.half, norm(shape.core.half));
    core_around_centre(CoreKind::kBox);
  }
  void operator()(const ShapeCapsule& s) const {
    require(positive(s.radius) && positive(s.length), "capsule: radius and length must be numbers > 0 [m]");
    shape.core.half = {{0, 0, s.length / 2}};
    shape.core.rounding = s.radius;
    bound(Vec3d::zero(), {{s.radius, s.radius, s.length / 2 + s.radius}}, s.length / 2 + s.radius);
    core_around_centre(CoreKind::kSegment);
  }
  void operator()(const ShapeCylinder& s) const {
    require(positive(s.radius) && positive(s.length), "cylinder: radius and length must be numbers > 0 [m]");
    make_round({s.radius, s.radius}, {-s.length / 2, s.length / 2});
  }
  void operator()(const ShapeFrustum& s) const {
    require_cone(s.bottom_radius, s.top_radius, s.height,
                 "frustum: radii must be numbers >= 0, not both 0, height > 0");
    make_round({s.bottom_radius, s.top_radius}, {0, s.height});
  }
  void operator()(const ShapePlane&) const { shape.unbounded = true; }
  void operator()(const ShapeCup& s) const {
    require_cone(s.bottom_radius, s.top_radius, s.height,
                 "cup: radii must be numbers >= 0, not both 0, height > 0 [m]");
    const double slope = (s.top_radius - s.bottom_radius) / s.height;
    const double cosine = 1 / std::sqrt(1 + slope * slope);
    shape.wall = {s.bottom_radius, s.height, slope, cosine, slope * cosine};
    shape.unbounded = true;
  }
  void operator()(const ShapeHull& s) const {
    std::vector<Vec3d> points;
    for (const Eigen::Vector3d& p : s.points) {
      require(p.allFinite(), "hull: every point must be finite [m]");
      points.push_back(from_eigen(p));
    }
    shape.hull = std::make_shared<const ConvexHull>(points);
    shape.core.hull = shape.hull.get();
    bound_points(shape.hull->vertices());
    core_around_centre(CoreKind::kHull);
  }
  void operator()(const ShapeMesh& s) const {
    std::vector<Vec3d> vertices;
    for (const Eigen::Vector3d& p : s.vertices) {
      require(p.allFinite(), "mesh: every vertex must be finite [m]");
      vertices.push_back(from_eigen(p));
    }
    shape.mesh = std::make_shared<const TriangleMesh>(TriangleSurface(vertices, s.triangles));
    bound_points(shape.mesh->surface().vertices());
  }
  void operator()(const ShapeHeightField& s) const {
    shape.field = std::make_shared<const HeightField>(s.columns, s.rows, s.size_x, s.size_y, s.heights);
    bound_points(shape.field->surface().vertices());
    deepen(0.1 * std::max(s.size_x, s.size_y));
  }

 private:
  static void require_cone(double bottom, double top, double height, const char* what) {
    require(std::isfinite(bottom) && std::isfinite(top) && bottom >= 0 && top >= 0 && bottom + top > 0, what);
    require(positive(height), what);
  }
  void make_round(const std::array<double, 2>& radius, const std::array<double, 2>& z) const {
    shape.core.rim_radius = radius, shape.core.rim_z = z;
    const double r = std::max(radius[0], radius[1]), half = (z[1] - z[0]) / 2;
    bound({{0, 0, (z[0] + z[1]) / 2}}, {{r, r, half}}, std::hypot(r, half));
    core_around_centre(CoreKind::kRound);
  }
  // Ground has something below its surface: what fell through it in one step has to be found.
  void deepen(double depth) const {
    shape.centre[2] -= depth / 2;
    shape.half_extents[2] += depth / 2;
    shape.bounding_radius = norm(shape.half_extents);
  }
  void bound_points(std::span<const Vec3d> points) const {
    Vec3d low = points[0], high = points[0];
    for (const Vec3d& p : points)
      for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    const Vec3d centre = 0.5 * (low + high);
    double radius = 0;
    for (const Vec3d& p : points) radius = std::max(radius, norm(p - centre));
    bound(centre, 0.5 * (high - low), radius);
  }
};

}  // namespace

const char* name_of(ShapeKind kind) {
  static constexpr const char* kNames[kShapeKindCount] = {"sphere", "box", "cylinder", "capsule", "frustum",
                                                          "plane",  "cup", "hull",     "mesh",    "height field"};
  return kNames[static_cast<int>(kind)];
}

Shape make_shape(const CollisionShape& description) {
  Shape shape;
  shape.kind = static_cast<ShapeKind>(description.geometry.index());
  shape.owner = description.owner;
  std::visit(Maker{shape}, description.geometry);
  return shape;
}

}  // namespace lipkin
