// Shapes checked on their own: dimensions, and whether what should weigh has a volume.
#include <fmt/format.h>

#include <cmath>

#include "model/convex_hull.hpp"
#include "model/model_compiler.hpp"
#include "model/shape_mass.hpp"

namespace lipkin {

namespace {

bool all_finite(const std::vector<Eigen::Vector3d>& points) {
  for (const Eigen::Vector3d& p : points)
    if (!p.allFinite()) return false;
  return true;
}

// The first thing wrong with a shape's dimensions; empty where all is well.
struct Mistake {
  static std::string positive(double x, const char* what) {
    return std::isfinite(x) && x > 0 ? "" : fmt::format("{} is {} m; expected a number > 0", what, x);
  }
  static std::string first(std::initializer_list<std::string> mistakes) {
    for (const std::string& m : mistakes)
      if (!m.empty()) return m;
    return "";
  }
  static std::string radii(double bottom, double top, const char* what) {
    for (double r : {bottom, top})
      if (!(std::isfinite(r) && r >= 0)) return fmt::format("{} is {} m; expected a number >= 0", what, r);
    return positive(bottom + top, what);
  }

  std::string operator()(const ShapeSphere& s) const { return positive(s.radius, "sphere radius"); }
  std::string operator()(const ShapeBox& s) const {
    return first(
        {positive(s.size.x(), "box size"), positive(s.size.y(), "box size"), positive(s.size.z(), "box size")});
  }
  std::string operator()(const ShapeCylinder& s) const {
    return first({positive(s.radius, "cylinder radius"), positive(s.length, "cylinder length")});
  }
  std::string operator()(const ShapeCapsule& s) const {
    return first({positive(s.radius, "capsule radius"), positive(s.length, "capsule length")});
  }
  std::string operator()(const ShapeFrustum& s) const {
    return first({radii(s.bottom_radius, s.top_radius, "frustum radius"), positive(s.height, "frustum height")});
  }
  std::string operator()(const ShapePlane&) const { return ""; }
  std::string operator()(const ShapeCup& s) const {
    return first({radii(s.bottom_radius, s.top_radius, "cup radius"), positive(s.height, "cup height")});
  }
  std::string operator()(const ShapeHull& s) const {
    if (!all_finite(s.points)) return "a point of a hull is not finite";
    return convex_hull(s.points).empty() ? "the points of a hull are flat; expected points that enclose a volume" : "";
  }
  std::string operator()(const ShapeMesh& s) const {
    if (!all_finite(s.vertices)) return "a vertex of a mesh is not finite";
    if (s.triangles.empty()) return "a mesh has no triangles";
    for (const std::array<int, 3>& t : s.triangles) {
      for (int v : t)
        if (v < 0 || v >= static_cast<int>(s.vertices.size()))
          return fmt::format("a triangle of a mesh names vertex {}; it has {}, counted from 0", v, s.vertices.size());
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
        return fmt::format("triangle {} {} {} of a mesh has a vertex twice", t[0], t[1], t[2]);
    }
    return "";
  }
  std::string operator()(const ShapeHeightField& s) const {
    if (s.columns < 2 || s.rows < 2)
      return fmt::format("a height field has {} rows and {} columns; expected at least 2 of each", s.rows, s.columns);
    if (s.heights.size() != static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.columns))
      return fmt::format("a height field of {} rows and {} columns has {} heights", s.rows, s.columns,
                         s.heights.size());
    for (double h : s.heights)
      if (!std::isfinite(h)) return "a height of a height field is not finite";
    return first({positive(s.size_x, "height field size"), positive(s.size_y, "height field size")});
  }
};

}  // namespace

void ModelCompiler::check_shape(const std::string& owner, const ShapeSpec& shape) {
  check_frame(owner + ": a shape", shape.pose, shape.where);
  require(!(shape.density && shape.mass), shape.where,
          owner + ": a shape has both density and mass; expected one of them");
  for (const std::optional<double>& x : {shape.density, shape.mass})
    require(!x || (std::isfinite(*x) && *x >= 0), shape.where,
            fmt::format("{}: a shape's density or mass is {}; expected a number >= 0", owner, x.value_or(0)));
  if (const std::string mistake = std::visit(Mistake{}, shape.geometry); !mistake.empty())
    return error(shape.where, owner + ": " + mistake);
  if (!shape.density && !shape.mass) return;
  if (!is_solid(shape.geometry)) {
    error(shape.where, owner + ": a shape that encloses no volume has a density or mass",
          "planes, cups, height fields and open meshes cannot weigh; give the body a mass of its own");
  } else if (std::holds_alternative<ShapeMesh>(shape.geometry) && !(volume(shape) > 0)) {
    error(shape.where, owner + ": the triangles of a mesh with density or mass are turned inside out",
          "list the corners counter-clockwise seen from outside");
  }
}

void ModelCompiler::check_world_shapes() {
  for (const ShapeSpec& shape : parts_.world_shapes) {
    check_shape("the world", shape);
    require(!shape.density && !shape.mass, shape.where,
            "the world: a shape has a density or mass, which means nothing there");
  }
}

}  // namespace lipkin
